// SPDX-License-Identifier: GPL-2.0-or-later
// state.c - the undo record as JSON, and the lock beside it
#include "engine/state.h"

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "knobs/steering.h"
#include "profile/registry.h"

#define RECORD STATE_DIR "/undo.json"
#define LOCK STATE_DIR "/lock"
#define RECORD_SIZE_MAX (8u << 20)

static int open_locked(struct system *sys, struct state *ret)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	if (!sys->root.live && !sysroot_exists(&sys->root, "/run"))
		ret->made_run = true;
	r = sysroot_mkdir_all(&sys->root, STATE_DIR, 0755);
	if (r < 0)
		return r;
	/* Not the directory: that everybody may open, and so hold us up. */
	fd = sysroot_openat(&sys->root, LOCK,
			    O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd == -EROFS) /* then nobody can leave a record either */
		fd = sysroot_openat(&sys->root, STATE_DIR, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return fd == -ENOENT ? -EWOULDBLOCK : fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	/* the last holder removes it, maybe between our open and our lock */
	if (fstat(fd, &st) < 0 || st.st_nlink == 0)
		return -EWOULDBLOCK;
	ret->lock_fd = TAKE_FD(fd);
	return 0;
}

int state_lock(struct system *sys, unsigned wait_ms, struct state *ret)
{
	const struct timespec pause = { .tv_nsec = 20 * 1000000 };
	double until = now_monotonic() + wait_ms / 1000.0;
	struct state st = STATE_INIT;
	int r;

	while ((r = open_locked(sys, &st)) == -EWOULDBLOCK && now_monotonic() < until)
		nanosleep(&pause, NULL);
	if (r == 0)
		*ret = st;
	return r;
}

void state_unlock(struct system *sys, struct state *st)
{
	if (st->lock_fd < 0)
		return;
	/* fails while a record or a waiting guard is there, as it should */
	sysroot_unlink(&sys->root, LOCK);
	if (sysroot_rmdir(&sys->root, STATE_DIR) == 0 && st->made_run)
		sysroot_rmdir(&sys->root, "/run");
	close_fd(&st->lock_fd);
}

/* "1: FLOCK  ADVISORY  WRITE 4711 00:17:1234 0 EOF": whether it is about this file. */
static bool is_lock_of(const char *line, const struct stat *st)
{
	unsigned long long inode;
	unsigned ma, mi;

	return sscanf(line, "%*s FLOCK %*s %*s %*d %x:%x:%llu", &ma, &mi, &inode) == 3 &&
	       ma == major(st->st_dev) && mi == minor(st->st_dev) && inode == st->st_ino;
}

int state_busy(const struct system *sys)
{
	_cleanup_close_ int fd = sysroot_openat(&sys->root, LOCK, O_PATH | O_NOFOLLOW, 0);
	_cleanup_free_ char *text = NULL;
	char *rest, *line;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	n = sysroot_read_all(&sys->root, "/proc/locks", &text);
	if (n < 0)
		return n;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (is_lock_of(line, &st))
			return 1;
	return 0;
}

static json_t *value_json(const struct value *v)
{
	char text[VALUE_TEXT_MAX];

	if (v->type == VALUE_NONE)
		return json_null();
	if (v->type == VALUE_FREQ)
		return json_sprintf("%" PRIu32, v->khz);
	if (v->type == VALUE_FEATURE)
		return json_pack("{s:b, s:b}", "active", v->feature.active, "requested",
				 v->feature.requested);
	return json_string(value_format(v, text));
}

/* Governors are words once they are in force. */
static enum value_type stored_type(const struct setting *s)
{
	return s->type == VALUE_WORDS ? VALUE_WORD : s->type;
}

static int value_from_json(const struct setting *s, const json_t *j, struct value *ret)
{
	const json_t *active, *requested;
	struct value v;
	int r;

	if (json_is_null(j)) {
		*ret = (struct value) { 0 };
		return 0;
	}
	if (s->type == VALUE_FEATURE) {
		active = json_object_get(j, "active");
		requested = json_object_get(j, "requested");
		if (!json_is_boolean(active) || !json_is_boolean(requested))
			return -EBADMSG;
		*ret = value_feature(json_is_true(active), json_is_true(requested));
		return 0;
	}
	if (!json_is_string(j))
		return -EBADMSG;
	if (s->type == VALUE_TEMP || s->type == VALUE_FREQ) {
		/* as in sysfs: without a unit, 0 too */
		char *end;
		long long n = strtoll(json_string_value(j), &end, 10);

		if (*end || n < INT32_MIN ||
		    n > (s->type == VALUE_FREQ ? UINT32_MAX : INT32_MAX))
			return -EBADMSG;
		*ret = s->type == VALUE_FREQ ? value_freq(n) : value_temp(n);
		return 0;
	}
	if (s->type == VALUE_LINE && !*json_string_value(j)) {
		*ret = value_line(""); /* a kernel has it, no profile asks for it */
		return 0;
	}
	r = value_parse(stored_type(s), json_string_value(j), &v);
	if (r < 0)
		return -EBADMSG;
	*ret = v;
	return 0;
}

