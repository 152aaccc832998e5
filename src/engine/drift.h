/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drift.h - what watch decides: when to look, what is news, when a fight is lost
 *
 * Nothing here reads a clock or the board; @now is CLOCK_MONOTONIC in seconds.
 */
#ifndef BOARDTUNE_DRIFT_H
#define BOARDTUNE_DRIFT_H

#include <net/if.h>

#include "engine/state.h"

#define DRIFT_DELAY 1.0     /* a look comes this long after the last event, */
#define DRIFT_DELAY_MAX 5.0 /* and this long after the first at the latest */
#define DRIFT_FIGHTS 5      /* a setting is put back so often */
#define DRIFT_WINDOW 600.0  /* within so many seconds */

/* Events that a look has yet to follow; 0 in both: none. */
struct drift_timer {
	double first, last;
};

void drift_timer_note(struct drift_timer *t, double now);
/** drift_timer_due - when to look; 0: no event waits */
double drift_timer_due(const struct drift_timer *t);

/* What was seen of an interface since the last look. */
enum drift_sight {
	DRIFT_CREATED = 1 << 0, /* it came, perhaps under the name of one that went */
	DRIFT_QUEUES = 1 << 1,  /* queues came: their settings are the kernel's */
	DRIFT_LINK = 1 << 2,    /* it lost its carrier */
};

#define DRIFT_NICS_MAX 16 /* of more nothing is remembered */

struct drift_sights {
	struct {
		char nic[IF_NAMESIZE];
		unsigned seen; /* of enum drift_sight */
	} of[DRIFT_NICS_MAX];
	size_t n;
};

void drift_sight_note(struct drift_sights *s, const char *nic, enum drift_sight what);
/** drift_sight_of - what was seen of the interface that a change is about */
unsigned drift_sight_of(const struct drift_sights *s, const struct change *c);

/**
 * drift_is - whether somebody else is behind it that a setting is not as wanted
 * @c: after plan_verify()
 * @off: it was so at the last look: then it is until it is as wanted
 *
 * Not: what is as our apply left it, what cooling holds, what cannot be had here.
 */
bool drift_is(const struct change *c, const struct record *rec, bool off);

/* A setting that drifted, or did so not long ago. */
struct drift_item {
	char *label;      /* "net:wan eth1 tso": section, target, key */
	struct value now; /* as last told */
	double fights[DRIFT_FIGHTS]; /* when it was put back, oldest first */
	unsigned n_fights;
	double since;     /* as wanted since then */
	bool off;         /* not as wanted */
	bool gave_up;
	bool write;       /* to be put back by this look */
	bool seen;        /* by this look */
};

struct drift_table {
	struct drift_item *items;
	size_t n;
};

/** drift_label - the label of a change; NULL when out of memory */
char *drift_label(const struct change *c);

struct drift_item *drift_find(const struct drift_table *t, const char *label);

enum drift_news {
	DRIFT_NO_NEWS,
	DRIFT_OFF,  /* it drifted, or has yet another value */
	DRIFT_BACK, /* as wanted again, by somebody else than us */
};

/**
 * drift_judge - one setting of a look
 * @off: drift_is()
 * @ret: its item; NULL if there is none to keep
 *
 * Of what was given up there is no news. Returns enum drift_news, or -ENOMEM.
 */
int drift_judge(struct drift_table *t, const char *label, bool off,
		const struct value *value, double now, struct drift_item **ret);

/** drift_sweep - the end of a look: forget what is gone, or was at peace for long */
void drift_sweep(struct drift_table *t, double now);

enum drift_verdict {
	DRIFT_PUT_BACK,
	DRIFT_GIVE_UP, /* just now: say so */
	DRIFT_LEAVE,   /* given up before */
};

/**
 * drift_decide - whether to put a setting back that is off
 *
 * What is given up stays so until drift_forgive(), or until it was as wanted for
 * DRIFT_WINDOW: then whoever wrote it is gone.
 */
enum drift_verdict drift_decide(struct drift_item *item, double now);

/** drift_wrote - it was written; @good: and is as wanted */
void drift_wrote(struct drift_item *item, bool good, double now);

/** drift_forgive - all fights are forgotten */
void drift_forgive(struct drift_table *t);

void drift_clear(struct drift_table *t);

#endif
