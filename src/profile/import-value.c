// SPDX-License-Identifier: GPL-2.0-or-later
// import-value.c - the values of an imported file: governors, frequencies, numbers
#include "profile/import-private.h"

#include <ctype.h>
#include <inttypes.h>
#include <strings.h>

#include "knobs/cpufreq-policy.h"
#include "profile/reader.h"

#define PREFERENCE_MAX 64 /* bytes of a word that fits on a line of a profile */

/* cpufreq-set(1), cpupower-frequency-set(1): kHz is the default; no blank before it. */
static const struct {
	const char *name;
	uint64_t hz;
} units[] = {
	{ "", 1000 },	    { "Hz", 1 },	   { "kHz", 1000 },
	{ "MHz", 1000000 }, { "GHz", 1000000000 }, { "THz", 1000000000000 },
};

/* The kernel compares governors without regard to case and lists them in lower case. */
static void read_governor(struct import *im, struct import_item *item)
{
	char quoted[READER_QUOTE_MAX];
	struct value word;
	const char *near = NULL;

	if (value_parse(VALUE_WORD, item->value, &word) == 0) {
		for (char *s = word.word; *s; s++)
			*s = tolower((unsigned char)*s);
		if (cpufreq_governor_known(word.word)) {
			strcpy(item->value, word.word);
			return;
		}
		near = cpufreq_governor_nearest(word.word);
	}
	reader_quote(item->value, strlen(item->value), quoted);
	if (near)
		profile_error_add(im->errors, im->file, item->line,
				  _("unknown governor \"%s\"; did you mean %s?"), quoted,
				  near);
	else
		profile_error_add(im->errors, im->file, item->line,
				  _("unknown governor \"%s\"; expected one such as "
				    "schedutil, ondemand or performance"),
				  quoted);
}

/*
 * Digits, at most nine after a point, and a unit, rounded to whole kHz. Returns 0,
 * 1 when it had to be rounded, -EINVAL or -ERANGE (qos.c takes a signed 32-bit number).
 */
static int parse_speed(const char *text, uint32_t *ret_khz)
{
	size_t whole = strspn(text, "0123456789"), fraction = 0;
	uint64_t v = 0, divisor = 1000; /* units are in Hz */
	const char *unit = text + whole;

	if (whole == 0)
		return -EINVAL;
	if (*unit == '.') {
		fraction = strspn(++unit, "0123456789");
		unit += fraction;
		if (fraction == 0 || fraction > 9)
			return -EINVAL;
	}
	if (whole + fraction > 18)
		return -ERANGE;
	for (const char *s = text; s < unit; s++)
		if (*s != '.')
			v = v * 10 + (*s - '0');
	for (; fraction; fraction--)
		divisor *= 10;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		uint64_t hz = units[i].hz, over = divisor, rounded;

		if (strcasecmp(unit, units[i].name) != 0)
			continue;
		/* both are powers of ten: shortened, the product fits or is too large */
		for (; hz % 10 == 0 && over % 10 == 0; over /= 10)
			hz /= 10;
		if (v > (UINT64_MAX - over) / hz)
			return -ERANGE;
		rounded = (v * hz + over / 2) / over;
		if (rounded > INT32_MAX || (rounded == 0 && v))
			return -ERANGE;
		*ret_khz = rounded;
		return v * hz % over != 0;
	}
	return -EINVAL;
}

static void read_frequency(struct import *im, struct import_item *item)
{
	int r = parse_speed(item->value, &item->khz);
	char quoted[READER_QUOTE_MAX];

	reader_quote(item->value, strlen(item->value), quoted);
	if (r < 0)
		profile_error_add(im->errors, im->file, item->line,
				  r == -ERANGE ? _("%s=\"%s\" is out of range; expected "
						   "%s")
					       : _("%s=\"%s\" is no frequency; expected "
						   "%s"),
				  item->name, quoted,
				  _("a number of kHz, or one with Hz, kHz, MHz, GHz or "
				    "THz"));
	else if (r > 0)
		profile_error_add(im->remarks, im->file, item->line,
				  _("%s is rounded to %" PRIu32 " kHz"), quoted,
				  item->khz);
	if (item->khz == 0)
		*item->value = '\0';
}

/* What the kernel takes (ondemand of 6.18): 1 to 100, 1 to 100000. */
static void read_number(struct import *im, struct import_item *item)
{
	unsigned max = item->what == IMPORT_UP_THRESHOLD ? 100 : 100000;
	char quoted[READER_QUOTE_MAX];
	struct value v;

	if (value_parse(VALUE_NUMBER, item->value, &v) == 0 && v.number >= 1 &&
	    v.number <= max) {
		sprintf(item->value, "%" PRIu64, v.number); /* never longer */
		return;
	}
	profile_error_add(im->errors, im->file, item->line,
			  _("%s=\"%s\": expected a number from 1 to %u"), item->name,
			  reader_quote(item->value, strlen(item->value), quoted), max);
}

static void read_preference(struct import *im, struct import_item *item)
{
	size_t n = strspn(item->value, "abcdefghijklmnopqrstuvwxyz_0123456789");
	char quoted[READER_QUOTE_MAX];

	/* The kernel's names (6.18), and Intel's numbers. */
	if (n < strlen(item->value) || n > PREFERENCE_MAX)
		profile_error_add(im->errors, im->file, item->line,
				  _("%s=\"%s\"; expected %s"), item->name,
				  reader_quote(item->value, strlen(item->value), quoted),
				  value_expects(VALUE_WORD));
}

