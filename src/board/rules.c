// SPDX-License-Identifier: GPL-2.0-or-later
// rules.c - reads and writes of a recorded board, by its rules
#include "board/rules.h"

#include <fcntl.h>
#include <limits.h>

#include "board/bitmap.h"
#include "board/tree.h"

#define CPU_DIR "/sys/devices/system/cpu/"

static const struct record_rule *find_rule(const struct rules *rules,
					   enum record_rule_kind kind, const char *path)
{
	for (size_t i = 0; i < rules->record->n_rules; i++) {
		const struct record_rule *rule = &rules->record->rules[i];

		if (rule->kind == kind && streq(rule->path, path))
			return rule;
	}
	return NULL;
}

/* ---- what is there ---- */

static bool condition_holds(const struct rules *rules, const struct record_rule *rule)
{
	char value[256];

	return sysroot_read(&rules->raw, rule->other, value, sizeof(value)) >= 0 &&
	       streq(value, rule->words[0]);
}

/* Several rules with one prefix: it is there while any of them holds. */
static bool prefix_there(const struct rules *rules, const char *prefix)
{
	for (size_t i = 0; i < rules->record->n_rules; i++) {
		const struct record_rule *rule = &rules->record->rules[i];

		if (rule->kind == RULE_EXISTS && streq(rule->path, prefix) &&
		    condition_holds(rules, rule))
			return true;
	}
	return false;
}

bool rules_hidden(const struct rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->record->n_rules; i++) {
		const struct record_rule *rule = &rules->record->rules[i];

		if (rule->kind == RULE_EXISTS && str_after(path, rule->path) &&
		    !prefix_there(rules, rule->path))
			return true;
	}
	return false;
}

static bool hook_hidden(void *ctx, const char *path)
{
	return rules_hidden(ctx, path);
}

static int hook_mode(void *ctx, const char *path)
{
	const struct rules *rules = ctx;

	for (size_t i = 0; i < rules->record->n_lines; i++) {
		const struct record_line *line = &rules->record->lines[i];

		if (line->kind == RECORD_MODE && streq(line->path, path))
			return (int)line->mode;
	}
	return -1;
}

/* ---- reading ---- */

static struct rules_delay *find_delay(const struct rules *rules, const char *path,
				      unsigned *ret_ms)
{
	const struct record_rule *rule = find_rule(rules, RULE_DELAY, path);

	if (!rule)
		return NULL;
	*ret_ms = rule->count;
	return &rules->delays[rule - rules->record->rules];
}

/* sysfs asks for a read bit even of root (kernfs_fop_open, 6.1). */
static int hook_read(void *ctx, const char *path, char *buf, size_t size)
{
	struct rules *rules = ctx;
	const struct record_rule *rule = find_rule(rules, RULE_UNREADABLE, path);
	struct rules_delay *delay;
	int mode = hook_mode(ctx, path);
	unsigned ms;

	if (mode >= 0 && !(mode & 0444))
		return -EACCES;
	if (rule)
		return -rule->error;
	delay = find_delay(rules, path, &ms);
	if (!delay || !delay->old || now_monotonic() >= delay->until)
		return 0;
	if (strlen(delay->old) >= size)
		return -EFBIG;
	strcpy(buf, delay->old);
	return 1;
}

/* ---- writing ---- */

