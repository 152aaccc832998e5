/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirk-match.h - which quirks hold on a board, and on which interface */
#ifndef BOARDTUNE_QUIRK_MATCH_H
#define BOARDTUNE_QUIRK_MATCH_H

#include "profile/quirk.h"

/* A quirk that holds for one interface, or for the board. */
struct quirk_hold {
	const struct quirk *quirk;
	char *nic; /* NULL: one that is about no interface */
	/* What its assignments are of: [net:*] with the name alone, or [cpufreq]. */
	struct profile_section section;
};

struct quirk_holds {
	struct quirk_hold *holds;
	size_t n;
};

enum quirk_when {
	QUIRK_NOW,  /* all conditions hold */
	QUIRK_OVER, /* all but the kernel, which is newer than the newest of its range */
};

/**
 * quirks_find - the quirks that hold, in their order, for each interface by name
 * @list: outlives @ret; NULL: none
 * @ret: freed with quirk_holds_clear(); untouched on failure
 *
 * A condition about something that cannot be read does not hold. Returns 0 or -ENOMEM, or
 * -errno if /sys/class/net cannot be read.
 */
int quirks_find(struct system *sys, const struct quirk_list *list, enum quirk_when when,
		struct quirk_holds *ret);
void quirk_holds_clear(struct quirk_holds *holds);

/** quirk_assignment - the i-th setting of a quirk where it holds; owns nothing */
struct assignment quirk_assignment(struct quirk_hold *hold, size_t i);

#endif
