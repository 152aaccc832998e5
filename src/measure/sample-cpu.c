// SPDX-License-Identifier: GPL-2.0-or-later
// sample-cpu.c - time of the CPUs, and what the network stack dropped on them
#include <ctype.h>

#include "measure/sample-private.h"

/* Columns of /proc/stat. Guest time, which follows, is part of user and nice. */
enum {
	STAT_USER,
	STAT_NICE,
	STAT_SYSTEM,
	STAT_IDLE,
	STAT_IOWAIT,
	STAT_IRQ,
	STAT_SOFTIRQ,
	STAT_STEAL,
	STAT_COLUMNS_,
};

/* Columns of /proc/net/softnet_stat, 11 to 15 by kernel (net-procfs.c). */
enum {
	SOFTNET_PROCESSED,
	SOFTNET_DROPPED,
	SOFTNET_SQUEEZED,
	SOFTNET_COLUMNS_,
};

void sample_cpus_open(struct sample_cpus *cpus)
{
	sample_file_set(&cpus->stat, "/proc/stat");
	sample_file_set(&cpus->softnet, "/proc/net/softnet_stat");
	cpus->ticks = sysconf(_SC_CLK_TCK);
}

void sample_cpus_close(struct sample_cpus *cpus)
{
	sample_file_close(&cpus->stat);
	sample_file_close(&cpus->softnet);
}

/* The first @n numbers of a line. */
static bool parse_numbers(const char *s, int base, uint64_t *ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *end;

		ret[i] = strtoull(s, &end, base);
		if (end == s)
			return false;
		s = end;
	}
	return true;
}

static uint64_t busy_of(const uint64_t *t)
{
	return t[STAT_USER] + t[STAT_NICE] + t[STAT_SYSTEM] + t[STAT_IRQ] +
	       t[STAT_SOFTIRQ] + t[STAT_STEAL];
}

/* "cpu" is the sum of all, "cpuN" one that is online. False where no more follow. */
static bool take_stat_line(const char *line, uint64_t scale, struct sample *ret)
{
	const char *rest = str_after(line, "cpu");
	uint64_t t[STAT_COLUMNS_];
	unsigned long cpu;
	char *end;

	if (!rest)
		return false;
	if (!isdigit((unsigned char)*rest)) {
		if (!parse_numbers(rest, 10, t, ARRAY_SIZE(t)))
			return false;
		ret->cpu_busy_us = busy_of(t) * scale;
		ret->cpu_idle_us = (t[STAT_IDLE] + t[STAT_IOWAIT]) * scale;
		ret->softirq_us = t[STAT_SOFTIRQ] * scale;
		return true;
	}
	cpu = strtoul(rest, &end, 10);
	if (cpu >= SAMPLE_CPUS_MAX || !parse_numbers(end, 10, t, ARRAY_SIZE(t)))
		return false;
	ret->cpus[cpu].busy_us = busy_of(t) * scale;
	ret->cpus[cpu].softirq_us = t[STAT_SOFTIRQ] * scale;
	if (cpu >= ret->n_cpus)
		ret->n_cpus = (unsigned)cpu + 1;
	return true;
}

/* The interrupts that follow the CPUs can take many kilobytes: they are not read. */
static void take_stat(const struct sysroot *root, struct sample_cpus *cpus,
		      struct sample *ret)
{
	struct sample_lines lines;
	char *line;

	if (cpus->ticks <= 0)
		return;
	sample_lines_begin(&lines, root, &cpus->stat);
	while (sample_lines_next(&lines, &line) == 1 &&
	       take_stat_line(line, 1000000 / (uint64_t)cpus->ticks, ret))
		;
}

static void take_softnet(const struct sysroot *root, struct sample_cpus *cpus,
			 struct sample *ret)
{
	uint64_t t[SOFTNET_COLUMNS_];
	struct sample_lines lines;
	char *line;

	sample_lines_begin(&lines, root, &cpus->softnet);
	while (sample_lines_next(&lines, &line) == 1) {
		if (!parse_numbers(line, 16, t, ARRAY_SIZE(t)))
			continue;
		ret->softnet_dropped += t[SOFTNET_DROPPED];
		ret->softnet_squeezed += t[SOFTNET_SQUEEZED];
	}
}

void sample_cpus_take(const struct sysroot *root, struct sample_cpus *cpus,
		      struct sample *ret)
{
	take_stat(root, cpus, ret);
	take_softnet(root, cpus, ret);
}
