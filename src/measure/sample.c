// SPDX-License-Identifier: GPL-2.0-or-later
// sample.c - temperature, clocks, cooling and CPU time while traffic flows
#include "measure/sample.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <time.h>

#define COOLING_MAX 32
#define PATH_SIZE 128

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

struct sampler {
	const struct sysroot *root;
	char zone[32];	      /* type of the zone, name of the hwmon; "" for none */
	char temp[PATH_SIZE]; /* its temperature, "" for none */
	bool temp_failed;     /* the last time */
	int limit;
	unsigned n_policies;
	char cur_freq[SAMPLE_POLICIES_MAX][PATH_SIZE];
	char max_freq[SAMPLE_POLICIES_MAX][PATH_SIZE];
	unsigned n_cooling;
	char cooling[COOLING_MAX][PATH_SIZE];
	struct sample_nics nics;
	long ticks; /* USER_HZ */
};

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

/* Cooling devices that slow a CPU down: cpufreq_cooling.c (6.1; before), ACPI. */
static const char *const cooling_types[] = {
	"cpufreq-*",
	"thermal-cpufreq-*",
	"Processor",
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
static int read_temperature(const struct sysroot *root, const char *path,
			    unsigned retries, int *ret)
{
	const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000 };
	long number;
	int r;

	for (;;) {
		r = sysroot_read_long(root, path, &number);
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

int sample_temperature(const struct sysroot *root, const char *path, int *ret,
		       char ret_why[static SAMPLE_WHY_MAX])
{
	int r = read_temperature(root, path, RETRIES, ret);

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
static bool find_zone(struct sampler *s, char **names, size_t from, size_t to)
{
	char path[PATH_SIZE], type[sizeof(s->zone)];
	size_t best = to;
	int temp;

	for (; *names; names++) {
		size_t rank;

		if (!str_after(*names, "thermal_zone"))
			continue;
		snprintf(path, sizeof(path), "/sys/class/thermal/%.40s/type", *names);
		if (sysroot_read(s->root, path, type, sizeof(type)) <= 0)
			continue;
		rank = rank_of(zone_types, ARRAY_SIZE(zone_types), type);
		if (rank < from || rank >= best)
			continue;
		snprintf(path, sizeof(path), "/sys/class/thermal/%.40s/temp", *names);
		if (read_temperature(s->root, path, RETRIES, &temp) < 0)
			continue;
		best = rank;
		memcpy(s->zone, type, sizeof(s->zone));
		memcpy(s->temp, path, sizeof(s->temp));
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
static int zone_limit(const struct sampler *s)
{
	char path[PATH_SIZE + 32], type[32];
	int dir = strlen(s->temp) - strlen("/temp");
	int limit = 0;

	for (unsigned i = 0;; i++) {
		snprintf(path, sizeof(path), "%.*s/trip_point_%u_type", dir, s->temp, i);
		if (sysroot_read(s->root, path, type, sizeof(type)) < 0)
			return limit;
		if (!streq(type, "critical") && !streq(type, "hot"))
			continue;
		snprintf(path, sizeof(path), "%.*s/trip_point_%u_temp", dir, s->temp, i);
		lower_limit(s->root, path, &limit);
	}
}

/* The lowest tempN_crit of a hwmon, and its first usable tempN_input. */
static bool look_at_hwmon(const struct sampler *s, const char *name, int *limit,
			  char ret_temp[static PATH_SIZE])
{
	char path[PATH_SIZE];
	bool usable = false;
	int temp;

	/* AMD counts from 1 with holes, coretemp goes up to the number of cores. */
	for (unsigned i = 1; i <= 16; i++) {
		snprintf(path, sizeof(path), "/sys/class/hwmon/%.40s/temp%u_crit", name,
			 i);
		lower_limit(s->root, path, limit);
		snprintf(path, sizeof(path), "/sys/class/hwmon/%.40s/temp%u_input", name,
			 i);
		if (usable || read_temperature(s->root, path, RETRIES, &temp) < 0)
			continue;
		usable = true;
		memcpy(ret_temp, path, sizeof(path));
	}
	return usable;
}

/* The best hwmon of a CPU: a sensor if no zone has been found, a limit in any case. */
static int find_hwmon(struct sampler *s, int *ret_limit)
{
	char path[PATH_SIZE], name[sizeof(s->zone)];
	size_t best = ARRAY_SIZE(hwmon_names);
	bool have_zone = s->temp[0];
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(s->root, "/sys/class/hwmon", &names);

	if (n < 0)
		return n == -ENOMEM ? -ENOMEM : 0;
	for (ssize_t i = 0; i < n; i++) {
		char temp[PATH_SIZE];
		int limit = 0;
		size_t rank;

		snprintf(path, sizeof(path), "/sys/class/hwmon/%.40s/name", names[i]);
		if (sysroot_read(s->root, path, name, sizeof(name)) <= 0)
			continue;
		rank = rank_of(hwmon_names, ARRAY_SIZE(hwmon_names), name);
		if (rank >= best || !look_at_hwmon(s, names[i], &limit, temp))
			continue;
		best = rank;
		*ret_limit = limit;
		if (have_zone)
			continue;
		memcpy(s->zone, name, sizeof(s->zone));
		memcpy(s->temp, temp, sizeof(s->temp));
	}
	return 0;
}

static int find_sensor(struct sampler *s)
{
	_cleanup_list_ char **names = NULL;
	int limit = 0, hwmon = 0, r;
	ssize_t n;

	n = sysroot_list(s->root, "/sys/class/thermal", &names);
	if (n == -ENOMEM)
		return -ENOMEM;
	if (n > 0 &&
	    (find_zone(s, names, 0, ARRAY_SIZE(zone_types)) ||
	     find_zone(s, names, ARRAY_SIZE(zone_types), ARRAY_SIZE(zone_types) + 1)))
		limit = zone_limit(s);
	r = find_hwmon(s, &hwmon);
	if (r < 0)
		return r;
	s->limit = limit ? limit : hwmon ? hwmon : LIMIT_DEFAULT;
	return 0;
}

static int find_cooling(struct sampler *s)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(s->root, "/sys/class/thermal", &names);
	char path[PATH_SIZE], type[64];

	if (n < 0)
		return n == -ENOMEM ? -ENOMEM : 0;
	for (ssize_t i = 0; i < n && s->n_cooling < COOLING_MAX; i++) {
		if (!str_after(names[i], "cooling_device"))
			continue;
		snprintf(path, sizeof(path), "/sys/class/thermal/%.40s/type", names[i]);
		if (sysroot_read(s->root, path, type, sizeof(type)) <= 0 ||
		    rank_of(cooling_types, ARRAY_SIZE(cooling_types), type) ==
			    ARRAY_SIZE(cooling_types))
			continue;
		snprintf(s->cooling[s->n_cooling++], PATH_SIZE,
			 "/sys/class/thermal/%.40s/cur_state", names[i]);
	}
	return 0;
}

/*
 * cpuinfo_cur_freq asks the clock; scaling_cur_freq is mostly what was asked for last
 * (cpufreq.c 6.1), which a clock that does not follow leaves as it is. The former is
 * root's to read, not every driver has it, and it may read "<unknown>".
 */
static void choose_clock(const struct sampler *s, char *ret, const char *dir,
			 const char *policy)
{
	unsigned long khz;

	snprintf(ret, PATH_SIZE, "%s/%.40s/cpuinfo_cur_freq", dir, policy);
	if (sysroot_read_ulong(s->root, ret, &khz) < 0 || !khz)
		snprintf(ret, PATH_SIZE, "%s/%.40s/scaling_cur_freq", dir, policy);
}

static int find_policies(struct sampler *s)
{
	static const char dir[] = "/sys/devices/system/cpu/cpufreq";
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(s->root, dir, &names);

	if (n < 0)
		return n == -ENOMEM ? -ENOMEM : 0;
	for (ssize_t i = 0; i < n && s->n_policies < SAMPLE_POLICIES_MAX; i++) {
		if (!str_after(names[i], "policy"))
			continue;
		choose_clock(s, s->cur_freq[s->n_policies], dir, names[i]);
		snprintf(s->max_freq[s->n_policies], PATH_SIZE,
			 "%s/%.40s/scaling_max_freq", dir, names[i]);
		s->n_policies++;
	}
	return 0;
}

int sampler_open(const struct sysroot *root, const struct sample_nics *nics,
		 struct sampler **ret)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->root = root;
	s->ticks = sysconf(_SC_CLK_TCK);
	if (nics)
		s->nics = *nics;
	r = find_sensor(s);
	if (r == 0)
		r = find_cooling(s);
	if (r == 0)
		r = find_policies(s);
	if (r < 0) {
		sampler_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void sampler_close(struct sampler *s)
{
	free(s);
}

const char *sampler_sensor(const struct sampler *s)
{
	return s->temp[0] ? s->temp : NULL;
}

const char *sampler_zone_type(const struct sampler *s)
{
	return s->temp[0] ? s->zone : NULL;
}

int sampler_limit(const struct sampler *s)
{
	return s->limit;
}

/*
 * The first line: cpu user nice system idle iowait irq softirq steal guest guest_nice.
 * Guest time is part of user and nice. Only the first bytes are read: the interrupts
 * that follow can take many kilobytes.
 */
static void take_cpu(const struct sampler *s, struct sample *sample)
{
	_cleanup_close_ int fd = sysroot_openat(s->root, "/proc/stat", O_RDONLY, 0);
	unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
	char line[256];
	uint64_t scale;
	ssize_t n;

	if (fd < 0 || s->ticks <= 0)
		return;
	n = read(fd, line, sizeof(line) - 1);
	if (n <= 0)
		return;
	line[n] = '\0';
	if (sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice,
		   &system, &idle, &iowait, &irq, &softirq, &steal) != 8)
		return;
	scale = 1000000 / s->ticks;
	sample->cpu_busy_us = (user + nice + system + irq + softirq + steal) * scale;
	sample->cpu_idle_us = (idle + iowait) * scale;
	sample->softirq_us = softirq * scale;
}

/* 64 bits on every board: rx_bytes passes 4 GiB within a minute. */
static bool read_counter(const struct sampler *s, const char *path, uint64_t *ret)
{
	unsigned long long number;
	char text[32], *end;

	if (sysroot_read(s->root, path, text, sizeof(text)) <= 0 || text[0] < '0' ||
	    text[0] > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || *end)
		return false;
	*ret = number;
	return true;
}

/* 0 if not known. */
static uint64_t take_number(const struct sampler *s, const char *path)
{
	uint64_t number;

	return read_counter(s, path, &number) ? number : 0;
}

static void take_nic(const struct sampler *s, const char *ifname, struct sample_nic *ret)
{
	char rx[PATH_SIZE], tx[PATH_SIZE];

	snprintf(rx, sizeof(rx), "/sys/class/net/%s/statistics/rx_bytes", ifname);
	snprintf(tx, sizeof(tx), "/sys/class/net/%s/statistics/tx_bytes", ifname);
	ret->known = read_counter(s, rx, &ret->rx_bytes) &&
		     read_counter(s, tx, &ret->tx_bytes);
}

void sampler_take(struct sampler *s, struct sample *ret)
{
	struct sample sample = {
		.time = now_monotonic(),
		.millicelsius = INT_MIN,
		.n_policies = s->n_policies,
	};

	/* A sensor that stays silent must not cost a wait each time. */
	if (s->temp[0])
		s->temp_failed = read_temperature(s->root, s->temp,
						  s->temp_failed ? 0 : 1,
						  &sample.millicelsius) < 0;
	for (unsigned i = 0; i < s->n_policies; i++) {
		sample.cur_khz[i] = take_number(s, s->cur_freq[i]);
		sample.max_khz[i] = take_number(s, s->max_freq[i]);
	}
	for (unsigned i = 0; i < s->n_cooling; i++)
		sample.cooling += take_number(s, s->cooling[i]);
	take_cpu(s, &sample);
	for (size_t i = 0; i < s->nics.n; i++)
		take_nic(s, s->nics.names[i], &sample.nics[i]);
	*ret = sample;
}
