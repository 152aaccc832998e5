/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.h - one TCP test against an iperf3 server (kernel-abi: iperf3's protocol) */
#ifndef BOARDTUNE_CLIENT_H
#define BOARDTUNE_CLIENT_H

#include <sys/socket.h>

#include "base/base.h"

enum client_direction {
	CLIENT_TX, /* this board sends */
	CLIENT_RX, /* the peer sends (iperf3 -R) */
};

struct client_test {
	struct sockaddr_storage peer; /* with port and, for link-local, scope */
	socklen_t peer_len;
	const char *ifname;  /* SO_BINDTODEVICE, or NULL */
	enum client_direction direction;
	double seconds;      /* measured, after the omitted ones */
	double omit;         /* at the start, not counted */
	unsigned streams;    /* 1 to 128 */
	double timeout;      /* of each wait for the peer, seconds */
	int stop_fd;         /* readable: stop (-EINTR); -1 for none */
	unsigned tick_ms;    /* how often to call @tick; 0: never */
	/* Called about every tick_ms while data flows. @counting: the omitted part is
	 * over; @bytes: seen by this side since then. A negative answer ends the test. */
	int (*tick)(void *userdata, bool counting, double elapsed, uint64_t bytes);
	void *userdata;
};

struct client_result {
	uint64_t bytes;        /* by the receiver's count, without the omitted part */
	double seconds;        /* the receiver's, else ours */
	double local_seconds;  /* by our clock */
	double mbps;           /* bytes * 8 / seconds / 1e6 */
	int64_t retransmits;   /* of the sender, -1 if it cannot tell */
	double peer_cpu;       /* iperf3's cpu_util_total of the peer, percent */
	char error[200];       /* what went wrong, translated; "" if nothing */
};

/**
 * client_run - run one test
 * @ret: filled in on success; on failure only @ret->error
 *
 * Blocks for about omit + seconds. Returns 0; -EBUSY the server runs another test;
 * -EINTR stopped; -ECONNREFUSED, -EHOSTUNREACH, -ETIMEDOUT, -ECONNRESET, -ENODEV from
 * the network; -EPROTO no iperf3 server or a broken document; what @tick answered.
 */
int client_run(const struct client_test *test, struct client_result *ret);

#endif
