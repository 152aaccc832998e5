// SPDX-License-Identifier: GPL-2.0-or-later
// profile.c - a profile with its includes and drop-ins, merged and checked
#include "profile/profile.h"

#include "profile/check.h"
#include "profile/quirk.h"
#include "profile/reader.h"
#include "profile/source.h"

#define INCLUDE_DEPTH_MAX 16

/* The files that include each other down to the one being read. */
struct chain {
	const struct chain *outer;
	const struct source *source;
	unsigned depth;
};

struct loader {
	const struct sysroot *root;
	struct profile *profile;
	struct profile_errors *errors;
	size_t errors_max; /* of the file that is merged now */
	struct file_id {
		dev_t dev;
		ino_t ino;
	} *seen; /* n_files of the profile */
};

/* The section of the merged profile, made when it is new. */
static struct profile_section *merge_section(struct profile *p, const char *file,
					     const struct reader_section *rs)
{
	struct profile_section *s;

	for (size_t i = 0; i < p->n_sections; i++)
		if (streq(p->sections[i]->name, rs->name) &&
		    streq(p->sections[i]->label, rs->label))
			return p->sections[i];
	if (array_grow(&p->sections, p->n_sections, sizeof(*p->sections)) < 0)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->name = strdup(rs->name);
	s->label = strdup(rs->label);
	s->file = file;
	s->line = rs->line;
	s->order = p->n_sections;
	p->sections[p->n_sections++] = s;
	return s->name && s->label ? s : NULL;
}

/* Add a checked assignment, or put it in place of that of an earlier layer. */
static int merge_key(struct loader *l, struct assignment *a, const char *key)
{
	bool meta = a->setting->stage == STAGE_NONE;
	struct profile *p = l->profile;
	struct assignment **items = meta ? &p->metas : &p->assignments;
	size_t *n = meta ? &p->n_metas : &p->n_assignments;

	for (size_t i = 0; i < *n; i++) {
		struct assignment *old = &(*items)[i];

		if (old->section != a->section || old->setting != a->setting ||
		    (streq(a->setting->key, "*") && !streq(old->key, a->key)))
			continue;
		if (old->file == a->file)
			profile_error_add(l->errors, a->file, a->line,
					  _("\"%s\" is already set on line %u; expected "
					    "it once"),
					  key, old->line);
		free(old->key);
		free(old->text);
		*old = *a;
		a->key = a->text = NULL;
		return 0;
	}
	if (array_grow(items, *n, sizeof(**items)) < 0)
		return -ENOMEM;
	(*items)[(*n)++] = *a;
	a->key = a->text = NULL;
	return 0;
}

/* Positive: too many errors, the rest of the file is left out. */
static int merge_keys(struct loader *l, const char *file, struct profile_section *section,
		      const struct reader_section *rs)
{
	for (size_t i = 0; i < rs->n_keys; i++) {
		const struct reader_key *k = &rs->keys[i];
		struct assignment a = { .section = section,
					.optional = k->optional,
					.file = file,
					.line = k->line };
		int r;

		if (l->errors->n >= l->errors_max) {
			profile_error_add(l->errors, file, k->line,
					  _("too many errors; the keys from here on are "
					    "not checked"));
			return 1;
		}
		a.setting = check_key(rs, k, file, &a.value, l->errors);
		if (!a.setting)
			continue;
		a.key = strdup(k->key);
		a.text = strdup(k->value);
		r = a.key && a.text ? merge_key(l, &a, k->key) : -ENOMEM;
		free(a.key);
		free(a.text);
		if (r < 0)
			return r;
	}
	return 0;
}

static int merge_file(struct loader *l, const char *file, const struct reader_file *rf)
{
	l->errors_max = l->errors->n + READER_ERRORS_MAX;
	for (size_t i = 0; i < rf->n_sections; i++) {
		const struct reader_section *rs = &rf->sections[i];
		struct profile_section *section;
		int r;

		if (!check_section(rs, file, l->errors))
			continue;
		section = merge_section(l->profile, file, rs);
		r = section ? merge_keys(l, file, section, rs) : -ENOMEM;
		if (r)
			return r < 0 ? r : 0;
	}
	return 0;
}

static int load_source(struct loader *l, const struct source *s,
		       const struct chain *outer);
static int load_dropins(struct loader *l, const char *name, const struct chain *outer);

