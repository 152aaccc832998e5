// SPDX-License-Identifier: GPL-2.0-or-later
// sample-sensor.c - which sensor is the CPU's, its limit, what it says
#include <fnmatch.h>
#include <limits.h>
#include <time.h>

#include "measure/sample-private.h"

/* A reading that a sensor of a running board can give, in millidegrees. */
#define USABLE_MIN (-20000)
#define USABLE_MAX 125000

/* A trip that means something; drivers disable one with 0, -274000 or INT_MAX. */
#define LIMIT_MIN 30000
#define LIMIT_MAX 200000
#define LIMIT_DEFAULT 95000

/* How often, and after how many milliseconds, a sensor "not ready" is asked again. */
#define RETRIES 5
#define RETRY_MS 4

/*
 * Zone types that stand for the CPU, the surest first: names of mainline and vendor
 * device trees, Intel's package sensor, then the whole chip.
 */
static const char *const zone_types[] = {
	"cpu-thermal",	    "cpu_thermal",  "cpu",
	"cpu0-thermal",	    "cpu0_thermal", "cpu-thermal-zone",
	"cpu_thermal_zone", "x86_pkg_temp", "package-thermal",
	"*bigcore*",	    "*cpu*",	    "soc-thermal",
	"soc_thermal",	    "soc",	    "*soc*",
	"imx_thermal_zone", "aml_thermal",  "*.thermal",
};

/* hwmon drivers that measure the CPU, the surest first. Not nvme, w1_slave_temp, ... */
static const char *const hwmon_names[] = {
	"coretemp",    "k10temp", "zenpower", "k8temp",	      "via_cputemp",
	"cpu_thermal", "*cpu*",	  "*soc*",    "scpi_sensors",
};

/* Returns the place of the first pattern that fits, @n if none does. */
static size_t rank_of(const char *const *patterns, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (fnmatch(patterns[i], name, FNM_CASEFOLD) == 0)
			break;
	return i;
}

static bool is_usable(long millicelsius)
{
	return millicelsius >= USABLE_MIN && millicelsius <= USABLE_MAX &&
	       millicelsius != 0;
}

/*
 * A driver's EAGAIN, "not ready", reaches user space as ENODATA (6.1; EAGAIN in
 * older kernels).
 */
static int read_temperature(const struct sysroot *root, struct sample_file *f,
			    unsigned retries, int *ret)
{
	const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000 };
	long number;
	int r;

	for (;;) {
		r = sample_file_long(root, f, &number);
		if ((r != -ENODATA && r != -EAGAIN) || !retries--)
			break;
		nanosleep(&pause, NULL);
	}
	if (r < 0)
		return r;
	if (!is_usable(number))
		return -ERANGE;
	*ret = number;
	return 0;
}

/* Read once. */
static int look_at_temperature(const struct sysroot *root, const char *path, int *ret)
{
	_cleanup_(sample_file_close) struct sample_file f;

	sample_file_set(&f, "%s", path);
	return read_temperature(root, &f, RETRIES, ret);
}

int sample_temperature(const struct sysroot *root, const char *path, int *ret,
		       char ret_why[static SAMPLE_WHY_MAX])
{
	int r = look_at_temperature(root, path, ret);

	if (r == 0)
		return 0;
	/* The kernel passes a driver's EAGAIN on as ENODATA (thermal_sysfs.c 6.1). */
	snprintf(ret_why, SAMPLE_WHY_MAX, "%s", errno_name(r));
	if ((r == -ERANGE || r == -EBADMSG) &&
	    sysroot_read(root, path, ret_why, SAMPLE_WHY_MAX) < 0)
		snprintf(ret_why, SAMPLE_WHY_MAX, "%s", errno_name(r));
	return r;
}

/* The usable zone of the best rank in [from, to); the first of equals. */
static bool find_zone(const struct sysroot *root, char **names, size_t from, size_t to,
		      struct sample_sensor *s)
{
	char path[SAMPLE_PATH_MAX], type[sizeof(s->zone)];
	size_t best = to;
	int temp;

	for (; *names; names++) {
		size_t rank;

		if (!str_after(*names, "thermal_zone"))
			continue;
		snprintf(path, sizeof(path), "/sys/class/thermal/%.40s/type", *names);
		if (sysroot_read(root, path, type, sizeof(type)) <= 0)
			continue;
		rank = rank_of(zone_types, ARRAY_SIZE(zone_types), type);
		if (rank < from || rank >= best)
			continue;
		snprintf(path, sizeof(path), "/sys/class/thermal/%.40s/temp", *names);
		if (look_at_temperature(root, path, &temp) < 0)
			continue;
		best = rank;
		memcpy(s->zone, type, sizeof(s->zone));
		sample_file_set(&s->temp, "%s", path);
	}
	return best < to;
}

