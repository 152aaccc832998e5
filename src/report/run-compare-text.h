/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-compare-text.h - two saved runs side by side, for a screen of 80 columns */
#ifndef BOARDTUNE_RUN_COMPARE_TEXT_H
#define BOARDTUNE_RUN_COMPARE_TEXT_H

#include "measure/run-compare.h"

/**
 * run_compare_text - the tables, and what to know about them
 * @names: of the runs, as the user knows them
 *
 * Writes to @f, whose errors the caller looks for. Returns 0 or -ENOMEM.
 */
int run_compare_text(const struct run_doc *a, const struct run_doc *b,
		     const char *const names[2], FILE *f);

#endif
