/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.h - one line on a terminal that says what is measured now; never blocks */
#ifndef BOARDTUNE_PROGRESS_H
#define BOARDTUNE_PROGRESS_H

#include "measure/gate-calm.h"
#include "measure/trial.h"

#define PROGRESS_TEXT_MAX 512
#define PROGRESS_INIT { .fd = -1 }

/* What a line says; what is not known is left out. */
struct progress_now {
	char what[160];	   /* "round 2/4, after, IPv4 tx" */
	double mbps;	   /* NAN: none */
	int millicelsius;  /* INT_MIN: none */
	uint32_t khz;	   /* the highest clock of any CPU, 0: none */
	double left;	   /* seconds, NAN: not known */
	bool at_most;	   /* it may well be less */
};

/* A terminal with such a line on it. */
struct progress {
	int fd; /* non-blocking, of our own; -1: nothing is shown */
	struct progress_now now;
};

/**
 * progress_open - on the terminal behind a descriptor
 * @fd: of stderr; left as it is: O_NONBLOCK must not reach the shell's
 *
 * Nothing is shown where it is no terminal, or cannot be opened again.
 */
void progress_open(int fd, struct progress *ret);

/** progress_test - a test begins */
void progress_test(struct progress *p, const struct trial_progress *where);

/** progress_text - something else begins; @what is translated */
void progress_text(struct progress *p, const char *what);

/** progress_show - the line anew, with what a sample says; @mbps NAN: no traffic */
void progress_show(struct progress *p, const struct sample *s, double mbps);

/** progress_gate - the line anew, while the board is waited for */
void progress_gate(struct progress *p, const struct sample *s,
		   const struct gate_progress *g);

/** progress_clear - wipe the line, before anything else is printed */
void progress_clear(struct progress *p);

/** progress_close - wipe the line and give the terminal back */
void progress_close(struct progress *p);

/**
 * progress_line - the line, in at most so many columns
 *
 * What is measured, Mbit/s, time left, temperature and clock get a place in this order;
 * what does not fit beside those before it is left out. Columns are those that text takes
 * on a terminal (wcwidth).
 */
void progress_line(const struct progress_now *now, int columns,
		   char ret[static PROGRESS_TEXT_MAX]);

#endif
