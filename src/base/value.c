// SPDX-License-Identifier: GPL-2.0-or-later
// value.c - parse, compare and print typed values
#include "base/value.h"

#include <inttypes.h>
#include <strings.h>

#define SCREEN_CPUS_MAX 24 /* characters of a set of CPUs in a table */

static const struct {
	const char *word;
	bool flag;
} flag_words[] = {
	{ "on", true },	  { "off", false },   { "yes", true }, { "no", false },
	{ "true", true }, { "false", false }, { "1", true },   { "0", false },
};

static const struct {
	const char *name;
	uint64_t khz, divided_by;
} freq_units[] = {
	{ "", 1, 1 }, /* a bare number is kHz, as in sysfs and cpufrequtils */
	{ "Hz", 1, 1000 },
	{ "kHz", 1, 1 },
	{ "MHz", 1000, 1 },
	{ "GHz", 1000000, 1 },
};

static int parse_flag(const char *text, bool *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(flag_words); i++)
		if (strcasecmp(text, flag_words[i].word) == 0) {
			*ret = flag_words[i].flag;
			return 0;
		}
	return -EINVAL;
}

static int parse_number(const char *text, uint64_t *ret)
{
	size_t n = strspn(text, "0123456789");

	if (n == 0 || text[n])
		return -EINVAL;
	errno = 0;
	*ret = strtoull(text, NULL, 10);
	return errno ? -ERANGE : 0;
}

/*
 * Digits with at most nine after a point: the number is *ret_digits / *ret_divisor, at
 * most 10^12 over 10^9, so that products with a unit fit in 64 bits.
 */
static int parse_decimal(const char **text, uint64_t *ret_digits, uint64_t *ret_divisor)
{
	const char *s = *text;
	uint64_t v = 0, divisor = 1;
	int fraction = -1;

	if (!(*s >= '0' && *s <= '9'))
		return -EINVAL;
	for (; (*s >= '0' && *s <= '9') || (*s == '.' && fraction < 0); s++) {
		if (*s == '.') {
			fraction = 0;
			continue;
		}
		if (fraction >= 0) {
			if (++fraction > 9)
				return -EINVAL;
			divisor *= 10;
		}
		v = v * 10 + (*s - '0');
		if (v > 1000000000000)
			return -ERANGE;
	}
	if (fraction == 0)
		return -EINVAL;
	*text = s;
	*ret_digits = v;
	*ret_divisor = divisor;
	return 0;
}

static int parse_freq(const char *text, uint32_t *ret)
{
	uint64_t v, divisor;
	int r;

	if (strcasecmp(text, "hw-min") == 0 || strcasecmp(text, "hw-max") == 0) {
		*ret = strcasecmp(text, "hw-min") == 0 ? FREQ_HW_MIN : FREQ_HW_MAX;
		return 0;
	}
	r = parse_decimal(&text, &v, &divisor);
	if (r < 0)
		return r;
	while (*text == ' ')
		text++;
	for (size_t i = 0; i < ARRAY_SIZE(freq_units); i++) {
		if (strcasecmp(text, freq_units[i].name) != 0)
			continue;
		v *= freq_units[i].khz;
		divisor *= freq_units[i].divided_by;
		if (v % divisor)
			return -EINVAL;
		v /= divisor;
		/* kernel/power/qos.c takes a signed 32-bit number; 0 is no clock */
		if (v == 0 || v > INT32_MAX)
			return -ERANGE;
		*ret = (uint32_t)v;
		return 0;
	}
	return -EINVAL;
}

/* "75C", "-5C", "62.5C": the unit is not optional. */
static int parse_temp(const char *text, int *ret)
{
	bool negative = *text == '-';
	uint64_t v, divisor;
	int r;

	text += negative;
	r = parse_decimal(&text, &v, &divisor);
	if (r < 0)
		return r;
	while (*text == ' ')
		text++;
	v *= 1000;
	if (strcasecmp(text, "C") != 0 || v % divisor)
		return -EINVAL;
	v /= divisor;
	if (v > 1000000)
		return -ERANGE;
	*ret = negative ? -(int)v : (int)v;
	return 0;
}

static const char *const cpus_names[] = {
	[CPUS_LISTED] = "none", /* the empty set; it has no other spelling */
	[CPUS_ALL] = "all",
	[CPUS_BIG] = "big",
	[CPUS_LITTLE] = "little",
};

