/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system.h - the board that a command works on: passed in, never global */
#ifndef BOARDTUNE_SYSTEM_H
#define BOARDTUNE_SYSTEM_H

#include "base/sysroot.h"
#include "kernel/ethtool.h"

struct board;

struct system {
	struct sysroot root;
	struct ethtool ethtool;
	struct board *board; /* NULL on a live board; see board/board.h */
};

#define SYSTEM_INIT { .root = SYSROOT_INIT }

#endif
