/* SPDX-License-Identifier: GPL-2.0-or-later */
/* board-private.h - what a copied or recorded board consists of */
#ifndef BOARDTUNE_BOARD_PRIVATE_H
#define BOARDTUNE_BOARD_PRIVATE_H

#include "board/nics.h"
#include "board/tree.h"

struct board {
	bool recording;		/* --board; else --sysroot */
	struct record *record;	/* the .board file; empty if DIR has none */
	struct tree_temp *temp; /* where a recording is unpacked */
	struct rules rules;
	struct nics nics;
	struct record_log log;
};

#endif
