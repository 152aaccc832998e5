/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-setup.h - what the files of the command setup share */
#ifndef BOARDTUNE_CMD_SETUP_H
#define BOARDTUNE_CMD_SETUP_H

#include "cmd.h"

/**
 * setup_tell_plan - a plan in sentences: what changes by section, what interrupts the
 * link, what may get hotter, what is left out
 *
 * Returns 0 or -ENOMEM.
 */
int setup_tell_plan(const struct plan *plan);

#endif
