/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - rows of text in columns that fit a screen and line up on a terminal */
#ifndef BOARDTUNE_TABLE_H
#define BOARDTUNE_TABLE_H

#include "base/base.h"

#define TABLE_COLUMNS_MAX 8

struct table_row {
	char *cells[TABLE_COLUMNS_MAX];
	char *below;       /* lines that follow it; may be NULL */
	const char *color; /* of the last cell, an escape sequence; may be NULL */
};

struct table {
	struct table_row *rows; /* the first is the heading */
	size_t n;
	unsigned columns;
	unsigned right; /* bit k: column k is a number and ends at its right edge */
	unsigned whole; /* bit k: column k is never cut, even if a row is too long then */
	int least;      /* what the others are not cut below; there is a minimum */
	int error;	/* -ENOMEM once a row is missing */
};

/**
 * table_add - append a row of table->columns texts, which are copied
 *
 * A failure is kept for table_print().
 */
void table_add(struct table *t, const char *const *cells);

/**
 * table_below - lines of text under the row that was added last
 * @text: malloc'd, ended by a newline, consumed; NULL is a failure to be kept
 */
void table_below(struct table *t, char *text);

/**
 * table_print - two blanks between columns; a row that is too long for the screen has
 * its widest cells cut, with "..." at their end
 *
 * Nothing for a table with no row but the heading. Returns 0 or -ENOMEM.
 */
int table_print(const struct table *t, FILE *f);
void table_clear(struct table *t);

#endif
