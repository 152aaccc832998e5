/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snapshot.h - a board as the text of a .board file, without what names its owner */
#ifndef BOARDTUNE_SNAPSHOT_H
#define BOARDTUNE_SNAPSHOT_H

#include "kernel/system.h"

/* What became of the files. */
struct snapshot_count {
	size_t files;	   /* read */
	size_t unreadable; /* there, but reading fails: "!unreadable" */
	size_t denied;	   /* of these, those that only root may read */
};

/**
 * snapshot_take - record everything that settings, rules and status read
 * @sys: a live, copied or recorded board; only read
 * @ret: malloc'd text; untouched on failure
 * @ret_count: may be NULL
 *
 * Values as they are now, with links, read-only modes, ethtool state, and rules that can
 * be told from what is read (words that a file accepts, operating points, CPU masks).
 * MAC addresses, also in interface names, and serial numbers of 1-wire sensors are
 * replaced one for one. A snapshot of a recorded snapshot is the same text. Returns the
 * length or -ENOMEM.
 */
ssize_t snapshot_take(struct system *sys, char **ret, struct snapshot_count *ret_count);

#endif
