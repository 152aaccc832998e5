// SPDX-License-Identifier: GPL-2.0-or-later
// test-trial.c - the loop of a trial over a simulated board and peer
#include <limits.h>
#include <math.h>

#include "measure/judge.h"
#include "measure/trial.h"
#include "tap.h"

/* A board, a peer and a clock that only passes while something is done. */
struct fake {
	char log[1024];      /* A and B for tests, a and b for switches, w for a wait */
	double now;
	unsigned tests;      /* measured or tried so far */
	unsigned fail_from, fail_to; /* tests numbered from 1 that fail with @fail */
	int fail;
	unsigned foreign_from, foreign_to; /* with other traffic beside them */
	int fail_switch;     /* answer of the switch to after */
	int fail_back;       /* answer of the switch back */
	int fail_ready;
	double noise;        /* spread of the rates */
	unsigned random;
};

static void note(struct fake *f, char c)
{
	size_t n = strlen(f->log);

	if (n + 1 < sizeof(f->log))
		f->log[n] = c;
}

static int fake_measure(void *userdata, const struct trial_progress *where,
			struct test_result *ret)
{
	struct fake *f = userdata;

	f->tests++;
	if (f->tests >= f->fail_from && f->tests <= f->fail_to) {
		note(f, 'x');
		return f->fail;
	}
	note(f, where->side == TRIAL_BEFORE ? 'A' : 'B');
	f->now += 6;
	f->random = f->random * 1103515245 + 12345;
	*ret = (struct test_result){
		.traffic.mbps = 900 + f->noise * ((f->random >> 16) % 1000 / 1000.0),
		.millicelsius = INT_MIN,
		.foreign_mbps = f->tests >= f->foreign_from &&
						f->tests <= f->foreign_to ? 500 : 0,
		.samples = calloc(1, sizeof(struct test_sample)),
		.n_samples = 1,
	};
	return ret->samples ? 0 : -ENOMEM;
}

static int fake_switch(void *userdata, enum trial_side side)
{
	struct fake *f = userdata;

	note(f, side == TRIAL_BEFORE ? 'a' : 'b');
	return side == TRIAL_BEFORE ? f->fail_back : f->fail_switch;
}

static int fake_ready(void *userdata, double seconds)
{
	struct fake *f = userdata;

	return f->fail_ready;
}

static int fake_sleep(void *userdata, double seconds)
{
	struct fake *f = userdata;

	note(f, 'w');
	f->now += seconds;
	return 0;
}

static double fake_now(void *userdata)
{
	struct fake *f = userdata;

	return f->now;
}

static const struct trial_ops ops = { fake_measure, fake_switch, fake_ready, fake_sleep,
				      fake_now };

static struct trial_config config_make(const char *cells, unsigned pairs)
{
	struct trial_config config = { .pairs = pairs, .seconds = 5, .omit = 1,
				       .budget = TRIAL_BUDGET };
	char word[8];

	is_int(cell_list_parse(cells, &config.cells, word, sizeof(word)), 0, "cells %s",
	       cells);
	return config;
}

static void test_order(void)
{
	struct trial_config config = config_make("ipv4-tx", 4);
	struct trial_result result;
	struct fake f = {};

	is_int(trial_run(&config, &ops, &f, &result), 0, "four pairs");
	is_str(f.log, "AbBBaAAbBBaA", "A B B A A B B A, switched only where it changes");
	is_int(result.n_legs, 8, "eight legs");
	is_int(result.side, TRIAL_BEFORE, "an even number ends as it began");
	is_int(result.legs[2].pair, 1, "the third leg is of the second pair");
	trial_result_clear(&result);

	f = (struct fake){};
	config.pairs = 3;
	is_int(trial_run(&config, &ops, &f, &result), 0, "three pairs");
	is_str(f.log, "AbBBaAAbB", "A B B A A B");
	is_int(result.side, TRIAL_AFTER, "an odd number ends with the profile in force");
	trial_result_clear(&result);

	f = (struct fake){};
	config = config_make("ipv4", 1);
	is_int(trial_run(&config, &ops, &f, &result), 0, "two cells");
	is_str(f.log, "AAbBB", "each leg measures every cell");
	is_int(result.legs[1].n_tests, 2, "and keeps both");
	trial_result_clear(&result);
}

