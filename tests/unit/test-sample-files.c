// SPDX-License-Identifier: GPL-2.0-or-later
// test-sample-files.c - NIC counters, clocks, firmware bits: what each file gives
#include "measure/sample-private.h"
#include "sample-fixture.h"

#define CPUFREQ "/sys/devices/system/cpu/cpufreq/"

static const struct {
	const char *name, *text;
} counters[] = {
	{ "rx_bytes", "18446744073709551615\n" },
	{ "tx_bytes", "5000000000\n" },
	{ "rx_packets", "7000000000\n" },
	{ "tx_packets", "12\n" },
	{ "rx_dropped", "1\n" },
	{ "tx_dropped", "20\n" },
	{ "rx_missed_errors", "300\n" },
	{ "rx_over_errors", "4000\n" },
	{ "rx_errors", "5\n" },
	{ "tx_errors", "60\n" },
};

static void put_counter(struct fixture *f, size_t i)
{
	char path[128];

	snprintf(path, sizeof(path), STATISTICS "%s", counters[i].name);
	fixture_file(f, path, counters[i].text);
}

static void put_counters(struct fixture *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		put_counter(f, i);
}

/* What eth0 counts, as text. */
static const char *nic_text(struct sampler *sampler)
{
	static char text[256];
	struct sample s = taken(sampler);
	const struct sample_nic *nic = &s.nics[0];

	snprintf(text, sizeof(text), "%s%llu %llu %llu %llu d%llu e%llu",
		 nic->known ? "" : "unknown ", (unsigned long long)nic->rx_bytes,
		 (unsigned long long)nic->tx_bytes, (unsigned long long)nic->rx_packets,
		 (unsigned long long)nic->tx_packets, (unsigned long long)nic->dropped,
		 (unsigned long long)nic->errors);
	return text;
}

#define WHOLE "18446744073709551615 5000000000 7000000000 12 d4321 e65"
#define UNKNOWN "unknown 0 0 0 0 d0 e0"

static void test_nic(void)
{
	/* without the counter of the same place in the table above */
	static const char *const without[] = {
		UNKNOWN,
		UNKNOWN,
		"18446744073709551615 5000000000 0 12 d4321 e65",
		"18446744073709551615 5000000000 7000000000 0 d4321 e65",
		"18446744073709551615 5000000000 7000000000 12 d4320 e65",
		"18446744073709551615 5000000000 7000000000 12 d4301 e65",
		"18446744073709551615 5000000000 7000000000 12 d4021 e65",
		"18446744073709551615 5000000000 7000000000 12 d321 e65",
		"18446744073709551615 5000000000 7000000000 12 d4321 e60",
		"18446744073709551615 5000000000 7000000000 12 d4321 e5",
	};
	struct sampler *sampler;
	struct fixture f;

	fixture_open(&f);
	put_counters(&f);
	sampler = sampler_of(&f.sys.root, &eth0);
	is_str(nic_text(sampler), WHOLE, "each counter of a NIC");
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		char path[128];

		snprintf(path, sizeof(path), STATISTICS "%s", counters[i].name);
		fixture_remove(&f, path);
		is_str(nic_text(sampler), without[i], "without %s", counters[i].name);
		put_counter(&f, i);
		is_str(nic_text(sampler), WHOLE, "and with it again");
	}
	fixture_file(&f, STATISTICS "rx_bytes", "-1\n");
	is_str(nic_text(sampler), UNKNOWN, "no negative bytes");
	fixture_file(&f, STATISTICS "rx_bytes", "18446744073709551616\n");
	is_str(nic_text(sampler), UNKNOWN, "nor more than 64 bits");
	fixture_file(&f, STATISTICS "rx_bytes", "\n");
	is_str(nic_text(sampler), UNKNOWN, "nor none");
	sampler_close(sampler);
	fixture_close(&f);
}

