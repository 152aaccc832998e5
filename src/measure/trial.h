/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trial.h - the loop of a trial: legs in a fixed order, whatever measures them
 *
 * Nothing here touches a board or a network: the caller supplies what measures a cell,
 * what switches the settings, what waits. A is before, B is after the profile's apply.
 * The order is A B B A, so that a drift counts on both sides; or, where a switch costs
 * the link, A..A B..B A..A of up to TRIAL_BLOCK legs each, as often as it takes: the i-th
 * B is compared with the mean of both i-th A. Longer blocks would not tell the effect of
 * the settings from what wanders slowly.
 */
#ifndef BOARDTUNE_TRIAL_H
#define BOARDTUNE_TRIAL_H

#include "measure/leg.h"

#define TRIAL_PAIRS_MIN 4
#define TRIAL_PAIRS_QUICK 3
#define TRIAL_PAIRS_MAX 100
#define TRIAL_BLOCK 4          /* pairs of one A..A B..B A..A */
#define TRIAL_SECONDS 5.0
#define TRIAL_OMIT 1.0
#define TRIAL_BUDGET 900.0     /* seconds; no pair begins that would end after it */
#define TRIAL_HALF_WIDTH 0.015 /* narrow enough: no more pairs */
#define TRIAL_READY_WAIT 30.0  /* seconds for carrier, route and peer after a switch */
#define TRIAL_BUSY_MAX 6       /* pairs discarded in a row before it is given up */
#define TRIAL_FOREIGN_MAX 2    /* so many in a row for other traffic: that will stay */

struct trial_config {
	struct cell_list cells;
	unsigned pairs; /* exactly so many; 0: from TRIAL_PAIRS_MIN until narrow enough */
	double seconds; /* of a test */
	double omit;
	double budget;
	bool blocks; /* A..A B..B A..A: few switches, as each drops the link */
};

/* Where a trial is, for a progress line. */
struct trial_progress {
	unsigned pair; /* from 0 */
	unsigned pairs; /* planned; 0: open */
	enum trial_side side;
	const struct cell *cell;
};

/* Negative answers end the trial, except where told. */
struct trial_ops {
	/* Measure one cell. -EBUSY, or other traffic on the NIC: the pair is discarded
	 * and repeated; of A..A B..B A..A the leg alone. -ECONNREFUSED,
	 * -EHOSTUNREACH, -ENETUNREACH, -ENETDOWN, -ETIMEDOUT just after a switch: tried
	 * again until TRIAL_READY_WAIT is over. -EINTR stop; -EOVERFLOW too hot;
	 * -ENODATA sensor lost. On success @ret and its samples are the trial's. */
	int (*measure)(void *userdata, const struct trial_progress *where,
		       struct test_result *ret);
	/* Put the settings of a side in force. -errno: what was in force still is, or
	 * could not be put back: the caller knows. */
	int (*switch_to)(void *userdata, enum trial_side side);
	/* Wait for carrier and route, at most @seconds. */
	int (*wait_ready)(void *userdata, double seconds);
	/* Sleep; -EINTR when stopped. */
	int (*sleep)(void *userdata, double seconds);
	/* Seconds of a monotonic clock. */
	double (*now)(void *userdata);
};

struct trial_result {
	struct leg *legs; /* owned, freed with trial_result_clear() */
	size_t n_legs;
	enum trial_side side; /* in force at the end */
	int error;  /* 0 for a whole trial, else the -errno that ended it */
	int revert_error; /* of going back to TRIAL_BEFORE after @error, else 0 */
};

/**
 * trial_run - run it; the side in force at the start is TRIAL_BEFORE
 *
 * After an error the settings are back at TRIAL_BEFORE unless @revert_error says
 * otherwise; after a whole trial @side tells what is in force. The legs measured so far
 * are kept either way. Returns @ret->error.
 */
int trial_run(const struct trial_config *config, const struct trial_ops *ops,
	      void *userdata, struct trial_result *ret);

void trial_result_clear(struct trial_result *r);

/** trial_side_of - side of the first (@second false) or second leg of a pair */
enum trial_side trial_side_of(unsigned pair, bool second);

/** trial_duration - seconds of @pairs pairs, with what a test needs beside its traffic */
double trial_duration(const struct trial_config *config, unsigned pairs);

/**
 * trial_duration_range - seconds that a trial takes when nothing is in its way
 *
 * @ret_least and @ret_most are equal where the number of pairs is known beforehand.
 */
void trial_duration_range(const struct trial_config *config, double *ret_least,
			  double *ret_most);

/**
 * trial_longest - seconds that a trial takes at most
 *
 * With a server that is busy as often, and a link and peer that are away as long, as is
 * waited for.
 */
double trial_longest(const struct trial_config *config);

#endif
