/* SPDX-License-Identifier: GPL-2.0-or-later */
/* board.h - a live, a copied (--sysroot) or a recorded (--board) board as a system */
#ifndef BOARDTUNE_BOARD_H
#define BOARDTUNE_BOARD_H

#include "kernel/system.h"

/* What is wrong with a .board file, for "FILE:LINE: text". */
struct board_error {
	unsigned line;
	char text[200];
};

/** board_open_live - the running system */
int board_open_live(struct system *ret);

/**
 * board_open_dir - a directory that looks like "/"
 *
 * DIR/.board, if there, may hold only rules and @ethtool lines; a feature that is set
 * is written back to it, so that the next command finds it. Returns 0, -errno, or
 * -EBADMSG with @ret_error filled in.
 */
int board_open_dir(const char *dir, struct system *ret, struct board_error *ret_error);

/**
 * board_open_recording - unpack a .board file to a private directory
 *
 * The directory goes with system_close(), or when the process ends. Returns as
 * board_open_dir().
 */
int board_open_recording(const char *file, struct system *ret,
			 struct board_error *ret_error);

/**
 * board_save - write the board as it is now, and each write that was made, in order
 * @file: a path of the caller
 */
int board_save(struct system *sys, const char *file);

/** system_close - release everything of a system opened above */
void system_close(struct system *sys);

#endif
