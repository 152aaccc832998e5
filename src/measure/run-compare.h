/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-compare.h - two saved runs side by side: may they be, and how far apart are they */
#ifndef BOARDTUNE_RUN_COMPARE_H
#define BOARDTUNE_RUN_COMPARE_H

#include "measure/run-doc.h"

/* What makes two runs no pair, as bits. */
enum {
	RUN_DIFFERS_BOARD = 1 << 0, /* model or first compatible */
	RUN_DIFFERS_TESTS = 1 << 1, /* seconds, omitted seconds, path, kinds of test;
				     * one of them is of no trial */
};

/** run_compare_differences - bits of RUN_DIFFERS_*; 0: they may be compared */
unsigned run_compare_differences(const struct run_doc *a, const struct run_doc *b);

enum run_compare_value {
	RUN_COMPARE_MBPS,
	RUN_COMPARE_CPU, /* ms per GB */
};

struct run_compared {
	double a, b;		     /* geometric means; NAN for none */
	struct stats_interval ratio; /* b / a; NAN where one has fewer than two */
};

/**
 * run_compare_cell - one kind of test with one side's settings, in both runs
 * @comparisons: how many are judged together
 *
 * From the tests of all rounds that were not discarded. Returns 0 or -ENOMEM.
 */
int run_compare_cell(const struct run_doc *a, const struct run_doc *b, const char *cell,
		     enum trial_side side, enum run_compare_value value,
		     unsigned comparisons, struct run_compared *ret);

#endif
