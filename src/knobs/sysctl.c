// SPDX-License-Identifier: GPL-2.0-or-later
// sysctl.c - kernel parameters below /proc/sys
#include "knobs/sysctl.h"

#include <ctype.h>

#define SYSCTL_DIR "/proc/sys/"
#define FLOW_ENTRIES SYSCTL_DIR "net/core/rps_sock_flow_entries"
/* rps_sock_flow_sysctl(): EINVAL above 2^30 (4.4), above 2^29 (6.12) */
#define FLOW_ENTRIES_MAX (1ull << 30)
#define RAW_MAX 4096 /* what the kernel prints: tabs and padding too */

static bool is_part(const char *s, size_t n)
{
	return n && !(n == 1 && s[0] == '.') && !(n == 2 && s[0] == '.' && s[1] == '.');
}

int sysctl_path(const char *key, char ret[static SYSROOT_PATH_MAX])
{
	char path[SYSROOT_PATH_MAX];
	bool swap = key[strcspn(key, "./")] == '.';
	int n = snprintf(path, sizeof(path), SYSCTL_DIR "%s", key);

	if (n < 0 || n >= (int)sizeof(path))
		return -EINVAL;
	for (char *s = path + strlen(SYSCTL_DIR); swap && *s; s++)
		*s = *s == '.' ? '/' : *s == '/' ? '.' : *s;
	for (const char *s = path + strlen(SYSCTL_DIR);; s++) {
		size_t part = strcspn(s, "/");

		if (!is_part(s, part))
			return -EINVAL;
		s += part;
		if (!*s)
			break;
	}
	strcpy(ret, path);
	return 0;
}

int sysctl_each(struct system *sys, const struct setting *s, const struct selector *sel,
		struct target_list *list)
{
	char path[SYSROOT_PATH_MAX];
	int r = sysctl_path(sel->key, path);

	return r < 0 ? r : target_add(list, sel->key, path, 0, 0);
}

/* There are no links below /proc/sys; one in a copy must not lead elsewhere. */
static int check_path(const struct sysroot *root, const char *path)
{
	char real[SYSROOT_PATH_MAX];
	int r = sysroot_realpath(root, path, real);

	if (r < 0)
		return r;
	return str_after(real, SYSCTL_DIR) ? 0 : -ELOOP;
}

/* Words with one blank between them. Returns 0, or -EFBIG if that is longer than @ret. */
static int join_words(const char *text, char ret[static VALUE_WORD_MAX])
{
	size_t n = 0;

	for (const char *s = text; *s; s++) {
		bool gap = isspace((unsigned char)*s);

		if (gap && (n == 0 || ret[n - 1] == ' '))
			continue;
		if (n + 1 >= VALUE_WORD_MAX)
			return -EFBIG;
		ret[n++] = gap ? ' ' : *s;
	}
	n -= n && ret[n - 1] == ' ';
	ret[n] = '\0';
	return 0;
}

/* The next word of a line, NULL at its end. */
static const char *next_word(const char **line, char word[static VALUE_WORD_MAX])
{
	size_t n = strcspn(*line, " ");

	if (n == 0)
		return NULL;
	snprintf(word, VALUE_WORD_MAX, "%.*s", (int)n, *line);
	*line += n + ((*line)[n] == ' ');
	return word;
}

/* Whether a word is one number as the kernel reads it: 0x and octal too. */
static bool is_number(const char *word)
{
	char *end;

	if (!isdigit((unsigned char)word[*word == '-']))
		return false;
	errno = 0;
	strtoull(word + (*word == '-'), &end, 0);
	return !*end && !errno;
}

static bool all_numbers(const char *line)
{
	char word[VALUE_WORD_MAX];

	if (!*line)
		return false;
	while (next_word(&line, word))
		if (!is_number(word))
			return false;
	return true;
}

/* Numbers come back as they were; text only if it is ASCII, as the record's JSON has to
 * be UTF-8, and if its blanks are single ones. */
static bool is_restorable(const char *raw, const char *joined)
{
	if (all_numbers(joined))
		return true;
	for (const char *s = raw; *s; s++)
		if ((unsigned char)*s >= 0x80)
			return false;
	return streq(raw, joined);
}

int sysctl_get(struct system *sys, const struct setting *s, const struct target *t,
	       struct value *ret)
{
	struct value v = { .type = VALUE_LINE };
	char raw[RAW_MAX];
	ssize_t n;
	int r = check_path(&sys->root, t->path);

	if (r < 0)
		return r;
	n = sysroot_read(&sys->root, t->path, raw, sizeof(raw));
	if (n < 0)
		return (int)n;
	r = join_words(raw, v.word);
	if (r == 0 && !is_restorable(raw, v.word))
		r = -EILSEQ;
	if (r == 0)
		*ret = v;
	return r;
}

int sysctl_set(struct system *sys, const struct setting *s, const struct target *t,
	       const struct value *v)
{
	int r = check_path(&sys->root, t->path);

	return r < 0 ? r : sysroot_write(&sys->root, t->path, v->word);
}

