// SPDX-License-Identifier: GPL-2.0-or-later
// wire.c - exact reads and writes of a control connection, each with a deadline
#include "measure/wire.h"

#include <arpa/inet.h>
#include <math.h>

/* Seconds of one wait: any number is within bounds then. */
#define WAIT_MAX 1e6

int wire_poll(const struct wire *w, struct pollfd *fds, size_t n, double until)
{
	fds[WIRE_STOP] = (struct pollfd){ .fd = w->stop_fd, .events = POLLIN };
	fds[WIRE_LISTEN] = (struct pollfd){
		.fd = w->listener ? listener_fd(w->listener) : -1,
		.events = POLLIN,
	};
	fds[WIRE_CONTROL].fd = w->fd;
	for (;;) {
		double left = fmin(fmax(until - now_monotonic(), 0), WAIT_MAX);
		struct timespec wait = { .tv_sec = left };
		int ready, r;

		/* Finer than poll(2), for streams that are paced. */
		wait.tv_nsec = (left - wait.tv_sec) * 1e9;
		ready = ppoll(fds, n, &wait, NULL);
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready < 0)
			continue;
		if (ready == 0 && left < WAIT_MAX)
			return 0;
		if (ready == 0)
			continue;
		if (fds[WIRE_STOP].revents)
			return -EINTR;
		if (fds[WIRE_LISTEN].revents) {
			r = listener_step(w->listener);
			if (r < 0)
				return r;
			ready--;
		}
		if (ready)
			return 1;
		/* Callers that never cease do not put off the end. */
		if (now_monotonic() >= until)
			return 0;
	}
}

int wire_wait(const struct wire *w, short events)
{
	struct pollfd fds[WIRE_FIRST] = { [WIRE_CONTROL] = { .events = events } };
	int r = wire_poll(w, fds, WIRE_FIRST, now_monotonic() + w->timeout);

	return r < 0 ? r : r ? 0 : -ETIMEDOUT;
}

/* The deadline is for the whole: a peer that sends a byte now and then gains nothing. */
static int wire_move(const struct wire *w, char *buf, size_t size, bool out)
{
	struct pollfd fds[WIRE_FIRST] = {
		[WIRE_CONTROL] = { .events = out ? POLLOUT : POLLIN },
	};
	double until = now_monotonic() + w->timeout;

	while (size) {
		ssize_t n;
		int r;

		if (out)
			n = send(w->fd, buf, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		else
			n = recv(w->fd, buf, size, MSG_DONTWAIT);
		if (n > 0) {
			buf += n;
			size -= n;
			continue;
		}
		if (n == 0)
			return -ECONNRESET;
		if (errno == EPIPE)
			return -ECONNRESET;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		r = now_monotonic() < until ? wire_poll(w, fds, WIRE_FIRST, until) : 0;
		if (r <= 0)
			return r ? r : -ETIMEDOUT;
	}
	return 0;
}

int wire_read(const struct wire *w, void *buf, size_t size)
{
	return wire_move(w, buf, size, false);
}

int wire_write(const struct wire *w, const void *buf, size_t size)
{
	return wire_move(w, (char *)buf, size, true);
}

int wire_read_state(const struct wire *w, int *ret)
{
	signed char byte;
	int r = wire_read(w, &byte, 1);

	if (r < 0)
		return r;
	*ret = byte;
	return 0;
}

int wire_write_state(const struct wire *w, enum iperf_state state)
{
	signed char byte = state;

	return wire_write(w, &byte, 1);
}

int wire_read_document(const struct wire *w, char **ret, size_t *ret_size)
{
	_cleanup_free_ char *text = NULL;
	uint32_t size;
	int r;

	r = wire_read(w, &size, sizeof(size));
	if (r < 0)
		return r;
	size = ntohl(size);
	if (size == 0 || size > IPERF_DOCUMENT_MAX)
		return -EPROTO;
	text = malloc(size + 1);
	if (!text)
		return -ENOMEM;
	r = wire_read(w, text, size);
	if (r < 0)
		return r;
	text[size] = '\0';
	*ret = TAKE_PTR(text);
	*ret_size = size;
	return 0;
}

int wire_write_document(const struct wire *w, const char *text)
{
	size_t size = strlen(text);
	uint32_t length = htonl(size);
	int r;

	if (size > IPERF_DOCUMENT_MAX)
		return -EMSGSIZE;
	r = wire_write(w, &length, sizeof(length));
	return r < 0 ? r : wire_write(w, text, size);
}
