/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ethtool-client.h - the live kernel's ethtool: netlink, and the ioctl for the rest */
#ifndef BOARDTUNE_ETHTOOL_CLIENT_H
#define BOARDTUNE_ETHTOOL_CLIENT_H

#include "kernel/ethtool-ioctl.h"
#include "kernel/ethtool-kept.h"
#include "kernel/nl.h"

struct ethtool_client {
	bool ready;		 /* what the kernel has was asked for */
	struct nl_family family; /* a command that it lacks goes by the ioctl */
	struct ethtool_names names;
	struct ethtool_kept kept;
	struct nl nl;
	struct ethtool_ioctl io;
};

#define ETHTOOL_CLIENT_INIT                                                              \
	{                                                                                \
		.nl = { .fd = -1 }, .io = ETHTOOL_IOCTL_INIT                             \
	}

/**
 * ethtool_client_start - ask once which commands the kernel's family has
 *
 * Without the family (before 5.6), or without generic netlink, it has none. Returns 0 or
 * -errno.
 */
int ethtool_client_start(struct ethtool_client *c);

/* The context is struct ethtool_client; close() frees it. */
extern const struct ethtool_ops ethtool_client_ops;

#endif
