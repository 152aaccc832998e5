/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.h - one test against an iperf3 server (kernel-abi: iperf3's protocol) */
#ifndef BOARDTUNE_CLIENT_H
#define BOARDTUNE_CLIENT_H

#include <sys/socket.h>

#include "base/base.h"

enum client_protocol {
	CLIENT_TCP,
	CLIENT_UDP,
};

enum client_direction {
	CLIENT_TX, /* this board sends */
	CLIENT_RX, /* the peer sends (iperf3 -R) */
	CLIENT_BIDIR, /* both at once (iperf3 --bidir) */
};

struct client_test {
	struct sockaddr_storage peer; /* with port and, for link-local, scope */
	socklen_t peer_len;
	const char *ifname;  /* SO_BINDTODEVICE, or NULL */
	enum client_protocol protocol;
	enum client_direction direction;
	/* sendfile, MSG_TRUNC: the cost of the NIC, not of copying. UDP is copied when it
	 * is sent. The caller ignores SIGPIPE. */
	bool zero_copy;
	unsigned len;        /* bytes of one write or datagram, 0: as iperf3 does */
	uint64_t bandwidth;  /* bit/s of each stream, 0: as much as goes */
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

/* What went one way, by the receiver's count. */
struct client_flow {
	uint64_t bytes;      /* 0 for a way that the test did not use */
	double seconds;
	double mbps;
	int64_t retransmits; /* TCP: of the sender, -1 if it cannot tell */
	double rtt_ms;       /* TCP: mean of the streams at the end; NAN unknown */
	uint64_t packets;    /* UDP: sent */
	uint64_t lost;       /* UDP */
	double jitter_ms;    /* UDP: RFC 3550; NAN unknown */
};

struct client_result {
	struct client_flow tx, rx;
	uint64_t bytes;        /* both ways, by the receiver's count */
	double seconds;        /* the receiver's, else ours */
	double local_seconds;  /* by our clock */
	double mbps;           /* bytes * 8 / seconds / 1e6 */
	int64_t retransmits;   /* of the sender, -1 if it cannot tell */
	double peer_cpu;       /* iperf3's cpu_util_total, percent; NAN: iperf2 */
	double peer_machine;   /* busy share of all its CPUs, 0 to 1; NAN: not told */
	double peer_busiest;   /* that of its busiest CPU; NAN: not told */
	bool by_sender;        /* iperf2: bytes are what its TCP acknowledged */
	char error[200];       /* what went wrong, translated; "" if nothing */
};

/**
 * client_run - run one test
 * @ret: filled in on success; on failure only @ret->error
 *
 * Blocks for about omit + seconds. Who says nothing on port 5001 is taken for an iperf2
 * server: it can be sent TCP, nothing else. Returns 0; -EBUSY the server runs another
 * test; -EINTR stopped; -ECONNREFUSED, -EHOSTUNREACH, -ETIMEDOUT, -ECONNRESET, -ENODEV
 * from the network; -EPROTO no iperf3 server or a broken document; what @tick answered.
 */
int client_run(const struct client_test *test, struct client_result *ret);

#endif
