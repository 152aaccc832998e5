// SPDX-License-Identifier: GPL-2.0-or-later
// bench.c - one cell measured: traffic to the peer, the board sampled meanwhile
#include <limits.h>

#include "measure/bench.h"

#define BENCH_GAP_STEP 0.2
#define BENCH_TIMEOUT 10.0 /* of each wait for the peer */
#define BENCH_CLOCKS_END 1.0 /* before the end: a tick may be late on a busy board */

/* Time at each clock, at both ends of the counted part. */
struct bench_clocks {
	bool begun, ended;
	struct sample_clocks from[SAMPLE_POLICIES_MAX], to[SAMPLE_POLICIES_MAX];
};

struct bench_test {
	struct bench *bench;
	struct test_result *result;
	struct ping *ping; /* NULL for none */
	struct bench_clocks *clocks;
	double counting_since; /* elapsed at the first tick that counts; 0: before */
	bool had_sensor;
	double last_time;
	uint64_t last_bytes;
};

static int bench_check_heat(struct bench_test *t, const struct sample *s)
{
	struct bench *b = t->bench;

	if (s->millicelsius != INT_MIN) {
		b->lost_since = 0;
		return s->millicelsius >= b->limit ? -EOVERFLOW : 0;
	}
	if (!b->lost_since)
		b->lost_since = s->time;
	return t->had_sensor && s->time - b->lost_since > BENCH_SENSOR_LOST ? -ENODATA :
									      0;
}

/* Only a tick near the end can be the last; each takes the place of the one before. */
static void bench_tick_clocks(struct bench_test *t, double elapsed)
{
	double left = t->counting_since + t->bench->seconds - elapsed;

	if (!t->clocks->begun) {
		sampler_clocks(t->bench->sampler, t->clocks->from);
		t->clocks->begun = true;
	} else if (left < BENCH_CLOCKS_END) {
		sampler_clocks(t->bench->sampler, t->clocks->to);
		t->clocks->ended = true;
	}
}

static int bench_tick_counting(struct bench_test *t, double elapsed)
{
	if (!t->counting_since) {
		t->counting_since = elapsed;
		if (t->ping)
			ping_begin(t->ping);
	}
	bench_tick_clocks(t, elapsed);
	return t->ping ? ping_tick(t->ping) : 0;
}

/* The count begins anew when the omitted seconds are over. */
static void bench_tick_progress(struct bench_test *t, const struct test_sample *s)
{
	uint64_t bytes = s->bytes >= t->last_bytes ? s->bytes - t->last_bytes : s->bytes;
	double seconds = s->board.time - t->last_time;
	struct bench *b = t->bench;

	b->counting = s->counting;
	if (b->progress)
		b->progress(b->userdata, &s->board,
			    seconds > 0 ? bytes * 8 / 1e6 / seconds : 0);
	t->last_time = s->board.time;
	t->last_bytes = s->bytes;
}

static int bench_tick(void *userdata, bool counting, double elapsed, uint64_t bytes)
{
	struct bench_test *t = userdata;
	struct test_sample s = { .bytes = bytes, .counting = counting, .looks = 1 };
	int r;

	sampler_take(t->bench->sampler, &s.board);
	r = test_result_add(t->result, &s);
	if (r == 0 && counting)
		r = bench_tick_counting(t, elapsed);
	if (r < 0)
		return r;
	bench_tick_progress(t, &s);
	return bench_check_heat(t, &s.board);
}

/* Nothing where the table of clocks has changed meanwhile, or somebody reset it. */
static struct sample_clocks clocks_between(const struct sample_clocks *from,
					   const struct sample_clocks *to)
{
	struct sample_clocks ret = { .n = from->n == to->n ? to->n : 0 };

	for (unsigned i = 0; i < ret.n; i++) {
		if (from->states[i].khz != to->states[i].khz ||
		    from->states[i].ticks > to->states[i].ticks)
			return (struct sample_clocks){};
		ret.states[i].khz = to->states[i].khz;
		ret.states[i].ticks = to->states[i].ticks - from->states[i].ticks;
	}
	return ret;
}

static int bench_clocks(const struct bench_test *t, struct test_result *ret)
{
	struct sample_clocks *clocks;

	if (!t->clocks->ended || !ret->n_policies)
		return 0;
	clocks = calloc(ret->n_policies, sizeof(*clocks));
	if (!clocks)
		return -ENOMEM;
	for (unsigned p = 0; p < ret->n_policies; p++)
		clocks[p] = clocks_between(&t->clocks->from[p], &t->clocks->to[p]);
	ret->clocks = clocks;
	return 0;
}

