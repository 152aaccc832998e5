/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - text in columns: Japanese letters take two */
#ifndef BOARDTUNE_TEXT_H
#define BOARDTUNE_TEXT_H

#include "base/base.h"

/**
 * text_width - columns that text of the locale takes on a terminal
 *
 * By wcwidth(3); a byte that is no text and a control character count as one.
 */
int text_width(const char *s);

/** text_pad - print @s, then blanks up to @width columns, at least one */
void text_pad(FILE *f, const char *s, int width);

#endif