static void test_vanishing(void)
{
	struct sampler *sampler;
	struct fixture f;
	int before, after;

	fixture_open(&f);
	before = open_files();
	sampler = sampler_of(&f.sys.root, &eth0);
	is_str(nic_text(sampler), UNKNOWN, "a NIC that is not there yet");
	put_counters(&f);
	is_str(nic_text(sampler), WHOLE, "is counted when it comes");
	after = open_files();
	is_int(after - before, (int)ARRAY_SIZE(counters), "its files stay open");
	is_str(nic_text(sampler), WHOLE, "another time");
	is_int(open_files(), after, "opens no more");
	fixture_remove(&f, "/sys/class/net/eth0");
	is_str(nic_text(sampler), UNKNOWN, "one that vanishes is not counted any more");
	put_counters(&f);
	fixture_file(&f, STATISTICS "rx_bytes", "5\n");
	is_str(nic_text(sampler), "5 5000000000 7000000000 12 d4321 e65",
	       "until it returns");
	sampler_close(sampler);
	is_int(open_files(), before, "nothing is left open");
	fixture_close(&f);
}

/* Of a board with rules nothing stays open: they are asked by path. */
static int refusing_read(void *ctx, const char *path, char *buf, size_t size)
{
	const char *const *refused = ctx;

	return streq(path, *refused) ? -EBUSY : 0;
}

static void test_rules(void)
{
	static const struct sysroot_hooks hooks = { .read = refusing_read };
	const char *refused = "";
	struct sampler *sampler;
	struct fixture f;
	int before;

	fixture_open(&f);
	put_counters(&f);
	f.sys.root.hooks = &hooks;
	f.sys.root.hooks_ctx = &refused;
	before = open_files();
	sampler = sampler_of(&f.sys.root, &eth0);
	is_str(nic_text(sampler), WHOLE, "a board with rules");
	is_int(open_files(), before, "has nothing open");
	refused = STATISTICS "tx_bytes";
	is_str(nic_text(sampler), UNKNOWN, "a rule is asked each time");
	refused = "";
	is_str(nic_text(sampler), WHOLE, "and no more when it is gone");
	sampler_close(sampler);
	fixture_close(&f);
}

/* "408000:10 600000:20" of a policy. */
static const char *clocks_text(const struct sample_clocks *clocks)
{
	static char text[2048];
	size_t n = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < clocks->n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u:%llu",
				      i ? " " : "", clocks->states[i].khz,
				      (unsigned long long)clocks->states[i].ticks);
	return text;
}

static void put_states(struct fixture *f, const char *policy, unsigned n)
{
	char path[128], text[4096], *s = text;

	for (unsigned i = 0; i < n; i++)
		s += sprintf(s, "%u %u\n", 100000 + i, i);
	snprintf(path, sizeof(path), CPUFREQ "%s/stats/time_in_state", policy);
	fixture_file(f, path, text);
}

static void test_clocks(void)
{
	static const char state0[] = CPUFREQ "policy0/stats/time_in_state";
	struct sample_clocks a[SAMPLE_POLICIES_MAX], b[SAMPLE_POLICIES_MAX];
	char endless[6000] = "";
	struct sampler *sampler;
	struct fixture f;

	fixture_open(&f);
	fixture_file(&f, state0, "408000 10\n600000 18446744073709551615\n");
	fixture_file(&f, CPUFREQ "policy0/stats/reset", "");
	fixture_file(&f, CPUFREQ "policy2/scaling_cur_freq", "1\n");
	put_states(&f, "policy4", SAMPLE_STATES_MAX);
	put_states(&f, "policy10", SAMPLE_STATES_MAX + 1);
	sampler = sampler_of(&f.sys.root, NULL);
	memset(a, 0x55, sizeof(a));
	sampler_clocks(sampler, a);
	is_str(clocks_text(&a[0]), "408000:10 600000:18446744073709551615",
	       "time at each clock");
	is_int(a[1].n, 0, "a policy without statistics");
	is_int(a[2].n, SAMPLE_STATES_MAX, "as many clocks as there is room for");
	is_int(a[2].states[SAMPLE_STATES_MAX - 1].ticks, SAMPLE_STATES_MAX - 1,
	       "the last of them");
	is_int(a[3].n, 0, "one more: not known, as the shares would be wrong");
	is_int(a[SAMPLE_POLICIES_MAX - 1].n, 0, "no policy");

	fixture_file(&f, state0, "408000 15\n600000 18446744073709551615\n");
	sampler_clocks(sampler, b);
	is_int(b[0].states[0].ticks - a[0].states[0].ticks, 5, "they go on");
	is_str(fixture_text(&f, CPUFREQ "policy0/stats/reset"), "",
	       "nothing is set to 0");
	fixture_file(&f, state0, "408000 15\n600000\n");
	sampler_clocks(sampler, b);
	is_int(b[0].n, 0, "a broken line: not known");
	memset(endless, '1', sizeof(endless) - 1);
	memcpy(endless, "408000 15\n", 10);
	fixture_file(&f, state0, endless);
	sampler_clocks(sampler, b);
	is_int(b[0].n, 0, "a line without end: not known");
	fixture_remove(&f, state0);
	sampler_clocks(sampler, b);
	is_int(b[0].n, 0, "a file that has gone: not known");
	sampler_close(sampler);
	fixture_close(&f);
}

