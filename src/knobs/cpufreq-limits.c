// SPDX-License-Identifier: GPL-2.0-or-later
// cpufreq-limits.c - scaling_min_freq and scaling_max_freq: rounding, unit slips, cooling
#include "knobs/cpufreq.h"

#include <inttypes.h>

#include "knobs/cpufreq-policy.h"

#define THERMAL_DIR "/sys/class/thermal"
/* Cooling devices are numbered without gaps until one is unplugged. */
#define COOLING_GAP_MAX 32

/* Types of cooling devices that lower the clock of CPUs. */
static const struct {
	const char *type;
	bool one_policy; /* a CPU number follows; else every policy may be meant */
} cooling_types[] = {
	{ "cpufreq-cpu", true },       /* cpufreq_cooling.c, 6.1 and 6.12 */
	{ "thermal-cpufreq-", false }, /* the same before, with a number of its own */
	{ "Processor", false },        /* drivers/acpi/processor_thermal.c */
};

/* What was meant if a number came without its unit. */
static const struct {
	const char *unit;
	uint64_t numerator, denominator; /* of kHz */
} unit_slips[] = {
	{ "MHz", 1000, 1 },
	{ "GHz", 1000000, 1 },
	{ "Hz", 1, 1000 },
};

struct limits {
	uint32_t min, max; /* of the hardware, kHz */
};

static bool limit_is_max(const struct setting *s)
{
	return streq(s->attr, "scaling_max_freq");
}

/* The kind of a cooling device's type; @ret_cpu: whose policy, -1 if any may be meant. */
static bool cooling_parse(const char *type, short *ret_cpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(cooling_types); i++) {
		const char *rest = str_after(type, cooling_types[i].type);
		unsigned long cpu;
		char *end;

		if (!rest)
			continue;
		cpu = strtoul(rest, &end, 10);
		*ret_cpu = cooling_types[i].one_policy && end > rest && !*end &&
					   cpu < CPUS_MAX
				   ? (short)cpu
				   : -1;
		return true;
	}
	return false;
}

/* By number, since listing a directory allocates and this is part of get(). */
static const struct system_cooling *cooling_devices(struct system *sys)
{
	struct system_cooling *c = &sys->cooling;
	char path[CPUFREQ_PATH_MAX], type[64];
	unsigned gap = 0;
	short cpu;

	if (c->known)
		return c;
	c->n = 0;
	for (unsigned i = 0; gap < COOLING_GAP_MAX && c->n < ARRAY_SIZE(c->of); i++) {
		snprintf(path, sizeof(path), THERMAL_DIR "/cooling_device%u/type", i);
		if (sysroot_read(&sys->root, path, type, sizeof(type)) < 0) {
			gap++;
			continue;
		}
		gap = 0;
		if (!cooling_parse(str_chomp(type), &cpu))
			continue;
		c->of[c->n].device = (unsigned short)i;
		c->of[c->n++].cpu = cpu;
	}
	c->known = true;
	return c;
}

bool cpufreq_held(struct system *sys, const char *policy)
{
	const struct system_cooling *cooling = cooling_devices(sys);
	char path[CPUFREQ_PATH_MAX];
	unsigned long state;
	struct cpus cpus;
	bool known;

	if (cooling->n == 0)
		return false;
	known = cpufreq_related_cpus(&sys->root, policy, &cpus) == 0;
	for (unsigned i = 0; i < cooling->n; i++) {
		short cpu = cooling->of[i].cpu;

		if (cpu >= 0 && known && !cpus_test(&cpus, (unsigned)cpu))
			continue;
		snprintf(path, sizeof(path), THERMAL_DIR "/cooling_device%u/cur_state",
			 cooling->of[i].device);
		if (sysroot_read_ulong(&sys->root, path, &state) == 0 && state > 0)
			return true;
	}
	return false;
}

/* Whether a reading may be the cap of a cooling device and not what was asked for. */
static int may_be_cap(struct system *sys, const struct setting *s, const char *policy,
		      uint32_t khz, bool *ret)
{
	uint32_t other;
	int r;

	if (limit_is_max(s)) {
		r = cpufreq_read_khz(&sys->root, policy, "cpuinfo_max_freq", &other);
		*ret = r == 0 && khz < other;
	} else {
		r = cpufreq_read_khz(&sys->root, policy, "scaling_max_freq", &other);
		*ret = r == 0 && khz == other;
	}
	return r;
}

int cpufreq_limit_get(struct system *sys, const struct setting *s,
		      const struct target *t, struct value *ret)
{
	bool cap = false;
	uint32_t khz;
	int r;

	r = cpufreq_policy_online(&sys->root, t->path);
	if (r == 0)
		r = cpufreq_read_khz(&sys->root, t->path, s->attr, &khz);
	if (r == 0)
		r = may_be_cap(sys, s, t->path, khz, &cap);
	if (r < 0)
		return r;
	*ret = value_freq(khz);
	return cap && cpufreq_held(sys, t->path) ? KNOB_HELD : KNOB_READ;
}

int cpufreq_limit_set(struct system *sys, const struct setting *s,
		      const struct target *t, const struct value *v)
{
	char path[CPUFREQ_PATH_MAX], text[16];
	int r;

	r = cpufreq_policy_online(&sys->root, t->path);
	if (r == 0)
		r = cpufreq_path(path, t->path, s->attr);
	if (r < 0)
		return r;
	/* plain decimal: from 6.12 on a leading 0 is octal and a unit is refused */
	snprintf(text, sizeof(text), "%" PRIu32, v->khz);
	return sysroot_write(&sys->root, path, text);
}

