// SPDX-License-Identifier: GPL-2.0-or-later
// server.c - the peer: an iperf3-compatible TCP server, one test at a time
#include "measure/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>

#include "base/log.h"
#include "measure/stream.h"

/* Connections that may wait with an unfinished cookie while streams are opened. */
#define CALLERS_MAX 16

/* iperf3 gives a client so long beyond its own time before the server gives up (3.7). */
#define GRACE_SECONDS 40

struct server_test {
	const struct server_config *config;
	struct wire wire;
	char cookie[IPERF_COOKIE_SIZE];
	struct iperf_params params;
	struct stream_set *set;
};

/* A connection that has not shown its whole cookie yet. */
struct server_caller {
	int fd;
	size_t got;
	char cookie[IPERF_COOKIE_SIZE];
};

int server_listen(unsigned port)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
	_cleanup_close_ int fd = -1;
	int one = 1, zero = 0, r;

	if (port > UINT16_MAX)
		return -EINVAL;
	fd = socket(AF_INET6, type, 0);
	if (fd < 0 && errno != EAFNOSUPPORT)
		return -errno;
	if (fd >= 0) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		r = bind(fd, (struct sockaddr *)&in6, sizeof(in6));
	}
	/* ipv6.disable=1 has no family, net.ipv6.conf.all.disable_ipv6 no address. */
	if (fd < 0 || (r < 0 && errno == EADDRNOTAVAIL)) {
		close_fd(&fd);
		fd = socket(AF_INET, type, 0);
		if (fd < 0)
			return -errno;
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		r = bind(fd, (struct sockaddr *)&in, sizeof(in));
	}
	if (r < 0 || listen(fd, IPERF_STREAMS_MAX + CALLERS_MAX) < 0)
		return -errno;
	return TAKE_FD(fd);
}

/* Tell the client why it gets no test: i_errno and errno, as iperf3 does. */
static int server_refuse_test(struct server_test *t, enum iperf_error error, int err)
{
	uint32_t codes[2] = { htonl(error), htonl(err) };

	if (wire_write_state(&t->wire, IPERF_SERVER_ERROR) == 0)
		wire_write(&t->wire, codes, sizeof(codes));
	return -EPROTO;
}

static int server_read_params(struct server_test *t)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r;

	r = wire_read(&t->wire, t->cookie, sizeof(t->cookie));
	if (r == 0)
		r = wire_write_state(&t->wire, IPERF_PARAM_EXCHANGE);
	if (r == 0)
		r = wire_read_document(&t->wire, &text, &size);
	if (r < 0)
		return r;
	r = iperf_params_decode(text, size, &t->params);
	if (r < 0)
		return server_refuse_test(t, IPERF_ERROR_PARAMS, -r);
	return r ? server_refuse_test(t, r, 0) : 0;
}

/* What the client asked of the sockets of a test in which this side may send. */
static int server_tune_stream(struct server_test *t, int fd)
{
	const struct iperf_params *p = &t->params;
	uint64_t pace = p->bandwidth / 8;
	int one = 1, window = p->window;
	int r = 0;

	if (p->nodelay)
		r |= setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (window) {
		r |= setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &window, sizeof(window));
		r |= setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &window, sizeof(window));
	}
	/* TCP paces by itself where there is no fq qdisc, since Linux 4.13. */
	if (pace && p->reverse)
		r |= setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pace, sizeof(pace));
	if (r < 0)
		return -errno;
	if (p->congestion[0] && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, p->congestion,
					   strlen(p->congestion)) < 0)
		return server_refuse_test(t, IPERF_ERROR_CONGESTION, errno);
	return 0;
}

/*
 * Read what a caller shows. Returns 1 if it has become a stream of the test, 0 if it
 * has to show more, -ECONNRESET if it has gone or belongs elsewhere, -errno.
 */
static int server_check_caller(struct server_test *t, struct server_caller *caller)
{
	ssize_t n = recv(caller->fd, caller->cookie + caller->got,
			 sizeof(caller->cookie) - caller->got, MSG_DONTWAIT);
	int r;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -ECONNRESET;
	caller->got += n;
	if (caller->got < sizeof(caller->cookie))
		return 0;
	if (memcmp(caller->cookie, t->cookie, sizeof(t->cookie)) != 0) {
		wire_deny(caller->fd);
		return -ECONNRESET;
	}
	r = server_tune_stream(t, caller->fd);
	if (r < 0)
		return r;
	stream_set_add(t->set, TAKE_FD(caller->fd));
	return 1;
}

/* Returns 0, or -errno of the listening socket. */
static int server_take_caller(const struct server_test *t, struct server_caller *callers)
{
	_cleanup_close_ int fd = wire_accept(t->config->listen_fd);

	if (fd == -EAGAIN)
		return 0;
	if (fd < 0)
		return fd;
	for (unsigned i = 0; i < CALLERS_MAX; i++)
		if (callers[i].fd < 0) {
			callers[i] = (struct server_caller){ .fd = TAKE_FD(fd) };
			return 0;
		}
	wire_deny(fd);
	return 0;
}

