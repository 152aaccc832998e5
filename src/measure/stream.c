// SPDX-License-Identifier: GPL-2.0-or-later
// stream.c - the data connections of a test: send or receive, and count
#include "measure/stream.h"

#include <linux/tcp.h>
#include <netinet/in.h>

/* Buffers that one stream may move before the others have their turn. */
#define ROUNDS 8

int stream_set_new(bool sender, size_t len, struct stream_set **ret)
{
	_cleanup_stream_set_ struct stream_set *set = calloc(1, sizeof(*set));
	void *buf;

	if (!set)
		return -ENOMEM;
	/* Page-aligned: otherwise the kernel's copy costs twice as much (6.18, x86). */
	if (posix_memalign(&buf, sysconf(_SC_PAGESIZE), len))
		return -ENOMEM;
	set->buf = buf;
	/* Not one byte over and over: a link that compresses would look fast. */
	for (size_t i = 0; i < len; i++)
		set->buf[i] = (i * 2654435761u) >> 24;
	set->sender = sender;
	set->len = len;
	*ret = TAKE_PTR(set);
	return 0;
}

void stream_set_free(struct stream_set **set)
{
	if (!*set)
		return;
	for (unsigned i = 0; i < (*set)->n; i++)
		close_fd(&(*set)->streams[i].fd);
	free((*set)->buf);
	free(*set);
	*set = NULL;
}

void stream_set_add(struct stream_set *set, int fd)
{
	set->streams[set->n++] = (struct stream){ .fd = fd };
}

/*
 * tcpi_total_retrans, there since Linux 2.6. Kernels write as much of the structure as
 * both sides know.
 */
static bool stream_retransmits(const struct stream *s, uint32_t *ret)
{
	struct tcp_info info = {};
	socklen_t len = sizeof(info);

	if (s->fd < 0 || getsockopt(s->fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return false;
	if (len < offsetof(struct tcp_info, tcpi_total_retrans) + sizeof(uint32_t))
		return false;
	*ret = info.tcpi_total_retrans;
	return true;
}

void stream_set_reset(struct stream_set *set)
{
	for (unsigned i = 0; i < set->n; i++) {
		struct stream *s = &set->streams[i];

		set->omitted += s->bytes;
		s->bytes = 0;
		if (set->sender)
			stream_retransmits(s, &s->retrans_base);
	}
	set->counted_from = now_monotonic();
	getrusage(RUSAGE_SELF, &set->usage);
}

void stream_set_start(struct stream_set *set)
{
	stream_set_reset(set);
	set->moved_at = set->counted_from;
}

/* Returns the bytes moved, 0 if none could, -ECONNRESET at the end, -errno. */
static ssize_t stream_move(struct stream_set *set, struct stream *s)
{
	ssize_t total = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		ssize_t n;

		if (set->sender)
			n = send(s->fd, set->buf, set->len, MSG_NOSIGNAL | MSG_DONTWAIT);
		else
			n = recv(s->fd, set->buf, set->len, MSG_DONTWAIT);
		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n < 0)
			return errno == EPIPE ? -ECONNRESET : -errno;
		total += n;
		/* A short one: the socket is full, or empty. */
		if ((size_t)n < set->len)
			break;
	}
	s->bytes += total;
	return total;
}

static int stream_set_wait(struct stream_set *set, const struct wire *w, short events,
			   double until)
{
	set->fds[WIRE_CONTROL].events = POLLIN;
	for (unsigned i = 0; i < set->n; i++) {
		set->fds[WIRE_FIRST + i].fd = set->streams[i].fd;
		set->fds[WIRE_FIRST + i].events = events;
	}
	return wire_poll(w, set->fds, WIRE_FIRST + set->n, until);
}

int stream_set_step(struct stream_set *set, const struct wire *w, double until)
{
	double stalled = set->moved_at + w->timeout;
	bool moved = false;
	int r;

	r = stream_set_wait(set, w, set->sender ? POLLOUT : POLLIN,
			    until < stalled ? until : stalled);
	if (r < 0)
		return r;
	if (r == 0)
		return now_monotonic() >= stalled ? -ETIMEDOUT : 0;
	if (set->fds[WIRE_CONTROL].revents)
		return 1;
	for (unsigned i = 0; i < set->n; i++) {
		ssize_t n;

		if (!set->fds[WIRE_FIRST + i].revents)
			continue;
		n = stream_move(set, &set->streams[i]);
		if (n < 0)
			return n;
		moved |= n > 0;
	}
	if (moved)
		set->moved_at = now_monotonic();
	return 0;
}

int stream_set_drain(struct stream_set *set, const struct wire *w, double until)
{
	int r;

	/* A sender only hears of errors. */
	r = stream_set_wait(set, w, set->sender ? 0 : POLLIN, until);
	if (r < 0)
		return r;
	if (r == 1 && set->fds[WIRE_CONTROL].revents)
		return 1;
	/* Also while data is there: a peer that goes on sending gains no time. */
	if (now_monotonic() >= until)
		return -ETIMEDOUT;
	for (unsigned i = 0; r == 1 && i < set->n; i++) {
		struct stream *s = &set->streams[i];

		if (!set->fds[WIRE_FIRST + i].revents)
			continue;
		if (set->sender || stream_move(set, s) < 0)
			close_fd(&s->fd);
	}
	return 0;
}

uint64_t stream_set_bytes(const struct stream_set *set)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < set->n; i++)
		bytes += set->streams[i].bytes;
	return bytes;
}

static double timeval_seconds(struct timeval since, struct timeval until)
{
	return until.tv_sec - since.tv_sec + (until.tv_usec - since.tv_usec) / 1e6;
}

static void results_set_cpu(const struct stream_set *set, struct iperf_results *results)
{
	double wall = now_monotonic() - set->counted_from;
	struct rusage now;

	getrusage(RUSAGE_SELF, &now);
	if (wall < 1e-3)
		wall = 1e-3;
	results->cpu_user = timeval_seconds(set->usage.ru_utime, now.ru_utime) / wall *
			    100;
	results->cpu_system = timeval_seconds(set->usage.ru_stime, now.ru_stime) / wall *
			      100;
	results->cpu_total = results->cpu_user + results->cpu_system;
}

void stream_set_results(const struct stream_set *set, double seconds,
			struct iperf_results *ret)
{
	ret->n = set->n;
	ret->has_retransmits = set->sender;
	results_set_cpu(set, ret);
	for (unsigned i = 0; i < set->n; i++) {
		const struct stream *s = &set->streams[i];
		uint32_t total;

		ret->streams[i] = (struct iperf_stream){
			.id = iperf_stream_id(i),
			.bytes = s->bytes,
			.retransmits = -1,
			.seconds = seconds,
		};
		if (set->sender && stream_retransmits(s, &total))
			ret->streams[i].retransmits = total - s->retrans_base;
	}
}
