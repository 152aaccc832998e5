// SPDX-License-Identifier: GPL-2.0-or-later
// sample.c - everything of the board that is looked at while traffic flows
#include "measure/sample.h"

#include <fnmatch.h>
#include <inttypes.h>

#include "kernel/thermal-nl.h"
#include "measure/sample-private.h"

#define COOLING_MAX 32
#define CPUFREQ "/sys/devices/system/cpu/cpufreq"

/* Where the counters of a NIC go; several may go to one place. */
static const struct {
	const char *name;
	size_t to;
} nic_counters[] = {
	{ "rx_bytes", offsetof(struct sample_nic, rx_bytes) },
	{ "tx_bytes", offsetof(struct sample_nic, tx_bytes) },
	{ "rx_packets", offsetof(struct sample_nic, rx_packets) },
	{ "tx_packets", offsetof(struct sample_nic, tx_packets) },
	{ "rx_dropped", offsetof(struct sample_nic, dropped) },
	{ "tx_dropped", offsetof(struct sample_nic, dropped) },
	{ "rx_missed_errors", offsetof(struct sample_nic, dropped) },
	{ "rx_over_errors", offsetof(struct sample_nic, dropped) },
	{ "rx_errors", offsetof(struct sample_nic, errors) },
	{ "tx_errors", offsetof(struct sample_nic, errors) },
};

/* Without the first ones a NIC counts as not there. */
#define NIC_COUNTERS_NEEDED 2

struct policy {
	struct sample_file cur_freq, max_freq, time_in_state;
};

struct sampler {
	const struct sysroot *root;
	struct sample_sensor sensor;
	unsigned n_policies;
	struct policy policies[SAMPLE_POLICIES_MAX];
	unsigned n_cooling;
	struct sample_file cooling[COOLING_MAX];
	struct sample_cpus cpus;
	struct sample_irqs irqs;
	struct sample_pi pi;
	struct thermal_nl events;
	struct sample_nics nics;
	struct sample_file counters[SAMPLE_NICS_MAX][ARRAY_SIZE(nic_counters)];
};

/* Cooling devices that slow a CPU down: cpufreq_cooling.c (6.1; before), ACPI. */
static const char *const cooling_types[] = {
	"cpufreq-*",
	"thermal-cpufreq-*",
	"Processor",
};

static bool is_of_cpu(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(cooling_types); i++)
		if (fnmatch(cooling_types[i], type, FNM_CASEFOLD) == 0)
			return true;
	return false;
}

static int find_cooling(struct sampler *s)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(s->root, "/sys/class/thermal", &names);
	char path[SAMPLE_PATH_MAX], type[64];

	for (ssize_t i = 0; i < n && s->n_cooling < COOLING_MAX; i++) {
		if (!str_after(names[i], "cooling_device"))
			continue;
		snprintf(path, sizeof(path), "/sys/class/thermal/%.40s/type", names[i]);
		if (sysroot_read(s->root, path, type, sizeof(type)) > 0 &&
		    is_of_cpu(type))
			sample_file_set(&s->cooling[s->n_cooling++],
					"/sys/class/thermal/%s/cur_state", names[i]);
	}
	return n == -ENOMEM ? -ENOMEM : 0;
}

/*
 * cpuinfo_cur_freq asks the clock; scaling_cur_freq is mostly what was asked for last
 * (cpufreq.c 6.1), which a clock that does not follow leaves as it is. The former is
 * root's to read, not every driver has it, and it may read "<unknown>".
 */
static void choose_clock(const struct sampler *s, const char *policy,
			 struct sample_file *ret)
{
	uint64_t khz;

	sample_file_set(ret, CPUFREQ "/%s/cpuinfo_cur_freq", policy);
	if (sample_file_u64(s->root, ret, 10, &khz) == 0 && khz)
		return;
	sample_file_close(ret);
	sample_file_set(ret, CPUFREQ "/%s/scaling_cur_freq", policy);
}

static int find_policies(struct sampler *s)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(s->root, CPUFREQ, &names);

	for (ssize_t i = 0; i < n && s->n_policies < SAMPLE_POLICIES_MAX; i++) {
		struct policy *policy = &s->policies[s->n_policies];

		if (!str_after(names[i], "policy"))
			continue;
		choose_clock(s, names[i], &policy->cur_freq);
		sample_file_set(&policy->max_freq, CPUFREQ "/%s/scaling_max_freq",
				names[i]);
		sample_file_set(&policy->time_in_state, CPUFREQ "/%s/stats/time_in_state",
				names[i]);
		s->n_policies++;
	}
	return n == -ENOMEM ? -ENOMEM : 0;
}

static void find_counters(struct sampler *s)
{
	for (size_t i = 0; i < s->nics.n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(nic_counters); k++)
			sample_file_set(&s->counters[i][k],
					"/sys/class/net/%s/statistics/%s",
					s->nics.names[i], nic_counters[k].name);
}

