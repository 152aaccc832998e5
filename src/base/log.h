/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.h - what -v shows: a trace on stderr of each read and write */
#ifndef BOARDTUNE_LOG_H
#define BOARDTUNE_LOG_H

#include "base/base.h"

/** log_set_level - 0: quiet (the default), 1: -v, each write; 2: -vv, each read too */
void log_set_level(int level);
int log_level(void);

/** log_trace - one line to stderr if the level is at least @level */
void log_trace(int level, const char *fmt, ...) _printf_(2, 3);

#endif
