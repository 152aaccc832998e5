// SPDX-License-Identifier: GPL-2.0-or-later
// judge-side.c - heat, clocks and throttling of all legs of one side
#include <limits.h>
#include <math.h>

#include "measure/judge-private.h"

/* The slope needs no more points than that; of more, every so many are taken. */
#define POINTS_MAX 1024

static void test_look(const struct test_result *t, uint64_t *sum, unsigned *count,
		      struct judge_side *side)
{
	side->tested = true;
	if (t->millicelsius > side->millicelsius)
		side->millicelsius = t->millicelsius;
	if (t->n_policies > side->n_policies)
		side->n_policies = t->n_policies;
	for (unsigned p = 0; p < t->n_policies; p++) {
		sum[p] += t->cur_khz[p];
		count[p] += t->cur_khz[p] > 0;
		if (t->high_khz[p] > side->max_khz[p])
			side->max_khz[p] = t->high_khz[p];
	}
}

/* A limit of a policy that is lower than what it was at its highest. */
static bool limit_sank(const struct judge_side *side, const uint32_t *khz, unsigned n)
{
	for (unsigned p = 0; p < n && p < side->n_policies; p++)
		if (khz[p] && khz[p] < side->max_khz[p])
			return true;
	return false;
}

/* Too weak a supply makes a Raspberry Pi's firmware lower the clocks, too. */
static bool leg_throttled(const struct judge_side *side, const struct leg *leg)
{
	for (size_t k = 0; k < leg->n_tests; k++) {
		const struct test_result *t = &leg->tests[k];

		if (t->cooling > 0 || t->rpi > 0 ||
		    limit_sank(side, t->low_khz, t->n_policies))
			return true;
	}
	return false;
}

static bool sample_throttled(const struct judge_side *side, const struct sample *s)
{
	return s->cooling > 0 || s->rpi > 0 ||
	       limit_sank(side, s->max_khz, s->n_policies);
}

/* Samples of a side while bytes were counted, from a round on. */
struct walk {
	const struct leg *legs;
	size_t n;
	enum trial_side side;
	unsigned from;
	size_t leg, test, sample; /* the next one */
};

static const struct sample *walk_next(struct walk *w)
{
	for (; w->leg < w->n; w->leg++, w->test = 0) {
		const struct leg *leg = &w->legs[w->leg];

		if (leg->side != w->side || leg->discarded || leg->pair < w->from)
			continue;
		for (; w->test < leg->n_tests; w->test++, w->sample = 0) {
			const struct test_result *t = &leg->tests[w->test];

			while (w->sample < t->n_samples) {
				const struct test_sample *s = &t->samples[w->sample++];

				if (s->counting)
					return &s->board;
			}
		}
	}
	return NULL;
}

static double share_find(const struct leg *legs, size_t n, enum trial_side side,
			 const struct judge_side *look)
{
	struct walk w = { .legs = legs, .n = n, .side = side };
	size_t all = 0, throttled = 0;

	for (const struct sample *s; (s = walk_next(&w));) {
		all++;
		throttled += sample_throttled(look, s);
	}
	return all ? (double)throttled / all : NAN;
}

/* Over the second half of the rounds: at the end of what was measured. */
static double slope_find(const struct leg *legs, size_t n, enum trial_side side)
{
	double minutes[POINTS_MAX], celsius[POINTS_MAX];
	struct walk w = { .legs = legs, .n = n, .side = side };
	size_t all = 0, step, points = 0;
	struct walk count;

	for (size_t i = 0; i < n; i++)
		if (!legs[i].discarded && (legs[i].pair + 1) / 2 > w.from)
			w.from = (legs[i].pair + 1) / 2;
	count = w;
	while (walk_next(&count))
		all++;
	step = all / POINTS_MAX + 1;
	for (size_t i = 0; i < all; i++) {
		const struct sample *s = walk_next(&w);

		if (i % step || s->millicelsius == INT_MIN)
			continue;
		minutes[points] = s->time / 60;
		celsius[points++] = s->millicelsius / 1e3;
	}
	return stats_slope(minutes, celsius, points);
}

void judge_side_look(const struct leg *legs, size_t n, enum trial_side side,
		     struct judge_side *ret)
{
	struct judge_side look = { .millicelsius = INT_MIN };
	uint64_t sum[SAMPLE_POLICIES_MAX] = {};
	unsigned count[SAMPLE_POLICIES_MAX] = {};

	/* What was measured beside another client's test says nothing. */
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < legs[i].n_tests; k++)
			if (legs[i].side == side && !legs[i].discarded)
				test_look(&legs[i].tests[k], sum, count, &look);
	for (unsigned p = 0; p < look.n_policies; p++)
		look.cur_khz[p] = count[p] ? sum[p] / count[p] : 0;
	for (size_t i = 0; i < n; i++) {
		if (legs[i].side != side || legs[i].discarded || !legs[i].n_tests)
			continue;
		look.legs++;
		look.throttled_legs += leg_throttled(&look, &legs[i]);
	}
	look.throttled = look.throttled_legs > 0;
	look.throttled_share = share_find(legs, n, side, &look);
	look.slope = slope_find(legs, n, side);
	*ret = look;
}
