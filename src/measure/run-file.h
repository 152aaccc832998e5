/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-file.h - the files of saved runs: which there are, and their text */
#ifndef BOARDTUNE_RUN_FILE_H
#define BOARDTUNE_RUN_FILE_H

#include "measure/run.h"

#define RUN_FILE_MAX (8 << 20) /* bytes; a trial of an hour comes to less than half */

struct run_entry {
	char path[SYSROOT_PATH_MAX];
	const char *name; /* its last part, within @path */
};

/* Newest first, by name, which is the time. */
struct run_list {
	struct run_entry **entries; /* owned, each by itself */
	size_t n;
};

/**
 * run_list_read - the saved runs: those of this user, and those of root
 * @ret: free with run_list_clear()
 *
 * A directory that is not there or not to be read has none. Returns 0 or -ENOMEM.
 */
int run_list_read(const struct sysroot *root, struct run_list *ret);
void run_list_clear(struct run_list *list);

/**
 * run_file_load - the text of a run
 * @root: NULL: @path is one of this machine as the user typed it
 * @ret: gets the bytes and a NUL, freed by the caller
 *
 * Returns the length; -EFBIG above RUN_FILE_MAX; -EINVAL for no regular file; -errno.
 */
ssize_t run_file_load(const struct sysroot *root, const char *path, char **ret);

#endif
