// SPDX-License-Identifier: GPL-2.0-or-later
// test-sample.c - which sensor is taken, its limit, and what one sample holds
#include <limits.h>

#include "fixture.h"
#include "measure/sample.h"
#include "tap.h"

/* Files as pairs of path and contents, NULL at the end. */
static void put_files(struct fixture *f, const char *const *files)
{
	fixture_open(f);
	for (; files[0]; files += 2)
		fixture_file(f, files[0], files[1]);
}

#define ZONE(n, type, temp)                                                              \
	"/sys/class/thermal/thermal_zone" #n "/type", type "\n",                         \
		"/sys/class/thermal/thermal_zone" #n "/temp", temp "\n"
#define TRIP(n, trip, type, temp)                                                        \
	"/sys/class/thermal/thermal_zone" #n "/trip_point_" #trip "_type", type "\n",    \
		"/sys/class/thermal/thermal_zone" #n "/trip_point_" #trip "_temp",       \
		temp "\n"
#define HWMON(n, name, temp)                                                             \
	"/sys/class/hwmon/hwmon" #n "/name", name "\n",                                  \
		"/sys/class/hwmon/hwmon" #n "/temp1_input", temp "\n"

static const struct {
	const char *what;
	const char *files[24];
	const char *zone; /* NULL: no sensor */
	int millicelsius, limit;
} rows[] = {
	{ "no sensor", {}, NULL, INT_MIN, 95000 },
	{ "one zone with its trips",
	  { ZONE(0, "cpu-thermal", "47400"), TRIP(0, 0, "passive", "70000"),
	    TRIP(0, 1, "critical", "100000"), TRIP(0, 2, "hot", "98000") },
	  "cpu-thermal",
	  47400,
	  98000 },
	{ "the real one of two zones is the second",
	  { ZONE(0, "gpu-thermal", "25000"), ZONE(1, "cpu-thermal", "44000") },
	  "cpu-thermal",
	  44000,
	  95000 },
	{ "the CPU before the chip, whatever the number",
	  { ZONE(0, "soc-thermal", "50000"), ZONE(2, "gpu", "45000"),
	    ZONE(10, "cpu_thermal", "51000") },
	  "cpu_thermal",
	  51000,
	  95000 },
	{ "RK3588: the big cores before npu, gpu and soc",
	  { ZONE(0, "npu-thermal", "1000"), ZONE(1, "center-thermal", "2000"),
	    ZONE(2, "bigcore1-thermal", "41000"), ZONE(3, "soc-thermal", "40000"),
	    ZONE(4, "gpu-thermal", "3000") },
	  "bigcore1-thermal",
	  41000,
	  95000 },
	{ "a CPU zone that gives -273.2 C is passed over",
	  { ZONE(0, "cpu-thermal", "-273200"), ZONE(1, "soc-thermal", "39000") },
	  "soc-thermal",
	  39000,
	  95000 },
	{ "as is one that gives exactly 0",
	  { ZONE(0, "cpu-thermal", "0"), ZONE(1, "ddr", "39000") },
	  "ddr",
	  39000,
	  95000 },
	{ "and one that gives 200 C, or text",
	  { ZONE(0, "cpu-thermal", "200000"), ZONE(1, "cpu1-thermal", "N/A") },
	  NULL,
	  INT_MIN,
	  95000 },
	{ "below freezing is a temperature",
	  { ZONE(0, "cpu-thermal", "-19000") },
	  "cpu-thermal",
	  -19000,
	  95000 },
	{ "the ends count: 125 C",
	  { ZONE(0, "cpu-thermal", "125000") },
	  "cpu-thermal",
	  125000,
	  95000 },
	{ "disabled trips are no limit",
	  { ZONE(0, "cpu-thermal", "50000"), TRIP(0, 0, "critical", "0"),
	    TRIP(0, 1, "hot", "-274000"), TRIP(0, 2, "critical", "2147483647") },
	  "cpu-thermal",
	  50000,
	  95000 },
	{ "hwmon of the CPU, not of a disk",
	  { HWMON(0, "nvme", "33000"), HWMON(1, "w1_slave_temp", "21000"),
	    HWMON(2, "k10temp", "55125"), "/sys/class/hwmon/hwmon2/temp1_crit",
	    "105000\n" },
	  "k10temp",
	  55125,
	  105000 },
	{ "a disk alone is no CPU sensor",
	  { HWMON(0, "nvme", "33000") },
	  NULL,
	  INT_MIN,
	  95000 },
	{ "x86: a zone without critical trip takes hwmon's",
	  { ZONE(0, "acpitz", "27800"), ZONE(1, "x86_pkg_temp", "61000"),
	    TRIP(1, 0, "passive", "0"), HWMON(3, "coretemp", "61000"),
	    "/sys/class/hwmon/hwmon3/temp1_crit", "99000\n" },
	  "x86_pkg_temp",
	  61000,
	  99000 },
};

static void test_sensors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sampler *sampler = NULL;
		struct sample sample;
		struct fixture f;

		put_files(&f, rows[i].files);
		is_int(sampler_open(&f.sys.root, NULL, &sampler), 0, "%s", rows[i].what);
		if (rows[i].zone)
			is_str(sampler_zone_type(sampler), rows[i].zone, "its zone");
		else
			ok(!sampler_zone_type(sampler), "no zone");
		sampler_take(sampler, &sample);
		is_int(sample.millicelsius, rows[i].millicelsius, "its temperature");
		is_int(sampler_limit(sampler), rows[i].limit, "its limit");
		sampler_close(sampler);
		fixture_close(&f);
	}
}

/* Reads of zone 0 fail @fail times with ENODATA, as a driver that is not ready. */
struct unready {
	unsigned fail, asked;
};

