/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate-calm.h - a quiet board before the first test: CPU, NIC, temperature, idle latency
 *
 * What runs beside the tests is measured with them, and a board that still cools down
 * from something else gets faster by itself. Hot is normal, as long as it stays so.
 */
#ifndef BOARDTUNE_GATE_CALM_H
#define BOARDTUNE_GATE_CALM_H

#include "measure/ping.h"
#include "measure/sample.h"

#define GATE_BUSY_MAX 0.10	/* share of all CPUs */
#define GATE_BUSIEST_MAX 0.50	/* of one of them */
#define GATE_FOREIGN_MBPS 1.0	/* by a NIC, or the next where that is more */
#define GATE_FOREIGN_SHARE 0.005 /* of its link */
#define GATE_SLOPE_MAX 1.0	/* C per minute, up or down */

/* Seconds. */
struct gate_times {
	double tick;	     /* between two looks, and two echoes */
	double window;	     /* that CPU and NIC are looked at */
	double quiet_wait;   /* for a window that is quiet, at most; 0: take the first */
	double slope_least;  /* of temperatures, to tell a slope */
	double slope_window; /* the last ones that it is told from, at most */
	double steady_wait;  /* for a steady temperature, at most; 0: do not wait */
};

#define GATE_TIMES_INIT                                                                  \
	{                                                                                \
		.tick = 0.2, .window = 3, .quiet_wait = 30, .slope_least = 20,           \
		.slope_window = 60, .steady_wait = 180                                   \
	}

#define GATE_READINGS_MAX 300 /* a slope_window of ticks */

/* The last temperatures, oldest first. */
struct gate_heat {
	double times[GATE_READINGS_MAX];
	double celsius[GATE_READINGS_MAX];
	size_t n;
};

/* What a board did in a window. */
struct gate_look {
	double busy;	/* share of all CPUs, 0 to 1; NAN unknown */
	double busiest; /* of the busiest CPU; NAN unknown */
	double mbps;	/* both ways, by the NIC with the most; NAN unknown */
};

/* What is not as it should be, as bits. */
enum {
	GATE_CPU_BUSY = 1 << 0,
	GATE_NIC_BUSY = 1 << 1,
	GATE_NOT_STEADY = 1 << 2, /* or not known, as nobody waited */
};

/* For a progress line. */
struct gate_progress {
	unsigned waits_for; /* bits; 0 while the first window is looked at */
	struct gate_look look;
	double slope;	    /* C per minute, NAN unknown yet */
	double left;	    /* seconds that it is waited for, at most */
};

struct gate_calm {
	struct sampler *sampler;
	size_t n_nics;	  /* that the sampler counts */
	double line_mbps; /* of the link; 0 unknown or virtual */
	struct gate_times times;
	struct ping *ping4, *ping6; /* NULL: no latency */
	int stop_fd;
	/* Called at each tick, must not block; NULL for none. */
	void (*progress)(void *userdata, const struct sample *s,
			 const struct gate_progress *p);
	void *userdata;
};

struct gate_calm_result {
	unsigned unrest; /* bits; 0: all is well */
	struct gate_look look;
	double slope;	 /* C per minute, NAN without a sensor or not known */
	struct ping_series idle4, idle6; /* of the last window; owned */
};

/**
 * gate_look_between - what happened between two samples of a board
 * @n_nics: how many of its NICs are counted
 */
void gate_look_between(const struct sample *from, const struct sample *to, size_t n_nics,
		       struct gate_look *ret);

/** gate_look_unrest - GATE_CPU_BUSY, GATE_NIC_BUSY; what is unknown is no unrest */
unsigned gate_look_unrest(const struct gate_look *look, double line_mbps);

/** gate_heat_add - one more, in the place of those older than @window seconds */
void gate_heat_add(struct gate_heat *h, double time, int millicelsius, double window);

/**
 * gate_heat_slope - the slope of the least squares, in C per minute
 *
 * NAN for readings of less than @least seconds.
 */
double gate_heat_slope(const struct gate_heat *h, double least);

/**
 * gate_calm_wait - look at the board, and wait until it is quiet and steady
 * @ret: also when it is not, with what there is
 *
 * Takes times.window, with a sensor at least slope_least, at most quiet_wait and
 * steady_wait one after the other. Returns 0, -EINTR, -ENOMEM.
 */
int gate_calm_wait(const struct gate_calm *c, struct gate_calm_result *ret);

/**
 * gate_idle_measure - round-trip times while nothing else is sent, for @seconds
 * @ret: gets idle4 and idle6 only
 *
 * Returns as gate_calm_wait().
 */
int gate_idle_measure(const struct gate_calm *c, double seconds,
		      struct gate_calm_result *ret);

void gate_calm_result_clear(struct gate_calm_result *r);

#endif
