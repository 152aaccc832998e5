// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool-event.c - the kernel's word that somebody changed a setting of an interface
#include "kernel/ethtool-event.h"

#include <linux/ethtool_netlink.h>

#include "kernel/genl-event.h"

#define EVENTS                                                                           \
	(GENL_EVENT(ETHTOOL_MSG_FEATURES_NTF) | GENL_EVENT(ETHTOOL_MSG_RINGS_NTF) |      \
	 GENL_EVENT(ETHTOOL_MSG_CHANNELS_NTF) | GENL_EVENT(ETHTOOL_MSG_COALESCE_NTF) |   \
	 GENL_EVENT(ETHTOOL_MSG_PAUSE_NTF) | GENL_EVENT(ETHTOOL_MSG_EEE_NTF))

int ethtool_event_open(struct ethtool_event *ret)
{
	struct genl_event_family family = { .name = ETHTOOL_GENL_NAME,
					    .group = ETHTOOL_MCGRP_MONITOR_NAME };
	int fd, r = genl_event_open(&family, &fd);

	if (r == 0)
		*ret = (struct ethtool_event) { .fd = fd, .family = family.id };
	return r;
}

bool ethtool_event_take(const struct ethtool_event *e)
{
	return genl_event_take(e->fd, e->family, EVENTS);
}