static void test_blocks(void)
{
	struct trial_config config = config_make("ipv4-tx", 3);
	struct trial_result result;
	struct fake f = {};

	config.blocks = true;
	is_int(trial_run(&config, &ops, &f, &result), 0, "three pairs in blocks");
	is_str(f.log, "AAAbBBBaAAA", "A..A B..B A..A, switched twice");
	is_int(result.side, TRIAL_BEFORE, "it ends with the settings of before");
	ok(result.legs[4].pair == 1 && result.legs[4].side == TRIAL_AFTER &&
		   result.legs[7].pair == 1 && result.legs[7].side == TRIAL_BEFORE,
	   "the i-th of each block are a pair");
	trial_result_clear(&result);

	f = (struct fake){};
	config.pairs = 6;
	is_int(trial_run(&config, &ops, &f, &result), 0, "six pairs");
	is_str(f.log, "AAAAbBBBBaAAAAAAbBBaAA", "are a block of four and one of two");
	is_int(result.legs[12].pair, 4, "which goes on counting");
	trial_result_clear(&result);

	f = (struct fake){ .fail_from = 5, .fail_to = 5, .fail = -EBUSY };
	config.pairs = 3;
	is_int(trial_run(&config, &ops, &f, &result), 0, "busy in a block");
	is_str(f.log, "AAAbBxwBBaAAA", "only that leg is measured again");
	ok(result.legs[4].discarded && result.legs[4].busy && !result.legs[3].discarded &&
		   result.legs[5].pair == 1, "in its place");
	trial_result_clear(&result);

	f = (struct fake){ .noise = 1 };
	config.pairs = 0;
	is_int(trial_run(&config, &ops, &f, &result), 0, "a quiet board");
	is_int(result.n_legs, 3 * TRIAL_PAIRS_MIN, "needs one of the least size");
	trial_result_clear(&result);

	f = (struct fake){ .noise = 2000 };
	is_int(trial_run(&config, &ops, &f, &result), 0, "a noisy board");
	ok(result.n_legs > 60 && f.now <= TRIAL_BUDGET && result.n_legs % 3 == 0,
	   "is measured on, within the budget (%zu legs, %g s)", result.n_legs, f.now);
	trial_result_clear(&result);
}

/* Other traffic on the NIC: what it disturbed is measured again, but not for ever. */
static void test_foreign(void)
{
	struct trial_config config = config_make("ipv4-tx", 2);
	struct judge_config judging = { .cells = config.cells, .margin = JUDGE_MARGIN,
					.max_millicelsius = INT_MIN };
	struct judgement j;
	struct trial_result result;
	struct fake f = { .foreign_from = 3, .foreign_to = 3 };

	is_int(trial_run(&config, &ops, &f, &result), 0, "other traffic once");
	is_str(f.log, "AbBBaAwbBaA", "its pair is measured again");
	ok(!result.legs[0].discarded && result.legs[2].discarded &&
		   result.legs[3].discarded && !result.legs[3].busy &&
		   !result.legs[5].discarded, "and no other");
	judge_legs(&judging, result.legs, result.n_legs, &j);
	ok(j.pairs == 2 && j.flags & 1 << JUDGE_FOREIGN_TRAFFIC &&
		   !(j.flags & 1 << JUDGE_BUSY_SERVER) && j.n_reasons &&
		   j.reasons[0].kind != REASON_FOREIGN_TRAFFIC,
	   "which is told and no more");
	trial_result_clear(&result);

	f = (struct fake){ .foreign_from = 1, .foreign_to = UINT_MAX };
	config.pairs = 0;
	is_int(trial_run(&config, &ops, &f, &result), 0, "other traffic that stays");
	is_int(result.n_legs, 2 * (TRIAL_FOREIGN_MAX + 1), "ends it soon");
	judge_legs(&judging, result.legs, result.n_legs, &j);
	ok(j.verdict == VERDICT_INCONCLUSIVE && j.pairs == 1, "without a verdict");
	trial_result_clear(&result);
}

