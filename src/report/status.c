// SPDX-License-Identifier: GPL-2.0-or-later
// status.c - a board as it is now: sensors and clocks
#include "report/status.h"

#include <stdarg.h>

#include "knobs/cpufreq-policy.h"
#include "knobs/cpufreq.h"

#define THERMAL "/sys/class/thermal"

void status_clear(struct status *st)
{
	for (size_t i = 0; i < st->n_irqs; i++)
		free(st->irqs[i].nics);
	for (size_t i = 0; i < st->n_findings; i++)
		free(st->findings[i].text);
	irq_table_clear(&st->table);
	free(st->zones);
	free(st->clocks);
	free(st->irqs);
	free(st->nics);
	free(st->findings);
	*st = (struct status) { .zone = -1 };
}

int status_add_finding(struct status *st, const char *kind, const char *target,
		       const char *fmt, ...)
{
	struct status_finding f = { .kind = kind };
	va_list ap;
	int n, r = array_grow(&st->findings, st->n_findings, sizeof(*st->findings));

	if (r < 0)
		return r;
	va_start(ap, fmt);
	n = vasprintf(&f.text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	snprintf(f.target, sizeof(f.target), "%s", target);
	st->findings[st->n_findings++] = f;
	return 0;
}

/* ---- temperatures ---- */

static int add_zone(struct status *st, const struct sysroot *root, int number,
		    const char *type, const char *path)
{
	struct status_zone z = { .number = number };
	int r = array_grow(&st->zones, st->n_zones, sizeof(*st->zones));

	if (r < 0)
		return r;
	snprintf(z.type, sizeof(z.type), "%s", type);
	z.usable = sample_temperature(root, path, &z.millicelsius, z.why) == 0;
	st->zones[st->n_zones++] = z;
	return 0;
}

/* Every zone, and a hwmon if that is what a trial would use. */
static int read_zones(const struct sysroot *root, const struct sampler *sampler,
		      struct status *st)
{
	const char *sensor = sampler_sensor(sampler);
	_cleanup_list_ char **names = NULL;
	int r = 0;

	if (sysroot_list(root, THERMAL, &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; r == 0 && name && *name; name++) {
		const char *number = str_after(*name, "thermal_zone");
		char path[128], type[32];

		if (!number)
			continue;
		snprintf(path, sizeof(path), THERMAL "/%.40s/type", *name);
		if (sysroot_read(root, path, type, sizeof(type)) < 0)
			type[0] = '\0';
		snprintf(path, sizeof(path), THERMAL "/%.40s/temp", *name);
		if (sensor && streq(path, sensor))
			st->zone = (ssize_t)st->n_zones;
		r = add_zone(st, root, (int)strtol(number, NULL, 10), type, path);
	}
	if (r == 0 && sensor && st->zone < 0) {
		st->zone = (ssize_t)st->n_zones;
		r = add_zone(st, root, -1, sampler_zone_type(sampler), sensor);
	}
	return r;
}

/* ---- clocks ---- */

/* "kHz ticks" lines of stats/time_in_state (cpufreq_stats.c). */
static double share_at(const struct sysroot *root, const char *dir, uint32_t khz)
{
	unsigned long long ticks, all = 0, there = 0;
	char path[CPUFREQ_PATH_MAX], text[CPUFREQ_TEXT_MAX];
	unsigned long freq;
	int n;

	if (cpufreq_path(path, dir, "stats/time_in_state") < 0 ||
	    sysroot_read(root, path, text, sizeof(text)) <= 0)
		return -1;
	for (char *s = text; sscanf(s, "%lu %llu%n", &freq, &ticks, &n) == 2; s += n) {
		all += ticks;
		there += freq == khz ? ticks : 0;
	}
	return all ? (double)there / (double)all : -1;
}

static uint32_t khz_of(const struct sysroot *root, const char *dir, const char *attr)
{
	uint32_t khz;

	return cpufreq_read_khz(root, dir, attr, &khz) == 0 ? khz : 0;
}

static void read_clock(struct system *sys, const char *dir, struct status_clock *c)
{
	char path[CPUFREQ_PATH_MAX];

	(void)cpufreq_related_cpus(&sys->root, dir, &c->cpus);
	c->offline = cpufreq_policy_online(&sys->root, dir) == -EBUSY;
	c->at_max = -1;
	if (c->offline)
		return;
	/* As sampler_open(): the last one asked for may not be the one that runs. */
	c->khz = khz_of(&sys->root, dir, "cpuinfo_cur_freq");
	if (!c->khz)
		c->khz = khz_of(&sys->root, dir, "scaling_cur_freq");
	c->min_khz = khz_of(&sys->root, dir, "scaling_min_freq");
	c->max_khz = khz_of(&sys->root, dir, "scaling_max_freq");
	c->hw_min_khz = khz_of(&sys->root, dir, "cpuinfo_min_freq");
	c->hw_max_khz = khz_of(&sys->root, dir, "cpuinfo_max_freq");
	if (cpufreq_path(path, dir, "scaling_governor") < 0 ||
	    sysroot_read(&sys->root, path, c->governor, sizeof(c->governor)) < 0)
		c->governor[0] = '\0';
	c->held = cpufreq_held(sys, dir);
	c->at_max = share_at(&sys->root, dir, c->max_khz);
}

static int read_clocks(struct system *sys, struct status *st)
{
	_cleanup_list_ char **names = NULL;

	if (sysroot_list(&sys->root, CPUFREQ_DIR, &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; name && *name; name++) {
		struct status_clock c = { 0 };
		char dir[CPUFREQ_PATH_MAX];
		int r;

		if (cpufreq_policy_number(*name, &c.number) < 0 ||
		    cpufreq_path(dir, CPUFREQ_DIR, *name) < 0)
			continue;
		r = array_grow(&st->clocks, st->n_clocks, sizeof(*st->clocks));
		if (r < 0)
			return r;
		read_clock(sys, dir, &c);
		st->clocks[st->n_clocks++] = c;
	}
	return 0;
}

static int read_all(struct system *sys, struct sampler *sampler, struct status *st)
{
	struct sample sample;
	uint64_t time;
	int r;

	sampler_take(sampler, &sample);
	time = sample.cpu_busy_us + sample.cpu_idle_us;
	st->idle = time ? (double)sample.cpu_idle_us / (double)time : -1;
	r = read_zones(&sys->root, sampler, st);
	if (r == 0)
		r = read_clocks(sys, st);
	if (r == 0)
		r = status_read_nics(sys, st);
	if (r == 0)
		r = status_read_irqs(sys, st);
	if (r == 0)
		r = status_find(sys, st);
	return r;
}

int status_read(struct system *sys, struct status *ret)
{
	struct status st = { .zone = -1 };
	struct sampler *sampler;
	int r = sampler_open(&sys->root, NULL, &sampler);

	if (r < 0)
		return r;
	r = read_all(sys, sampler, &st);
	sampler_close(sampler);
	if (r < 0)
		status_clear(&st);
	else
		*ret = st;
	return r;
}
