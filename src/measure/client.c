// SPDX-License-Identifier: GPL-2.0-or-later
// client.c - one TCP test against an iperf3 server, from connect to results
#include "measure/client.h"

#include <arpa/inet.h>
#include <math.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdarg.h>

#include "measure/stream.h"

/* How long to wait at most for a server that has all it needs to hang up. */
#define PART_SECONDS 1.0

struct client {
	const struct client_test *test;
	struct wire wire;
	struct stream_set *set;
	char cookie[IPERF_COOKIE_SIZE];
	bool answered; /* the server has taken us: it must be told when we give up */
	char error[sizeof(((struct client_result *)NULL)->error)];
};

/* The first message stays: it is the one nearest to the cause. */
static int _printf_(3, 4) client_fail(struct client *c, int err, const char *fmt, ...)
{
	va_list ap;

	if (c->error[0])
		return err;
	va_start(ap, fmt);
	vsnprintf(c->error, sizeof(c->error), fmt, ap);
	va_end(ap);
	return err;
}

/* A message for what a wait, a read or a write of the control connection returned. */
static int client_fail_io(struct client *c, int err)
{
	switch (err) {
	case -EINTR:
		return client_fail(c, err, _("stopped"));
	case -ETIMEDOUT:
		return client_fail(c, err, _("the server did not answer within %g s"),
				   c->test->timeout);
	case -ECONNRESET:
		return client_fail(c, err, _("the server closed the connection"));
	case -EPROTO:
		return client_fail(c, err,
				   _("the server sent a document that is none of "
				     "iperf3's"));
	}
	return client_fail(c, err, "%s", strerror(-err));
}

static int client_fail_state(struct client *c, int state, enum iperf_state expected)
{
	int32_t codes[2];
	int r;

	switch (state) {
	case IPERF_ACCESS_DENIED:
		c->answered = false;
		return client_fail(c, -EBUSY, _("the server is busy with another test"));
	case IPERF_SERVER_TERMINATE:
		return client_fail(c, -ECONNRESET, _("the server was stopped"));
	case IPERF_SERVER_ERROR:
		r = wire_read(&c->wire, codes, sizeof(codes));
		if (r < 0)
			return client_fail_io(c, r);
		return client_fail(c, -EPROTO,
				   _("the server refused the test: iperf3 error %d (%s)"),
				   (int)ntohl(codes[0]), strerror(ntohl(codes[1])));
	}
	return client_fail(c, -EPROTO,
			   _("the server answered %d where iperf3 answers %d: "
			     "is it an iperf3 server?"),
			   state, expected);
}

static int client_expect(struct client *c, enum iperf_state expected)
{
	int state, r;

	r = wire_read_state(&c->wire, &state);
	if (r < 0)
		return client_fail_io(c, r);
	return state == (int)expected ? 0 : client_fail_state(c, state, expected);
}

