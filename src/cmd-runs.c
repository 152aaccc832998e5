// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-runs.c - runs, compare, report: what earlier trials measured
#include <math.h>

#include "cmd.h"
#include "measure/run-file.h"
#include "measure/run-json.h"
#include "report/run-compare-text.h"
#include "report/run-report.h"
#include "report/run-view.h"

/* ---- which run ---- */

/* Digits only: its number in the list, from 1; else 0. */
static size_t number_of(const char *word)
{
	char *end;
	unsigned long n;

	if (!*word || word[strspn(word, "0123456789")])
		return 0;
	errno = 0;
	n = strtoul(word, &end, 10);
	return errno ? 0 : n;
}

static bool has_name(const struct run_entry *e, const char *word)
{
	size_t n = strlen(word);

	return strncmp(e->name, word, n) == 0 &&
	       (!e->name[n] || streq(e->name + n, ".json"));
}

/* The newest with this label; files that cannot be read have none. */
static const struct run_entry *find_label(struct cmd *c, const struct run_list *list,
					  const char *word)
{
	for (size_t i = 0; i < list->n; i++) {
		_cleanup_(run_doc_clear) struct run_doc doc = { 0 };
		char error[RUN_DOC_ERROR_MAX];

		if (run_doc_read(&c->sys.root, list->entries[i]->path, false, &doc,
				 error) == 0 &&
		    streq(doc.label, word))
			return list->entries[i];
	}
	return NULL;
}

/* By number, file name or label. */
static const struct run_entry *find_entry(struct cmd *c, const struct run_list *list,
					  const char *word)
{
	size_t number = number_of(word);

	if (number)
		return number <= list->n ? list->entries[number - 1] : NULL;
	for (size_t i = 0; i < list->n; i++)
		if (has_name(list->entries[i], word))
			return list->entries[i];
	return find_label(c, list, word);
}

static int read_run(const struct sysroot *root, const char *path, struct run_doc *ret)
{
	char error[RUN_DOC_ERROR_MAX];
	int r = run_doc_read(root, path, true, ret, error);

	if (r == 0)
		return 0;
	cmd_error("%s: %s", path, error);
	return r == -ENOENT				      ? EXIT_NOTHING_TO_DO_IT_WITH
	       : r == -EBADMSG || r == -EFBIG || r == -EINVAL ? EXIT_USAGE
							      : cmd_exit_of(r);
}

/* A run as the user calls it; 0 or an exit code. @ret_name: SYSROOT_PATH_MAX bytes. */
static int open_run(struct cmd *c, const char *word, struct run_doc *ret, char *ret_name)
{
	_cleanup_(run_list_clear) struct run_list list = { 0 };
	const struct run_entry *e;
	int r;

	if (strchr(word, '/')) {
		snprintf(ret_name, SYSROOT_PATH_MAX, "%s", word);
		return read_run(NULL, word, ret);
	}
	r = run_list_read(&c->sys.root, &list);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	e = find_entry(c, &list, word);
	if (!e) {
		cmd_error(_("no saved run \"%s\"; \"boardtune runs\" lists them, a file "
			    "elsewhere is named with a slash"),
			  word);
		return EXIT_NOTHING_TO_DO_IT_WITH;
	}
	snprintf(ret_name, SYSROOT_PATH_MAX, "%s", e->name);
	return read_run(&c->sys.root, e->path, ret);
}

/* ---- runs ---- */

/* "2017-07-10 16:13" of "2017-07-10T16:13:20Z". */
static const char *short_time(const char *started, char buf[static 17])
{
	snprintf(buf, 17, "%.16s", started);
	buf[strcspn(buf, "T")] = buf[strcspn(buf, "T")] ? ' ' : '\0';
	return buf;
}

