// SPDX-License-Identifier: GPL-2.0-or-later
// status-heat.c - trips, what is bound to them, whether the clocks were throttled
#include "report/status.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define CDEV_TRIP "_trip_point"

/* "cdev0_trip_point" names the trip; -1: all of them (thermal_sysfs.c 6.1). */
static int read_bindings(const struct sysroot *root, const char *dir,
			 struct status_zone *z)
{
	_cleanup_list_ char **names = NULL;

	if (sysroot_list(root, dir, &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; name && *name; name++) {
		const char *end = strstr(*name, CDEV_TRIP);
		char path[128];
		long trip;

		if (!str_after(*name, "cdev") || !end || end[strlen(CDEV_TRIP)])
			continue;
		snprintf(path, sizeof(path), "%s/%.40s", dir, *name);
		if (sysroot_read_long(root, path, &trip) < 0)
			continue;
		if (trip < 0)
			z->cooled = UINT64_MAX;
		else if (trip < 64)
			z->cooled |= 1ull << trip;
	}
	return 0;
}

static int read_trips(struct system *sys, struct status_zone *z)
{
	char dir[64], path[80], policy[32];

	snprintf(dir, sizeof(dir), THERMAL_DIR "/thermal_zone%d", z->number);
	snprintf(path, sizeof(path), "%s/policy", dir);
	if (sysroot_read(&sys->root, path, policy, sizeof(policy)) > 0)
		z->user_space = streq(str_chomp(policy), "user_space");
	z->n_trips = thermal_trips(sys, dir, z->trips);
	if (z->n_trips < 0)
		z->n_trips = 0;
	return z->n_trips ? read_bindings(&sys->root, dir, z) : 0;
}

/* "cpufreq-cpu0" (6.1), before "thermal-cpufreq-0". */
static bool cools_clock(const struct sysroot *root, const char *dir)
{
	char path[128], type[64];

	snprintf(path, sizeof(path), "%s/type", dir);
	return sysroot_read(root, path, type, sizeof(type)) > 0 &&
	       strstr(type, "cpufreq");
}

static bool is_counted(const struct sysroot *root, const char *dir, const char *counter)
{
	char path[128];
	unsigned long count;

	snprintf(path, sizeof(path), "%s/%s", dir, counter);
	return sysroot_read_ulong(root, path, &count) == 0 && count;
}

/* With CONFIG_THERMAL_STATISTICS; on x86 (therm_throt.c) all of a package alike. */
static int read_throttled(const struct sysroot *root, struct status *st)
{
	_cleanup_list_ char **names = NULL;

	st->throttled = is_counted(root, CPU_DIR "/cpu0/thermal_throttle",
				   "package_throttle_count");
	if (sysroot_list(root, THERMAL_DIR, &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; name && *name; name++) {
		char dir[64];

		if (!str_after(*name, "cooling_device"))
			continue;
		snprintf(dir, sizeof(dir), THERMAL_DIR "/%.32s", *name);
		st->throttled |= cools_clock(root, dir) &&
				 is_counted(root, dir, "stats/total_trans");
	}
	return 0;
}

int status_read_heat(struct system *sys, struct status *st)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < st->n_zones; i++)
		if (st->zones[i].number >= 0)
			r = read_trips(sys, &st->zones[i]);
	return r < 0 ? r : read_throttled(&sys->root, st);
}
