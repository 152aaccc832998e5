// SPDX-License-Identifier: GPL-2.0-or-later
// client.c - one test against an iperf3 server, from connect to results
#include "measure/client-private.h"

#include <math.h>
#include <netinet/in.h>

/* How long to wait at most for a server that has all it needs to hang up. */
#define PART_SECONDS 1.0

/* Where iperf2 listens, and how long one who listens there may stay silent. */
#define IPERF2_PORT 5001
#define IPERF2_SECONDS 2.0

static int client_expect(struct client *c, enum iperf_state expected)
{
	int state, r;

	r = wire_read_state(&c->wire, &state);
	if (r < 0)
		return client_fail_io(c, r);
	return state == (int)expected ? 0 : client_fail_state(c, state, expected);
}

static bool client_is_iperf2_port(const struct client *c)
{
	const struct sockaddr_storage *peer = &c->test->peer;
	in_port_t port = peer->ss_family == AF_INET6 ?
				 ((const struct sockaddr_in6 *)peer)->sin6_port :
				 ((const struct sockaddr_in *)peer)->sin_port;

	return port == htons(IPERF2_PORT);
}

/* The first answer. An iperf2 server takes what we say for data. */
static int client_expect_first(struct client *c)
{
	const struct client_test *t = c->test;
	struct wire wire = c->wire;
	int r;

	if (client_is_iperf2_port(c)) {
		wire.timeout = fmin(wire.timeout, IPERF2_SECONDS);
		r = wire_wait(&wire, POLLIN);
		c->iperf2 = r == -ETIMEDOUT;
		if (c->iperf2 &&
		    (t->direction != CLIENT_TX || t->protocol != CLIENT_TCP))
			return client_fail(c, r, "%s",
					   _("the server is silent, as iperf2 is: it "
					     "can only be sent TCP"));
		if (r < 0)
			return c->iperf2 ? r : client_fail_io(c, r);
	}
	return client_expect(c, IPERF_PARAM_EXCHANGE);
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
	/* iperf2 2.1.8 takes letters for flags of a header, and may crash over them. */
	if (client_is_iperf2_port(c))
		memset(c->cookie, 0, sizeof(uint32_t));
	r = client_connect(c, &c->wire.fd);
	if (r < 0)
		return r;
	r = wire_write(&c->wire, c->cookie, sizeof(c->cookie));
	if (r < 0 && r != -ECONNRESET)
		return client_fail_io(c, r);
	c->answered = true;
	return client_expect_first(c);
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
		.udp = t->protocol == CLIENT_UDP,
		.reverse = t->direction == CLIENT_RX,
		.bidirectional = t->direction == CLIENT_BIDIR,
		.wide_counters = t->protocol == CLIENT_UDP,
		.zero_copy = t->zero_copy && t->direction != CLIENT_TX,
		.skip_copy = t->zero_copy && t->direction != CLIENT_RX,
		.streams = t->streams,
		.seconds = ceil(t->seconds),
		.omit = client_omit(t),
		.len = client_len(c),
		.bandwidth = t->bandwidth,
	};
	_cleanup_free_ char *text = NULL;
	int r;

	r = iperf_params_encode(&params, &text);
	if (r == 0)
		r = wire_write_document(&c->wire, text);
	return r < 0 ? client_fail_io(c, r) : 0;
}

static int client_start(struct client *c)
{
	int r;

	r = client_expect(c, IPERF_CREATE_STREAMS);
	if (r == 0)
		r = client_open_streams(c);
	if (r == 0)
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

int client_flow(struct client *c)
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
			c->local_seconds = now - c->set->counted_from;
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
	if (r == 0 && ret_peer->n != own->n)
		r = -EPROTO;
	return r < 0 ? client_fail_io(c, r) : 0;
}

static int client_test(struct client *c, struct client_result *ret)
{
	_cleanup_free_ struct iperf_results *own = NULL, *peer = NULL;
	struct client_result result;
	int r;

	own = calloc(1, sizeof(*own));
	peer = calloc(1, sizeof(*peer));
	if (!own || !peer)
		return client_fail_io(c, -ENOMEM);
	r = client_hello(c);
	if (r == 0)
		r = client_send_params(c);
	if (r == 0)
		r = client_start(c);
	if (r == 0)
		r = client_flow(c);
	if (r < 0)
		return r;
	stream_set_results(c->set, c->local_seconds, own);
	r = client_end(c);
	if (r == 0)
		r = client_exchange(c, own, peer);
	if (r == 0)
		r = client_result_fill(c, own, peer, &result);
	if (r == 0)
		r = client_expect(c, IPERF_DISPLAY_RESULTS);
	if (r < 0)
		return r;
	*ret = result;
	c->answered = false;
	client_part(c);
	return 0;
}

static int client_check(struct client *c)
{
	const struct client_test *t = c->test;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&t->peer;

	if (t->streams < 1 || t->streams > IPERF_STREAMS_MAX || !(t->seconds > 0) ||
	    t->seconds > IPERF_SECONDS_MAX || !(t->omit >= 0) ||
	    t->omit > IPERF_OMIT_MAX || !(t->timeout > 0) || t->len > IPERF_LEN_MAX ||
	    (t->protocol == CLIENT_UDP && t->len &&
	     (t->len < IPERF_UDP_LEN_MIN || t->len > IPERF_UDP_LEN_MAX)))
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
			.timeout = test->timeout,
		},
	};
	int r;

	r = client_check(&c);
	if (r == 0)
		r = client_test(&c, ret);
	if (c.iperf2 && r == -ETIMEDOUT && !c.error[0]) {
		close_fd(&c.wire.fd);
		r = iperf2_run(&c, ret);
	}
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