static void test_enough(void)
{
	struct trial_config config = config_make("ipv4-tx", 0);
	struct trial_result result;
	struct fake f = { .noise = 1 };

	is_int(trial_run(&config, &ops, &f, &result), 0, "a quiet board");
	is_int(result.n_legs, 8, "needs the least number of pairs");
	ok(judge_half_width(&config.cells, result.legs, result.n_legs) < 0.015,
	   "which are narrow enough");
	trial_result_clear(&result);

	f = (struct fake){ .noise = 2000 };
	is_int(trial_run(&config, &ops, &f, &result), 0, "a noisy board");
	ok(result.n_legs > 20, "is measured on (%zu legs)", result.n_legs);
	ok(f.now <= TRIAL_BUDGET, "but not over the budget (%g s)", f.now);
	trial_result_clear(&result);
}

/* A failure at every test: the legs stay, and the last switch is the one back. */
static void test_abort(void)
{
	static const int errors[] = { -EINTR, -ECONNRESET, -EPROTO, -EOVERFLOW,
				      -ENODATA };
	struct trial_config config = config_make("ipv4-tx,ipv4-rx", 2);

	for (size_t e = 0; e < ARRAY_SIZE(errors); e++) {
		for (unsigned k = 1; k <= 8; k++) {
			struct fake f = { .fail_from = k, .fail_to = k,
					  .fail = errors[e] };
			struct trial_result result;
			bool after = k >= 3 && k <= 6;

			trial_run(&config, &ops, &f, &result);
			ok(result.error == errors[e] && result.side == TRIAL_BEFORE &&
				   !result.revert_error && f.tests == k &&
				   f.log[strlen(f.log) - 1] == (after ? 'a' : 'x'),
			   "%s at test %u ends it with the settings of before (%s)",
			   errno_name(errors[e]), k, f.log);
			trial_result_clear(&result);
		}
	}
}

static void test_switch(void)
{
	struct trial_config config = config_make("ipv4-tx", 2);
	struct trial_result result;
	struct fake f = { .fail_switch = -EIO };

	is_int(trial_run(&config, &ops, &f, &result), -EIO, "the apply is refused");
	is_str(f.log, "Aba", "and undone at once");
	trial_result_clear(&result);

	f = (struct fake){ .fail_ready = -ETIMEDOUT };
	is_int(trial_run(&config, &ops, &f, &result), -ETIMEDOUT, "no carrier then");
	is_str(f.log, "Aba", "reverts without a test");
	is_int(result.side, TRIAL_BEFORE, "to before");
	trial_result_clear(&result);

	f = (struct fake){ .fail_from = 2, .fail_to = 2, .fail = -EINTR,
			   .fail_back = -EIO };
	is_int(trial_run(&config, &ops, &f, &result), -EINTR, "stopped");
	is_int(result.revert_error, -EIO, "an undo that fails is told");
	is_int(result.side, TRIAL_AFTER, "and what is in force, too");
	trial_result_clear(&result);
}

static void test_peer_returns(void)
{
	struct trial_config config = config_make("ipv4-tx,ipv4-rx", 2);
	struct trial_result result;
	struct fake f = { .fail_from = 3, .fail_to = 6, .fail = -EHOSTUNREACH };

	is_int(trial_run(&config, &ops, &f, &result), 0, "a peer away after a switch");
	is_str(f.log, "AAbxwxwxwxwBBBBaAA", "is waited for");
	trial_result_clear(&result);

	f = (struct fake){ .fail_from = 3, .fail_to = UINT_MAX, .fail = -EHOSTUNREACH };
	is_int(trial_run(&config, &ops, &f, &result), -EHOSTUNREACH, "if it stays away");
	is_near(f.now, 12 + TRIAL_READY_WAIT, 1.1, "is waited for 30 s");
	is_int(f.log[strlen(f.log) - 1], 'a', "then all is undone");
	trial_result_clear(&result);

	f = (struct fake){ .fail_from = 4, .fail_to = 4, .fail = -ECONNREFUSED };
	is_int(trial_run(&config, &ops, &f, &result), -ECONNREFUSED,
	       "one that goes between two tests of a leg");
	is_str(f.log, "AAbBxa", "is lost at once");
	trial_result_clear(&result);

	f = (struct fake){ .fail_from = 1, .fail_to = 1, .fail = -ECONNREFUSED };
	is_int(trial_run(&config, &ops, &f, &result), -ECONNREFUSED, "no peer at all");
	is_str(f.log, "x", "changes nothing");
	trial_result_clear(&result);
}