/* A file that is no run costs a line, not the list. */
static int add_run(const struct sysroot *root, size_t i, const struct run_entry *e,
		   struct table *t)
{
	_cleanup_(run_doc_clear) struct run_doc doc = { 0 };
	char error[RUN_DOC_ERROR_MAX], number[16], at[17], change[RUN_VIEW_CELL];
	int r = run_doc_read(root, e->path, false, &doc, error);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		cmd_error("%s: %s", e->path, error);
		return 0;
	}
	snprintf(number, sizeof(number), "%zu", i + 1);
	table_add(t, (const char *[]) { number, short_time(doc.started, at),
					run_view_verdict_of(&doc),
					run_view_change(change, &doc), doc.profile,
					doc.label, doc.model });
	return t->error;
}

static int print_runs(const struct run_list *list, const struct sysroot *root)
{
	_cleanup_(table_clear) struct table t = { .columns = 7,
						  .right = 1 | 1 << 3,
						  .whole = 15 };
	int r = 0;

	table_add(&t,
		  (const char *[]) { _("NO"), _("STARTED (UTC)"), _("VERDICT"),
				     _("CHANGE"), _("PROFILE"), _("LABEL"), _("BOARD") });
	for (size_t i = 0; i < list->n && r == 0; i++)
		r = add_run(root, i, list->entries[i], &t);
	if (r == 0)
		r = table_print(&t, stdout);
	if (r == 0 && !list->n)
		puts(_("No run is saved yet; \"boardtune trial\" saves one."));
	return r;
}

static json_t *finite_json(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *ratios_json(const struct run_doc *doc)
{
	json_t *cells = json_array();

	for (size_t i = 0; i < doc->n_cells; i++)
		json_array_append_new(
			cells,
			json_pack("{s:s, s:o, s:o, s:o}", "cell", doc->cells[i].name,
				  "ratio", finite_json(doc->cells[i].mbps.ratio.ratio),
				  "ci_low", finite_json(doc->cells[i].mbps.ratio.low),
				  "ci_high", finite_json(doc->cells[i].mbps.ratio.high)));
	return cells;
}

/* NULL: it is of no trial. */
static const char *verdict_of(const struct run_doc *doc)
{
	return doc->trial ? verdict_name(doc->verdict) : NULL;
}

static json_t *run_json_line(struct cmd *c, size_t i, const struct run_entry *e)
{
	_cleanup_(run_doc_clear) struct run_doc doc = { 0 };
	char error[RUN_DOC_ERROR_MAX];

	if (run_doc_read(&c->sys.root, e->path, false, &doc, error) < 0)
		return json_pack("{s:I, s:o, s:o, s:o}", "number", (json_int_t)i + 1,
				 "name", run_json_text(e->name), "path",
				 run_json_text(e->path), "error", run_json_text(error));
	return json_pack("{s:I, s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:s?, s:b, s:o, s:n}",
			 "number", (json_int_t)i + 1, "name", run_json_text(e->name),
			 "path", run_json_text(e->path), "command",
			 doc.trial ? "trial" : "measure", "started", doc.started, "label",
			 doc.label, "board", doc.model, "profile", doc.profile, "verdict",
			 verdict_of(&doc), "kept", doc.kept, "cells",
			 ratios_json(&doc), "error");
}

int cmd_runs(struct cmd *c, int argc, char **argv)
{
	_cleanup_(run_list_clear) struct run_list list = { 0 };
	json_t *runs;
	int r;

	if (argc != 1)
		return cmd_usage(c, _("%s takes no argument"), c->name);
	r = run_list_read(&c->sys.root, &list);
	if (r == 0 && !c->json && !c->quiet)
		r = print_runs(&list, &c->sys.root);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	if (!c->json)
		return EXIT_AS_WANTED;
	runs = json_array();
	for (size_t i = 0; i < list.n; i++)
		json_array_append_new(runs, run_json_line(c, i, list.entries[i]));
	return cmd_json_print(json_pack("{s:i, s:s, s:o, s:i}", "schema", 1, "command",
					c->name, "runs", run_json_list(runs, list.n),
					"exit", EXIT_AS_WANTED));
}

/* ---- compare ---- */

static int check_pair(const struct cmd *c, const struct run_doc *a,
		      const struct run_doc *b)
{
	unsigned differs = run_compare_differences(a, b);

	if (!differs || c->opt[OPT_FORCE])
		return 0;
	cmd_error(differs & RUN_DIFFERS_BOARD
			  ? _("the runs are of different boards; --force compares them "
			      "all the same")
			  : _("the runs are of different tests; --force compares them "
			      "all the same"));
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

static json_t *compared_json(const struct run_compared *c)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "a", finite_json(c->a), "b",
			 finite_json(c->b), "ratio", finite_json(c->ratio.ratio),
			 "ci_low", finite_json(c->ratio.low), "ci_high",
			 finite_json(c->ratio.high));
}