static const struct {
	const char *name;
	size_t offset;
} change_flags[] = {
	{ "optional", offsetof(struct change, optional) },
	{ "side", offsetof(struct change, side) },
	{ "current", offsetof(struct change, current) },
};

/* What is false, 0 or as it was originally is left out: most of it is. */
static json_t *change_json(const struct change *c)
{
	char key[VALUE_WORD_MAX + 32];
	json_t *j = json_object();
	int r;

	snprintf(key, sizeof(key), "%s.%s", c->setting->section, change_key(c));
	r = json_object_set_new(j, "key", json_string(key));
	r |= json_object_set_new(j, "section", json_string(c->section));
	r |= json_object_set_new(j, "target", json_string(c->target.name));
	r |= json_object_set_new(j, "path", json_string(c->target.path));
	if (c->target.ifindex)
		r |= json_object_set_new(j, "ifindex", json_integer(c->target.ifindex));
	for (size_t i = 0; i < ARRAY_SIZE(change_flags); i++)
		if (*(const bool *)((const char *)c + change_flags[i].offset))
			r |= json_object_set_new(j, change_flags[i].name, json_true());
	r |= json_object_set_new(j, "original", value_json(&c->original));
	if (!value_equal(&c->before, &c->original))
		r |= json_object_set_new(j, "before", value_json(&c->before));
	if (c->now.type != VALUE_NONE)
		r |= json_object_set_new(j, "now", value_json(&c->now));
	if (c->asked.type != VALUE_NONE)
		r |= json_object_set_new(j, "asked", value_json(&c->asked));
	if (r == 0)
		return j;
	json_decref(j);
	return NULL;
}

static const struct setting *setting_from_key(const char *text)
{
	_cleanup_free_ char *section = strdup(text);
	char *dot = section ? strchr(section, '.') : NULL;

	if (!dot)
		return NULL;
	*dot = '\0';
	return registry_find(section, dot + 1);
}

/* Paths in a record are written to by root: only where its setting lives. */
static bool path_allowed(const struct setting *s, const char *path)
{
	const char *root = streq(s->section, "sysctl")		? "/proc/sys/"
			   : s->attr && streq(s->attr, "smp_affinity") ? "irq:"
								: "/sys/";

	for (const char *at = path; (at = strstr(at, "/.")); at++)
		if (streq(at, "/.") || streq(at, "/..") || str_after(at, "/./") ||
		    str_after(at, "/../"))
			return false;
	return str_after(path, root) && strlen(path) < SYSROOT_PATH_MAX - 64;
}

static int change_from_json(json_t *j, struct plan *plan)
{
	int optional = false, side = false, current = false, ifindex = 0;
	json_t *original, *before = NULL, *now = NULL, *asked = NULL;
	const char *key, *section, *target, *path;
	const struct setting *s;
	struct change *c;

	if (json_unpack(j, "{s:s, s:s, s:s, s:s, s?i, s?b, s?b, s?b, s:o, s?o, s?o, s?o}",
			"key", &key, "section", &section, "target", &target, "path",
			&path, "ifindex", &ifindex, "optional", &optional, "side", &side,
			"current", &current, "original", &original, "before", &before,
			"now", &now, "asked", &asked) < 0)
		return -EBADMSG;
	s = setting_from_key(key);
	if (!s || !s->get || s->group || !path_allowed(s, path) ||
	    strstr(target, ".."))
		return -EBADMSG;
	c = plan_add(plan);
	if (!c)
		return -ENOMEM;
	c->setting = s;
	c->section = strdup(section);
	c->target.name = strdup(target);
	c->target.path = strdup(path);
	if (!c->section || !c->target.name || !c->target.path)
		return -ENOMEM;
	c->target.ifindex = ifindex;
	c->optional = optional;
	c->side = side;
	c->current = current;
	if (value_from_json(s, original, &c->original) < 0 ||
	    value_from_json(s, before ? before : original, &c->before) < 0 ||
	    (now && value_from_json(s, now, &c->now) < 0) ||
	    (asked && value_from_json(s, asked, &c->asked) < 0))
		return -EBADMSG;
	return 0;
}

static int broken(char **ret_text, char *text)
{
	*ret_text = text;
	return text ? -EBADMSG : -ENOMEM;
}

