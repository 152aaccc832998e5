// SPDX-License-Identifier: GPL-2.0-or-later
// test-judge.c - verdicts over simulated legs, with a fixed seed
#include <limits.h>
#include <math.h>

#include "measure/judge.h"
#include "tap.h"

#define PAIRS 6

/* A simulated board: rates of before, effect of the profile, spread, all as factors. */
struct sim {
	uint64_t seed;
	size_t pairs;
	double mbps;
	double effect[CELLS_MAX];
	double noise;
	double cost_effect;
	double cost_noise;
	double line_mbps[TRIAL_SIDES_];
	int millicelsius[TRIAL_SIDES_];
	unsigned cooling[TRIAL_SIDES_];
	uint32_t capped_khz[TRIAL_SIDES_]; /* scaling_max_freq in one test, 0: as ever */
};

static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return ((*seed >> 33) + 0.5) / (1ul << 31);
}

/* Box and Muller's normal deviate. */
static double normal(uint64_t *seed)
{
	double u = uniform(seed), v = uniform(seed);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void leg_simulate(struct sim *sim, size_t cells, struct leg *leg)
{
	for (size_t c = 0; c < cells; c++) {
		struct test_result *t = &leg->tests[c];
		bool after = leg->side == TRIAL_AFTER;

		*t = (struct test_result) {
			.cpu_ms_per_gb = 800 * (after ? sim->cost_effect : 1) *
					 exp(sim->cost_noise * normal(&sim->seed)),
			.line_mbps = sim->line_mbps[leg->side],
			.millicelsius = sim->millicelsius[leg->side],
			.cooling = sim->cooling[leg->side],
			.n_policies = 1,
			.cur_khz = { 1000000 },
			.low_khz = { after ? 1200000 : 1000000 },
			.high_khz = { after ? 1200000 : 1000000 },
		};
		t->traffic.mbps = sim->mbps * (after ? sim->effect[c] : 1) *
				  exp(sim->noise * normal(&sim->seed));
		if (leg->pair == 1 && c == 0 && sim->capped_khz[leg->side])
			t->low_khz[0] = sim->capped_khz[leg->side];
	}
	leg->n_tests = cells;
}

static size_t simulate(struct sim *sim, size_t cells, struct leg *legs)
{
	for (size_t i = 0; i < 2 * sim->pairs; i++) {
		legs[i] = (struct leg) { .side = i % 4 == 1 || i % 4 == 2 ? TRIAL_AFTER
									  : TRIAL_BEFORE,
					 .pair = i / 2 };
		leg_simulate(sim, cells, &legs[i]);
	}
	return 2 * sim->pairs;
}

static struct sim sim_make(double effect)
{
	return (struct sim) {
		.seed = 20,
		.pairs = PAIRS,
		.mbps = 640,
		.effect = { effect, effect, effect, effect },
		.noise = 0.005,
		.cost_effect = 1,
		.cost_noise = 0.005,
		.millicelsius = { 60000, 60000 },
	};
}

static struct judge_config config_make(void)
{
	return (struct judge_config) {
		.cells = cell_list_all(),
		.margin = JUDGE_MARGIN,
		.max_millicelsius = INT_MIN,
		.has_sensor = true,
		.peer_known = true,
	};
}

static struct judgement judge(const struct judge_config *config, struct sim sim)
{
	struct leg legs[64];
	struct judgement j;
	size_t n = simulate(&sim, config->cells.n, legs);

	judge_legs(config, legs, n, &j);
	return j;
}

static bool has_flag(const struct judgement *j, enum judge_flag f)
{
	return j->flags & 1u << f;
}

static bool has_reason(const struct judgement *j, enum judge_reason_kind kind)
{
	for (size_t i = 0; i < j->n_reasons; i++)
		if (j->reasons[i].kind == kind)
			return true;
	return false;
}

#define is_verdict(j, want, what) is_str(verdict_name((j).verdict), want, what)

static void test_effects(void)
{
	struct judge_config config = config_make();
	struct judgement j;
	struct sim sim;

	j = judge(&config, sim_make(1));
	is_verdict(j, "same", "no effect is the same");
	is_int(j.pairs, PAIRS, "every pair counts");
	is_int(j.flags, 0, "and nothing is to be said");
	ok(has_reason(&j, REASON_THROUGHPUT_SAME), "the reason is the margin");

	j = judge(&config, sim_make(1.24));
	is_verdict(j, "better", "+24 %% is better");
	is_near(j.cells[0].throughput.ratio, 1.24, 0.01, "the ratio is found");
	ok(j.cells[0].throughput.low < 1.24 && j.cells[0].throughput.high > 1.24,
	   "the true ratio lies in the interval");
	is_near(j.cells[3].mbps[TRIAL_BEFORE], 640, 5, "the rate of before is found");
	is_near(j.cells[3].mbps[TRIAL_AFTER], 640 * 1.24, 6, "that of after, too");

	j = judge(&config, sim_make(0.9));
	is_verdict(j, "worse", "-10 %% is worse");

	sim = sim_make(1.3);
	sim.effect[2] = 0.9;
	j = judge(&config, sim);
	is_verdict(j, "worse", "one cell that loses outweighs three that win");
	ok(j.n_reasons == 1 && strcmp(j.reasons[0].cell->name, "ipv6-tx") == 0,
	   "and is the reason");

	sim = sim_make(1);
	sim.effect[1] = 1.2;
	is_verdict(judge(&config, sim), "better", "one that wins, none that loses");

	sim = sim_make(1);
	sim.noise = 0.1;
	j = judge(&config, sim);
	is_verdict(j, "inconclusive", "noise is inconclusive");
	ok(has_reason(&j, REASON_WIDE), "because the interval is wide");

	config.margin = JUDGE_MARGIN_QUICK;
	is_verdict(judge(&config, sim_make(1.07)), "same", "quick: 7 %% is nothing");
	is_verdict(judge(&config, sim_make(1.3)), "better", "but not 30 %%");
}

/* The same settings on both sides, many boards of several noises. */
static void test_false_calls(void)
{
	static const double noises[] = { 0.002, 0.01, 0.02, 0.05 };
	struct judge_config config = config_make();

	for (size_t n = 0; n < ARRAY_SIZE(noises); n++) {
		unsigned wrong = 0, inside = 0, trials = 500;

		for (unsigned i = 0; i < trials; i++) {
			struct sim sim = sim_make(1);
			struct judgement j;
			bool all = true;

			sim.seed = i * 7919 + 1;
			sim.noise = noises[n];
			sim.pairs = TRIAL_SIDES_ * 2;
			j = judge(&config, sim);
			wrong += j.verdict == VERDICT_BETTER ||
				 j.verdict == VERDICT_WORSE;
			for (size_t c = 0; c < j.n_cells; c++)
				all &= j.cells[c].throughput.low <= 1 &&
				       j.cells[c].throughput.high >= 1;
			inside += all;
		}
		ok(wrong <= trials * 5 / 100, "A/A at %g %% noise: %u of %u called",
		   noises[n] * 100, wrong, trials);
		ok(inside >= trials * 92 / 100 && inside < trials,
		   "all four intervals hold the truth in about 95 %%: %u", inside);
	}
}

static void test_throttled(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1.3);
	struct judgement j;

	sim.cooling[TRIAL_AFTER] = 2;
	j = judge(&config, sim);
	is_verdict(j, "worse", "throttled only after is worse, however fast");
	ok(has_flag(&j, JUDGE_THROTTLED) && has_reason(&j, REASON_THROTTLED_AFTER),
	   "with flag and reason");

	sim.cooling[TRIAL_BEFORE] = 1;
	j = judge(&config, sim);
	is_verdict(j, "better", "throttled in both leaves the verdict");
	ok(has_flag(&j, JUDGE_THROTTLED), "but is said");

	sim.cooling[TRIAL_AFTER] = 0;
	is_verdict(judge(&config, sim), "better", "throttled only before may be better");

	sim = sim_make(1);
	is_int(judge(&config, sim).flags, 0, "each side has its own limit");
	sim.capped_khz[TRIAL_AFTER] = 800000;
	j = judge(&config, sim);
	ok(has_flag(&j, JUDGE_THROTTLED) && j.verdict == VERDICT_WORSE,
	   "a limit below the side's own highest is");
	is_int(j.sides[TRIAL_AFTER].max_khz[0], 1200000, "the highest limit is told");
}

