/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lasting.h - small files that must still be there after a crash */
#ifndef BOARDTUNE_LASTING_H
#define BOARDTUNE_LASTING_H

#include "base/sysroot.h"

/*
 * They are in /var/lib/boardtune; where that is in memory (OpenWrt, overlayroot) in
 * /etc/boardtune. In memory is tmpfs, ramfs, an overlay whose upper directory is, or is
 * not seen from here, and on copied boards and images what links lead below /tmp or /run.
 */

/**
 * lasting_read - the file, from whichever of the two has it
 * @ret: gets malloc'd contents, with a NUL byte after the last
 *
 * Returns the length; -ENOENT there is none, or no place for one; -EINVAL it is no
 * regular file; -errno.
 */
ssize_t lasting_read(const struct sysroot *root, const char *name, char **ret);

/**
 * lasting_write - put the whole file in place; synced, with its directory
 *
 * Returns 0; -ENOMEDIUM neither directory outlives a crash; -errno.
 */
int lasting_write(const struct sysroot *root, const char *name, const char *text);

/** lasting_remove - from both, synced; 0 also if there is none; -errno */
int lasting_remove(const struct sysroot *root, const char *name);

/** lasting_exists - whether one of them has it */
bool lasting_exists(const struct sysroot *root, const char *name);

/**
 * lasting_path - for messages: where the file is, or would be
 *
 * Returns @buf.
 */
const char *lasting_path(const struct sysroot *root, const char *name,
			 char buf[static SYSROOT_PATH_MAX]);

#endif
