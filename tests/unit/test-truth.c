// SPDX-License-Identifier: GPL-2.0-or-later
// test-truth.c - thousands of simulated trials: what is true is found, nothing else
#include "tap.h"
#include "trial-sim.h"

#define TRIALS 2000
#define SEED 5

/* `make simulate` shows all models and effects; here stand the hardest. */
static const struct {
	const char *model;
	double effect;
	bool found; /* in at least 90 %, else called better or worse in at most 1 % */
} rows[] = {
	{ "any of it", 1, false },
	{ "any of it", 1.01, false },
	{ "spread 3 %", 1.05, true },
	{ "A..A B..B A..A, any", 1, false },
	{ "A..A B..B A..A, any", 0.99, false },
	{ "A..A B..B A..A, any", 1.05, true },
};

static struct sim_model model_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(sim_models); i++)
		if (strcmp(sim_models[i].name, name) == 0)
			return sim_models[i];
	return (struct sim_model){};
}

static void test_row(size_t i)
{
	double effect = rows[i].effect;
	struct sim_model m = model_find(rows[i].model);
	struct sim_tally t;
	unsigned called;

	if (!ok(m.name != NULL, "model \"%s\"", rows[i].model))
		return;
	m.quiet = effect != 1; /* latency is to cause no false call */
	is_int(sim_trials(&m, effect, TRIALS, SEED + i, &t), 0,
	       "%u trials with an effect of %+.0f %%", TRIALS, (effect - 1) * 100);
	called = t.verdicts[VERDICT_BETTER] + t.verdicts[VERDICT_WORSE];
	if (rows[i].found)
		ok(t.verdicts[VERDICT_BETTER] >= TRIALS * 90 / 100,
		   "at least 90 %% are better (%u)", t.verdicts[VERDICT_BETTER]);
	else
		ok(called <= TRIALS / 100, "at most 1 %% are better or worse (%u)",
		   called);
	if (!m.blocks)
		ok(t.covered >= TRIALS * 93 / 100 && t.covered < TRIALS * 98 / 100,
		   "in about 95 %% all intervals hold the truth (%u)", t.covered);
	ok(t.seconds <= TRIAL_BUDGET, "within the budget (%.0f s)", t.seconds);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		test_row(i);
	return done();
}
