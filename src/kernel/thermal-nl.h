/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thermal-nl.h - the kernel's word that a trip was crossed or a cooling state changed */
#ifndef BOARDTUNE_THERMAL_NL_H
#define BOARDTUNE_THERMAL_NL_H

#include "kernel/nl.h"

/* A socket in the group "event" of the generic netlink family "thermal". */
struct thermal_nl {
	int fd; /* -1: none */
	uint16_t family;
};

#define THERMAL_NL_INIT { .fd = -1 }

/* The family's number and that of its group, 0: it has none. */
struct thermal_nl_family {
	uint16_t id;
	uint32_t event_group;
};

/**
 * thermal_nl_open - hear the events from now on
 *
 * Needs no privilege. Returns 0; -ENOENT: no such family, which is so without
 * CONFIG_THERMAL_NETLINK, before 5.9 and outside the initial network namespace
 * (thermal_netlink.c 6.1); or -errno.
 */
int thermal_nl_open(struct thermal_nl *ret);
void thermal_nl_close(struct thermal_nl *t);

/**
 * thermal_nl_take - whether a trip or cooling event came since the last call
 *
 * Also when events came faster than they were taken. A hint: a slow fall below a trip
 * gives no event up to 6.1, and no event comes from a zone that nobody updates. Does not
 * wait, allocates nothing.
 */
bool thermal_nl_take(struct thermal_nl *t);

/**
 * thermal_nl_parse - whether a packet tells of a trip or of a cooling state
 * @packet: in a buffer that is padded to a multiple of 4 bytes
 *
 * Pure. What is broken tells of nothing.
 */
bool thermal_nl_parse(const void *packet, size_t size, uint16_t family);

/**
 * thermal_nl_parse_family - decode a reply to CTRL_CMD_GETFAMILY
 * @userdata: struct thermal_nl_family
 *
 * Pure; a nl_reply_fn. Returns 0, or -EBADMSG: broken, or another message.
 */
int thermal_nl_parse_family(const struct nlmsghdr *nlh, void *userdata);

#endif
