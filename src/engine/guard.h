/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.h - a process that reverts unless somebody confirms in time
 *
 * It has a session of its own, ignores SIGHUP, and is armed before the first write. It
 * waits while the file "pending.PID" (of a trial "trial.PID") is there: who removes it
 * first decides, confirm or the guard, and the guard does so with the lock held.
 */
#ifndef BOARDTUNE_GUARD_H
#define BOARDTUNE_GUARD_H

#include <sys/types.h>

#include "engine/state.h"

/* How a guard ended: its exit status. */
enum guard_end {
	GUARD_CONFIRMED, /* kept */
	GUARD_REVERTED,
	GUARD_STUCK, /* not everything could be put back, or it was killed */
};

enum guard_mode {
	GUARD_DEADLINE, /* reverts at the deadline (apply --confirm) */
	GUARD_PARENT,   /* reverts at the deadline, or once the parent is gone (trial) */
};

struct guard {
	pid_t pid; /* 0: none */
	enum guard_mode mode;
	int alive_fd; /* guard of a trial: held open by the parent; -1 otherwise */
};

#define GUARD_INIT { .alive_fd = -1 }

/**
 * guard_start - fork the guard; on return its deadline runs
 * @st: the lock, held by the caller; the guard takes it itself when it reverts
 *
 * Returns 0 or -errno: without a guard nothing may be written.
 */
int guard_start(struct system *sys, struct state *st, enum guard_mode mode,
		unsigned seconds, struct guard *ret);

/**
 * guard_confirm - keep what was applied
 *
 * Returns the number of waiting guards that were told; 0 when none waits; -errno.
 */
int guard_confirm(struct system *sys);

/** guard_wait - wait for a guard that is ending, and how it ended */
enum guard_end guard_wait(struct guard *g);

/** guard_cancel - the parent has undone or confirmed everything itself */
void guard_cancel(struct system *sys, struct guard *g);

/**
 * guard_pending - whether an apply waits for confirm
 * @ret_seconds: time left
 *
 * Returns 1, 0 or -errno.
 */
int guard_pending(struct system *sys, unsigned *ret_seconds);

#endif