static int client_fail_connect(struct client *c, int err)
{
	char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

	if (err == -EINTR)
		return client_fail_io(c, err);
	getnameinfo((const struct sockaddr *)&c->test->peer, c->test->peer_len, host,
		    sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	return client_fail(c, err, _("cannot connect to %.64s port %s: %s"), host, port,
			   strerror(-err));
}

/* A non-blocking connected socket; the wait honours stop and timeout. */
static int client_connect(struct client *c, int *ret_fd)
{
	const struct client_test *t = c->test;
	_cleanup_close_ int fd = -1;
	struct wire wire = c->wire;
	int err = 0, one = 1, r;
	socklen_t len = sizeof(err);

	fd = socket(t->peer.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return client_fail_connect(c, -errno);
	if (t->ifname &&
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, t->ifname, strlen(t->ifname)) < 0)
		return client_fail(c, -errno, _("cannot bind to interface %s: %s"),
				   t->ifname, strerror(errno));
	/* Control bytes go singly; a write of data is far larger than a segment. */
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0)
		return client_fail_connect(c, -errno);
	if (connect(fd, (const struct sockaddr *)&t->peer, t->peer_len) < 0) {
		if (errno != EINPROGRESS)
			return client_fail_connect(c, -errno);
		wire.fd = fd;
		r = wire_wait(&wire, POLLOUT);
		if (r < 0)
			return client_fail_connect(c, r);
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
			return client_fail_connect(c, -errno);
		if (err)
			return client_fail_connect(c, -err);
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/*
 * A busy server answers without reading the cookie and closes: the write may fail while
 * the answer is there.
 */
static int client_hello(struct client *c)
{
	int r;

	r = iperf_cookie_make(c->cookie);
	if (r < 0)
		return client_fail_io(c, r);
	r = client_connect(c, &c->wire.fd);
	if (r < 0)
		return r;
	r = wire_write(&c->wire, c->cookie, sizeof(c->cookie));
	if (r < 0 && r != -ECONNRESET)
		return client_fail_io(c, r);
	c->answered = true;
	return client_expect(c, IPERF_PARAM_EXCHANGE);
}

/* iperf3 knows whole seconds only. */
static unsigned client_omit(const struct client_test *t)
{
	return ceil(t->omit);
}

static int client_send_params(struct client *c)
{
	const struct client_test *t = c->test;
	struct iperf_params params = {
		.reverse = t->direction == CLIENT_RX,
		.streams = t->streams,
		.seconds = ceil(t->seconds),
		.omit = client_omit(t),
		.len = IPERF_LEN_DEFAULT,
	};
	_cleanup_free_ char *text = NULL;
	int r;

	r = iperf_params_encode(&params, &text);
	if (r == 0)
		r = wire_write_document(&c->wire, text);
	return r < 0 ? client_fail_io(c, r) : 0;
}

static int client_open_streams(struct client *c)
{
	struct wire wire = c->wire;
	int r;

	r = client_expect(c, IPERF_CREATE_STREAMS);
	if (r < 0)
		return r;
	r = stream_set_new(c->test->direction == CLIENT_TX, IPERF_LEN_DEFAULT, &c->set);
	if (r < 0)
		return client_fail_io(c, r);
	for (unsigned i = 0; i < c->test->streams; i++) {
		r = client_connect(c, &wire.fd);
		if (r < 0)
			return r;
		stream_set_add(c->set, wire.fd);
		r = wire_write(&wire, c->cookie, sizeof(c->cookie));
		if (r < 0)
			return client_fail_io(c, r);
	}
	r = client_expect(c, IPERF_TEST_START);
	return r < 0 ? r : client_expect(c, IPERF_TEST_RUNNING);
}

/* While data flows the server has nothing to say but that something is wrong. */
static int client_fail_flow(struct client *c, int r)
{
	int state;

	if (r == 1) {
		r = wire_read_state(&c->wire, &state);
		return r < 0 ? client_fail_io(c, r)
			     : client_fail_state(c, state, IPERF_EXCHANGE_RESULTS);
	}
	if (r == -ETIMEDOUT)
		return client_fail(c, r, _("no data moved for %g s"), c->test->timeout);
	if (r == -ECONNRESET)
		return client_fail(c, r, _("the server closed a data connection"));
	return client_fail_io(c, r);
}

/* Data for omit, then seconds. @ret: local time that was counted. */
static int client_flow(struct client *c, double *ret)
{
	const struct client_test *t = c->test;
	double tick = t->tick_ms / 1e3, start, next, end, omit_end;
	bool counting = false;
	int r;

	stream_set_start(c->set);
	start = c->set->counted_from;
	omit_end = start + client_omit(t);
	end = INFINITY;
	next = tick > 0 && t->tick ? start + tick : INFINITY;
	for (;;) {
		double now = now_monotonic();

		if (!counting && now >= omit_end) {
			stream_set_reset(c->set);
			counting = true;
			now = c->set->counted_from;
			end = now + t->seconds;
		}
		if (now >= end) {
			*ret = now - c->set->counted_from;
			return 0;
		}
		if (now >= next) {
			r = t->tick(t->userdata, counting, now - start,
				    counting ? stream_set_bytes(c->set) : 0);
			if (r < 0)
				return client_fail(c, r, _("stopped"));
			/* A tick that took long is not made up for. */
			next = fmax(next + tick, now);
		}
		r = stream_set_step(c->set, &c->wire,
				    fmin(next, counting ? end : omit_end));
		if (r)
			return client_fail_flow(c, r);
	}
}

/* Say that the test is over, and keep reading until the server has understood. */
static int client_end(struct client *c)
{
	double until;
	int r;

	r = wire_write_state(&c->wire, IPERF_TEST_END);
	if (r < 0)
		return client_fail_io(c, r);
	until = now_monotonic() + c->test->timeout;
	do
		r = stream_set_drain(c->set, &c->wire, until);
	while (r == 0);
	return r < 0 ? client_fail_io(c, r) : client_expect(c, IPERF_EXCHANGE_RESULTS);
}

/*
 * Both have what they need, so nothing here can fail the test. The server is busy until
 * it has read this and closed: a next test that comes sooner would be turned away.
 */
static void client_part(struct client *c)
{
	struct wire wire = c->wire;
	int state;

	wire.timeout = fmin(wire.timeout, PART_SECONDS);
	if (wire_write_state(&wire, IPERF_DONE) == 0)
		wire_read_state(&wire, &state);
}

/* What is received was sent, perhaps before the omitted part was over. */
static int client_check_bytes(struct client *c, const struct iperf_results *peer)
{
	uint64_t bytes;
	double seconds;
	int64_t unused;

	iperf_results_sum(peer, &bytes, &seconds, &unused);
	if (c->test->direction == CLIENT_RX ||
	    bytes <= stream_set_bytes(c->set) + c->set->omitted)
		return 0;
	return client_fail(c, -EPROTO, "%s",
			   _("the peer counts more bytes than were sent to it"));
}

static int client_exchange(struct client *c, const struct iperf_results *own,
			   struct iperf_results *ret_peer)
{
	_cleanup_free_ char *text = NULL, *answer = NULL;
	size_t size;
	int r;

	r = iperf_results_encode(own, &text);
	if (r == 0)
		r = wire_write_document(&c->wire, text);
	if (r == 0)
		r = wire_read_document(&c->wire, &answer, &size);
	if (r == 0)
		r = iperf_results_decode(answer, size, ret_peer);
	if (r == 0 && ret_peer->n != c->test->streams)
		r = -EPROTO;
	if (r < 0)
		return client_fail_io(c, r);
	r = client_check_bytes(c, ret_peer);
	if (r == 0)
		r = client_expect(c, IPERF_DISPLAY_RESULTS);
	if (r < 0)
		return r;
	c->answered = false;
	client_part(c);
	return 0;
}

static int client_test(struct client *c, struct client_result *ret)
{
	_cleanup_free_ struct iperf_results *own = NULL, *peer = NULL;
	struct client_result result = {};
	const struct iperf_results *receiver, *sender;
	int64_t unused;
	int r;

	own = calloc(1, sizeof(*own));
	peer = calloc(1, sizeof(*peer));
	if (!own || !peer)
		return client_fail_io(c, -ENOMEM);
	r = client_hello(c);
	if (r == 0)
		r = client_send_params(c);
	if (r == 0)
		r = client_open_streams(c);
	if (r == 0)
		r = client_flow(c, &result.local_seconds);
	if (r < 0)
		return r;
	stream_set_results(c->set, result.local_seconds, own);
	r = client_end(c);
	if (r == 0)
		r = client_exchange(c, own, peer);
	if (r < 0)
		return r;
	receiver = c->test->direction == CLIENT_RX ? own : peer;
	sender = c->test->direction == CLIENT_RX ? peer : own;
	iperf_results_sum(sender, &result.bytes, &result.seconds, &result.retransmits);
	iperf_results_sum(receiver, &result.bytes, &result.seconds, &unused);
	if (result.seconds <= 0)
		result.seconds = result.local_seconds;
	result.mbps = result.bytes * 8 / result.seconds / 1e6;
	result.peer_cpu = peer->cpu_total;
	*ret = result;
	return 0;
}

static int client_check(struct client *c)
{
	const struct client_test *t = c->test;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&t->peer;

	if (t->streams < 1 || t->streams > IPERF_STREAMS_MAX || !(t->seconds > 0) ||
	    t->seconds > IPERF_SECONDS_MAX || !(t->omit >= 0) ||
	    t->omit > IPERF_OMIT_MAX || !(t->timeout > 0))
		return client_fail(c, -EINVAL, "%s", strerror(EINVAL));
	if (in6->sin6_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	    !in6->sin6_scope_id && !t->ifname)
		return client_fail(c, -EINVAL,
				   _("a link-local address needs its interface: "
				     "fe80::1%%eth0"));
	return 0;
}

int client_run(const struct client_test *test, struct client_result *ret)
{
	struct client c = {
		.test = test,
		.wire = {
			.fd = -1,
			.stop_fd = test->stop_fd,
			.listen_fd = -1,
			.timeout = test->timeout,
		},
	};
	int r;

	r = client_check(&c);
	if (r == 0)
		r = client_test(&c, ret);
	if (r < 0) {
		signed char byte = IPERF_CLIENT_TERMINATE;

		/* A real server stays busy until it is told; it may have gone as well. */
		if (c.answered && c.wire.fd >= 0)
			send(c.wire.fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		memcpy(ret->error, c.error, sizeof(ret->error));
	}
	stream_set_free(&c.set);
	close_fd(&c.wire.fd);
	return r;
}
