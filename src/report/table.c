// SPDX-License-Identifier: GPL-2.0-or-later
// table.c - rows of text in columns that fit a screen
#include "report/table.h"

#include "base/text.h"

#define GAP 2
#define CELL_MIN 8 /* a column is not cut below this: "12345..." */

void table_add(struct table *t, const char *const *cells)
{
	struct table_row row = { 0 };
	int r = array_grow(&t->rows, t->n, sizeof(*t->rows));

	for (unsigned i = 0; r == 0 && i < t->columns; i++) {
		row.cells[i] = strdup(cells[i]);
		if (!row.cells[i])
			r = -ENOMEM;
	}
	if (r == 0) {
		t->rows[t->n++] = row;
		return;
	}
	for (unsigned i = 0; i < t->columns; i++)
		free(row.cells[i]);
	t->error = r;
}

void table_below(struct table *t, char *text)
{
	if (text && !t->error)
		t->rows[t->n - 1].below = text;
	else
		free(text);
	if (!text)
		t->error = -ENOMEM;
}

void table_clear(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (unsigned k = 0; k < t->columns; k++)
			free(t->rows[i].cells[k]);
		free(t->rows[i].below);
	}
	free(t->rows);
	*t = (struct table) { 0 };
}

/* The widest column that may be cut, t->columns if all have to stay. */
static unsigned widest_column(const struct table *t, const int *widths)
{
	unsigned widest = t->columns;

	for (unsigned k = 0; k < t->columns; k++)
		if (!(t->whole >> k & 1) &&
		    (widest == t->columns || widths[k] > widths[widest]))
			widest = k;
	return widest;
}

static void measure(const struct table *t, int *widths)
{
	int over = -TEXT_SCREEN_WIDTH, least = t->least > CELL_MIN ? t->least : CELL_MIN;

	for (unsigned k = 0; k < t->columns; k++) {
		widths[k] = 0;
		for (size_t i = 0; i < t->n; i++) {
			int w = text_width(t->rows[i].cells[k]);

			widths[k] = w > widths[k] ? w : widths[k];
		}
		over += widths[k] + (k ? GAP : 0);
	}
	for (; over > 0; over--) {
		unsigned widest = widest_column(t, widths);

		if (widest == t->columns || widths[widest] <= least)
			return;
		widths[widest]--;
	}
}

/* The bytes of @s that take at most @width columns; whole letters only. */
static size_t fitting(const char *s, int width)
{
	char part[256];
	size_t n = strlen(s);

	if (n >= sizeof(part))
		n = sizeof(part) - 1;
	for (;; n--) {
		if (((unsigned char)s[n] & 0xc0) == 0x80)
			continue;
		memcpy(part, s, n);
		part[n] = '\0';
		if (n == 0 || text_width(part) <= width)
			return n;
	}
}

static void print_cell(FILE *f, const char *s, int width, bool right, bool last)
{
	int w = text_width(s);

	if (w > width) {
		size_t n = fitting(s, width - 3);

		fwrite(s, 1, n, f);
		fputs("...", f);
		return;
	}
	if (right)
		fprintf(f, "%*s", width - w, "");
	fputs(s, f);
	if (!right && !last)
		fprintf(f, "%*s", width - w, "");
}

/* Columns after the last that has text are not printed: no blanks at the end. */
static unsigned used_columns(const struct table *t, size_t row)
{
	unsigned n = t->columns;

	while (n && !*t->rows[row].cells[n - 1])
		n--;
	return n;
}

int table_print(const struct table *t, FILE *f)
{
	int widths[TABLE_COLUMNS_MAX];

	if (t->error || t->n < 2)
		return t->error;
	measure(t, widths);
	for (size_t i = 0; i < t->n; i++) {
		const struct table_row *row = &t->rows[i];
		unsigned n = used_columns(t, i);

		for (unsigned k = 0; k < n; k++) {
			if (k)
				fprintf(f, "%*s", GAP, "");
			if (k + 1 == n && row->color)
				fputs(row->color, f);
			print_cell(f, row->cells[k], widths[k], t->right >> k & 1,
				   k + 1 == n);
		}
		fputs(row->color && n ? "\033[0m\n" : "\n", f);
		if (row->below)
			fputs(row->below, f);
	}
	return 0;
}
