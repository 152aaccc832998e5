// SPDX-License-Identifier: GPL-2.0-or-later
// judge.c - from the legs of a trial to a verdict with its reasons; pure functions
#include <limits.h>
#include <math.h>

#include "measure/judge-private.h"

static const char *const verdict_names[] = {
	[VERDICT_BETTER] = "better",
	[VERDICT_SAME] = "same",
	[VERDICT_WORSE] = "worse",
	[VERDICT_INCONCLUSIVE] = "inconclusive",
};

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
	[REASON_PEER_LIMITED] = { "peer-limited",
		N_("the peer had no CPU time left: what was measured is the peer") },
	[REASON_LATENCY_WORSE] = { "latency-worse",
		N_("the latency under load rose (p95, by half and by 2 ms or more)") },
	[REASON_THROTTLED_AFTER] = { "throttled-after",
		N_("the board throttled with the profile and not without it") },
	[REASON_THROTTLED_ONCE] = { "throttled-once",
		N_("the board throttled in some rounds with the profile, in none without "
		   "it") },
	[REASON_TOO_HOT] = { "too-hot",
		N_("hotter than the limit, and hotter than before") },
	[REASON_WRONG_NIC] = { "wrong-nic",
		N_("the traffic did not go through the interface under test") },
	[REASON_FOREIGN_TRAFFIC] = { "foreign-traffic",
		N_("other traffic went through the interface meanwhile") },
	[REASON_CLOCK_SKEW] = { "clock-skew",
		N_("the clocks of this machine and of the peer differ: rates cannot be "
		   "trusted") },
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

const char *judge_reason_name(enum judge_reason_kind k)
{
	return reasons[k].name;
}

const char *judge_reason_meaning(enum judge_reason_kind k)
{
	return _(reasons[k].meaning);
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
	/* Quick trials decide only about large differences, of cost, too. */
	double margin_cpu = config->margin > JUDGE_MARGIN_CPU ? config->margin :
								JUDGE_MARGIN_CPU;

	c->verdict = interval_judge(&c->throughput, config->margin);
	if (c->no_data)
		c->verdict = VERDICT_INCONCLUSIVE;
	/* What a peer at its limit does not take says nothing against the board. */
	if (c->peer_limited && c->verdict != VERDICT_BETTER)
		c->verdict = VERDICT_INCONCLUSIVE;
	if (!c->line_rate)
		return;
	c->verdict = interval_judge(&c->cpu, margin_cpu);
	/* Of cost less is better. */
	if (c->verdict == VERDICT_BETTER)
		c->verdict = VERDICT_WORSE;
	else if (c->verdict == VERDICT_WORSE)
		c->verdict = VERDICT_BETTER;
}

enum judge_reason_kind judge_reason_of_error(int error)
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
static bool void_judge(const struct judge_config *config, unsigned flags_void,
		       struct judgement *j)
{
	if (config->error)
		reason_add(j, judge_reason_of_error(config->error), NULL);
	else if (j->pairs < 2)
		reason_add(j, REASON_FEW_PAIRS, NULL);
	for (unsigned f = 0; f < JUDGE_FLAGS_; f++)
		if (flags_void & 1u << f)
			reason_add(j, judge_reason_of_flag(f), NULL);
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
		else if (c->peer_limited && which == VERDICT_INCONCLUSIVE)
			kind = REASON_PEER_LIMITED;
		reason_add(j, kind, c->cell);
	}
}

/* Up by half and 2 ms, and not by chance. */
static bool latency_worse(const struct judge_cell *c)
{
	double before = c->latency[TRIAL_BEFORE].p95, after = c->latency[TRIAL_AFTER].p95;

	return after >= before * JUDGE_LATENCY_RATIO &&
	       after >= before + JUDGE_LATENCY_MS && c->latency_p95.low > 1;
}

static bool too_hot(const struct judge_config *config, const struct judgement *j)
{
	int before = j->sides[TRIAL_BEFORE].millicelsius;
	int after = j->sides[TRIAL_AFTER].millicelsius;

	return config->max_millicelsius != INT_MIN && after > config->max_millicelsius &&
	       (before == INT_MIN || after - before >= JUDGE_HOTTER);
}

/* What is worse whatever the throughput. */
static void worse_judge(const struct judge_config *config, bool throttled_after,
			struct judgement *j)
{
	const struct judge_side *after = &j->sides[TRIAL_AFTER];

	/* Most of the legs: a single one may be chance, or somebody else's heat. */
	if (throttled_after && after->throttled_legs * 2 > after->legs)
		reason_add(j, REASON_THROTTLED_AFTER, NULL);
	if (too_hot(config, j))
		reason_add(j, REASON_TOO_HOT, NULL);
	for (size_t i = 0; i < j->n_cells; i++)
		if (latency_worse(&j->cells[i]))
			reason_add(j, REASON_LATENCY_WORSE, j->cells[i].cell);
}

static enum verdict verdict_find(const struct judge_config *config, unsigned flags_void,
				 struct judgement *j)
{
	/* The first of these that any cell has is the verdict. */
	static const enum verdict order[] = { VERDICT_BETTER, VERDICT_INCONCLUSIVE,
					      VERDICT_SAME };
	bool throttled_after = j->sides[TRIAL_AFTER].throttled &&
			       !j->sides[TRIAL_BEFORE].throttled;

	if (void_judge(config, flags_void, j))
		return VERDICT_INCONCLUSIVE;
	worse_judge(config, throttled_after, j);
	cells_reasons_add(j, VERDICT_WORSE);
	if (j->n_reasons)
		return VERDICT_WORSE;
	if (throttled_after) {
		reason_add(j, REASON_THROTTLED_ONCE, NULL);
		return VERDICT_INCONCLUSIVE;
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
	struct judgement j = { .n_cells = config->cells.n };
	struct judge_pairs pairs;
	unsigned flags_void;

	judge_pairs_find(legs, n, j.n_cells, &pairs);
	j.pairs = pairs.n;
	for (size_t c = 0; c < j.n_cells; c++) {
		judge_cell_measure(&pairs, &config->cells, c, &j.cells[c]);
		cell_judge(config, &j.cells[c]);
	}
	for (size_t s = 0; s < TRIAL_SIDES_; s++)
		judge_side_look(legs, n, s, &j.sides[s]);
	j.flags = judge_flags_find(config, legs, n, &j, &flags_void);
	j.verdict = verdict_find(config, flags_void, &j);
	*ret = j;
}
