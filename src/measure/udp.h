/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udp.h - iperf3's datagrams: the header of each, loss and jitter, who talks to whom */
#ifndef BOARDTUNE_UDP_H
#define BOARDTUNE_UDP_H

#include <sys/socket.h>

#include "measure/wire.h"

/* One way of one stream. Counts are since the start, the omitted part included. */
struct udp_flow {
	uint64_t packets; /* sent, or the highest number received */
	uint64_t lost;	  /* numbers that did not come, less those that came late */
	uint64_t omitted_packets, omitted_lost;
	double jitter; /* RFC 3550, seconds */
	double transit; /* of the last: its arrival less its own time */
};

/** udp_header_write - time and number at the start of a datagram; @wide: 64-bit number */
void udp_header_write(char *buf, bool wide, double now, uint64_t number);

/**
 * udp_flow_receive - count a datagram
 * @buf: its first IPERF_UDP_LEN_MIN bytes, @size of which are there
 * @wide: numbers of 64 bits
 * @now: when it came, CLOCK_MONOTONIC
 *
 * Returns false for one that is none of a test's: too short, or numbered absurdly.
 */
bool udp_flow_receive(struct udp_flow *flow, const char *buf, size_t size, bool wide,
		      double now);

/** udp_flow_omit - what came until now is of the omitted part */
void udp_flow_omit(struct udp_flow *flow);

/**
 * udp_greet - a client makes itself known to the server
 * @fd: connected, non-blocking
 *
 * The request is repeated until something comes back; data may come before the answer
 * and stays to be read. Returns 0, also when the control connection has something to
 * say first, which is then to be read; -ETIMEDOUT, -EINTR, -errno.
 */
int udp_greet(const struct wire *w, int fd);

/**
 * udp_listen - a socket for the next stream of a server's test
 * @control: the control connection: the address and port of its own end are used
 *
 * Returns a non-blocking descriptor or -errno.
 */
int udp_listen(int control);

/**
 * udp_accept - connect @fd to who has greeted
 * @control: only its peer's address is talked to
 *
 * Nothing is sent yet. Returns 1; 0 if it was someone else, or no greeting; -errno.
 */
int udp_accept(int fd, int control);

/** udp_answer - tell the client that its stream is there */
int udp_answer(int fd);

#endif
