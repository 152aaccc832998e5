// SPDX-License-Identifier: GPL-2.0-or-later
// quirk.c - reads and checks the files of quirks
#include "profile/quirk.h"

#include "profile/check.h"
#include "profile/quirk-range.h"
#include "profile/registry.h"
#include "profile/source.h"

static bool is_ranges(const char *text)
{
	struct quirk_ranges ranges;

	return quirk_ranges_parse(text, &ranges) == 0;
}

/* "0bda:8153 0bda:815[56]": each word has both halves. */
static bool is_usb_ids(const char *text)
{
	for (const char *s = text + strspn(text, " \t"); *s; s += strspn(s, " \t")) {
		size_t n = strcspn(s, " \t"), half = strcspn(s, ":");

		if (half == 0 || half + 1 >= n)
			return false;
		s += n;
	}
	return true;
}

static bool is_section(const char *text)
{
	return streq(text, "net") || streq(text, "cpufreq");
}

static bool is_avoidable(const char *text)
{
	return streq(text, "statistics");
}

static const struct {
	const char *key;
	bool nic;   /* about an interface */
	bool names; /* says which one */
	bool required;
	bool (*valid)(const char *text);
	const char *expects;
} keys[QUIRK_KEYS] = {
	[QUIRK_COMPATIBLE] = { .key = "compatible" },
	[QUIRK_USB_ID] = { "usb_id", .nic = true, .names = true, .valid = is_usb_ids,
			   .expects = N_("idVendor:idProduct such as 0bda:8153") },
	[QUIRK_FIRMWARE] = { "firmware", .nic = true, .names = true },
	[QUIRK_KERNEL] = { "kernel", .valid = is_ranges,
			   .expects = N_("releases such as <5.7, 5.4-5.9 or >=6.1.160") },
	[QUIRK_MTU] = { "mtu", .nic = true, .valid = is_ranges,
			.expects = N_("numbers such as >1498") },
	[QUIRK_CPUS] = { "cpus", .valid = is_ranges,
			 .expects = N_("numbers such as >1") },
	[QUIRK_REASON] = { "reason", .required = true },
	[QUIRK_SOURCE] = { "source", .required = true },
	[QUIRK_ADVICE] = { .key = "advice" },
	[QUIRK_SECTION] = { "section", .valid = is_section,
			    .expects = N_("net or cpufreq") },
	[QUIRK_AVOID] = { "avoid", .nic = true, .valid = is_avoidable,
			  .expects = "statistics" },
};

const char *quirk_section(const struct quirk *q)
{
	return q->text[QUIRK_SECTION] ? q->text[QUIRK_SECTION] : "net";
}

/* What one file is read into. */
struct loader {
	struct quirk_list *list;
	const char *file;
	struct profile_errors *errors;
};

static enum quirk_key find_key(const char *key)
{
	enum quirk_key k;

	for (k = 0; k < QUIRK_KEYS; k++)
		if (streq(keys[k].key, key))
			break;
	return k;
}

static void add_twice_error(const struct loader *l, const struct reader_section *s,
			    const struct reader_key *k)
{
	unsigned line = 0;

	for (size_t i = s->n_keys; i-- > 0;)
		if (streq(s->keys[i].key, k->key))
			line = s->keys[i].line;
	profile_error_add(l->errors, l->file, k->line,
			  _("\"%s\" is already set on line %u; expected it once"), k->key,
			  line);
}

/* A key of the table. 0 or -ENOMEM. */
static int take_text(struct loader *l, const struct reader_section *s,
		     const struct reader_key *k, enum quirk_key key, struct quirk *q)
{
	char quoted[READER_QUOTE_MAX];

	if (k->optional) {
		profile_error_add(l->errors, l->file, k->line,
				  _("\"-%s\": \"-\" makes a setting optional, and this "
				    "is "
				    "none; expected %s"),
				  k->key, k->key);
	} else if (q->text[key]) {
		add_twice_error(l, s, k);
	} else if (keys[key].valid && !keys[key].valid(k->value)) {
		profile_error_add(l->errors, l->file, k->line,
				  _("%s = \"%s\" is not understood; expected %s"), k->key,
				  reader_quote(k->value, strlen(k->value), quoted),
				  _(keys[key].expects));
	} else {
		q->text[key] = strdup(k->value);
		return q->text[key] ? 0 : -ENOMEM;
	}
	return 0;
}

