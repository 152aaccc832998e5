/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clocks.h - the cpufreq policies as they are now, and their time at each clock */
#ifndef BOARDTUNE_CLOCKS_H
#define BOARDTUNE_CLOCKS_H

#include "base/cpus.h"
#include "kernel/system.h"
#include "measure/sample.h"

struct clock_points {
	uint32_t khz[SAMPLE_STATES_MAX];
	size_t n; /* 0: the driver does not tell */
};

enum clock_switch {
	CLOCK_SWITCH_NONE, /* not there */
	CLOCK_SWITCH_OFF,
	CLOCK_SWITCH_ON,
};

/* A cpufreq policy. 0, "", negative: not known. */
struct clock {
	unsigned number;   /* policyN */
	struct cpus cpus;  /* related_cpus: offline ones too */
	struct cpus online; /* affected_cpus */
	bool offline;	   /* all its CPUs are: nothing else is known */
	char driver[32], governor[32], governors[256];
	uint32_t hw_khz;     /* cpuinfo_cur_freq: what the clock itself says */
	uint32_t kernel_khz; /* scaling_cur_freq: mostly what was asked of it last */
	uint32_t set_khz;    /* scaling_setspeed of the governor userspace */
	uint32_t min_khz, max_khz, hw_min_khz, hw_max_khz;
	struct clock_points points, boost_points;
	enum clock_switch boost; /* of the policy (6.12), else of all */
	int64_t latency_ns;
	bool held; /* cooling caps it */
	struct sample_clocks times; /* since boot, or a reset; n 0: not known */
	int64_t transitions;
	struct sample_clocks last_times; /* since the last call; n 0: not known */
	int64_t last_transitions;
};

/**
 * clocks_read - every policy, by number
 * @ret: malloc'd, released with free()
 *
 * Returns 0 or -ENOMEM.
 */
int clocks_read(struct system *sys, struct clock **ret, size_t *ret_n);

/** clock_now - what the clock says, else what the kernel does; 0: neither */
uint32_t clock_now(const struct clock *c);

/** clock_share - of its time that a policy was at @khz; negative: not known */
double clock_share(const struct sample_clocks *times, uint32_t khz);

/** clock_seconds - of all its clocks together */
double clock_seconds(const struct sample_clocks *times);

/** clock_points_have - whether a table has this operating point */
bool clock_points_have(const struct clock_points *points, uint32_t khz);

/**
 * clocks_last - fill in last_times and last_transitions
 *
 * From the record that the last clocks_keep() left since boot. A policy that has none, or
 * whose counters were reset since, stays not known. Returns 0 or -ENOMEM.
 */
int clocks_last(struct system *sys, struct clock *clocks, size_t n);

/**
 * clocks_keep - leave a record for the next call
 *
 * Returns 0; -EACCES and the like: only root can on a live board.
 */
int clocks_keep(struct system *sys, const struct clock *clocks, size_t n);

/**
 * clocks_text - what clocks_read() found, for a screen of 80 columns
 * @ret: malloc'd, translated
 *
 * Returns 0 or -ENOMEM.
 */
int clocks_text(const struct clock *clocks, size_t n, char **ret);

#endif
