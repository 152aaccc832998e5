/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure-text.h - the figures of the command measure as text */
#ifndef BOARDTUNE_MEASURE_TEXT_H
#define BOARDTUNE_MEASURE_TEXT_H

#include "measure/figure.h"

/**
 * measure_text - a table of 80 columns, then what must be known beside it
 * @datagrams: UDP
 * @figures: one for each cell of @run
 * @ret: gets a string that the caller frees
 *
 * Returns 0 or -ENOMEM.
 */
int measure_text(const struct run *run, bool datagrams, const struct figure *figures,
		 size_t n, char **ret);

#endif
