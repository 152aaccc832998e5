/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listen.h - who calls a server: many at once show their cookies and parameters
 *
 * One descriptor tells when anything of it is ready, so that it fits into any wait. No
 * caller is waited for: each has so long for its cookie and its parameters, and one that
 * has shown little makes room for a new one.
 */
#ifndef BOARDTUNE_LISTEN_H
#define BOARDTUNE_LISTEN_H

#include <sys/socket.h>

#include "base/base.h"
#include "measure/iperf.h"

#define LISTENER_CALLERS_MAX 512
#define LISTENER_QUEUE_MAX 8 /* clients that wait for what becomes of another */
#define LISTENER_PARAMS_MAX 8192 /* bytes of parameters, as iperf3 since 3.18 */
#define LISTENER_PATIENCE 5.0	 /* seconds for cookie and parameters */

struct listener;

/* Who has shown a cookie and parameters: the client of the next test. */
struct listener_client {
	int fd; /* non-blocking, owned */
	struct sockaddr_storage address;
	char cookie[IPERF_COOKIE_SIZE];
	char *params; /* document, owned, with a NUL behind it */
	size_t params_size;
};

#define LISTENER_CLIENT_INIT { .fd = -1 }

void listener_client_clear(struct listener_client *client);

struct listener_config {
	int listen_fd;	 /* bound and listening; borrowed, becomes non-blocking */
	double patience; /* seconds that a caller has for its cookie and parameters */
	/* Who was sent away, and why: -ETIMEDOUT; -ECONNRESET it went; -EPROTO no iperf3
	 * client; -ENOBUFS it made room; -EBUSY told so. NULL: nobody asks. */
	void (*dropped)(void *userdata, const struct sockaddr_storage *who, int error);
	void *userdata;
};

/**
 * listen_any - a listening TCP socket on [::]:port, IPv4 too
 * @ifname: only what comes by this interface; NULL for any
 *
 * IPv4 alone where there is no IPv6. Returns a descriptor or -errno.
 */
int listen_any(unsigned port, const char *ifname);

/** listen_at - as listen_any(), on one address */
int listen_at(const struct sockaddr *address, socklen_t length, const char *ifname);

/** listener_new - 0, -ENOMEM or another -errno; release with listener_free() */
int listener_new(const struct listener_config *config, struct listener **ret);
void listener_free(struct listener **l);
#define _cleanup_listener_ _cleanup_(listener_free)

/** listener_fd - readable: listener_step() has something to do */
int listener_fd(const struct listener *l);

/**
 * listener_step - take callers and read what they show; never blocks
 *
 * Returns 0, or -errno of the listening socket.
 */
int listener_step(struct listener *l);

/**
 * listener_wait - wait for the client of the next test
 * @stop_fd: readable: -EINTR; -1 for none
 *
 * Returns 0, -EINTR, -errno of the listening socket.
 */
int listener_wait(struct listener *l, int stop_fd, struct listener_client *ret);

/** listener_expect - the next @n callers with this cookie are streams of the test */
void listener_expect(struct listener *l, const char *cookie, unsigned n);

/** listener_take_stream - a non-blocking socket for the caller; -EAGAIN none now */
int listener_take_stream(struct listener *l);

/**
 * listener_busy - the test runs: every other client hears that the server is busy
 *
 * Until then clients wait: most tests that do not come to run end at once.
 */
void listener_busy(struct listener *l);

/** listener_done - the test has ended: the next one may come */
void listener_done(struct listener *l);

#endif