/* In place, the length last: never empty in between, and of one inode. */
static int put_bytes(const struct rules *rules, const char *path, const char *data,
		     size_t size)
{
	_cleanup_close_ int fd = -1;
	ssize_t n;

	fd = sysroot_openat(&rules->raw, path, O_WRONLY | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	n = pwrite(fd, data, size, 0);
	if (n < 0)
		return -errno;
	if ((size_t)n != size)
		return -EIO;
	return ftruncate(fd, (off_t)size) < 0 ? -errno : 0;
}

static int put_text(const struct rules *rules, const char *path, const char *text)
{
	size_t n = strlen(text);
	_cleanup_free_ char *line = str_format("%s%s", text,
					       n && text[n - 1] == '\n' ? "" : "\n");

	return line ? put_bytes(rules, path, line, strlen(line)) : -ENOMEM;
}

static int check_accept(const struct record_rule *rule, const char *text)
{
	size_t n = strlen(text);

	n -= n && text[n - 1] == '\n';
	for (size_t i = 0; i < rule->n_words; i++)
		if (strlen(rule->words[i]) == n && memcmp(rule->words[i], text, n) == 0)
			return 0;
	return -EINVAL;
}

static int parse_number(const char *text, int64_t *ret)
{
	long long v;
	char *end;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || end == text || (*end && !streq(end, "\n")))
		return -EINVAL;
	*ret = v;
	return 0;
}

static int read_number(const struct rules *rules, const char *path, int64_t *ret)
{
	char text[64];
	ssize_t n = sysroot_read(&rules->raw, path, text, sizeof(text));

	return n < 0 ? (int)n : parse_number(text, ret);
}

/* Kernels before 5.3 compare what is written, before the driver rounds it. */
static int check_order(const struct rules *rules, const char *path, const char *text)
{
	for (size_t i = 0; i < rules->record->n_rules; i++) {
		const struct record_rule *rule = &rules->record->rules[i];
		int64_t written, other;
		bool is_min;
		int r;

		if (rule->kind != RULE_ORDER)
			continue;
		is_min = streq(path, rule->path);
		if (!is_min && !streq(path, rule->other))
			continue;
		r = parse_number(text, &written);
		if (r == 0)
			r = read_number(rules, is_min ? rule->other : rule->path, &other);
		if (r < 0)
			return r;
		if (is_min ? written > other : written < other)
			return -rule->error;
	}
	return 0;
}

/* down: the largest entry not above @v; up: the smallest not below; else the end. */
static int64_t clamp_number(const struct record_rule *rule, int64_t v)
{
	int64_t low = INT64_MAX, high = INT64_MIN, down = INT64_MIN, up = INT64_MAX;

	for (size_t i = 0; i < rule->n_numbers; i++) {
		int64_t entry = rule->numbers[i];

		low = entry < low ? entry : low;
		high = entry > high ? entry : high;
		if (entry <= v && entry > down)
			down = entry;
		if (entry >= v && entry < up)
			up = entry;
	}
	if (rule->choice == CHOICE_DOWN)
		return v < low ? low : down;
	return v > high ? high : up;
}

static int put_clamped(const struct rules *rules, const struct record_rule *rule,
		       const char *text)
{
	char number[32];
	int64_t v;
	int r = parse_number(text, &v);

	if (r < 0)
		return r;
	snprintf(number, sizeof(number), "%lld\n", (long long)clamp_number(rule, v));
	return put_bytes(rules, rule->path, number, strlen(number));
}

/* ---- CPU sets ---- */

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), n_end = strlen(end);

	return n >= n_end && streq(s + n - n_end, end);
}

/* The mask of an interrupt for its list and the other way round; false: neither. */
static bool affinity_partner(const char *path, char ret[static SYSROOT_PATH_MAX])
{
	size_t n = strlen(path);

	if (ends_in(path, "/smp_affinity") && n + 5 < SYSROOT_PATH_MAX) {
		snprintf(ret, SYSROOT_PATH_MAX, "%s_list", path);
		return true;
	}
	if (ends_in(path, "/smp_affinity_list")) {
		snprintf(ret, SYSROOT_PATH_MAX, "%.*s", (int)n - 5, path);
		return true;
	}
	return false;
}

static bool is_follow_source(const struct rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->record->n_rules; i++)
		if (rules->record->rules[i].kind == RULE_FOLLOW &&
		    streq(rules->record->rules[i].other, path))
			return true;
	return false;
}

