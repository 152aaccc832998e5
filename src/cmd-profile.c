// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-profile.c - list, show: the profiles themselves
#include "cmd-recommend.h"
#include "cmd.h"
#include "profile/source.h"

#define SHOW_COLUMN_MAX 60 /* beyond it the place of a value is not aligned */

static const char *origin_of(const struct profile_entry *e)
{
	return e->local ? "local" : "vendor";
}

/* Whether it loads: no error in it, in what it includes, or in its drop-ins. */
static bool is_broken(const struct cmd *c, const struct profile_entry *e)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;

	return profile_load(&c->sys.root, e->name, &p, &errors) < 0;
}

/* The one that fits the board best; NULL: none. */
static const char *name_fitting(const struct recommend_list *fits)
{
	return fits->n ? fits->fits[0].name : NULL;
}

static bool is_named(const struct profile_entry *e, const char *name)
{
	return name && streq(e->name, name);
}

static int list_json(const struct cmd *c, const struct profile_entry *entries, size_t n,
		     const char *best)
{
	json_t *profiles = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			profiles, json_pack("{s:s, s:s, s:s, s:s, s:b, s:b}", "name",
					    entries[i].name, "origin",
					    origin_of(&entries[i]), "summary",
					    entries[i].summary, "file", entries[i].path,
					    "broken", (int)is_broken(c, &entries[i]),
					    "fits", (int)is_named(&entries[i], best)));
	return cmd_json_print(json_pack("{s:i, s:s, s:o}", "schema", 1, "command", "list",
					"profiles", profiles));
}

static void list_text(const struct cmd *c, const struct profile_entry *entries, size_t n,
		      const char *best)
{
	int width = text_width(_("PROFILE"));

	for (size_t i = 0; i < n; i++)
		if (text_width(entries[i].name) > width)
			width = text_width(entries[i].name);
	printf("%s", best ? "  " : "");
	text_pad(stdout, _("PROFILE"), width + 2);
	text_pad(stdout, _("FROM"), 8);
	printf("%s\n", _("SUMMARY"));
	for (size_t i = 0; i < n; i++) {
		printf("%s", is_named(&entries[i], best) ? "* " : best ? "  " : "");
		text_pad(stdout, entries[i].name, width + 2);
		text_pad(stdout, origin_of(&entries[i]), 8);
		if (is_broken(c, &entries[i]))
			printf(_("BROKEN, see \"boardtune show %s\"\n"), entries[i].name);
		else
			printf("%s\n", entries[i].summary);
	}
	if (best)
		puts(_("\n* fits this board best: see \"boardtune recommend\"."));
}

int cmd_list(struct cmd *c, int argc, char **argv)
{
	_cleanup_(recommend_list_clear) struct recommend_list fits = { 0 };
	struct profile_entry *entries = NULL;
	int code = EXIT_AS_WANTED;
	struct identity id;
	ssize_t n;

	if (argc != 1)
		return cmd_usage(c, _("expected no argument"));
	identity_read(&c->sys.root, &id);
	n = recommend_find(&id, &c->sys.root, &fits);
	if (n == 0)
		n = profile_list(&c->sys.root, &entries);
	if (n < 0) {
		cmd_error("%s: %s", SOURCE_VENDOR_DIR, strerror(-n));
		return n == -EACCES ? EXIT_NOT_PERMITTED : EXIT_NOT_AS_WANTED;
	}
	if (c->json)
		code = list_json(c, entries, n, name_fitting(&fits));
	else if (n)
		list_text(c, entries, n, name_fitting(&fits));
	else if (!c->quiet)
		fprintf(stderr,
			_("There are no profiles in %s or %s.\nA command takes a file as "
			  "well, such as ./mine.ini.\n"),
			SOURCE_LOCAL_DIR, SOURCE_VENDOR_DIR);
	profile_list_free(entries, n);
	return code;
}

static char *section_title(const struct profile_section *s)
{
	return str_format("%s%s%s", s->name, *s->label ? ":" : "", s->label);
}

/* What was included is in the result; the names stay out of it. */
static bool is_shown(const struct assignment *a)
{
	return !streq(a->setting->section, "main") || !streq(a->setting->key, "include");
}

static const char *shown_key(const struct assignment *a)
{
	return streq(a->setting->key, "*") ? a->key : a->setting->key;
}