static int parse_cpus(const char *text, struct cpus *ret_set, enum cpus_name *ret_name)
{
	const char *mask = str_after(text, "0x");

	*ret_set = (struct cpus) { 0 };
	*ret_name = CPUS_LISTED;
	for (size_t i = 0; i < ARRAY_SIZE(cpus_names); i++)
		if (streq(text, cpus_names[i])) {
			*ret_name = (enum cpus_name)i;
			return 0;
		}
	if (!mask)
		mask = str_after(text, "0X");
	return mask ? cpus_parse_mask(mask, ret_set) : cpus_parse_list(text, ret_set);
}

static int parse_word(const char *text, const char *allowed_extra, char *ret)
{
	size_t n = strlen(text);

	if (n == 0 || n >= VALUE_WORD_MAX)
		return n ? -ERANGE : -EINVAL;
	for (const char *s = text; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 127 ||
		    (*s == '|' && !strchr(allowed_extra, '|')))
			return -EINVAL;
	/* a fallback list has a word on either side of each bar */
	if (text[0] == '|' || text[n - 1] == '|' || strstr(text, "||"))
		return -EINVAL;
	memcpy(ret, text, n + 1);
	return 0;
}

/* "a | b" is the same list as "a|b". */
static int parse_words(const char *text, char *ret)
{
	char compact[VALUE_WORD_MAX];
	size_t n = 0;

	if (strlen(text) >= sizeof(compact))
		return -ERANGE;
	for (const char *s = text; *s; s++) {
		const char *next = s + strspn(s, " \t");

		if (next != s && (*next == '|' || (n && compact[n - 1] == '|')))
			s = next;
		if (!*s)
			break;
		compact[n++] = *s;
	}
	compact[n] = '\0';
	return parse_word(compact, "|", ret);
}

/* Blanks and tabs between words become one blank each, as sysctl values are compared. */
static int parse_line(const char *text, char *ret)
{
	size_t n = 0;

	for (const char *s = text + strspn(text, " \t"); *s;) {
		if (n + 1 >= VALUE_WORD_MAX)
			return -ERANGE;
		if (*s != ' ' && *s != '\t') {
			ret[n++] = *s++;
			continue;
		}
		s += strspn(s, " \t");
		if (*s)
			ret[n++] = ' ';
	}
	ret[n] = '\0';
	return n ? 0 : -EINVAL;
}

int value_parse(enum value_type type, const char *text, struct value *ret)
{
	struct value v = { .type = type };
	bool flag;
	int r = -EINVAL;

	switch (type) {
	case VALUE_NONE:
		break;
	case VALUE_WORD:
		r = parse_word(text, "", v.word);
		break;
	case VALUE_WORDS:
		r = parse_words(text, v.word);
		break;
	case VALUE_LINE:
		r = parse_line(text, v.word);
		break;
	case VALUE_TEXT:
		r = strlen(text) < sizeof(v.word) ? 0 : -ERANGE;
		if (r == 0)
			strcpy(v.word, text);
		break;
	case VALUE_FLAG:
		r = parse_flag(text, &v.flag);
		break;
	case VALUE_NUMBER:
		r = parse_number(text, &v.number);
		break;
	case VALUE_FREQ:
		r = parse_freq(text, &v.khz);
		break;
	case VALUE_TEMP:
		r = parse_temp(text, &v.millicelsius);
		break;
	case VALUE_CPUS:
		r = parse_cpus(text, &v.cpus.set, &v.cpus.name);
		break;
	case VALUE_FEATURE:
		r = parse_flag(text, &flag);
		if (r == 0)
			v = value_feature(flag, flag);
		break;
	}
	if (r == 0)
		*ret = v;
	return r;
}

const char *value_expects(enum value_type type)
{
	switch (type) {
	case VALUE_NONE:
		break;
	case VALUE_WORD:
		return _("one word");
	case VALUE_WORDS:
		return _("one word, or several with a fallback such as "
			 "schedutil|ondemand");
	case VALUE_LINE:
		return _("numbers or words, with blanks between them");
	case VALUE_TEXT:
		return _("text of at most 198 bytes");
	case VALUE_FLAG:
	case VALUE_FEATURE:
		return _("on or off");
	case VALUE_NUMBER:
		return _("a whole number such as 100");
	case VALUE_FREQ:
		return _("a frequency such as 408MHz (a bare number is kHz), hw-min or "
			 "hw-max");
	case VALUE_CPUS:
		return _("CPUs such as 0,2-3, all, big, little or none, or a mask such "
			 "as 0x5");
	case VALUE_TEMP:
		return _("a temperature with its unit such as 75C");
	}
	return "";
}

