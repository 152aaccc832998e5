// SPDX-License-Identifier: GPL-2.0-or-later
// import.c - a file of another program as items, and these as a profile
#include "profile/import-private.h"

#include "profile/reader.h"

struct import_item *import_item_find(const struct import *im, enum import_what what,
				     int policy)
{
	for (size_t i = 0; i < im->n; i++)
		if (im->items[i].what == what && im->items[i].policy == policy)
			return &im->items[i];
	return NULL;
}

/* As cpufrequtils hands them on unquoted, blanks around a value do not matter. */
static char *copy_trimmed(const char *s)
{
	size_t n;

	s += strspn(s, " \t");
	for (n = strlen(s); n && strchr(" \t", s[n - 1]);)
		n--;
	return strndup(s, n);
}

/* A new one at its place: by policy, then in the order of the keys. */
static struct import_item *add_item(struct import *im, enum import_what what, int policy)
{
	size_t at = im->n;

	if (array_grow(&im->items, im->n, sizeof(*im->items)) < 0)
		return NULL;
	for (; at; at--) {
		const struct import_item *item = &im->items[at - 1];

		if (item->policy < policy ||
		    (item->policy == policy && item->what < what))
			break;
	}
	memmove(&im->items[at + 1], &im->items[at], (im->n - at) * sizeof(*im->items));
	im->n++;
	im->items[at] = (struct import_item){ .what = what, .policy = policy };
	return &im->items[at];
}

int import_item_set(struct import *im, enum import_what what, int policy,
		    const char *name, const char *value, unsigned line)
{
	struct import_item *item = import_item_find(im, what, policy);
	char quoted[READER_QUOTE_MAX];

	if (item)
		profile_error_add(im->remarks, im->file, item->line,
				  _("%s is set again on line %u; the last one counts"),
				  reader_quote(item->name, strlen(item->name), quoted),
				  line);
	else
		item = add_item(im, what, policy);
	if (!item)
		return -ENOMEM;
	free(item->value);
	item->value = copy_trimmed(value);
	item->name = name;
	item->line = line;
	return item->value ? 0 : -ENOMEM;
}

void import_items_drop(struct import *im, enum import_what last)
{
	size_t kept = 0;

	for (size_t i = 0; i < im->n; i++) {
		if (im->items[i].what > last)
			im->items[kept++] = im->items[i];
		else
			free(im->items[i].value);
	}
	im->n = kept;
}

static int read_variable(struct import *im, const struct shell_variable *v)
{
	char quoted[READER_QUOTE_MAX];
	int policy = IMPORT_ALL_POLICIES;
	enum import_what what = import_what_of(im->kind, v->name, &policy);

	if (what == IMPORT_NOTHING || (what == IMPORT_NO_KEY && !*v->value))
		return 0;
	if (what == IMPORT_OPTIONS)
		return import_read_options(im, v);
	if (what < IMPORT_OPTIONS)
		return import_item_set(im, what, policy, v->name, v->value, v->line);
	reader_quote(v->name, strlen(v->name), quoted);
	if (what == IMPORT_NO_KEY)
		profile_error_add(im->remarks, im->file, v->line,
				  _("%s has no key in a profile; left out"), quoted);
	else
		profile_error_add(im->remarks, im->file, v->line,
				  _("%s is no variable of %s; left out"), quoted,
				  import_kind_name(im->kind));
	return 0;
}

/* The init scripts compare with "true" as it stands. */
static void read_enable(struct import *im)
{
	const struct import_item *item =
		import_item_find(im, IMPORT_ENABLE, IMPORT_ALL_POLICIES);
	char quoted[READER_QUOTE_MAX];

	if (!item || streq(item->value, "true"))
		return;
	reader_quote(item->value, strlen(item->value), quoted);
	if (strcasecmp(item->value, "true") == 0) {
		profile_error_add(im->remarks, im->file, item->line,
				  _("ENABLE is \"%s\": taken as true, which %s itself "
				    "takes only in lower case"),
				  quoted, import_kind_name(im->kind));
		return;
	}
	im->disabled = true;
	if (im->kind == IMPORT_CPUFREQUTILS)
		profile_error_add(im->remarks, im->file, item->line,
				  _("ENABLE is \"%s\": cpufrequtils sets nothing, so the "
				    "keys below are comments (Armbian's "
				    "armbian-hardware-optimization does not look at "
				    "ENABLE and does set them)"),
				  quoted);
}

/* What cpufrequtils 008 does, not what its file says: no key of the profile. */
static void remark_governor(struct import *im)
{
	if (im->kind == IMPORT_CPUFREQUTILS && !im->disabled &&
	    !import_item_find(im, IMPORT_GOVERNOR, IMPORT_ALL_POLICIES))
		profile_error_add(im->remarks, im->file, 0,
				  _("does not set GOVERNOR: the init script of "
				    "cpufrequtils then takes ondemand, this profile "
				    "leaves the governor alone"));
}

static bool sets_something(const struct import *im)
{
	for (size_t i = 0; i < im->n; i++)
		if (im->items[i].what < IMPORT_KEYS_ && *im->items[i].value)
			return true;
	return false;
}

int import_read(struct import *im, const char *text, size_t size)
{
	size_t before = im->errors->n;
	int r = im->kind == IMPORT_UCI
			? shell_parse_uci(im->file, text, size, &im->shell, im->errors)
			: shell_parse(im->file, text, size, &im->shell, im->errors);

	for (size_t i = 0; r == 0 && i < im->shell.n; i++)
		r = read_variable(im, &im->shell.items[i]);
	if (r < 0)
		return r;
	read_enable(im);
	r = import_check_values(im);
	if (r < 0)
		return r;
	if (sets_something(im))
		remark_governor(im);
	else
		profile_error_add(im->remarks, im->file, 0,
				  _("sets nothing: empty and 0 mean leave alone"));
	return im->errors->n == before ? 0 : -EBADMSG;
}

void import_clear(struct import *im)
{
	for (size_t i = 0; i < im->n; i++)
		free(im->items[i].value);
	free(im->items);
	shell_clear(&im->shell);
}

int import_translate(const struct import_file *f, const struct import_board *board,
		     bool disabled_too, char **ret, struct profile_errors *remarks,
		     struct profile_errors *errors)
{
	struct import im = { .file = f->source.path, .kind = f->kind, .board = board,
			     .remarks = remarks, .errors = errors };
	int r = import_read(&im, f->source.text, f->source.size);

	if (disabled_too)
		im.disabled = false;
	if (r == 0)
		r = import_print(&im, ret);
	import_clear(&im);
	return r;
}
