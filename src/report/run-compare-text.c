// SPDX-License-Identifier: GPL-2.0-or-later
// run-compare-text.c - two saved runs side by side
#include <math.h>

#include "base/text.h"
#include "report/run-compare-text.h"
#include "report/run-view.h"
#include "report/table.h"

/* The two runs, and what was noticed on the way. */
struct sides {
	const struct run_doc *a, *b;
	FILE *f;
	bool conditions; /* the settings of before differ, too */
};

static int finish_table(struct table *t, const char *title, FILE *f)
{
	int r = 0;

	if (t->n > 1) {
		fprintf(f, "\n%s\n", title);
		r = table_print(t, f);
	}
	if (t->error)
		r = t->error;
	table_clear(t);
	return r;
}

/* ---- which runs ---- */

static void add_texts(struct table *t, const char *name, const char *a, const char *b)
{
	if (*a || *b)
		table_add(t, (const char *[]) { name, *a ? a : "-", *b ? b : "-" });
}

static void add_ratios(struct table *t, const struct sides *s)
{
	for (size_t i = 0; i < s->a->n_cells; i++) {
		const struct run_doc_cell *a = &s->a->cells[i];
		const struct run_doc_cell *b = run_doc_cell(s->b, a->name);
		char name[RUN_VIEW_CELL], ra[RUN_VIEW_CELL], rb[RUN_VIEW_CELL];

		snprintf(name, sizeof(name), _("%s, after / before"),
			 run_view_label(a->name));
		run_view_figure(ra, "%.3f", a->mbps.ratio.ratio);
		run_view_figure(rb, "%.3f", b ? b->mbps.ratio.ratio : NAN);
		add_texts(t, name, ra, rb);
	}
}

/* It is to be typed: whole, and of a saved run without the ending that is not needed. */
static void run_stem(const char *name, char ret[static SYSROOT_PATH_MAX])
{
	size_t n = strlen(name);

	if (!strchr(name, '/') && n > 5 && streq(name + n - 5, ".json"))
		n -= 5;
	snprintf(ret, SYSROOT_PATH_MAX, "%.*s", (int)n, name);
}

static int print_runs(const struct sides *s, const char *const names[2])
{
	const struct run_doc *a = s->a, *b = s->b;
	struct table t = { .columns = 3 };
	char stems[2][SYSROOT_PATH_MAX];

	for (size_t i = 0; i < 2; i++) {
		run_stem(names[i], stems[i]);
		if (text_width(stems[i]) > t.least)
			t.least = text_width(stems[i]);
	}
	table_add(&t, (const char *[]) { "", "A", "B" });
	add_texts(&t, _("Run"), stems[0], stems[1]);
	add_texts(&t, _("Started"), a->started, b->started);
	add_texts(&t, _("Label"), a->label, b->label);
	add_texts(&t, _("Board"), a->model, b->model);
	add_texts(&t, _("Kernel"), a->kernel, b->kernel);
	add_texts(&t, _("Profile"), a->profile, b->profile);
	add_texts(&t, _("Interface"), a->nic, b->nic);
	add_texts(&t, _("Peer"), a->peer, b->peer);
	if (a->trial || b->trial)
		add_texts(&t, _("Verdict"), run_view_verdict_of(a),
			  run_view_verdict_of(b));
	if (a->trial)
		add_ratios(&t, s);
	return finish_table(&t, _("Runs"), s->f);
}

/* ---- figures ---- */

static int print_values(struct sides *s, enum trial_side side,
			enum run_compare_value value, const char *title)
{
	struct table t = { .columns = 5, .right = 7 << 1 };
	int r = 0;

	table_add(&t, (const char *[]) { _("test"), "A", "B", "B / A",
					 /* xgettext:no-c-format */
					 _("95 % interval") });
	for (size_t i = 0; i < s->a->n_cells && r == 0; i++) {
		const char *cell = s->a->cells[i].name;
		struct run_compared c = { NAN, NAN, { NAN, NAN, NAN, NAN } };
		char a[RUN_VIEW_CELL], b[RUN_VIEW_CELL], ratio[RUN_VIEW_CELL],
			interval[RUN_VIEW_CELL];

		r = run_compare_cell(s->a, s->b, cell, side, value, s->a->n_cells, &c);
		if (r < 0 || (!isfinite(c.a) && !isfinite(c.b)))
			continue;
		if (s->a->trial && side == TRIAL_BEFORE &&
		    (c.ratio.low > 1 || c.ratio.high < 1))
			s->conditions = true;
		table_add(&t,
			  (const char *[]) {
				  run_view_label(cell), run_view_figure(a, "%.1f", c.a),
				  run_view_figure(b, "%.1f", c.b),
				  run_view_figure(ratio, "%.3f", c.ratio.ratio),
				  run_view_interval(interval, &c.ratio) });
	}
	if (r < 0)
		t.error = r;
	return finish_table(&t, title, s->f);
}

static void add_four(struct table *t, const char *name, const char *format,
		     const double x[4])
{
	char text[4][RUN_VIEW_CELL];
	const char *cells[5] = { name };
	bool any = false;

	for (size_t i = 0; i < 4; i++) {
		cells[i + 1] = run_view_figure(text[i], format, x[i]);
		any |= isfinite(x[i]);
	}
	/* Of A and B as they were: there is no after. */
	if (t->columns == 3)
		cells[2] = cells[3];
	if (any)
		table_add(t, cells);
}

