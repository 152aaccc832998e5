// SPDX-License-Identifier: GPL-2.0-or-later
// list.c - the profiles there are
#include "profile/reader.h"
#include "profile/source.h"

/* The summary as the file itself has it; "" if it does not parse. */
static char *read_summary(const struct source *s)
{
	_cleanup_(reader_file_clear) struct reader_file rf = { 0 };
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	const char *summary = "";

	if (reader_parse(s->path, s->text, s->size, &rf, &errors) < 0)
		return NULL;
	for (size_t i = 0; i < rf.n_sections && errors.n == 0; i++)
		for (size_t k = 0; k < rf.sections[i].n_keys; k++)
			if (streq(rf.sections[i].name, "main") &&
			    streq(rf.sections[i].keys[k].key, "summary"))
				summary = rf.sections[i].keys[k].value;
	return strdup(summary);
}

static int read_entry(const struct sysroot *root, const char *path,
		      struct profile_entry *e)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(source_clear) struct source s = { 0 };
	int r = source_read(root, path, false, &s, &errors);

	if (r == -ENOMEM)
		return r;
	e->path = r == 0 ? strdup(s.path) : str_format("%s%s", root->prefix, path);
	e->summary = r == 0 ? read_summary(&s) : strdup("");
	return e->path && e->summary ? 0 : -ENOMEM;
}

static bool has_entry(const struct profile_entry *entries, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(entries[i].name, name))
			return true;
	return false;
}

/* Append the profiles of a directory that those of an earlier one do not hide. */
static int add_entries(const struct sysroot *root, const char *dir, bool local,
		       struct profile_entry **entries, size_t *n_entries)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(root, dir, &names);

	if (n < 0)
		return n == -ENOENT ? 0 : n;
	for (ssize_t i = 0; i < n; i++) {
		_cleanup_free_ char *path = str_format("%s/%s", dir, names[i]);
		struct profile_entry e = { .local = local };
		size_t length = strlen(names[i]);

		if (!path)
			return -ENOMEM;
		if (length <= 4 || !streq(names[i] + length - 4, ".ini"))
			continue;
		names[i][length - 4] = '\0';
		if (!source_name_valid(names[i]) ||
		    has_entry(*entries, *n_entries, names[i]))
			continue;
		if (array_grow(entries, *n_entries, sizeof(e)) < 0)
			return -ENOMEM;
		e.name = strdup(names[i]);
		(*entries)[(*n_entries)++] = e;
		if (!e.name || read_entry(root, path, &(*entries)[*n_entries - 1]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct profile_entry *x = a, *y = b;

	return str_compare_natural(x->name, y->name);
}

ssize_t profile_list(const struct sysroot *root, struct profile_entry **ret)
{
	struct profile_entry *entries = NULL;
	size_t n = 0;
	int r;

	r = add_entries(root, SOURCE_LOCAL_DIR, true, &entries, &n);
	if (r == 0)
		r = add_entries(root, SOURCE_VENDOR_DIR, false, &entries, &n);
	if (r < 0) {
		profile_list_free(entries, n);
		return r;
	}
	if (n)
		qsort(entries, n, sizeof(*entries), compare_entries);
	*ret = entries;
	return n;
}

void profile_list_free(struct profile_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(entries[i].name);
		free(entries[i].path);
		free(entries[i].summary);
	}
	free(entries);
}
