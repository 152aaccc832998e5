// SPDX-License-Identifier: GPL-2.0-or-later
// run-plots.c - which plots a run has, and their points
#include <math.h>

#include "report/run-plot.h"
#include "report/run-view.h"

#define TRACE_MAX 1200 /* points of a plot; more than a screen shows */
#define PLOTS_MAX (2 * RUN_DOC_CELLS_MAX + 1 + SAMPLE_POLICIES_MAX)

enum series {
	SERIES_MBPS, /* of a cell, by test */
	SERIES_RTT,
	SERIES_CELSIUS, /* of the board, by sample */
	SERIES_MHZ,
};

/* What a plot shows: of a cell, or of a policy. */
struct subject {
	enum series series;
	const char *cell;
	unsigned policy;
};

static double test_value(const struct run_doc_test *t, enum series series)
{
	switch (series) {
	case SERIES_MBPS:
		return t->mbps;
	case SERIES_RTT:
		return t->latency.p95_ms;
	case SERIES_CELSIUS:
	case SERIES_MHZ:
		return NAN;
	}
	return NAN;
}

static double sample_value(const struct run_doc_sample *s, const struct subject *what)
{
	switch (what->series) {
	case SERIES_CELSIUS:
		return s->celsius;
	case SERIES_MHZ:
		return what->policy < s->n_clocks && s->khz[what->policy]
			       ? s->khz[what->policy] / 1000.0
			       : NAN;
	case SERIES_MBPS:
	case SERIES_RTT:
		return NAN;
	}
	return NAN;
}

static double test_end(const struct run_doc_test *t)
{
	return t->n_samples ? t->samples[t->n_samples - 1].at : t->at + t->seconds;
}

/* From the first test of a leg to the end of its last; false where no time is told. */
static bool leg_span(const struct run_doc_leg *leg, double *ret_from, double *ret_to)
{
	double from = NAN, to = NAN;

	for (size_t k = 0; k < leg->n_tests; k++) {
		from = fmin(from, leg->tests[k].at);
		to = fmax(to, test_end(&leg->tests[k]));
	}
	*ret_from = from;
	*ret_to = to;
	return isfinite(from) && isfinite(to) && to >= from;
}

static void mark_cell(const struct run_doc_leg *leg, const struct subject *what,
		      struct plot_mark *m)
{
	for (size_t k = 0; k < leg->n_tests; k++) {
		const struct run_doc_test *t = &leg->tests[k];

		if (!streq(t->name, what->cell) || !isfinite(t->at))
			continue;
		m->x = (t->at + fmax(test_end(t), t->at)) / 2;
		m->y = test_value(t, what->series);
	}
}

/* The highest temperature, the mean clock; and every @stride-th sample for the trace. */
static void mark_board(const struct run_doc_leg *leg, const struct subject *what,
		       size_t stride, struct run_plot *p, struct plot_mark *m)
{
	double sum = 0, high = NAN;
	size_t n = 0, seen = 0;

	m->first = p->n_trace;
	for (size_t k = 0; k < leg->n_tests; k++) {
		const struct run_doc_test *t = &leg->tests[k];

		for (size_t i = 0; i < t->n_samples && isfinite(t->at); i++, seen++) {
			double v = sample_value(&t->samples[i], what);

			if (!isfinite(v) || !isfinite(t->samples[i].at))
				continue;
			sum += v;
			n++;
			high = fmax(high, v);
			if (seen % stride == 0)
				p->trace[p->n_trace++] =
					(struct plot_point) { t->samples[i].at, v };
		}
	}
	m->n = p->n_trace - m->first;
	m->y = what->series == SERIES_CELSIUS ? high : n ? sum / n : NAN;
}

static size_t count_samples(const struct run_doc *doc)
{
	size_t n = 0;

	for (size_t i = 0; i < doc->n_legs; i++)
		for (size_t k = 0; k < doc->legs[i].n_tests; k++)
			n += doc->legs[i].tests[k].n_samples;
	return n;
}

static int plot_fill(const struct run_doc *doc, const struct subject *what,
		     struct run_plot *p)
{
	size_t samples = count_samples(doc), stride = samples / TRACE_MAX + 1;

	p->marks = calloc(doc->n_legs + 1, sizeof(*p->marks));
	if (!what->cell)
		p->trace = calloc(samples + 1, sizeof(*p->trace));
	if (!p->title || !p->marks || (!what->cell && !p->trace))
		return -ENOMEM;
	for (size_t i = 0; i < doc->n_legs; i++) {
		const struct run_doc_leg *leg = &doc->legs[i];
		struct plot_mark *m = &p->marks[p->n_marks];

		if (leg->discarded || !leg_span(leg, &m->from, &m->to))
			continue;
		m->side = leg->side;
		m->round = leg->pair + 1;
		m->x = m->from;
		m->y = NAN;
		if (what->cell)
			mark_cell(leg, what, m);
		else
			mark_board(leg, what, stride, p, m);
		p->n_marks++;
	}
	return 0;
}

/* One more plot, unless it would be empty. */
static int add_plot(const struct run_doc *doc, const struct subject *what, char *title,
		    struct run_plot *plots, size_t *n)
{
	static const struct {
		const char *unit, *format;
		bool from_zero;
	} kinds[] = {
		[SERIES_MBPS] = { "Mbit/s", "%.1f", true },
		[SERIES_RTT] = { "ms", "%.2f", true },
		[SERIES_CELSIUS] = { "C", "%.1f", false },
		[SERIES_MHZ] = { "MHz", "%.0f", true },
	};
	struct run_plot p = { .title = title,
			      .unit = kinds[what->series].unit,
			      .format = kinds[what->series].format,
			      .from_zero = kinds[what->series].from_zero };
	int r = plot_fill(doc, what, &p);

	if (r == 0 && !run_plot_empty(&p))
		plots[(*n)++] = p;
	else
		run_plot_clear(&p);
	return r;
}

static int add_cells(const struct run_doc *doc, enum series series, const char *title,
		     struct run_plot *plots, size_t *n)
{
	int r = 0;

	for (size_t i = 0; i < doc->n_cells && r == 0; i++) {
		struct subject what = { series, doc->cells[i].name, 0 };

		r = add_plot(doc, &what,
			     str_format("%s, %s", run_view_label(what.cell), title),
			     plots, n);
	}
	return r;
}

static int add_board(const struct run_doc *doc, struct run_plot *plots, size_t *n)
{
	struct subject what = { SERIES_CELSIUS, NULL, 0 };
	int r = add_plot(doc, &what, strdup(_("Temperature, C")), plots, n);

	what.series = SERIES_MHZ;
	for (; what.policy < SAMPLE_POLICIES_MAX && r == 0; what.policy++)
		r = add_plot(doc, &what, str_format(_("Clock %u, MHz"), what.policy),
			     plots, n);
	return r;
}

ssize_t run_plots_make(const struct run_doc *doc, struct run_plot **ret)
{
	struct run_plot *plots = calloc(PLOTS_MAX, sizeof(*plots));
	size_t n = 0;
	int r;

	if (!plots)
		return -ENOMEM;
	r = add_cells(doc, SERIES_MBPS, _("Mbit/s"), plots, &n);
	if (r == 0)
		r = add_cells(doc, SERIES_RTT, _("round-trip time p95, ms"), plots, &n);
	if (r == 0)
		r = add_board(doc, plots, &n);
	if (r < 0) {
		run_plots_free(plots, n);
		return r;
	}
	*ret = plots;
	return (ssize_t)n;
}

void run_plots_free(struct run_plot *plots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		run_plot_clear(&plots[i]);
	free(plots);
}
