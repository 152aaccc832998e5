/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.h - the peer: an iperf3-compatible TCP server, one test at a time */
#ifndef BOARDTUNE_SERVER_H
#define BOARDTUNE_SERVER_H

#include "base/base.h"

struct server_config {
	int listen_fd;   /* bound and listening; borrowed */
	int stop_fd;     /* readable: return 0; -1 for none */
	double timeout;  /* of each wait for the client, seconds */
};

/** server_listen - a listening socket on [::]:port, IPv4 too; descriptor or -errno */
int server_listen(unsigned port);

/**
 * server_run - serve clients until @stop_fd
 *
 * A client that sends garbage, stalls or vanishes costs one test. A second client gets
 * "busy" at once. Returns 0 or -errno of the listening socket.
 */
int server_run(const struct server_config *config);

#endif