/* "a.ini includes b.ini includes a.ini" */
static int add_loop_error(struct loader *l, const struct chain *inner,
			  const struct source *again, unsigned line)
{
	_cleanup_free_ char *text = strdup(again->path);

	for (const struct chain *c = inner; c && text; c = c->outer) {
		char *longer = str_format(_("%s includes %s"), c->source->path, text);

		free(text);
		text = longer;
		if (c->source->dev == again->dev && c->source->ino == again->ino)
			break;
	}
	if (!text)
		return -ENOMEM;
	profile_error_add(l->errors, inner->source->path, line, _("include loop: %s"),
			  text);
	return 0;
}

static bool in_chain(const struct chain *inner, const struct source *s)
{
	for (const struct chain *c = inner; c; c = c->outer)
		if (c->source->dev == s->dev && c->source->ino == s->ino)
			return true;
	return false;
}

/* One name of an include: beside the caller's file, else in the profile directories. */
static int load_include(struct loader *l, const struct chain *inner, const char *name,
			unsigned line)
{
	_cleanup_(source_clear) struct source s = { 0 };
	const struct source *from = inner->source;
	char quoted[READER_QUOTE_MAX];
	int r = -ENOENT;

	reader_quote(name, strlen(name), quoted);
	if (!source_name_valid(name)) {
		profile_error_add(l->errors, from->path, line,
				  _("include \"%s\"; expected the name of a profile, "
				    "without directory and .ini"),
				  quoted);
		return 0;
	}
	if (from->caller)
		r = source_beside(from->path, name, &s, l->errors);
	if (r == -ENOENT)
		r = source_find(l->root, name, &s, l->errors);
	if (r == -ENOENT)
		profile_error_add(l->errors, from->path, line,
				  _("include \"%s\": no such profile in %s or %s"),
				  quoted, SOURCE_LOCAL_DIR, SOURCE_VENDOR_DIR);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	if (in_chain(inner, &s))
		return add_loop_error(l, inner, &s, line);
	if (inner->depth == INCLUDE_DEPTH_MAX) {
		profile_error_add(l->errors, from->path, line,
				  _("include \"%s\" nests deeper than %d"), quoted,
				  INCLUDE_DEPTH_MAX);
		return 0;
	}
	r = load_source(l, &s, inner);
	return r == 0 && !s.caller ? load_dropins(l, name, inner) : r;
}

