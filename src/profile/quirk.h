/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirk.h - known faults of boards, NICs and kernels, and the settings that avoid them */
#ifndef BOARDTUNE_QUIRK_H
#define BOARDTUNE_QUIRK_H

#include "profile/profile.h"

#define QUIRK_MATCHES_MAX 6 /* Name Driver Path MACAddress Type Bus */

/* The keys of a quirk beside match keys and settings; the table is in quirk.c. */
enum quirk_key {
	QUIRK_COMPATIBLE,
	QUIRK_USB_ID,
	QUIRK_FIRMWARE,
	QUIRK_KERNEL,
	QUIRK_MTU,
	QUIRK_CPUS,
	QUIRK_REASON,
	QUIRK_SOURCE,
	QUIRK_ADVICE,
	QUIRK_SECTION,
	QUIRK_AVOID,
	QUIRK_KEYS,
};

struct quirk {
	char *name;
	const char *file; /* owned by the list */
	unsigned line;
	char *text[QUIRK_KEYS]; /* as written; NULL: not given */
	const char *match_keys[QUIRK_MATCHES_MAX];
	char *match_patterns[QUIRK_MATCHES_MAX];
	size_t n_matches;
	struct assignment *assignments; /* without a section, in order */
	size_t n_assignments;
};

struct quirk_list {
	struct quirk *quirks;
	size_t n;
	char **files; /* in the order of their names */
	size_t n_files;
};

/**
 * quirks_load - every quirk of /etc/boardtune/quirks and of the vendor's directory
 * @profile: see source_list_quirks()
 * @ret: freed with quirks_free(); untouched on failure
 * @errors: gets what is wrong; no quirk of a file with an error is in @ret
 *
 * Returns 0, also when @errors has grown; -ENOMEM.
 */
int quirks_load(const struct sysroot *root, const char *profile, struct quirk_list **ret,
		struct profile_errors *errors);
void quirks_free(struct quirk_list *list);
static inline void quirks_freep(struct quirk_list **list)
{
	quirks_free(*list);
}

/**
 * quirks_add - the quirks of the text of one file, appended to a list
 *
 * As quirks_load(): none if there is an error. Returns 0 or -ENOMEM.
 */
int quirks_add(struct quirk_list *list, const char *file, const char *text, size_t size,
	       struct profile_errors *errors);

/** quirk_section - what its settings are keys of: "net" or "cpufreq" */
const char *quirk_section(const struct quirk *q);

#endif
