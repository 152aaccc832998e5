/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boot-check.h - after a boot apply: is somebody still there on the wire? */
#ifndef BOARDTUNE_BOOT_CHECK_H
#define BOARDTUNE_BOOT_CHECK_H

#include "engine/plan.h"
#include "kernel/rtnl-neigh.h"

#define BOOT_APPLIED "/run/boardtune/boot"
#define BOOT_CHECK_SECONDS 120 /* after the apply */

/* A NIC that the boot apply wrote to. */
struct boot_nic {
	int ifindex;
	bool carrier;  /* when the apply was through, or at the check */
	bool received; /* at least a frame since then; not saved */
	long frames;   /* received until then; -1: must not be counted, by a quirk */
};

/* What the applies of a boot leave behind, also when they had nothing to change. */
struct boot_applied {
	char profile[256];
	double at; /* of the last one: CLOCK_BOOTTIME, seconds */
	struct boot_nic *nics; /* owned */
	size_t n;
};

/**
 * boot_applied_save - in /run/boardtune: the boot profile has been applied in this boot
 * @plan: what became of it
 * @add: what was touched by an earlier apply has not proved itself either
 *
 * The lock is held. Returns 0 or -errno.
 */
int boot_applied_save(struct system *sys, const char *profile, const struct plan *plan,
		      bool add);

/**
 * boot_applied_load - what was applied in this boot
 *
 * Returns 0; -ENOENT not yet; -EBADMSG; -errno. Release with boot_applied_clear().
 */
int boot_applied_load(const struct sysroot *root, struct boot_applied *ret);
void boot_applied_clear(struct boot_applied *applied);

/**
 * boot_applied_forget - everything was reverted: no NIC is under suspicion any more
 *
 * That this boot has got that far stays known. Returns 0 or -errno.
 */
int boot_applied_forget(const struct sysroot *root);

enum boot_check {
	BOOT_CHECK_NOTHING,   /* no NIC was touched, none had a carrier, or nobody is
				 known behind those that receive */
	BOOT_CHECK_REACHABLE, /* somebody answers behind one of them */
	BOOT_CHECK_LOST,      /* nobody who is known does, or nothing is received */
};

/**
 * boot_check_decide - a pure function
 * @carries: element k: traffic of neighbour k goes through one of the NICs (also through
 *	a bridge, VLAN or bond above it)
 */
enum boot_check boot_check_decide(const struct boot_applied *applied,
				  const struct rtnl_neighbours *neighbours,
				  const bool *carries);

/**
 * boot_check_run - ask everybody who is known behind those NICs, and the gateways
 * @stop_fd: readable: -EINTR
 *
 * Waits for an answer for some seconds. A NIC whose statistics may hang the board is
 * taken to have received something. Returns an enum boot_check, -EINTR or -errno.
 */
int boot_check_run(struct system *sys, struct boot_applied *applied, int stop_fd);

#endif
