/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rtnl-link.h - changes of interfaces as they happen (rtnetlink(7), RTNLGRP_LINK) */
#ifndef BOARDTUNE_RTNL_LINK_H
#define BOARDTUNE_RTNL_LINK_H

#include <net/if.h>

#include "base/base.h"

struct rtnl_link {
	int ifindex;
	char name[IF_NAMESIZE];
	bool running; /* IFF_RUNNING: it is up and has a carrier */
	bool gone;    /* RTM_DELLINK */
};

typedef void rtnl_link_fn(const struct rtnl_link *link, void *userdata);

/**
 * rtnl_link_open - hear of every change of an interface
 * @ret_fd: a socket that does not block; the caller closes it
 *
 * Also of its features (rtnetlink_event(), NETDEV_FEAT_CHANGE, 4.9 to 6.18), but not of
 * rings, coalescing or queues. Needs no privilege. Returns 0 or -errno.
 */
int rtnl_link_open(int *ret_fd);

/**
 * rtnl_link_take - hand on what came since the last call
 *
 * Does not wait, allocates nothing. Returns the number of changes; -ENOBUFS: some were
 * lost, or did not fit.
 */
int rtnl_link_take(int fd, rtnl_link_fn *fn, void *userdata);

/**
 * rtnl_link_parse - the changes of one packet
 * @packet: in a buffer that is padded to a multiple of 4 bytes
 *
 * Pure. What a wireless driver tells of its scans is none (IFLA_WIRELESS). Returns their
 * number; -EBADMSG a broken message, those before it were handed on.
 */
int rtnl_link_parse(const void *packet, size_t size, rtnl_link_fn *fn, void *userdata);

#endif
