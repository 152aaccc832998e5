// SPDX-License-Identifier: GPL-2.0-or-later
// bitmap.c - CPU masks and lists as the kernel reads and prints them
#include "board/bitmap.h"

#include <ctype.h>

static bool is_gap(char c)
{
	return c == ',' || isspace((unsigned char)c);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The group that ends at @end: its bits in @ret, the place before it as the answer. */
static int take_group(const char *text, size_t end, uint32_t *ret, size_t *ret_end)
{
	uint32_t bits = 0;
	unsigned shift = 0;

	while (end && !is_gap(text[end - 1])) {
		int digit = hex_value(text[end - 1]);

		if (digit < 0)
			return -EINVAL;
		if (shift == 32)
			return -EOVERFLOW;
		bits |= (uint32_t)digit << shift;
		shift += 4;
		end--;
	}
	*ret = bits;
	*ret_end = end;
	return 0;
}

int bitmap_parse_mask(const char *text, unsigned n, struct bitmap *ret)
{
	struct bitmap b = { .n = n };
	unsigned groups = (n + 31) / 32;
	size_t end = strlen(text);

	for (unsigned i = 0;; i++) {
		uint32_t bits;
		int r;

		while (end && is_gap(text[end - 1]))
			end--;
		if (!end)
			break;
		if (i == groups)
			return -EOVERFLOW;
		r = take_group(text, end, &bits, &end);
		if (r < 0)
			return r;
		b.words[i] = bits;
	}
	if (n % 32 && b.words[groups - 1] >> n % 32)
		return -EOVERFLOW;
	*ret = b;
	return 0;
}

static int take_cpu(const char **s, unsigned n, unsigned *ret)
{
	unsigned long v;
	char *end;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	errno = 0;
	v = strtoul(*s, &end, 10);
	if (errno || v >= n)
		return -ERANGE;
	*s = end;
	*ret = (unsigned)v;
	return 0;
}

static int take_range(const char **s, struct bitmap *b)
{
	unsigned first = 0, last = b->n - 1;
	const char *all = str_after(*s, "all");
	int r;

	if (all) {
		*s = all;
	} else {
		r = take_cpu(s, b->n, &first);
		if (r < 0)
			return r;
		last = first;
		if (**s == '-') {
			(*s)++;
			r = take_cpu(s, b->n, &last);
			if (r < 0)
				return r;
		}
	}
	if (first > last || (**s && !is_gap(**s)))
		return -EINVAL;
	for (unsigned i = first; i <= last; i++)
		b->words[i / 32] |= 1u << i % 32;
	return 0;
}

int bitmap_parse_list(const char *text, unsigned n, struct bitmap *ret)
{
	struct bitmap b = { .n = n };

	for (;;) {
		int r;

		while (is_gap(*text))
			text++;
		if (!*text)
			break;
		r = take_range(&text, &b);
		if (r < 0)
			return r;
	}
	*ret = b;
	return 0;
}

void bitmap_format_mask(const struct bitmap *b, char buf[static BITMAP_TEXT_MAX])
{
	unsigned groups = (b->n + 31) / 32;
	unsigned digits = (b->n % 32 ? b->n % 32 + 3 : 32) / 4; /* of the first group */

	for (unsigned i = groups; i--; digits = 8)
		buf += sprintf(buf, "%0*x%s", (int)digits, b->words[i], i ? "," : "\n");
}

void bitmap_format_list(const struct bitmap *b, char buf[static BITMAP_LIST_MAX])
{
	const char *comma = "";

	for (unsigned i = 0; i < b->n; i++) {
		unsigned first = i;

		if (!bitmap_test(b, i))
			continue;
		while (i + 1 < b->n && bitmap_test(b, i + 1))
			i++;
		if (first == i)
			buf += sprintf(buf, "%s%u", comma, first);
		else
			buf += sprintf(buf, "%s%u-%u", comma, first, i);
		comma = ",";
	}
	strcpy(buf, "\n");
}

bool bitmap_test(const struct bitmap *b, unsigned bit)
{
	return bit < b->n && b->words[bit / 32] >> bit % 32 & 1;
}

bool bitmap_intersects(const struct bitmap *a, const struct bitmap *b)
{
	for (unsigned i = 0; i < ARRAY_SIZE(a->words); i++)
		if (a->words[i] & b->words[i])
			return true;
	return false;
}

int bitmap_first(const struct bitmap *b)
{
	for (unsigned i = 0; i < b->n; i++)
		if (bitmap_test(b, i))
			return (int)i;
	return -1;
}
