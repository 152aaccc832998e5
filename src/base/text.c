// SPDX-License-Identifier: GPL-2.0-or-later
// text.c - the width of text on a terminal, and lines that fit it
#include "base/text.h"

#include <wchar.h>

/* What must not begin a line, and what must not end one. */
static const wchar_t closing[] = L"。、，．」』）〉】・ー！？：；).,:;!?]";
static const wchar_t opening[] = L"「『（〈【([";

/* The next character; a byte that is no text counts as one of one column. */
static size_t next_char(const char *s, wchar_t *ret, int *ret_width)
{
	mbstate_t state = { 0 };
	wchar_t wc;
	size_t n = mbrtowc(&wc, s, strlen(s), &state);
	int w;

	if (n == (size_t)-1 || n == (size_t)-2 || n == 0) {
		wc = L'?';
		n = 1;
	}
	w = wcwidth(wc);
	*ret = wc;
	*ret_width = w < 0 ? 1 : w;
	return n;
}

int text_width(const char *s)
{
	int width = 0, w;
	wchar_t wc;

	while (*s) {
		s += next_char(s, &wc, &w);
		width += w;
	}
	return width;
}

/* How much of @s cannot be broken, in bytes; up to a blank at most. */
static size_t chunk_length(const char *s, int *ret_width)
{
	wchar_t wc, last = L' ';
	int w, last_w = 0, width = 0;
	size_t length = 0, n;

	while (s[length] && s[length] != ' ') {
		n = next_char(s + length, &wc, &w);
		if (length && (w == 2 || last_w == 2) && !wcschr(closing, wc) &&
		    !wcschr(opening, last))
			break;
		length += n;
		width += w;
		last = wc;
		last_w = w;
	}
	*ret_width = width;
	return length;
}

void text_wrap(FILE *f, const char *s, int first, int rest)
{
	int column = first, width;
	bool empty = true; /* the line has nothing but its indentation */

	fprintf(f, "%*s", first, "");
	while (*s) {
		size_t blanks = strspn(s, " "), n = chunk_length(s + blanks, &width);

		if (n && !empty && column + !!blanks + width > TEXT_SCREEN_WIDTH) {
			fprintf(f, "\n%*s", rest, "");
			column = rest;
			empty = true;
		}
		if (n && !empty && blanks) {
			fputc(' ', f);
			column++;
		}
		fwrite(s + blanks, 1, n, f);
		column += width;
		empty = empty && n == 0;
		s += blanks + n;
	}
	fputc('\n', f);
}

void text_pad(FILE *f, const char *s, int width)
{
	int n = width - text_width(s);

	fputs(s, f);
	fprintf(f, "%*s", n > 0 ? n : 1, "");
}
