// SPDX-License-Identifier: GPL-2.0-or-later
// test-judge.c - verdicts over simulated legs, with a fixed seed
#include <limits.h>
#include <math.h>

#include "measure/judge.h"
#include "tap.h"

#define PAIRS 6
#define RTTS 21

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
	unsigned cooled_legs; /* how many of the side, the last ones; 0: all */
	double rtt_ms[TRIAL_SIDES_], rtt_noise; /* 0: no latency */
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

/* Round-trip times between 0.5 and 1.5 of the mean, p95 at 1.45. */
static void rtt_simulate(struct sim *sim, struct test_result *t, enum trial_side side)
{
	static double rtts[64][CELLS_MAX][RTTS];
	static size_t next;
	double *rtt = rtts[next / CELLS_MAX % 64][next % CELLS_MAX];
	double mean = sim->rtt_ms[side] * exp(sim->rtt_noise * normal(&sim->seed));

	next++;
	for (size_t i = 0; i < RTTS; i++)
		rtt[i] = mean * (0.5 + (i * 8 % RTTS) / (RTTS - 1.0));
	t->rtt_ms = rtt;
	t->n_rtt = RTTS;
	t->rtt_lost = 1;
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
			.cooling = leg->pair + sim->cooled_legs >= sim->pairs ||
						   !sim->cooled_legs ?
					   sim->cooling[leg->side] : 0,
			.n_policies = 1,
			.cur_khz = { 1000000 },
			.low_khz = { after ? 1200000 : 1000000 },
			.high_khz = { after ? 1200000 : 1000000 },
		};
		t->traffic.mbps = sim->mbps * (after ? sim->effect[c] : 1) *
				  exp(sim->noise * normal(&sim->seed));
		if (leg->pair == 1 && c == 0 && sim->capped_khz[leg->side])
			t->low_khz[0] = sim->capped_khz[leg->side];
		if (sim->rtt_ms[leg->side] > 0)
			rtt_simulate(sim, t, leg->side);
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
		.effect = { effect, effect, effect, effect, effect, effect },
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

	sim = sim_make(1.3);
	sim.cooling[TRIAL_AFTER] = 2;
	sim.cooled_legs = 4;
	is_verdict(judge(&config, sim), "worse", "most legs after are enough");
	sim.cooled_legs = 3;
	j = judge(&config, sim);
	ok(j.verdict == VERDICT_INCONCLUSIVE && has_reason(&j, REASON_THROTTLED_ONCE),
	   "half of them make it inconclusive");
	is_int(j.sides[TRIAL_AFTER].throttled_legs, 3, "legs are counted");
	sim.effect[2] = 0.8;
	j = judge(&config, sim);
	ok(j.verdict == VERDICT_WORSE && !has_reason(&j, REASON_THROTTLED_AFTER),
	   "but not better than worse");

	sim = sim_make(1);
	is_int(judge(&config, sim).flags, 0, "each side has its own limit");
	sim.capped_khz[TRIAL_AFTER] = 800000;
	j = judge(&config, sim);
	ok(has_flag(&j, JUDGE_THROTTLED) && j.verdict == VERDICT_INCONCLUSIVE,
	   "a limit below the side's own highest is throttling, too");
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
	sim.millicelsius[TRIAL_BEFORE] = 85500;
	is_verdict(judge(&config, sim), "same", "or hotter by less than a degree");
	sim.millicelsius[TRIAL_BEFORE] = 85000;
	is_verdict(judge(&config, sim), "worse", "by a degree");
	sim.millicelsius[TRIAL_BEFORE] = sim.millicelsius[TRIAL_AFTER] = INT_MIN;
	is_verdict(judge(&config, sim), "same", "no reading exceeds no limit");
}

static void test_latency(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1.3);
	struct judgement j;

	sim.rtt_ms[TRIAL_BEFORE] = sim.rtt_ms[TRIAL_AFTER] = 4;
	j = judge(&config, sim);
	is_verdict(j, "better", "latency as before");
	is_near(j.cells[1].latency[TRIAL_BEFORE].p50, 4, 1e-9, "its median");
	is_near(j.cells[1].latency[TRIAL_BEFORE].p95, 5.8, 0.06, "its p95");
	is_near(j.cells[1].latency[TRIAL_AFTER].p99, 6, 0.05, "its p99");
	ok(j.cells[1].latency[TRIAL_AFTER].n == RTTS * PAIRS &&
		   j.cells[1].latency[TRIAL_AFTER].lost == PAIRS, "of how many");
	sim.rtt_noise = 0.02;
	sim.rtt_ms[TRIAL_AFTER] = 6.4;
	j = judge(&config, sim);
	ok(j.verdict == VERDICT_WORSE && has_reason(&j, REASON_LATENCY_WORSE),
	   "up by half and 2 ms is worse, however fast");
	sim.rtt_ms[TRIAL_AFTER] = 5.6;
	is_verdict(judge(&config, sim), "better", "up by 2.3 ms, but not by half");
	sim.rtt_ms[TRIAL_BEFORE] = 1;
	sim.rtt_ms[TRIAL_AFTER] = 2.2;
	is_verdict(judge(&config, sim), "better", "doubled, but not by 2 ms");
	sim.rtt_ms[TRIAL_BEFORE] = 4;
	sim.rtt_ms[TRIAL_AFTER] = 0;
	j = judge(&config, sim);
	ok(j.verdict == VERDICT_BETTER && isnan(j.cells[0].latency[TRIAL_AFTER].p95),
	   "no answers, no latency");
}

