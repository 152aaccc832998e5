/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - a profile against a board, as data: printed, walked, saved; the error report
 */
#ifndef BOARDTUNE_PLAN_H
#define BOARDTUNE_PLAN_H

#include "profile/profile.h"

/* One setting on one target. */
struct change {
	const struct setting *setting;
	const struct setting *group; /* the short form it came from, or NULL */
	struct target target;        /* owned; path is NULL when nothing matched */
	char *section;               /* "cpufreq:policy4", owned */
	char *file;                  /* where it is asked for, owned; NULL in a revert */
	char *quirk;                 /* "quirk NAME: reason", owned; NULL: none asks */
	unsigned line;
	unsigned section_order;
	bool optional;

	/* Type NONE in any of these: not known. */
	struct value original; /* before the first apply: what revert gives back */
	struct value before;   /* before this apply */
	struct value want;
	struct value rounded;  /* where the kernel will put it; NONE: at want */
	struct value now;      /* as last read */
	struct value found;    /* undo: as read before anything was put back */
	struct value asked;    /* undo record: what a driver that rounds made @now of */
	bool held;             /* cooling held it when it was read */
	bool fixed;            /* cannot be changed here, as wanted or not */

	enum outcome outcome;
	int error; /* negative errno or 0 */
	char note[KNOB_NOTE_MAX];

	bool written; /* set() was called: an undo has to look at it */
	bool carrier; /* the link was up before a change that may drop it */
	bool side;    /* not asked for: state that another change destroys */
	bool current; /* undo record: of the last apply */
	bool drop;    /* undo record: nothing to undo any more, not saved again */
};

struct plan {
	struct change *changes;
	size_t n;
};

enum plan_stages {
	PLAN_STRUCTURE = 1 << STAGE_STRUCTURE,
	PLAN_SETTING = 1 << STAGE_SETTING,
	PLAN_ALL = PLAN_STRUCTURE | PLAN_SETTING,
};

/**
 * plan_build - what applying a profile comes to
 * @stages: which passes; with PLAN_SETTING alone the structure is taken as it is now
 * @ret: appended to; free with plan_clear()
 * @errors: rules that depend on the board: unit slip, min above max, conflicts
 *
 * Rows stand by stage, section as in the file, and target; they are written by stage and
 * setting.rank, which is kernel order. outcome is what apply is expected to give.
 * Returns 0; -EBADMSG when @errors has entries; -ENOMEM.
 */
int plan_build(struct system *sys, const struct profile *p, enum plan_stages stages,
	       struct plan *ret, struct profile_errors *errors);
void plan_clear(struct plan *plan);

/** change_key - "max_freq"; of a row that stands for many, the key as it was written */
const char *change_key(const struct change *c);

/** plan_add - append an empty change; NULL when out of memory */
struct change *plan_add(struct plan *plan);

/**
 * plan_order_limits - rows whose values may not pass each other, as to be written
 * @from, @to: the changes to look at
 *
 * A policy's limits, which kernels before 5.3 refuse otherwise; the thresholds of
 * conservative; the trips of a zone, which stay in their order whenever we are stopped.
 * What rises goes first, from the top; what falls after it, from the bottom. Swaps within
 * the plan; allocates nothing.
 */
void plan_order_limits(struct plan *plan, size_t from, size_t to);

/** change_clear - free what a row owns; the row itself is the plan's */
void change_clear(struct change *c);

/** plan_sort - the order of plan_build() again, after plan_order_limits() */
void plan_sort(struct plan *plan);

/** plan_truncate - drop the changes from @n on */
void plan_truncate(struct plan *plan, size_t n);

typedef bool plan_pick_fn(const struct change *c, const void *userdata);

/** plan_keep - drop the rows from @first on that @pick does not want */
void plan_keep(struct plan *plan, size_t first, plan_pick_fn *pick,
	       const void *userdata);

/**
 * plan_undo_rows - the rows of an undo that concern the user, appended to @ret
 * @plan: changes of a record after undo_changes()
 *
 * @before is what was found, in the order of a plan. Not: state beside a change that
 * needed no write, tunables that went with their governor. Returns 0 or -ENOMEM.
 */
int plan_undo_rows(const struct plan *plan, struct plan *ret);

/** change_due - the engine writes it, or wrote it */
bool change_due(const struct change *c);

/** change_failed - the outcome counts as a failure and no "-" forgives it */
bool change_failed(const struct change *c);

/** plan_failures - the number of changes that failed */
size_t plan_failures(const struct plan *plan);

/**
 * plan_verify - judge a plan as verify does: rows that would change differ
 * @rec: undo record, to tell overridden from differs; may be empty
 */
struct record;
void plan_verify(struct plan *plan, const struct record *rec);

#endif