static int server_wait_callers(struct server_test *t, struct server_caller *callers,
			       double until)
{
	struct pollfd fds[WIRE_FIRST + 1 + CALLERS_MAX];
	struct wire wire = t->wire;
	int r;

	/* Here who calls is no intruder, but most likely a stream. */
	wire.listen_fd = -1;
	fds[WIRE_CONTROL].events = POLLIN;
	fds[WIRE_FIRST] = (struct pollfd){ .fd = t->config->listen_fd, .events = POLLIN };
	for (unsigned i = 0; i < CALLERS_MAX; i++)
		fds[WIRE_FIRST + 1 + i] = (struct pollfd){ .fd = callers[i].fd,
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
	for (unsigned i = 0; i < CALLERS_MAX && t->set->n < t->params.streams; i++) {
		if (callers[i].fd < 0 || !fds[WIRE_FIRST + 1 + i].revents)
			continue;
		r = server_check_caller(t, &callers[i]);
		if (r == -ECONNRESET)
			close_fd(&callers[i].fd);
		else if (r < 0)
			return r;
	}
	return fds[WIRE_FIRST].revents ? server_take_caller(t, callers) : 0;
}

static int server_accept_streams(struct server_test *t)
{
	double until = now_monotonic() + t->wire.timeout;
	struct server_caller callers[CALLERS_MAX];
	int r;

	r = stream_set_new(t->params.reverse, t->params.len, &t->set);
	if (r == 0)
		r = wire_write_state(&t->wire, IPERF_CREATE_STREAMS);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < CALLERS_MAX; i++)
		callers[i].fd = -1;
	while (r == 0 && t->set->n < t->params.streams) {
		unsigned n = t->set->n;

		r = server_wait_callers(t, callers, until);
		if (t->set->n > n)
			until = now_monotonic() + t->wire.timeout;
	}
	for (unsigned i = 0; i < CALLERS_MAX; i++)
		close_fd(&callers[i].fd);
	return r;
}

/* Data until the client says that the test has ended. */
static int server_flow(struct server_test *t)
{
	const struct iperf_params *p = &t->params;
	double start, omit_end, limit;
	int state, r;

	r = wire_write_state(&t->wire, IPERF_TEST_START);
	if (r == 0)
		r = wire_write_state(&t->wire, IPERF_TEST_RUNNING);
	if (r < 0)
		return r;
	stream_set_start(t->set);
	start = t->set->counted_from;
	omit_end = p->omit ? start + p->omit : INFINITY;
	limit = start + p->omit + (p->seconds ? p->seconds : IPERF_SECONDS_MAX) +
		GRACE_SECONDS;
	for (;;) {
		double now = now_monotonic();

		if (now >= limit)
			return -ETIMEDOUT;
		if (now >= omit_end) {
			stream_set_reset(t->set);
			omit_end = INFINITY;
		}
		r = stream_set_step(t->set, &t->wire, fmin(limit, omit_end));
		if (r < 0)
			return r;
		if (r == 1)
			break;
	}
	r = wire_read_state(&t->wire, &state);
	if (r < 0)
		return r;
	return state == IPERF_TEST_END ? 0 : -ECONNRESET;
}

static int server_exchange(struct server_test *t, const struct iperf_results *own)
{
	_cleanup_free_ struct iperf_results *peer = calloc(1, sizeof(*peer));
	_cleanup_free_ char *text = NULL, *answer = NULL;
	size_t size;
	int r, state;

	if (!peer)
		return -ENOMEM;
	r = iperf_results_encode(own, &text);
	if (r == 0)
		r = wire_write_state(&t->wire, IPERF_EXCHANGE_RESULTS);
	if (r == 0)
		r = wire_read_document(&t->wire, &answer, &size);
	if (r == 0)
		r = iperf_results_decode(answer, size, peer);
	if (r == 0)
		r = wire_write_document(&t->wire, text);
	if (r == 0)
		r = wire_write_state(&t->wire, IPERF_DISPLAY_RESULTS);
	return r < 0 ? r : wire_read_state(&t->wire, &state);
}

static int server_test(struct server_test *t)
{
	_cleanup_free_ struct iperf_results *own = calloc(1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	r = server_read_params(t);
	if (r == 0)
		r = server_accept_streams(t);
	if (r == 0)
		r = server_flow(t);
	if (r < 0)
		return r;
	stream_set_results(t->set, now_monotonic() - t->set->counted_from, own);
	/* The client takes the end of the streams as part of the end of the test. */
	stream_set_free(&t->set);
	return server_exchange(t, own);
}

/* Returns 0 whatever becomes of the client, or -errno of the listening socket. */
static int server_serve(const struct server_config *config)
{
	_cleanup_close_ int fd = wire_accept(config->listen_fd);
	struct server_test t = {
		.config = config,
		.wire = {
			.fd = fd,
			.stop_fd = config->stop_fd,
			.listen_fd = config->listen_fd,
			.timeout = config->timeout,
		},
	};
	int one = 1, r;

	if (fd == -EAGAIN)
		return 0;
	if (fd < 0)
		return fd;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	r = server_test(&t);
	stream_set_free(&t.set);
	if (r == -EINTR) {
		signed char byte = IPERF_SERVER_TERMINATE;

		send(fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	log_trace(1, "iperf3 client: %s", r < 0 ? errno_name(r) : "test done");
	return 0;
}

int server_run(const struct server_config *config)
{
	struct pollfd fds[] = {
		{ .fd = config->stop_fd, .events = POLLIN },
		{ .fd = config->listen_fd, .events = POLLIN },
	};
	int flags = fcntl(config->listen_fd, F_GETFL);
	int r = 0;

	/* A caller that goes between poll(2) and accept(2) must not block us. */
	if (flags < 0 || fcntl(config->listen_fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	while (r == 0) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents)
			return 0;
		r = server_serve(config);
	}
	return r;
}
