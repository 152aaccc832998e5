// SPDX-License-Identifier: GPL-2.0-or-later
// run-text.c - a saved run for a screen of 80 columns
#include "base/text.h"
#include "report/run-report.h"
#include "report/run-view.h"

#define NAME_WIDTH 14

static void print_item(const struct run_view_item *item, FILE *f)
{
	_cleanup_free_ char *text = NULL;

	if (item->name)
		text = str_format("%s: %s", item->name, item->text);
	text_wrap(f, text ? text : item->text, 2, 4);
}

static void print_list(const struct run_view_list *list, FILE *f)
{
	if (list->n && *list->title)
		fprintf(f, "%s\n", list->title);
	for (size_t i = 0; i < list->n; i++)
		print_item(&list->items[i], f);
}

static void print_facts(const struct run_view_list *list, FILE *f)
{
	for (size_t i = 0; i < list->n; i++) {
		fputs("  ", f);
		text_pad(f, list->items[i].name, NAME_WIDTH);
		fprintf(f, "%s\n", list->items[i].text);
	}
}

int run_text(const struct run_doc *doc, FILE *f)
{
	_cleanup_(run_view_clear) struct run_view v = { 0 };
	int r = run_view_make(doc, &v);

	if (r < 0)
		return r;
	fprintf(f, "%s\n", v.headline);
	print_facts(&v.lists[RUN_VIEW_FACTS], f);
	for (size_t i = 0; i < v.n_tables && r == 0; i++) {
		fprintf(f, "\n%s\n", v.tables[i].title);
		r = table_print(&v.tables[i].table, f);
	}
	fprintf(f, "\n%s\n", v.verdict);
	print_list(&v.lists[RUN_VIEW_REASONS], f);
	print_list(&v.lists[RUN_VIEW_FLAGS], f);
	print_list(&v.lists[RUN_VIEW_NOT_MEASURED], f);
	print_list(&v.lists[RUN_VIEW_METHOD], f);
	return r;
}
