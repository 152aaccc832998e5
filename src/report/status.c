// SPDX-License-Identifier: GPL-2.0-or-later
// status.c - a board as it is now: its sensors
#include "report/status.h"

#define THERMAL "/sys/class/thermal"

/* Of each CPU, on the average of five minutes: little for a board that should be cool. */
#define IDLE_LOAD 0.2
#define IDLE_SHARE 0.8

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

/* Heat comes and goes in minutes; where there is no load average, since boot. */
static bool is_idle(const struct sysroot *root, double idle)
{
	const struct cpus online = cpus_online(root);
	char text[128];
	double load;

	if (sysroot_read(root, "/proc/loadavg", text, sizeof(text)) < 0 ||
	    sscanf(text, "%*f %lf", &load) != 1)
		return idle > IDLE_SHARE;
	return load < IDLE_LOAD * cpus_count(&online);
}

static int read_all(struct system *sys, struct sampler *sampler, struct status *st)
{
	struct sample sample;
	uint64_t time;
	int r;

	sampler_take(sampler, &sample);
	time = sample.cpu_busy_us + sample.cpu_idle_us;
	st->idle = time ? (double)sample.cpu_idle_us / (double)time : -1;
	st->idle_now = is_idle(&sys->root, st->idle);
	st->rpi = sample.rpi > 0 ? (unsigned)sample.rpi : 0;
	st->rpi_past = sample.rpi_past;
	r = read_zones(&sys->root, sampler, st);
	if (r == 0)
		r = status_read_heat(sys, st);
	if (r == 0)
		r = clocks_read(sys, &st->clocks, &st->n_clocks);
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
