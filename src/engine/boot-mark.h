/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boot-mark.h - a mark that stands while a boot apply has not proved itself */
#ifndef BOARDTUNE_BOOT_MARK_H
#define BOARDTUNE_BOOT_MARK_H

#include "engine/lasting.h"

#define BOOT_MARK "boot-mark" /* as lasting.h has it */

struct boot_mark {
	char profile[256];
	char boot_id[40]; /* of the boot that set it: /proc/sys/kernel/random/boot_id */
};

/**
 * boot_mark_set - before the first write of a boot apply; synced, with its directory
 *
 * Returns 0; -errno of lasting_write(), then nothing may be applied.
 */
int boot_mark_set(const struct sysroot *root, const char *profile);

/**
 * boot_mark_get - the mark of an earlier boot: that one hung or was cut off
 *
 * One of this boot is none. Returns 0; -ENOENT; -errno.
 */
int boot_mark_get(const struct sysroot *root, struct boot_mark *ret);

/** boot_mark_exists - of this boot or of an earlier one */
static inline bool boot_mark_exists(const struct sysroot *root)
{
	return lasting_exists(root, BOOT_MARK);
}

/** boot_mark_clear - the boot is good, or the next enable; 0 also if there is none */
int boot_mark_clear(const struct sysroot *root);

#endif
