/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate.h - what must be so before a trial: peer, route, carrier */
#ifndef BOARDTUNE_GATE_H
#define BOARDTUNE_GATE_H

#include <sys/socket.h>

#include "measure/sample.h"

#define GATE_PORT 5201 /* iperf3's */
#define GATE_TEXT_MAX 256

/* HOST[:PORT] as the user gave it. */
struct gate_peer {
	char host[GATE_TEXT_MAX]; /* a name or address, link-local with %scope */
	unsigned port;
};

/* The peer's address of one family, and the way there. */
struct gate_way {
	bool there;
	struct sockaddr_storage address; /* with port and scope */
	socklen_t length;
	char text[128];        /* the address, numeric */
	char ifname[IF_NAMESIZE]; /* the interface of the route */
	bool local;            /* the peer is this machine */
};

struct gate_ways {
	struct gate_way ipv4, ipv6;
};

/**
 * gate_peer_parse - HOST, HOST:PORT, ADDRESS6, [ADDRESS6]:PORT
 * @port: when @text names none
 * @ret: untouched on failure
 *
 * Returns 0 or -EINVAL.
 */
int gate_peer_parse(const char *text, unsigned port, struct gate_peer *ret);

/**
 * gate_resolve - the peer's first address of each family
 * @ret_text: GATE_TEXT_MAX bytes: what is wrong, translated
 *
 * Returns 0 with at least one family; -ENXIO a link-local address without a scope;
 * -EHOSTUNREACH a name that does not resolve.
 */
int gate_resolve(const struct gate_peer *peer, struct gate_ways *ret, char *ret_text);

/**
 * gate_route - the interface by which this machine reaches an address
 * @way: address set; gets ifname and local
 *
 * Returns 0, -ENETUNREACH, -EHOSTUNREACH, -EACCES or another -errno of rtnetlink(7).
 */
int gate_route(struct gate_way *way);

/**
 * gate_carries - whether traffic of an interface goes through another one
 * @upper: bridge, VLAN, bond, or the interface itself
 * @lower: the interface looked for below it
 */
bool gate_carries(const struct sysroot *root, const char *upper, const char *lower);

/**
 * gate_leaves - the lowest interfaces below one, itself if there is none
 * @ret: untouched on failure
 *
 * Returns 0, or -E2BIG for more than fit (a bridge of many containers).
 */
int gate_leaves(const struct sysroot *root, const char *upper, struct sample_nics *ret);

/**
 * gate_carrier - whether the link is up
 *
 * /sys/class/net/IF/carrier; reading it while the interface is down is EINVAL (6.1).
 */
bool gate_carrier(const struct sysroot *root, const char *ifname);

/**
 * gate_addressed - whether an interface has an address, or one that it carries for
 *
 * A link-local IPv6 address does not count: it is there by itself. Returns 1 or 0, or
 * -errno of rtnetlink(7).
 */
int gate_addressed(const struct sysroot *root, const char *ifname);

/**
 * gate_line_rate - speed of a physical link
 *
 * Returns Mbit/s; that of the fastest link below for a bridge, VLAN or bond; 0 for any
 * other virtual interface (no device link) or an unknown speed.
 */
double gate_line_rate(const struct sysroot *root, const char *ifname);

/**
 * gate_wait - wait for carrier and the way to the peer
 * @way: ifname: the interface that the route has to use
 * @stop_fd: readable: -EINTR; -1 for none
 *
 * Returns 0; -ENETDOWN no carrier, -ENETUNREACH no route by @way after @seconds.
 */
int gate_wait(const struct sysroot *root, const struct gate_way *way, double seconds,
	      int stop_fd);

/**
 * gate_bind_needs_raw - whether SO_BINDTODEVICE needs CAP_NET_RAW
 * @release: of the kernel, as uname(2) has it
 *
 * Since 5.7 a socket that is not bound yet may be bound without it (socket(7)).
 */
bool gate_bind_needs_raw(const char *release);

/** gate_sleep - 0 after @seconds, -EINTR as soon as @stop_fd is readable */
int gate_sleep(double seconds, int stop_fd);

#endif
