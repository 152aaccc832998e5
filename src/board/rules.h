/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.h - the rules of a recorded board: its files act as the kernel's do */
#ifndef BOARDTUNE_RULES_H
#define BOARDTUNE_RULES_H

#include "board/record.h"

/* What a file held when the board was opened. */
struct rules_original {
	char *path;
	char *data;
	size_t size;
};

/* A file that still shows what it held before a write. */
struct rules_delay {
	char *old;    /* NULL: shows what it holds */
	double until; /* CLOCK_MONOTONIC */
};

struct rules {
	struct record *record;	/* borrowed; paths of rules get rid of links */
	struct sysroot raw;	/* the board without hooks; its descriptor is borrowed */
	struct record_log *log; /* borrowed */
	struct rules_original *originals;
	size_t n_originals;
	struct rules_delay *delays; /* one for each rule */
	bool *was_there;	    /* of each rule, before a write */
};

extern const struct sysroot_hooks rules_hooks; /* the context is struct rules */
/* The same of a board without rules: reading it takes no detour. */
extern const struct sysroot_hooks rules_hooks_none;

/**
 * rules_open - take up the rules of a record
 * @rules: released with rules_close(), also after a failure
 * @recording: every file that a rule resets must be there
 *
 * Returns 0, -errno, or -EBADMSG with @ret_error.
 */
int rules_open(struct rules *rules, struct record *record, const struct sysroot *raw,
	       bool recording, struct record_log *log, struct board_error *ret_error);
void rules_close(struct rules *rules);

/** rules_hidden - whether "!exists" rules hide a path now */
bool rules_hidden(const struct rules *rules, const char *path);

/**
 * rules_ethtool_error - what a "!refuse @ethtool" says: 0 or -errno
 * @group: "feature", "ring", "channels", "coalesce", "pause", "eee"
 */
int rules_ethtool_error(const struct rules *rules, const char *ifname, const char *group,
			const char *name);

#endif
