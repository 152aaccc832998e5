// SPDX-License-Identifier: GPL-2.0-or-later
// server-streams.c - the data connections of a test: who may be one
#include "measure/server-private.h"

#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

/* Who has no streams after so long keeps others from a test. */
#define STREAM_SECONDS 3.0

/* What the client asked of the sockets of a test in which this side may send. */
static int server_tune_stream(struct server_test *t, int fd)
{
	const struct iperf_params *p = &t->params;
	int one = 1, window = p->window;
	int r = 0;

	if (window) {
		r |= setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &window, sizeof(window));
		r |= setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &window, sizeof(window));
	}
	if (p->nodelay && !p->udp)
		r |= setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (r < 0)
		return -errno;
	if (p->congestion[0] && !p->udp &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, p->congestion,
		       strlen(p->congestion)) < 0)
		return server_refuse_test(t, IPERF_ERROR_CONGESTION, errno);
	return 0;
}

/* Those that the client sends come first. */
static int server_add_stream(struct server_test *t, int fd)
{
	const struct iperf_params *p = &t->params;
	bool sender = p->reverse || (p->bidirectional && t->set->n >= p->streams);
	int r = server_tune_stream(t, fd);

	if (r < 0) {
		close(fd);
		return r;
	}
	return stream_set_add(t->set, fd, sender);
}

static unsigned server_streams(const struct server_test *t)
{
	return t->params.bidirectional ? 2 * t->params.streams : t->params.streams;
}

static bool server_has_streams(const struct server_test *t)
{
	return t->set->n == server_streams(t);
}

static double server_patience(const struct server_test *t)
{
	return now_monotonic() + fmin(t->wire.timeout, STREAM_SECONDS);
}

static int server_take_streams(struct server_test *t)
{
	int r = listener_step(t->wire.listener);

	while (r == 0 && !server_has_streams(t)) {
		int fd = listener_take_stream(t->wire.listener);

		if (fd < 0)
			break;
		r = server_add_stream(t, fd);
	}
	return r;
}

static int server_wait_streams(struct server_test *t, double until)
{
	struct pollfd fds[WIRE_FIRST + 1];
	struct wire wire = t->wire;
	int r;

	/* Here who calls is most likely a stream: it ends the wait. */
	wire.listener = NULL;
	fds[WIRE_CONTROL].events = POLLIN;
	fds[WIRE_FIRST] = (struct pollfd){ .fd = listener_fd(t->wire.listener),
					   .events = POLLIN };
	r = wire_poll(&wire, fds, ARRAY_SIZE(fds), until);
	if (r < 0)
		return r;
	/* Strangers that call again and again do not put off the end. */
	if (r == 0 || now_monotonic() >= until)
		return -ETIMEDOUT;
	/* The client has gone, or gives up. */
	if (fds[WIRE_CONTROL].revents)
		return -ECONNRESET;
	return server_take_streams(t);
}

static int server_accept_tcp(struct server_test *t)
{
	double until = server_patience(t);
	int r = 0;

	while (r == 0 && !server_has_streams(t)) {
		unsigned n = t->set->n;

		r = server_wait_streams(t, until);
		if (t->set->n > n)
			until = server_patience(t);
	}
	return r;
}

/* Wait for a greeting of the client. Returns 1, 0 to go on, as server_wait_streams(). */
static int server_wait_greeting(struct server_test *t, int fd, double until)
{
	struct pollfd fds[WIRE_FIRST + 1] = {
		[WIRE_CONTROL] = { .events = POLLIN },
		[WIRE_FIRST] = { .fd = fd, .events = POLLIN },
	};
	int r = wire_poll(&t->wire, fds, ARRAY_SIZE(fds), until);

	if (r < 0)
		return r;
	if (r == 0 || now_monotonic() >= until)
		return -ETIMEDOUT;
	return fds[WIRE_CONTROL].revents ? -ECONNRESET : udp_accept(fd, t->wire.fd);
}

/* The next one must be listening before this one's client hears that it may go on. */
static int server_accept_udp(struct server_test *t, int fd)
{
	_cleanup_close_ int next = fd;
	int r = 0;

	while (r == 0 && !server_has_streams(t)) {
		double until = server_patience(t);
		int stream;

		while (r == 0)
			r = server_wait_greeting(t, next, until);
		if (r < 0)
			return r;
		stream = TAKE_FD(next);
		r = server_add_stream(t, stream);
		if (r == 0 && !server_has_streams(t)) {
			next = udp_listen(t->wire.fd);
			r = next < 0 ? next : 0;
		}
		if (r == 0)
			r = udp_answer(stream);
	}
	return r;
}

static struct stream_options server_stream_options(const struct iperf_params *p)
{
	uint64_t rate = p->bandwidth;

	if (!p->udp && p->pacing && (!rate || p->pacing < rate))
		rate = p->pacing;
	return (struct stream_options){
		.udp = p->udp,
		.wide_counters = p->wide_counters,
		.zero_copy = p->zero_copy && (p->reverse || p->bidirectional),
		.skip_copy = p->skip_copy,
		.len = p->len,
		.bandwidth = rate,
	};
}

int server_accept_streams(struct server_test *t)
{
	const struct stream_options options = server_stream_options(&t->params);
	_cleanup_close_ int udp = -1;
	int r;

	r = stream_set_new(&options, &t->set);
	if (r < 0)
		return r;
	if (options.udp) {
		udp = udp_listen(t->wire.fd);
		if (udp < 0)
			return udp;
	}
	listener_expect(t->wire.listener, t->client->cookie,
			options.udp ? 0 : server_streams(t));
	r = wire_write_state(&t->wire, IPERF_CREATE_STREAMS);
	if (r == 0)
		r = options.udp ? server_accept_udp(t, TAKE_FD(udp)) :
				  server_accept_tcp(t);
	if (r == 0)
		listener_busy(t->wire.listener);
	return r;
}
