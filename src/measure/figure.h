/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure.h - what the tests of a cell come to where there is no before and after */
#ifndef BOARDTUNE_FIGURE_H
#define BOARDTUNE_FIGURE_H

#include <jansson.h>

#include "measure/run.h"

/* Of all tests of one cell. What nobody told is NAN. */
struct figure {
	const struct cell *cell;
	size_t n;	       /* tests; 0: there is nothing below */
	double mbps;	       /* mean */
	double low, high;      /* of the tests */
	double tx_mbps, rx_mbps; /* mean, of a cell that goes both ways */
	double cpu_ms_per_gb;  /* mean */
	double retransmits;    /* TCP: all together */
	double lost;	       /* UDP: share of the datagrams, 0 to 1 */
	double jitter_ms;      /* UDP: the worst */
	double rtt_ms;	       /* median under load, by ICMP echo, else TCP's own mean */
	int millicelsius;      /* highest; INT_MIN unknown */
};

/**
 * figure_make - what the tests of a cell come to
 * @index: of the cell in the legs
 *
 * Returns 0 or -ENOMEM.
 */
int figure_make(const struct cell *cell, size_t index, const struct leg *legs, size_t n,
		struct figure *ret);

/**
 * figure_json - FORMATS: JSON of trial and measure; of measure
 * @figures: one for each cell of @run
 *
 * The document of run_json() with figures in place of what a trial compares. Returns
 * NULL when out of memory.
 */
json_t *figure_json(const struct run *run, const struct figure *figures, size_t n);

#endif