/*
 * Move *best to the operating point of a table that a limit is rounded to: the highest
 * one at or below a maximum, the lowest one at or above a minimum; failing that the
 * nearest beyond. The table may be in any order. 0 in *best: none seen yet.
 */
static void table_round(const char *table, uint32_t khz, bool is_max, uint32_t *best)
{
	char *end;

	for (const char *s = table; *s; s = end) {
		unsigned long point = strtoul(s, &end, 10);
		bool fits, best_fits;

		if (end == s)
			break;
		if (point == 0 || point > INT32_MAX)
			continue;
		fits = is_max ? point <= khz : point >= khz;
		best_fits = *best && (is_max ? *best <= khz : *best >= khz);
		if (!*best || (fits && !best_fits) ||
		    (fits == best_fits &&
		     (fits == is_max ? point > *best : point < *best)))
			*best = (uint32_t)point;
	}
}

/*
 * Where the kernel puts a limit that is within those of the hardware (6.1, 6.12). Boost
 * rates may have a table of their own; without one nothing is known above the table, and
 * after boost was on cpuinfo_max_freq stays above it (6.1).
 */
static uint32_t limit_round(const struct sysroot *root, const char *policy,
			    uint32_t khz, bool is_max)
{
	char path[CPUFREQ_PATH_MAX], text[CPUFREQ_TEXT_MAX];
	uint32_t best = 0, top = 0;

	if (cpufreq_path(path, policy, "scaling_available_frequencies") < 0 ||
	    sysroot_read(root, path, text, sizeof(text)) < 0)
		return khz;
	table_round(text, khz, is_max, &best);
	table_round(text, INT32_MAX, true, &top);
	if (!cpufreq_boost_on(root, policy))
		return best ? best : khz;
	if (cpufreq_path(path, policy, "scaling_boost_frequencies") == 0 &&
	    sysroot_read(root, path, text, sizeof(text)) > 0)
		table_round(text, khz, is_max, &best);
	else if (khz > top)
		return khz;
	return best ? best : khz;
}

static bool far_outside(uint64_t khz, const struct limits *hw)
{
	return khz * 2 < hw->min || khz > 2 * (uint64_t)hw->max;
}

/* Whole units only: the hint is meant to be copied. */
static const char *slip_unit(uint32_t khz, const struct limits *hw)
{
	for (size_t i = 0; i < ARRAY_SIZE(unit_slips); i++) {
		uint64_t meant = khz * unit_slips[i].numerator /
				 unit_slips[i].denominator;

		if (meant >= hw->min && meant <= hw->max)
			return unit_slips[i].unit;
	}
	return NULL;
}

static int expect_slip(uint32_t khz, const struct limits *hw, const char *policy,
		       char *note)
{
	const char *unit = slip_unit(khz, hw);

	if (unit)
		snprintf(note, KNOB_NOTE_MAX,
			 _("%u kHz is far outside %u-%u kHz of %.32s; did you mean "
			   "%u%s?"),
			 khz, hw->min, hw->max, policy, khz, unit);
	else
		snprintf(note, KNOB_NOTE_MAX,
			 _("%u kHz is far outside %u-%u kHz of %.32s"), khz, hw->min,
			 hw->max, policy);
	return -ERANGE;
}

static void expect_rounded(uint32_t khz, uint32_t rounded, const struct limits *hw,
			   struct expectation *ret)
{
	ret->rounded = value_freq(rounded);
	if (khz < hw->min)
		snprintf(ret->note, sizeof(ret->note),
			 _("%u kHz is below the hardware's minimum; the kernel uses %u "
			   "kHz"),
			 khz, rounded);
	else if (khz > hw->max)
		snprintf(ret->note, sizeof(ret->note),
			 _("%u kHz is above the hardware's maximum; the kernel uses %u "
			   "kHz"),
			 khz, rounded);
	else
		snprintf(ret->note, sizeof(ret->note),
			 _("%u kHz is no operating point; the kernel uses %u kHz"), khz,
			 rounded);
}

int cpufreq_limit_expect(struct system *sys, const struct setting *s,
			 const struct target *t, const struct value *asked,
			 struct expectation *ret)
{
	uint32_t khz = asked->khz, rounded;
	struct limits hw;
	int r;

	*ret = (struct expectation){ .want = *asked, .outcome = OUTCOME_OK };
	r = cpufreq_policy_online(&sys->root, t->path);
	if (r == 0)
		r = cpufreq_read_khz(&sys->root, t->path, "cpuinfo_min_freq", &hw.min);
	if (r == 0)
		r = cpufreq_read_khz(&sys->root, t->path, "cpuinfo_max_freq", &hw.max);
	if (r < 0)
		return cpufreq_expect_failed(s, r, ret);
	if (khz == FREQ_HW_MIN)
		khz = hw.min;
	else if (khz == FREQ_HW_MAX)
		khz = hw.max;
	ret->want = value_freq(khz);
	if (far_outside(khz, &hw))
		return expect_slip(khz, &hw, t->name, ret->note);
	rounded = khz < hw.min ? hw.min : khz > hw.max ? hw.max : khz;
	rounded = limit_round(&sys->root, t->path, rounded, limit_is_max(s));
	if (rounded != khz)
		expect_rounded(khz, rounded, &hw, ret);
	return 0;
}
