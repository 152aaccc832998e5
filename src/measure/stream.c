// SPDX-License-Identifier: GPL-2.0-or-later
// stream.c - the data connections of a test: send or receive, and count
#include "measure/stream.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>

/* Buffers, or datagrams, that one stream may move before the others have their turn. */
#define ROUNDS 8
#define UDP_ROUNDS 64

/* Datagrams that are due within this time go in one go, as iperf3's do. */
#define PACE_STEP 1e-3

/* How far a sender that was kept from sending makes up for it. */
#define PACE_LATE 100e-3

/*
 * What one sendfile(2) takes: it fills the 16 pages of a pipe and sends them as one
 * segment of at most 64 KiB with its headers. 15 pages of 4 KiB fit; two such packets
 * for each 16, one of them nearly empty, cost twice the time (veth, Linux 6.18).
 */
#define SENDFILE_LEN (60 << 10)

/*
 * Who receives without copying has nothing to do but to be woken: once for what comes in
 * WAKE_EVERY, looked at each WAKE_LOOK, so that a link that became slow is not waited
 * for. Less than WAKE_LEAST comes as it comes.
 */
#define WAKE_EVERY 1e-3
#define WAKE_LOOK 100e-3
#define WAKE_LEAST (16 << 10)
#define WAKE_MOST (256 << 10)

/* For what comes while the board is sampled; the kernel gives what it may. */
#define UDP_BUFFER (4 << 20)

/* Not one byte over and over: a link that compresses would look fast. */
static int stream_set_fill(struct stream_set *set)
{
	size_t len = set->options.len;
	void *buf;

	/* Page-aligned: otherwise the kernel's copy costs twice as much (6.18, x86). */
	if (posix_memalign(&buf, sysconf(_SC_PAGESIZE), len))
		return -ENOMEM;
	set->buf = buf;
	set->piece = len;
	for (size_t i = 0; i < len; i++)
		set->buf[i] = set->options.zeros ? 0 : (i * 2654435761u) >> 24;
	if (!set->options.zero_copy || set->options.udp)
		return 0;
	set->file = memfd_create("boardtune-stream", MFD_CLOEXEC);
	if (set->file < 0)
		return -errno;
	set->piece = len = len < SENDFILE_LEN ? len : SENDFILE_LEN;
	return write(set->file, buf, len) == (ssize_t)len ? 0 : -ENOMEM;
}

int stream_set_new(const struct stream_options *options, struct stream_set **ret)
{
	_cleanup_stream_set_ struct stream_set *set = calloc(1, sizeof(*set));
	int r;

	if (!set)
		return -ENOMEM;
	set->options = *options;
	set->file = -1;
	r = stream_set_fill(set);
	if (r == 0)
		*ret = TAKE_PTR(set);
	return r;
}

void stream_set_free(struct stream_set **set)
{
	if (!*set)
		return;
	for (unsigned i = 0; i < (*set)->n; i++)
		close_fd(&(*set)->streams[i].fd);
	close_fd(&(*set)->file);
	free((*set)->buf);
	free(*set);
	*set = NULL;
}

/* TCP paces by itself where there is no fq qdisc, since Linux 4.13. */
static int stream_pace(const struct stream_set *set, int fd)
{
	uint64_t pace = set->options.bandwidth / 8;

	if (!pace || set->options.udp)
		return 0;
	return setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pace, sizeof(pace)) < 0 ?
		       -errno : 0;
}

/* More than net.core.rmem_max only for who may (CAP_NET_ADMIN). */
static void stream_widen(int fd)
{
	int size = UDP_BUFFER, have = 0;
	socklen_t len = sizeof(have);

	/* The kernel doubles it; what the user asked for stays if it is more. */
	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &have, &len) == 0 && have >= size)
		return;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

int stream_set_add(struct stream_set *set, int fd, bool sender)
{
	set->streams[set->n++] = (struct stream){
		.fd = fd,
		.sender = sender,
		.wake = 1,
	};
	if (sender)
		return stream_pace(set, fd);
	if (set->options.udp)
		stream_widen(fd);
	return 0;
}

