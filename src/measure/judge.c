// SPDX-License-Identifier: GPL-2.0-or-later
// judge.c - from the legs of a trial to a verdict with its reasons; pure functions
#include <limits.h>
#include <math.h>

#include "measure/judge.h"

#define PAIRS_MAX 512
#define MBPS_FLOOR 1e-3 /* a stalled test has a ratio, too */
#define MBPS_NOTHING (MBPS_FLOOR * 1.001) /* a mean of such tests, with its rounding */

static const struct stats_interval no_interval = { NAN, NAN, NAN, INFINITY };

static const char *const verdict_names[] = {
	[VERDICT_BETTER] = "better",
	[VERDICT_SAME] = "same",
	[VERDICT_WORSE] = "worse",
	[VERDICT_INCONCLUSIVE] = "inconclusive",
};

static const struct {
	const char *name, *meaning;
} flags[] = {
	[JUDGE_THROTTLED] = { "throttled",
		N_("cooling held the clocks down during the tests") },
	[JUDGE_WRONG_NIC] = { "wrong-nic",
		N_("the traffic did not go through the interface under test") },
	[JUDGE_NO_SENSOR] = { "no-sensor",
		N_("no usable temperature sensor: heat and throttling are not judged") },
	[JUDGE_BUSY_SERVER] = { "busy-server",
		N_("the server was busy with another client; rounds were repeated") },
	[JUDGE_LINE_RATE] = { "line-rate",
		N_("the link is full: the CPU cost per byte decides") },
	[JUDGE_PEER_UNKNOWN] = { "peer-unknown",
		N_("the load of the peer is not known; it may be the limit") },
	[JUDGE_SHORT] = { "short",
		N_("fewer, shorter or other tests than a full trial") },
};
_Static_assert(ARRAY_SIZE(flags) == JUDGE_FLAGS_, "one row per flag");

static const struct {
	const char *name, *meaning;
} reasons[] = {
	[REASON_THROUGHPUT_BETTER] = { "throughput-better", N_("throughput rose") },
	[REASON_THROUGHPUT_WORSE] = { "throughput-worse", N_("throughput fell") },
	[REASON_THROUGHPUT_SAME] = { "throughput-same",
		N_("throughput stayed within the margin") },
	[REASON_CPU_BETTER] = { "cpu-better",
		N_("at line rate, and the CPU cost per byte fell") },
	[REASON_CPU_WORSE] = { "cpu-worse",
		N_("at line rate, and the CPU cost per byte rose") },
	[REASON_CPU_SAME] = { "cpu-same",
		N_("at line rate, and the CPU cost per byte stayed within the margin") },
	[REASON_WIDE] = { "wide-interval",
		N_("the measurements vary too much to tell; try more rounds") },
	[REASON_CPU_UNKNOWN] = { "cpu-unknown",
		N_("at line rate, and the CPU cost per byte is not known") },
	[REASON_NO_DATA] = { "no-data", N_("no data arrived") },
	[REASON_THROTTLED_AFTER] = { "throttled-after",
		N_("the board throttled with the profile and not without it") },
	[REASON_TOO_HOT] = { "too-hot",
		N_("hotter than the limit, and hotter than before") },
	[REASON_WRONG_NIC] = { "wrong-nic",
		N_("the traffic did not go through the interface under test") },
	[REASON_FEW_PAIRS] = { "few-rounds", N_("fewer than two whole rounds") },
	[REASON_PEER_LOST] = { "peer-lost", N_("the peer was lost") },
	[REASON_PEER_BUSY] = { "peer-busy",
		N_("the server stayed busy with other clients") },
	[REASON_STOPPED] = { "stopped", N_("stopped by a signal") },
	[REASON_OVERHEATED] = { "overheated",
		N_("stopped 5 C below the critical temperature") },
	[REASON_SENSOR_LOST] = { "sensor-lost",
		N_("stopped: the temperature sensor gave no reading for 5 s") },
	[REASON_FAILED] = { "failed", N_("a step of the trial failed") },
};
_Static_assert(ARRAY_SIZE(reasons) == JUDGE_REASONS_, "one row per reason");

const char *verdict_name(enum verdict v)
{
	return verdict_names[v];
}

const char *judge_flag_name(enum judge_flag f)
{
	return flags[f].name;
}

const char *judge_flag_meaning(enum judge_flag f)
{
	return _(flags[f].meaning);
}

