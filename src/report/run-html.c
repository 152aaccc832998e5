// SPDX-License-Identifier: GPL-2.0-or-later
// run-html.c - a saved run as one page: style and plots within, no script, no link
#include <math.h>

#include "report/run-plot.h"
#include "report/run-report.h"
#include "report/run-view.h"

#define LIGHT                                                                            \
	"color-scheme:light;--ink:#1c2126;--soft:#555f69;--paper:#fff;--line:#d3d9df;"   \
	"--band:#eceff2;--before:#0068a8;--after:#b8430a"
#define DARK                                                                             \
	"color-scheme:dark;--ink:#e4e9ee;--soft:#9aa6b2;--paper:#12161a;--line:#363e46;" \
	"--band:#20262c;--before:#5ab4e6;--after:#f0a04b"

/* Colours by variables: light, dark where the reader wants that, light on paper. */
static const char style[] =
	":root{" LIGHT "}\n"
	"@media(prefers-color-scheme:dark){:root{" DARK "}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:1rem;max-width:64rem;background:var(--paper);"
	"color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
	"h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}\n"
	"h2{font-size:1.125rem;margin:1.75rem 0 .5rem}\n"
	".verdict{font-size:1.125rem;font-weight:600;margin:0 0 .5rem;padding:.5rem "
	".75rem;"
	"border-left:.375rem solid var(--soft);background:var(--band)}\n"
	".verdict.better{border-color:#2f8f4e}.verdict.worse{border-color:#c62f2f}\n"
	"ul{margin:.25rem 0;padding-left:1.25rem}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.125rem "
	"1rem;margin:0}\n"
	"dt{color:var(--soft)}dd{margin:0}\n"
	".scroll{overflow-x:auto}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.25rem .625rem;border-bottom:1px solid "
	"var(--line);text-align:left;"
	"white-space:nowrap}\n"
	"@media(max-width:36rem){table{font-size:.8125rem}th,td{padding:.25rem .375rem;"
	"white-space:normal;overflow-wrap:normal}tbody th{white-space:nowrap}}\n"
	"thead th{color:var(--soft);font-weight:600}tbody th{font-weight:400}\n"
	"th.n,td.n{text-align:right}\n"
	".plots{display:grid;gap:1.25rem;"
	"grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr))}\n"
	"figure{margin:0;min-width:0}figcaption{font-weight:600}\n"
	"summary{color:var(--soft);cursor:pointer}\n"
	"svg{display:block;width:100%;height:auto}\n"
	"svg text{font:12px system-ui,sans-serif;fill:var(--soft)}\n"
	".grid{stroke:var(--line)}.band{fill:var(--band)}\n"
	"polyline{fill:none;stroke-width:2;stroke-linejoin:round}\n"
	".before{stroke:var(--before)}.after{stroke:var(--after)}\n"
	"polyline.before,line.before{stroke-dasharray:5 3}\n"
	"polyline.trace.before{stroke-dasharray:3 2}\n"
	"circle.before{fill:var(--paper);stroke-width:2}rect.after{fill:var(--after)}\n"
	".legend svg{display:inline;width:3rem;height:1rem;vertical-align:middle}\n"
	".legend span{margin-right:1.25rem;white-space:nowrap}\n"
	"@media print{:root{" LIGHT "}body{padding:0;max-width:none;font-size:10pt}"
	".plots{grid-template-columns:1fr "
	"1fr}figure,tr,section{break-inside:avoid}h2,.legend{break-after:avoid}"
	"details{display:none}.scroll{overflow:visible}"
	"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

static void put_element(FILE *f, const char *tag, const char *text)
{
	fprintf(f, "<%s>", tag);
	html_put(f, text);
	fprintf(f, "</%s>\n", tag);
}

static void put_head(const struct run_view *v, FILE *f)
{
	/* TRANSLATORS: the language of the translation by its code: "ja", "de" */
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta "
		"charset=\"utf-8\"/>\n",
		_("en"));
	fputs("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
	      "<meta name=\"referrer\" content=\"no-referrer\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
	      "style-src 'unsafe-inline'\"/>\n<title>boardtune: ",
	      f);
	html_put(f, v->headline);
	fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

/* ---- lists and tables ---- */

static void put_list(const struct run_view_list *list, FILE *f)
{
	if (!list->n)
		return;
	fputs("<section>\n", f);
	if (*list->title)
		put_element(f, "h2", list->title);
	fputs("<ul>\n", f);
	for (size_t i = 0; i < list->n; i++) {
		fputs("<li>", f);
		if (list->items[i].name) {
			fputs("<b>", f);
			html_put(f, list->items[i].name);
			fputs("</b>: ", f);
		}
		html_put(f, list->items[i].text);
		fputs("</li>\n", f);
	}
	fputs("</ul>\n</section>\n", f);
}

static void put_facts(const struct run_view_list *list, FILE *f)
{
	fputs("<dl>\n", f);
	for (size_t i = 0; i < list->n; i++) {
		put_element(f, "dt", list->items[i].name);
		put_element(f, "dd", list->items[i].text);
	}
	fputs("</dl>\n", f);
}

static void put_cell(const struct table *t, size_t row, unsigned column, FILE *f)
{
	const char *tag = row && column ? "td" : "th";
	const char *scope = row && column ? ""
			    : row	  ? " scope=\"row\""
					  : " scope=\"col\"";

	fprintf(f, "<%s%s%s>", tag, scope, t->right >> column & 1 ? " class=\"n\"" : "");
	html_put(f, t->rows[row].cells[column]);
	fprintf(f, "</%s>", tag);
}