/* Whether it is of an interface, as net/ipv4/conf/eth7/rp_filter, that is not there. */
static bool names_no_interface(const struct sysroot *root, const char *path,
			       char ret_name[static 32])
{
	static const char *const dirs[] = { "/conf/", "/neigh/" };
	char dir[SYSROOT_PATH_MAX];

	if (!str_after(path, SYSCTL_DIR "net/"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		const char *at = strstr(path, dirs[i]), *name;
		size_t n;

		if (!at)
			continue;
		name = at + strlen(dirs[i]);
		n = strcspn(name, "/");
		snprintf(ret_name, 32, "%.*s", (int)n, name);
		snprintf(dir, sizeof(dir), "%.*s", (int)(name - path) - 1, path);
		if (!name[n] || !sysroot_exists(root, dir))
			return false;
		snprintf(dir, sizeof(dir), "%.*s", (int)(name + n - path), path);
		return !sysroot_exists(root, dir);
	}
	return false;
}

static void expect_absent(struct system *sys, const struct target *t,
			  struct expectation *ret)
{
	char ifname[32];

	if (names_no_interface(&sys->root, t->path, ifname)) {
		ret->outcome = OUTCOME_MISSING;
		ret->error = -ENODEV;
		snprintf(ret->note, sizeof(ret->note), _("no interface %s"), ifname);
		return;
	}
	ret->outcome = OUTCOME_UNSUPPORTED;
	ret->error = -ENOENT;
	snprintf(ret->note, sizeof(ret->note), "%s",
		 _("this kernel has no such parameter; is it spelt so? its module may "
		   "not be loaded"));
}

/* What cannot be read could not be put back: it is not written at all. */
static int expect_unread(struct system *sys, const struct target *t, int error,
			 struct expectation *ret)
{
	if (error == -ENOENT && strpbrk(t->path, "*?[")) {
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("patterns are not taken here: name each parameter"));
		return -ERANGE;
	}
	if (error == -EISDIR) {
		snprintf(ret->note, sizeof(ret->note), _("%.100s is a directory"),
			 t->path);
		return -ERANGE;
	}
	if (error == -ENOENT || error == -ENOTDIR) {
		expect_absent(sys, t, ret);
		return 0;
	}
	ret->outcome = OUTCOME_REFUSED;
	ret->error = error;
	if (error == -EFBIG)
		snprintf(ret->note, sizeof(ret->note),
			 _("what is there is longer than %d bytes and could not be put "
			   "back"),
			 VALUE_WORD_MAX - 1);
	else
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("it cannot be read, so it could not be put back"));
	return 0;
}

static uint64_t round_up(uint64_t n)
{
	uint64_t power = 1;

	while (power < n)
		power *= 2;
	return n ? power : 0;
}

/*
 * How a line of numbers reads back: in decimal (proc_get_long() takes 0x and octal), and
 * with those at its end that were not written (4.4, 6.12). Returns 0 or -ERANGE.
 */
static int expect_numbers(const char *asked, const char *now, bool power,
			  struct expectation *ret)
{
	struct value v = { .type = VALUE_LINE };
	char word[VALUE_WORD_MAX], rest[VALUE_WORD_MAX];
	size_t used = 0;

	while (next_word(&asked, word)) {
		bool negative = word[0] == '-';
		unsigned long long n = strtoull(word + negative, NULL, 0);

		if (power && n > FLOW_ENTRIES_MAX) {
			snprintf(ret->note, sizeof(ret->note), _("at most %llu flows"),
				 FLOW_ENTRIES_MAX);
			return -ERANGE;
		}
		used += (size_t)snprintf(v.word + used, sizeof(v.word) - used, "%s%s%llu",
					 used ? " " : "", negative ? "-" : "",
					 power ? round_up(n) : n);
		if (used >= sizeof(v.word))
			return 0;
		(void)next_word(&now, rest);
	}
	if (*now)
		snprintf(v.word + used, sizeof(v.word) - used, " %s", now);
	if (streq(v.word, ret->want.word))
		return 0;
	ret->rounded = v;
	if (power)
		snprintf(ret->note, sizeof(ret->note), _("the kernel uses %.100s"),
			 v.word);
	return 0;
}

int sysctl_expect(struct system *sys, const struct setting *s, const struct target *t,
		  const struct value *asked, struct expectation *ret)
{
	struct value now;
	int r;

	*ret = (struct expectation) { .want = *asked, .outcome = OUTCOME_OK };
	r = sysctl_get(sys, s, t, &now);
	if (r < 0)
		return expect_unread(sys, t, r, ret);
	if (all_numbers(now.word) && all_numbers(asked->word))
		r = expect_numbers(asked->word, now.word, streq(t->path, FLOW_ENTRIES),
				   ret);
	if (streq(t->path, "/proc/sys/net/ipv4/ip_forward") ||
	    strstr(t->path, "/conf/all/forwarding"))
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("sets the forwarding of every interface, and so does a "
			   "revert; conf/IF/forwarding does not"));
	if (r < 0 || sysroot_writable(&sys->root, t->path))
		return r;
	ret->fixed = true;
	if (value_equal(&now, asked) || value_equal(&now, &ret->rounded))
		return 0;
	ret->outcome = OUTCOME_FIXED;
	ret->error = -EACCES;
	snprintf(ret->note, sizeof(ret->note), _("read-only, it is %.100s"), now.word);
	return 0;
}
