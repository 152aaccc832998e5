/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial-text.h - the result of a trial as a table for a screen of 80 columns */
#ifndef BOARDTUNE_TRIAL_TEXT_H
#define BOARDTUNE_TRIAL_TEXT_H

#include "measure/run.h"

/**
 * trial_text - the table, temperatures, clocks, verdict, reasons and flags
 * @ret: translated text that the caller frees; untouched on failure
 *
 * Columns line up by the width that text takes on a terminal (wcwidth), so they do in
 * translations, too. Returns 0 or -ENOMEM.
 */
int trial_text(const struct run *run, char **ret);

#endif
