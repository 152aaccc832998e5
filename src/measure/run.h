/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - a run as a document: what was measured, on what, and what it came to */
#ifndef BOARDTUNE_RUN_H
#define BOARDTUNE_RUN_H

#include <jansson.h>
#include <time.h>

#include "board/identity.h"
#include "measure/judge.h"

#define RUN_SCHEMA 1
#define RUN_DIR "/var/lib/boardtune/runs"

/* A setting that the traffic did not touch: it was changed, but not measured. */
struct run_setting {
	char key[96];
	char target[64];
	unsigned nics; /* bits of the counted NICs by which traffic meets it; 0: none */
};

/* Round-trip times to the peer while nothing else went there. */
struct run_idle {
	const double *rtt_ms; /* borrowed, in any order */
	size_t n, lost;
};

/* Everything a report needs; the strings and arrays are borrowed. */
struct run {
	const char *command; /* "trial" */
	const char *profile;
	const struct identity *board;
	const char *host;  /* of this machine */
	const char *label; /* "" for none */
	const char *peer;  /* as given by the user */
	const char *nic;
	const char *path;   /* "terminated" */
	const char *sensor; /* zone type, NULL for none */
	time_t started;
	double seconds, omit; /* of each test */
	bool udp, zero_copy;
	unsigned streams;
	double bitrate; /* bit/s of each stream; 0: as much as goes */
	const struct judge_config *config;
	const struct judgement *judgement;
	const struct leg *legs;
	size_t n_legs;
	struct run_idle idle[TRIAL_SIDES_];
	const struct run_setting *not_measured;
	size_t n_not_measured;
	bool kept;
	bool stuck; /* not everything could be put back */
	int exit_code;
};

/** run_text_valid - whether a text is UTF-8, and so can stand in JSON as it is */
bool run_text_valid(const char *text);

/**
 * run_json - FORMATS: JSON of trial and measure
 *
 * A byte of a name that is no UTF-8 becomes "?".
 *
 * Returns a document that the caller releases, NULL when out of memory.
 */
json_t *run_json(const struct run *run);

/**
 * run_save - one file per run: RUN_DIR, without root $XDG_STATE_HOME/boardtune/runs
 * @ret_path: SYSROOT_PATH_MAX bytes, where it is
 *
 * The file is complete or not there. Its name is the start time, with a number where two
 * runs have the same (a board without a clock). Returns 0 or -errno.
 */
int run_save(const struct sysroot *root, const struct run *run, const json_t *doc,
	     char *ret_path);

#endif
