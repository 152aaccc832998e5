// SPDX-License-Identifier: GPL-2.0-or-later
// import-print.c - what was imported, as the text of a profile
#include "profile/import-private.h"

#include <inttypes.h>

#include "profile/reader.h"

/* "# text" on as many lines as a profile needs for it. */
static void print_comment(FILE *f, const char *text)
{
	const size_t room = READER_LINE_MAX - 2;

	while (strlen(text) > room) {
		size_t n = room;

		while (n && text[n] != ' ')
			n--;
		if (n == 0) /* one long word: cut between characters */
			for (n = room; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
				n--;
		fprintf(f, "# %.*s\n", (int)n, text);
		text += n + (text[n] == ' ');
	}
	fprintf(f, "# %s\n", text);
}

static int print_remarks(FILE *f, const struct import *im)
{
	for (size_t i = 0; im->remarks->items && i < im->remarks->n; i++) {
		const struct profile_error *e = &im->remarks->items[i];
		_cleanup_free_ char *text = NULL;
		char file[READER_QUOTE_MAX];

		if (!e->file || !e->text)
			return -ENOMEM;
		reader_quote(e->file, strlen(e->file), file);
		text = e->line ? str_format("%s:%u: %s", file, e->line, e->text)
			       : str_format("%s: %s", file, e->text);
		if (!text)
			return -ENOMEM;
		print_comment(f, text);
	}
	return 0;
}

static bool is_key(const struct import_item *item)
{
	return item->what < IMPORT_KEYS_ && *item->value;
}

/* Whether there are keys of all policies, or of some only. */
static bool has_keys(const struct import *im, bool of_all)
{
	for (size_t i = 0; i < im->n; i++)
		if (is_key(&im->items[i]) &&
		    (im->items[i].policy == IMPORT_ALL_POLICIES) == of_all)
			return true;
	return false;
}

static void print_key(FILE *f, const struct import *im, const struct import_item *item,
		      const char *file)
{
	const char *mark = im->disabled ? "# " : "", *key = import_key(item->what);

	fprintf(f, "# from %s:%u\n", file, item->line);
	if (!item->khz)
		fprintf(f, "%s%s = %s\n", mark, key, item->value);
	else if (item->khz % 1000 == 0)
		fprintf(f, "%s%s = %" PRIu32 "MHz\n", mark, key, item->khz / 1000);
	else
		fprintf(f, "%s%s = %" PRIu32 "kHz\n", mark, key, item->khz);
}

/* Lines that become comments; empty ones stay. */
static void print_as_comment(FILE *f, const char *text)
{
	while (*text) {
		int n = strcspn(text, "\n");

		fprintf(f, "%s%.*s\n", n ? "# " : "", n, text);
		text += n + (text[n] == '\n');
	}
}

static bool is_on_armbian(const struct import *im)
{
	return *im->board->family && im->kind == IMPORT_CPUFREQUTILS;
}

/* Its script looks for the word in the file, before anything else. */
static void print_tunables(FILE *f, const struct import *im)
{
	const struct import_item *governor =
		import_item_find(im, IMPORT_GOVERNOR, IMPORT_ALL_POLICIES);

	if (!is_on_armbian(im) || !governor || !streq(governor->value, "ondemand"))
		return;
	print_comment(f, _("not from a file: armbian-hardware-optimization of Armbian "
			   "sets these too"));
	print_as_comment(f, import_armbian_tunables());
}

static void print_sections(FILE *f, const struct import *im)
{
	const char *sections = import_armbian_sections(im->board);

	if (!is_on_armbian(im) || !sections)
		return;
	fputc('\n', f);
	print_comment(f, _("not from a file: armbian-hardware-optimization of Armbian "
			   "sets these on a board of this family"));
	print_as_comment(f, sections);
}

/* Those of all policies stand first. */
static void print_items(FILE *f, const struct import *im, const char *file)
{
	int policy = IMPORT_ALL_POLICIES;

	if (has_keys(im, true) || !has_keys(im, false))
		fputs("\n[cpufreq]\n", f);
	for (size_t i = 0; i < im->n; i++) {
		const struct import_item *item = &im->items[i];

		if (!is_key(item))
			continue;
		if (item->policy != policy)
			fprintf(f, "\n[cpufreq:policy%d]\n", item->policy);
		policy = item->policy;
		print_key(f, im, item, file);
	}
}

int import_print(const struct import *im, char **ret)
{
	_cleanup_free_ char *text = NULL;
	char file[READER_QUOTE_MAX];
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!f)
		return -ENOMEM;
	reader_quote(im->file, strlen(im->file), file);
	fprintf(f, "# boardtune import %s\n", file);
	r = print_remarks(f, im);
	fprintf(f, "\n[main]\nsummary = imported from %s\n",
		import_kind_name(im->kind));
	print_items(f, im, file);
	print_tunables(f, im);
	print_sections(f, im);
	if (ferror(f))
		r = -ENOMEM;
	if (fclose(f) != 0)
		r = -ENOMEM;
	if (r == 0)
		*ret = TAKE_PTR(text);
	return r;
}