static int add_setting_json(json_t *settings, const struct assignment *a)
{
	_cleanup_free_ char *section = section_title(a->section);
	_cleanup_free_ char *key = str_format("%s.%s", a->setting->section, shown_key(a));

	if (!section || !key)
		return -ENOMEM;
	if (!is_shown(a))
		return 0;
	return json_array_append_new(settings,
				     json_pack("{s:s, s:s, s:b, s:s, s:s, s:i}", "key",
					       key, "section", section, "optional",
					       (int)a->optional, "value", a->text, "file",
					       a->file, "line", (int)a->line)) < 0
		       ? -ENOMEM
		       : 0;
}

static int add_section_json(json_t *settings, const struct profile_section *s,
			    const struct assignment *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].section == s && add_setting_json(settings, &items[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int show_json(const struct profile *p)
{
	json_t *files = json_array(), *settings = json_array();
	int r = 0;

	for (size_t i = 0; i < p->n_files; i++)
		r |= json_array_append_new(files, json_string(p->files[i]));
	for (size_t i = 0; i < p->n_sections; i++) {
		r |= add_section_json(settings, p->sections[i], p->metas, p->n_metas);
		r |= add_section_json(settings, p->sections[i], p->assignments,
				      p->n_assignments);
	}
	if (r) {
		json_decref(files);
		json_decref(settings);
		cmd_error("%s", strerror(ENOMEM));
		return EXIT_NOT_AS_WANTED;
	}
	return cmd_json_print(json_pack("{s:i, s:s, s:s, s:o, s:o}", "schema", 1,
					"command", "show", "profile", p->name, "files",
					files, "settings", settings));
}

static char *key_text(const struct assignment *a)
{
	return str_format("%s%s = %s", a->optional ? "-" : "", shown_key(a), a->text);
}

static int widest_key(const struct assignment *items, size_t n, int widest)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = key_text(&items[i]);
		int width = text ? text_width(text) : 0;

		if (is_shown(&items[i]) && width > widest && width <= SHOW_COLUMN_MAX)
			widest = width;
	}
	return widest;
}

/* One key and its place, which goes to a line of its own where both are too long. */
static void show_key(const char *text, int width, const struct assignment *a)
{
	_cleanup_free_ char *place = str_format("; %s:%u", a->file, a->line);
	int w = text_width(text) > width ? text_width(text) : width;

	if (!place || w + 1 + text_width(place) > TEXT_SCREEN_WIDTH) {
		printf("%s\n    ; %s:%u\n", text, a->file, a->line);
		return;
	}
	text_pad(stdout, text, width);
	printf(" %s\n", place);
}

/* Positive: printed at least one key. */
static int show_keys(const struct profile_section *s, const struct assignment *items,
		     size_t n, int width, bool headed)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = NULL;

		if (items[i].section != s || !is_shown(&items[i]))
			continue;
		text = key_text(&items[i]);
		if (!text)
			return -ENOMEM;
		if (!headed)
			printf("[%s%s%s]\n", s->name, *s->label ? ":" : "", s->label);
		headed = true;
		show_key(text, width, &items[i]);
	}
	return headed;
}

/* A profile again: its place stands behind each key as a comment. */
static int show_text(const struct profile *p)
{
	int width = widest_key(p->assignments, p->n_assignments, 0);

	width = widest_key(p->metas, p->n_metas, width);
	for (size_t i = 0; i < p->n_sections; i++) {
		const struct profile_section *s = p->sections[i];
		int headed = show_keys(s, p->metas, p->n_metas, width, false);

		if (headed >= 0)
			headed = show_keys(s, p->assignments, p->n_assignments, width,
					   headed);
		if (headed < 0) {
			cmd_error("%s", strerror(ENOMEM));
			return EXIT_NOT_AS_WANTED;
		}
		if (headed && i + 1 < p->n_sections)
			putchar('\n');
	}
	return EXIT_AS_WANTED;
}

int cmd_show(struct cmd *c, int argc, char **argv)
{
	_cleanup_(profile_freep) struct profile *p = NULL;
	int r;

	if (argc != 2)
		return cmd_usage(c, _("expected one profile"));
	r = cmd_load_profile(c, argv[1], &p);
	if (r)
		return r;
	return c->json ? show_json(p) : show_text(p);
}