static int unready_read(void *ctx, const char *path, char *buf, size_t size)
{
	struct unready *u = ctx;

	if (!str_after(path, "/sys/class/thermal/thermal_zone0/temp"))
		return 0;
	u->asked++;
	if (!u->fail)
		return 0;
	u->fail--;
	return -ENODATA;
}

static void test_unready(void)
{
	static const char *const files[] = { ZONE(0, "cpu-thermal", "48000"),
					     ZONE(1, "gpu-thermal", "47000"), NULL };
	static const struct sysroot_hooks hooks = { .read = unready_read };
	struct unready unready = { .fail = 2 };
	struct sampler *sampler = NULL;
	struct sample sample;
	struct fixture f;

	put_files(&f, files);
	f.sys.root.hooks = &hooks;
	f.sys.root.hooks_ctx = &unready;
	is_int(sampler_open(&f.sys.root, NULL, &sampler), 0, "a sensor not ready");
	is_str(sampler_zone_type(sampler), "cpu-thermal", "is asked again");
	unready.fail = 1;
	sampler_take(sampler, &sample);
	is_int(sample.millicelsius, 48000, "while sampling too");

	unready.fail = UINT_MAX;
	sampler_take(sampler, &sample);
	is_int(sample.millicelsius, INT_MIN, "one that stays silent has no value");
	unready.asked = 0;
	sampler_take(sampler, &sample);
	is_int(unready.asked, 1, "and is then asked once a sample");
	unready.fail = 0;
	sampler_take(sampler, &sample);
	is_int(sample.millicelsius, 48000, "until it speaks");
	sampler_close(sampler);

	unready.fail = UINT_MAX;
	is_int(sampler_open(&f.sys.root, NULL, &sampler), 0, "one that never speaks");
	is_str(sampler_zone_type(sampler), "gpu-thermal", "is passed over");
	sampler_close(sampler);
	fixture_close(&f);
}

static const char *const board[] = {
	ZONE(0, "cpu-thermal", "60000"),
	"/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq",
	"408000\n",
	"/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq",
	"1296000\n",
	"/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_cur_freq",
	"<unknown>\n",
	"/sys/devices/system/cpu/cpufreq/policy4/scaling_cur_freq",
	"<unknown>\n",
	"/sys/devices/system/cpu/cpufreq/policy6/scaling_cur_freq",
	"600000\n",
	"/sys/devices/system/cpu/cpufreq/policy6/cpuinfo_cur_freq",
	"1000000\n",
	"/sys/devices/system/cpu/cpufreq/policy4/scaling_max_freq",
	"1800000\n",
	"/sys/class/thermal/cooling_device0/type",
	"cpufreq-cpu0\n",
	"/sys/class/thermal/cooling_device0/cur_state",
	"2\n",
	"/sys/class/thermal/cooling_device1/type",
	"thermal-cpufreq-1\n",
	"/sys/class/thermal/cooling_device1/cur_state",
	"3\n",
	"/sys/class/thermal/cooling_device2/type",
	"pwm-fan\n",
	"/sys/class/thermal/cooling_device2/cur_state",
	"100\n",
	"/proc/stat",
	"cpu  100 20 300 4000 500 6 70 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1 2 3\n",
	"/sys/class/net/eth0/statistics/rx_bytes",
	"18446744073709551615\n",
	"/sys/class/net/eth0/statistics/tx_bytes",
	"5000000000\n",
	"/sys/class/net/eth1/statistics/rx_bytes",
	"1\n",
	NULL,
};

static void test_sample(void)
{
	static const struct sample_nics nics = { { "eth0", "eth1" }, 2 };
	static const struct sample_nics gone = { { "gone0" }, 1 };
	struct sampler *sampler = NULL;
	struct sample a, b;
	struct fixture f;
	uint64_t tick = 1000000 / sysconf(_SC_CLK_TCK);

	put_files(&f, board);
	is_int(sampler_open(&f.sys.root, &nics, &sampler), 0, "a whole board");
	sampler_take(sampler, &a);
	is_int(a.n_policies, 3, "three policies");
	is_int(a.cur_khz[2], 1000000, "the third runs at another clock than asked for");
	is_int(a.cur_khz[0], 408000, "clock of the first");
	is_int(a.cur_khz[1], 0, "unknown clock of the second");
	is_int(a.max_khz[1], 1800000, "its maximum");
	is_int(a.cooling, 5, "the fan does not slow the CPU");
	is_int(a.cpu_busy_us, 504 * tick, "busy: guest time is not counted twice");
	is_int(a.cpu_idle_us, 4500 * tick, "idle and waiting");
	is_int(a.softirq_us, 70 * tick, "softirq");
	ok(a.nics[0].known && a.nics[0].rx_bytes == UINT64_MAX, "64-bit counters");
	is_int(a.nics[0].tx_bytes, 5000000000, "of both directions");
	ok(!a.nics[1].known && !a.nics[2].known, "but of none that has not both");

	fixture_file(&f, "/sys/class/thermal/thermal_zone0/temp", "61000\n");
	fixture_file(&f, "/sys/class/net/eth0/statistics/tx_bytes", "5000000100\n");
	sampler_take(sampler, &b);
	is_int(b.millicelsius, 61000, "the next sample is a new reading");
	is_int(b.nics[0].tx_bytes - a.nics[0].tx_bytes, 100, "counters go on");
	ok(b.time >= a.time, "so does time");
	sampler_close(sampler);

	is_int(sampler_open(&f.sys.root, &gone, &sampler), 0, "a NIC that is not there");
	sampler_take(sampler, &a);
	ok(!a.nics[0].known, "counts nothing");
	sampler_close(sampler);
	fixture_close(&f);
}

int main(void)
{
	test_sensors();
	test_unready();
	test_sample();
	return done();
}
