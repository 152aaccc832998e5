// SPDX-License-Identifier: GPL-2.0-or-later
// client-connect.c - the connections of a test, control and data
#include "measure/client-private.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

/* A non-blocking socket, bound to the interface that the test goes by. */
static int client_socket(struct client *c, int type, int *ret_fd)
{
	const struct client_test *t = c->test;
	_cleanup_close_ int fd = -1;

	fd = socket(t->peer.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return client_fail_connect(c, -errno);
	if (t->ifname &&
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, t->ifname, strlen(t->ifname)) < 0)
		return client_fail(c, -errno, _("cannot bind to interface %s: %s"),
				   t->ifname, strerror(errno));
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* What became of a connect(2) that was not done at once. */
static int client_wait_connected(const struct client *c, int fd)
{
	struct wire wire = c->wire;
	socklen_t len = sizeof(int);
	int err, r;

	wire.fd = fd;
	r = wire_wait(&wire, POLLOUT);
	if (r < 0)
		return r;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		return -errno;
	return -err;
}

int client_connect(struct client *c, int *ret_fd)
{
	const struct client_test *t = c->test;
	_cleanup_close_ int fd = -1;
	int one = 1, r;

	r = client_socket(c, SOCK_STREAM, &fd);
	if (r < 0)
		return r;
	/* Control bytes go singly; a write of data is far larger than a segment. */
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0)
		return client_fail_connect(c, -errno);
	if (connect(fd, (const struct sockaddr *)&t->peer, t->peer_len) < 0) {
		r = errno == EINPROGRESS ? client_wait_connected(c, fd) : -errno;
		if (r < 0)
			return client_fail_connect(c, r);
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* As iperf3: a datagram of the size of a segment, so that none is fragmented. */
unsigned client_len(const struct client *c)
{
	socklen_t size = sizeof(int);
	int mss;

	if (c->test->len)
		return c->test->len;
	if (c->test->protocol == CLIENT_TCP)
		return IPERF_LEN_DEFAULT;
	if (getsockopt(c->wire.fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &size) < 0 ||
	    mss < IPERF_UDP_LEN_MIN)
		return IPERF_UDP_LEN_DEFAULT;
	return mss < IPERF_UDP_LEN_MAX ? mss : IPERF_UDP_LEN_MAX;
}

static int client_open_tcp(struct client *c, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	struct wire wire = c->wire;
	int r;

	r = client_connect(c, &fd);
	if (r < 0)
		return r;
	wire.fd = fd;
	r = wire_write(&wire, c->cookie, sizeof(c->cookie));
	if (r < 0)
		return client_fail_io(c, r);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int client_open_udp(struct client *c, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	int r;

	r = client_socket(c, SOCK_DGRAM, &fd);
	if (r < 0)
		return r;
	if (connect(fd, (const struct sockaddr *)&c->test->peer, c->test->peer_len) < 0)
		return client_fail_connect(c, -errno);
	r = udp_greet(&c->wire, fd);
	if (r == -ETIMEDOUT)
		return client_fail(c, r, _("the server does not answer UDP"));
	if (r < 0)
		return client_fail_connect(c, r);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* Those that this side sends are first. */
int client_open_streams(struct client *c)
{
	const struct client_test *t = c->test;
	const struct stream_options options = {
		.udp = t->protocol == CLIENT_UDP,
		.wide_counters = true,
		.zero_copy = t->zero_copy,
		.skip_copy = t->zero_copy,
		.len = client_len(c),
		.bandwidth = t->bandwidth,
	};
	unsigned n = t->direction == CLIENT_BIDIR ? 2 * t->streams : t->streams;
	int r;

	r = stream_set_new(&options, &c->set);
	if (r < 0)
		return client_fail_io(c, r);
	for (unsigned i = 0; i < n; i++) {
		int fd = -1;

		r = options.udp ? client_open_udp(c, &fd) : client_open_tcp(c, &fd);
		if (r < 0)
			return r;
		r = stream_set_add(c->set, fd,
				   t->direction != CLIENT_RX && i < t->streams);
		if (r < 0)
			return client_fail_io(c, r);
	}
	return 0;
}