/* The same latency on both sides, that varies much from round to round. */
static void test_latency_chance(void)
{
	struct judge_config config = config_make();
	unsigned risen = 0, called = 0, trials = 500;

	for (unsigned i = 0; i < trials; i++) {
		struct sim sim = sim_make(1);
		struct judgement j;
		bool up = false;

		sim.seed = i * 7919 + 1;
		sim.rtt_ms[TRIAL_BEFORE] = sim.rtt_ms[TRIAL_AFTER] = 4;
		sim.rtt_noise = 0.5;
		j = judge(&config, sim);
		for (size_t c = 0; c < j.n_cells; c++)
			up |= j.cells[c].latency[TRIAL_AFTER].p95 >=
			      j.cells[c].latency[TRIAL_BEFORE].p95 * 1.5;
		risen += up;
		called += has_reason(&j, REASON_LATENCY_WORSE);
	}
	ok(risen > trials / 5, "by chance it rises by half in many trials (%u)", risen);
	ok(called <= trials / 100, "but is called in few (%u of %u)", called, trials);
}

/* In A..A B..B A..A a B is compared with both A. */
static void test_blocks(void)
{
	struct judge_config config = config_make();
	struct leg legs[3 * PAIRS] = {};
	struct judgement j;

	for (size_t i = 0; i < 3 * PAIRS; i++) {
		struct leg *leg = &legs[i];

		leg->side = i / PAIRS == 1 ? TRIAL_AFTER : TRIAL_BEFORE;
		leg->pair = i % PAIRS;
		leg->n_tests = config.cells.n;
		/* A drift of 2 % a leg, and 5 % by the settings. */
		for (size_t c = 0; c < config.cells.n; c++) {
			struct test_result *t = &leg->tests[c];

			t->traffic.mbps = 600 * pow(1.02, i) *
					  (leg->side == TRIAL_AFTER ? 1.05 : 1) *
					  (i % 2 ? 1.001 : 1);
			t->cpu_ms_per_gb = 900;
			t->foreign_mbps = NAN;
			t->millicelsius = 50000;
		}
	}
	judge_legs(&config, legs, ARRAY_SIZE(legs), &j);
	is_int(j.pairs, PAIRS, "two legs before and one after are a pair");
	is_near(j.cells[0].throughput.ratio, 1.05, 0.002, "a drift does not count");
	ok(j.verdict == VERDICT_BETTER && j.cells[0].throughput.half < 0.01,
	   "nor does it widen the interval (%g)", j.cells[0].throughput.half);
	legs[2 * PAIRS].discarded = true;
	judge_legs(&config, legs, ARRAY_SIZE(legs), &j);
	is_int(j.pairs, PAIRS, "one before has to do where the other is missing");
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
	sim.cost_effect = 1.08;
	is_verdict(judge(&config, sim), "worse", "8 %% is something");
	config.margin = JUDGE_MARGIN_QUICK;
	is_verdict(judge(&config, sim), "same", "not for a quick trial");
	config.margin = JUDGE_MARGIN;
	sim.cost_effect = 1.01;
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

/* Both ways at once a link carries twice as much, less the acknowledgements. */
static void test_line_rate_bidir(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1);
	char word[8];

	is_int(cell_list_parse("ipv4-bidir", &config.cells, word, sizeof(word)), 0,
	       "both ways at once");
	sim.noise = 0.0005;
	sim.cost_effect = 0.7;
	sim.line_mbps[TRIAL_BEFORE] = sim.line_mbps[TRIAL_AFTER] = 1000;
	sim.mbps = 1700;
	is_verdict(judge(&config, sim), "same", "a link that is not full");
	sim.mbps = 1800;
	is_verdict(judge(&config, sim), "better", "a full one is judged by cost");
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
	size_t n = simulate(&sim, config.cells.n, legs);

	legs[2].busy = true;
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

static void test_void(void)
{
	struct judge_config config = config_make();
	struct sim sim = sim_make(1.3);
	struct leg legs[64];
	struct judgement j;
	size_t n = simulate(&sim, config.cells.n, legs);

	judge_legs(&config, legs, 3, &j);
	ok(j.verdict == VERDICT_INCONCLUSIVE && j.pairs == 1 &&
		   has_reason(&j, REASON_FEW_PAIRS),
	   "one whole pair is too few");
	legs[3].n_tests = 2;
	judge_legs(&config, legs, 4, &j);
	is_int(j.pairs, 1, "a leg cut short makes no pair");
	legs[3].n_tests = config.cells.n;

	for (size_t i = 0; i < 2; i++) {
		legs[i].discarded = true;
		legs[i].tests[0].traffic.mbps = 1;
	}
	legs[1].busy = true;
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

int main(void)
{
	test_effects();
	test_false_calls();
	test_throttled();
	test_heat();
	test_latency();
	test_latency_chance();
	test_blocks();
	test_line_rate();
	test_line_rate_bidir();
	test_half_width();
	test_no_data();
	test_discarded();
	test_void();
	return done();
}