/* What is wider than the screen moves by itself; with the keyboard, too. */
static void put_table(const struct table *t, const char *title, FILE *f)
{
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", f);
	html_put(f, title);
	fputs("\"><table>\n", f);
	for (size_t i = 0; i < t->n; i++) {
		fputs(i == 0 ? "<thead>" : i == 1 ? "<tbody>\n" : "", f);
		fputs("<tr>", f);
		for (unsigned k = 0; k < t->columns; k++)
			put_cell(t, i, k, f);
		fputs(i == 0 ? "</tr></thead>\n" : "</tr>\n", f);
	}
	fputs("</tbody>\n</table></div>\n", f);
}

/* ---- plots ---- */

static void put_legend(FILE *f)
{
	fputs("<p class=\"legend\"><span><svg viewBox=\"0 0 48 16\" aria-hidden=\"true\">"
	      "<line class=\"before\" stroke-width=\"2\" x1=\"0\" y1=\"8\" x2=\"48\" "
	      "y2=\"8\"/><circle class=\"before\" cx=\"24\" cy=\"8\" r=\"3.5\"/></svg> ",
	      f);
	html_put(f, _("before"));
	fputs("</span>\n<span><svg viewBox=\"0 0 48 16\" aria-hidden=\"true\">"
	      "<rect class=\"band\" width=\"48\" height=\"16\"/>"
	      "<line class=\"after\" stroke-width=\"2\" x1=\"0\" y1=\"8\" x2=\"48\" "
	      "y2=\"8\"/><rect class=\"after\" x=\"20.5\" y=\"4.5\" width=\"7\" "
	      "height=\"7\"/></svg> ",
	      f);
	html_put(f, _("after: with the profile (shaded)"));
	fputs("</span></p>\n", f);
}

static int plot_table(const struct run_plot *p, struct table *t)
{
	*t = (struct table) { .columns = 4, .right = 1 << 0 | 1 << 1 | 1 << 3 };
	table_add(t,
		  (const char *[]) { _("round"), _("seconds"), _("settings"), p->unit });
	for (size_t i = 0; i < p->n_marks; i++) {
		const struct plot_mark *m = &p->marks[i];
		char number[RUN_VIEW_CELL], at[RUN_VIEW_CELL], y[RUN_VIEW_CELL];

		snprintf(number, sizeof(number), "%u", m->round);
		table_add(t, (const char *[]) { number, run_view_figure(at, "%.0f", m->x),
						m->side == TRIAL_BEFORE ? _("before")
									: _("after"),
						run_view_figure(y, p->format, m->y) });
	}
	return t->error;
}

static int put_plot(const struct run_plot *p, unsigned number, FILE *f)
{
	_cleanup_(table_clear) struct table t = { 0 };
	int r = plot_table(p, &t);

	if (r < 0)
		return r;
	fputs("<figure>\n", f);
	put_element(f, "figcaption", p->title);
	run_plot_svg(p, number, f);
	fputs("<details>", f);
	put_element(f, "summary", _("as a table"));
	put_table(&t, p->title, f);
	fputs("</details>\n</figure>\n", f);
	return 0;
}

static int put_plots(const struct run_doc *doc, FILE *f)
{
	struct run_plot *plots;
	ssize_t n = run_plots_make(doc, &plots);
	int r = n < 0 ? (int)n : 0;

	if (n < 0)
		return r;
	if (n > 0) {
		put_element(f, "h2", _("Over time"));
		if (doc->trial)
			put_legend(f);
		fputs("<div class=\"plots\">\n", f);
		for (ssize_t i = 0; i < n && r == 0; i++)
			r = put_plot(&plots[i], (unsigned)i, f);
		fputs("</div>\n", f);
	}
	run_plots_free(plots, (size_t)n);
	return r;
}

int run_html(const struct run_doc *doc, FILE *f)
{
	_cleanup_(run_view_clear) struct run_view v = { 0 };
	int r = run_view_make(doc, &v);

	if (r < 0)
		return r;
	put_head(&v, f);
	fputs("<header>\n", f);
	put_element(f, "h1", v.headline);
	fprintf(f, "<p class=\"verdict %s\">",
		doc->trial ? verdict_name(doc->verdict) : "");
	html_put(f, v.verdict);
	fputs("</p>\n", f);
	put_list(&v.lists[RUN_VIEW_REASONS], f);
	fputs("</header>\n<main>\n", f);
	put_list(&v.lists[RUN_VIEW_FLAGS], f);
	put_list(&v.lists[RUN_VIEW_NOT_MEASURED], f);
	for (size_t i = 0; i < v.n_tables; i++) {
		fputs("<section>\n", f);
		put_element(f, "h2", v.tables[i].title);
		put_table(&v.tables[i].table, v.tables[i].title, f);
		fputs("</section>\n", f);
	}
	r = put_plots(doc, f);
	fputs("<section>\n", f);
	put_element(f, "h2", v.lists[RUN_VIEW_FACTS].title);
	put_facts(&v.lists[RUN_VIEW_FACTS], f);
	fputs("</section>\n", f);
	put_list(&v.lists[RUN_VIEW_METHOD], f);
	fputs("</main>\n</body>\n</html>\n", f);
	return r;
}
