/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirk-tell.h - what doctor says of quirks: advice, not in force, over */
#ifndef BOARDTUNE_QUIRK_TELL_H
#define BOARDTUNE_QUIRK_TELL_H

#include "engine/plan.h"

/* @kind: quirk-advice, quirk-off or quirk-over; @text: translated. 0 or -errno. */
typedef int quirk_tell_fn(void *userdata, const char *kind, const char *text);

/**
 * quirks_tell - everything that is to be said of the quirks of a board
 * @p: the profile in force or enabled; NULL: none
 * @errors: gets those of the quirk files, and why there is no plan
 *
 * Advice that holds. What a quirk would change here, if @p has no quirks. What @p sets
 * itself although the quirk that sets the same is over with this kernel. Returns 0, also
 * when @errors has grown; what @tell failed with; -errno.
 */
int quirks_tell(struct system *sys, const struct profile *p, quirk_tell_fn *tell,
		void *userdata, struct profile_errors *errors);

#endif
