// SPDX-License-Identifier: GPL-2.0-or-later
// trial.c - the loop of a trial: legs in a fixed order, whatever measures them
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
	double start;
	double ready_by; /* until then a peer that does not answer is waited for */
	bool spoiled;    /* other traffic does not end: more pairs are of no use */
};

enum trial_side trial_side_of(unsigned pair, bool second)
{
	return (pair % 2 == 1) != second ? TRIAL_AFTER : TRIAL_BEFORE;
}

/* How many legs and switches so many pairs have. */
static unsigned trial_legs(const struct trial_config *config, unsigned pairs)
{
	return pairs * (config->blocks ? 3 : 2);
}

static unsigned trial_switches(const struct trial_config *config, unsigned pairs)
{
	return config->blocks ? 2 * ((pairs + TRIAL_BLOCK - 1) / TRIAL_BLOCK) : pairs;
}

double trial_duration(const struct trial_config *config, unsigned pairs)
{
	double test = config->seconds + config->omit + TEST_OVERHEAD;

	return trial_legs(config, pairs) * config->cells.n * test +
	       trial_switches(config, pairs) * SWITCH_OVERHEAD;
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
	double pair = attempt, wait = BUSY_WAIT_FIRST, last;
	unsigned waits = config->blocks ? 3 : 1; /* each leg has its own */

	for (unsigned i = 0; i < TRIAL_BUSY_MAX; i++) {
		pair += waits * wait + attempt;
		wait = busy_wait_next(wait);
	}
	/* A pair, or block of them, that begins within the budget may end long after. */
	last = config->blocks ? TRIAL_BLOCK * pair : pair;
	if (config->pairs || least * pair > config->budget + last)
		return least * pair;
	return config->budget + last;
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

/* Whether other traffic went beside what was measured from a leg on. */
static bool legs_disturbed(const struct trial_result *result, size_t from)
{
	for (size_t i = from; i < result->n_legs; i++)
		for (size_t k = 0; k < result->legs[i].n_tests; k++)
			if (test_result_disturbed(&result->legs[i].tests[k]))
				return true;
	return false;
}

static void legs_discard(struct trial_result *result, size_t from, bool busy)
{
	for (size_t i = from; i < result->n_legs; i++)
		result->legs[i].discarded = true;
	/* The last one is where the server was busy. */
	if (result->n_legs > from)
		result->legs[result->n_legs - 1].busy = busy;
}

/* Legs that stand and fall together, until they are whole. */
static int trial_round(struct trial *t, unsigned pair, const enum trial_side *sides,
		       size_t n)
{
	struct trial_result *result = t->result;
	double wait = BUSY_WAIT_FIRST;

	for (unsigned tries = 0;; tries++) {
		size_t from = result->n_legs;
		int r = 0;

		for (size_t i = 0; i < n && r == 0; i++)
			r = trial_leg(t, pair, sides[i]);
		if (r < 0 && (r != -EBUSY || tries == TRIAL_BUSY_MAX))
			return r;
		if (r == 0 && !legs_disturbed(result, from))
			return 0;
		if (r == 0 && tries >= TRIAL_FOREIGN_MAX) {
			t->spoiled = true;
			return 0;
		}
		legs_discard(result, from, r == -EBUSY);
		r = t->ops->sleep(t->userdata, wait);
		if (r < 0)
			return r;
		wait = busy_wait_next(wait);
	}
}

static bool trial_enough(const struct trial *t, unsigned pairs)
{
	const struct trial_config *c = t->config;
	const struct trial_result *result = t->result;
	double spent = t->ops->now(t->userdata) - t->start;

	if (t->spoiled)
		return true;
	if (c->pairs)
		return pairs >= c->pairs;
	if (pairs < TRIAL_PAIRS_MIN)
		return false;
	if (pairs >= TRIAL_PAIRS_MAX || spent + trial_duration(c, 1) > c->budget)
		return true;
	return judge_half_width(&c->cells, result->legs, result->n_legs) <=
	       TRIAL_HALF_WIDTH;
}

/* A B B A A B B A ... */
static int trial_alternate(struct trial *t)
{
	int r = 0;

	for (unsigned pair = 0; r == 0 && !trial_enough(t, pair); pair++) {
		const enum trial_side sides[] = { trial_side_of(pair, false),
						  trial_side_of(pair, true) };

		r = trial_round(t, pair, sides, ARRAY_SIZE(sides));
	}
	return r;
}

/* How many pairs the next A..A B..B A..A has: those still asked for, or what there is
 * time for. */
static unsigned trial_block_size(const struct trial *t, unsigned pairs)
{
	const struct trial_config *c = t->config;
	double spent = t->ops->now(t->userdata) - t->start;
	unsigned size = TRIAL_BLOCK;

	if (c->pairs)
		return c->pairs - pairs < size ? c->pairs - pairs : size;
	/* The least number of pairs is measured whatever it takes. */
	while (pairs && size > 1 && spent + trial_duration(c, size) > c->budget)
		size--;
	return size;
}

static int trial_in_blocks(struct trial *t)
{
	static const enum trial_side order[] = { TRIAL_BEFORE, TRIAL_AFTER,
						 TRIAL_BEFORE };
	unsigned pairs = 0;
	int r = 0;

	while (r == 0 && !trial_enough(t, pairs)) {
		unsigned size = trial_block_size(t, pairs);

		for (size_t b = 0; b < ARRAY_SIZE(order); b++)
			for (unsigned i = 0; r == 0 && !t->spoiled && i < size; i++)
				r = trial_round(t, pairs + i, &order[b], 1);
		pairs += size;
	}
	return r;
}

int trial_run(const struct trial_config *config, const struct trial_ops *ops,
	      void *userdata, struct trial_result *ret)
{
	struct trial t = { .config = config, .ops = ops, .userdata = userdata,
			   .start = ops->now(userdata) };
	int r;

	*ret = (struct trial_result){ .side = TRIAL_BEFORE };
	t.result = ret;
	r = config->blocks ? trial_in_blocks(&t) : trial_alternate(&t);
	ret->error = r;
	if (r < 0 && ret->side == TRIAL_AFTER) {
		ret->revert_error = ops->switch_to(userdata, TRIAL_BEFORE);
		if (ret->revert_error == 0)
			ret->side = TRIAL_BEFORE;
	}
	return r;
}
