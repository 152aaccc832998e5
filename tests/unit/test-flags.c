// SPDX-License-Identifier: GPL-2.0-or-later
// test-flags.c - each flag raised by its cause, injected into the samples of a trial
#include <limits.h>
#include <math.h>

#include "measure/judge.h"
#include "tap.h"

#define PAIRS 4
#define LEGS (2 * PAIRS)
#define SAMPLES 26
#define STEP 0.2         /* seconds */
#define BYTES 16000000ull /* between two samples: 640 Mbit/s */

/* A trial of one cell, A B B A, with all its samples: 4 % of headers, 2 % of ACKs. */
struct fixture {
	struct judge_config config;
	struct leg legs[LEGS];
};

static void sample_make(struct test_sample *s, size_t leg, size_t i)
{
	*s = (struct test_sample){
		.board = { .time = 100 + leg * 10 + i * STEP,
			   .millicelsius = 60000 + i % 3 * 500,
			   .n_policies = 1, .cur_khz = { 1000000 },
			   .max_khz = { 1200000 },
			   .cpu_busy_us = i * 200000, .cpu_idle_us = i * 200000,
			   .softirq_us = i * 20000, .n_cpus = 2,
			   .cpus = { { .busy_us = i * 140000 },
				     { .busy_us = i * 60000 } },
			   .rpi = -1,
			   .nics = { { .tx_bytes = i * BYTES * 104 / 100,
				       .rx_bytes = i * BYTES * 2 / 100,
				       .known = true } } },
		.bytes = i * BYTES,
		.counting = true,
	};
}

static bool fixture_make(struct fixture *f)
{
	char word[8];

	*f = (struct fixture){ .config = { .margin = JUDGE_MARGIN, .has_sensor = true,
					   .max_millicelsius = INT_MIN } };
	if (cell_list_parse("ipv4-tx", &f->config.cells, word, sizeof(word)) < 0)
		return false;
	for (size_t i = 0; i < LEGS; i++) {
		struct test_result *t = &f->legs[i].tests[0];

		f->legs[i].side = i % 4 == 1 || i % 4 == 2 ? TRIAL_AFTER : TRIAL_BEFORE;
		f->legs[i].pair = i / 2;
		f->legs[i].n_tests = 1;
		t->traffic = (struct client_result){
			.tx = { .seconds = 5.01, .rtt_ms = 0.5 },
			.mbps = 640 + i % 3, .seconds = 5.01, .local_seconds = 5,
			.retransmits = 3, .peer_machine = 0.2, .peer_busiest = 0.4,
		};
		t->samples = calloc(SAMPLES, sizeof(*t->samples));
		if (!t->samples)
			return false;
		t->n_samples = SAMPLES;
		for (size_t s = 0; s < SAMPLES; s++)
			sample_make(&t->samples[s], i, s);
	}
	return true;
}

static void fixture_clear(struct fixture *f)
{
	for (size_t i = 0; i < LEGS; i++)
		test_result_clear(&f->legs[i].tests[0]);
}

/* What the sampler would see of a cause: in the legs of a side, or TRIAL_SIDES_ all. */
#define each_test(f, t, which)                                                         \
	for (size_t i_ = 0; i_ < LEGS; i_++)                                           \
		for (struct test_result *t = &(f)->legs[i_].tests[0];                  \
		     t && ((which) == TRIAL_SIDES_ || (f)->legs[i_].side == (which));   \
		     t = NULL)

#define each_sample(t, s)                                                              \
	for (struct test_sample *s = (t)->samples; s < (t)->samples + SAMPLES; s++)

static void inject_nothing(struct fixture *f)
{
}

static void inject_full_link(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_) {
		t->traffic.mbps = 941;
		t->line_mbps = 1000;
	}
}

static void inject_pinned_peer(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		t->traffic.peer_busiest = 0.99;
}

static void inject_pinned_peer_after(struct fixture *f)
{
	each_test(f, t, TRIAL_AFTER) {
		t->traffic.peer_busiest = 1;
		t->traffic.mbps *= 1.4;
	}
}

static void inject_pinned_peer_worse(struct fixture *f)
{
	each_test(f, t, TRIAL_AFTER) {
		t->traffic.peer_busiest = 1;
		t->traffic.mbps *= 0.8;
	}
}

static void inject_pinned_peer_full_link(struct fixture *f)
{
	inject_full_link(f);
	inject_pinned_peer(f);
}

