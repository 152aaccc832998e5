// SPDX-License-Identifier: GPL-2.0-or-later
// ping.c - round-trip time to the peer by ICMP echo, beside a test that has its own loop
#include "measure/ping.h"

#include <arpa/inet.h>
#include <linux/icmp.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <time.h>

#define SLOTS 64       /* requests on their way: more than PING_LOST at ten a second */
#define REPLIES_MAX 64 /* read in one tick, so that a flood of them ends */
#define ICMP_HEADER 8
#define IP_HEADER_MAX 60

struct ping_slot {
	bool waiting;
	uint16_t sequence;
	double sent; /* CLOCK_MONOTONIC */
	uint8_t nonce[PING_NONCE];
};

struct ping {
	int fd, family;
	bool raw;
	uint16_t id; /* of a ping socket: the kernel's, which also sorts by it */
	uint16_t sequence;
	struct sockaddr_storage peer;
	struct ping_slot slots[SLOTS];
	struct ping_series series;
};

static const struct {
	int family, protocol;
	uint8_t request, reply;
} families[] = {
	{ AF_INET, IPPROTO_ICMP, ICMP_ECHO, ICMP_ECHOREPLY },
	{ AF_INET6, IPPROTO_ICMPV6, ICMP6_ECHO_REQUEST, ICMP6_ECHO_REPLY },
};

/* The Internet checksum of RFC 1071. */
static uint16_t checksum(const uint8_t *data, size_t size)
{
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < size; i += 2)
		sum += data[i] << 8 | data[i + 1];
	sum = (sum >> 16) + (sum & 0xffff);
	return ~(sum + (sum >> 16));
}

static void put16(uint8_t *p, uint16_t x)
{
	p[0] = x >> 8;
	p[1] = x;
}

static uint16_t get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

/* Type, code, checksum, identifier, sequence number: RFC 792 and RFC 4443. */
void ping_encode(int family, const struct ping_echo *echo,
		 uint8_t ret[static PING_PACKET])
{
	memset(ret, 0, PING_PACKET);
	ret[0] = families[family == AF_INET6].request;
	put16(ret + 4, echo->id);
	put16(ret + 6, echo->sequence);
	memcpy(ret + ICMP_HEADER, echo->nonce, PING_NONCE);
	if (family == AF_INET)
		put16(ret + 2, checksum(ret, PING_PACKET));
}

int ping_decode(int family, bool ip, const uint8_t *data, size_t size,
		struct ping_echo *ret)
{
	size_t header = 0;

	if (ip) {
		if (!size || data[0] >> 4 != 4)
			return -EBADMSG;
		header = (data[0] & 15) * 4;
		if (header < 20 || header > size)
			return -EBADMSG;
	}
	data += header;
	if (size - header < PING_PACKET || data[1] != 0 ||
	    data[0] != families[family == AF_INET6].reply)
		return -EBADMSG;
	ret->id = get16(data + 4);
	ret->sequence = get16(data + 6);
	memcpy(ret->nonce, data + ICMP_HEADER, PING_NONCE);
	return 0;
}

/* Only echo replies; a ping socket gets nothing else anyway. */
static int raw_filter(int family, int fd)
{
	struct icmp_filter filter = { .data = ~(1u << ICMP_ECHOREPLY) };
	struct icmp6_filter filter6;
	int r;

	ICMP6_FILTER_SETBLOCKALL(&filter6);
	ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &filter6);
	if (family == AF_INET)
		r = setsockopt(fd, SOL_RAW, ICMP_FILTER, &filter, sizeof(filter));
	else
		r = setsockopt(fd, IPPROTO_ICMPV6, ICMP6_FILTER, &filter6,
			       sizeof(filter6));
	return r < 0 ? -errno : 0;
}

/* Returns a descriptor or -errno. */
static int ping_socket(int family, bool *ret_raw)
{
	const int flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
	const int protocol = families[family == AF_INET6].protocol;
	_cleanup_close_ int fd = socket(family, SOCK_DGRAM | flags, protocol);
	int one = 1, r;

	*ret_raw = fd < 0 && (errno == EACCES || errno == EPROTONOSUPPORT);
	if (*ret_raw)
		fd = socket(family, SOCK_RAW | flags, protocol);
	if (fd < 0)
		return -errno;
	r = *ret_raw ? raw_filter(family, fd) : 0;
	if (r < 0)
		return r;
	/* As long as this is on, the kernel stamps every packet (net_timestamp_check(),
	 * 6.1): that is, in both halves of a comparison. */
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one)) < 0)
		return -errno;
	return TAKE_FD(fd);
}

int ping_open(int family, struct ping **ret)
{
	_cleanup_free_ struct ping *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->family = family;
	p->fd = ping_socket(family, &p->raw);
	if (p->fd < 0)
		return p->fd;
	*ret = TAKE_PTR(p);
	return 0;
}

void ping_close(struct ping *p)
{
	if (!p)
		return;
	close_fd(&p->fd);
	free(p->series.rtt_ms);
	free(p);
}

/* A number of our own for a raw socket; for a ping socket the kernel's. */
static int ping_identify(struct ping *p)
{
	struct sockaddr_storage own = {};
	socklen_t len = sizeof(own);

	if (p->raw)
		return getrandom(&p->id, sizeof(p->id), 0) < 0 ? -errno : 0;
	if (getsockname(p->fd, (struct sockaddr *)&own, &len) < 0)
		return -errno;
	p->id = ntohs(p->family == AF_INET ? ((struct sockaddr_in *)&own)->sin_port
					   : ((struct sockaddr_in6 *)&own)->sin6_port);
	return 0;
}

