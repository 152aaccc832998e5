/* SPDX-License-Identifier: GPL-2.0-or-later */
/* genl-event.h - what the kernel tells a multicast group of a generic netlink family */
#ifndef BOARDTUNE_GENL_EVENT_H
#define BOARDTUNE_GENL_EVENT_H

#include "kernel/nl.h"

/* A family and one of its groups; @id and @group_id are 0 as long as they are unknown. */
struct genl_event_family {
	const char *name, *group;
	uint16_t id;
	uint32_t group_id;
};

#define GENL_EVENT(command) (UINT64_C(1) << (command))

/**
 * genl_event_open - hear what is told a group from now on
 * @family: name and group; its numbers are filled in
 * @ret_fd: a socket that does not block; the caller closes it
 *
 * Returns 0; -ENOENT: no such family or group here; or -errno.
 */
int genl_event_open(struct genl_event_family *family, int *ret_fd);

/**
 * genl_event_take - whether one of some commands came since the last call
 * @family: its number
 * @commands: GENL_EVENT() of each that counts
 *
 * Also when messages were lost. Does not wait, allocates nothing.
 */
bool genl_event_take(int fd, uint16_t family, uint64_t commands);

/**
 * genl_event_parse - whether a packet has one of some commands
 * @packet: in a buffer that is padded to a multiple of 4 bytes
 *
 * Pure. What is broken tells of nothing.
 */
bool genl_event_parse(const void *packet, size_t size, uint16_t family,
		      uint64_t commands);

/**
 * genl_event_parse_family - decode a reply to CTRL_CMD_GETFAMILY
 * @userdata: struct genl_event_family with its group
 *
 * Pure; a nl_reply_fn. Returns 0, or -EBADMSG: broken, or another message.
 */
int genl_event_parse_family(const struct nlmsghdr *nlh, void *userdata);

#endif
