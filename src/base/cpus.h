/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.h - sets of CPUs: lists and masks as the kernel reads and prints them */
#ifndef BOARDTUNE_CPUS_H
#define BOARDTUNE_CPUS_H

#include "base/sysroot.h"

#define CPUS_MAX 1024
#define CPUS_MASK_MAX (CPUS_MAX / 32 * 9 + 1) /* text of a mask */
#define CPUS_LIST_MAX (CPUS_MAX * 5)          /* text of the longest list */

struct cpus {
	uint64_t bits[CPUS_MAX / 64];
};

bool cpus_test(const struct cpus *set, unsigned cpu);
void cpus_add(struct cpus *set, unsigned cpu);
bool cpus_empty(const struct cpus *set);
bool cpus_equal(const struct cpus *a, const struct cpus *b);
/** cpus_subset - whether all of @a is in @b */
bool cpus_subset(const struct cpus *a, const struct cpus *b);
struct cpus cpus_and(const struct cpus *a, const struct cpus *b);
/** cpus_add_all, cpus_take_away - union and difference, in @set */
void cpus_add_all(struct cpus *set, const struct cpus *more);
void cpus_take_away(struct cpus *set, const struct cpus *less);
unsigned cpus_count(const struct cpus *set);
/** cpus_nth - the CPU that has @n others of the set before it, -1 if there is none */
int cpus_nth(const struct cpus *set, unsigned n);

/**
 * cpus_parse_list - "0,2-3", as cpu/online has it; "" is the empty set
 *
 * Returns 0; -EINVAL; -ERANGE for a CPU of CPUS_MAX or above.
 */
int cpus_parse_list(const char *text, struct cpus *ret);

/**
 * cpus_parse_mask - hex groups of 32 bits divided by commas, as smp_affinity has it
 *
 * Returns 0; -EINVAL; -ERANGE for a CPU of CPUS_MAX or above.
 */
int cpus_parse_mask(const char *text, struct cpus *ret);

/**
 * cpus_format_list - "0,2-3"; "" for the empty set; cut with "..." where @size ends
 *
 * Returns @buf.
 */
char *cpus_format_list(const struct cpus *set, char *buf, size_t size);

/**
 * cpus_format_mask - as the kernel prints it, with as many groups as a file shows
 * @like: what the file reads now: "f", "00000000,0000000f"
 *
 * A group too many is EOVERFLOW (lib/bitmap-str.c), so the count is that of @like, and
 * so are the digits of the first group if the set needs no more.
 * Returns 0, or -EOVERFLOW when the set does not fit.
 */
int cpus_format_mask(const struct cpus *set, const char *like,
		     char buf[static CPUS_MASK_MAX]);

/**
 * cpus_read_list - a set from a file that holds a list
 *
 * Returns 0 or -errno. Allocates nothing.
 */
int cpus_read_list(const struct sysroot *root, const char *path, struct cpus *ret);
int cpus_read_mask(const struct sysroot *root, const char *path, struct cpus *ret);

/** cpus_online - of the board; where the file is missing, CPU 0 */
struct cpus cpus_online(const struct sysroot *root);
/** cpus_present - the same with those that are offline; those online if not known */
struct cpus cpus_present(const struct sysroot *root);

#endif