static int record_from_json(json_t *root, struct record *rec, char **ret_text)
{
	json_t *changes = json_object_get(root, "changes"), *item;
	const char *profile, *before;
	int schema, applying, made_run, r;
	size_t i;

	if (json_unpack(root, "{s:i}", "schema", &schema) < 0)
		return broken(ret_text, str_format(_("not an undo record")));
	if (schema != STATE_SCHEMA)
		return broken(ret_text,
			      str_format(_("undo record of version %d; this boardtune "
					   "reads version %d"),
					 schema, STATE_SCHEMA));
	if (json_unpack(root, "{s:s, s:s, s:b, s:b}", "profile", &profile,
			"profile_before", &before, "applying", &applying, "made_run",
			&made_run) < 0 ||
	    !json_is_array(changes))
		return broken(ret_text, str_format(_("not an undo record")));
	rec->profile = strdup(profile);
	rec->profile_before = strdup(before);
	rec->applying = applying;
	rec->made_run = made_run;
	if (!rec->profile || !rec->profile_before)
		return -ENOMEM;
	json_array_foreach(changes, i, item)
	{
		r = change_from_json(item, &rec->plan);
		if (r == -EBADMSG)
			return broken(ret_text,
				      str_format(_("change %zu is not valid"), i + 1));
		if (r < 0)
			return r;
	}
	return 0;
}

int state_load(struct system *sys, struct record *ret, char **ret_text)
{
	struct record rec = { 0 };
	_cleanup_free_ char *text = NULL;
	json_error_t error;
	json_t *root;
	ssize_t n;
	int r;

	*ret_text = NULL;
	n = sysroot_read_file(&sys->root, RECORD, O_NOFOLLOW, &text);
	if (n == -ENOENT) {
		*ret = rec;
		return 0;
	}
	if (n < 0)
		return n;
	if ((size_t)n > RECORD_SIZE_MAX)
		return broken(ret_text, str_format(_("undo record larger than 8 MiB")));
	root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		return broken(ret_text,
			      str_format(_("line %d: %s"), error.line, error.text));
	r = record_from_json(root, &rec, ret_text);
	json_decref(root);
	if (r < 0)
		record_clear(&rec);
	else
		*ret = rec;
	return r;
}

void record_clear(struct record *rec)
{
	plan_clear(&rec->plan);
	free(rec->profile);
	free(rec->profile_before);
	*rec = (struct record) { 0 };
}

static const char *text_or_empty(const char *s)
{
	return s ? s : "";
}

int state_save(struct system *sys, const struct record *rec)
{
	_cleanup_free_ char *text = NULL;
	json_t *root, *changes;
	int r;

	changes = json_array();
	for (size_t i = 0; i < rec->plan.n; i++)
		if (!rec->plan.changes[i].drop &&
		    json_array_append_new(changes, change_json(&rec->plan.changes[i])) <
			    0) {
			json_decref(changes);
			return -ENOMEM;
		}
	if (json_array_size(changes) == 0 && !text_or_empty(rec->profile)[0]) {
		json_decref(changes);
		(void)sysroot_unlink(&sys->root, STATE_DIR "/.undo.json.new");
		r = sysroot_unlink(&sys->root, RECORD);
		return r == -ENOENT ? 0 : r;
	}
	root = json_pack("{s:i, s:s, s:s, s:b, s:b, s:o}", "schema", STATE_SCHEMA,
			 "profile", text_or_empty(rec->profile), "profile_before",
			 text_or_empty(rec->profile_before), "applying", rec->applying,
			 "made_run", rec->made_run, "changes", changes);
	if (root)
		text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	if (!text)
		return -ENOMEM;
	if (strlen(text) > RECORD_SIZE_MAX)
		return -EFBIG; /* could not be read again */
	return sysroot_replace(&sys->root, RECORD, text, strlen(text), 0644);
}

/* What two targets are compared by: an interface's own name is one that changes. */
struct identity {
	int ifindex;
	const char *path;  /* all of it, or up to the interface's name */
	size_t n;
	const char *below; /* its queue or its thread */
};

static struct identity target_identity(const struct target *t)
{
	const char *below, *name;

	if (!t->ifindex || t->path[0] != '/')
		return (struct identity) { t->ifindex, t->path, strlen(t->path), "" };
	name = below = steering_below_nic(t->path);
	while (name > t->path && name[-1] != '/')
		name--;
	return (struct identity) { t->ifindex, t->path, (size_t)(name - t->path), below };
}

static bool same_identity(const struct identity *a, const struct identity *b)
{
	return a->n == b->n && strncmp(a->path, b->path, a->n) == 0 &&
	       streq(a->below, b->below);
}

struct change *record_find(const struct record *rec, const struct change *like)
{
	struct identity wanted, is;

	if (!like->target.path)
		return NULL;
	wanted = target_identity(&like->target);
	for (size_t i = 0; i < rec->plan.n; i++) {
		struct change *c = &rec->plan.changes[i];

		if (c->setting != like->setting || c->target.ifindex != wanted.ifindex)
			continue;
		is = target_identity(&c->target);
		if (same_identity(&is, &wanted))
			return c;
	}
	return NULL;
}