static void test_heat(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1);

	sim.millicelsius[TRIAL_AFTER] = 86000;
	is_verdict(judge(&config, sim), "same", "hotter without a limit");
	config.max_millicelsius = 85000;
	is_verdict(judge(&config, sim), "worse", "hotter than the limit and than before");
	sim.millicelsius[TRIAL_BEFORE] = 87000;
	is_verdict(judge(&config, sim), "same", "but cooler than before");
	sim.millicelsius[TRIAL_BEFORE] = sim.millicelsius[TRIAL_AFTER] = INT_MIN;
	is_verdict(judge(&config, sim), "same", "no reading exceeds no limit");
}

static void test_line_rate(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1);
	struct judgement j;

	sim.mbps = 941;
	sim.noise = 0.0005;
	sim.cost_effect = 0.7;
	is_verdict(judge(&config, sim), "same", "a virtual link has no line rate");
	sim.line_mbps[TRIAL_BEFORE] = sim.line_mbps[TRIAL_AFTER] = 1000;
	j = judge(&config, sim);
	is_verdict(j, "better", "on a full link a lower CPU cost decides");
	ok(has_flag(&j, JUDGE_LINE_RATE) && has_reason(&j, REASON_CPU_BETTER),
	   "with flag and reason");
	is_near(j.cells[0].cpu.ratio, 0.7, 0.02, "the ratio of cost is found");
	sim.cost_effect = 1.3;
	is_verdict(judge(&config, sim), "worse", "a higher one, too");
	sim.cost_effect = 1.01;
	is_verdict(judge(&config, sim), "same", "1 %% of cost is nothing");
	sim.effect[0] = 0.6;
	j = judge(&config, sim);
	ok(j.verdict == VERDICT_WORSE && has_reason(&j, REASON_THROUGHPUT_WORSE),
	   "a link no longer full is judged by throughput");

	sim.effect[0] = 1;
	sim.cost_effect = NAN;
	j = judge(&config, sim);
	ok(j.verdict == VERDICT_INCONCLUSIVE && has_reason(&j, REASON_CPU_UNKNOWN) &&
		   !has_reason(&j, REASON_WIDE),
	   "full, and no cost is known: that is the reason");

	sim = sim_make(0.1);
	sim.mbps = 941;
	sim.line_mbps[TRIAL_BEFORE] = 1000;
	sim.line_mbps[TRIAL_AFTER] = 100;
	j = judge(&config, sim);
	ok(j.verdict == VERDICT_WORSE && !has_flag(&j, JUDGE_LINE_RATE),
	   "a link that comes back slower is not full on both sides");
}

