/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply.h - write, read back, unwind */
#ifndef BOARDTUNE_APPLY_H
#define BOARDTUNE_APPLY_H

#include "engine/guard.h"
#include "engine/plan-part.h"
#include "engine/state.h"

struct apply_options {
	bool best_effort;      /* keep what worked */
	bool boot;             /* best effort, and what is missing does not count */
	unsigned confirm_secs; /* a guard reverts after this; 0: none */
	int stop_fd;           /* readable: stop and undo; -1 for none */
	const struct plan_part *part; /* its rows only, and nothing to change
					 writes nothing; NULL: all */
	plan_pick_fn *pick;    /* its rows only, as with @nic; NULL: all */
	const void *pick_data;
};

enum apply_result {
	APPLY_DONE,      /* as wanted */
	APPLY_PARTIAL,   /* best effort: some failed, the rest is kept */
	APPLY_UNTOUCHED, /* known failures: nothing was written */
	APPLY_UNDONE,    /* refused or stopped, everything is as before */
	APPLY_STUCK,     /* could not be undone: see the rows */
};

/**
 * engine_apply - a profile onto the board, in two passes
 * @st: the lock, held
 * @ret_plan: every row with its outcome, also on failure; empty before the call
 * @ret_result: always valid; APPLY_UNTOUCHED until the first write
 * @ret_guard: the running guard when confirm_secs is set and something was written; may
 *             be NULL when confirm_secs is 0
 * @errors: of the profile on this board, or of the undo record
 *
 * The record is on disk before the first write, and holds no plan that is not. Returns 0;
 * -EBADMSG with @errors; -EINTR stopped by stop_fd; -errno when the record cannot be
 * written. After an error @ret_result tells whether anything had been written, and then
 * that it was undone or what is stuck.
 */
int engine_apply(struct system *sys, struct state *st, const struct profile *p,
		 const struct apply_options *opts, struct plan *ret_plan,
		 enum apply_result *ret_result, struct guard *ret_guard,
		 struct profile_errors *errors);

enum undo_to {
	UNDO_BEFORE,      /* what was there before the last apply */
	UNDO_BEFORE_KEEP, /* the same, and the record stays for another apply (trial) */
	UNDO_ORIGINAL,    /* what was there before the first */
};

/**
 * engine_undo_begin - from here on UNDO_BEFORE gives back what is in force now
 * @st: the lock, held
 *
 * For what applies and undoes several times (trial): what an earlier apply left is none
 * of its business. Returns 0 or -errno, -EBADMSG for a broken record.
 */
int engine_undo_begin(struct system *sys, struct state *st);

/**
 * engine_undo - put settings back from the undo record
 * @ret_plan: the rows: reverted, ok (was already so), missing (gone), stuck
 * @errors: a broken record
 *
 * Instances that vanished are dropped. What is stuck stays in the record. Returns the
 * number of stuck rows; -EBADMSG with @errors, nothing touched; -errno when the record
 * could not be read, or not be written: then @ret_plan tells what was put back.
 */
int engine_undo(struct system *sys, struct state *st, enum undo_to to,
		struct plan *ret_plan, struct profile_errors *errors);

#endif
