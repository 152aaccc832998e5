// SPDX-License-Identifier: GPL-2.0-or-later
// test-server-cpu.c - /proc/stat as shares of a machine and of its busiest CPU
#include <math.h>

#include "measure/server-cpu.h"
#include "tap.h"

static struct server_cpu from, until;

static struct iperf_extra shares(const char *before, const char *after)
{
	struct iperf_extra extra = { .machine_busy = NAN, .busiest_cpu = NAN };

	if (server_cpu_parse(before, &from) < 0 || server_cpu_parse(after, &until) < 0)
		ok(false, "parsed");
	server_cpu_fill(&from, &until, &extra);
	return extra;
}

static void test_shares(void)
{
	struct iperf_extra extra;

	extra = shares("cpu  10 0 10 100 5 0 0 0 0 0\n"
		       "cpu0 5 0 5 50 5 0 0 0 0 0\n"
		       "cpu1 5 0 5 50 0 0 0 0 0 0\n"
		       "intr 12345 0 0\n",
		       "cpu  40 0 20 140 25 0 10 10 0 0\n"
		       "cpu0 25 0 5 70 25 0 0 0 0 0\n"
		       "cpu1 15 0 15 70 0 0 10 10 0 0\n"
		       "intr 99999 0 0\n");
	is_near(extra.machine_busy, 60 / 120.0, 1e-9, "user, system, softirq and steal");
	is_near(extra.busiest_cpu, 40 / 60.0, 1e-9, "of the second CPU");

	extra = shares("cpu  0 0 0 100\ncpu0 0 0 0 50\ncpu2 0 0 0 50\n",
		       "cpu  10 0 0 190\ncpu0 9 0 0 91\ncpu1 0 0 0 9\ncpu2 1 0 0 99\n");
	is_near(extra.busiest_cpu, 9 / 50.0, 1e-9, "one that came meanwhile is left out");

	extra = shares("cpu  10 0 0 100\ncpu0 10 0 0 100\n",
		       "cpu  10 0 0 100\ncpu0 10 0 0 100\n");
	ok(isnan(extra.machine_busy) && isnan(extra.busiest_cpu),
	   "no time has passed: nothing is known");
}

static void test_broken(void)
{
	static const char *const broken[] = { "", "intr 5\n", "cpu0 1 2 3 4\n", "cpu \n",
					      "cpu  1 2 x 4\n" };

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		is_int(server_cpu_parse(broken[i], &from), -ENODATA,
		       "no line of all CPUs: %zu", i);
}

/* 600 CPUs: the sums and the first 512. */
static void test_many(void)
{
	static char text[64 * 1024];
	size_t n = sprintf(text, "cpu  1 1 1 1\n");

	for (unsigned i = 0; i < 600; i++)
		n += sprintf(text + n, "cpu%u 1 1 1 1 1 1 1 1\n", i);
	is_int(server_cpu_parse(text, &from), 0, "a machine of 600 CPUs");
	is_int(from.n, SERVER_CPUS_MAX + 1, "the first 512 are kept");
	is_int(server_cpu_take(&until), 0, "this machine");
	ok(until.n > 1 && until.cpus[0].number == -1 && until.cpus[0].busy > 0,
	   "has CPUs");
}

int main(void)
{
	test_shares();
	test_broken();
	test_many();
	return done();
}