bool value_equal(const struct value *a, const struct value *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case VALUE_NONE:
		return true;
	case VALUE_WORD:
	case VALUE_WORDS:
	case VALUE_LINE:
	case VALUE_TEXT:
		return streq(a->word, b->word);
	case VALUE_FLAG:
		return a->flag == b->flag;
	case VALUE_NUMBER:
		return a->number == b->number;
	case VALUE_FREQ:
		return a->khz == b->khz;
	case VALUE_TEMP:
		return a->millicelsius == b->millicelsius;
	case VALUE_CPUS:
		return a->cpus.name == b->cpus.name &&
		       cpus_equal(&a->cpus.set, &b->cpus.set);
	case VALUE_FEATURE:
		return a->feature.active == b->feature.active &&
		       a->feature.requested == b->feature.requested;
	}
	return false;
}

char *value_format(const struct value *v, char buf[static VALUE_TEXT_MAX])
{
	buf[0] = '\0';
	switch (v->type) {
	case VALUE_NONE:
		break;
	case VALUE_WORD:
	case VALUE_WORDS:
	case VALUE_LINE:
	case VALUE_TEXT:
		strcpy(buf, v->word);
		break;
	case VALUE_FLAG:
		strcpy(buf, v->flag ? "on" : "off");
		break;
	case VALUE_NUMBER:
		snprintf(buf, VALUE_TEXT_MAX, "%" PRIu64, v->number);
		break;
	case VALUE_FREQ:
		if (v->khz == FREQ_HW_MIN || v->khz == FREQ_HW_MAX)
			strcpy(buf, v->khz == FREQ_HW_MIN ? "hw-min" : "hw-max");
		else
			snprintf(buf, VALUE_TEXT_MAX, "%" PRIu32, v->khz);
		break;
	case VALUE_TEMP:
		snprintf(buf, VALUE_TEXT_MAX, "%d", v->millicelsius);
		break;
	case VALUE_CPUS:
		if (v->cpus.name == CPUS_LISTED)
			cpus_format_list(&v->cpus.set, buf, VALUE_TEXT_MAX);
		else
			strcpy(buf, cpus_names[v->cpus.name]);
		break;
	case VALUE_FEATURE:
		strcpy(buf, v->feature.active ? "on" : "off");
		break;
	}
	return buf;
}

char *value_format_human(const struct value *v, char buf[static VALUE_TEXT_MAX])
{
	if (v->type == VALUE_NONE)
		return strcpy(buf, "-");
	if (v->type == VALUE_CPUS && v->cpus.name == CPUS_LISTED)
		return cpus_empty(&v->cpus.set)
			       ? strcpy(buf, cpus_names[CPUS_LISTED])
			       : cpus_format_list(&v->cpus.set, buf, SCREEN_CPUS_MAX);
	if (v->type == VALUE_TEMP) {
		snprintf(buf, VALUE_TEXT_MAX, "%.1f C", v->millicelsius / 1000.0);
		return buf;
	}
	if (v->type != VALUE_FREQ || v->khz == FREQ_HW_MIN || v->khz == FREQ_HW_MAX)
		return value_format(v, buf);
	if (v->khz % 1000 == 0)
		snprintf(buf, VALUE_TEXT_MAX, "%" PRIu32 " MHz", v->khz / 1000);
	else
		snprintf(buf, VALUE_TEXT_MAX, "%" PRIu32 " kHz", v->khz);
	return buf;
}

struct value value_word(const char *word)
{
	struct value v = { .type = VALUE_WORD };

	snprintf(v.word, sizeof(v.word), "%s", word);
	return v;
}

struct value value_line(const char *line)
{
	struct value v = { .type = VALUE_LINE };

	snprintf(v.word, sizeof(v.word), "%s", line);
	return v;
}

struct value value_flag(bool flag)
{
	return (struct value) { .type = VALUE_FLAG, .flag = flag };
}

struct value value_number(uint64_t number)
{
	return (struct value) { .type = VALUE_NUMBER, .number = number };
}

struct value value_freq(uint32_t khz)
{
	return (struct value) { .type = VALUE_FREQ, .khz = khz };
}

struct value value_temp(int millicelsius)
{
	return (struct value) { .type = VALUE_TEMP, .millicelsius = millicelsius };
}

struct value value_cpus(const struct cpus *set)
{
	return (struct value) { .type = VALUE_CPUS, .cpus = { .set = *set } };
}

struct value value_feature(bool active, bool requested)
{
	return (struct value) { .type = VALUE_FEATURE,
				.feature = { .active = active, .requested = requested } };
}
