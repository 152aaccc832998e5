/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirk-range.h - ranges of kernel releases and of plain numbers */
#ifndef BOARDTUNE_QUIRK_RANGE_H
#define BOARDTUNE_QUIRK_RANGE_H

#include "base/base.h"

#define QUIRK_VERSION_PARTS 3
#define QUIRK_RANGES_MAX 8

struct quirk_version {
	unsigned part[QUIRK_VERSION_PARTS];
	size_t n; /* parts that are given; 0: no version at all */
};

struct quirk_range {
	struct quirk_version low, high; /* without parts: no limit on that side */
	bool low_open, high_open;       /* the limit itself is not in it */
};

struct quirk_ranges {
	struct quirk_range range[QUIRK_RANGES_MAX];
	size_t n;
};

/**
 * quirk_ranges_parse - "5.4-5.9", "<5.7", ">=6.1.160", "6.6"; commas between several
 *
 * A limit counts as far as it is written: 6.6 and 5.4-5.9 hold for 6.6.63 and 5.9.16,
 * >5.9 begins at 5.10. Returns 0, or -EINVAL, also for a range that nothing is in.
 */
int quirk_ranges_parse(const char *text, struct quirk_ranges *ret);

enum quirk_place {
	QUIRK_OUTSIDE, /* before or between the ranges, or not known */
	QUIRK_INSIDE,
	QUIRK_PAST, /* above all of them */
};

/**
 * quirk_ranges_place - where a release or a number is
 * @text: "6.1.160-sunxi", "1500"; numbers are compared, and what follows them is not
 *	looked at: 6.6.0-rc1 is 6.6
 */
enum quirk_place quirk_ranges_place(const struct quirk_ranges *ranges, const char *text);

#endif
