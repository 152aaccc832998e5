// SPDX-License-Identifier: GPL-2.0-or-later
// nic-match.c - match keys of a [net:*] section: globs, inversion, hardware addresses
#include "knobs/nic-match.h"

#include <ctype.h>
#include <fnmatch.h>

#define BLANKS " \t"
#define PATTERN_MAX 256

static const struct {
	const char *key;
	size_t offset; /* of the text in struct nic_identity */
	bool address;  /* compared as a hardware address */
} match_keys[] = {
	{ "Name", offsetof(struct nic_identity, name), false },
	{ "Driver", offsetof(struct nic_identity, driver), false },
	{ "Path", offsetof(struct nic_identity, path), false },
	{ "MACAddress", offsetof(struct nic_identity, mac), true },
	{ "Type", offsetof(struct nic_identity, type), false },
	{ "Bus", offsetof(struct nic_identity, bus), false },
};

bool nic_match_list(const char *patterns, const char *text)
{
	const char *s = patterns + strspn(patterns, BLANKS);
	bool all_inverted = *s == '!', has_positive = false, has_inverted = false;
	bool match = false;
	char pattern[PATTERN_MAX];
	size_t n;

	s += all_inverted;
	for (s += strspn(s, BLANKS); *s; s += strspn(s, BLANKS)) {
		bool inverted = all_inverted || *s == '!';

		s += *s == '!';
		n = strcspn(s, BLANKS);
		if (n >= sizeof(pattern))
			return false;
		memcpy(pattern, s, n);
		pattern[n] = '\0';
		s += n;
		has_positive |= !inverted;
		has_inverted |= inverted;
		if (!text || fnmatch(pattern, text, 0) != 0)
			continue;
		if (inverted)
			return false;
		match = true;
	}
	return has_positive ? match : has_inverted;
}

/* "0200.0000.000a" of systemd.network(5): twelve digits in three groups. */
static bool is_dotted(const char *s)
{
	for (int i = 0; i < 14; i++)
		if (i % 5 == 4 ? s[i] != '.' : !isxdigit((unsigned char)s[i]))
			return false;
	return s[14] == '\0' || strchr(BLANKS, s[14]);
}

/* The spelling of sysfs: lower case, colons. Hyphens in a bracket stay a range. */
static void address_normalize(const char *patterns, char *ret, size_t size)
{
	bool bracket = false;
	size_t n = 0;

	for (const char *s = patterns; *s && n + 1 < size; s++) {
		if ((s == patterns || strchr(BLANKS "!", s[-1])) && is_dotted(s) &&
		    n + 18 < size) {
			for (int i = 0; i < 14; i += i % 5 == 2 ? 3 : 2)
				n += sprintf(ret + n, "%s%c%c", i ? ":" : "",
					     tolower((unsigned char)s[i]),
					     tolower((unsigned char)s[i + 1]));
			s += 13;
			continue;
		}
		bracket = *s == '[' || (bracket && *s != ']');
		ret[n++] = *s == '-' && !bracket ? ':' : (char)tolower((unsigned char)*s);
	}
	ret[n] = '\0';
}

bool nic_match_key(const struct nic_identity *nic, const char *key, const char *patterns)
{
	char addresses[PATTERN_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(match_keys); i++) {
		const char *text = (const char *)nic + match_keys[i].offset;

		if (!streq(match_keys[i].key, key))
			continue;
		if (match_keys[i].address) {
			address_normalize(patterns, addresses, sizeof(addresses));
			patterns = addresses;
		}
		return nic_match_list(patterns, *text ? text : NULL);
	}
	return false;
}