int ping_aim(struct ping *p, const struct sockaddr_storage *peer, socklen_t len,
	     const char *ifname)
{
	struct sockaddr_storage address = *peer;

	/* The port is none of an echo's business; a raw IPv6 socket refuses it. */
	if (p->family == AF_INET)
		((struct sockaddr_in *)&address)->sin_port = 0;
	else
		((struct sockaddr_in6 *)&address)->sin6_port = 0;
	if (ifname && setsockopt(p->fd, SOL_SOCKET, SO_BINDTODEVICE, ifname,
				 strlen(ifname)) < 0)
		return -errno;
	if (connect(p->fd, (struct sockaddr *)&address, len) < 0)
		return -errno;
	p->peer = address;
	return ping_identify(p);
}

static bool from_peer(const struct ping *p, const struct sockaddr_storage *from)
{
	const struct sockaddr_in *a4 = (const void *)from, *b4 = (const void *)&p->peer;
	const struct sockaddr_in6 *a6 = (const void *)from, *b6 = (const void *)&p->peer;

	if (from->ss_family != p->family)
		return false;
	if (p->family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr)) == 0;
}

static double now_realtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/*
 * How long ago the kernel received it: by the clock that can be set, so only its age is
 * used. Without a stamp, and when that clock was set meanwhile: negative.
 */
static double reply_age(struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct timespec stamp;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS ||
		    c->cmsg_len < CMSG_LEN(sizeof(stamp)))
			continue;
		memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
		return now_realtime() - stamp.tv_sec - stamp.tv_nsec / 1e9;
	}
	return -1;
}

/* A reply to a request that waits for one, with its random bytes: the first only. */
static int reply_take(struct ping *p, const struct ping_echo *echo, double age)
{
	struct ping_slot *slot = &p->slots[echo->sequence % SLOTS];
	double now = now_monotonic();
	int r;

	if (echo->id != p->id || !slot->waiting || slot->sequence != echo->sequence ||
	    memcmp(slot->nonce, echo->nonce, PING_NONCE) != 0)
		return 0;
	slot->waiting = false;
	if (age < 0 || age > now - slot->sent)
		return 0;
	r = array_grow(&p->series.rtt_ms, p->series.n, sizeof(*p->series.rtt_ms));
	if (r < 0)
		return r;
	p->series.rtt_ms[p->series.n++] = (now - age - slot->sent) * 1e3;
	return 0;
}

static int replies_read(struct ping *p)
{
	int r = 0;

	for (unsigned i = 0; i < REPLIES_MAX && r == 0; i++) {
		uint8_t data[IP_HEADER_MAX + PING_PACKET];
		_Alignas(struct cmsghdr) char control[128];
		struct sockaddr_storage from = {};
		struct iovec iov = { data, sizeof(data) };
		struct msghdr msg = { .msg_name = &from, .msg_namelen = sizeof(from),
				      .msg_iov = &iov, .msg_iovlen = 1,
				      .msg_control = control,
				      .msg_controllen = sizeof(control) };
		struct ping_echo echo;
		ssize_t n = recvmsg(p->fd, &msg, MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN)
			break;
		/* An ICMP error for an earlier request is told once, then it goes on. */
		if (n < 0 || !from_peer(p, &from) ||
		    ping_decode(p->family, p->raw && p->family == AF_INET, data, n,
				&echo) < 0)
			continue;
		r = reply_take(p, &echo, reply_age(&msg));
	}
	return r;
}

static void lost_count(struct ping *p)
{
	double now = now_monotonic();

	for (unsigned i = 0; i < SLOTS; i++) {
		struct ping_slot *slot = &p->slots[i];

		if (!slot->waiting || now - slot->sent < PING_LOST)
			continue;
		slot->waiting = false;
		p->series.lost++;
	}
}

static void request_send(struct ping *p)
{
	struct ping_slot *slot = &p->slots[++p->sequence % SLOTS];
	struct ping_echo echo = { .id = p->id, .sequence = p->sequence };
	uint8_t packet[PING_PACKET];

	if (slot->waiting) /* ticks far too fast */
		p->series.lost++;
	slot->waiting = false;
	if (getrandom(echo.nonce, sizeof(echo.nonce), 0) != sizeof(echo.nonce))
		return;
	*slot = (struct ping_slot){ .waiting = true, .sequence = p->sequence };
	memcpy(slot->nonce, echo.nonce, sizeof(slot->nonce));
	ping_encode(p->family, &echo, packet);
	slot->sent = now_monotonic();
	if (send(p->fd, packet, sizeof(packet), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
		return;
	/* Its queue is full, or it has no route at the moment. */
	slot->waiting = false;
	p->series.lost++;
}

void ping_begin(struct ping *p)
{
	for (unsigned i = 0; i < SLOTS; i++)
		p->slots[i].waiting = false;
	p->series.n = p->series.lost = 0;
}

int ping_tick(struct ping *p)
{
	int r = replies_read(p);

	lost_count(p);
	request_send(p);
	return r;
}

int ping_end(struct ping *p, struct ping_series *ret)
{
	int r = replies_read(p);

	if (r < 0)
		return r;
	lost_count(p);
	*ret = p->series;
	p->series = (struct ping_series){};
	ping_begin(p);
	return 0;
}

int ping_series_append(struct ping_series *to, struct ping_series *from)
{
	double *rtt_ms = realloc(to->rtt_ms, (to->n + from->n + 1) * sizeof(*rtt_ms));

	if (!rtt_ms)
		return -ENOMEM;
	if (from->n)
		memcpy(rtt_ms + to->n, from->rtt_ms, from->n * sizeof(*rtt_ms));
	to->rtt_ms = rtt_ms;
	to->n += from->n;
	to->lost += from->lost;
	ping_series_clear(from);
	return 0;
}

void ping_series_clear(struct ping_series *s)
{
	free(s->rtt_ms);
	*s = (struct ping_series){};
}
