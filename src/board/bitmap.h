/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bitmap.h - CPU masks and lists as the kernel reads and prints them */
#ifndef BOARDTUNE_BITMAP_H
#define BOARDTUNE_BITMAP_H

#include "board/record.h"

#define BITMAP_TEXT_MAX (RECORD_CPUS_MAX / 32 * 9 + 2)
#define BITMAP_LIST_MAX (RECORD_CPUS_MAX * 5)

struct bitmap {
	unsigned n; /* CPUs, nr_cpu_ids of the kernel: 1 to RECORD_CPUS_MAX */
	uint32_t words[RECORD_CPUS_MAX / 32];
};

/**
 * bitmap_parse_mask - as bitmap_parse() of lib/bitmap-str.c (6.12)
 * @n: CPUs
 *
 * Hex groups of up to eight digits, divided by commas or blanks; an empty text clears.
 * Returns 0; -EINVAL for what is not hex; -EOVERFLOW for a bit, group or digit too many.
 */
int bitmap_parse_mask(const char *text, unsigned n, struct bitmap *ret);

/**
 * bitmap_parse_list - as bitmap_parselist(): "0,2-3", "all"
 *
 * Without the kernel's "range:used/group". Returns 0; -EINVAL; -ERANGE beyond the CPUs.
 */
int bitmap_parse_list(const char *text, unsigned n, struct bitmap *ret);

/** bitmap_format_mask - "%*pb" and a newline; zero-padded groups of 32 bits */
void bitmap_format_mask(const struct bitmap *b, char buf[static BITMAP_TEXT_MAX]);

/** bitmap_format_list - "%*pbl" and a newline */
void bitmap_format_list(const struct bitmap *b, char buf[static BITMAP_LIST_MAX]);

bool bitmap_test(const struct bitmap *b, unsigned bit);
bool bitmap_intersects(const struct bitmap *a, const struct bitmap *b);
/** bitmap_first - the first CPU that is set, -1 if none is */
int bitmap_first(const struct bitmap *b);

#endif