static void inject_iperf3_peer(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		t->traffic.peer_machine = t->traffic.peer_busiest = NAN;
}

static void inject_pinned_cpu(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		each_sample(t, s)
			s->board.cpus[1].busy_us = (s - t->samples) * 199000;
}

static void inject_cooling_once(struct fixture *f)
{
	f->legs[5].tests[0].samples[20].board.cooling = 1; /* after, in the midst */
}

static void inject_cooling_after(struct fixture *f)
{
	each_test(f, t, TRIAL_AFTER)
		t->samples[20].board.cooling = 2;
}

static void inject_cooling_both(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		t->samples[20].board.cooling = 2;
}

static void inject_lower_limit(struct fixture *f)
{
	each_test(f, t, TRIAL_BEFORE)
		t->samples[12].board.max_khz[0] = 816000;
}

/* A Raspberry Pi: nothing, but for the firmware's bits at a moment before. */
static void inject_rpi(struct fixture *f, int bits)
{
	each_test(f, t, TRIAL_SIDES_)
		each_sample(t, s)
			s->board.rpi = 0;
	f->legs[0].tests[0].samples[3].board.rpi = bits;
}

static void inject_rpi_quiet(struct fixture *f)
{
	inject_rpi(f, 0);
}

static void inject_rpi_throttled(struct fixture *f)
{
	inject_rpi(f, SAMPLE_RPI_THROTTLED);
}

static void inject_rpi_weak_supply(struct fixture *f)
{
	inject_rpi(f, SAMPLE_RPI_UNDERVOLTAGE);
}

static void inject_held(struct fixture *f)
{
	f->config.held = true;
}

static void inject_untouched(struct fixture *f)
{
	f->config.untouched = true;
}

static void inject_other_route(struct fixture *f)
{
	each_sample(&f->legs[3].tests[0], s)
		s->board.nics[0].tx_bytes = 1000;
}

static void second_flow(struct test_result *t, bool back)
{
	each_sample(t, s) {
		uint64_t more = (s - t->samples) * BYTES / 3;

		s->board.nics[0].tx_bytes += back ? 0 : more;
		s->board.nics[0].rx_bytes += back ? more : 0;
	}
}

static void inject_second_flow(struct fixture *f)
{
	second_flow(&f->legs[4].tests[0], false);
}

static void inject_second_flow_back(struct fixture *f)
{
	second_flow(&f->legs[7].tests[0], true);
}

static void inject_second_flow_repeated(struct fixture *f)
{
	second_flow(&f->legs[0].tests[0], false);
	f->legs[0].discarded = f->legs[1].discarded = true;
}

static void inject_ssh(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		each_sample(t, s)
			s->board.nics[0].tx_bytes += (s - t->samples) * 20000;
}

/* 10 % of our seconds are lost: 5.5 of them pass. */
static void inject_slow_clock(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		t->traffic.tx.seconds = 5.5;
}

static void inject_fast_clock(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		t->traffic.tx.seconds = 4.8;
}

static void inject_slow_clock_once(struct fixture *f)
{
	f->legs[2].tests[0].traffic.tx.seconds = 5.5;
}

/* The end of a test is heard late behind half a second of queue. */
static void inject_long_queue(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_) {
		t->traffic.tx.seconds = 5.6;
		t->traffic.tx.rtt_ms = 500;
	}
}

static void inject_receiving_only(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		t->traffic.tx = (struct client_flow){ .rtt_ms = NAN };
}

static void inject_no_sensor(struct fixture *f)
{
	f->config.has_sensor = false;
}

static void inject_sensor_gone_after(struct fixture *f)
{
	each_test(f, t, TRIAL_AFTER)
		each_sample(t, s)
			s->board.millicelsius = INT_MIN;
}

static void inject_constant_sensor(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		each_sample(t, s)
			s->board.millicelsius = 55000;
}

static void inject_busy_server(struct fixture *f)
{
	f->legs[0].discarded = f->legs[1].discarded = f->legs[1].busy = true;
	f->legs[1].n_tests = 0;
}

static void inject_forwarding(struct fixture *f)
{
	f->config.forwarding = true;
}

static void inject_not_steady(struct fixture *f)
{
	f->config.not_steady = true;
}

static void inject_busy_board(struct fixture *f)
{
	f->config.busy = true;
}

