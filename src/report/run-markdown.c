// SPDX-License-Identifier: GPL-2.0-or-later
// run-markdown.c - a saved run as Markdown, to paste into a blog or a forum
#include "report/run-plot.h"
#include "report/run-report.h"
#include "report/run-view.h"

/* Names come from anywhere: nothing in them is markup. */
static void put(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&", *text)) {
			fputs(html_entity(*text), f);
		} else if (*text == '|') {
			fputs("&#124;", f);
		} else {
			if (strchr("\\`*_{}[]#~!$@", *text))
				fputc('\\', f);
			fputc(*text, f);
		}
	}
}

static void put_table(const struct run_view_table *vt, FILE *f)
{
	const struct table *t = &vt->table;

	fprintf(f, "\n### %s\n\n", vt->title);
	for (size_t i = 0; i < t->n; i++) {
		for (unsigned k = 0; k < t->columns; k++) {
			fputs(k ? " | " : "| ", f);
			put(f, t->rows[i].cells[k]);
		}
		fputs(" |\n", f);
		for (unsigned k = 0; i == 0 && k < t->columns; k++)
			fputs(t->right >> k & 1 ? "| ---: " : "| --- ", f);
		if (i == 0)
			fputs("|\n", f);
	}
}

static void put_list(const struct run_view_list *list, FILE *f)
{
	if (!list->n)
		return;
	if (*list->title)
		fprintf(f, "\n%s\n", list->title);
	fputc('\n', f);
	for (size_t i = 0; i < list->n; i++) {
		fputs("- ", f);
		if (list->items[i].name) {
			put(f, list->items[i].name);
			fputs(": ", f);
		}
		put(f, list->items[i].text);
		fputc('\n', f);
	}
}

int run_markdown(const struct run_doc *doc, FILE *f)
{
	_cleanup_(run_view_clear) struct run_view v = { 0 };
	int r = run_view_make(doc, &v);

	if (r < 0)
		return r;
	fputs("## ", f);
	put(f, v.headline);
	fputs("\n\n**", f);
	put(f, v.verdict);
	fputs("**\n", f);
	put_list(&v.lists[RUN_VIEW_REASONS], f);
	for (size_t i = 0; i < v.n_tables; i++)
		put_table(&v.tables[i], f);
	put_list(&v.lists[RUN_VIEW_FLAGS], f);
	put_list(&v.lists[RUN_VIEW_NOT_MEASURED], f);
	put_list(&v.lists[RUN_VIEW_FACTS], f);
	put_list(&v.lists[RUN_VIEW_METHOD], f);
	return 0;
}
