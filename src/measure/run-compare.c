// SPDX-License-Identifier: GPL-2.0-or-later
// run-compare.c - two saved runs side by side; pure functions
#include <math.h>

#include "measure/run-compare.h"

unsigned run_compare_differences(const struct run_doc *a, const struct run_doc *b)
{
	unsigned bits = 0;

	if (!streq(a->model, b->model) || !streq(a->compatible, b->compatible))
		bits |= RUN_DIFFERS_BOARD;
	if (a->trial != b->trial || a->seconds != b->seconds || a->omit != b->omit ||
	    !streq(a->path, b->path) || a->n_cells != b->n_cells ||
	    a->udp != b->udp || a->zero_copy != b->zero_copy ||
	    a->streams != b->streams || a->bitrate != b->bitrate)
		bits |= RUN_DIFFERS_TESTS;
	for (size_t i = 0; i < a->n_cells; i++)
		if (!run_doc_cell(b, a->cells[i].name))
			bits |= RUN_DIFFERS_TESTS;
	return bits;
}

static double value_of(const struct run_doc_test *t, enum run_compare_value value)
{
	switch (value) {
	case RUN_COMPARE_MBPS:
		return t->mbps;
	case RUN_COMPARE_CPU:
		return t->cpu_ms_per_gb;
	}
	return NAN;
}

/* The positive values of a cell on a side; their number or -ENOMEM. */
static ssize_t collect(const struct run_doc *doc, const char *cell, enum trial_side side,
		       enum run_compare_value value, double **ret)
{
	double *x = calloc(doc->n_legs * RUN_DOC_CELLS_MAX + 1, sizeof(*x));
	size_t n = 0;

	if (!x)
		return -ENOMEM;
	for (size_t i = 0; i < doc->n_legs; i++) {
		const struct run_doc_leg *leg = &doc->legs[i];

		for (size_t k = 0; k < leg->n_tests; k++) {
			double v = value_of(&leg->tests[k], value);

			if (leg->side == side && !leg->discarded && v > 0 &&
			    streq(leg->tests[k].name, cell))
				x[n++] = v;
		}
	}
	*ret = x;
	return (ssize_t)n;
}

int run_compare_cell(const struct run_doc *a, const struct run_doc *b, const char *cell,
		     enum trial_side side, enum run_compare_value value,
		     unsigned comparisons, struct run_compared *ret)
{
	_cleanup_free_ double *xa = NULL, *xb = NULL;
	ssize_t na = collect(a, cell, side, value, &xa);
	ssize_t nb = na < 0 ? na : collect(b, cell, side, value, &xb);

	if (nb < 0)
		return (int)nb;
	ret->a = stats_geometric_mean(xa, (size_t)na);
	ret->b = stats_geometric_mean(xb, (size_t)nb);
	ret->ratio = (struct stats_interval) { ret->b / ret->a, NAN, NAN, NAN };
	/* below two values there is no interval: what was just written stays */
	stats_welch_interval(xa, (size_t)na, xb, (size_t)nb, JUDGE_ALPHA, comparisons,
			     &ret->ratio);
	return 0;
}
