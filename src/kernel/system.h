/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system.h - the board that a command works on: passed in, never global */
#ifndef BOARDTUNE_SYSTEM_H
#define BOARDTUNE_SYSTEM_H

#include "base/cpus.h"
#include "kernel/ethtool.h"

struct board;

/* Sets of CPUs that many settings ask for: read once for a plan, see knob_cpus(). */
struct system_cpus {
	bool known, isolated_known;
	struct cpus online, present;
	struct cpus isolated; /* isolcpus, nohz_full: see steering_cpus_expect() */
};

/* Cooling devices that lower the clock of CPUs: read once, see cpufreq_held(). */
struct system_cooling {
	bool known;
	unsigned n;
	struct {
		unsigned short device; /* number of the cooling device */
		short cpu; /* whose policy it works on; -1: any may be meant */
	} of[CPUS_MAX];
};

struct system {
	struct sysroot root;
	struct ethtool ethtool;
	struct system_cpus cpus;
	struct system_cooling cooling;
	int netdevice_fd; /* see netdevice_name(); -1 until it is needed */
	struct board *board; /* NULL on a live board; see board/board.h */
};

#define SYSTEM_INIT { .root = SYSROOT_INIT, .netdevice_fd = -1 }

/** system_forget - have what was read once read again: before each plan */
static inline void system_forget(struct system *sys)
{
	sys->cpus.known = sys->cpus.isolated_known = sys->cooling.known = false;
}

#endif