static void read_value(struct import *im, struct import_item *item)
{
	switch (item->what) {
	case IMPORT_GOVERNOR:
		read_governor(im, item);
		break;
	case IMPORT_MIN:
	case IMPORT_MAX:
		read_frequency(im, item);
		break;
	case IMPORT_UP_THRESHOLD:
	case IMPORT_DOWN_FACTOR:
		read_number(im, item);
		break;
	case IMPORT_PREFERENCE:
		read_preference(im, item);
		break;
	case IMPORT_FREQ:
	case IMPORT_ENABLE:
	case IMPORT_OPTIONS:
	case IMPORT_NO_KEY:
	case IMPORT_NOTHING:
	case IMPORT_UNKNOWN:
		break;
	}
}

/* cpupower.sh: all but FREQ is ignored then; frequency-set -f takes userspace. */
static int spread_frequency(struct import *im)
{
	const struct import_item *found =
		import_item_find(im, IMPORT_FREQ, IMPORT_ALL_POLICIES);
	const char *name, *value;
	unsigned line;
	int r = 0;

	if (!found || !*found->value)
		return 0;
	name = found->name; /* the item moves, what it points to does not */
	value = found->value;
	line = found->line;
	profile_error_add(im->remarks, im->file, line,
			  _("%s is a fixed clock of the governor userspace: here both "
			    "limits, which any governor keeps; governor and limits of "
			    "the file do not count"),
			  name);
	import_items_drop(im, IMPORT_MAX);
	for (enum import_what i = IMPORT_MIN; r == 0 && i <= IMPORT_MAX; i++)
		r = import_item_set(im, i, IMPORT_ALL_POLICIES, name, value, line);
	return r;
}

/* The kernel goes to a point, max_freq down and min_freq up; beyond the ends to them. */
static uint32_t kernel_uses(const struct import_policy *p, bool max, uint32_t khz)
{
	uint32_t lowest = p->khz[0], highest = p->khz[p->n - 1], used;

	if (khz <= lowest || khz >= highest)
		return khz <= lowest ? lowest : highest;
	if (p->continuous)
		return khz;
	used = max ? lowest : highest;
	for (size_t i = 0; i < p->n; i++)
		if (max ? p->khz[i] <= khz : p->khz[i] >= khz) {
			used = p->khz[i];
			if (!max)
				break;
		}
	return used;
}

static bool is_about(const struct import_item *item, const struct import_policy *p)
{
	unsigned n;

	return item->policy == IMPORT_ALL_POLICIES ||
	       (cpufreq_policy_number(p->name, &n) == 0 && (int)n == item->policy);
}

static void remark_points(struct import *im, const struct import_item *item)
{
	uint32_t khz = item->khz;

	for (size_t i = 0; i < im->board->n_policies; i++) {
		const struct import_policy *p = &im->board->policies[i];
		uint32_t used = kernel_uses(p, item->what == IMPORT_MAX, khz);

		if (!is_about(item, p))
			continue;
		/* as plan judges it: design section 3 */
		if (khz < p->khz[0] / 2 || khz / 2 > p->khz[p->n - 1])
			profile_error_add(im->remarks, im->file, item->line,
					  _("%" PRIu32 " kHz is far from what %s can do "
					    "(%" PRIu32 "-%" PRIu32 " kHz): a wrong "
								    "unit? "
					    "plan will refuse it"),
					  khz, p->name, p->khz[0], p->khz[p->n - 1]);
		else if (used != khz)
			profile_error_add(im->remarks, im->file, item->line,
					  _("%" PRIu32 " kHz is no operating point of "
						       "%s; "
					    "the kernel uses %" PRIu32 " kHz"),
					  khz, p->name, used);
	}
}

static void check_order(struct import *im, const struct import_item *min)
{
	const struct import_item *max = import_item_find(im, IMPORT_MAX, min->policy);

	if (max && max->khz && min->khz > max->khz)
		profile_error_add(im->errors, im->file, min->line,
				  _("%s of %" PRIu32 " kHz is above %s of %" PRIu32
				    " kHz on line %u; expected it below"),
				  min->name, min->khz, max->name, max->khz, max->line);
}

int import_check_values(struct import *im)
{
	struct import_item *freq = import_item_find(im, IMPORT_FREQ, IMPORT_ALL_POLICIES);
	size_t before = im->errors->n;
	int r;

	if (freq && *freq->value)
		read_frequency(im, freq);
	if (im->errors->n != before)
		return 0;
	r = spread_frequency(im);
	for (size_t i = 0; r == 0 && i < im->n; i++) {
		struct import_item *item = &im->items[i];

		if (*item->value && item->what < IMPORT_KEYS_)
			read_value(im, item);
		if (item->khz && item->what < IMPORT_KEYS_)
			remark_points(im, item);
	}
	for (size_t i = 0; r == 0 && i < im->n; i++)
		if (im->items[i].what == IMPORT_MIN && im->items[i].khz)
			check_order(im, &im->items[i]);
	return r;
}
