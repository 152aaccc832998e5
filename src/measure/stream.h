/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.h - the data connections of a test: send or receive, and count */
#ifndef BOARDTUNE_STREAM_H
#define BOARDTUNE_STREAM_H

#include <sys/resource.h>

#include "measure/udp.h"
#include "measure/wire.h"

struct stream {
	int fd;		       /* non-blocking, owned; -1 once it has ended */
	bool sender;	       /* this side sends */
	uint64_t bytes;	       /* moved since stream_set_reset() */
	uint64_t omitted;      /* moved before that */
	uint32_t retrans_base; /* TCP's total at stream_set_reset() */
	struct udp_flow udp;
	int wake;	 /* of a receiver: SO_RCVLOWAT, bytes */
	uint64_t looked; /* bytes moved in all when it was chosen */
	double due;	 /* of a paced sender: when the next datagram goes */
};

struct stream_options {
	bool udp;
	bool wide_counters; /* UDP: sequence numbers of 64 bits */
	bool zero_copy;	    /* TCP: send without copying: sendfile(2) from memory */
	bool skip_copy;	    /* receive without copying: MSG_TRUNC, woken seldom */
	bool zeros;	    /* send nothing but zeros */
	size_t len;	    /* bytes of one send or receive */
	uint64_t bandwidth; /* bit/s of each sender, 0: as much as goes */
};

/* All streams of a test: first those that the client sends. */
struct stream_set {
	struct stream_options options;
	unsigned n;
	struct stream streams[IPERF_STREAMS_ALL];
	char *buf;	     /* owned */
	size_t piece;	     /* bytes of one send */
	int file;	     /* owned: what sendfile(2) sends; -1 for none */
	double looked_at;    /* when the receivers' wake was chosen */
	double moved_at;     /* when bytes moved last, CLOCK_MONOTONIC */
	double counted_from; /* when counting began */
	uint64_t unsent;     /* stream_set_unsent() then */
	struct rusage usage; /* of this process then */
	struct pollfd fds[WIRE_FIRST + IPERF_STREAMS_ALL];
};

/**
 * stream_set_new - room for the streams of a test
 *
 * Who sends with zero_copy ignores SIGPIPE: sendfile(2) knows no MSG_NOSIGNAL. Returns 0
 * or -ENOMEM, -errno of memfd_create(2). Release with stream_set_free().
 */
int stream_set_new(const struct stream_options *options, struct stream_set **ret);
void stream_set_free(struct stream_set **set);
#define _cleanup_stream_set_ _cleanup_(stream_set_free)

/**
 * stream_set_add - take over a connected non-blocking socket
 * @sender: this side sends
 *
 * The caller adds at most IPERF_STREAMS_ALL. Returns 0, or -errno if the socket could
 * not be paced; it is owned either way.
 */
int stream_set_add(struct stream_set *set, int fd, bool sender);

/** stream_set_start - data may flow: the stall clock and the count begin */
void stream_set_start(struct stream_set *set);

/** stream_set_reset - count from now on: the omitted part is over */
void stream_set_reset(struct stream_set *set);

/**
 * stream_set_step - wait for the control connection or a stream, and move data
 * @until: CLOCK_MONOTONIC seconds
 *
 * The control connection goes first. Returns 1 if it is readable, 0 if data moved or
 * @until is reached, -ETIMEDOUT if nothing has moved for the wire's timeout (TCP; that no
 * datagram comes is a result), -ECONNRESET if a stream has ended, -EINTR to stop, -errno.
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

/** stream_set_unsent - bytes that senders wrote and their peers have not acknowledged */
uint64_t stream_set_unsent(const struct stream_set *set);

/**
 * stream_set_results - this side's counts, with iperf3's stream numbers
 * @seconds: to write down for each
 *
 * The CPU share is this process's since stream_set_reset(); of the rest of the machine
 * nothing is known.
 */
void stream_set_results(const struct stream_set *set, double seconds,
			struct iperf_results *ret);

#endif