/* 2 C a minute. */
static void inject_slope(struct fixture *f)
{
	each_test(f, t, TRIAL_SIDES_)
		each_sample(t, s)
			s->board.millicelsius += (s->board.time - 100) / 60 * 2000;
}

static void inject_warm_up(struct fixture *f)
{
	for (size_t i = 0; i < LEGS / 2; i++)
		each_sample(&f->legs[i].tests[0], s)
			s->board.millicelsius -= (140 - s->board.time) * 200;
}

static void inject_short(struct fixture *f)
{
	f->config.shortened = true;
}

#define FLAG(f) (1u << JUDGE_##f)

static const struct {
	const char *what;
	void (*inject)(struct fixture *f);
	unsigned flags;
	enum verdict verdict;
	enum judge_reason_kind reason;
} cases[] = {
	{ "nothing", inject_nothing, 0, VERDICT_SAME, REASON_THROUGHPUT_SAME },
	{ "a full physical link", inject_full_link, FLAG(LINE_RATE), VERDICT_SAME,
	  REASON_CPU_SAME },
	{ "a pinned serve peer", inject_pinned_peer, FLAG(PEER_LIMITED),
	  VERDICT_INCONCLUSIVE, REASON_PEER_LIMITED },
	{ "a peer pinned by a faster board", inject_pinned_peer_after,
	  FLAG(PEER_LIMITED), VERDICT_BETTER, REASON_THROUGHPUT_BETTER },
	{ "a pinned peer and a lower rate", inject_pinned_peer_worse,
	  FLAG(PEER_LIMITED), VERDICT_INCONCLUSIVE, REASON_PEER_LIMITED },
	{ "a pinned peer on a full link", inject_pinned_peer_full_link, FLAG(LINE_RATE),
	  VERDICT_SAME, REASON_CPU_SAME },
	{ "an iperf3 peer", inject_iperf3_peer, FLAG(PEER_UNKNOWN), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a pinned CPU", inject_pinned_cpu, FLAG(CPU_BOUND), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a cooling state raised once, after", inject_cooling_once, FLAG(THROTTLED),
	  VERDICT_INCONCLUSIVE, REASON_THROTTLED_ONCE },
	{ "a cooling state raised always, after", inject_cooling_after, FLAG(THROTTLED),
	  VERDICT_WORSE, REASON_THROTTLED_AFTER },
	{ "a cooling state on both sides", inject_cooling_both, FLAG(THROTTLED),
	  VERDICT_SAME, REASON_THROUGHPUT_SAME },
	{ "a limit that sinks, before", inject_lower_limit, FLAG(THROTTLED),
	  VERDICT_SAME, REASON_THROUGHPUT_SAME },
	{ "a Raspberry Pi without bits", inject_rpi_quiet, 0, VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "its firmware throttles", inject_rpi_throttled, FLAG(THROTTLED), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "its supply is weak", inject_rpi_weak_supply, FLAG(THROTTLED), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a setting held back", inject_held, FLAG(HELD), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "no setting on the way", inject_untouched, FLAG(WRONG_NIC),
	  VERDICT_INCONCLUSIVE, REASON_WRONG_NIC },
	{ "a route through another NIC", inject_other_route, FLAG(WRONG_NIC),
	  VERDICT_INCONCLUSIVE, REASON_WRONG_NIC },
	{ "a second flow", inject_second_flow, FLAG(FOREIGN_TRAFFIC),
	  VERDICT_INCONCLUSIVE, REASON_FOREIGN_TRAFFIC },
	{ "a second flow, the other way", inject_second_flow_back, FLAG(FOREIGN_TRAFFIC),
	  VERDICT_INCONCLUSIVE, REASON_FOREIGN_TRAFFIC },
	{ "a second flow in a repeated pair", inject_second_flow_repeated,
	  FLAG(FOREIGN_TRAFFIC), VERDICT_SAME, REASON_THROUGHPUT_SAME },
	{ "a terminal session", inject_ssh, 0, VERDICT_SAME, REASON_THROUGHPUT_SAME },
	{ "a slow clock", inject_slow_clock, FLAG(CLOCK_SKEW), VERDICT_INCONCLUSIVE,
	  REASON_CLOCK_SKEW },
	{ "a fast clock", inject_fast_clock, FLAG(CLOCK_SKEW), VERDICT_INCONCLUSIVE,
	  REASON_CLOCK_SKEW },
	{ "a slow clock in one test", inject_slow_clock_once, 0, VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a long queue", inject_long_queue, 0, VERDICT_SAME, REASON_THROUGHPUT_SAME },
	{ "a peer that only sends", inject_receiving_only, 0, VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "no sensor", inject_no_sensor, FLAG(NO_SENSOR), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a sensor that fails after", inject_sensor_gone_after, FLAG(NO_SENSOR),
	  VERDICT_SAME, REASON_THROUGHPUT_SAME },
	{ "a constant sensor", inject_constant_sensor, FLAG(SENSOR_STUCK), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a busy server", inject_busy_server, FLAG(BUSY_SERVER), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a board that forwards", inject_forwarding, FLAG(NOT_FORWARDED), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a gate that gave up waiting", inject_not_steady, FLAG(NOT_STEADY),
	  VERDICT_SAME, REASON_THROUGHPUT_SAME },
	{ "a temperature that rises", inject_slope, FLAG(NOT_STEADY), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a warm-up that is over by half-time", inject_warm_up, 0, VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a board that is busy", inject_busy_board, FLAG(BUSY_BOARD), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
	{ "a short trial", inject_short, FLAG(SHORT), VERDICT_SAME,
	  REASON_THROUGHPUT_SAME },
};

static void print_flags(const char *what, unsigned flags)
{
	printf("# %s:", what);
	for (unsigned f = 0; f < JUDGE_FLAGS_; f++)
		if (flags & 1u << f)
			printf(" %s", judge_flag_name(f));
	putchar('\n');
}

static void test_case(size_t i)
{
	struct fixture f;
	struct judgement j;

	if (!ok(fixture_make(&f), "memory")) {
		fixture_clear(&f);
		return;
	}
	cases[i].inject(&f);
	for (size_t l = 0; l < LEGS; l++)
		test_result_summarise(&f.legs[l].tests[0], CLIENT_TX);
	judge_legs(&f.config, f.legs, LEGS, &j);
	if (!ok(j.flags == cases[i].flags, "%s", cases[i].what)) {
		print_flags("got", j.flags);
		print_flags("want", cases[i].flags);
	}
	is_str(verdict_name(j.verdict), verdict_name(cases[i].verdict), "is %s",
	       verdict_name(cases[i].verdict));
	is_str(j.n_reasons ? judge_reason_name(j.reasons[0].kind) : "none",
	       judge_reason_name(cases[i].reason), "because of %s",
	       judge_reason_name(cases[i].reason));
	fixture_clear(&f);
}

/* Figures of a side that reports show beside the flags. */
static void test_figures(void)
{
	struct fixture f;
	struct judgement j;

	if (!ok(fixture_make(&f), "memory")) {
		fixture_clear(&f);
		return;
	}
	inject_slope(&f);
	each_test(&f, t, TRIAL_AFTER)
		for (size_t s = 13; s < SAMPLES; s++) {
			t->samples[s].board.cooling = 1;
			t->samples[s].board.softnet_dropped = 5;
		}
	for (size_t l = 0; l < LEGS; l++) {
		f.legs[l].tests[0].traffic.bytes = 400000000;
		test_result_summarise(&f.legs[l].tests[0], CLIENT_TX);
	}
	judge_legs(&f.config, f.legs, LEGS, &j);
	is_near(j.sides[TRIAL_AFTER].slope, 2, 0.2, "degrees per minute");
	is_near(j.sides[TRIAL_AFTER].throttled_share, 0.5, 1e-9, "half of it throttled");
	is_near(j.sides[TRIAL_BEFORE].throttled_share, 0, 0, "none before");
	is_near(j.cells[0].retransmits_per_gb[TRIAL_BEFORE], 7.5, 1e-9, "retransmits");
	is_int(j.cells[0].dropped[TRIAL_AFTER], 5 * PAIRS, "packets dropped");
	fixture_clear(&f);
}

/* Every flag has a case that raises it. */
static void test_all(void)
{
	unsigned raised = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		raised |= cases[i].flags;
	is_int(raised, (1u << JUDGE_FLAGS_) - 1, "every flag is raised by a case");
	for (unsigned f = 0; f < JUDGE_FLAGS_; f++)
		ok(judge_flag_name(f) && *judge_flag_meaning(f), "%s has a meaning",
		   judge_flag_name(f));
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		test_case(i);
	test_figures();
	test_all();
	return done();
}