/* What decides is what has to be narrow. */
static void test_half_width(void)
{
	struct cell_list cells = cell_list_all();
	struct sim sim = sim_make(1);
	struct leg legs[64];
	double narrow, wide;
	size_t n;

	sim.mbps = 941;
	sim.noise = 0.0005;
	sim.cost_noise = 0.1;
	n = simulate(&sim, cells.n, legs);
	narrow = judge_half_width(&cells, legs, n);
	ok(narrow < 0.015, "a steady rate is narrow (%g)", narrow);
	sim.seed = 20;
	sim.line_mbps[TRIAL_BEFORE] = sim.line_mbps[TRIAL_AFTER] = 1000;
	n = simulate(&sim, cells.n, legs);
	wide = judge_half_width(&cells, legs, n);
	ok(wide > 0.015, "at line rate the cost has to be, too (%g)", wide);
	sim.cost_noise = 0.01;
	sim.seed = 20;
	n = simulate(&sim, cells.n, legs);
	narrow = judge_half_width(&cells, legs, n);
	ok(narrow < 0.015, "as its margin is, three quarters of 5 %% (%g)", narrow);
	sim.cost_effect = NAN;
	n = simulate(&sim, cells.n, legs);
	ok(judge_half_width(&cells, legs, n) < 0.015,
	   "a cost that is not known is not waited for");
	ok(isinf(judge_half_width(&cells, legs, 3)), "one pair is never enough");
}

