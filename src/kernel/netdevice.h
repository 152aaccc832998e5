/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netdevice.h - interfaces by their index: netdevice(7) */
#ifndef BOARDTUNE_NETDEVICE_H
#define BOARDTUNE_NETDEVICE_H

#include <net/if.h>

#include "base/base.h"

/**
 * netdevice_name - the name that an interface has now (SIOCGIFNAME)
 * @fd: a socket kept for the next question, -1 at first; the caller closes it
 *
 * The kernel never gives an index to another interface while it runs. One system call,
 * where if_indextoname(3) makes three. Returns 0 or -errno: -ENODEV, no such interface.
 * Allocates nothing.
 */
int netdevice_name(int *fd, int ifindex, char ret[static IF_NAMESIZE]);

#endif
