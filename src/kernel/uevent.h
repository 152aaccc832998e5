/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uevent.h - the kernel's word that a device came, went or changed */
#ifndef BOARDTUNE_UEVENT_H
#define BOARDTUNE_UEVENT_H

#include <net/if.h>

#include "base/base.h"

struct uevent {
	char action[16];     /* "add", "remove", "change", "online", ... */
	char subsystem[16];  /* "net", "queues", "cpu", "thermal", ... */
	char nic[IF_NAMESIZE]; /* of net and queues: the interface it is about, else "" */
};

typedef void uevent_fn(const struct uevent *event, void *userdata);

/**
 * uevent_open - hear the kernel's own uevents: multicast group 1, not udev's
 * @ret_fd: a socket that does not block; the caller closes it
 *
 * Needs no privilege. Those of interfaces come in their network namespace only
 * (lib/kobject_uevent.c, 4.18). Returns 0 or -errno.
 */
int uevent_open(int *ret_fd);

/**
 * uevent_take - hand on what came since the last call
 *
 * Does not wait, allocates nothing; at most some hundred at a time. Returns the number of
 * events, those too long or too broken to tell left out; -ENOBUFS: some were lost.
 */
int uevent_take(int fd, uevent_fn *fn, void *userdata);

/**
 * uevent_parse - one packet: "ACTION@DEVPATH", then "KEY=VALUE", each with its NUL
 *
 * Pure. Returns 0, or -EBADMSG: none of the kernel's, or without action and subsystem.
 */
int uevent_parse(const char *packet, size_t size, struct uevent *ret);

#endif