const char *judge_reason_name(enum judge_reason_kind k)
{
	return reasons[k].name;
}

const char *judge_reason_meaning(enum judge_reason_kind k)
{
	return _(reasons[k].meaning);
}

static const struct leg *leg_find(const struct leg *legs, size_t n, enum trial_side side,
				  unsigned pair, size_t cells)
{
	for (size_t i = 0; i < n; i++)
		if (legs[i].side == side && legs[i].pair == pair && !legs[i].discarded &&
		    legs[i].n_tests == cells)
			return &legs[i];
	return NULL;
}

/* The whole pairs, in order; their number. */
static size_t pairs_find(const struct leg *legs, size_t n, size_t cells,
			 const struct leg *pairs[][TRIAL_SIDES_])
{
	unsigned last = 0;
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (legs[i].pair > last)
			last = legs[i].pair;
	for (unsigned p = 0; p <= last && found < PAIRS_MAX; p++) {
		const struct leg *a = leg_find(legs, n, TRIAL_BEFORE, p, cells);
		const struct leg *b = leg_find(legs, n, TRIAL_AFTER, p, cells);

		if (!a || !b)
			continue;
		pairs[found][TRIAL_BEFORE] = a;
		pairs[found++][TRIAL_AFTER] = b;
	}
	return found;
}

static double rate_of(const struct test_result *t)
{
	return t->traffic.mbps > MBPS_FLOOR ? t->traffic.mbps : MBPS_FLOOR;
}

static double cost_of(const struct test_result *t)
{
	return t->cpu_ms_per_gb;
}

/* Means of both sides and the interval of one figure of one cell. */
static void figure_compare(const struct leg *pairs[][TRIAL_SIDES_], size_t n, size_t cell,
			   size_t n_cells, double (*figure)(const struct test_result *),
			   double ret_mean[TRIAL_SIDES_], struct stats_interval *ret)
{
	double x[TRIAL_SIDES_][PAIRS_MAX];

	for (size_t i = 0; i < n; i++)
		for (size_t s = 0; s < TRIAL_SIDES_; s++)
			x[s][i] = figure(&pairs[i][s]->tests[cell]);
	for (size_t s = 0; s < TRIAL_SIDES_; s++)
		ret_mean[s] = stats_geometric_mean(x[s], n);
	if (stats_ratio_interval(x[TRIAL_BEFORE], x[TRIAL_AFTER], n, JUDGE_ALPHA, n_cells,
				 ret) < 0)
		*ret = no_interval;
}

/* The speed of the link of every test of a cell; 0 unless it is known and the same. */
static double line_of(const struct leg *pairs[][TRIAL_SIDES_], size_t n, size_t cell)
{
	double line = n ? pairs[0][TRIAL_BEFORE]->tests[cell].line_mbps : 0;

	for (size_t i = 0; i < n; i++)
		for (size_t s = 0; s < TRIAL_SIDES_; s++)
			if (pairs[i][s]->tests[cell].line_mbps != line)
				return 0;
	return line;
}

/* The figures of one cell, and which of them decides. */
static void cell_measure(const struct leg *pairs[][TRIAL_SIDES_], size_t n, size_t cell,
			 const struct cell_list *cells, struct judge_cell *ret)
{
	double full = line_of(pairs, n, cell) * JUDGE_LINE_SHARE;
	struct judge_cell c = { .cell = cells->cells[cell] };

	figure_compare(pairs, n, cell, cells->n, rate_of, c.mbps, &c.throughput);
	figure_compare(pairs, n, cell, cells->n, cost_of, c.cpu_ms_per_gb, &c.cpu);
	c.line_rate = full > 0 && c.mbps[TRIAL_BEFORE] >= full &&
		      c.mbps[TRIAL_AFTER] >= full;
	c.no_data = c.mbps[TRIAL_BEFORE] <= MBPS_NOTHING &&
		    c.mbps[TRIAL_AFTER] <= MBPS_NOTHING;
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
	const struct leg *pairs[PAIRS_MAX][TRIAL_SIDES_];
	size_t n_pairs = pairs_find(legs, n, cells->n, pairs);
	double widest = n_pairs < 2 ? INFINITY : 0;

	for (size_t i = 0; i < cells->n; i++) {
		struct judge_cell c;
		double half;

		cell_measure(pairs, n_pairs, i, cells, &c);
		half = cell_half_width(&c);
		if (!(half <= widest))
			widest = half;
	}
	return widest;
}