static void test_no_data(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1);
	struct judgement j;

	sim.mbps = 0;
	j = judge(&config, sim);
	is_verdict(j, "inconclusive", "nothing arrived, on neither side");
	ok(has_reason(&j, REASON_NO_DATA) && !has_reason(&j, REASON_WIDE) &&
		   !has_reason(&j, REASON_THROUGHPUT_SAME),
	   "and that is the reason");
}

/* Beside the test of another client nothing is measured. */
static void test_discarded(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1);
	struct leg legs[64];
	struct judgement j;
	size_t n = simulate(&sim, CELLS_MAX, legs);

	legs[2].discarded = legs[3].discarded = true;
	legs[2].tests[0].cooling = 3; /* after */
	legs[2].tests[1].wrong_nic = true;
	legs[2].tests[2].millicelsius = 99000;
	legs[2].tests[3].low_khz[0] = 400000;
	config.max_millicelsius = 85000;
	judge_legs(&config, legs, n, &j);
	is_verdict(j, "same", "legs that are discarded do not decide");
	is_int(j.flags, 1 << JUDGE_BUSY_SERVER, "but the busy server is told");
	is_int(j.sides[TRIAL_AFTER].millicelsius, 60000, "nor do they heat");
}

static void test_unread(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1);
	struct leg legs[64];
	struct judgement j;
	size_t n;

	sim.millicelsius[TRIAL_AFTER] = INT_MIN;
	n = simulate(&sim, CELLS_MAX, legs);
	judge_legs(&config, legs, n, &j);
	ok(has_flag(&j, JUDGE_NO_SENSOR), "a side without any reading has no sensor");
	legs[2].tests[0].millicelsius = 50000;
	judge_legs(&config, legs, n, &j);
	ok(!has_flag(&j, JUDGE_NO_SENSOR), "one reading is one");
	judge_legs(&config, legs, 0, &j);
	ok(!has_flag(&j, JUDGE_NO_SENSOR), "no test is no lost sensor");
	config.untouched = true;
	judge_legs(&config, legs, n, &j);
	ok(j.verdict == VERDICT_INCONCLUSIVE && has_flag(&j, JUDGE_WRONG_NIC),
	   "traffic that meets no setting of the profile is void");
}

static void test_void(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1.3);
	struct leg legs[64];
	struct judgement j;
	size_t n = simulate(&sim, CELLS_MAX, legs);

	config.has_sensor = config.peer_known = false;
	config.shortened = true;
	j = judge(&config, sim_make(1.3));
	ok(j.verdict == VERDICT_BETTER && has_flag(&j, JUDGE_NO_SENSOR) &&
		   has_flag(&j, JUDGE_PEER_UNKNOWN) && has_flag(&j, JUDGE_SHORT),
	   "no sensor, unknown peer, short: said with the verdict");
	config = config_make();

	legs[5].tests[1].wrong_nic = true;
	judge_legs(&config, legs, n, &j);
	ok(j.verdict == VERDICT_INCONCLUSIVE && has_flag(&j, JUDGE_WRONG_NIC) &&
		   has_reason(&j, REASON_WRONG_NIC),
	   "traffic elsewhere voids the verdict");
	legs[5].tests[1].wrong_nic = false;

	judge_legs(&config, legs, 3, &j);
	ok(j.verdict == VERDICT_INCONCLUSIVE && j.pairs == 1 &&
		   has_reason(&j, REASON_FEW_PAIRS),
	   "one whole pair is too few");
	legs[3].n_tests = 2;
	judge_legs(&config, legs, 4, &j);
	is_int(j.pairs, 1, "a leg cut short makes no pair");
	legs[3].n_tests = CELLS_MAX;

	for (size_t i = 0; i < 2; i++) {
		legs[i].discarded = true;
		legs[i].tests[0].traffic.mbps = 1;
	}
	judge_legs(&config, legs, n, &j);
	ok(j.pairs == PAIRS - 1 && j.verdict == VERDICT_BETTER &&
		   has_flag(&j, JUDGE_BUSY_SERVER) && j.cells[0].mbps[TRIAL_BEFORE] > 600,
	   "a busy pair does not count and is said");
	judge_legs(&config, legs, 0, &j);
	ok(j.verdict == VERDICT_INCONCLUSIVE && isnan(j.cells[0].throughput.ratio),
	   "no legs at all");

	config.error = -ECONNRESET;
	judge_legs(&config, legs, n, &j);
	ok(j.verdict == VERDICT_INCONCLUSIVE && has_reason(&j, REASON_PEER_LOST),
	   "a lost peer is inconclusive, whatever was measured");
	config.error = -EINTR;
	judge_legs(&config, legs, n, &j);
	ok(has_reason(&j, REASON_STOPPED), "so is a trial that was stopped");

	sim = sim_make(0);
	config.error = 0;
	j = judge(&config, sim);
	is_verdict(j, "worse", "a link that stalls with the profile is worse");
}

