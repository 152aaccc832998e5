// SPDX-License-Identifier: GPL-2.0-or-later
// bench.c - one cell measured: traffic to the peer, the board sampled meanwhile
#include <limits.h>

#include "measure/bench.h"

#define BENCH_GAP_STEP 0.2
#define BENCH_TIMEOUT 10.0 /* of each wait for the peer */

struct bench_test {
	struct bench *bench;
	struct test_result *result;
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

static int bench_tick(void *userdata, bool counting, double elapsed, uint64_t bytes)
{
	struct bench_test *t = userdata;
	struct test_result *result = t->result;
	struct test_sample *s;
	double mbps;
	int r;

	r = array_grow(&result->samples, result->n_samples, sizeof(*s));
	if (r < 0)
		return r;
	s = &result->samples[result->n_samples++];
	*s = (struct test_sample){ .bytes = bytes, .counting = counting };
	sampler_take(t->bench->sampler, &s->board);
	if (t->bench->progress) {
		/* The count begins anew when the omitted seconds are over. */
		uint64_t since = bytes >= t->last_bytes ? bytes - t->last_bytes : bytes;

		mbps = s->board.time > t->last_time ?
			       since * 8 / 1e6 / (s->board.time - t->last_time) :
			       0;
		t->bench->progress(t->bench->userdata, &s->board, mbps);
	}
	t->last_time = s->board.time;
	t->last_bytes = bytes;
	return bench_check_heat(t, &s->board);
}

static struct client_test bench_test_make(const struct bench *b,
					  const struct gate_way *way)
{
	return (struct client_test){
		.peer = way->address,
		.peer_len = way->length,
		/* Our own address is reached by lo, whatever interface has it. */
		.ifname = way->local ? NULL : way->ifname,
		.direction = CLIENT_TX,
		.seconds = 1,
		.streams = 1,
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

int bench_measure(struct bench *b, const struct cell *cell, struct test_result *ret)
{
	const struct gate_way *way = cell->family == AF_INET ? &b->ways->ipv4 :
							       &b->ways->ipv6;
	struct client_test test = bench_test_make(b, way);
	struct test_result result = {};
	struct bench_test t = {
		.bench = b,
		.result = &result,
		.had_sensor = sampler_zone_type(b->sampler) != NULL,
		.last_time = now_monotonic(),
	};
	int r;

	test.direction = cell->direction;
	test.seconds = b->seconds;
	test.omit = b->omit;
	test.tick_ms = BENCH_TICK_MS;
	test.tick = bench_tick;
	test.userdata = &t;
	r = bench_run(b, &test, &t, &result.traffic);
	if (r < 0) {
		free(result.samples);
		return r;
	}
	test_result_summarise(&result, cell->direction);
	result.line_mbps = bench_line_rate(b, result.carried);
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
		r = gate_sleep(wait, b->stop_fd);
		if (r < 0)
			return r;
	}
}
