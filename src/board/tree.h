/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h - the files below a board's directory, and private directories that go */
#ifndef BOARDTUNE_TREE_H
#define BOARDTUNE_TREE_H

#include "base/base.h"

/**
 * tree_list - every path below a directory that begins with a prefix
 * @root_fd: the root
 * @prefix: as the board sees it; "/" for all
 * @ret: NULL-terminated, in byte order, freed with sysroot_list_free(); files, links,
 *       and empty directories (these end in "/")
 *
 * Links are not followed. Returns the number, 0 if there are none, or -errno.
 */
ssize_t tree_list(int root_fd, const char *prefix, char ***ret);

/** tree_remove - a directory and all below it; 0 or -errno */
int tree_remove(int parent_fd, const char *name);

struct tree_temp;

/**
 * tree_temp_make - a private directory below $TMPDIR or /tmp
 * @ret: released with tree_temp_remove(); goes at the end of the process too
 *
 * Mode 0700, a random name, locked with flock() as long as it is used. What killed
 * processes of the same user left is removed first. Returns 0 or -errno.
 */
int tree_temp_make(struct tree_temp **ret);
const char *tree_temp_path(const struct tree_temp *t);
void tree_temp_remove(struct tree_temp *t);

#endif