/* What the samples of a test come to. */
static void test_summary(void)
{
	struct test_sample samples[] = {
		{ .board = { .millicelsius = 50000,
			     .n_policies = 1,
			     .cur_khz = { 400000 },
			     .max_khz = { 600000 },
			     .cooling = 3,
			     .cpu_busy_us = 0,
			     .nics = { { .tx_bytes = 10 } } } },
		{ .board = { .millicelsius = INT_MIN,
			     .n_policies = 1,
			     .cur_khz = { 800000 },
			     .max_khz = { 800000 },
			     .cooling = 1,
			     .cpu_busy_us = 1000000,
			     .nics = { { 0, 1000, true }, { 0, 1000, true } } },
		  .counting = true,
		  .bytes = 0 },
		{ .board = { .millicelsius = 61000,
			     .n_policies = 1,
			     .cur_khz = { 0 },
			     .max_khz = { 1000000 },
			     .cpu_busy_us = 1500000,
			     .nics = { { 500, 5000, true }, { 500, 250001000, true } } },
		  .counting = true,
		  .bytes = 250000000 },
	};
	struct test_result t = { .samples = samples, .n_samples = 3 };

	test_result_summarise(&t, CLIENT_TX);
	is_near(t.cpu_ms_per_gb, 2000, 1e-6, "CPU time of the counted part per GB");
	is_int(t.millicelsius, 61000, "the highest temperature");
	ok(t.cooling == 1 && t.low_khz[0] == 800000 && t.high_khz[0] == 1000000,
	   "cooling and limits, without the omitted part");
	is_int(t.cur_khz[0], 800000, "the mean clock of what could be read");
	ok(!t.wrong_nic && t.carried == 2, "the second NIC sent the bytes");
	test_result_summarise(&t, CLIENT_RX);
	ok(t.wrong_nic && !t.carried, "none received any");
	samples[2].board.nics[1].tx_bytes = 1000 + 1000000;
	test_result_summarise(&t, CLIENT_TX);
	ok(t.wrong_nic, "the NIC sent nearly nothing");
	samples[1].board.nics[0].tx_bytes = samples[2].board.nics[0].tx_bytes = 0;
	test_result_summarise(&t, CLIENT_TX);
	ok(t.wrong_nic, "nor is one that never counted anything the way");
	samples[2].board.nics[0].known = samples[1].board.nics[1].known = false;
	test_result_summarise(&t, CLIENT_TX);
	ok(!t.wrong_nic, "a NIC without counters says nothing");
	t.n_samples = 1;
	test_result_summarise(&t, CLIENT_TX);
	ok(isnan(t.cpu_ms_per_gb) && !t.wrong_nic, "nothing counted");
	t.n_samples = 0;
	test_result_summarise(&t, CLIENT_TX);
	is_int(t.millicelsius, INT_MIN, "no sample");
}

int main(void)
{
	test_effects();
	test_false_calls();
	test_throttled();
	test_heat();
	test_line_rate();
	test_half_width();
	test_no_data();
	test_discarded();
	test_unread();
	test_void();
	test_summary();
	return done();
}