static int load_includes(struct loader *l, const struct chain *inner,
			 const struct reader_file *rf)
{
	for (size_t i = 0; i < rf->n_sections; i++) {
		const struct reader_section *rs = &rf->sections[i];

		for (size_t k = 0; k < rs->n_keys && streq(rs->name, "main"); k++) {
			char *rest = rs->keys[k].value, *name;
			_cleanup_free_ char *copy = NULL;
			int r = 0;

			if (!streq(rs->keys[k].key, "include"))
				continue;
			rest = copy = strdup(rest);
			if (!copy)
				return -ENOMEM;
			while (r == 0 && (name = strsep(&rest, " \t")))
				if (*name)
					r = load_include(l, inner, name,
							 rs->keys[k].line);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Positive: was read before. */
static int note_file(struct loader *l, const struct source *s)
{
	struct profile *p = l->profile;
	size_t n = p->n_files;

	for (size_t i = 0; i < n; i++)
		if (l->seen[i].dev == s->dev && l->seen[i].ino == s->ino)
			return 1;
	if (array_grow(&l->seen, n, sizeof(*l->seen)) < 0 ||
	    array_grow(&p->files, n, sizeof(*p->files)) < 0)
		return -ENOMEM;
	l->seen[n] = (struct file_id){ s->dev, s->ino };
	p->files[n] = strdup(s->path);
	if (!p->files[n])
		return -ENOMEM;
	p->n_files++;
	return 0;
}

/* Whether it is a board's file: by its first line that is no comment. */
static bool is_recording(const struct source *s)
{
	const char *line = s->text, *end = s->text + s->size;

	while (line < end && (*line == '#' || *line == '\n')) {
		const char *next = memchr(line, '\n', end - line);

		line = next ? next + 1 : end;
	}
	return line < end && (*line == '/' || *line == '@' || *line == '!');
}

static int load_source(struct loader *l, const struct source *s,
		       const struct chain *outer)
{
	struct chain inner = { outer, s, outer ? outer->depth + 1 : 0 };
	_cleanup_(reader_file_clear) struct reader_file rf = { 0 };
	const char *file;
	int r = note_file(l, s);

	if (r)
		return r < 0 ? r : 0;
	file = l->profile->files[l->profile->n_files - 1];
	if (is_recording(s)) {
		profile_error_add(l->errors, file, 0,
				  _("a recorded board, no profile; it goes with "
				    "--board"));
		return 0;
	}
	r = reader_parse(file, s->text, s->size, &rf, l->errors);
	if (r == 0)
		r = load_includes(l, &inner, &rf);
	return r < 0 ? r : merge_file(l, file, &rf);
}

static int load_dropins(struct loader *l, const char *name, const struct chain *outer)
{
	_cleanup_list_ char **paths = NULL;
	ssize_t n = source_list_dropins(l->root, name, &paths, l->errors);

	if (n < 0)
		return n == -ENOMEM ? n : 0;
	for (ssize_t i = 0; i < n; i++) {
		_cleanup_(source_clear) struct source s = { 0 };
		int r = source_read(l->root, paths[i], false, &s, l->errors);

		if (r == 0)
			r = load_source(l, &s, outer);
		if (r == -ENOMEM)
			return r;
	}
	return 0;
}

/* Sections that say by match keys what they are about. */
static bool has_matches(const struct profile_section *s)
{
	return streq(s->name, "net") || streq(s->name, "irq");
}

/* The match keys of a section, beside their assignments: for profile_selector(). */
static int collect_matches(struct profile *p)
{
	for (size_t i = 0; i < p->n_metas; i++) {
		const struct assignment *a = &p->metas[i];
		struct profile_section *s = a->section;
		size_t n = s->n_matches;

		if (!has_matches(s))
			continue;
		if (array_grow(&s->match_keys, n, sizeof(char *)) < 0 ||
		    array_grow(&s->match_patterns, n, sizeof(char *)) < 0)
			return -ENOMEM;
		s->match_keys[n] = strdup(a->setting->key);
		s->match_patterns[n] = strdup(a->text);
		s->n_matches++;
		if (!s->match_keys[n] || !s->match_patterns[n])
			return -ENOMEM;
	}
	return 0;
}

static void check_matches(struct loader *l)
{
	for (size_t i = 0; i < l->profile->n_sections; i++) {
		const struct profile_section *s = l->profile->sections[i];
		char quoted[READER_QUOTE_MAX];

		if (!has_matches(s) || s->n_matches)
			continue;
		profile_error_add(l->errors, s->file, s->line,
				  streq(s->name, "irq")
					  ? _("[irq:%s] has no match key; expected Name")
					  : _("[net:%s] has no match key; expected Name, "
					      "Driver, Path, MACAddress, Type or Bus"),
				  reader_quote(s->label, strlen(s->label), quoted));
	}
}

static size_t file_rank(const struct profile *p, const char *file)
{
	size_t i;

	for (i = 0; i < p->n_files; i++)
		if (file && streq(p->files[i], file))
			break;
	return i;
}

static int compare_errors(const void *a, const void *b, void *ctx)
{
	const struct profile_error *x = a, *y = b;
	size_t i = file_rank(ctx, x->file), k = file_rank(ctx, y->file);

	if (i != k)
		return i < k ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void add_not_found_error(const struct sysroot *root, const char *name,
				struct profile_errors *errors)
{
	struct profile_entry *entries = NULL;
	ssize_t n = profile_list(root, &entries);
	const char *nearest = NULL;
	unsigned best = 1 + strlen(name) / 3, d;

	for (ssize_t i = 0; i < n; i++) {
		d = str_distance(name, entries[i].name);
		if (d > best)
			continue;
		best = d;
		nearest = entries[i].name;
	}
	if (source_name_is_file(name))
		profile_error_add(errors, name, 0, "%s", strerror(ENOENT));
	else if (nearest)
		profile_error_add(errors, name, 0, _("no such profile; did you mean %s?"),
				  nearest);
	else if (!root->live)
		profile_error_add(errors, name, 0,
				  _("no such profile: with --board, --sysroot and --root "
				    "names are looked up inside the board or directory, "
				    "in %s and %s; put it there, or give a file: "
				    "data/profiles/%s.ini or ./%s.ini"),
				  SOURCE_LOCAL_DIR, SOURCE_VENDOR_DIR, name, name);
	else
		profile_error_add(errors, name, 0,
				  _("no such profile in %s or %s; \"boardtune list\" "
				    "shows those there are, a file is given as ./%s.ini"),
				  SOURCE_LOCAL_DIR, SOURCE_VENDOR_DIR, name);
	if (n >= 0)
		profile_list_free(entries, n);
}

/* Everything that the profile consists of. @errors has what is wrong with it. */
static int load_all(struct loader *l, const char *name)
{
	_cleanup_(source_clear) struct source s = { 0 };
	bool caller = source_name_is_file(name);
	char quoted[READER_QUOTE_MAX];
	int r;

	if (!caller && !source_name_valid(name)) {
		profile_error_add(l->errors, reader_quote(name, strlen(name), quoted), 0,
				  _("expected the name of a profile or a file"));
		return -EBADMSG;
	}
	r = caller ? source_read(l->root, name, true, &s, l->errors)
		   : source_find(l->root, name, &s, l->errors);
	if (r == -ENOENT)
		add_not_found_error(l->root, name, l->errors);
	if (r < 0)
		return r;
	l->profile->path = strdup(s.path);
	if (!l->profile->path)
		return -ENOMEM;
	r = load_source(l, &s, NULL);
	if (r == 0 && !caller)
		r = load_dropins(l, name, NULL);
	if (r == 0)
		r = collect_matches(l->profile);
	if (r == 0)
		check_matches(l);
	return r;
}

bool profile_is_file(const struct profile *p)
{
	return source_name_is_file(p->name);
}

/* The known faults of boards, if the profile wants to avoid them. */
static int load_quirks(struct loader *l)
{
	struct profile *p = l->profile;
	const struct assignment *a = profile_meta(p, "main", "quirks");

	if (!a || !a->value.flag)
		return 0;
	return quirks_load(l->root, profile_is_file(p) ? p->path : NULL, &p->quirks,
			   l->errors);
}

int profile_load(const struct sysroot *root, const char *name, struct profile **ret,
		 struct profile_errors *errors)
{
	_cleanup_(profile_freep) struct profile *p = calloc(1, sizeof(*p));
	struct loader l = { .root = root, .profile = p, .errors = errors };
	size_t before = errors->n;
	int r;

	if (!p)
		return -ENOMEM;
	p->name = strdup(name);
	if (!p->name)
		return -ENOMEM;
	r = load_all(&l, name);
	free(l.seen);
	if (errors->items)
		qsort_r(errors->items + before, errors->n - before,
			sizeof(*errors->items), compare_errors, p);
	if (r == 0)
		r = load_quirks(&l);
	if (r == 0 && errors->n != before)
		r = -EBADMSG;
	if (r == 0)
		*ret = TAKE_PTR(p);
	return r;
}

int profile_load_text(const struct sysroot *root, const char *name, const char *text,
		      size_t size, struct profile **ret, struct profile_errors *errors)
{
	_cleanup_(profile_freep) struct profile *p = calloc(1, sizeof(*p));
	const struct source s = { .path = (char *)name, .text = (char *)text,
				  .size = size };
	struct loader l = { .root = root, .profile = p, .errors = errors };
	size_t before = errors->n;
	int r;

	if (!p)
		return -ENOMEM;
	p->name = strdup(name);
	p->path = strdup(name);
	r = p->name && p->path ? load_source(&l, &s, NULL) : -ENOMEM;
	if (r == 0)
		r = collect_matches(p);
	if (r == 0)
		check_matches(&l);
	free(l.seen);
	if (r == 0 && errors->n != before)
		r = -EBADMSG;
	if (r == 0)
		*ret = TAKE_PTR(p);
	return r;
}

static void assignments_free(struct assignment *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(items[i].key);
		free(items[i].text);
	}
	free(items);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_sections; i++) {
		struct profile_section *s = p->sections[i];

		for (size_t k = 0; k < s->n_matches; k++) {
			free(s->match_keys[k]);
			free(s->match_patterns[k]);
		}
		free(s->match_keys);
		free(s->match_patterns);
		free(s->name);
		free(s->label);
		free(s);
	}
	free(p->sections);
	assignments_free(p->assignments, p->n_assignments);
	assignments_free(p->metas, p->n_metas);
	quirks_free(p->quirks);
	for (size_t i = 0; i < p->n_files; i++)
		free(p->files[i]);
	free(p->files);
	free(p->name);
	free(p->path);
	free(p);
}

const struct assignment *profile_meta(const struct profile *p, const char *section,
				      const char *key)
{
	for (size_t i = 0; i < p->n_metas; i++)
		if (streq(p->metas[i].setting->section, section) &&
		    streq(p->metas[i].setting->key, key))
			return &p->metas[i];
	return NULL;
}

struct selector profile_selector(const struct assignment *a)
{
	const struct profile_section *s = a->section;

	return (struct selector){
		.key = a->key,
		.label = s->label,
		.match_keys = (const char *const *)s->match_keys,
		.match_patterns = (const char *const *)s->match_patterns,
		.n_matches = s->n_matches,
	};
}
