/* SPDX-License-Identifier: GPL-2.0-or-later */
/* caps.h - give up capabilities that are not needed any more (capabilities(7)) */
#ifndef BOARDTUNE_CAPS_H
#define BOARDTUNE_CAPS_H

#include "base/base.h"

/**
 * caps_keep - drop every capability but these, for good
 * @keep: CAP_* numbers below 64
 * @n: how many; those we do not have stay away
 *
 * Returns 0 or -errno.
 */
int caps_keep(const unsigned *keep, size_t n);

#endif