/* All CPUs of a policy offline: reading is EBUSY. */
static void test_clocks_busy(void)
{
	static const char state4[] = CPUFREQ "policy4/stats/time_in_state";
	static const struct sysroot_hooks hooks = { .read = refusing_read };
	struct sample_clocks clocks[SAMPLE_POLICIES_MAX];
	const char *refused = state4;
	struct sampler *sampler;
	struct fixture f;

	fixture_open(&f);
	fixture_file(&f, CPUFREQ "policy0/stats/time_in_state", "408000 10\n");
	fixture_file(&f, state4, "408000 11\n");
	f.sys.root.hooks = &hooks;
	f.sys.root.hooks_ctx = &refused;
	sampler = sampler_of(&f.sys.root, NULL);
	sampler_clocks(sampler, clocks);
	is_str(clocks_text(&clocks[0]), "408000:10", "a policy that is online");
	is_int(clocks[1].n, 0, "one that is offline");
	refused = "";
	sampler_clocks(sampler, clocks);
	is_str(clocks_text(&clocks[1]), "408000:11", "and online again");
	sampler_close(sampler);
	fixture_close(&f);
}

#define PLATFORM "/sys/devices/platform/"
#define VENDOR PLATFORM "soc/soc:firmware/get_throttled"
#define VENDOR_5 PLATFORM "soc@107c000000/soc@107c000000:firmware/get_throttled"
#define ALARM "/sys/class/hwmon/hwmon1/in0_lcrit_alarm"

static const struct {
	const char *what, *path, *text;
	int bits;
	unsigned past;
} pis[] = {
	{ "get_throttled: nothing", VENDOR, "0\n", 0, 0 },
	{ "get_throttled: undervoltage now and before", VENDOR, "50005\n",
	  SAMPLE_RPI_UNDERVOLTAGE | SAMPLE_RPI_THROTTLED,
	  SAMPLE_RPI_UNDERVOLTAGE | SAMPLE_RPI_THROTTLED },
	{ "get_throttled: with 0x", VENDOR, "0x20004\n", SAMPLE_RPI_THROTTLED,
	  SAMPLE_RPI_CAPPED },
	{ "get_throttled: it is over", VENDOR, "f0000\n", 0, 0xf },
	{ "get_throttled: hex digits", VENDOR, "e\n",
	  SAMPLE_RPI_CAPPED | SAMPLE_RPI_THROTTLED | SAMPLE_RPI_SOFT_LIMIT, 0 },
	{ "get_throttled: no number", VENDOR, "unknown\n", -1, 0 },
	{ "get_throttled of a Raspberry Pi 5", VENDOR_5, "80008\n",
	  SAMPLE_RPI_SOFT_LIMIT, SAMPLE_RPI_SOFT_LIMIT },
	{ "hwmon: no alarm", ALARM, "0\n", 0, 0 },
	{ "hwmon: alarm", ALARM, "1\n", SAMPLE_RPI_UNDERVOLTAGE, 0 },
	{ "hwmon: no number", ALARM, "\n", -1, 0 },
	{ "another SoC", PLATFORM "soc/soc:pmu/power", "1\n", -1, 0 },
};

