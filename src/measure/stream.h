/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.h - the data connections of a test: send or receive, and count */
#ifndef BOARDTUNE_STREAM_H
#define BOARDTUNE_STREAM_H

#include <sys/resource.h>

#include "measure/wire.h"

struct stream {
	int fd;		       /* non-blocking, owned; -1 once it has ended */
	uint64_t bytes;	       /* moved since stream_set_reset() */
	uint32_t retrans_base; /* TCP's total at stream_set_reset() */
};

/* All streams of a test go one way. */
struct stream_set {
	bool sender;
	unsigned n;
	struct stream streams[IPERF_STREAMS_MAX];
	char *buf;	     /* owned */
	size_t len;	     /* bytes of one send or receive */
	uint64_t omitted;    /* bytes moved before stream_set_reset() */
	double moved_at;     /* when bytes moved last, CLOCK_MONOTONIC */
	double counted_from; /* when counting began */
	struct rusage usage; /* of this process then */
	struct pollfd fds[WIRE_FIRST + IPERF_STREAMS_MAX];
};

/**
 * stream_set_new - room for the streams of a test
 * @sender: this side sends
 * @len: bytes of one send or receive
 *
 * Returns 0 or -ENOMEM. Release with stream_set_free().
 */
int stream_set_new(bool sender, size_t len, struct stream_set **ret);
void stream_set_free(struct stream_set **set);
#define _cleanup_stream_set_ _cleanup_(stream_set_free)

/**
 * stream_set_add - take over a connected non-blocking socket
 *
 * The caller adds at most IPERF_STREAMS_MAX.
 */
void stream_set_add(struct stream_set *set, int fd);

/** stream_set_start - data may flow: the stall clock and the count begin */
void stream_set_start(struct stream_set *set);

/** stream_set_reset - count from now on: the omitted part is over */
void stream_set_reset(struct stream_set *set);

/**
 * stream_set_step - wait for the control connection or a stream, and move data
 * @until: CLOCK_MONOTONIC seconds
 *
 * The control connection goes first. Returns 1 if it is readable, 0 if data moved or
 * @until is reached, -ETIMEDOUT if nothing has moved for the wire's timeout,
 * -ECONNRESET if a stream has ended, -EINTR to stop, -errno.
 */
int stream_set_step(struct stream_set *set, const struct wire *w, double until);

/**
 * stream_set_drain - after the end: read and forget, send nothing
 *
 * A server of before iperf3 3.16 that is blocked in a send would not see the end of the
 * test otherwise. Returns as stream_set_step(), but a stream that ends is no error.
 */
int stream_set_drain(struct stream_set *set, const struct wire *w, double until);

/** stream_set_bytes - of all streams since stream_set_reset() */
uint64_t stream_set_bytes(const struct stream_set *set);

/**
 * stream_set_results - this side's counts, with iperf3's stream numbers
 * @seconds: to write down for each
 *
 * The CPU share is this process's since stream_set_reset().
 */
void stream_set_results(const struct stream_set *set, double seconds,
			struct iperf_results *ret);

#endif
