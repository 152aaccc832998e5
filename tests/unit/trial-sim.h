/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial-sim.h - a board whose figures vary as real ones do, for trial_run() */
#ifndef BOARDTUNE_TRIAL_SIM_H
#define BOARDTUNE_TRIAL_SIM_H

#include <limits.h>
#include <math.h>

#include "measure/judge.h"
#include "measure/trial.h"

#define SIM_RTTS 10 /* of a test: real ones have more, and vary less */
#define SIM_TEST_OVERHEAD 0.3

/*
 * What varies beside the settings. The spread is the standard deviation of one test's
 * rate from round to round; a share of it is common to all tests of a leg, one is a
 * slow wander of each kind of test, the rest is new in every test. @tau: seconds after
 * which 63 % of common and wander are forgotten (an Ornstein-Uhlenbeck process, AR(1)
 * between tests); 0: at once.
 */
struct sim_model {
	const char *name;
	double spread, common, wander, tau;
	double drift;   /* of the rate, over 15 minutes */
	double warm_up; /* of the rate, lost with a time constant of two minutes */
	double outliers; /* share of tests that lose a fifth */
	double throttles; /* share of legs with a cooling state */
	bool line_rate; /* a full link of 1000 Mbit/s: the spread is that of the cost */
	bool blocks;
	bool any;       /* all of it drawn anew for each trial */
	bool quiet;     /* no latency: it takes time to simulate */
};

static const struct sim_model sim_models[] = {
	{ .name = "spread 1 %", .spread = 0.01 },
	{ .name = "spread 2 %", .spread = 0.02 },
	{ .name = "spread 3 %", .spread = 0.03 },
	{ .name = "3 %, half common to a leg", .spread = 0.03, .common = 0.5 },
	{ .name = "2 %, forgotten in 40 s", .spread = 0.02, .common = 0.4, .wander = 0.4,
	  .tau = 40 },
	{ .name = "2 %, forgotten in 200 s", .spread = 0.02, .common = 0.4, .wander = 0.4,
	  .tau = 200 },
	{ .name = "3 %, all forgotten in 100 s", .spread = 0.03, .common = 0.5,
	  .wander = 0.5, .tau = 100 },
	{ .name = "1 %, drift of 10 %", .spread = 0.01, .drift = -0.10 },
	{ .name = "1 %, warm-up of 5 %", .spread = 0.01, .warm_up = 0.05 },
	{ .name = "2 %, 3 % outliers", .spread = 0.02, .outliers = 0.03 },
	{ .name = "any of it", .any = true },
	{ .name = "line rate, cost 2 %", .spread = 0.02, .line_rate = true },
	{ .name = "1 %, a tenth throttles", .spread = 0.01, .throttles = 0.1 },
	{ .name = "A..A B..B A..A, 1 %", .spread = 0.01, .blocks = true },
	{ .name = "A..A B..B A..A, 2 %", .spread = 0.02, .blocks = true },
	{ .name = "A..A B..B A..A, drift", .spread = 0.01, .drift = -0.10,
	  .blocks = true },
	{ .name = "A..A B..B A..A, 40 s", .spread = 0.02, .common = 0.4, .wander = 0.4,
	  .tau = 40, .blocks = true },
	{ .name = "A..A B..B A..A, 200 s", .spread = 0.02, .common = 0.4, .wander = 0.4,
	  .tau = 200, .blocks = true },
	{ .name = "A..A B..B A..A, any", .any = true, .blocks = true },
};

/* One trial. */
struct sim {
	struct sim_model model;
	double effect; /* factor of rate after, inverse factor of cost */
	uint64_t random;
	double spare; /* Box and Muller's second deviate; NAN: none */
	double now;
	double common, common_at;
	double wander[CELLS_MAX], wander_at[CELLS_MAX];
	double leg_rtt;
	unsigned cooling;
};

