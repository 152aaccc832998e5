/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge-private.h - what the files of the judge share: pairs, cells, sides, flags */
#ifndef BOARDTUNE_JUDGE_PRIVATE_H
#define BOARDTUNE_JUDGE_PRIVATE_H

#include "measure/judge.h"

#define JUDGE_PAIRS_MAX 512

/* Legs that are compared: one before, or two with the one after between them. */
struct judge_pair {
	const struct leg *before[2]; /* the second may be NULL */
	const struct leg *after;
};

struct judge_pairs {
	struct judge_pair pairs[JUDGE_PAIRS_MAX];
	size_t n;
};

/** judge_pairs_find - the whole pairs of a trial, in order */
void judge_pairs_find(const struct leg *legs, size_t n, size_t cells,
		      struct judge_pairs *ret);

/** judge_cell_measure - the figures of one cell, and which of them decides */
void judge_cell_measure(const struct judge_pairs *pairs, const struct cell_list *cells,
			size_t cell, struct judge_cell *ret);

/** judge_side_look - heat, clocks and throttling of one side */
void judge_side_look(const struct leg *legs, size_t n, enum trial_side side,
		     struct judge_side *ret);

/**
 * judge_flags_find - the flags of a run, as bits
 * @j: with its cells and sides
 * @ret_void: those of them that make the run void
 */
unsigned judge_flags_find(const struct judge_config *config, const struct leg *legs,
			  size_t n, const struct judgement *j, unsigned *ret_void);

/** judge_reason_of_flag - that of a run which a flag makes void */
enum judge_reason_kind judge_reason_of_flag(enum judge_flag f);

/** judge_reason_of_error - what ended the trial: -errno of trial_run() */
enum judge_reason_kind judge_reason_of_error(int error);

#endif
