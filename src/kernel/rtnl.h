/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rtnl.h - addresses of this machine and routes to others (rtnetlink(7)) */
#ifndef BOARDTUNE_RTNL_H
#define BOARDTUNE_RTNL_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "kernel/nl.h"

/* An address of one of our interfaces. */
struct rtnl_address {
	int ifindex;
	sa_family_t family; /* AF_INET or AF_INET6 */
	uint8_t bytes[16];  /* network order; the first 4 for IPv4 */
};

struct rtnl_addresses {
	struct rtnl_address *items; /* owned */
	size_t n;
};

/**
 * rtnl_addresses_get - every IPv4 and IPv6 address of every interface
 * @nl: open with NETLINK_ROUTE
 * @ret: filled in; release with rtnl_addresses_clear()
 *
 * Returns 0 or -errno (-EAGAIN: they kept changing).
 */
int rtnl_addresses_get(struct nl *nl, struct rtnl_addresses *ret);
void rtnl_addresses_clear(struct rtnl_addresses *addresses);

/**
 * rtnl_address_match - whether an interface's address is this one
 * @bytes: 4 or 16 bytes in network order
 */
bool rtnl_address_match(const struct rtnl_address *address, int family,
			const void *bytes);

/** rtnl_address_size - bytes of an address of AF_INET or AF_INET6, else 0 */
size_t rtnl_address_size(int family);

/**
 * rtnl_dump - ask for a whole table, again while it changes
 * @header: bytes of the family's header, sent as zeros
 * @list: what @parse fills; emptied by @clear before each try and after a failure
 *
 * Returns 0 or -errno (-EAGAIN: it kept changing).
 */
int rtnl_dump(struct nl *nl, uint16_t type, size_t header, nl_reply_fn *parse, void *list,
	      void (*clear)(void *list));

/* The way to a peer. */
struct rtnl_route {
	int ifindex;                    /* output interface; lo for our own address */
	struct sockaddr_storage source; /* the address the kernel picks; no port */
	bool local;                     /* the peer is this machine */
};

/**
 * rtnl_route_get - which way the kernel sends to a peer
 * @nl: open with NETLINK_ROUTE
 * @peer: sockaddr_in or sockaddr_in6; the scope of a link-local address counts
 *
 * Returns 0; -ENETUNREACH, -EHOSTUNREACH, -EACCES without a route; -EAFNOSUPPORT;
 * -EBADMSG a broken reply.
 */
int rtnl_route_get(struct nl *nl, const struct sockaddr *peer, struct rtnl_route *ret);

/* Decoders of one reply each, for rtnl.c and the fuzzer: 0 or -EBADMSG. */

/** rtnl_parse_address - @userdata: struct rtnl_addresses; also -ENOMEM */
int rtnl_parse_address(const struct nlmsghdr *nlh, void *userdata);
/** rtnl_parse_route - @userdata: struct rtnl_route */
int rtnl_parse_route(const struct nlmsghdr *nlh, void *userdata);

#endif
