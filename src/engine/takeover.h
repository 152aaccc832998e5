/* SPDX-License-Identifier: GPL-2.0-or-later */
/* takeover.h - have rivals disabled, and give them back as they were */
#ifndef BOARDTUNE_TAKEOVER_H
#define BOARDTUNE_TAKEOVER_H

#include <jansson.h>

#include "board/rivals.h"
#include "profile/profile.h"

#define TAKEOVER_RECORD "taken-over.json" /* as lasting.h has it */

/* Why the record is as it is: what an interrupted command was about to do. */
enum takeover_state {
	TAKEOVER_NONE,	 /* there is no record */
	TAKEOVER_TAKING, /* links may be half done: take again */
	TAKEOVER_TAKEN,
	TAKEOVER_GIVING, /* half given back: give again */
	TAKEOVER_STATES_,
};

/* What a step came to. Names are those of rivals, blank-separated; never NULL. */
struct takeover_report {
	char *done;
	char *enabled; /* taken, but started at a boot all the same */
	char *running; /* still active: there is no systemd to stop it */
	char *kept;    /* links that somebody changed since, left as they are */
	int bus;       /* 0; -errno: systemd did not reload, stop or start */
};

/** takeover_families - of enum rival_family, those that a profile sets */
unsigned takeover_families(const struct profile *p);

/**
 * takeover_can - whether it works, and has a unit or an init script that can be disabled
 *
 * A unit file of the owner where a mask would have to be cannot: see rival_end().
 */
bool takeover_can(const struct rival_state *s);

/**
 * takeover_take - disable the rivals that work and write one of @families
 * @list: of rivals_find()
 * @ret: released with takeover_report_clear(); untouched on failure
 *
 * As systemctl(1) disable or, where D-Bus or the vendor would start it all the same,
 * mask, and as update-rc.d(8) disable: by links below the root, so that it works on an
 * image as well. A live one is stopped, too. Each link and whether the rival was active
 * is in @TAKEOVER_RECORD, synced, before the first is changed; those of an earlier take
 * stay there. What is enabled all the same is read back and reported. Returns 0; 1 if
 * there was nothing to do; -EBADMSG the record is none; -errno, then takeover_give()
 * undoes what was done.
 */
int takeover_take(struct system *sys, const struct rival_list *list, unsigned families,
		  struct takeover_report *ret);

/**
 * takeover_give - put every link back and start what was active; remove the record
 *
 * Returns 0; 1 if nothing was taken; -EBADMSG; -errno.
 */
int takeover_give(struct system *sys, struct takeover_report *ret);

/**
 * takeover_finish - end what a killed command has begun, taking or giving
 *
 * Returns as takeover_give().
 */
int takeover_finish(struct system *sys, struct takeover_report *ret);

/** takeover_has - whether a rival is taken over; 1, 0 or -errno */
int takeover_has(const struct sysroot *root, const char *name);

void takeover_report_clear(struct takeover_report *report);

#endif
