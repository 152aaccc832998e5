// SPDX-License-Identifier: GPL-2.0-or-later
// udp.c - iperf3's datagrams: the header of each, loss and jitter, who talks to whom
#include "measure/udp.h"

#include <endian.h>
#include <math.h>
#include <netinet/in.h>

/* The greeting of a little-endian client, and the answer to it; neither is looked at. */
#define GREETING "9876"
#define ANSWER "6789"
#define GREETING_SIZE 4

/* A greeting or its answer may be lost. */
#define GREET_SECONDS 0.5

/* More than a socket's buffer holds of small datagrams. */
#define STALE_MAX 1024

/* A test of a day at 50 million datagrams a second. */
#define NUMBER_MAX (1ull << 42)

/* Time as seconds and microseconds, 32 bits each, then the number; big-endian. */
void udp_header_write(char *buf, bool wide, double now, uint64_t number)
{
	uint32_t seconds = htobe32((uint32_t)now);
	uint32_t micros = htobe32((uint32_t)((now - floor(now)) * 1e6));
	uint64_t wide_number = htobe64(number);
	uint32_t narrow_number = htobe32(number);

	memcpy(buf, &seconds, 4);
	memcpy(buf + 4, &micros, 4);
	if (wide)
		memcpy(buf + 8, &wide_number, 8);
	else
		memcpy(buf + 8, &narrow_number, 4);
}

static uint64_t udp_number_read(const char *buf, bool wide)
{
	uint64_t wide_number;
	uint32_t narrow_number;

	memcpy(&wide_number, buf + 8, 8);
	memcpy(&narrow_number, buf + 8, 4);
	return wide ? be64toh(wide_number) : be32toh(narrow_number);
}

/* RFC 3550, 6.4.1: a sixteenth of how much the transit time has changed. */
static void udp_flow_jitter(struct udp_flow *flow, const char *buf, double now)
{
	uint32_t seconds, micros;
	double transit;

	memcpy(&seconds, buf, 4);
	memcpy(&micros, buf + 4, 4);
	transit = now - be32toh(seconds) - be32toh(micros) / 1e6;
	if (flow->packets)
		flow->jitter += (fabs(transit - flow->transit) - flow->jitter) / 16;
	flow->transit = transit;
}

bool udp_flow_receive(struct udp_flow *flow, const char *buf, size_t size, bool wide,
		      double now)
{
	uint64_t number;

	if (size < IPERF_UDP_LEN_MIN)
		return false;
	number = udp_number_read(buf, wide);
	if (!number || number > NUMBER_MAX)
		return false;
	udp_flow_jitter(flow, buf, now);
	if (number > flow->packets) {
		flow->lost += number - flow->packets - 1;
		flow->packets = number;
	} else if (flow->lost) {
		flow->lost--;
	}
	return true;
}

void udp_flow_omit(struct udp_flow *flow)
{
	flow->omitted_packets = flow->packets;
	flow->omitted_lost = flow->lost;
}

/* Take an answer out of the way, but leave data. Returns 1, 0 for nothing, -errno. */
static int udp_take_answer(int fd)
{
	char buf[IPERF_UDP_LEN_MIN];
	ssize_t n = recv(fd, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (n == GREETING_SIZE)
		recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
	return 1;
}

int udp_greet(const struct wire *w, int fd)
{
	double until = now_monotonic() + w->timeout;
	struct pollfd fds[WIRE_FIRST + 1] = {
		[WIRE_CONTROL] = { .events = POLLIN },
		[WIRE_FIRST] = { .fd = fd, .events = POLLIN },
	};

	for (;;) {
		double now = now_monotonic();
		int r;

		if (now >= until)
			return -ETIMEDOUT;
		if (send(fd, GREETING, GREETING_SIZE, MSG_DONTWAIT) < 0 &&
		    errno != EAGAIN && errno != EINTR)
			return -errno;
		r = wire_poll(w, fds, ARRAY_SIZE(fds), fmin(until, now + GREET_SECONDS));
		if (r == 1 && fds[WIRE_CONTROL].revents)
			return 0;
		if (r == 1)
			r = udp_take_answer(fd);
		if (r)
			return r < 0 ? r : 0;
	}
}

int udp_listen(int control)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	_cleanup_close_ int fd = -1;
	int one = 1, zero = 0;

	/* Its own address, so that answers come from where the client sent to. */
	if (getsockname(control, (struct sockaddr *)&own, &len) < 0)
		return -errno;
	fd = socket(own.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (own.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	/* The streams share the port; each but the last is connected. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0 ||
	    bind(fd, (struct sockaddr *)&own, len) < 0)
		return -errno;
	return TAKE_FD(fd);
}

/* The same host, whatever the port. */
static bool udp_same_host(const struct sockaddr_storage *a,
			  const struct sockaddr_storage *b)
{
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;

	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a->ss_family == AF_INET6 && a6->sin6_scope_id == b6->sin6_scope_id &&
	       IN6_ARE_ADDR_EQUAL(&a6->sin6_addr, &b6->sin6_addr);
}

int udp_accept(int fd, int control)
{
	struct sockaddr_storage from, peer;
	socklen_t from_len = sizeof(from), peer_len = sizeof(peer);
	char buf[IPERF_UDP_LEN_MIN];
	ssize_t n;

	if (getpeername(control, (struct sockaddr *)&peer, &peer_len) < 0)
		return -errno;
	n = recvfrom(fd, buf, sizeof(buf), MSG_DONTWAIT, (struct sockaddr *)&from,
		     &from_len);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (n != GREETING_SIZE || !udp_same_host(&from, &peer))
		return 0;
	if (connect(fd, (struct sockaddr *)&from, from_len) < 0)
		return -errno;
	/* What others sent before that, and greetings said twice. */
	for (unsigned i = 0; i < STALE_MAX; i++)
		if (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) < 0)
			break;
	return 1;
}

int udp_answer(int fd)
{
	return send(fd, ANSWER, GREETING_SIZE, MSG_DONTWAIT) < 0 ? -errno : 0;
}