/* nr_cpu_ids: what a rule says, else the possible CPUs, else the digits of the mask. */
static unsigned count_cpus(const struct rules *rules, const char *path,
			   const char *partner)
{
	static const char *const lists[] = { CPU_DIR "possible", CPU_DIR "present",
					     CPU_DIR "online" };
	const struct record_rule *rule = find_rule(rules, RULE_BITMAP, path);
	_cleanup_free_ struct bitmap *b = malloc(sizeof(*b));
	char text[BITMAP_TEXT_MAX];
	unsigned digits = 0;

	if (!rule && *partner)
		rule = find_rule(rules, RULE_BITMAP, partner);
	if (rule)
		return rule->count;
	for (size_t i = 0; b && i < ARRAY_SIZE(lists); i++)
		if (sysroot_read(&rules->raw, lists[i], text, sizeof(text)) > 0 &&
		    bitmap_parse_list(text, RECORD_CPUS_MAX, b) == 0)
			for (unsigned n = RECORD_CPUS_MAX; n; n--)
				if (bitmap_test(b, n - 1))
					return n;
	if (sysroot_read(&rules->raw, ends_in(path, "_list") ? partner : path, text,
			 sizeof(text)) > 0)
		for (const char *c = text; *c; c++)
			digits += *c != ',';
	return digits && digits <= RECORD_CPUS_MAX / 4 ? digits * 4 : 32;
}

/* An interrupt needs a CPU that is online (irq_affinity_proc write, 6.1). */
static int check_online(const struct rules *rules, const struct bitmap *set)
{
	struct bitmap online;
	char text[BITMAP_TEXT_MAX];

	if (sysroot_read(&rules->raw, CPU_DIR "online", text, sizeof(text)) > 0 &&
	    bitmap_parse_list(text, RECORD_CPUS_MAX, &online) == 0)
		return bitmap_intersects(set, &online) ? 0 : -EINVAL;
	return bitmap_first(set) >= 0 ? 0 : -EINVAL;
}

static int put_set(const struct rules *rules, const char *path, const struct bitmap *set,
		   bool as_list)
{
	char text[BITMAP_LIST_MAX];

	if (as_list)
		bitmap_format_list(set, text);
	else
		bitmap_format_mask(set, text);
	return put_bytes(rules, path, text, strlen(text));
}

static int put_first(const struct rules *rules, const char *path,
		     const struct bitmap *set)
{
	char text[16] = "\n";
	int first = bitmap_first(set);

	if (first >= 0)
		snprintf(text, sizeof(text), "%d\n", first);
	return put_bytes(rules, path, text, strlen(text));
}

/* Files that show what becomes of a set: effective_affinity_list. */
static int put_followers(const struct rules *rules, const char *source,
			 const struct bitmap *set)
{
	for (size_t i = 0; i < rules->record->n_rules; i++) {
		const struct record_rule *rule = &rules->record->rules[i];
		int r;

		if (rule->kind != RULE_FOLLOW || !streq(rule->other, source))
			continue;
		if (rule->choice == CHOICE_FIRST)
			r = put_first(rules, rule->path, set);
		else
			r = put_set(rules, rule->path, set, rule->choice == CHOICE_LIST);
		if (r < 0 && r != -ENOENT)
			return r;
	}
	return 0;
}

static int write_set(const struct rules *rules, const char *path, const char *text,
		     const char *partner)
{
	_cleanup_free_ struct bitmap *set = malloc(sizeof(*set));
	bool is_list = ends_in(path, "_list");
	unsigned n = count_cpus(rules, path, partner);
	int r;

	if (!set)
		return -ENOMEM;
	r = is_list ? bitmap_parse_list(text, n, set) : bitmap_parse_mask(text, n, set);
	if (r == 0 && *partner)
		r = check_online(rules, set);
	if (r == 0)
		r = put_set(rules, path, set, is_list);
	if (r == 0)
		r = put_followers(rules, path, set);
	if (r < 0 || !*partner)
		return r;
	r = put_set(rules, partner, set, !is_list);
	if (r == 0 || r == -ENOENT)
		r = put_followers(rules, partner, set);
	return r;
}

/* ---- a write and what follows from it ---- */

