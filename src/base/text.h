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

#define TEXT_SCREEN_WIDTH 80

/**
 * text_wrap - print text in lines of at most TEXT_SCREEN_WIDTH columns, and a newline
 * @first, @rest: blanks before the first line, before the others
 *
 * Broken at blanks, and beside letters of two columns, which have no blanks between
 * them; never before a full stop or a closing bracket. A longer word stands alone.
 */
void text_wrap(FILE *f, const char *s, int first, int rest);

#endif