/* One kind of test: before and after by throughput, after by CPU time; of measure, where
 * there is only one, both. */
static json_t *cell_json(const struct run_doc *a, const struct run_doc *b,
			 const char *cell)
{
	static const struct {
		bool trial;
		const char *key;
		enum trial_side side;
		enum run_compare_value value;
	} kinds[] = {
		{ true, "before_mbps", TRIAL_BEFORE, RUN_COMPARE_MBPS },
		{ true, "after_mbps", TRIAL_AFTER, RUN_COMPARE_MBPS },
		{ true, "after_cpu_ms_per_gb", TRIAL_AFTER, RUN_COMPARE_CPU },
		{ false, "mbps", TRIAL_BEFORE, RUN_COMPARE_MBPS },
		{ false, "cpu_ms_per_gb", TRIAL_BEFORE, RUN_COMPARE_CPU },
	};
	json_t *doc = json_pack("{s:s}", "cell", cell);
	int r = doc ? 0 : -ENOMEM;

	for (size_t i = 0; i < ARRAY_SIZE(kinds) && r == 0; i++) {
		struct run_compared c;

		if (kinds[i].trial != a->trial)
			continue;
		r = run_compare_cell(a, b, cell, kinds[i].side, kinds[i].value,
				     a->n_cells, &c);
		if (r == 0)
			r = json_object_set_new(doc, kinds[i].key, compared_json(&c));
	}
	if (r == 0)
		return doc;
	json_decref(doc);
	return NULL;
}

static json_t *flags_json(const struct run_doc *doc)
{
	json_t *flags = json_array();

	for (size_t i = 0; i < doc->n_flags; i++)
		json_array_append_new(flags, json_string(doc->flags[i]));
	return run_json_list(flags, doc->n_flags);
}

static json_t *side_json(const struct run_doc *doc, const char *name)
{
	return json_pack("{s:o, s:s, s:s, s:s, s:s, s:s?, s:o}", "name",
			 run_json_text(name), "started", doc->started, "label",
			 doc->label, "board", doc->model, "profile", doc->profile,
			 "verdict", verdict_of(doc), "flags", flags_json(doc));
}

static int print_comparison(const struct cmd *c, const struct run_doc *a,
			    const struct run_doc *b, char names[2][SYSROOT_PATH_MAX])
{
	unsigned differs = run_compare_differences(a, b);
	json_t *cells = json_array();

	for (size_t i = 0; i < a->n_cells; i++)
		json_array_append_new(cells, cell_json(a, b, a->cells[i].name));
	return cmd_json_print(json_pack(
		"{s:i, s:s, s:o, s:o, s:b, s:b, s:o, s:i}", "schema", 1, "command",
		c->name, "a", side_json(a, names[0]), "b", side_json(b, names[1]),
		"same_board", !(differs & RUN_DIFFERS_BOARD), "same_tests",
		!(differs & RUN_DIFFERS_TESTS), "cells", run_json_list(cells, a->n_cells),
		"exit", EXIT_AS_WANTED));
}

