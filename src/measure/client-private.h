/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client-private.h - what the files of the client share */
#ifndef BOARDTUNE_CLIENT_PRIVATE_H
#define BOARDTUNE_CLIENT_PRIVATE_H

#include "measure/client.h"
#include "measure/stream.h"

struct client {
	const struct client_test *test;
	struct wire wire;
	struct stream_set *set;
	char cookie[IPERF_COOKIE_SIZE];
	bool answered; /* the server has taken us: it must be told when we give up */
	bool iperf2;   /* it takes us and never says a word */
	double local_seconds;
	char error[sizeof(((struct client_result *)NULL)->error)];
};

/* client-error.c: each writes a message, unless there is one, and returns @err. */

/** client_fail - the first message stays: it is the one nearest to the cause */
int client_fail(struct client *c, int err, const char *fmt, ...) _printf_(3, 4);

/** client_fail_io - for what a wait, a read or a write returned */
int client_fail_io(struct client *c, int err);

/** client_fail_connect - for what the way to the peer came to */
int client_fail_connect(struct client *c, int err);

/**
 * client_fail_state - for a state byte of the server that was not the expected
 *
 * Reads the numbers that follow IPERF_SERVER_ERROR. Returns -EBUSY, -ECONNRESET, -EPROTO
 * or as wire_read().
 */
int client_fail_state(struct client *c, int state, enum iperf_state expected);

/* client-connect.c */

/** client_connect - a TCP connection; the wait honours stop and timeout */
int client_connect(struct client *c, int *ret_fd);

/** client_len - bytes of one write or datagram; @c is connected if it is UDP */
unsigned client_len(const struct client *c);

/** client_open_streams - all data connections, which the server awaits */
int client_open_streams(struct client *c);

/* client.c */

/** client_flow - data for omit, then seconds; sets local_seconds: what was counted */
int client_flow(struct client *c);

/* client-result.c */

/**
 * client_result_fill - what both sides counted
 *
 * Returns 0, -EPROTO if the peer says what cannot be.
 */
int client_result_fill(struct client *c, const struct iperf_results *own,
		       const struct iperf_results *peer, struct client_result *ret);

/* iperf2.c */

/**
 * iperf2_run - a TCP test against an iperf2 server, which only ever receives
 *
 * Its server tells nothing: what its TCP has acknowledged is counted. Errors as
 * client_run().
 */
int iperf2_run(struct client *c, struct client_result *ret);

#endif
