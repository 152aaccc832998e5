/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysroot-path.h - how sysroot.c resolves paths; of no use to others */
#ifndef BOARDTUNE_SYSROOT_PATH_H
#define BOARDTUNE_SYSROOT_PATH_H

#include "base/sysroot.h"

/** sysroot_below - a path for the *at() calls; "." for the root itself */
const char *sysroot_below(const char *path);

/**
 * sysroot_walk - resolve links component by component
 * @keep_last: a link in the last place stays
 * @ret: SYSROOT_PATH_MAX bytes
 *
 * What is already in @ret holds no link, so readlinkat() below the root cannot leave it.
 * Returns 0; -ENOENT, for a missing last part too; -ELOOP after 40 links; -ENAMETOOLONG.
 */
int sysroot_walk(const struct sysroot *root, const char *path, bool keep_last, char *ret);

/**
 * sysroot_open_in_root - open with every link resolved below the root
 *
 * By openat2(2), Linux 5.6; older kernels get the walk above. A descriptor or -errno.
 */
int sysroot_open_in_root(const struct sysroot *root, const char *path, int flags,
			 mode_t mode);

#endif