/* Where an interval lies: the ratio of something of which more is better. */
static enum verdict interval_judge(const struct stats_interval *i, double margin)
{
	if (i->high < 1 - margin)
		return VERDICT_WORSE;
	if (i->low > 1 + margin)
		return VERDICT_BETTER;
	if (i->low >= 1 - margin && i->high <= 1 + margin)
		return VERDICT_SAME;
	return VERDICT_INCONCLUSIVE;
}

static void reason_add(struct judgement *j, enum judge_reason_kind kind,
		       const struct cell *cell)
{
	if (j->n_reasons < JUDGE_REASONS_MAX)
		j->reasons[j->n_reasons++] = (struct judge_reason){ kind, cell };
}

static void cell_judge(const struct judge_config *config, struct judge_cell *c)
{
	c->verdict = interval_judge(&c->throughput, config->margin);
	if (c->no_data)
		c->verdict = VERDICT_INCONCLUSIVE;
	if (!c->line_rate)
		return;
	c->verdict = interval_judge(&c->cpu, JUDGE_MARGIN_CPU);
	/* Of cost less is better. */
	if (c->verdict == VERDICT_BETTER)
		c->verdict = VERDICT_WORSE;
	else if (c->verdict == VERDICT_WORSE)
		c->verdict = VERDICT_BETTER;
}

/* Sums over the tests of a side, by policy. */
struct clocks {
	uint64_t sum[SAMPLE_POLICIES_MAX];
	unsigned count[SAMPLE_POLICIES_MAX];
	uint32_t lowest[SAMPLE_POLICIES_MAX];
};

static void test_look(const struct test_result *t, struct clocks *c,
		      struct judge_side *side)
{
	side->tested = true;
	if (t->millicelsius > side->millicelsius)
		side->millicelsius = t->millicelsius;
	side->throttled |= t->cooling > 0;
	if (t->n_policies > side->n_policies)
		side->n_policies = t->n_policies;
	for (unsigned p = 0; p < t->n_policies; p++) {
		c->sum[p] += t->cur_khz[p];
		c->count[p] += t->cur_khz[p] > 0;
		if (t->high_khz[p] > side->max_khz[p])
			side->max_khz[p] = t->high_khz[p];
		if (t->low_khz[p] && (!c->lowest[p] || t->low_khz[p] < c->lowest[p]))
			c->lowest[p] = t->low_khz[p];
	}
}

/* Throttled: a cooling state above 0, or a limit below the side's own highest. */
static void side_look(const struct leg *legs, size_t n, enum trial_side side,
		      struct judge_side *ret)
{
	struct clocks clocks = {};

	*ret = (struct judge_side){ .millicelsius = INT_MIN };
	for (size_t i = 0; i < n; i++) {
		/* What was measured beside another client's test says nothing. */
		if (legs[i].side != side || legs[i].discarded)
			continue;
		for (size_t k = 0; k < legs[i].n_tests; k++)
			test_look(&legs[i].tests[k], &clocks, ret);
	}
	for (unsigned p = 0; p < ret->n_policies; p++) {
		ret->cur_khz[p] = clocks.count[p] ? clocks.sum[p] / clocks.count[p] : 0;
		ret->throttled |= clocks.lowest[p] && clocks.lowest[p] < ret->max_khz[p];
	}
}

/* Tested without a single usable reading. */
static bool side_unread(const struct judge_side *s)
{
	return s->tested && s->millicelsius == INT_MIN;
}

static void flags_find(const struct judge_config *config, const struct leg *legs,
		       size_t n, struct judgement *j)
{
	bool set[JUDGE_FLAGS_] = {
		[JUDGE_THROTTLED] = j->sides[TRIAL_BEFORE].throttled ||
				    j->sides[TRIAL_AFTER].throttled,
		[JUDGE_WRONG_NIC] = config->untouched,
		[JUDGE_NO_SENSOR] = !config->has_sensor ||
				    side_unread(&j->sides[TRIAL_BEFORE]) ||
				    side_unread(&j->sides[TRIAL_AFTER]),
		[JUDGE_PEER_UNKNOWN] = !config->peer_known,
		[JUDGE_SHORT] = config->shortened,
	};

	for (size_t i = 0; i < n; i++) {
		set[JUDGE_BUSY_SERVER] |= legs[i].discarded;
		if (legs[i].discarded)
			continue;
		for (size_t k = 0; k < legs[i].n_tests; k++)
			set[JUDGE_WRONG_NIC] |= legs[i].tests[k].wrong_nic;
	}
	for (size_t c = 0; c < j->n_cells; c++)
		set[JUDGE_LINE_RATE] |= j->cells[c].line_rate;
	for (unsigned f = 0; f < JUDGE_FLAGS_; f++)
		j->flags |= set[f] ? 1u << f : 0;
}

