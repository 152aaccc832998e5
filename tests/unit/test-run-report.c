// SPDX-License-Identifier: GPL-2.0-or-later
// test-run-report.c - each value of a run replaced by others: refused or shown, in bounds
#include "report/run-compare-text.h"
#include "report/run-plot.h"
#include "report/run-report.h"
#include "report/run-view.h"
#include "run-sim.h"
#include "tap.h"

#define VALUES 10

static json_t *odd_value(unsigned kind)
{
	switch (kind) {
	case 0:
		return json_null();
	case 1:
		return json_integer(0);
	case 2:
		return json_real(-9.9e14);
	case 3:
		return json_real(9.9e14);
	case 4:
		return json_real(1e-300);
	case 5:
		return json_string("<b>&\"'|");
	case 6:
		return json_array();
	case 7:
		return json_object();
	case 8:
		return json_integer(1000000);
	}
	return json_string("");
}

/* Replace the *left-th value below @v, counted down; false once that is done. */
static bool replace(json_t *v, size_t *left, unsigned kind)
{
	const char *key;
	json_t *item;
	size_t i;

	json_array_foreach(v, i, item) {
		if ((*left)-- == 0) {
			json_array_set_new(v, i, odd_value(kind));
			return false;
		}
		if (!replace(item, left, kind))
			return false;
	}
	json_object_foreach(v, key, item) {
		if ((*left)-- == 0) {
			json_object_set_new(v, key, odd_value(kind));
			return false;
		}
		if (!replace(item, left, kind))
			return false;
	}
	return true;
}

static size_t count_values(const json_t *v)
{
	size_t n = SIZE_MAX / 2;

	replace((json_t *)v, &n, 0);
	return SIZE_MAX / 2 - n;
}

/* The output, or NULL after a failure. */
static char *show(const struct run_doc *doc, int (*print)(const struct run_doc *, FILE *))
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int r = f ? print(doc, f) : -ENOMEM;

	if (f)
		fclose(f);
	if (r == 0)
		return text;
	free(text);
	return NULL;
}

static int compare_with_itself(const struct run_doc *doc, FILE *f)
{
	return run_compare_text(doc, doc, (const char *[]) { "A", "B" }, f);
}