/* Lower @limit to that of the file, if that is one. */
static bool lower_limit(const struct sysroot *root, const char *path, int *limit)
{
	long number;

	if (sysroot_read_long(root, path, &number) < 0 || number < LIMIT_MIN ||
	    number > LIMIT_MAX)
		return false;
	if (*limit == 0 || number < *limit)
		*limit = number;
	return true;
}

/* The lowest critical or hot trip of the zone in use, 0 if it has none. */
static int zone_limit(const struct sysroot *root, const struct sample_sensor *s)
{
	char path[SAMPLE_PATH_MAX + 32], type[32];
	int dir = (int)(strlen(s->temp.path) - strlen("/temp"));
	int limit = 0;

	for (unsigned i = 0;; i++) {
		snprintf(path, sizeof(path), "%.*s/trip_point_%u_type", dir,
			 s->temp.path, i);
		if (sysroot_read(root, path, type, sizeof(type)) < 0)
			return limit;
		if (!streq(type, "critical") && !streq(type, "hot"))
			continue;
		snprintf(path, sizeof(path), "%.*s/trip_point_%u_temp", dir,
			 s->temp.path, i);
		lower_limit(root, path, &limit);
	}
}

/* The lowest tempN_crit of a hwmon, and its first usable tempN_input. */
static bool look_at_hwmon(const struct sysroot *root, const char *name, int *limit,
			  char ret_temp[static SAMPLE_PATH_MAX])
{
	char path[SAMPLE_PATH_MAX];
	bool usable = false;
	int temp;

	/* AMD counts from 1 with holes, coretemp goes up to the number of cores. */
	for (unsigned i = 1; i <= 16; i++) {
		snprintf(path, sizeof(path), "/sys/class/hwmon/%.40s/temp%u_crit", name,
			 i);
		lower_limit(root, path, limit);
		snprintf(path, sizeof(path), "/sys/class/hwmon/%.40s/temp%u_input", name,
			 i);
		if (usable || look_at_temperature(root, path, &temp) < 0)
			continue;
		usable = true;
		memcpy(ret_temp, path, sizeof(path));
	}
	return usable;
}

/* The best hwmon of a CPU: a sensor if no zone has been found, a limit in any case. */
static int find_hwmon(const struct sysroot *root, struct sample_sensor *s, int *ret_limit)
{
	char path[SAMPLE_PATH_MAX], name[sizeof(s->zone)];
	size_t best = ARRAY_SIZE(hwmon_names);
	bool have_zone = s->temp.path[0];
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(root, "/sys/class/hwmon", &names);

	if (n < 0)
		return n == -ENOMEM ? -ENOMEM : 0;
	for (ssize_t i = 0; i < n; i++) {
		char temp[SAMPLE_PATH_MAX];
		int limit = 0;
		size_t rank;

		snprintf(path, sizeof(path), "/sys/class/hwmon/%.40s/name", names[i]);
		if (sysroot_read(root, path, name, sizeof(name)) <= 0)
			continue;
		rank = rank_of(hwmon_names, ARRAY_SIZE(hwmon_names), name);
		if (rank >= best || !look_at_hwmon(root, names[i], &limit, temp))
			continue;
		best = rank;
		*ret_limit = limit;
		if (have_zone)
			continue;
		memcpy(s->zone, name, sizeof(s->zone));
		sample_file_set(&s->temp, "%s", temp);
	}
	return 0;
}

int sample_sensor_find(const struct sysroot *root, struct sample_sensor *ret)
{
	_cleanup_list_ char **names = NULL;
	struct sample_sensor s = { 0 };
	int limit = 0, hwmon = 0, r;
	ssize_t n;

	n = sysroot_list(root, "/sys/class/thermal", &names);
	if (n == -ENOMEM)
		return -ENOMEM;
	if (n > 0 &&
	    (find_zone(root, names, 0, ARRAY_SIZE(zone_types), &s) ||
	     find_zone(root, names, ARRAY_SIZE(zone_types), ARRAY_SIZE(zone_types) + 1,
		       &s)))
		limit = zone_limit(root, &s);
	r = find_hwmon(root, &s, &hwmon);
	if (r < 0)
		return r;
	s.limit = limit ? limit : hwmon ? hwmon : LIMIT_DEFAULT;
	*ret = s;
	return 0;
}

/* A sensor that stays silent must not cost a wait each time. */
int sample_sensor_take(const struct sysroot *root, struct sample_sensor *sensor)
{
	int millicelsius = INT_MIN;

	sensor->failed = sensor->temp.path[0] &&
			 read_temperature(root, &sensor->temp, sensor->failed ? 0 : 1,
					  &millicelsius) < 0;
	return millicelsius;
}
