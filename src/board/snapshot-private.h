/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snapshot-private.h - what the files of a snapshot share */
#ifndef BOARDTUNE_SNAPSHOT_PRIVATE_H
#define BOARDTUNE_SNAPSHOT_PRIVATE_H

#include "board/record.h"
#include "board/snapshot.h"

struct snapshot {
	struct system *sys;
	FILE *f;     /* gets the text */
	char **seen; /* hash table of the paths that have an entry */
	size_t n_seen, seen_size;
	unsigned cpus;	 /* nr_cpu_ids: the highest possible CPU, and one */
	char kernel[96]; /* osrelease */
	struct snapshot_count count;
	int error; /* -ENOMEM once something is missing for lack of memory */
};

/* A directory, or several, and what is recorded of it. */
struct snapshot_place {
	const char *dir;      /* parts may be globs */
	const char *settings; /* blank-separated globs; a read-only mode is recorded */
	const char *facts;    /* likewise; "NAME/": a directory, as an empty one */
	const char *keep;     /* beginnings of the lines that are kept; NULL: all lines */
	void (*after)(struct snapshot *s, const char *dir); /* its entries: more, rules */
};

/* The paths get no "//": @base is "" or has no slash at its end, dirs begin with one. */
void snapshot_places(struct snapshot *s, const char *base,
		     const struct snapshot_place *places, size_t n);

/**
 * snapshot_reach - record the links on the way to a path
 * @ret: SYSROOT_PATH_MAX bytes: the real path
 *
 * Returns 0, -ENOENT for a link into nowhere, -ELOOP, -ENAMETOOLONG.
 */
int snapshot_reach(struct snapshot *s, const char *path, char *ret);

/** snapshot_read - a short attribute "DIR/NAME"; "" if it cannot be read */
const char *snapshot_read(struct snapshot *s, const char *dir, const char *name,
			  char *buf, size_t size);

/* The interfaces, each with the devices above it and its ethtool state. */
void snapshot_nics(struct snapshot *s);

/* Rules that can be told from what is read, for one directory each. */
void snapshot_rules_policy(struct snapshot *s, const char *dir);
void snapshot_rules_tunables(struct snapshot *s, const char *dir);
void snapshot_rules_zone(struct snapshot *s, const char *dir);
void snapshot_rules_irq(struct snapshot *s, const char *dir);
void snapshot_rules_queue(struct snapshot *s, const char *dir);
/* The status of a thread of threaded NAPI, by its name. */
void snapshot_thread(struct snapshot *s, const char *dir);
void snapshot_rules_nic(struct snapshot *s, const char *dir);

#endif
