// SPDX-License-Identifier: GPL-2.0-or-later
// text.c - the width of text on a terminal
#include "base/text.h"

#include <wchar.h>

int text_width(const char *s)
{
	mbstate_t state = { 0 };
	int width = 0;

	while (*s) {
		wchar_t wc;
		size_t n = mbrtowc(&wc, s, strlen(s), &state);
		int w;

		if (n == (size_t)-1 || n == (size_t)-2 || n == 0) {
			memset(&state, 0, sizeof(state));
			width++;
			s++;
			continue;
		}
		w = wcwidth(wc);
		width += w < 0 ? 1 : w;
		s += n;
	}
	return width;
}

void text_pad(FILE *f, const char *s, int width)
{
	int n = width - text_width(s);

	fputs(s, f);
	fprintf(f, "%*s", n > 0 ? n : 1, "");
}
