/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ssh.h - which interfaces carry the SSH sessions that a bad change would cut off */
#ifndef BOARDTUNE_SSH_H
#define BOARDTUNE_SSH_H

#include <sys/socket.h>
#include <sys/types.h>

#include "kernel/system.h"

#define SSH_LINKS_MAX 64

/* Interfaces, each once. */
struct ssh_links {
	size_t n;
	int ifindex[SSH_LINKS_MAX];
};

/* Both ends of a session, as far as the interface depends on them. */
struct ssh_session {
	sa_family_t family; /* AF_INET (mapped addresses too) or AF_INET6 */
	uint8_t local[16];  /* network order; the first 4 for IPv4 */
	uint8_t peer[16];
	uint32_t scope;     /* of a link-local peer, if known */
};

struct ssh_sessions {
	struct ssh_session *items; /* owned */
	size_t n;
};

/**
 * ssh_interfaces - the interfaces of every established SSH session of a live board
 * @sys: of another board than the running one: the answer is empty
 * @ret: filled in, lower devices (of a bridge, VLAN, bond) included
 *
 * An interface belongs to a session that has its address or whose peer is reached
 * through it. Returns 0; -E2BIG more than SSH_LINKS_MAX; -errno of rtnetlink(7). After
 * an error any interface may carry a session.
 */
int ssh_interfaces(const struct system *sys, struct ssh_links *ret);

bool ssh_links_have(const struct ssh_links *links, int ifindex);

/**
 * ssh_sessions_find - the sessions that /proc shows
 * @root: a live board's or a recorded one's
 * @pid: where to begin: this process and each of its ancestors may have SSH_CONNECTION,
 *	which sudo takes out of the environment
 * @ret: filled in, one session maybe more than once; release with ssh_sessions_clear()
 *
 * Besides these, every established TCP connection of a process whose name begins with
 * sshd or dropbear. What the caller may not read is passed over. Returns 0 or -ENOMEM.
 */
int ssh_sessions_find(const struct sysroot *root, pid_t pid, struct ssh_sessions *ret);
void ssh_sessions_clear(struct ssh_sessions *sessions);

/**
 * ssh_links_add_lower - an interface and every device below it
 * @root: with /sys/class/net
 *
 * Returns 0, -ENODEV for an interface without a name, or -E2BIG.
 */
int ssh_links_add_lower(const struct sysroot *root, int ifindex, struct ssh_links *links);

#endif
