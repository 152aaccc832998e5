// SPDX-License-Identifier: GPL-2.0-or-later
// trial.c - the loop of a trial: legs in the order A B B A, whatever measures them
#include "measure/judge.h"
#include "measure/trial.h"

#define TEST_OVERHEAD 0.3 /* seconds: connect, exchange of results */
#define SWITCH_OVERHEAD 1.0
#define BUSY_WAIT_FIRST 2.0
#define BUSY_WAIT_MAX 32.0
#define RETRY_WAIT 1.0
/* Seconds for the last of the tests that are tried until TRIAL_READY_WAIT is over. */
#define SWITCH_SLACK 15.0

struct trial {
	const struct trial_config *config;
	const struct trial_ops *ops;
	void *userdata;
	struct trial_result *result;
	double ready_by; /* until then a peer that does not answer is waited for */
};

enum trial_side trial_side_of(unsigned pair, bool second)
{
	return (pair % 2 == 1) != second ? TRIAL_AFTER : TRIAL_BEFORE;
}

double trial_duration(const struct trial_config *config, unsigned pairs)
{
	double test = config->seconds + config->omit + TEST_OVERHEAD;

	return pairs * (2 * config->cells.n * test + SWITCH_OVERHEAD);
}

void trial_duration_range(const struct trial_config *config, double *ret_least,
			  double *ret_most)
{
	double least = trial_duration(config,
				      config->pairs ? config->pairs : TRIAL_PAIRS_MIN);

	*ret_least = least;
	*ret_most = config->pairs || least > config->budget ? least : config->budget;
}

static double busy_wait_next(double wait)
{
	return wait * 2 > BUSY_WAIT_MAX ? BUSY_WAIT_MAX : wait * 2;
}

double trial_longest(const struct trial_config *config)
{
	unsigned least = config->pairs ? config->pairs : TRIAL_PAIRS_MIN;
	double attempt = trial_duration(config, 1) +
			 2 * (TRIAL_READY_WAIT + SWITCH_SLACK);
	double pair = attempt, wait = BUSY_WAIT_FIRST;

	for (unsigned i = 0; i < TRIAL_BUSY_MAX; i++) {
		pair += wait + attempt;
		wait = busy_wait_next(wait);
	}
	/* A pair that begins within the budget may end long after it. */
	if (config->pairs || least * pair > config->budget + pair)
		return least * pair;
	return config->budget + pair;
}

void trial_result_clear(struct trial_result *r)
{
	legs_free(r->legs, r->n_legs);
	*r = (struct trial_result){};
}

static int trial_switch(struct trial *t, enum trial_side side)
{
	int r;

	if (t->result->side == side)
		return 0;
	/* Also after a failure: what was switched half-way must be put back. */
	if (side == TRIAL_AFTER)
		t->result->side = side;
	r = t->ops->switch_to(t->userdata, side);
	if (r < 0)
		return r;
	t->result->side = side;
	t->ready_by = t->ops->now(t->userdata) + TRIAL_READY_WAIT;
	return t->ops->wait_ready(t->userdata, TRIAL_READY_WAIT);
}

static bool error_may_pass(int r)
{
	return r == -ECONNREFUSED || r == -EHOSTUNREACH || r == -ENETUNREACH ||
	       r == -ENETDOWN || r == -ETIMEDOUT;
}

static int trial_test(struct trial *t, const struct trial_progress *where,
		      struct test_result *ret)
{
	for (;;) {
		int r = t->ops->measure(t->userdata, where, ret);

		if (!error_may_pass(r) || t->ops->now(t->userdata) >= t->ready_by)
			return r;
		r = t->ops->sleep(t->userdata, RETRY_WAIT);
		if (r < 0)
			return r;
	}
}

static int trial_leg(struct trial *t, unsigned pair, enum trial_side side)
{
	struct trial_progress where = { pair, t->config->pairs, side, NULL };
	struct leg *leg;
	int r;

	r = trial_switch(t, side);
	if (r < 0)
		return r;
	r = array_grow(&t->result->legs, t->result->n_legs, sizeof(*leg));
	if (r < 0)
		return r;
	leg = &t->result->legs[t->result->n_legs++];
	*leg = (struct leg){ .side = side, .pair = pair };
	for (size_t c = 0; c < t->config->cells.n; c++) {
		where.cell = t->config->cells.cells[c];
		r = trial_test(t, &where, &leg->tests[c]);
		if (r < 0)
			return r;
		leg->n_tests++;
		t->ready_by = 0; /* it answered: from now on silence is a loss */
	}
	return 0;
}

static void pair_discard(struct trial_result *result, unsigned pair)
{
	for (size_t i = 0; i < result->n_legs; i++)
		if (result->legs[i].pair == pair)
			result->legs[i].discarded = true;
}

static int trial_pair(struct trial *t, unsigned pair)
{
	double wait = BUSY_WAIT_FIRST;

	for (unsigned tries = 0;; tries++) {
		int r = trial_leg(t, pair, trial_side_of(pair, false));

		if (r == 0)
			r = trial_leg(t, pair, trial_side_of(pair, true));
		if (r != -EBUSY || tries == TRIAL_BUSY_MAX)
			return r;
		pair_discard(t->result, pair);
		r = t->ops->sleep(t->userdata, wait);
		if (r < 0)
			return r;
		wait = busy_wait_next(wait);
	}
}

static bool trial_enough(const struct trial *t, unsigned pairs, double start)
{
	const struct trial_config *c = t->config;
	double spent = t->ops->now(t->userdata) - start;

	if (c->pairs)
		return pairs >= c->pairs;
	if (pairs < TRIAL_PAIRS_MIN)
		return false;
	if (pairs >= TRIAL_PAIRS_MAX || spent + trial_duration(c, 1) > c->budget)
		return true;
	return judge_half_width(&c->cells, t->result->legs, t->result->n_legs) <=
	       TRIAL_HALF_WIDTH;
}

int trial_run(const struct trial_config *config, const struct trial_ops *ops,
	      void *userdata, struct trial_result *ret)
{
	struct trial t = { .config = config, .ops = ops, .userdata = userdata };
	double start = ops->now(userdata);
	int r = 0;

	*ret = (struct trial_result){ .side = TRIAL_BEFORE };
	t.result = ret;
	for (unsigned pair = 0; r == 0 && !trial_enough(&t, pair, start); pair++)
		r = trial_pair(&t, pair);
	ret->error = r;
	if (r < 0 && ret->side == TRIAL_AFTER) {
		ret->revert_error = ops->switch_to(userdata, TRIAL_BEFORE);
		if (ret->revert_error == 0)
			ret->side = TRIAL_BEFORE;
	}
	return r;
}
