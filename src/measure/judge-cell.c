// SPDX-License-Identifier: GPL-2.0-or-later
// judge-cell.c - pairs of legs, and what one cell of them comes to
#include <math.h>

#include "measure/judge-private.h"

#define MBPS_FLOOR 1e-3 /* a stalled test has a ratio, too */
#define MBPS_NOTHING (MBPS_FLOOR * 1.001) /* a mean of such tests, with its rounding */
/* Round-trip times that are sorted; of more, every so many are taken. */
#define RTT_MAX 4096

static const struct stats_interval no_interval = { NAN, NAN, NAN, INFINITY };

typedef double figure_fn(const struct test_result *t);

static double rate_of(const struct test_result *t)
{
	return t->traffic.mbps > MBPS_FLOOR ? t->traffic.mbps : MBPS_FLOOR;
}

static double cost_of(const struct test_result *t)
{
	return t->cpu_ms_per_gb;
}

static double busiest_of(const struct test_result *t)
{
	return t->busiest;
}

static double peer_busiest_of(const struct test_result *t)
{
	return t->traffic.peer_busiest;
}

/* The @which-th whole leg of a side and pair. */
static const struct leg *leg_find(const struct leg *legs, size_t n, enum trial_side side,
				  unsigned pair, size_t cells, unsigned which)
{
	for (size_t i = 0; i < n; i++)
		if (legs[i].side == side && legs[i].pair == pair && !legs[i].discarded &&
		    legs[i].n_tests == cells && !which--)
			return &legs[i];
	return NULL;
}

void judge_pairs_find(const struct leg *legs, size_t n, size_t cells,
		      struct judge_pairs *ret)
{
	unsigned last = 0;

	ret->n = 0;
	for (size_t i = 0; i < n; i++)
		if (legs[i].pair > last)
			last = legs[i].pair;
	for (unsigned p = 0; p <= last && ret->n < JUDGE_PAIRS_MAX; p++) {
		struct judge_pair pair = {
			{ leg_find(legs, n, TRIAL_BEFORE, p, cells, 0),
			  leg_find(legs, n, TRIAL_BEFORE, p, cells, 1) },
			leg_find(legs, n, TRIAL_AFTER, p, cells, 0),
		};

		if (pair.before[0] && pair.after)
			ret->pairs[ret->n++] = pair;
	}
}

/* The tests of a cell and side in a pair, at most two; their number. */
static size_t pair_tests(const struct judge_pair *pair, enum trial_side side, size_t cell,
			 const struct test_result *ret[2])
{
	size_t n = 0;

	if (side == TRIAL_AFTER) {
		ret[n++] = &pair->after->tests[cell];
		return n;
	}
	for (size_t i = 0; i < ARRAY_SIZE(pair->before); i++)
		if (pair->before[i])
			ret[n++] = &pair->before[i]->tests[cell];
	return n;
}

static double pair_figure(const struct judge_pair *pair, enum trial_side side,
			  size_t cell, figure_fn *figure)
{
	const struct test_result *tests[2];
	size_t n = pair_tests(pair, side, cell, tests);
	double x[2];

	for (size_t i = 0; i < n; i++)
		x[i] = figure(tests[i]);
	return stats_geometric_mean(x, n);
}

/* Means of both sides and the interval of one figure of one cell. */
static void figure_compare(const struct judge_pairs *pairs, size_t cell, size_t n_cells,
			   figure_fn *figure, double ret_mean[TRIAL_SIDES_],
			   struct stats_interval *ret)
{
	double x[TRIAL_SIDES_][JUDGE_PAIRS_MAX];

	for (size_t i = 0; i < pairs->n; i++)
		for (size_t s = 0; s < TRIAL_SIDES_; s++)
			x[s][i] = pair_figure(&pairs->pairs[i], s, cell, figure);
	for (size_t s = 0; s < TRIAL_SIDES_; s++)
		ret_mean[s] = stats_geometric_mean(x[s], pairs->n);
	if (stats_ratio_interval(x[TRIAL_BEFORE], x[TRIAL_AFTER], pairs->n, JUDGE_ALPHA,
				 n_cells, ret) < 0)
		*ret = no_interval;
}

/* The mean of those tests of a side that know the figure; NAN if none does. */
static double side_mean(const struct judge_pairs *pairs, enum trial_side side,
			size_t cell, figure_fn *figure)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct test_result *tests[2];
		size_t n = pair_tests(&pairs->pairs[i], side, cell, tests);

		for (size_t k = 0; k < n; k++) {
			double x = figure(tests[k]);

			sum += isfinite(x) ? x : 0;
			known += isfinite(x);
		}
	}
	return known ? sum / known : NAN;
}

static bool either_pinned(const struct judge_pairs *pairs, size_t cell, figure_fn *busy)
{
	return side_mean(pairs, TRIAL_BEFORE, cell, busy) >= JUDGE_PINNED ||
	       side_mean(pairs, TRIAL_AFTER, cell, busy) >= JUDGE_PINNED;
}

/* The rate of a link that is full both before and after; 0 unless its speed is known and
 * was the same in every test. */
