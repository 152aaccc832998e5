/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.h - the peer: an iperf3-compatible server, one test at a time */
#ifndef BOARDTUNE_SERVER_H
#define BOARDTUNE_SERVER_H

#include "measure/listen.h"

/* What became of a test. */
struct server_report {
	const struct sockaddr_storage *peer;
	const struct iperf_params *params; /* zeros where they could not be read */
	int error; /* 0, or the -errno that ended it */
	uint64_t received, sent; /* by the receiver's count; 0 for a way not used */
	double seconds;
};

struct server_config {
	int listen_fd;   /* bound and listening; borrowed */
	int stop_fd;     /* readable: return 0; -1 for none */
	double timeout;  /* of each wait for the client, seconds */
	double max_seconds; /* longest test with what it omits; 0: a day */
	bool once;       /* return after the first whole test */
	/* After each test; NULL: nobody asks. */
	void (*report)(void *userdata, const struct server_report *report);
	/* As listener_config has it. */
	void (*dropped)(void *userdata, const struct sockaddr_storage *who, int error);
	void *userdata;
};

/** server_listen - as listen_any(), by any interface */
int server_listen(unsigned port);

/**
 * server_run - serve clients until @stop_fd
 *
 * A client counts once its cookie and parameters are there; one that stalls or vanishes
 * then costs one test. While a test runs, others get "busy" at once. UDP goes to the
 * client's own address only, from the one that it has called. The caller ignores SIGPIPE
 * (stream.h: a client may ask for zero-copy). Returns 0 or -errno of the listening
 * socket.
 */
int server_run(const struct server_config *config);

#endif