/* Retransmits in all and the smoothed round-trip time: there since Linux 2.6. */
static bool stream_info(const struct stream *s, struct tcp_info *ret)
{
	struct tcp_info info = {};
	socklen_t len = sizeof(info);

	if (s->fd < 0 || getsockopt(s->fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return false;
	/* Kernels write as much of the structure as both sides know. */
	if (len < offsetof(struct tcp_info, tcpi_total_retrans) + sizeof(uint32_t))
		return false;
	*ret = info;
	return true;
}

uint64_t stream_set_unsent(const struct stream_set *set)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < set->n; i++) {
		const struct stream *s = &set->streams[i];
		int queued;

		if (s->sender && s->fd >= 0 && ioctl(s->fd, SIOCOUTQ, &queued) == 0)
			bytes += queued;
	}
	return bytes;
}

void stream_set_reset(struct stream_set *set)
{
	struct tcp_info info;

	for (unsigned i = 0; i < set->n; i++) {
		struct stream *s = &set->streams[i];

		s->omitted += s->bytes;
		s->bytes = 0;
		udp_flow_omit(&s->udp);
		if (s->sender && stream_info(s, &info))
			s->retrans_base = info.tcpi_total_retrans;
	}
	set->unsent = stream_set_unsent(set);
	set->counted_from = now_monotonic();
	getrusage(RUSAGE_SELF, &set->usage);
}

void stream_set_start(struct stream_set *set)
{
	stream_set_reset(set);
	set->moved_at = set->looked_at = set->counted_from;
	for (unsigned i = 0; i < set->n; i++)
		set->streams[i].due = set->counted_from;
}

static ssize_t stream_send(const struct stream_set *set, struct stream *s)
{
	off_t offset = 0;

	if (set->file >= 0)
		return sendfile(s->fd, set->file, &offset, set->piece);
	if (set->options.udp)
		udp_header_write(set->buf, set->options.wide_counters, now_monotonic(),
				 s->udp.packets + 1);
	return send(s->fd, set->buf, set->options.len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Returns the bytes of a datagram, also of one that is not counted; -1. */
static ssize_t stream_receive_datagram(struct stream_set *set, struct stream *s)
{
	bool skip = set->options.skip_copy;
	ssize_t n;

	n = recv(s->fd, set->buf, skip ? IPERF_UDP_LEN_MIN : set->options.len,
		 MSG_DONTWAIT | (skip ? MSG_TRUNC : 0));
	if (n >= 0 && udp_flow_receive(&s->udp, set->buf, n, set->options.wide_counters,
				       now_monotonic()))
		s->bytes += n;
	return n;
}

/* Returns the bytes moved, 0 if none could, -ECONNRESET at the end, -errno. */
static ssize_t stream_move_tcp(struct stream_set *set, struct stream *s)
{
	const int flags = MSG_DONTWAIT | (set->options.skip_copy ? MSG_TRUNC : 0);
	const size_t whole = s->sender ? set->piece : set->options.len;
	ssize_t total = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		ssize_t n = s->sender ? stream_send(set, s) :
					recv(s->fd, set->buf, set->options.len, flags);

		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n < 0)
			return errno == EPIPE ? -ECONNRESET : -errno;
		total += n;
		/* A short one: the socket is full, or empty. */
		if ((size_t)n < whole)
			break;
	}
	s->bytes += total;
	return total;
}

/* Seconds from one datagram to the next; 0: as many as go. */
static double stream_set_interval(const struct stream_set *set)
{
	return set->options.bandwidth ?
		       set->options.len * 8.0 / set->options.bandwidth : 0;
}

/* As stream_move_tcp(). */
static ssize_t stream_move_udp(struct stream_set *set, struct stream *s)
{
	double interval = stream_set_interval(set), now = now_monotonic();
	ssize_t total = 0;

	if (s->due < now - PACE_LATE)
		s->due = now - PACE_LATE;
	for (unsigned i = 0; i < UDP_ROUNDS && (!s->sender || s->due <= now); i++) {
		ssize_t n = s->sender ? stream_send(set, s) :
					stream_receive_datagram(set, s);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		/* The peer's port is closed (ICMP). */
		if (n < 0)
			return errno == ECONNREFUSED ? -ECONNRESET : -errno;
		total += n;
		if (!s->sender)
			continue;
		s->bytes += n;
		s->udp.packets++;
		s->due += interval;
	}
	return total;
}

static ssize_t stream_move(struct stream_set *set, struct stream *s)
{
	return set->options.udp ? stream_move_udp(set, s) : stream_move_tcp(set, s);
}