static int find_all(struct sampler *s)
{
	int r;

	find_counters(s);
	sample_cpus_open(&s->cpus);
	r = sample_sensor_find(s->root, &s->sensor);
	if (r == 0)
		r = find_cooling(s);
	if (r == 0)
		r = find_policies(s);
	if (r == 0)
		r = sample_pi_find(s->root, &s->pi);
	if (r == 0)
		r = sampler_find_irqs(s);
	/* hints: those who have none do without */
	if (r == 0 && s->root->live)
		(void)thermal_nl_open(&s->events);
	return r;
}

int sampler_open(const struct sysroot *root, const struct sample_nics *nics,
		 struct sampler **ret)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->root = root;
	s->events = (struct thermal_nl)THERMAL_NL_INIT;
	if (nics)
		s->nics = *nics;
	r = find_all(s);
	if (r < 0) {
		sampler_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void sampler_close(struct sampler *s)
{
	if (!s)
		return;
	sample_file_close(&s->sensor.temp);
	for (unsigned i = 0; i < s->n_policies; i++) {
		sample_file_close(&s->policies[i].cur_freq);
		sample_file_close(&s->policies[i].max_freq);
		sample_file_close(&s->policies[i].time_in_state);
	}
	for (unsigned i = 0; i < s->n_cooling; i++)
		sample_file_close(&s->cooling[i]);
	for (size_t i = 0; i < s->nics.n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(nic_counters); k++)
			sample_file_close(&s->counters[i][k]);
	sample_cpus_close(&s->cpus);
	sample_irqs_close(&s->irqs);
	sample_pi_close(&s->pi);
	thermal_nl_close(&s->events);
	free(s);
}

int sampler_find_irqs(struct sampler *s)
{
	return sample_irqs_find(s->root, &s->nics, &s->irqs);
}

const char *sampler_sensor(const struct sampler *s)
{
	return s->sensor.temp.path[0] ? s->sensor.temp.path : NULL;
}

const char *sampler_zone_type(const struct sampler *s)
{
	return s->sensor.temp.path[0] ? s->sensor.zone : NULL;
}

int sampler_limit(const struct sampler *s)
{
	return s->sensor.limit;
}

/* 0 if not known. */
static uint64_t take_number(const struct sampler *s, struct sample_file *f)
{
	uint64_t number;

	return sample_file_u64(s->root, f, 10, &number) == 0 ? number : 0;
}

static void take_nic(struct sampler *s, size_t i, struct sample_nic *ret)
{
	struct sample_nic nic = { .known = true };

	for (size_t k = 0; k < ARRAY_SIZE(nic_counters); k++) {
		uint64_t *to = (uint64_t *)((char *)&nic + nic_counters[k].to), count;

		if (sample_file_u64(s->root, &s->counters[i][k], 10, &count) == 0)
			*to += count;
		else if (k < NIC_COUNTERS_NEEDED)
			return;
	}
	*ret = nic;
}

void sampler_take(struct sampler *s, struct sample *ret)
{
	struct sample sample = {
		.time = now_monotonic(),
		.n_policies = s->n_policies,
	};

	sample.millicelsius = sample_sensor_take(s->root, &s->sensor);
	for (unsigned i = 0; i < s->n_policies; i++) {
		sample.cur_khz[i] = take_number(s, &s->policies[i].cur_freq);
		sample.max_khz[i] = take_number(s, &s->policies[i].max_freq);
	}
	for (unsigned i = 0; i < s->n_cooling; i++)
		sample.cooling += take_number(s, &s->cooling[i]);
	sample_cpus_take(s->root, &s->cpus, &sample);
	sample_irqs_take(s->root, &s->irqs, &sample);
	for (size_t i = 0; i < s->nics.n; i++)
		take_nic(s, i, &sample.nics[i]);
	sample.rpi = sample_pi_take(s->root, &s->pi, &sample.rpi_past);
	sample.event = thermal_nl_take(&s->events);
	*ret = sample;
}

/* Lines of "kHz ticks". */
static void take_clocks(const struct sampler *s, struct sample_file *f,
			struct sample_clocks *ret)
{
	struct sample_clocks clocks = { 0 };
	struct sample_lines lines;
	char *line;
	int r;

	sample_lines_begin(&lines, s->root, f);
	while ((r = sample_lines_next(&lines, &line)) == 1) {
		uint64_t khz, ticks;

		if (clocks.n == SAMPLE_STATES_MAX ||
		    sscanf(line, "%" SCNu64 " %" SCNu64, &khz, &ticks) != 2 ||
		    khz > UINT32_MAX)
			return;
		clocks.states[clocks.n].khz = (uint32_t)khz;
		clocks.states[clocks.n++].ticks = ticks;
	}
	if (r == 0)
		*ret = clocks;
}

void sampler_clocks(struct sampler *s, struct sample_clocks *ret)
{
	for (unsigned i = 0; i < SAMPLE_POLICIES_MAX; i++) {
		ret[i].n = 0;
		if (i < s->n_policies)
			take_clocks(s, &s->policies[i].time_in_state, &ret[i]);
	}
}
