// SPDX-License-Identifier: GPL-2.0-or-later
// test-sample-cpu.c - time, softnet and interrupts by CPU, from one CPU to 512
#include "sample-fixture.h"

#define MANY 512
#define TEXT_SIZE (1 << 20)

static uint64_t tick_us;

static void test_stat(void)
{
	struct sampler *sampler;
	struct fixture f;
	struct sample s;

	fixture_open(&f);
	fixture_file(&f, "/proc/stat",
		     "cpu  100 20 300 4000 500 6 70 8 9 10\n"
		     "cpu0 10 2 30 400 50 6 7 8 9 10\n"
		     "cpu1 1 1 1 1 1 1 1 1 1 1\n"
		     "cpu3 90 18 270 3600 450 0 63 0 0 0\n"
		     "intr 1 2 3\n");
	sampler = sampler_of(&f.sys.root, NULL);
	s = taken(sampler);
	is_int(s.cpu_busy_us, 504 * tick_us, "all: busy without guest time");
	is_int(s.n_cpus, 4, "as many as the highest number needs");
	is_int(s.cpus[0].busy_us, 63 * tick_us, "the first: busy");
	is_int(s.cpus[0].softirq_us, 7 * tick_us, "and in softirqs");
	is_int(s.cpus[1].busy_us, 6 * tick_us, "the second");
	is_int(s.cpus[2].busy_us, 0, "the third is offline");
	is_int(s.cpus[3].softirq_us, 63 * tick_us, "the fourth");

	fixture_file(&f, "/proc/stat",
		     "cpu  110 20 300 4000 500 6 75 8 9 10\n"
		     "cpu0 20 2 30 400 50 6 12 8 9 10\n");
	s = taken(sampler);
	is_int(s.cpu_busy_us, 519 * tick_us, "15 ticks later: all");
	is_int(s.cpus[0].busy_us, 78 * tick_us, "the first");
	is_int(s.cpus[0].softirq_us, 12 * tick_us, "its softirqs");
	is_int(s.n_cpus, 1, "the others have gone offline");
	is_int(s.cpus[3].busy_us, 0, "and have no time then");

	fixture_file(&f, "/proc/stat", "cpu  110 20 300 4000 500\n");
	s = taken(sampler);
	is_int(s.cpu_busy_us + s.n_cpus, 0, "too few columns are none");
	fixture_remove(&f, "/proc/stat");
	s = taken(sampler);
	is_int(s.cpu_busy_us + s.cpu_idle_us + s.n_cpus, 0, "nor is a missing file");
	fixture_file(&f, "/proc/stat", "cpu  1 1 1 1 1 1 1 1\ncpu0 1 1 1 1 1 1 1 1");
	s = taken(sampler);
	is_int(s.cpu_busy_us, 6 * tick_us, "until it is back");
	is_int(s.cpus[0].busy_us, 6 * tick_us, "without newline at its end");
	sampler_close(sampler);
	fixture_close(&f);
}

static const struct {
	const char *what, *text;
	unsigned dropped, squeezed;
} softnets[] = {
	{ "11 columns",
	  "0a484801 00000002 0000001d 00000000 00000000 00000000 00000000 00000000 "
	  "00000000 00000000 00000000\n",
	  2, 0x1d },
	{ "13 columns, two CPUs",
	  "0a484801 000000ff 0000001d 00000000 00000000 00000000 00000000 00000000 "
	  "00000000 00000019 00000000 00000000 00000000\n"
	  "0a3553f7 00000001 0000001e 00000000 00000000 00000000 00000000 00000000 "
	  "00000000 000000ed 00000000 00000000 00000001\n",
	  256, 0x3b },
	{ "15 columns, no newline at the end",
	  "0a484801 00000003 00000004 00000000 00000000 00000000 00000000 00000000 "
	  "00000000 00000000 00000000 00000000 00000000 00000000 00000000",
	  3, 4 },
	{ "the highest count", "00000000 ffffffff fffffffe 0\n", 0xffffffff, 0xfffffffe },
	{ "a broken row between two", "1 2 3\nxx yy zz\n\n1 2 3\n", 4, 6 },
	{ "two columns", "00000001 00000002\n", 0, 0 },
	{ "nothing", "", 0, 0 },
};

static void test_softnet(void)
{
	struct sampler *sampler;
	struct fixture f;
	struct sample s;

	fixture_open(&f);
	sampler = sampler_of(&f.sys.root, NULL);
	s = taken(sampler);
	is_int(s.softnet_dropped + s.softnet_squeezed, 0, "no softnet_stat");
	for (size_t i = 0; i < ARRAY_SIZE(softnets); i++) {
		fixture_file(&f, "/proc/net/softnet_stat", softnets[i].text);
		s = taken(sampler);
		is_int(s.softnet_dropped, softnets[i].dropped, "softnet, %s: dropped",
		       softnets[i].what);
		is_int(s.softnet_squeezed, softnets[i].squeezed, "softnet, %s: squeezed",
		       softnets[i].what);
	}
	sampler_close(sampler);
	fixture_close(&f);
}