/* Splitmix64: every seed, even small ones in a row, begins somewhere else. */
static uint64_t sim_bits(struct sim *s)
{
	uint64_t z = s->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double sim_uniform(struct sim *s)
{
	return ((sim_bits(s) >> 11) + 0.5) / (1ull << 53);
}

/* Box and Muller's normal deviates: two at a time. */
static double sim_normal(struct sim *s)
{
	double spare = s->spare, r, angle;

	s->spare = NAN;
	if (isfinite(spare))
		return spare;
	r = sqrt(-2 * log(sim_uniform(s)));
	angle = 2 * M_PI * sim_uniform(s);
	s->spare = r * sin(angle);
	return r * cos(angle);
}

static void sim_wander(struct sim *s, double *x, double *at)
{
	double kept = s->model.tau > 0 ? exp(-(s->now - *at) / s->model.tau) : 0;

	*x = *x * kept + sqrt(1 - kept * kept) * sim_normal(s);
	*at = s->now;
}

static double sim_noise(struct sim *s, size_t cell, bool first)
{
	const struct sim_model *m = &s->model;
	double lost = m->warm_up * (1 - exp(-s->now / 120)) - m->drift * s->now / 900;

	if (first) {
		sim_wander(s, &s->common, &s->common_at);
		s->leg_rtt = exp(0.2 * sim_normal(s));
		s->cooling = sim_uniform(s) < m->throttles;
	}
	sim_wander(s, &s->wander[cell], &s->wander_at[cell]);
	if (sim_uniform(s) < m->outliers)
		lost += 0.2;
	return m->spread * (sqrt(m->common) * s->common +
			    sqrt(m->wander) * s->wander[cell] +
			    sqrt(1 - m->common - m->wander) * sim_normal(s)) - lost;
}

static int sim_measure(void *userdata, const struct trial_progress *where,
		       struct test_result *ret)
{
	struct sim *s = userdata;
	struct cell_list cells = cell_list_all();
	double after = where->side == TRIAL_AFTER ? s->effect : 1, noise;
	size_t cell = 0;

	while (cells.cells[cell] != where->cell)
		cell++;
	noise = sim_noise(s, cell, cell == 0);
	s->now += TRIAL_SECONDS + TRIAL_OMIT + SIM_TEST_OVERHEAD;
	*ret = (struct test_result){
		.traffic = { .mbps = 640 * after * exp(noise), .retransmits = -1,
			     .peer_busiest = 0.3 },
		.cpu_ms_per_gb = 800 / after * exp(-noise),
		.millicelsius = 60000,
		.cooling = s->cooling,
		.n_policies = 1,
		.cur_khz = { 1000000 }, .low_khz = { 1000000 }, .high_khz = { 1000000 },
		.foreign_mbps = NAN, .busy = 0.5, .busiest = 0.7, .rpi = -1,
		.rtt_ms = calloc(SIM_RTTS, sizeof(double)),
	};
	if (!ret->rtt_ms)
		return -ENOMEM;
	if (s->model.line_rate) {
		ret->traffic.mbps = 941 * exp(0.0005 * sim_normal(s));
		ret->line_mbps = 1000;
	}
	for (; !s->model.quiet && ret->n_rtt < SIM_RTTS; ret->n_rtt++)
		ret->rtt_ms[ret->n_rtt] = 3 * s->leg_rtt * exp(0.5 * sim_normal(s));
	return 0;
}

static int sim_switch(void *userdata, enum trial_side side)
{
	struct sim *s = userdata;

	s->now += 1;
	return 0;
}

static int sim_ready(void *userdata, double seconds)
{
	return 0;
}

static int sim_sleep(void *userdata, double seconds)
{
	struct sim *s = userdata;

	s->now += seconds;
	return 0;
}

static double sim_now(void *userdata)
{
	struct sim *s = userdata;

	return s->now;
}

static const struct trial_ops sim_ops = { sim_measure, sim_switch, sim_ready, sim_sleep,
					  sim_now };

/* All that a board may do at once, within what is usual. */
static void sim_draw(struct sim *s)
{
	s->model.spread = 0.01 + 0.02 * sim_uniform(s);
	s->model.common = 0.5 * sim_uniform(s);
	s->model.wander = 0.5 * sim_uniform(s);
	s->model.tau = 200 * sim_uniform(s);
	s->model.drift = -0.05 + 0.10 * sim_uniform(s);
	s->model.warm_up = 0.03 * sim_uniform(s);
	s->model.outliers = 0.01 * sim_uniform(s);
}

/* What many trials came to. */
struct sim_tally {
	unsigned trials, verdicts[VERDICT_INCONCLUSIVE + 1];
	unsigned covered; /* every interval of throughput holds the truth */
	double pairs, seconds; /* means */
};

static bool sim_covered(const struct judgement *j, double truth)
{
	for (size_t i = 0; i < j->n_cells; i++)
		if (!(j->cells[i].throughput.low <= truth &&
		      j->cells[i].throughput.high >= truth))
			return false;
	return true;
}

/* One whole trial, all by its defaults. Returns 0 or -errno. */
static int sim_trial(const struct sim_model *model, double effect, uint64_t seed,
		     struct sim_tally *t)
{
	struct sim s = { .model = *model, .effect = effect, .random = seed,
			 .spare = NAN };
	struct trial_config config = { .cells = cell_list_all(), .blocks = model->blocks,
				       .seconds = TRIAL_SECONDS, .omit = TRIAL_OMIT,
				       .budget = TRIAL_BUDGET };
	struct judge_config judging = { .cells = config.cells, .margin = JUDGE_MARGIN,
					.max_millicelsius = INT_MIN, .has_sensor = true };
	struct trial_result result;
	struct judgement j;
	int r;

	if (model->any)
		sim_draw(&s);
	/* What wanders has done so long before. */
	s.common = sim_normal(&s);
	for (size_t i = 0; i < CELLS_MAX; i++)
		s.wander[i] = sim_normal(&s);
	r = trial_run(&config, &sim_ops, &s, &result);
	judging.error = r;
	judge_legs(&judging, result.legs, result.n_legs, &j);
	trial_result_clear(&result);
	t->trials++;
	t->verdicts[j.verdict]++;
	/* A full link shows no effect. */
	t->covered += sim_covered(&j, model->line_rate ? 1 : effect);
	t->pairs += (j.pairs - t->pairs) / t->trials;
	t->seconds += (s.now - t->seconds) / t->trials;
	return r;
}

/* @trials trials with seeds of their own. Returns 0 or -errno. */
static int sim_trials(const struct sim_model *model, double effect, unsigned trials,
		      uint64_t seed, struct sim_tally *ret)
{
	*ret = (struct sim_tally){};
	for (unsigned i = 0; i < trials; i++) {
		int r = sim_trial(model, effect, (seed << 32) + i, ret);

		if (r < 0)
			return r;
	}
	return 0;
}

#endif
