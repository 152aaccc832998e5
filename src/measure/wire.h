/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - exact reads and writes of a control connection, each with a deadline */
#ifndef BOARDTUNE_WIRE_H
#define BOARDTUNE_WIRE_H

#include <poll.h>
#include <sys/socket.h>

#include "base/base.h"
#include "measure/iperf.h"
#include "measure/listen.h"

/* Places in the array that wire_poll() takes; a descriptor of -1 is not looked at. */
enum wire_slot {
	WIRE_STOP,
	WIRE_LISTEN,
	WIRE_CONTROL,
	WIRE_FIRST, /* what else the caller waits for */
};

/* A control connection. No descriptor is owned. */
struct wire {
	int fd;		/* non-blocking */
	int stop_fd;	/* readable: every wait ends with -EINTR; -1 for none */
	struct listener *listener; /* of a server: seen to during each wait; or NULL */
	double timeout; /* of each read and write, seconds */
};

/**
 * wire_poll - wait until a descriptor is ready
 * @fds: the descriptors up to WIRE_CONTROL are filled in here, the rest by the caller
 * @n: elements, at least WIRE_FIRST
 * @until: CLOCK_MONOTONIC seconds, INFINITY too
 *
 * Returns 1 when something of the caller or the control connection is ready, also when
 * that is only seen after @until; 0 at @until, -EINTR to stop, -errno. Who must not be
 * kept by a peer that always has something looks at the clock.
 */
int wire_poll(const struct wire *w, struct pollfd *fds, size_t n, double until);

/**
 * wire_wait - wait for @events on the control connection
 *
 * Returns 0, -ETIMEDOUT, -EINTR, -errno.
 */
int wire_wait(const struct wire *w, short events);

/**
 * wire_read - read exactly @size bytes
 *
 * Returns 0; -ECONNRESET at the end of the stream; -ETIMEDOUT; -EINTR; -errno.
 */
int wire_read(const struct wire *w, void *buf, size_t size);

/** wire_write - write exactly @size bytes, never raising SIGPIPE; as wire_read() */
int wire_write(const struct wire *w, const void *buf, size_t size);

/** wire_read_state - read one state byte, any value from -128 to 127 */
int wire_read_state(const struct wire *w, int *ret);
int wire_write_state(const struct wire *w, enum iperf_state state);

/**
 * wire_read_document - a 32-bit big-endian length and so many bytes
 * @ret: gets the bytes and a NUL, freed by the caller
 *
 * Returns as wire_read(), -EPROTO for a length of 0 or above IPERF_DOCUMENT_MAX, or
 * -ENOMEM.
 */
int wire_read_document(const struct wire *w, char **ret, size_t *ret_size);
int wire_write_document(const struct wire *w, const char *text);

#endif
