/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system.h - the board that a command works on: passed in, never global */
#ifndef BOARDTUNE_SYSTEM_H
#define BOARDTUNE_SYSTEM_H

#include "base/cpus.h"
#include "kernel/ethtool.h"

struct board;

/* Sets of CPUs that many settings ask for: read once for a plan, see knob_cpus(). */
struct system_cpus {
	bool known;
	struct cpus online, present;
};

struct system {
	struct sysroot root;
	struct ethtool ethtool;
	struct system_cpus cpus;
	struct board *board; /* NULL on a live board; see board/board.h */
};

#define SYSTEM_INIT { .root = SYSROOT_INIT }

#endif