static int take_match(struct loader *l, const struct reader_section *s,
		      const struct reader_key *k, const struct setting *setting,
		      struct quirk *q)
{
	for (size_t i = 0; i < q->n_matches; i++) {
		if (!streq(q->match_keys[i], setting->key))
			continue;
		add_twice_error(l, s, k);
		return 0;
	}
	/* no more than there are: none is there twice */
	q->match_keys[q->n_matches] = setting->key;
	q->match_patterns[q->n_matches] = strdup(k->value);
	return q->match_patterns[q->n_matches++] ? 0 : -ENOMEM;
}

static int take_setting(struct loader *l, const struct reader_section *s,
			const struct reader_key *k, struct assignment *a, struct quirk *q)
{
	for (size_t i = 0; i < q->n_assignments; i++) {
		if (q->assignments[i].setting != a->setting)
			continue;
		add_twice_error(l, s, k);
		return 0;
	}
	if (array_grow(&q->assignments, q->n_assignments, sizeof(*a)) < 0)
		return -ENOMEM;
	a->key = strdup(k->key);
	a->text = strdup(k->value);
	q->assignments[q->n_assignments++] = *a;
	return a->key && a->text ? 0 : -ENOMEM;
}

/* A match key or a setting, as the section of a profile has them. */
static int take_key(struct loader *l, const struct reader_section *s,
		    const struct reader_key *k, struct quirk *q)
{
	char section[] = "cpufreq"; /* or the shorter "net" */
	const struct reader_section as = { .name = strcpy(section, quirk_section(q)) };
	struct assignment a = { .optional = k->optional,
				.file = l->file,
				.line = k->line };

	for (enum quirk_key i = 0; i < QUIRK_KEYS; i++) {
		if (str_distance(k->key, keys[i].key) != 1 ||
		    registry_find(section, k->key))
			continue;
		profile_error_add(l->errors, l->file, k->line,
				  _("unknown key \"%s\" in [%s]; did you mean %s?"),
				  k->key, s->name, keys[i].key);
		return 0;
	}
	a.setting = check_key(&as, k, l->file, &a.value, l->errors);
	if (!a.setting)
		return 0;
	return a.setting->stage == STAGE_NONE ? take_match(l, s, k, a.setting, q)
					      : take_setting(l, s, k, &a, q);
}

/* Keys that are about an interface, in a quirk that is about none. */
static void check_nic_keys(const struct loader *l, const struct reader_section *s)
{
	for (size_t i = 0; i < s->n_keys; i++) {
		enum quirk_key key = find_key(s->keys[i].key);

		if (key == QUIRK_KEYS || !keys[key].nic)
			continue;
		profile_error_add(l->errors, l->file, s->keys[i].line,
				  _("\"%s\" is about an interface; expected it in a "
				    "quirk with section = net"),
				  keys[key].key);
	}
}

static bool names_nic(const struct quirk *q)
{
	for (enum quirk_key i = 0; i < QUIRK_KEYS; i++)
		if (keys[i].names && q->text[i])
			return true;
	return q->n_matches;
}

/* What belongs to every quirk. @good: every key was understood. */
static void check_whole(const struct loader *l, const struct reader_section *s,
			const struct quirk *q, bool good)
{
	char name[READER_QUOTE_MAX];

	reader_quote(s->label, strlen(s->label), name);
	for (enum quirk_key i = 0; i < QUIRK_KEYS; i++)
		if (keys[i].required && !q->text[i])
			profile_error_add(l->errors, l->file, s->line,
					  _("[quirk:%s] has no %s; expected one"), name,
					  keys[i].key);
	if (good && !q->n_assignments && !q->text[QUIRK_ADVICE])
		profile_error_add(l->errors, l->file, s->line,
				  _("[quirk:%s] has no setting; expected one, or advice"),
				  name);
	if (streq(quirk_section(q), "cpufreq"))
		check_nic_keys(l, s);
	else if (good && !names_nic(q))
		profile_error_add(l->errors, l->file, s->line,
				  _("[quirk:%s] does not say which interface; expected a "
				    "key such as Driver or usb_id"),
				  name);
	for (size_t i = 0; i < l->list->n; i++)
		if (streq(l->list->quirks[i].name, q->name))
			profile_error_add(l->errors, l->file, s->line,
					  _("[quirk:%s] is already at %s:%u"), name,
					  l->list->quirks[i].file,
					  l->list->quirks[i].line);
}

