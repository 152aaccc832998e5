// SPDX-License-Identifier: GPL-2.0-or-later
// log.c - the trace that -v turns on
#include "base/log.h"

#include <stdarg.h>

static int level;

void log_set_level(int l)
{
	level = l;
}

int log_level(void)
{
	return level;
}

void log_trace(int at, const char *fmt, ...)
{
	va_list ap;

	if (at > level)
		return;
	va_start(ap, fmt);
	fputs("boardtune: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}
