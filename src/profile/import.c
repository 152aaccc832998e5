// SPDX-License-Identifier: GPL-2.0-or-later
// import.c - /etc/default/cpufrequtils as a profile
#include "profile/import.h"

#include <ctype.h>
#include <inttypes.h>
#include <strings.h>

#include "knobs/cpufreq.h"
#include "profile/reader.h"
#include "profile/shell.h"

/* The variables of cpufrequtils' init script (Debian), in the order of the profile. */
enum import_variable {
	IMPORT_GOVERNOR,
	IMPORT_MIN_SPEED,
	IMPORT_MAX_SPEED,
	IMPORT_ENABLE,
	IMPORT_MAX_,
};

static const struct {
	const char *name, *key;
} variables[IMPORT_MAX_] = {
	[IMPORT_GOVERNOR] = { "GOVERNOR", "governor" },
	[IMPORT_MIN_SPEED] = { "MIN_SPEED", "min_freq" },
	[IMPORT_MAX_SPEED] = { "MAX_SPEED", "max_freq" },
	[IMPORT_ENABLE] = { "ENABLE", NULL },
};

/* cpufreq-set(1): kHz is the default; no blank before the unit. */
static const struct {
	const char *name;
	uint64_t hz;
} units[] = {
	{ "", 1000 },	    { "Hz", 1 },	   { "kHz", 1000 },
	{ "MHz", 1000000 }, { "GHz", 1000000000 }, { "THz", 1000000000000 },
};

struct import {
	const char *file;
	struct shell_variables shell;
	const struct shell_variable *last[IMPORT_MAX_]; /* NULL: not there */
	char governor[VALUE_WORD_MAX];			/* "": leave alone */
	uint32_t khz[IMPORT_MAX_];			/* 0: leave alone */
	bool enabled;
	const struct import_policies *policies;
	struct profile_errors *remarks, *errors;
};

static void find_variables(struct import *im)
{
	for (size_t i = 0; i < im->shell.n; i++) {
		const struct shell_variable *v = &im->shell.items[i];
		const struct shell_variable **last = NULL;
		char quoted[READER_QUOTE_MAX];

		for (size_t k = 0; k < IMPORT_MAX_; k++)
			if (streq(v->name, variables[k].name))
				last = &im->last[k];
		if (!last) {
			reader_quote(v->name, strlen(v->name), quoted);
			profile_error_add(im->remarks, im->file, v->line,
					  _("%s is no variable of cpufrequtils; left "
					    "out"),
					  quoted);
			continue;
		}
		if (*last)
			profile_error_add(im->remarks, im->file, (*last)->line,
					  _("%s is set again on line %u; the last one "
					    "counts"),
					  v->name, v->line);
		*last = v;
	}
}

