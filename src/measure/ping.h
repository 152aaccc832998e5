/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ping.h - round-trip time to the peer by ICMP echo, beside a test that has its own loop
 *
 * Nobody waits for a reply: whoever ticks a few times a second reads what came since and
 * sends the next request. When a reply came is told by the kernel's receive timestamp,
 * so that a late tick does not count as latency.
 */
#ifndef BOARDTUNE_PING_H
#define BOARDTUNE_PING_H

#include <sys/socket.h>

#include "base/base.h"

#define PING_LOST 2.0	/* seconds after which a request counts as lost */
#define PING_NONCE 16	/* random bytes that only an answer to the request can have */
#define PING_PACKET (8 + PING_NONCE)

/* What an echo request and its reply have in common. */
struct ping_echo {
	uint16_t id, sequence;
	uint8_t nonce[PING_NONCE];
};

struct ping_series {
	double *rtt_ms; /* owned, in the order of the replies */
	size_t n;
	size_t lost;    /* not answered within PING_LOST, or refused by our own kernel */
};

struct ping;

/**
 * ping_open - a socket for echo requests, not aimed at anyone yet
 * @family: AF_INET, AF_INET6
 *
 * A ping socket where net.ipv4.ping_group_range admits us (icmp(7)), else a raw one, for
 * which CAP_NET_RAW is needed now and not later. Returns 0; -EACCES or -EPERM without
 * either; -EAFNOSUPPORT; -ENOMEM or another -errno.
 */
int ping_open(int family, struct ping **ret);
void ping_close(struct ping *p);

/**
 * ping_aim - whom to ask; only replies from there count
 * @ifname: SO_BINDTODEVICE, NULL for none
 *
 * To be called once. Returns 0 or -errno.
 */
int ping_aim(struct ping *p, const struct sockaddr_storage *peer, socklen_t len,
	     const char *ifname);

/** ping_begin - a new series; what is on its way belongs to none */
void ping_begin(struct ping *p);

/**
 * ping_tick - read the replies, send the next request; never waits
 *
 * Returns 0 or -ENOMEM. What the network has against it counts as lost.
 */
int ping_tick(struct ping *p);

/**
 * ping_end - the series since ping_begin(), with the replies until now
 * @ret: its array is the caller's
 *
 * Requests younger than PING_LOST that have no reply yet do not count. Returns 0 or
 * -ENOMEM.
 */
int ping_end(struct ping *p, struct ping_series *ret);

/**
 * ping_series_append - move what @from has to the end of @to
 *
 * Returns 0 or -ENOMEM with both as they were.
 */
int ping_series_append(struct ping_series *to, struct ping_series *from);
void ping_series_clear(struct ping_series *s);

/**
 * ping_encode - an echo request
 *
 * With its checksum by IPv4; by IPv6 the kernel puts it in (raw(7), ipv6(7)).
 */
void ping_encode(int family, const struct ping_echo *echo,
		 uint8_t ret[static PING_PACKET]);

/**
 * ping_decode - an echo reply of ours, whoever sent it
 * @ip: an IPv4 header comes first, as raw sockets have it
 *
 * Returns 0, or -EBADMSG for anything else.
 */
int ping_decode(int family, bool ip, const uint8_t *data, size_t size,
		struct ping_echo *ret);

#endif