static enum judge_reason_kind error_reason(int error)
{
	switch (error) {
	case -EINTR:
		return REASON_STOPPED;
	case -EOVERFLOW:
		return REASON_OVERHEATED;
	case -ENODATA:
		return REASON_SENSOR_LOST;
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
	case -ENETDOWN:
	case -ETIMEDOUT:
	case -EPIPE:
	case -EPROTO:
		return REASON_PEER_LOST;
	case -EBUSY:
		return REASON_PEER_BUSY;
	}
	return REASON_FAILED;
}

/* What makes any figure void. */
static bool void_judge(const struct judge_config *config, struct judgement *j)
{
	if (config->error)
		reason_add(j, error_reason(config->error), NULL);
	else if (j->pairs < 2)
		reason_add(j, REASON_FEW_PAIRS, NULL);
	if (j->flags & 1u << JUDGE_WRONG_NIC)
		reason_add(j, REASON_WRONG_NIC, NULL);
	return j->n_reasons > 0;
}

static void cells_reasons_add(struct judgement *j, enum verdict which)
{
	static const enum judge_reason_kind kinds[][2] = {
		[VERDICT_BETTER] = { REASON_THROUGHPUT_BETTER, REASON_CPU_BETTER },
		[VERDICT_SAME] = { REASON_THROUGHPUT_SAME, REASON_CPU_SAME },
		[VERDICT_WORSE] = { REASON_THROUGHPUT_WORSE, REASON_CPU_WORSE },
		[VERDICT_INCONCLUSIVE] = { REASON_WIDE, REASON_WIDE },
	};

	for (size_t i = 0; i < j->n_cells; i++) {
		const struct judge_cell *c = &j->cells[i];
		enum judge_reason_kind kind = kinds[which][c->line_rate];

		if (c->verdict != which)
			continue;
		if (c->no_data)
			kind = REASON_NO_DATA;
		else if (c->line_rate && !isfinite(c->cpu.ratio))
			kind = REASON_CPU_UNKNOWN;
		reason_add(j, kind, c->cell);
	}
}

static enum verdict verdict_find(const struct judge_config *config, struct judgement *j)
{
	/* The first of these that any cell has is the verdict. */
	static const enum verdict order[] = { VERDICT_WORSE, VERDICT_BETTER,
					      VERDICT_INCONCLUSIVE, VERDICT_SAME };
	const struct judge_side *before = &j->sides[TRIAL_BEFORE];
	const struct judge_side *after = &j->sides[TRIAL_AFTER];

	if (void_judge(config, j))
		return VERDICT_INCONCLUSIVE;
	if (after->throttled && !before->throttled)
		reason_add(j, REASON_THROTTLED_AFTER, NULL);
	if (config->max_millicelsius != INT_MIN &&
	    after->millicelsius > config->max_millicelsius &&
	    after->millicelsius > before->millicelsius)
		reason_add(j, REASON_TOO_HOT, NULL);
	if (j->n_reasons) {
		cells_reasons_add(j, VERDICT_WORSE);
		return VERDICT_WORSE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		cells_reasons_add(j, order[i]);
		if (j->n_reasons)
			return order[i];
	}
	return VERDICT_INCONCLUSIVE;
}

void judge_legs(const struct judge_config *config, const struct leg *legs, size_t n,
		struct judgement *ret)
{
	const struct leg *pairs[PAIRS_MAX][TRIAL_SIDES_];
	struct judgement j = { .n_cells = config->cells.n };

	j.pairs = pairs_find(legs, n, j.n_cells, pairs);
	for (size_t c = 0; c < j.n_cells; c++) {
		cell_measure(pairs, j.pairs, c, &config->cells, &j.cells[c]);
		cell_judge(config, &j.cells[c]);
	}
	for (size_t s = 0; s < TRIAL_SIDES_; s++)
		side_look(legs, n, s, &j.sides[s]);
	flags_find(config, legs, n, &j);
	j.verdict = verdict_find(config, &j);
	*ret = j;
}
