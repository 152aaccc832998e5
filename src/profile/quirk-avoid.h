/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirk-avoid.h - interfaces whose statistics may hang the board when read */
#ifndef BOARDTUNE_QUIRK_AVOID_H
#define BOARDTUNE_QUIRK_AVOID_H

#include "profile/quirk-match.h"

struct quirk_avoid {
	struct quirk_list *list;
	struct quirk_holds holds;
	bool all; /* not known which */
};

/**
 * quirk_avoid_find - the interfaces that a quirk with "avoid" holds for
 * @ret: released with quirk_avoid_clear()
 *
 * A file of quirks with an error gives none: doctor and plans say what is wrong with it.
 * Where the quirks cannot be looked up at all, every interface is avoided.
 */
void quirk_avoid_find(struct system *sys, struct quirk_avoid *ret);
void quirk_avoid_clear(struct quirk_avoid *avoid);

/** quirk_avoids - whether the statistics of this interface must not be read */
bool quirk_avoids(const struct quirk_avoid *avoid, const char *nic);

#endif
