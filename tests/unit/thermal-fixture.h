/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thermal-fixture.h - the recorded board with every kind of zone and trip */
#ifndef BOARDTUNE_THERMAL_FIXTURE_H
#define BOARDTUNE_THERMAL_FIXTURE_H

#include "board/board.h"
#include "knobs/thermal.h"
#include "profile/registry.h"
#include "tap.h"

#define ZONES "/sys/devices/virtual/thermal/thermal_zone"

static char thermal_board[512];

/* Before the directory changes. */
static void thermal_find_board(void)
{
	const char *srcdir = getenv("srcdir");
	_cleanup_free_ char *full = NULL;

	snprintf(thermal_board, sizeof(thermal_board),
		 "%s/tests/boards/unit/thermal.board", srcdir ? srcdir : ".");
	full = realpath(thermal_board, NULL);
	snprintf(thermal_board, sizeof(thermal_board), "%s", full ? full : "");
}

static void thermal_open(struct system *ret)
{
	struct board_error error = { 0 };

	if (board_open_recording(thermal_board, ret, &error) < 0) {
		printf("Bail out! line %u: %s\n", error.line, error.text);
		exit(1);
	}
}

static const char *thermal_text(struct system *sys, const char *path)
{
	static char text[64];
	ssize_t n = sysroot_read(&sys->root, path, text, sizeof(text));

	return n < 0 ? errno_name((int)n) : text;
}

#endif
