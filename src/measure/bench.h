/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.h - one cell measured: traffic to the peer, the board sampled meanwhile */
#ifndef BOARDTUNE_BENCH_H
#define BOARDTUNE_BENCH_H

#include "measure/gate.h"
#include "measure/leg.h"
#include "measure/ping.h"

#define BENCH_TICK_MS 200
#define BENCH_SENSOR_LOST 5.0  /* seconds without a usable reading that stop a test */
/* Between two tests iperf3 (3.1 to 3.20) closes its listening socket for a moment and
 * resets who called meanwhile: seconds that a test may fail to begin. */
#define BENCH_GAP 3.0
#define BENCH_BUSY_WAIT 60.0   /* seconds that a busy server is waited for at the start */
#define BENCH_LIMIT_MARGIN 5000 /* millidegrees below the critical temperature */

struct bench {
	const struct sysroot *root;
	struct sampler *sampler;
	const struct sample_nics *nics; /* those that the sampler counts; NULL for none */
	const struct gate_ways *ways;
	double seconds, omit;
	enum client_protocol protocol;
	bool zero_copy;
	unsigned streams;   /* 0: one */
	unsigned len;       /* as in struct client_test */
	uint64_t bandwidth;
	struct ping *ping4, *ping6; /* aimed at the peer; NULL: latency is not measured */
	int limit;     /* millidegrees that stop a test; INT_MAX for none */
	int stop_fd;
	/* Called at each sample, must not block; NULL for none. @mbps: since the last. */
	void (*progress)(void *userdata, const struct sample *s, double mbps);
	/* Called before a busy server is asked again after @seconds; NULL for none. */
	void (*busy)(void *userdata, double seconds);
	void *userdata;
	bool counting; /* while @progress is called: the omitted part is over */
	double lost_since; /* first unusable reading after the last usable one; 0: none */
	char error[200]; /* translated, of the last test that failed; "" if none */
};

/**
 * bench_measure - run one test
 * @ret: on success with its samples, clocks and round-trip times, which the caller frees
 *	 (test_result_clear())
 *
 * The NICs' interrupts are looked for anew before it: rings, channels and a link that
 * went down make others of them.
 *
 * The clocks are those between the first tick of the counted part and the last; the
 * echoes are sent at its ticks.
 *
 * Returns as client_run(); -EOVERFLOW too hot; -ENODATA the sensor gave no usable reading
 * for BENCH_SENSOR_LOST, over as many tests as that takes; -ENOMEM.
 */
int bench_measure(struct bench *b, const struct cell *cell, struct test_result *ret);

/**
 * bench_probe - a test of a second: whether the peer serves by this way
 *
 * A busy server is asked again, for BENCH_BUSY_WAIT at most. Returns as client_run().
 */
int bench_probe(struct bench *b, const struct gate_way *way);

#endif
