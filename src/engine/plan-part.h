/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan-part.h - the part of a plan that is about what has come while the system runs */
#ifndef BOARDTUNE_PLAN_PART_H
#define BOARDTUNE_PLAN_PART_H

#include <net/if.h>

#include "engine/plan.h"

/* An interface, by the index that no other one ever gets; or clocks and zones. */
struct plan_part {
	int ifindex; /* 0: the cpufreq policies and thermal zones instead */
	char name[IF_NAMESIZE]; /* as it is now: its interrupts are found by it */
};

/**
 * plan_part_nic - the interface that has a name now
 * @name: as it is, or with the \xNN that systemd writes it with in the name of a unit
 *
 * Returns 0; -ENODEV none has; -EINVAL no interface can have it.
 */
int plan_part_nic(struct system *sys, const char *name, struct plan_part *ret);

/**
 * plan_part_wanted - whether a profile is about an interface, or about clocks and zones
 *
 * Looks at nothing else of the board, so that it costs next to nothing for the
 * interfaces of containers. Returns 1, 0 or -errno.
 */
int plan_part_wanted(struct system *sys, const struct profile *p,
		     const struct plan_part *part);

/**
 * plan_part_pick - for plan_keep(): whether a row is of concern
 * @part: struct plan_part
 *
 * Of an interface: its features and parameters, queues, threads, and the interrupts that
 * a [net:*] section found for it. Not: what no interface matched.
 */
bool plan_part_pick(const struct change *c, const void *part);

/**
 * plan_forget_gone - mark changes of interfaces that are not there any more
 * @plan: of an undo record
 *
 * An adapter that is plugged in a hundred times would leave its rows there as often.
 */
void plan_forget_gone(struct system *sys, struct plan *plan);

#endif