/* First the keys of the table: they say what the others are keys of. */
static int take_keys(struct loader *l, const struct reader_section *s, struct quirk *q)
{
	int r = 0;

	for (size_t i = 0; i < s->n_keys && r == 0; i++)
		if (find_key(s->keys[i].key) != QUIRK_KEYS)
			r = take_text(l, s, &s->keys[i], find_key(s->keys[i].key), q);
	for (size_t i = 0; i < s->n_keys && r == 0; i++)
		if (find_key(s->keys[i].key) == QUIRK_KEYS)
			r = take_key(l, s, &s->keys[i], q);
	return r;
}

static void quirk_clear(struct quirk *q)
{
	free(q->name);
	for (size_t i = 0; i < QUIRK_KEYS; i++)
		free(q->text[i]);
	for (size_t i = 0; i < q->n_matches; i++)
		free(q->match_patterns[i]);
	for (size_t i = 0; i < q->n_assignments; i++) {
		free(q->assignments[i].key);
		free(q->assignments[i].text);
	}
	free(q->assignments);
	*q = (struct quirk) { 0 };
}

static int take_section(struct loader *l, const struct reader_section *s)
{
	_cleanup_(quirk_clear) struct quirk q = { .file = l->file, .line = s->line };
	char name[READER_QUOTE_MAX];
	size_t before = l->errors->n;
	int r;

	if (!streq(s->name, "quirk") || !*s->label) {
		profile_error_add(l->errors, l->file, s->line,
				  _("unknown section [%s%s%s]; expected [quirk:NAME]"),
				  s->name, *s->label ? ":" : "",
				  reader_quote(s->label, strlen(s->label), name));
		return 0;
	}
	q.name = strdup(s->label);
	r = q.name ? take_keys(l, s, &q) : -ENOMEM;
	if (r < 0)
		return r;
	check_whole(l, s, &q, l->errors->n == before);
	if (array_grow(&l->list->quirks, l->list->n, sizeof(q)) < 0)
		return -ENOMEM;
	l->list->quirks[l->list->n++] = q;
	q = (struct quirk) { 0 };
	return 0;
}

int quirks_add(struct quirk_list *list, const char *file, const char *text, size_t size,
	       struct profile_errors *errors)
{
	_cleanup_(reader_file_clear) struct reader_file rf = { 0 };
	struct loader l = { .list = list, .errors = errors };
	size_t first = list->n, before = errors->n;
	int r;

	if (array_grow(&list->files, list->n_files, sizeof(*list->files)) < 0)
		return -ENOMEM;
	l.file = list->files[list->n_files] = strdup(file);
	if (!l.file)
		return -ENOMEM;
	list->n_files++;
	r = reader_parse(l.file, text, size, &rf, errors);
	for (size_t i = 0; i < rf.n_sections && r == 0; i++)
		r = take_section(&l, &rf.sections[i]);
	/* without a condition that was not understood it would hold too often */
	while (errors->n != before && list->n > first)
		quirk_clear(&list->quirks[--list->n]);
	return r;
}

int quirks_load(const struct sysroot *root, const char *profile, struct quirk_list **ret,
		struct profile_errors *errors)
{
	_cleanup_(quirks_freep) struct quirk_list *list = calloc(1, sizeof(*list));
	_cleanup_list_ char **paths = NULL;
	bool caller = false;
	ssize_t n;

	if (!list)
		return -ENOMEM;
	n = source_list_quirks(root, profile, &paths, &caller, errors);
	if (n == -ENOMEM)
		return -ENOMEM;
	for (ssize_t i = 0; i < n; i++) {
		_cleanup_(source_clear) struct source s = { 0 };
		int r = source_read(root, paths[i], caller, &s, errors);

		if (r == 0)
			r = quirks_add(list, s.path, s.text, s.size, errors);
		if (r == -ENOMEM)
			return r;
	}
	*ret = TAKE_PTR(list);
	return 0;
}

void quirks_free(struct quirk_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->n; i++)
		quirk_clear(&list->quirks[i]);
	for (size_t i = 0; i < list->n_files; i++)
		free(list->files[i]);
	free(list->quirks);
	free(list->files);
	free(list);
}
