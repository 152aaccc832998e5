/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server-private.h - what the files of the server share */
#ifndef BOARDTUNE_SERVER_PRIVATE_H
#define BOARDTUNE_SERVER_PRIVATE_H

#include "measure/server-cpu.h"
#include "measure/server.h"
#include "measure/stream.h"

struct server_test {
	const struct server_config *config;
	const struct listener_client *client;
	struct wire wire;
	struct iperf_params params;
	struct stream_set *set;
	struct server_cpu *cpu; /* at the start of the counted part; NULL unless asked */
	struct server_report report;
};

/**
 * server_refuse_test - tell the client why it gets no test
 *
 * i_errno and errno, as iperf3 does. Returns -EPROTO.
 */
int server_refuse_test(struct server_test *t, enum iperf_error error, int err);

/**
 * server_accept_streams - ask for the data connections and wait for all of them
 *
 * Returns 0, -ETIMEDOUT, -ECONNRESET, -EPROTO, -EINTR, -errno.
 */
int server_accept_streams(struct server_test *t);

#endif
