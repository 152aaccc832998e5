// SPDX-License-Identifier: GPL-2.0-or-later
// quirk-range.c - ranges of kernel releases and of plain numbers, read and compared
#include "profile/quirk-range.h"

#include <ctype.h>

#define DIGITS_MAX 9 /* fits into an unsigned int */

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* "6.1.160": up to three numbers. Returns what follows, NULL if there is no number. */
static const char *take_version(const char *s, struct quirk_version *ret)
{
	*ret = (struct quirk_version) { 0 };
	while (ret->n < QUIRK_VERSION_PARTS) {
		size_t digits = strspn(s, "0123456789");

		if (!digits || digits > DIGITS_MAX)
			return NULL;
		ret->part[ret->n++] = (unsigned)strtoul(s, NULL, 10);
		s += digits;
		if (s[0] != '.' || !isdigit((unsigned char)s[1]))
			break;
		s += ret->n < QUIRK_VERSION_PARTS;
	}
	return s;
}

/* As far as @limit is written; parts that @v does not have are 0. */
static int compare(const struct quirk_version *v, const struct quirk_version *limit)
{
	for (size_t i = 0; i < limit->n; i++)
		if (v->part[i] != limit->part[i])
			return v->part[i] < limit->part[i] ? -1 : 1;
	return 0;
}

/* One limit behind "<", "<=", ">" or ">=", or one release alone: two limits. */
static const char *take_limit(const char *s, struct quirk_range *ret)
{
	char sign = *s == '<' || *s == '>' ? *s++ : '\0';
	bool open = sign && *s != '=';
	struct quirk_version v;

	s += sign && *s == '=';
	s = take_version(skip_blanks(s), &v);
	if (sign != '<') {
		ret->low = v;
		ret->low_open = open;
	}
	if (sign != '>') {
		ret->high = v;
		ret->high_open = open;
	}
	return s;
}

static const char *take_range(const char *s, struct quirk_range *ret)
{
	bool signless = isdigit((unsigned char)*s);

	s = take_limit(s, ret);
	if (!s || !signless || *skip_blanks(s) != '-')
		return s;
	s = take_version(skip_blanks(skip_blanks(s) + 1), &ret->high);
	return s && compare(&ret->low, &ret->high) <= 0 ? s : NULL;
}

int quirk_ranges_parse(const char *text, struct quirk_ranges *ret)
{
	struct quirk_ranges ranges = { 0 };
	const char *s = skip_blanks(text);

	for (;; s = skip_blanks(s + 1)) {
		if (ranges.n == QUIRK_RANGES_MAX)
			return -EINVAL;
		s = take_range(s, &ranges.range[ranges.n++]);
		if (!s)
			return -EINVAL;
		s = skip_blanks(s);
		if (*s != ',')
			break;
	}
	if (*s)
		return -EINVAL;
	*ret = ranges;
	return 0;
}

static bool is_above(const struct quirk_range *r, const struct quirk_version *v)
{
	int order = compare(v, &r->high);

	return r->high.n && (order > 0 || (order == 0 && r->high_open));
}

static bool is_below(const struct quirk_range *r, const struct quirk_version *v)
{
	int order = compare(v, &r->low);

	return r->low.n && (order < 0 || (order == 0 && r->low_open));
}

enum quirk_place quirk_ranges_place(const struct quirk_ranges *ranges, const char *text)
{
	enum quirk_place place = QUIRK_PAST;
	struct quirk_version v;

	if (!take_version(text, &v))
		return QUIRK_OUTSIDE;
	for (size_t i = 0; i < ranges->n; i++) {
		const struct quirk_range *r = &ranges->range[i];

		if (!is_above(r, &v) && !is_below(r, &v))
			return QUIRK_INSIDE;
		if (!is_above(r, &v))
			place = QUIRK_OUTSIDE;
	}
	return place;
}