static int bench_latency(const struct bench_test *t, struct test_result *ret)
{
	struct ping_series series = {};
	int r = t->ping && t->counting_since ? ping_end(t->ping, &series) : 0;

	if (r < 0)
		return r;
	ret->rtt_ms = series.rtt_ms;
	ret->n_rtt = series.n;
	ret->rtt_lost = series.lost;
	return 0;
}

static struct client_test bench_test_make(const struct bench *b,
					  const struct gate_way *way)
{
	return (struct client_test){
		.peer = way->address,
		.peer_len = way->length,
		/* Our own address is reached by lo, whatever interface has it. */
		.ifname = way->local ? NULL : way->ifname,
		.protocol = b->protocol,
		.direction = CLIENT_TX,
		.zero_copy = b->zero_copy,
		.len = b->len,
		.bandwidth = b->bandwidth,
		.seconds = 1,
		.streams = b->streams ? b->streams : 1,
		.timeout = BENCH_TIMEOUT,
		.stop_fd = b->stop_fd,
	};
}

/* Run a test; one that did not begin is tried again. @t: NULL: a test without ticks. */
static int bench_run(struct bench *b, const struct client_test *test,
		     const struct bench_test *t, struct client_result *ret)
{
	double deadline = now_monotonic() + BENCH_GAP;

	for (;;) {
		int r = client_run(test, ret);

		snprintf(b->error, sizeof(b->error), "%s", r < 0 ? ret->error : "");
		if ((r != -ECONNREFUSED && r != -ECONNRESET) ||
		    (t && t->result->n_samples) || now_monotonic() >= deadline)
			return r;
		r = gate_sleep(BENCH_GAP_STEP, b->stop_fd);
		if (r < 0)
			return r;
	}
}

/* The speed of the link that the bytes went by. */
static double bench_line_rate(const struct bench *b, unsigned carried)
{
	double fastest = 0;

	for (size_t i = 0; b->nics && i < b->nics->n; i++) {
		double speed = carried & 1u << i ?
				       gate_line_rate(b->root, b->nics->names[i]) : 0;

		fastest = speed > fastest ? speed : fastest;
	}
	return fastest;
}

static int bench_test(struct bench_test *t, const struct cell *cell,
		      const struct gate_way *way)
{
	struct test_result *result = t->result;
	struct bench *b = t->bench;
	struct client_test test = bench_test_make(b, way);
	int r;

	test.direction = cell->direction;
	test.seconds = b->seconds;
	test.omit = b->omit;
	test.tick_ms = BENCH_TICK_MS;
	test.tick = bench_tick;
	test.userdata = t;
	r = bench_run(b, &test, t, &result->traffic);
	if (r < 0)
		return r;
	test_result_summarise(result, cell->direction);
	result->line_mbps = bench_line_rate(b, result->carried);
	r = bench_clocks(t, result);
	return r < 0 ? r : bench_latency(t, result);
}

int bench_measure(struct bench *b, const struct cell *cell, struct test_result *ret)
{
	_cleanup_free_ struct bench_clocks *clocks = calloc(1, sizeof(*clocks));
	bool ipv4 = cell->family == AF_INET;
	struct test_result result = {};
	struct bench_test t = {
		.bench = b,
		.result = &result,
		.ping = ipv4 ? b->ping4 : b->ping6,
		.clocks = clocks,
		.had_sensor = sampler_zone_type(b->sampler) != NULL,
		.last_time = now_monotonic(),
	};
	int r;

	if (!clocks)
		return -ENOMEM;
	/* A switch of settings, or the driver, may have made others of them. */
	r = sampler_find_irqs(b->sampler);
	if (r < 0)
		return r;
	r = bench_test(&t, cell, ipv4 ? &b->ways->ipv4 : &b->ways->ipv6);
	if (r < 0) {
		test_result_clear(&result);
		return r;
	}
	*ret = result;
	return 0;
}

int bench_probe(struct bench *b, const struct gate_way *way)
{
	struct client_test test = bench_test_make(b, way);
	double deadline = now_monotonic() + BENCH_BUSY_WAIT;

	for (double wait = 1;; wait *= 2) {
		struct client_result result = {};
		int r = bench_run(b, &test, NULL, &result);

		if (r != -EBUSY || now_monotonic() + wait > deadline)
			return r;
		if (b->busy)
			b->busy(b->userdata, wait);
		r = gate_sleep(wait, b->stop_fd);
		if (r < 0)
			return r;
	}
}
