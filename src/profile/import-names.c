// SPDX-License-Identifier: GPL-2.0-or-later
// import-names.c - whose file it is that is imported, and what its variables mean
#include "profile/import-private.h"

#include <ctype.h>

#define ONE_POLICY (1 << IMPORT_KINDS_) /* N of policyN may follow the name */

/*
 * cpufrequtils 008 (its init scripts), cpupower of Linux 6.18 (cpupower.sh), and before
 * that in Arch Linux (lower case) and Red Hat (options); OpenWrt: of ImmortalWrt (by
 * policy), of lede (minifreq, factor) and of the "general" section.
 */
static const struct {
	const char *name;
	unsigned kinds;
	enum import_what what;
} names[] = {
#define OLD (1 << IMPORT_CPUFREQUTILS)
#define NEW (1 << IMPORT_CPUPOWER)
#define LOAD (1 << IMPORT_LOADCPUFREQ)
#define UCI (1 << IMPORT_UCI)
	{ "ENABLE", OLD | LOAD, IMPORT_ENABLE },
	{ "GOVERNOR", OLD | NEW, IMPORT_GOVERNOR },
	{ "MIN_SPEED", OLD, IMPORT_MIN },
	{ "MAX_SPEED", OLD, IMPORT_MAX },
	{ "MIN_FREQ", NEW, IMPORT_MIN },
	{ "MAX_FREQ", NEW, IMPORT_MAX },
	{ "FREQ", NEW, IMPORT_FREQ },
	{ "EPP", NEW, IMPORT_PREFERENCE },
	{ "PERF_BIAS", NEW, IMPORT_NO_KEY },
	{ "governor", NEW | UCI | ONE_POLICY, IMPORT_GOVERNOR },
	{ "min_freq", NEW, IMPORT_MIN },
	{ "max_freq", NEW, IMPORT_MAX },
	{ "freq", NEW, IMPORT_FREQ },
	{ "perf_bias", NEW, IMPORT_NO_KEY },
	{ "CPUPOWER_START_OPTS", NEW, IMPORT_OPTIONS },
	{ "CPUPOWER_STOP_OPTS", NEW, IMPORT_NOTHING },
	{ "FREQDRIVER", LOAD, IMPORT_NO_KEY },
	{ "minfreq", UCI | ONE_POLICY, IMPORT_MIN },
	{ "maxfreq", UCI | ONE_POLICY, IMPORT_MAX },
	{ "minifreq", UCI, IMPORT_MIN },
	{ "upthreshold", UCI | ONE_POLICY, IMPORT_UP_THRESHOLD },
	{ "up_threshold", UCI, IMPORT_UP_THRESHOLD },
	{ "sdfactor", UCI | ONE_POLICY, IMPORT_DOWN_FACTOR },
	{ "factor", UCI, IMPORT_DOWN_FACTOR },
	{ "sampling_down_factor", UCI, IMPORT_DOWN_FACTOR },
	{ "fan_temp", UCI, IMPORT_NO_KEY },
	{ "set", UCI, IMPORT_NOTHING }, /* that its defaults have been written */
#undef OLD
#undef NEW
#undef LOAD
#undef UCI
};

static const char *const keys[IMPORT_KEYS_] = {
	[IMPORT_GOVERNOR] = "governor",
	[IMPORT_MIN] = "min_freq",
	[IMPORT_MAX] = "max_freq",
	[IMPORT_UP_THRESHOLD] = "ondemand.up_threshold",
	[IMPORT_DOWN_FACTOR] = "ondemand.sampling_down_factor",
	[IMPORT_PREFERENCE] = "energy_performance_preference",
};

const char *import_key(enum import_what what)
{
	return keys[what];
}

const char *import_kind_name(enum import_kind kind)
{
	static const char *const kinds[IMPORT_KINDS_] = {
		[IMPORT_CPUFREQUTILS] = "cpufrequtils",
		[IMPORT_CPUPOWER] = "cpupower",
		[IMPORT_LOADCPUFREQ] = "loadcpufreq",
		[IMPORT_UCI] = "cpufreq",
	};

	return kinds[kind];
}

/* At most three digits to the end: N of policyN. */
static bool read_policy(const char *s, int *ret)
{
	size_t n = strspn(s, "0123456789");

	if (n == 0 || n > 3 || s[n] || (n > 1 && *s == '0'))
		return false;
	for (*ret = 0; *s; s++)
		*ret = *ret * 10 + (*s - '0');
	return true;
}

enum import_what import_what_of(enum import_kind kind, const char *name, int *ret_policy)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *rest = str_after(name, names[i].name);

		if (!rest || !(names[i].kinds & 1 << kind))
			continue;
		*ret_policy = IMPORT_ALL_POLICIES;
		if (!*rest || (kind == IMPORT_UCI && names[i].kinds & ONE_POLICY &&
			       read_policy(rest, ret_policy)))
			return names[i].what;
	}
	return IMPORT_UNKNOWN;
}

/* Whether the first word is one of UCI's, and something follows it. */
static bool is_uci(const char *text, size_t size)
{
	static const char *const words[] = { "config", "option", "list", "package" };
	const char *end = text + size;

	while (text < end) {
		const char *newline = memchr(text, '\n', end - text);

		while (text < end && isspace((unsigned char)*text))
			text++;
		if (text < end && *text != '#')
			break;
		newline = text < end ? memchr(text, '\n', end - text) : NULL;
		text = newline ? newline + 1 : end;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(end - text) > n && memcmp(text, words[i], n) == 0 &&
		    (text[n] == ' ' || text[n] == '\t'))
			return true;
	}
	return false;
}

static size_t count_known(const struct shell_variables *v, enum import_kind kind)
{
	size_t n = 0;
	int policy;

	for (size_t i = 0; i < v->n; i++)
		n += import_what_of(kind, v->items[i].name, &policy) != IMPORT_UNKNOWN;
	return n;
}

int import_kind_of(const char *file, const char *text, size_t size, enum import_kind *ret)
{
	static const char *const files[IMPORT_KINDS_] = {
		[IMPORT_CPUFREQUTILS] = "cpufrequtils",
		[IMPORT_LOADCPUFREQ] = "loadcpufreq",
	};
	_cleanup_(profile_errors_clear) struct profile_errors unused = { 0 };
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	enum import_kind best = is_uci(text, size) ? IMPORT_UCI : IMPORT_CPUFREQUTILS;
	struct shell_variables v = { 0 };
	int r = 0;

	if (best != IMPORT_UCI) {
		r = shell_parse(file, text, size, &v, &unused);
		for (enum import_kind i = 0; i < IMPORT_UCI; i++)
			if (count_known(&v, i) > count_known(&v, best))
				best = i;
		for (enum import_kind i = 0; i < IMPORT_UCI; i++)
			if (files[i] && streq(name, files[i]))
				best = i;
	}
	shell_clear(&v);
	if (r == -ENOMEM)
		return r;
	*ret = best;
	return 0;
}
