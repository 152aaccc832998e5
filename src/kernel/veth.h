/* SPDX-License-Identifier: GPL-2.0-or-later */
/* veth.h - a pair of virtual interfaces: made, moved, addressed, raised (rtnetlink(7)) */
#ifndef BOARDTUNE_VETH_H
#define BOARDTUNE_VETH_H

#include <netinet/in.h>
#include <sys/types.h>

#include "kernel/nl.h"

/**
 * veth_add - make a pair
 * @nl: open with NETLINK_ROUTE
 * @name: stays in our network namespace
 * @peer_name: goes to the network namespace of @peer_pid
 *
 * Returns 0; -EEXIST; -EPERM; -EOPNOTSUPP this kernel has no veth; -ENAMETOOLONG.
 */
int veth_add(struct nl *nl, const char *name, const char *peer_name, pid_t peer_pid);

/** veth_up - raise an interface (lo too); 0, -ENODEV or another -errno */
int veth_up(struct nl *nl, const char *name);

/** veth_address_add - give an interface an IPv4 address; 0, -EEXIST, -ENODEV, ... */
int veth_address_add(struct nl *nl, const char *name, struct in_addr address,
		     unsigned prefix);

#endif