int cmd_compare(struct cmd *c, int argc, char **argv)
{
	_cleanup_(run_doc_clear) struct run_doc a = { 0 }, b = { 0 };
	char names[2][SYSROOT_PATH_MAX];
	int r;

	if (argc != 3)
		return cmd_usage(c, _("%s takes two runs"), c->name);
	r = open_run(c, argv[1], &a, names[0]);
	if (r == 0)
		r = open_run(c, argv[2], &b, names[1]);
	if (r == 0)
		r = check_pair(c, &a, &b);
	if (r)
		return r;
	if (c->json)
		return print_comparison(c, &a, &b, names);
	if (c->quiet)
		return EXIT_AS_WANTED;
	r = run_compare_text(&a, &b, (const char *[]) { names[0], names[1] }, stdout);
	if (r == 0)
		return EXIT_AS_WANTED;
	cmd_error("%s", strerror(-r));
	return EXIT_NOT_AS_WANTED;
}

/* ---- report ---- */

static int report_json(const struct run_doc *doc, FILE *f)
{
	int r = json_dumpf(doc->json, f, JSON_INDENT(2) | JSON_REAL_PRECISION(12));

	fputc('\n', f);
	return r < 0 && !ferror(f) ? -ENOMEM : 0;
}

static const struct format {
	const char *name, *ending;
	int (*print)(const struct run_doc *doc, FILE *f);
} formats[] = {
	{ "text", ".txt", run_text },	  { "markdown", ".md", run_markdown },
	{ "json", ".json", report_json }, { "csv", ".csv", run_csv },
	{ "html", ".html", run_html },
};

/* As --format says, else as the file is called, else text; NULL: there is none such. */
static const struct format *find_format(const struct cmd *c)
{
	const char *name = c->opt[OPT_FORMAT], *file = c->opt[OPT_OUTPUT];
	const char *base = file ? strrchr(file, '/') : NULL, *ending;

	if (!name && c->json)
		name = "json";
	ending = file ? strrchr(base ? base : file, '.') : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (name ? streq(formats[i].name, name)
			 : ending && streq(formats[i].ending, ending))
			return &formats[i];
	return name || ending ? NULL : &formats[0];
}

/* Whole in memory, before a file that is there is touched. Returns 0 or -errno. */
static int write_report(const struct format *format, const struct run_doc *doc,
			const char *file)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_fclose_ FILE *opened = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!f)
		return -ENOMEM;
	r = format->print(doc, f);
	if ((fclose(f) == EOF || !text) && r == 0)
		r = -ENOMEM;
	if (r < 0)
		return r;
	if (file && !streq(file, "-")) {
		opened = fopen(file, "we");
		if (!opened)
			return -errno;
	}
	f = opened ? opened : stdout;
	if (fwrite(text, 1, size, f) != size || fflush(f) == EOF)
		return errno ? -errno : -EIO;
	return 0;
}

static int no_format(struct cmd *c)
{
	if (c->opt[OPT_FORMAT])
		return cmd_usage(c,
				 _("no format \"%s\"; text, markdown, json, csv or html"),
				 c->opt[OPT_FORMAT]);
	return cmd_usage(c,
			 _("%s: the ending tells the format: .txt, .md, .json, .csv or "
			   ".html; or give --format"),
			 c->opt[OPT_OUTPUT]);
}

int cmd_report(struct cmd *c, int argc, char **argv)
{
	_cleanup_(run_doc_clear) struct run_doc doc = { 0 };
	const char *file = c->opt[OPT_OUTPUT];
	const struct format *format = find_format(c);
	char name[SYSROOT_PATH_MAX];
	int r;

	if (argc > 2)
		return cmd_usage(c, _("%s takes one run"), c->name);
	if (!format)
		return no_format(c);
	r = open_run(c, argc == 2 ? argv[1] : "1", &doc, name);
	if (r)
		return r;
	if (c->opt[OPT_REDACT] && run_doc_redact(&doc) < 0) {
		cmd_error("%s", strerror(ENOMEM));
		return EXIT_NOT_AS_WANTED;
	}
	r = write_report(format, &doc, file);
	if (r == 0 && file && !streq(file, "-"))
		cmd_note(c, _("Written: %s\n"), file);
	if (r == 0)
		return EXIT_AS_WANTED;
	cmd_error("%s: %s", file ? file : "stdout", strerror(-r));
	return cmd_exit_of(r);
}