static int write_value(const struct rules *rules, const char *path, const char *text)
{
	const struct record_rule *rule;
	char partner[SYSROOT_PATH_MAX] = "";
	int r;

	rule = find_rule(rules, RULE_REFUSE, path);
	if (rule)
		return -rule->error;
	rule = find_rule(rules, RULE_ACCEPT, path);
	r = rule ? check_accept(rule, text) : 0;
	if (r == 0)
		r = check_order(rules, path, text);
	if (r < 0)
		return r;
	if (affinity_partner(path, partner) || is_follow_source(rules, path) ||
	    find_rule(rules, RULE_BITMAP, path))
		return write_set(rules, path, text, partner);
	rule = find_rule(rules, RULE_CLAMP, path);
	return rule ? put_clamped(rules, rule, text) : put_text(rules, path, text);
}

/* Put back what begins with @path, or is just it. */
static int put_back(const struct rules *rules, const char *path, bool is_prefix)
{
	for (size_t i = 0; i < rules->n_originals; i++) {
		const struct rules_original *file = &rules->originals[i];
		int r;

		if (is_prefix ? !str_after(file->path, path) : !streq(file->path, path))
			continue;
		r = put_bytes(rules, file->path, file->data, file->size);
		if (r < 0)
			return r;
	}
	return 0;
}

static void note_there(const struct rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->record->n_rules; i++) {
		const struct record_rule *rule = &rules->record->rules[i];

		if (rule->kind == RULE_EXISTS && streq(rule->other, path))
			rules->was_there[i] = prefix_there(rules, rule->path);
	}
}

static int write_effects(const struct rules *rules, const char *path)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < rules->record->n_rules; i++) {
		const struct record_rule *rule = &rules->record->rules[i];

		if (rule->kind == RULE_RESET && streq(rule->path, path))
			for (size_t k = 0; r == 0 && k < rule->n_words; k++)
				r = put_back(rules, rule->words[k], false);
		if (rule->kind == RULE_EXISTS && streq(rule->other, path) &&
		    !rules->was_there[i] && prefix_there(rules, rule->path))
			r = put_back(rules, rule->path, true);
	}
	return r;
}

static int write_delayed(struct rules *rules, const char *path, const char *text)
{
	_cleanup_free_ char *old = NULL;
	struct rules_delay *delay;
	unsigned ms = 0;
	double now = now_monotonic();
	ssize_t n;
	int r;

	delay = find_delay(rules, path, &ms);
	if (delay) {
		n = sysroot_read_all(&rules->raw, path, &old);
		if (n < 0)
			return (int)n;
	}
	r = write_value(rules, path, text);
	if (r < 0 || !delay)
		return r;
	if (!delay->old || now >= delay->until) {
		free(delay->old);
		delay->old = TAKE_PTR(old);
	}
	delay->until = now_monotonic() + ms / 1000.0;
	return 0;
}

static int hook_write(void *ctx, const char *path, const char *text)
{
	struct rules *rules = ctx;
	int r, logged;

	note_there(rules, path);
	r = write_delayed(rules, path, text);
	logged = record_log_add(rules->log, path, text, r);
	if (r == 0)
		r = write_effects(rules, path);
	return r < 0 ? r : logged;
}

const struct sysroot_hooks rules_hooks = {
	.read = hook_read,
	.write = hook_write,
	.hidden = hook_hidden,
	.mode = hook_mode,
};

const struct sysroot_hooks rules_hooks_none = {
	.write = hook_write,
	.mode = hook_mode,
};

int rules_ethtool_error(const struct rules *rules, const char *ifname, const char *group,
			const char *name)
{
	for (size_t i = 0; i < rules->record->n_rules; i++) {
		const struct record_rule *rule = &rules->record->rules[i];
		const char *rest;

		if (rule->kind != RULE_REFUSE_ETHTOOL || !streq(rule->path, ifname))
			continue;
		rest = str_after(rule->other, group);
		if (rest && *rest == ' ' && streq(rest + 1, name))
			return -rule->error;
	}
	return 0;
}