#define HEADER "           CPU0       CPU2\n"
#define ROWS(a, b, c)                                                                    \
	HEADER "  7:   1 1   GICv3  30 Level   arch_timer\n"                             \
	       " 35:   " a "   GICv3  44 Level   eth0\n"                                 \
	       " 36:   " b "   GICv3  45 Level   eth0-rx\n"                              \
	       "140:   " c "   GICv3  97 Level   eth1, mmc\n"                            \
	       "IPI0:   9 9   Rescheduling interrupts\n"

static void put_nics(struct fixture *f)
{
	static const char *const names[] = { "eth0", "eth1" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[128], to[128];

		snprintf(path, sizeof(path), "/sys/devices/platform/%zu.mac/net/%s/mtu",
			 i, names[i]);
		fixture_file(f, path, "1500\n");
		snprintf(to, sizeof(to), "../../devices/platform/%zu.mac/net/%s", i,
			 names[i]);
		snprintf(path, sizeof(path), "/sys/class/net/%s", names[i]);
		fixture_link(f, path, to);
	}
}

static void test_rows(void)
{
	static const struct sample_nics both = { { "eth1", "eth0" }, 2 };
	struct sampler *sampler, *one;
	struct fixture f;
	struct sample s;

	fixture_open(&f);
	put_nics(&f);
	fixture_file(&f, "/proc/interrupts", ROWS("10 20", "1 2", "500 0"));
	sampler = sampler_of(&f.sys.root, &both);
	one = sampler_of(&f.sys.root, &eth0);
	s = taken(sampler);
	is_int(s.n_cpus, 3, "columns of CPUs that are online");
	is_int(s.cpus[0].irqs, 511, "three lines of two NICs, first CPU");
	is_int(s.cpus[1].irqs, 0, "one that is offline");
	is_int(s.cpus[2].irqs, 22, "and the third");
	s = taken(one);
	is_int(s.cpus[0].irqs, 11, "two lines of one NIC");

	fixture_file(&f, "/proc/interrupts", ROWS("15 20", "1 9", "501 0"));
	s = taken(sampler);
	is_int(s.cpus[0].irqs, 517, "they go on");
	is_int(s.cpus[2].irqs, 29, "on both CPUs");

	fixture_remove(&f, "/proc/interrupts");
	s = taken(sampler);
	is_int(s.cpus[0].irqs + s.n_cpus, 0, "a missing file counts nothing");
	fixture_file(&f, "/proc/interrupts",
		     HEADER " 99:   4 5     GICv3  44 Level     eth0\n");
	s = taken(one);
	is_int(s.cpus[0].irqs, 0, "a NIC with another line is not counted");
	is_int(sampler_find_irqs(one), 0, "until it is looked for");
	s = taken(one);
	is_int(s.cpus[2].irqs, 5, "and then it is");
	sampler_close(sampler);
	sampler_close(one);
	fixture_close(&f);
}

static void test_sysfs(void)
{
	static const struct sample_nics both = { { "eth0", "eth1" }, 2 };
	static const char dir[] = "/sys/kernel/irq/";
	static const char *const files[][2] = {
		{ "35/actions", "eth0\n" },
		{ "35/per_cpu_count", "10,0,20\n" },
		{ "36/actions", "eth0-rx\n" },
		{ "36/per_cpu_count", "1,2,3\n" },
		{ "7/actions", "mmc\n" },
		{ "7/per_cpu_count", "1000,1000,1000\n" },
		{ "140/actions", "eth1\n" },
	};
	struct sampler *sampler;
	struct fixture f;
	struct sample s;

	fixture_open(&f);
	put_nics(&f);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s%s", dir, files[i][0]);
		fixture_file(&f, path, files[i][1]);
	}
	fixture_file(&f, "/proc/interrupts", ROWS("70 0", "80 0", "90 0"));
	sampler = sampler_of(&f.sys.root, &eth0);
	s = taken(sampler);
	is_int(s.n_cpus, 3, "sysfs: each CPU that there may be");
	is_int(s.cpus[0].irqs, 11, "the first");
	is_int(s.cpus[1].irqs, 2, "the second");
	is_int(s.cpus[2].irqs, 23, "the third");
	fixture_file(&f, "/sys/kernel/irq/35/per_cpu_count", "10,5,20\n");
	s = taken(sampler);
	is_int(s.cpus[1].irqs, 7, "it goes on");
	fixture_remove(&f, "/sys/kernel/irq/36");
	s = taken(sampler);
	is_int(s.cpus[2].irqs, 20, "a line that has gone is left out");
	fixture_file(&f, "/sys/kernel/irq/35/per_cpu_count", "x,5\n");
	s = taken(sampler);
	is_int(s.cpus[0].irqs + s.cpus[1].irqs + s.n_cpus, 0, "what is no count is none");
	sampler_close(sampler);

	sampler = sampler_of(&f.sys.root, &both);
	s = taken(sampler);
	is_int(s.cpus[0].irqs, 240, "a line without counts in sysfs: all from the rows");
	sampler_close(sampler);

	fixture_remove(&f, "/proc/interrupts");
	fixture_file(&f, "/sys/kernel/irq/35/actions", "eth0,eth1\n");
	fixture_file(&f, "/sys/kernel/irq/35/per_cpu_count", "10,5,20\n");
	fixture_file(&f, "/sys/kernel/irq/140/per_cpu_count", "100,0,0\n");
	s = taken_once(&f, &both);
	is_int(s.cpus[0].irqs, 110, "a line that two NICs share counts once");
	fixture_close(&f);
}

