/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ethtool-ioctl.h - SIOCETHTOOL, for what the ethtool netlink family of a kernel lacks
 *
 * The family came with 5.6, most of its commands with 5.7; CONFIG_ETHTOOL_NETLINK may be
 * off. The ioctl is in every kernel.
 */
#ifndef BOARDTUNE_ETHTOOL_IOCTL_H
#define BOARDTUNE_ETHTOOL_IOCTL_H

#include "kernel/ethtool-nl.h"

struct ethtool_ioctl {
	int fd;			    /* opened with the first call; -1 until then */
	struct ethtool_names names; /* of features, asked for once */
	/* The transport: ethtool_ioctl_call(), or a kernel that a test makes up. @data is
	 * one of the structures of linux/ethtool.h. Returns 0, flags, or -errno. */
	int (*call)(struct ethtool_ioctl *io, const char *ifname, void *data);
};

/** ethtool_ioctl_call - ask the running kernel; -ENODEV no such NIC, or it is asleep */
int ethtool_ioctl_call(struct ethtool_ioctl *io, const char *ifname, void *data);

#define ETHTOOL_IOCTL_INIT                                                               \
	{                                                                                \
		.fd = -1, .call = ethtool_ioctl_call                                     \
	}

/*
 * The context is struct ethtool_ioctl, which close() leaves to its owner.
 *
 * A number with a maximum of 0 is -EOPNOTSUPP as with netlink. Coalescing gives no sign
 * of what a driver does not have: it reads 0, and a set is -EOPNOTSUPP (5.7) or ignored.
 * A set equal to what is there calls no driver, as the kernel has it for netlink only.
 */
extern const struct ethtool_ops ethtool_ioctl_ops;

#endif
