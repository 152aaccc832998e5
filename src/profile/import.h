/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import.h - /etc/default/cpufrequtils as a profile: text in, text and remarks out */
#ifndef BOARDTUNE_IMPORT_H
#define BOARDTUNE_IMPORT_H

#include "profile/profile.h"

#define IMPORT_CPUFREQUTILS "/etc/default/cpufrequtils"

/* The operating points of one cpufreq policy. */
struct import_policy {
	char name[24];  /* policy4 */
	uint32_t *khz;  /* ascending, owned; where the driver lists none, the two ends */
	size_t n;       /* at least 1 */
	bool continuous; /* only the ends are known */
};

struct import_policies {
	struct import_policy *items;
	size_t n;
};

/**
 * import_policies_read - the policies of a board
 * @ret: freed with import_policies_clear(); empty for a board without cpufreq
 *
 * From scaling_available_frequencies, else cpuinfo_min_freq and cpuinfo_max_freq; a
 * policy that has neither, or whose CPUs are offline (EBUSY, 6.1), is left out. Returns
 * 0 or -ENOMEM.
 */
int import_policies_read(const struct sysroot *root, struct import_policies *ret);
void import_policies_clear(struct import_policies *p);

/**
 * import_cpufrequtils - translate the defaults of Debian's cpufrequtils
 * @file: for remarks and errors
 * @text: @size bytes; assignments and comments as sh(1) reads them, nothing else
 * @policies: of the board, for what its kernel does with a frequency; may be empty
 * @ret: gets the text of a profile, freed by the caller; untouched on failure
 * @remarks: gets what was left out, changed, or is not as it looks
 * @errors: gets why the file is refused
 *
 * GOVERNOR, MIN_SPEED and MAX_SPEED become governor, min_freq and max_freq; empty and 0
 * mean leave alone, as in cpufrequtils' init script. With ENABLE other than true the keys
 * are comments. Returns 0, -EBADMSG when @errors has grown, or -ENOMEM.
 */
int import_cpufrequtils(const char *file, const char *text, size_t size,
			const struct import_policies *policies, char **ret,
			struct profile_errors *remarks, struct profile_errors *errors);

#endif
