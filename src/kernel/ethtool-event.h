/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ethtool-event.h - the kernel's word that somebody changed a setting of an interface */
#ifndef BOARDTUNE_ETHTOOL_EVENT_H
#define BOARDTUNE_ETHTOOL_EVENT_H

#include "base/base.h"

/* A socket in the group "monitor" of the generic netlink family "ethtool". */
struct ethtool_event {
	int fd; /* -1: none */
	uint16_t family;
};

#define ETHTOOL_EVENT_INIT { .fd = -1 }

/**
 * ethtool_event_open - hear of changes from now on; close @ret->fd
 *
 * Needs no privilege; of this network namespace. What is changed by ioctl is told as well
 * (net/ethtool/ioctl.c 6.1). Returns 0; -ENOENT: no such family, before 5.6; or -errno.
 */
int ethtool_event_open(struct ethtool_event *ret);

/**
 * ethtool_event_take - whether features, rings, channels, coalescing, pause, EEE changed
 *
 * Since the last call; also when messages were lost. Does not wait, allocates nothing.
 */
bool ethtool_event_take(const struct ethtool_event *e);

#endif
