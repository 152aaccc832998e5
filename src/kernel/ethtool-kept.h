/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ethtool-kept.h - replies kept while nothing is changed: many settings, one question */
#ifndef BOARDTUNE_ETHTOOL_KEPT_H
#define BOARDTUNE_ETHTOOL_KEPT_H

#include <linux/netlink.h>
#include <net/if.h>

#include "base/base.h"

#define ETHTOOL_KEPT_REPLIES 64 /* of the commands of some ten interfaces */
#define ETHTOOL_KEPT_SIZE 512   /* coalescing, the longest, has 28 attributes */

/* What the kernel answered to one command for one interface. */
struct ethtool_kept_reply {
	uint8_t command;
	char ifname[IF_NAMESIZE];
	int error; /* -EOPNOTSUPP is an answer, too */
	_Alignas(struct nlmsghdr) char message[ETHTOOL_KEPT_SIZE];
};

struct ethtool_kept {
	bool on;
	size_t n;    /* replies that are there */
	size_t next; /* the oldest one, which is overwritten */
	struct ethtool_kept_reply *replies; /* owned; NULL until there is one */
};

/** ethtool_kept_find - the reply to a command; NULL if there is none */
const struct ethtool_kept_reply *ethtool_kept_find(const struct ethtool_kept *kept,
						   uint8_t command, const char *ifname);

/**
 * ethtool_kept_add - keep a reply if replies are to be kept and it is not too long
 * @nlh: NULL for an error
 *
 * Out of memory it is not kept, and asked for again.
 */
void ethtool_kept_add(struct ethtool_kept *kept, uint8_t command, const char *ifname,
		      const struct nlmsghdr *nlh, int error);

/** ethtool_kept_forget - something was changed: ask again from now on */
void ethtool_kept_forget(struct ethtool_kept *kept);

#endif
