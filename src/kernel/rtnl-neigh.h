/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rtnl-neigh.h - who can be reached on a link: neighbours and default gateways */
#ifndef BOARDTUNE_RTNL_NEIGH_H
#define BOARDTUNE_RTNL_NEIGH_H

#include "kernel/rtnl.h"

/* A neighbour, or a gateway of which nothing is known yet (state NUD_NONE). */
struct rtnl_neighbour {
	int ifindex;
	sa_family_t family; /* AF_INET or AF_INET6 */
	uint8_t bytes[16];  /* network order */
	uint16_t state;     /* NUD_* of linux/neighbour.h */
};

struct rtnl_neighbours {
	struct rtnl_neighbour *items; /* owned */
	size_t n;
};

/**
 * rtnl_neighbours_get - the neighbour tables of IPv4 and IPv6
 * @nl: open with NETLINK_ROUTE
 * @ret: filled in; release with rtnl_neighbours_clear()
 *
 * Returns 0 or -errno (-EAGAIN: they kept changing).
 */
int rtnl_neighbours_get(struct nl *nl, struct rtnl_neighbours *ret);

/**
 * rtnl_gateways_get - the gateways of all default routes, in the same form
 *
 * Not those of a multipath route. Returns as rtnl_neighbours_get().
 */
int rtnl_gateways_get(struct nl *nl, struct rtnl_neighbours *ret);
void rtnl_neighbours_clear(struct rtnl_neighbours *neighbours);

/**
 * rtnl_neighbour_ask - have the kernel ask a neighbour whether it is there
 *
 * One that is known is probed at once (NUD_PROBE), one that is not is resolved (NTF_USE);
 * the answer is a state of NUD_REACHABLE soon after. Needs CAP_NET_ADMIN. Returns 0 or
 * -errno.
 */
int rtnl_neighbour_ask(struct nl *nl, const struct rtnl_neighbour *neighbour);

/* Decoders of one reply each: 0 or -errno; @userdata: struct rtnl_neighbours. */
int rtnl_parse_neighbour(const struct nlmsghdr *nlh, void *userdata);
int rtnl_parse_gateway(const struct nlmsghdr *nlh, void *userdata);

#endif
