/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sides.h - state that nobody asked to change and that a structural change destroys */
#ifndef BOARDTUNE_SIDES_H
#define BOARDTUNE_SIDES_H

#include "engine/plan.h"

/**
 * sides_collect - what a planned structural change destroys
 * @plan: rows about to be applied
 * @ret: gets a change with @side and @before for each value that must survive an undo:
 *       the tunables of the governor that goes, the limits when boost changes; of a NIC
 *       with other channels or rings the queues' RPS, XPS and flow counts, the places of
 *       its interrupts, coalescing and the features asked for
 *
 * Returns 0 or -ENOMEM.
 */
int sides_collect(struct system *sys, const struct plan *plan, struct plan *ret);

/**
 * sides_restore - what the structural changes of a NIC took along, as it was
 * @record: changes of the record; those with @side of this apply are looked at
 * @plan: rows of the apply: what it sets itself is left to it
 *
 * Re-created queues have empty masks (net/core/net-sysfs.c; tried with veth on 6.18).
 * What is gone stays gone. Allocates nothing.
 */
void sides_restore(struct system *sys, const struct plan *record,
		   const struct plan *plan);

/**
 * sides_note_carrier - which interfaces have a carrier that a change may take
 * @due_only: of the changes that an apply is about to make; else of all (an undo)
 */
void sides_note_carrier(struct system *sys, struct plan *plan, bool due_only);

/**
 * sides_wait_carrier - after changes that drop the link, until it is back
 * @plan: rows that were written
 * @stop_fd: readable: do not wait any longer; -1 for none
 *
 * For interfaces that had a carrier before, at most 10 s; a link that was down is
 * never raised.
 */
void sides_wait_carrier(struct system *sys, const struct plan *plan, int stop_fd);

#endif