static double mhz_of(const struct run_doc_side *s, unsigned policy)
{
	return policy < s->n_clocks ? s->mhz[policy] : NAN;
}

static void add_latencies(struct table *t, const struct sides *s)
{
	const struct run_doc_side *a = s->a->sides, *b = s->b->sides;

	add_four(t, _("idle, p95 ms"), "%.2f",
		 (const double[]) { a[0].idle.p95_ms, a[1].idle.p95_ms, b[0].idle.p95_ms,
				    b[1].idle.p95_ms });
	for (size_t i = 0; i < s->a->n_cells; i++) {
		const struct run_doc_cell *ca = &s->a->cells[i];
		const struct run_doc_cell *cb = run_doc_cell(s->b, ca->name);
		char name[RUN_VIEW_CELL];

		snprintf(name, sizeof(name), _("%s, p95 ms"), run_view_label(ca->name));
		add_four(t, name, "%.2f",
			 (const double[]) { ca->latency[0].p95_ms, ca->latency[1].p95_ms,
					    cb ? cb->latency[0].p95_ms : NAN,
					    cb ? cb->latency[1].p95_ms : NAN });
	}
}

static int print_board(const struct sides *s)
{
	const struct run_doc_side *a = s->a->sides, *b = s->b->sides;
	struct table t = { .columns = s->a->trial ? 5 : 3, .right = 15 << 1 };

	table_add(&t, s->a->trial ? (const char *[]) { "", _("A before"), _("A after"),
						       _("B before"), _("B after") }
				  : (const char *[]) { "", "A", "B" });
	add_four(&t, _("temperature, highest"), "%.1f C",
		 (const double[]) { a[0].celsius, a[1].celsius, b[0].celsius,
				    b[1].celsius });
	for (unsigned p = 0; p < SAMPLE_POLICIES_MAX; p++) {
		char name[RUN_VIEW_CELL];

		/* TRANSLATORS: a group of CPUs that share a clock, by number */
		snprintf(name, sizeof(name), _("clock %u, mean under load"), p);
		add_four(&t, name, "%.0f MHz",
			 (const double[]) { mhz_of(&a[0], p), mhz_of(&a[1], p),
					    mhz_of(&b[0], p), mhz_of(&b[1], p) });
	}
	add_latencies(&t, s);
	return finish_table(&t, _("Temperature, clocks, round-trip time"), s->f);
}

/* ---- what to know ---- */

/* What each run must not be read without; the same of both is one line. */
static void print_flags(const struct sides *s)
{
	for (unsigned k = 0; k < JUDGE_FLAGS_; k++) {
		const char *name = judge_flag_name(k);
		bool a = run_doc_has_flag(s->a, name), b = run_doc_has_flag(s->b, name);
		_cleanup_free_ char *text = NULL;

		if (!a && !b)
			continue;
		text = str_format("%s: %s: %s", a && b ? "A, B" : a ? "A" : "B", name,
				  judge_flag_meaning(k));
		if (text)
			text_wrap(s->f, text, 2, 4);
	}
}

static void print_notes(const struct sides *s)
{
	unsigned differs = run_compare_differences(s->a, s->b);

	fprintf(s->f, "\n%s\n", _("To know:"));
	if (differs & RUN_DIFFERS_BOARD)
		text_wrap(s->f, _("The runs are of different boards."), 2, 4);
	if (differs & RUN_DIFFERS_TESTS)
		text_wrap(s->f, _("The runs are of different tests."), 2, 4);
	if (s->a->trial && s->a->verdict == VERDICT_INCONCLUSIVE)
		text_wrap(s->f, _("A is inconclusive: its figures cannot be trusted."), 2,
			  4);
	if (s->b->trial && s->b->verdict == VERDICT_INCONCLUSIVE)
		text_wrap(s->f, _("B is inconclusive: its figures cannot be trusted."), 2,
			  4);
	print_flags(s);
	if (s->conditions)
		text_wrap(s->f,
			  _("Before the profile A and B differ as well: something else "
			    "changed between the runs. Compare their ratios after / "
			    "before instead."),
			  2, 4);
	text_wrap(s->f,
		  _("The intervals tell how the tests within each run vary, not what "
		    "may have changed between the runs."),
		  2, 4);
}

int run_compare_text(const struct run_doc *a, const struct run_doc *b,
		     const char *const names[2], FILE *f)
{
	static const struct {
		bool trial;
		enum trial_side side;
		enum run_compare_value value;
		const char *title;
	} tables[] = {
		{ true, TRIAL_AFTER, RUN_COMPARE_MBPS,
		  N_("After (with the profile), Mbit/s") },
		{ true, TRIAL_BEFORE, RUN_COMPARE_MBPS, N_("Before, Mbit/s") },
		{ true, TRIAL_AFTER, RUN_COMPARE_CPU,
		  N_("After (with the profile), CPU ms per GB") },
		{ false, TRIAL_BEFORE, RUN_COMPARE_MBPS, N_("Throughput, Mbit/s") },
		{ false, TRIAL_BEFORE, RUN_COMPARE_CPU,
		  N_("CPU time of the whole board, ms per GB") },
	};
	struct sides s = { .a = a, .b = b, .f = f };
	int r = print_runs(&s, names);

	for (size_t i = 0; i < ARRAY_SIZE(tables) && r == 0; i++)
		if (tables[i].trial == a->trial)
			r = print_values(&s, tables[i].side, tables[i].value,
					 _(tables[i].title));
	if (r == 0)
		r = print_board(&s);
	print_notes(&s);
	return r;
}