static double full_rate(const struct judge_pairs *pairs, const struct cell *what,
			size_t cell)
{
	double line = pairs->n ? pairs->pairs[0].after->tests[cell].line_mbps : 0;

	for (size_t i = 0; i < pairs->n; i++)
		for (size_t s = 0; s < TRIAL_SIDES_; s++) {
			const struct test_result *tests[2];
			size_t n = pair_tests(&pairs->pairs[i], s, cell, tests);

			for (size_t k = 0; k < n; k++)
				if (tests[k]->line_mbps != line)
					return 0;
		}
	return what->direction == CLIENT_BIDIR ? line * 2 * JUDGE_LINE_SHARE_BIDIR :
						 line * JUDGE_LINE_SHARE;
}

/* Retransmits and drops of a side. */
static void losses_sum(const struct judge_pairs *pairs, enum trial_side side, size_t cell,
		       struct judge_cell *c)
{
	uint64_t bytes = 0, resent = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct test_result *tests[2];
		size_t n = pair_tests(&pairs->pairs[i], side, cell, tests);

		for (size_t k = 0; k < n; k++) {
			c->dropped[side] += tests[k]->softnet_dropped +
					    tests[k]->nic_dropped;
			if (tests[k]->traffic.retransmits < 0)
				continue;
			resent += tests[k]->traffic.retransmits;
			bytes += tests[k]->traffic.bytes;
		}
	}
	c->retransmits_per_gb[side] = bytes ? resent / (bytes / 1e9) : NAN;
}

/* Round-trip times of one side of a cell in some pairs. */
static struct judge_latency latency_find(const struct judge_pair *pairs, size_t n,
					 enum trial_side side, size_t cell)
{
	double rtt[RTT_MAX];
	struct judge_latency l = {};
	size_t seen = 0, used = 0, step;
	const struct test_result *tests[2];

	for (size_t i = 0; i < n; i++)
		for (size_t k = pair_tests(&pairs[i], side, cell, tests); k-- > 0;) {
			l.n += tests[k]->n_rtt;
			l.lost += tests[k]->rtt_lost;
		}
	step = l.n / RTT_MAX + 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = pair_tests(&pairs[i], side, cell, tests); k-- > 0;)
			for (size_t m = 0; m < tests[k]->n_rtt; m++)
				if (seen++ % step == 0)
					rtt[used++] = tests[k]->rtt_ms[m];
	stats_sort(rtt, used);
	l.p50 = stats_quantile(rtt, used, 0.5);
	l.p95 = stats_quantile(rtt, used, 0.95);
	l.p99 = stats_quantile(rtt, used, 0.99);
	return l;
}

static void latency_compare(const struct judge_pairs *pairs, size_t cell, size_t n_cells,
			    struct judge_cell *c)
{
	double p95[TRIAL_SIDES_][JUDGE_PAIRS_MAX];

	for (size_t s = 0; s < TRIAL_SIDES_; s++) {
		c->latency[s] = latency_find(pairs->pairs, pairs->n, s, cell);
		for (size_t i = 0; i < pairs->n; i++)
			p95[s][i] = latency_find(&pairs->pairs[i], 1, s, cell).p95;
	}
	if (stats_ratio_interval(p95[TRIAL_BEFORE], p95[TRIAL_AFTER], pairs->n,
				 JUDGE_ALPHA_LATENCY, n_cells, &c->latency_p95) < 0)
		c->latency_p95 = no_interval;
}

/* Throughput, cost, and whether the link is full: what the width depends on. */
static void cell_rates(const struct judge_pairs *pairs, const struct cell_list *cells,
		       size_t cell, struct judge_cell *c)
{
	double full = full_rate(pairs, cells->cells[cell], cell);

	c->cell = cells->cells[cell];
	figure_compare(pairs, cell, cells->n, rate_of, c->mbps, &c->throughput);
	figure_compare(pairs, cell, cells->n, cost_of, c->cpu_ms_per_gb, &c->cpu);
	c->line_rate = full > 0 && c->mbps[TRIAL_BEFORE] >= full &&
		       c->mbps[TRIAL_AFTER] >= full;
}

void judge_cell_measure(const struct judge_pairs *pairs, const struct cell_list *cells,
			size_t cell, struct judge_cell *ret)
{
	struct judge_cell c = {};

	cell_rates(pairs, cells, cell, &c);
	latency_compare(pairs, cell, cells->n, &c);
	for (size_t s = 0; s < TRIAL_SIDES_; s++)
		losses_sum(pairs, s, cell, &c);
	c.no_data = c.mbps[TRIAL_BEFORE] <= MBPS_NOTHING &&
		    c.mbps[TRIAL_AFTER] <= MBPS_NOTHING;
	c.cpu_bound = either_pinned(pairs, cell, busiest_of);
	/* On a full link the peer is not what limits. */
	c.peer_limited = !c.line_rate && either_pinned(pairs, cell, peer_busiest_of);
	*ret = c;
}

/* More pairs do not help where the cost cannot be known. */
static double cell_half_width(const struct judge_cell *c)
{
	if (c->line_rate && isfinite(c->cpu.ratio))
		return c->cpu.half * (JUDGE_MARGIN / JUDGE_MARGIN_CPU);
	return c->throughput.half;
}

double judge_half_width(const struct cell_list *cells, const struct leg *legs, size_t n)
{
	struct judge_pairs pairs;
	double widest;

	judge_pairs_find(legs, n, cells->n, &pairs);
	widest = pairs.n < 2 ? INFINITY : 0;
	for (size_t i = 0; i < cells->n; i++) {
		struct judge_cell c = {};
		double half;

		cell_rates(&pairs, cells, i, &c);
		half = cell_half_width(&c);
		if (!(half <= widest))
			widest = half;
	}
	return widest;
}