/* Whether a paced sender has nothing to send at @now yet. */
static bool stream_is_early(const struct stream_set *set, const struct stream *s,
			    double now)
{
	return s->sender && set->options.udp && s->due > now;
}

static int socket_set_low_water(int fd, int bytes)
{
	return setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

/* The bytes that wake a receiver of @rate bytes per second: a power of two, or 1. */
static int wake_bytes(double rate)
{
	double want = fmin(rate * WAKE_EVERY, WAKE_MOST);
	int bytes = WAKE_LEAST;

	if (want < WAKE_LEAST)
		return 1;
	while (bytes * 2 <= want)
		bytes *= 2;
	return bytes;
}

/* Returns when to look again; INFINITY if nobody may be kept waiting. */
static double stream_set_wake(struct stream_set *set, double now)
{
	double since = now - set->looked_at;

	if (!set->options.skip_copy || set->options.udp)
		return INFINITY;
	if (since < WAKE_LOOK)
		return set->looked_at + WAKE_LOOK;
	for (unsigned i = 0; i < set->n; i++) {
		struct stream *s = &set->streams[i];
		uint64_t moved = s->omitted + s->bytes;
		int bytes = wake_bytes((moved - s->looked) / since);

		s->looked = moved;
		/* Without it there are only more wake-ups. */
		if (!s->sender && bytes != s->wake &&
		    socket_set_low_water(s->fd, bytes) == 0)
			s->wake = bytes;
	}
	set->looked_at = now;
	return now + WAKE_LOOK;
}

/* What to wait for. Returns until when: at most @until. */
static double stream_set_prepare(struct stream_set *set, double until)
{
	double now = now_monotonic();

	until = fmin(until, stream_set_wake(set, now));
	set->fds[WIRE_CONTROL].events = POLLIN;
	for (unsigned i = 0; i < set->n; i++) {
		const struct stream *s = &set->streams[i];
		bool early = stream_is_early(set, s, now);

		set->fds[WIRE_FIRST + i].fd = s->fd;
		set->fds[WIRE_FIRST + i].events = early	    ? 0 :
						  s->sender ? POLLOUT :
							      POLLIN;
		if (early)
			until = fmin(until, fmax(s->due, now + PACE_STEP));
	}
	return until;
}

int stream_set_step(struct stream_set *set, const struct wire *w, double until)
{
	double stalled = set->options.udp ? INFINITY : set->moved_at + w->timeout;
	bool moved = false;
	int r;

	r = wire_poll(w, set->fds, WIRE_FIRST + set->n,
		      stream_set_prepare(set, fmin(until, stalled)));
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

	set->fds[WIRE_CONTROL].events = POLLIN;
	for (unsigned i = 0; i < set->n; i++) {
		set->fds[WIRE_FIRST + i].fd = set->streams[i].fd;
		/* A sender only hears of errors. */
		set->fds[WIRE_FIRST + i].events = set->streams[i].sender ? 0 : POLLIN;
	}
	r = wire_poll(w, set->fds, WIRE_FIRST + set->n, until);
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
		if (s->sender || stream_move(set, s) < 0)
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
	unsigned senders = 0, timed = 0;
	double rtt = 0;

	ret->n = set->n;
	results_set_cpu(set, ret);
	for (unsigned i = 0; i < set->n; i++) {
		const struct stream *s = &set->streams[i];
		struct tcp_info info;

		ret->streams[i] = (struct iperf_stream){
			.id = iperf_stream_id(i),
			.bytes = s->bytes,
			.retransmits = -1,
			.seconds = seconds,
			.packets = s->udp.packets,
			.lost = s->udp.lost,
			.omitted_packets = s->udp.omitted_packets,
			.omitted_lost = s->udp.omitted_lost,
			.jitter = s->udp.jitter,
		};
		senders += s->sender;
		if (s->sender && !set->options.udp && stream_info(s, &info)) {
			ret->streams[i].retransmits = info.tcpi_total_retrans -
						      s->retrans_base;
			rtt += info.tcpi_rtt / 1e3;
			timed++;
		}
	}
	ret->has_retransmits = senders && !set->options.udp;
	ret->extra = (struct iperf_extra){
		.machine_busy = NAN,
		.busiest_cpu = NAN,
		.rtt_ms = timed ? rtt / timed : NAN,
	};
}
