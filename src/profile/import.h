/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import.h - what other programs were told about clocks, as a profile */
#ifndef BOARDTUNE_IMPORT_H
#define BOARDTUNE_IMPORT_H

#include "profile/source.h"

/* Whose file it is: what its variables mean. */
enum import_kind {
	IMPORT_CPUFREQUTILS, /* Debian's and Armbian's /etc/default/cpufrequtils */
	IMPORT_CPUPOWER,     /* of the kernel's cpupower, in all its packages */
	IMPORT_LOADCPUFREQ,  /* Debian's /etc/default/loadcpufreq */
	IMPORT_UCI,	     /* OpenWrt's /etc/config/cpufreq */
	IMPORT_KINDS_,
};

#define IMPORT_CPUFREQUTILS_FILE "/etc/default/cpufrequtils"

/* The operating points of one cpufreq policy. */
struct import_policy {
	char name[24];  /* policy4 */
	uint32_t *khz;  /* ascending, owned; where the driver lists none, the two ends */
	size_t n;       /* at least 1 */
	bool continuous; /* only the ends are known */
};

/* What is known of the board; all zero for none. */
struct import_board {
	struct import_policy *policies;
	size_t n_policies;
	char family[64]; /* BOARDFAMILY of /etc/armbian-release, "" if it is no Armbian */
	char name[64];	 /* BOARD_NAME */
};

/* A file that is to be imported. */
struct import_file {
	struct source source;
	enum import_kind kind;
};

/**
 * import_board_read - operating points, and which board Armbian takes it for
 * @ret: freed with import_board_clear(); no policies for a board without cpufreq
 *
 * The points from scaling_available_frequencies, else cpuinfo_min_freq and
 * cpuinfo_max_freq; a policy that has neither, or whose CPUs are offline (EBUSY, 6.1), is
 * left out. Returns 0 or -ENOMEM.
 */
int import_board_read(const struct sysroot *root, struct import_board *ret);
void import_board_clear(struct import_board *board);

/**
 * import_open - read a file, or find the one that sets the clocks of this board
 * @file: of the caller; NULL: look in all known places
 * @ret: freed with import_file_clear(); untouched on failure
 * @remarks: gets which files were found and not taken, and why
 * @errors: gets why a file cannot be read
 *
 * Of several that set something the one is taken whose service is enabled, and of those
 * the one that is applied last. Returns 0, -ENOENT (not in @errors), -EBADMSG or -ENOMEM.
 */
int import_open(const struct sysroot *root, const char *file, struct import_file *ret,
		struct profile_errors *remarks, struct profile_errors *errors);
void import_file_clear(struct import_file *f);

/**
 * import_translate - the profile that does what a file asks for
 * @board: for what its kernel does with a frequency, and for what Armbian does
 * @disabled_too: keys of a file that is switched off are no comments
 * @ret: gets the text of a profile, freed by the caller; untouched on failure
 * @remarks: gets what was left out, changed, or is not as it looks
 * @errors: gets why the file is refused
 *
 * Empty and 0 mean leave alone. Where ENABLE is not true the keys are comments. Each key
 * has a comment with the line that it comes from. Returns 0, -EBADMSG when @errors has
 * grown, or -ENOMEM.
 */
int import_translate(const struct import_file *f, const struct import_board *board,
		     bool disabled_too, char **ret, struct profile_errors *remarks,
		     struct profile_errors *errors);

#endif
