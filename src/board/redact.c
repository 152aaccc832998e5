// SPDX-License-Identifier: GPL-2.0-or-later
// redact.c - hardware addresses in a text, replaced by others one for one
#include "board/redact.h"

#include <ctype.h>

#define PAIRS (REDACT_DIGITS / 2)

/* Where an address was found. */
struct found {
	size_t length; /* in the text, from its first byte */
	size_t prefix; /* of these, bytes that stay: "enx", "28-" */
	size_t pairs;  /* bytes of the address */
	char divider;  /* between them; 0 for none */
};

/* What systemd.net-naming-scheme(7) puts before a hardware address. */
static const char *const name_prefixes[] = { "enx", "wlx", "wwx", "slx", "ibx" };

void redact_clear(struct redact *r)
{
	free(r->keys);
	*r = (struct redact) { 0 };
}

static size_t count_hex(const char *s, const char *end)
{
	size_t n = 0;

	while (s + n < end && isxdigit((unsigned char)s[n]))
		n++;
	return n;
}

/* Six or more pairs of hex digits with the same divider. */
static bool find_pairs(const char *s, const char *end, struct found *ret)
{
	char divider = end - s > 2 ? s[2] : '\0';
	size_t pairs = 0;

	if (divider != ':' && divider != '-')
		return false;
	while (count_hex(s, end) == 2) {
		pairs++;
		s += 2;
		if (s + 2 >= end || *s != divider || !isxdigit((unsigned char)s[1]))
			break;
		s++;
	}
	if (pairs < PAIRS || (s < end && isxdigit((unsigned char)*s)))
		return false;
	*ret = (struct found) { pairs * 3 - 1, 0, pairs, divider };
	return true;
}

static void format_key(char key[static REDACT_DIGITS + 1], size_t number)
{
	snprintf(key, REDACT_DIGITS + 1, "020000%06u", (unsigned)(number % 1000000));
}

/*
 * Twelve digits after "enx", or after a 1-wire family of two digits and a hyphen. Fewer
 * where a name was cut, as those of threads are.
 */
static bool find_digits(const char *s, const char *end, struct found *ret)
{
	size_t prefix = 0, digits;

	for (size_t i = 0; i < ARRAY_SIZE(name_prefixes) && !prefix; i++)
		if (end - s > 3 && memcmp(s, name_prefixes[i], 3) == 0)
			prefix = 3;
	if (!prefix && count_hex(s, end) == 2 && end - s > 3 && s[2] == '-')
		prefix = 3;
	digits = prefix ? count_hex(s + prefix, end) : 0;
	if (!digits || digits > REDACT_DIGITS ||
	    (s + prefix + digits < end && isalnum((unsigned char)s[prefix + digits])))
		return false;
	*ret = (struct found) { prefix + digits, prefix, PAIRS, '\0' };
	return true;
}

/* What a cut address becomes: so much of the first one that begins like it. */
static void cut_key(const struct redact *r, char *key, size_t digits)
{
	char whole[REDACT_DIGITS + 1];

	for (size_t i = 0; i < r->n; i++) {
		if (strncmp(r->keys[i], key, digits) != 0)
			continue;
		format_key(whole, i + 1);
		memcpy(key, whole, digits);
		return;
	}
}

/* The number of an address, from 1; 0 for one that says nothing; -ENOMEM. */
static long number_of(struct redact *r, const char *key)
{
	int error;

	if (strspn(key, "0") == REDACT_DIGITS || strspn(key, "f") == REDACT_DIGITS)
		return 0;
	for (size_t i = 0; i < r->n; i++)
		if (streq(r->keys[i], key))
			return (long)i + 1;
	error = array_grow(&r->keys, r->n, sizeof(*r->keys));
	if (error < 0)
		return error;
	strcpy(r->keys[r->n], key);
	return (long)++r->n;
}

static int print_found(struct redact *r, FILE *f, const char *s, const struct found *at)
{
	char key[REDACT_DIGITS + 1] = "";
	size_t digits = 0, skip = (at->pairs - PAIRS) * 2;
	long number;

	for (size_t i = at->prefix; i < at->length && digits < REDACT_DIGITS; i++) {
		if (!isxdigit((unsigned char)s[i]) || (skip && skip--))
			continue;
		key[digits++] = (char)tolower((unsigned char)s[i]);
	}
	if (digits < REDACT_DIGITS) {
		cut_key(r, key, digits);
		if (f)
			fprintf(f, "%.*s%s", (int)at->prefix, s, key);
		return 0;
	}
	number = number_of(r, key);
	if (number < 0)
		return (int)number;
	if (number)
		format_key(key, (size_t)number);
	if (!f)
		return 0;
	fwrite(s, 1, at->prefix, f);
	for (size_t i = 0; i < at->pairs - PAIRS; i++)
		fprintf(f, "00%c", at->divider);
	for (size_t i = 0; i < PAIRS; i++) {
		if (i && at->divider)
			fputc(at->divider, f);
		fwrite(key + 2 * i, 1, 2, f);
	}
	return 0;
}

int redact_print(struct redact *r, FILE *f, const char *text, size_t size)
{
	const char *end = text + size;
	bool inside = false; /* of a word */
	struct found at;
	int error;

	for (const char *s = text; s < end;) {
		if (!inside && isalnum((unsigned char)*s) &&
		    (find_pairs(s, end, &at) || find_digits(s, end, &at))) {
			error = print_found(r, f, s, &at);
			if (error < 0)
				return error;
			s += at.length;
			inside = true;
			continue;
		}
		inside = isalnum((unsigned char)*s);
		if (f)
			fputc(*s, f);
		s++;
	}
	return 0;
}