static void test_pi(void)
{
	struct sampler *sampler;
	struct sample sample;
	struct fixture f;

	for (size_t i = 0; i < ARRAY_SIZE(pis); i++) {
		fixture_open(&f);
		fixture_file(&f, "/sys/class/hwmon/hwmon0/name", "nvme\n");
		fixture_file(&f, "/sys/class/hwmon/hwmon0/in0_lcrit_alarm", "1\n");
		fixture_file(&f, "/sys/class/hwmon/hwmon1/name", "rpi_volt\n");
		fixture_file(&f, pis[i].path, pis[i].text);
		sample = taken_once(&f, NULL);
		is_int(sample.rpi, pis[i].bits, "%s", pis[i].what);
		is_int(sample.rpi_past, pis[i].past, "%s, since boot", pis[i].what);
		fixture_close(&f);
	}
	fixture_open(&f);
	fixture_file(&f, "/sys/class/hwmon/hwmon1/name", "rpi_volt\n");
	fixture_file(&f, VENDOR, "4\n");
	fixture_file(&f, ALARM, "1\n");
	sampler = sampler_of(&f.sys.root, NULL);
	is_int(taken(sampler).rpi, SAMPLE_RPI_THROTTLED | SAMPLE_RPI_UNDERVOLTAGE,
	       "both: what either says");
	fixture_file(&f, ALARM, "0\n");
	is_int(taken(sampler).rpi, SAMPLE_RPI_THROTTLED, "a moment later");
	fixture_remove(&f, VENDOR);
	is_int(taken(sampler).rpi, 0, "with one gone");
	fixture_remove(&f, ALARM);
	is_int(taken(sampler).rpi, -1, "with both");
	sampler_close(sampler);
	fixture_close(&f);
}

static void test_boards(void)
{
	static const struct {
		const char *name;
		unsigned policies, states;
		int rpi;
	} boards[] = {
		{ "raspberrypi-4", 1, 10, 0 },
		{ "raspberrypi-5", 1, 10, 0 },
		{ "nanopi-r4s", 2, 6, -1 },
		{ "x86-minipc", 4, 0, -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(boards); i++) {
		struct sample_clocks clocks[SAMPLE_POLICIES_MAX];
		struct sampler *sampler;
		struct system sys;
		struct sample s;

		board_open_named(boards[i].name, &sys);
		sampler = sampler_of(&sys.root, &eth0);
		s = taken(sampler);
		sampler_clocks(sampler, clocks);
		is_int(s.n_policies, boards[i].policies, "%s: policies", boards[i].name);
		is_int(clocks[0].n, boards[i].states, "its clocks");
		is_int(s.rpi, boards[i].rpi, "its firmware");
		ok(!s.event, "and no events of this machine");
		sampler_close(sampler);
		system_close(&sys);
	}
}

/* Lines that the buffer cuts, and one that is longer than it. */
static void test_lines(void)
{
	struct sample_lines lines;
	struct sample_file file;
	char text[9001], *line;
	struct fixture f;
	size_t n = 0;

	fixture_open(&f);
	for (size_t i = 0; i < 1000; i++)
		sprintf(text + i * 9, "%08zu\n", i);
	fixture_file(&f, "/proc/lines", text);
	sample_file_set(&file, "/proc/lines");
	sample_lines_begin(&lines, &f.sys.root, &file);
	while (sample_lines_next(&lines, &line) == 1 && strtoul(line, NULL, 10) == n &&
	       strlen(line) == 8)
		n++;
	is_int(n, 1000, "a thousand lines");
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "first\n", 6);
	fixture_file(&f, "/proc/lines", text);
	sample_lines_begin(&lines, &f.sys.root, &file);
	ok(sample_lines_next(&lines, &line) == 1 && streq(line, "first"), "a line");
	is_int(sample_lines_next(&lines, &line), -EFBIG, "and one without end");
	sample_file_close(&file);
	fixture_close(&f);
}

int main(void)
{
	test_nic();
	test_vanishing();
	test_rules();
	test_clocks();
	test_clocks_busy();
	test_pi();
	test_boards();
	test_lines();
	return done();
}
