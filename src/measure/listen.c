// SPDX-License-Identifier: GPL-2.0-or-later
// listen.c - who calls a server: many at once show their cookies and parameters
#include "measure/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sys/epoll.h>

#define STEP_EVENTS 16	/* of one step: a test goes on between two of them */
#define PAUSE_SECONDS 0.1 /* without accept(2) where the system has no room */

enum caller_phase {
	CALLER_COOKIE,
	CALLER_LENGTH,
	CALLER_PARAMS,
	CALLER_CLIENT, /* all there */
	CALLER_STREAM, /* of the test that begins */
};

struct caller {
	int fd;
	enum caller_phase phase;
	double until;
	struct sockaddr_storage address;
	size_t got; /* bytes of what the phase reads */
	char cookie[IPERF_COOKIE_SIZE];
	uint32_t length; /* of @params; as it came until it is whole */
	char *params;
};

struct listener {
	struct listener_config config;
	int epoll_fd; /* the listening socket, and callers that have to show more */
	struct caller *callers[LISTENER_CALLERS_MAX]; /* in the order they came */
	unsigned n;
	double paused_until; /* 0: accepting */
	bool busy; /* a test runs */
	unsigned streams; /* still expected */
	char cookie[IPERF_COOKIE_SIZE];
};

int listen_at(const struct sockaddr *address, socklen_t length, const char *ifname)
{
	_cleanup_close_ int fd = -1;
	int one = 1, only = 0;

	fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0)
		return -errno;
	if (address->sa_family == AF_INET6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only)) < 0)
		return -errno;
	if (ifname && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, ifname,
				 strlen(ifname) + 1) < 0)
		return -errno;
	if (bind(fd, address, length) < 0 || listen(fd, SOMAXCONN) < 0)
		return -errno;
	return TAKE_FD(fd);
}

int listen_any(unsigned port, const char *ifname)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd;

	if (port > UINT16_MAX)
		return -EINVAL;
	fd = listen_at((struct sockaddr *)&in6, sizeof(in6), ifname);
	/* ipv6.disable=1 has no family, net.ipv6.conf.all.disable_ipv6 no address. */
	if (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)
		fd = listen_at((struct sockaddr *)&in, sizeof(in), ifname);
	return fd;
}

void listener_client_clear(struct listener_client *client)
{
	close_fd(&client->fd);
	free(client->params);
	client->params = NULL;
}

static void caller_free(struct caller *c)
{
	close_fd(&c->fd);
	free(c->params);
	free(c);
}

