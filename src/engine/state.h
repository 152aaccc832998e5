/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - the undo record and the lock, in /run/boardtune */
#ifndef BOARDTUNE_STATE_H
#define BOARDTUNE_STATE_H

#include "engine/plan.h"

#define STATE_SCHEMA 1

#define STATE_DIR "/run/boardtune" /* an ordinary user may read it: verify */

struct state {
	int lock_fd;   /* flock on a file in STATE_DIR; -1 when not held */
	bool made_run; /* of a copied board: /run was not there before */
};

#define STATE_INIT { .lock_fd = -1 }

/**
 * state_lock - make the directory and take the lock: two applies never mix
 * @wait_ms: how long to wait for another holder
 *
 * Returns 0; -EWOULDBLOCK another boardtune is at work; -EACCES not root; -errno of the
 * directory or the file.
 */
int state_lock(struct system *sys, unsigned wait_ms, struct state *ret);

/** state_unlock - give it back; removes the directory if nothing is in it */
void state_unlock(struct system *sys, struct state *st);

/**
 * state_busy - for who may not take the lock: whether somebody holds it
 *
 * As /proc/locks shows to everybody (Linux 2.0). Returns 1, 0 or -errno.
 */
int state_busy(const struct system *sys);

struct record {
	struct plan plan;   /* original, before, now (as we left it), current, side */
	char *profile;      /* in force; NULL or "" if none */
	char *profile_before; /* in force before the last apply; NULL or "" if none */
	bool applying;      /* written before an apply that did not come to its end */
	bool made_run;      /* as in struct state, over processes */
};

/**
 * state_load - read the undo record; the lock need not be held
 * @ret: empty (profile NULL) when there is none
 * @ret_text: malloc'd, translated: what is wrong with it
 *
 * Returns 0; -EBADMSG truncated, of another version or not a record; -errno.
 */
int state_load(struct system *sys, struct record *ret, char **ret_text);
void record_clear(struct record *rec);

/** state_save - replace the record, synced; removes it when nothing is in it */
int state_save(struct system *sys, const struct record *rec);

/** record_find - the change of one setting on one target, NULL if it has none */
struct change *record_find(const struct record *rec, const struct change *like);

#endif