/* The kernel compares governors without regard to case and lists them in lower case. */
static void read_governor(struct import *im)
{
	const struct shell_variable *v = im->last[IMPORT_GOVERNOR];
	char quoted[READER_QUOTE_MAX];
	struct value word;
	const char *near;

	if (!v || !*v->value)
		return;
	reader_quote(v->value, strlen(v->value), quoted);
	if (value_parse(VALUE_WORD, v->value, &word) == 0) {
		for (char *s = word.word; *s; s++)
			*s = tolower((unsigned char)*s);
		if (cpufreq_governor_known(word.word)) {
			strcpy(im->governor, word.word);
			return;
		}
		near = cpufreq_governor_nearest(word.word);
	} else {
		near = NULL;
	}
	if (near)
		profile_error_add(im->errors, im->file, v->line,
				  _("unknown governor \"%s\"; did you mean %s?"), quoted,
				  near);
	else
		profile_error_add(im->errors, im->file, v->line,
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

static void read_speed(struct import *im, enum import_variable which)
{
	const struct shell_variable *v = im->last[which];
	char quoted[READER_QUOTE_MAX];
	int r;

	if (!v || !*v->value)
		return;
	r = parse_speed(v->value, &im->khz[which]);
	reader_quote(v->value, strlen(v->value), quoted);
	if (r < 0)
		profile_error_add(im->errors, im->file, v->line,
				  r == -ERANGE ? _("%s=\"%s\" is out of range; expected "
						   "%s")
					       : _("%s=\"%s\" is no frequency; expected "
						   "%s"),
				  v->name, quoted,
				  _("a number of kHz, or one with Hz, kHz, MHz, GHz or "
				    "THz"));
	else if (r > 0)
		profile_error_add(im->remarks, im->file, v->line,
				  _("%s is rounded to %" PRIu32 " kHz"), quoted,
				  im->khz[which]);
}

/* cpufrequtils compares with "true" as it stands. */
static void read_enable(struct import *im)
{
	const struct shell_variable *v = im->last[IMPORT_ENABLE];
	char quoted[READER_QUOTE_MAX];

	im->enabled = !v || strcasecmp(v->value, "true") == 0;
	if (!v || streq(v->value, "true"))
		return;
	reader_quote(v->value, strlen(v->value), quoted);
	if (im->enabled)
		profile_error_add(im->remarks, im->file, v->line,
				  _("ENABLE is \"%s\": taken as true, which cpufrequtils "
				    "itself takes only in lower case"),
				  quoted);
	else
		profile_error_add(im->remarks, im->file, v->line,
				  _("ENABLE is \"%s\": cpufrequtils sets nothing, so the "
				    "keys below are comments (Armbian's "
				    "armbian-hardware-optimization does not look at "
				    "ENABLE "
				    "and does set them)"),
				  quoted);
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

static void remark_points(struct import *im, enum import_variable which)
{
	const struct shell_variable *v = im->last[which];
	uint32_t khz = im->khz[which];

	for (size_t i = 0; khz && i < im->policies->n; i++) {
		const struct import_policy *p = &im->policies->items[i];
		uint32_t used = kernel_uses(p, which == IMPORT_MAX_SPEED, khz);

		/* as plan judges it: design section 3 */
		if (khz < p->khz[0] / 2 || khz / 2 > p->khz[p->n - 1])
			profile_error_add(im->remarks, im->file, v->line,
					  _("%" PRIu32 " kHz is far from what %s can do "
					    "(%" PRIu32 "-%" PRIu32 " kHz): a wrong "
								    "unit? "
					    "plan will refuse it"),
					  khz, p->name, p->khz[0], p->khz[p->n - 1]);
		else if (used != khz)
			profile_error_add(im->remarks, im->file, v->line,
					  _("%" PRIu32 " kHz is no operating point of "
						       "%s; "
					    "the kernel uses %" PRIu32 " kHz"),
					  khz, p->name, used);
	}
}

static void check_order(struct import *im)
{
	uint32_t min = im->khz[IMPORT_MIN_SPEED], max = im->khz[IMPORT_MAX_SPEED];

	if (min && max && min > max)
		profile_error_add(im->errors, im->file, im->last[IMPORT_MIN_SPEED]->line,
				  _("MIN_SPEED of %" PRIu32 " kHz is above MAX_SPEED of "
				    "%" PRIu32 " kHz on line %u; expected it below"),
				  min, max, im->last[IMPORT_MAX_SPEED]->line);
}

/* "# text" on as many lines as a profile needs for it. */
static void print_comment(FILE *f, const char *text)
{
	const size_t room = READER_LINE_MAX - 2;

	while (strlen(text) > room) {
		size_t n = room;

		while (n && text[n] != ' ')
			n--;
		if (n == 0) /* one long word: cut between characters */
			for (n = room; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
				n--;
		fprintf(f, "# %.*s\n", (int)n, text);
		text += n + (text[n] == ' ');
	}
	fprintf(f, "# %s\n", text);
}

static int print_remarks(FILE *f, const struct import *im, const char *file)
{
	for (size_t i = 0; im->remarks->items && i < im->remarks->n; i++) {
		const struct profile_error *e = &im->remarks->items[i];
		_cleanup_free_ char *text =
			e->line ? str_format("%s:%u: %s", file, e->line, e->text)
				: str_format("%s: %s", file, e->text);

		if (!text)
			return -ENOMEM;
		print_comment(f, text);
	}
	return 0;
}

static void print_key(FILE *f, const struct import *im, enum import_variable which,
		      const char *file)
{
	const char *mark = im->enabled ? "" : "# ", *key = variables[which].key;
	uint32_t khz = im->khz[which];

	if (which == IMPORT_GOVERNOR ? !*im->governor : !khz)
		return;
	fprintf(f, "# from %s:%u\n", file, im->last[which]->line);
	if (which == IMPORT_GOVERNOR)
		fprintf(f, "%s%s = %s\n", mark, key, im->governor);
	else if (khz % 1000 == 0)
		fprintf(f, "%s%s = %" PRIu32 "MHz\n", mark, key, khz / 1000);
	else
		fprintf(f, "%s%s = %" PRIu32 "kHz\n", mark, key, khz);
}

static int print_profile(const struct import *im, char **ret)
{
	_cleanup_free_ char *text = NULL;
	char file[READER_QUOTE_MAX];
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!f)
		return -ENOMEM;
	reader_quote(im->file, strlen(im->file), file);
	fprintf(f, "# boardtune import %s\n", file);
	r = print_remarks(f, im, file);
	fprintf(f, "\n[main]\nsummary = imported from cpufrequtils\n\n[cpufreq]\n");
	for (size_t i = 0; i < IMPORT_MAX_; i++)
		if (variables[i].key)
			print_key(f, im, i, file);
	if (ferror(f))
		r = -ENOMEM;
	if (fclose(f) != 0)
		r = -ENOMEM;
	if (r == 0)
		*ret = TAKE_PTR(text);
	return r;
}

static void check_empty(struct import *im)
{
	if (!*im->governor && !im->khz[IMPORT_MIN_SPEED] && !im->khz[IMPORT_MAX_SPEED])
		profile_error_add(im->remarks, im->file, 0,
				  _("sets nothing: empty and 0 mean leave alone"));
}

int import_cpufrequtils(const char *file, const char *text, size_t size,
			const struct import_policies *policies, char **ret,
			struct profile_errors *remarks, struct profile_errors *errors)
{
	struct import im = {
		.file = file, .policies = policies, .remarks = remarks, .errors = errors
	};
	size_t before = errors->n;
	int r = shell_parse(file, text, size, &im.shell, errors);

	if (r < 0)
		return r;
	find_variables(&im);
	read_enable(&im);
	read_governor(&im);
	for (enum import_variable i = IMPORT_MIN_SPEED; i <= IMPORT_MAX_SPEED; i++) {
		read_speed(&im, i);
		remark_points(&im, i);
	}
	check_order(&im);
	check_empty(&im);
	r = errors->n == before ? print_profile(&im, ret) : -EBADMSG;
	shell_clear(&im.shell);
	return r;
}