/* Every format of what is taken, with nothing in it that it must not have. */
static bool shows(const struct run_doc *doc)
{
	static const struct {
		int (*print)(const struct run_doc *, FILE *);
		const char *never[4];
	} formats[] = {
		{ run_text, { "nan", "inf", NULL } },
		{ run_markdown, { "<b>", "nan", "|\n\n|", NULL } },
		{ run_csv, { "nan", "inf", "<", NULL } },
		{ run_html, { "<b>&", "=\"nan", ",nan", "inf," } },
		{ compare_with_itself, { "nan ", "inf ", NULL } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		_cleanup_free_ char *text = show(doc, formats[i].print);

		if (!text)
			return false;
		for (size_t k = 0; k < 4 && formats[i].never[k]; k++)
			if (strstr(text, formats[i].never[k])) {
				printf("# format %zu has %s\n", i, formats[i].never[k]);
				return false;
			}
	}
	return true;
}

static void test_values(size_t step)
{
	struct run_sim sim = { .seed = 3, .effect = 1, .noise = 0.01 };
	struct run_sim_names names = { .pairs = 2,
				       .cells = "ipv4-tx,ipv6-rx",
				       .profile = "x",
				       .model = "y",
				       .peer = "z" };
	json_t *json = run_sim_document(&sim, &names);
	size_t n = count_values(json), taken = 0, tried = 0, wrong = 0;

	for (size_t k = 0; k < n * VALUES; k += step, tried++) {
		json_t *odd = json_deep_copy(json);
		_cleanup_free_ char *text = NULL;
		char error[RUN_DOC_ERROR_MAX];
		struct run_doc doc;
		size_t left = k / VALUES;

		replace(odd, &left, k % VALUES);
		text = json_dumps(odd, JSON_COMPACT);
		json_decref(odd);
		if (run_doc_parse(text, strlen(text), true, &doc, error) < 0)
			continue;
		taken++;
		if (!shows(&doc)) {
			printf("# value %zu, kind %zu\n", k / VALUES, k % VALUES);
			wrong++;
		}
		run_doc_clear(&doc);
	}
	json_decref(json);
	is_int(wrong, 0, "%zu values replaced, %zu taken, all can be shown", tried,
	       taken);
	ok(taken > tried / 10 && taken < tried, "some are taken, some are refused");
}

static void test_words(void)
{
	char buf[RUN_VIEW_CELL];

	is_str(run_view_label("ipv6-rx"), "IPv6 rx", "a kind of test by name");
	is_str(run_view_label("odd"), "odd", "one that is not known");
	is_str(run_view_figure(buf, "%.1f", 2.25), "2.2", "a figure");
	is_str(run_view_figure(buf, "%.1f", NAN), "-", "none");
	is_str(run_view_interval(buf, &(struct stats_interval) { 1, 0.98, 1.01, 0.01 }),
	       "0.980 to 1.010", "an interval");
	is_str(run_view_interval(buf, &(struct stats_interval) { 1, NAN, 1.01, 0.01 }),
	       "-", "half of one");
}

/* At line rate the CPU cost is what changed. */
static void test_change(void)
{
	char buf[RUN_VIEW_CELL];
	struct run_doc doc = { .n_cells = 2,
			       .n_reasons = 1,
			       .reasons = { { "cpu-better", "ipv4-rx" } },
			       .cells = { { .name = "ipv4-tx" },
					  { .name = "ipv4-rx" } } };

	doc.cells[0].mbps.ratio.ratio = 1.5;
	doc.cells[1].mbps.ratio.ratio = 1.001;
	doc.cells[1].cpu_ms_per_gb.ratio.ratio = 0.88;
	is_str(run_view_change(buf, &doc), "CPU -12.0 %", "the CPU cost decided");
	doc.reasons[0].name = "throughput-same";
	is_str(run_view_change(buf, &doc), "+0.1 %", "the throughput of that test");
	doc.reasons[0].of = "";
	is_str(run_view_change(buf, &doc), "+50.0 %", "else of the first");
	doc.n_cells = 0;
	is_str(run_view_change(buf, &doc), "-", "no test at all");
}

static void test_plots(void)
{
	struct run_sim sim = { .seed = 3, .effect = 1.2, .noise = 0.01 };
	struct run_sim_names names = { .pairs = 2 };
	json_t *json = run_sim_document(&sim, &names);
	_cleanup_free_ char *text = json_dumps(json, JSON_COMPACT);
	char error[RUN_DOC_ERROR_MAX];
	struct run_plot *plots;
	struct run_doc doc;
	ssize_t n;

	json_decref(json);
	run_doc_parse(text, strlen(text), true, &doc, error);
	doc.legs[3].discarded = true;
	n = run_plots_make(&doc, &plots);
	is_int(n, 11, "plots of 4 tests twice, temperature and 2 clocks");
	is_int(plots[0].n_marks, 3, "a mark per leg that counts");
	is_int(plots[0].marks[1].side, TRIAL_AFTER, "with its side");
	is_near(plots[0].marks[1].y, doc.legs[1].tests[0].mbps, 1e-9, "its figure");
	is_near(plots[0].marks[1].x, doc.legs[1].tests[0].at + 3, 0.1, "in its middle");
	is_near(plots[8].marks[0].y, doc.legs[0].tests[3].celsius, 0.01, "the hottest");
	is_int(plots[8].n_trace, 3 * 4 * 31, "every sample");
	is_near(plots[9].marks[2].y, 1296, 0.1, "the mean clock");
	run_plots_free(plots, (size_t)n);
	run_doc_clear(&doc);
}

int main(int argc, char **argv)
{
	test_words();
	test_change();
	test_plots();
	/* each value with each replacement takes minutes: "test-run-report 1" */
	test_values(argc > 1 ? strtoul(argv[1], NULL, 10) : 397);
	return done();
}