/* @unit for each of many CPUs. */
static char *put_many(char *to, const char *unit, unsigned from)
{
	for (unsigned i = 0; i < MANY; i++)
		to += sprintf(to, unit, from + i);
	return to;
}

static void put_many_files(struct fixture *f, char *text)
{
	char *s = text + sprintf(text, "cpu  51200 0 0 512 0 0 5120 0 0 0\n");

	for (unsigned i = 0; i < MANY; i++)
		s += sprintf(s, "cpu%u %u 0 0 1 0 0 10 0 0 0\n", i, 1000000 + i);
	s += sprintf(s, "intr");
	for (unsigned i = 0; i < 50000; i++)
		s += sprintf(s, " 0");
	strcpy(s, "\nctxt 1\n");
	fixture_file(f, "/proc/stat", text);

	s = text;
	for (unsigned i = 0; i < MANY; i++)
		s += sprintf(s, "%08x %08x %08x 00000000 00000000 00000000 00000000 "
				"00000000 00000000 00000000 00000000 00000000 %08x\n",
			     i, 1, 2, i);
	fixture_file(f, "/proc/net/softnet_stat", text);

	s = put_many(text, "       CPU%u", 0);
	s += sprintf(s, "\n 35:");
	s = put_many(s, " %10u", 4000000000u);
	s += sprintf(s, "  GICv3  44 Level  eth0\n 36:");
	s = put_many(s, " %10u", 1);
	strcpy(s, "  GICv3  45 Level  mmc\n");
	fixture_file(f, "/proc/interrupts", text);
}

static void test_many(void)
{
	char *text = malloc(TEXT_SIZE);
	struct fixture f;
	struct sample s;

	if (!text)
		fixture_fail("malloc");
	fixture_open(&f);
	put_nics(&f);
	put_many_files(&f, text);
	s = taken_once(&f, &eth0);
	is_int(s.cpu_busy_us, (51200 + 5120) * tick_us, "512 CPUs: the sum is of all");
	is_int(s.n_cpus, SAMPLE_CPUS_MAX, "the first ones by themselves");
	is_int(s.cpus[0].busy_us, 1000010 * tick_us, "the first");
	is_int(s.cpus[63].busy_us, 1000073 * tick_us, "the last");
	is_int(s.softnet_dropped, MANY, "dropped by all");
	is_int(s.softnet_squeezed, 2 * MANY, "squeezed by all");
	is_int(s.cpus[63].irqs, 4000000063, "interrupts, from rows");

	fixture_file(&f, "/sys/kernel/irq/35/actions", "eth0\n");
	strcpy(put_many(text, "%u,", 3000000000u) - 1, "\n");
	fixture_file(&f, "/sys/kernel/irq/35/per_cpu_count", text);
	s = taken_once(&f, &eth0);
	is_int(s.cpus[0].irqs, 3000000000, "and from sysfs: the first");
	is_int(s.cpus[63].irqs, 3000000063, "the last");
	is_int(s.n_cpus, SAMPLE_CPUS_MAX, "and no other");
	fixture_close(&f);
	free(text);
}

/* Recorded boards: the rules of some are asked by path. */
static void test_boards(void)
{
	static const struct sample_nics r4s = { { "eth0", "eth1" }, 2 };
	struct sampler *sampler;
	struct system sys;
	struct sample s;

	board_open_named("nanopi-r4s", &sys);
	sampler = sampler_of(&sys.root, &r4s);
	s = taken(sampler);
	is_int(s.n_cpus, 6, "NanoPi R4S: six CPUs");
	is_int(s.cpus[4].irqs, 165575364, "one for eth0");
	is_int(s.cpus[5].irqs, 1156859750, "one for eth1");
	is_int(s.cpus[0].irqs, 0, "its PHY and others are not counted");
	ok(s.cpus[0].busy_us > 0, "the first has worked");
	sampler_close(sampler);
	system_close(&sys);

	board_open_named("raspberrypi-4", &sys);
	sampler = sampler_of(&sys.root, &eth0);
	s = taken(sampler);
	is_int(s.cpus[0].irqs, 780 + 11, "Raspberry Pi 4: two lines");
	is_int(s.cpus[1].irqs, 313196, "on the second CPU");
	is_int(s.cpus[2].irqs, 4358, "on the third");
	is_int(s.cpus[3].busy_us, (10302 + 7530 + 2280) * tick_us, "time of the fourth");
	sampler_close(sampler);
	system_close(&sys);
}

int main(void)
{
	tick_us = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	test_stat();
	test_softnet();
	test_rows();
	test_sysfs();
	test_many();
	test_boards();
	return done();
}