/* Its answer must arrive: unread bytes would make close(2) send a reset. */
static void caller_deny(struct caller *c)
{
	const signed char byte = IPERF_ACCESS_DENIED;
	char rest[512];

	for (unsigned i = 0; i < STEP_EVENTS; i++)
		if (recv(c->fd, rest, sizeof(rest), MSG_DONTWAIT) <= 0)
			break;
	if (send(c->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
		shutdown(c->fd, SHUT_WR);
}

/* Out of the list, and the caller's. */
static struct caller *listener_remove(struct listener *l, unsigned i)
{
	struct caller *c = l->callers[i];

	l->n--;
	memmove(&l->callers[i], &l->callers[i + 1], (l->n - i) * sizeof(*l->callers));
	return c;
}

static void listener_drop(struct listener *l, unsigned i, int error)
{
	struct caller *c = listener_remove(l, i);

	if (error == -EBUSY)
		caller_deny(c);
	if (l->config.dropped)
		l->config.dropped(l->config.userdata, &c->address, error);
	caller_free(c);
}

/* The one that has been showing its cookie or parameters longest; l->n if none is. */
static unsigned listener_oldest(const struct listener *l)
{
	unsigned i = 0;

	while (i < l->n && l->callers[i]->phase >= CALLER_CLIENT)
		i++;
	return i;
}

/* Who makes room: of those that have shown least who came first; l->n for nobody. */
static unsigned listener_least(const struct listener *l)
{
	enum caller_phase phase = CALLER_CLIENT;
	unsigned least = l->n;

	for (unsigned i = 0; i < l->n; i++)
		if (l->callers[i]->phase < phase) {
			phase = l->callers[i]->phase;
			least = i;
		}
	return least;
}

static int listener_watch(struct listener *l, int op, int fd, struct caller *c,
			  uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = c };

	return epoll_ctl(l->epoll_fd, op, fd, &event) < 0 ? -errno : 0;
}

/*
 * Errors of the one caller, which accept(2) hands on, cost nothing. Where there is no
 * room a caller makes some, else accepting pauses.
 */
static int listener_accept_failed(struct listener *l, int error)
{
	unsigned least;

	switch (error) {
	case EAGAIN:
	case EINTR:
	case ECONNABORTED:
	case EPROTO:
	case EPERM:
	case ENOPROTOOPT:
	case ENETDOWN:
	case ENETUNREACH:
	case ENONET:
	case EHOSTDOWN:
	case EHOSTUNREACH:
		return 0;
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		least = listener_least(l);
		if (least < l->n) {
			listener_drop(l, least, -ENOBUFS);
			return 0;
		}
		l->paused_until = now_monotonic() + PAUSE_SECONDS;
		return listener_watch(l, EPOLL_CTL_MOD, l->config.listen_fd, NULL, 0);
	}
	return -error;
}

static int listener_accept(struct listener *l)
{
	struct sockaddr_storage address = {};
	socklen_t length = sizeof(address);
	_cleanup_close_ int fd = -1;
	struct caller *c;

	fd = accept4(l->config.listen_fd, (struct sockaddr *)&address, &length,
		     SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return listener_accept_failed(l, errno);
	if (l->n == LISTENER_CALLERS_MAX && listener_least(l) < l->n)
		listener_drop(l, listener_least(l), -ENOBUFS);
	c = l->n < LISTENER_CALLERS_MAX ? calloc(1, sizeof(*c)) : NULL;
	if (!c)
		return 0; /* this one is lost, its end of the connection says so */
	c->fd = TAKE_FD(fd);
	c->until = now_monotonic() + l->config.patience;
	c->address = address;
	l->callers[l->n++] = c;
	if (listener_watch(l, EPOLL_CTL_ADD, c->fd, c, EPOLLIN) < 0)
		listener_drop(l, l->n - 1, -ENOBUFS);
	return 0;
}

/* Whole: a stream of the test that begins, one too many, or who gets a test. */
static int caller_cookie_done(struct listener *l, struct caller *c)
{
	const signed char byte = IPERF_PARAM_EXCHANGE;

	if (l->streams && memcmp(c->cookie, l->cookie, sizeof(c->cookie)) == 0) {
		l->streams--;
		c->phase = CALLER_STREAM;
		return 1;
	}
	if (l->busy)
		return -EBUSY;
	if (send(c->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
		return -ECONNRESET;
	c->phase = CALLER_LENGTH;
	return 0;
}

static int caller_length_done(struct caller *c)
{
	c->length = ntohl(c->length);
	if (c->length == 0 || c->length > LISTENER_PARAMS_MAX)
		return -EPROTO;
	c->params = calloc(1, c->length + 1);
	if (!c->params)
		return -ENOBUFS;
	c->phase = CALLER_PARAMS;
	return 0;
}

/* Who has shown everything waits while another test only begins, but not behind many. */
static int caller_params_done(struct listener *l, struct caller *c)
{
	unsigned waiting = 0;

	for (unsigned i = 0; i < l->n; i++)
		waiting += l->callers[i]->phase == CALLER_CLIENT;
	if (l->busy || waiting >= LISTENER_QUEUE_MAX)
		return -EBUSY;
	c->phase = CALLER_CLIENT;
	return 1;
}

/* What the phase reads is whole. Returns 1 if nothing more is to be shown, 0, -errno. */
static int caller_phase_done(struct listener *l, struct caller *c)
{
	c->got = 0;
	switch (c->phase) {
	case CALLER_COOKIE:
		return caller_cookie_done(l, c);
	case CALLER_LENGTH:
		return caller_length_done(c);
	case CALLER_PARAMS:
		return caller_params_done(l, c);
	case CALLER_CLIENT:
	case CALLER_STREAM:
		break;
	}
	return 1;
}

/* Read up to the end of a phase: 1 if that is reached, 0 if more has to come, -errno. */
static int caller_read(struct caller *c)
{
	char *at = c->phase == CALLER_COOKIE ? c->cookie :
		   c->phase == CALLER_LENGTH ? (char *)&c->length :
					       c->params;
	size_t size = c->phase == CALLER_COOKIE ? sizeof(c->cookie) :
		      c->phase == CALLER_LENGTH ? sizeof(c->length) :
						  c->length;
	ssize_t n = recv(c->fd, at + c->got, size - c->got, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -ECONNRESET;
	c->got += n;
	return c->got == size;
}

static void caller_step(struct listener *l, struct caller *c)
{
	int r = caller_read(c);
	unsigned i = 0;

	if (r == 1)
		r = caller_phase_done(l, c);
	if (r == 1)
		r = listener_watch(l, EPOLL_CTL_DEL, c->fd, c, 0);
	if (r == 0)
		return;
	while (l->callers[i] != c)
		i++;
	listener_drop(l, i, r);
}

/* Milliseconds until somebody's patience ends, or accepting goes on; -1 for never. */
static int listener_left_ms(const struct listener *l)
{
	unsigned oldest = listener_oldest(l);
	double until = l->paused_until ? l->paused_until : INFINITY;

	if (oldest < l->n)
		until = fmin(until, l->callers[oldest]->until);
	if (isinf(until))
		return -1;
	return fmin(fmax(ceil((until - now_monotonic()) * 1000), 0), INT_MAX);
}

static int listener_expire(struct listener *l)
{
	double now = now_monotonic();

	for (unsigned i = listener_oldest(l); i < l->n && l->callers[i]->until <= now;
	     i = listener_oldest(l))
		listener_drop(l, i, -ETIMEDOUT);
	if (!l->paused_until || l->paused_until > now)
		return 0;
	l->paused_until = 0;
	return listener_watch(l, EPOLL_CTL_MOD, l->config.listen_fd, NULL, EPOLLIN);
}

int listener_step(struct listener *l)
{
	int r = listener_expire(l);

	for (unsigned i = 0; r == 0 && i < STEP_EVENTS; i++) {
		struct epoll_event event;
		/* One at a time: a step may free those that come after it. */
		int n = epoll_wait(l->epoll_fd, &event, 1, 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n <= 0)
			break;
		if (event.data.ptr)
			caller_step(l, event.data.ptr);
		else
			r = listener_accept(l);
	}
	return r;
}

/* The first in a phase, out of the list; NULL for none. */
static struct caller *listener_take(struct listener *l, enum caller_phase phase)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->callers[i]->phase == phase)
			return listener_remove(l, i);
	return NULL;
}

int listener_wait(struct listener *l, int stop_fd, struct listener_client *ret)
{
	struct pollfd fds[] = {
		{ .fd = stop_fd, .events = POLLIN },
		{ .fd = l->epoll_fd, .events = POLLIN },
	};

	for (;;) {
		struct caller *c = listener_take(l, CALLER_CLIENT);
		int r;

		if (c) {
			*ret = (struct listener_client){
				.fd = TAKE_FD(c->fd),
				.address = c->address,
				.params = TAKE_PTR(c->params),
				.params_size = c->length,
			};
			memcpy(ret->cookie, c->cookie, sizeof(ret->cookie));
			caller_free(c);
			return 0;
		}
		r = poll(fds, ARRAY_SIZE(fds), listener_left_ms(l));
		if (r < 0 && errno != EINTR)
			return -errno;
		if (r > 0 && fds[0].revents)
			return -EINTR;
		r = listener_step(l);
		if (r < 0)
			return r;
	}
}

void listener_expect(struct listener *l, const char *cookie, unsigned n)
{
	memcpy(l->cookie, cookie, sizeof(l->cookie));
	l->streams = n;
}

void listener_busy(struct listener *l)
{
	l->busy = true;
	for (unsigned i = l->n; i-- > 0;)
		if (l->callers[i]->phase == CALLER_CLIENT)
			listener_drop(l, i, -EBUSY);
}

int listener_take_stream(struct listener *l)
{
	struct caller *c = listener_take(l, CALLER_STREAM);
	int fd;

	if (!c)
		return -EAGAIN;
	fd = TAKE_FD(c->fd);
	caller_free(c);
	return fd;
}

void listener_done(struct listener *l)
{
	struct caller *c;

	l->busy = false;
	l->streams = 0;
	while ((c = listener_take(l, CALLER_STREAM)))
		caller_free(c);
}

int listener_fd(const struct listener *l)
{
	return l->epoll_fd;
}

void listener_free(struct listener **l)
{
	if (!*l)
		return;
	while ((*l)->n)
		caller_free(listener_remove(*l, 0));
	close_fd(&(*l)->epoll_fd);
	free(*l);
	*l = NULL;
}

int listener_new(const struct listener_config *config, struct listener **ret)
{
	_cleanup_listener_ struct listener *l = calloc(1, sizeof(*l));
	int flags = fcntl(config->listen_fd, F_GETFL);
	int r;

	if (!l)
		return -ENOMEM;
	l->config = *config;
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll_fd < 0)
		return -errno;
	/* A caller that goes between epoll_wait(2) and accept(2) must not block us. */
	if (flags < 0 || fcntl(config->listen_fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	r = listener_watch(l, EPOLL_CTL_ADD, config->listen_fd, NULL, EPOLLIN);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(l);
	return 0;
}