static void test_busy(void)
{
	struct trial_config config = config_make("ipv4-tx", 2);
	struct cell_list *cells = &config.cells;
	struct judge_config judging = { .cells = *cells, .margin = JUDGE_MARGIN,
					.max_millicelsius = INT_MIN };
	struct judgement j;
	struct trial_result result;
	struct fake f = { .fail_from = 2, .fail_to = 2, .fail = -EBUSY };

	is_int(trial_run(&config, &ops, &f, &result), 0, "busy in the second leg");
	is_str(f.log, "AbxwaAbBBaA", "the whole pair is measured again");
	ok(result.legs[0].discarded && result.legs[1].discarded, "legs are discarded");
	ok(!result.legs[0].busy && result.legs[1].busy, "where it was busy is kept");
	ok(!result.legs[2].discarded && result.legs[2].pair == 0, "and replaced");
	judge_legs(&judging, result.legs, result.n_legs, &j);
	is_int(j.pairs, 2, "the judge sees two pairs");
	ok(j.flags & 1 << JUDGE_BUSY_SERVER, "and says that the server was busy");
	trial_result_clear(&result);

	f = (struct fake){ .fail_from = 1, .fail_to = UINT_MAX, .fail = -EBUSY };
	is_int(trial_run(&config, &ops, &f, &result), -EBUSY, "always busy");
	is_int(f.tests, TRIAL_BUSY_MAX + 1, "is given up");
	ok(f.now > 60 && f.now < 180, "after growing waits (%g s)", f.now);
	trial_result_clear(&result);
}

/* Whatever is measured again together is as often busy as it may be, in its last test;
 * links come back late. */
static int slow_measure(void *userdata, const struct trial_progress *where,
			struct test_result *ret)
{
	struct fake *f = userdata;
	unsigned per_round = f->fail_to;
	unsigned at = f->tests++ % (per_round * (TRIAL_BUSY_MAX + 1));

	f->now += 5 + 1 + 0.3;
	if (at % per_round == per_round - 1 && at / per_round < TRIAL_BUSY_MAX)
		return -EBUSY;
	*ret = (struct test_result){ .traffic.mbps = 900, .millicelsius = INT_MIN };
	return 0;
}

static int slow_ready(void *userdata, double seconds)
{
	struct fake *f = userdata;

	f->now += seconds;
	return 0;
}

static void test_longest(void)
{
	static const struct trial_ops slow = { slow_measure, fake_switch, slow_ready,
					       fake_sleep, fake_now };
	static const unsigned pairs[] = { 0, 2, 7 };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(pairs); i++) {
		struct trial_config config = config_make("ipv4", pairs[i / 2]);
		struct fake f = { .fail_to = config.cells.n * (i % 2 ? 1 : 2) };
		struct trial_result result;

		config.blocks = i % 2;
		is_int(trial_run(&config, &slow, &f, &result), 0, "busy all the time");
		ok(f.now <= trial_longest(&config), "%g s are at most %g s", f.now,
		   trial_longest(&config));
		ok(f.now > TRIAL_BUDGET || pairs[i / 2] == 2, "and long");
		trial_result_clear(&result);
	}
}

static void test_duration(void)
{
	static const double seconds[] = { 1, 5, 120, 3600 };
	double least, most;

	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		struct trial_config config = { .cells = cell_list_all(), .omit = 1,
					       .seconds = seconds[i],
					       .budget = TRIAL_BUDGET };

		trial_duration_range(&config, &least, &most);
		ok(least <= most && least >= 8 * TRIAL_PAIRS_MIN * seconds[i],
		   "tests of %g s: from %g to %g s", seconds[i], least, most);
		ok(least == most || most == TRIAL_BUDGET, "up to the budget or longer");
		config.pairs = 3;
		trial_duration_range(&config, &least, &most);
		ok(least == most, "so many pairs are so long");
		config.blocks = true;
		trial_duration_range(&config, &most, &most);
		ok(most > least * 1.4, "blocks are longer by half");
	}
}

int main(void)
{
	test_blocks();
	test_foreign();
	test_order();
	test_enough();
	test_abort();
	test_switch();
	test_peer_returns();
	test_busy();
	test_longest();
	test_duration();
	return done();
}
