/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-watch.h - what the parts of watch share: its loop, a look, the lines it tells */
#ifndef BOARDTUNE_CMD_WATCH_H
#define BOARDTUNE_CMD_WATCH_H

#include "board/rivals.h"
#include "cmd.h"
#include "engine/drift.h"

struct watch {
	struct cmd *c;
	bool enforce, lines;        /* --enforce, --json-lines */
	struct drift_table drifts;  /* all that is kept between looks */
	struct drift_sights sights; /* since the last look */
	int trouble;                /* -errno of the last look, told once; 0 none */
	size_t settings, off;       /* of the last look; 0 settings: none in force */
	bool cut_off;               /* told: an apply did not come to its end */
	char *told;                 /* the last status on a terminal, owned */
};

/* What a line tells of a setting. */
enum watch_event {
	WATCH_DRIFT,    /* it is not as wanted any more */
	WATCH_BACK,     /* as wanted again, by itself */
	WATCH_PUT_BACK, /* by us */
	WATCH_REFUSED,  /* by us, in vain */
	WATCH_GAVE_UP,
};

/* A line that waits until the lock is given back. */
struct watch_line {
	enum watch_event event;
	const struct change *change; /* of one of the plans of the look */
};

/* A look's own: what it has seen and done, and where a drift may have come from. */
struct watch_look {
	struct watch *w;
	struct record rec;
	struct plan plan, written; /* as found, and what was put back */
	struct watch_line *lines;
	size_t n_lines;
	struct rival_list rivals; /* found at the first line that asks */
	bool rivals_known;
};

/**
 * watch_look - compare the profile in force with the board, tell, put back
 *
 * Returns 0; 1: not now, another boardtune has the lock or waits to be confirmed;
 * -errno, told where it is news.
 */
int watch_look(struct watch *w, double now);

/**
 * watch_tell - the lines of a look: to the journal as a service, else to stdout
 *
 * Asks D-Bus, and whoever reads may be slow: without the lock. Where stdout takes nothing
 * it waits, until a signal comes.
 */
void watch_tell(struct watch_look *l);

/** watch_tell_cut_off - that nothing is put back after an unfinished apply, once */
void watch_tell_cut_off(struct watch *w, bool cut_off);

/** watch_tell_trouble - why a look failed, unless that was told before */
void watch_tell_trouble(struct watch *w, int error, const struct profile_errors *errors);

/** watch_tell_status - STATUS for the manager, on a terminal when it changes */
void watch_tell_status(struct watch *w);

#endif
