/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value.h - a setting's value: typed, of fixed size, compared by type and never as text
 */
#ifndef BOARDTUNE_VALUE_H
#define BOARDTUNE_VALUE_H

#include "base/cpus.h"

enum value_type {
	VALUE_NONE,    /* not known, or nothing there */
	VALUE_WORD,    /* a name: a governor */
	VALUE_WORDS,   /* profile only: names with a fallback, "schedutil|ondemand" */
	VALUE_FLAG,    /* on or off */
	VALUE_NUMBER,  /* unsigned, decimal */
	VALUE_FREQ,    /* kHz */
	VALUE_TEMP,    /* millidegrees Celsius */
	VALUE_FEATURE, /* a NIC feature: what is in force and what was asked for */
	VALUE_CPUS,    /* a set of CPUs, or in a profile a name for one */
	VALUE_LINE,    /* numbers or words with single blanks between them: a sysctl */
	VALUE_TEXT,    /* profile only: free text, a summary, a host, a pattern */
};

/* Symbolic frequencies of a profile; the knob resolves them. */
#define FREQ_HW_MIN 0u
#define FREQ_HW_MAX UINT32_MAX

/* Names for sets of CPUs in a profile; the knob resolves them. */
enum cpus_name {
	CPUS_LISTED, /* the set itself */
	CPUS_ALL,    /* those that are online */
	CPUS_BIG,
	CPUS_LITTLE,
};

#define VALUE_WORD_MAX 200 /* a profile line has at most 198 bytes */
#define VALUE_TEXT_MAX CPUS_LIST_MAX

struct value {
	enum value_type type;
	union {
		char word[VALUE_WORD_MAX]; /* WORD, WORDS, LINE, TEXT */
		bool flag;
		uint64_t number;
		uint32_t khz;
		int millicelsius;
		struct {
			struct cpus set;
			enum cpus_name name;
		} cpus;
		struct {
			bool active;    /* netdev->features */
			bool requested; /* netdev->wanted_features, for an undo */
		} feature;
	};
};

/**
 * value_parse - profile text to a value
 * @type: what the setting takes
 * @text: without surrounding blanks
 * @ret: untouched on failure
 *
 * Frequencies: a bare number is kHz; Hz, kHz, MHz, GHz in any case, with a fraction
 * ("1.2GHz") if it gives whole kHz; hw-min, hw-max. Flags and features: on, off, yes, no,
 * true, false, 1, 0. Numbers: plain decimal. Temperatures carry their unit: "75C",
 * "62.5C". CPU sets: "0,2-3", all, big, little, none, or a mask as "0x5"; a mask without
 * 0x is refused, as it could be a list. Returns 0, -EINVAL, or -ERANGE.
 */
int value_parse(enum value_type type, const char *text, struct value *ret);

/** value_expects - a translated phrase for an error: "on or off" */
const char *value_expects(enum value_type type);

/** value_equal - same type and same value; a feature by both its bits */
bool value_equal(const struct value *a, const struct value *b);

/**
 * value_format - the value as JSON and the undo record carry it
 * @buf: VALUE_TEXT_MAX bytes
 *
 * kHz in decimal, CPU sets as lists (names as they are), flags and the active bit of a
 * feature as on/off, NONE as "". Returns @buf.
 */
char *value_format(const struct value *v, char buf[static VALUE_TEXT_MAX]);

/** value_format_human - the same for a screen: "1296 MHz"; long sets of CPUs are cut */
char *value_format_human(const struct value *v, char buf[static VALUE_TEXT_MAX]);

struct value value_word(const char *word);
struct value value_line(const char *line);
struct value value_flag(bool flag);
struct value value_number(uint64_t number);
struct value value_freq(uint32_t khz);
struct value value_temp(int millicelsius);
struct value value_cpus(const struct cpus *set);
struct value value_feature(bool active, bool requested);

#endif
