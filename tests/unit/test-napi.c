// SPDX-License-Identifier: GPL-2.0-or-later
// test-napi.c - the threads of threaded NAPI: whose they are, on which CPUs
#include "knob-fixture.h"
#include "knobs/steering.h"

static const struct setting napi_row = {
	.section = "net", .key = "napi.affinity", .attr = "napi", .type = VALUE_CPUS
};

static const struct {
	const char *name;
	int ifindex;
	bool threaded;
} nics[] = {
	{ "eth0", 2, true },	    { "eth0-1", 3, true },
	{ "lan", 4, false },	    { "enp1s0f1", 5, true },
	{ "enp2s0f0np0", 6, true }, { "enp3s0f0np0", 7, true },
	{ "enp3s0f0np1", 8, true },
};

static const struct {
	unsigned pid;
	const char *comm;
	unsigned parent;
	const char *cpus;
} processes[] = {
	{ 1, "init", 0, "0-5" },
	{ 9, "napi/eth0-8194", 2, "0-5" },
	{ 300, "napi/eth0-8193", 2, "2" },
	/* not a kernel thread: any process may take that name */
	{ 4000, "napi/eth0-8195", 1, "0-5" },
	{ 4001, "napi/eth0-x", 2, "0-5" },
	{ 4002, "napi/eth0-", 2, "0-5" },
	{ 4003, "irq/35-eth0", 2, "0-5" },
	{ 310, "napi/eth0-1-9000", 2, "0-5" },
	{ 311, "napi/lan-8200", 2, "0-5" },
	/* 15 bytes: before 5.17 the end is cut off */
	{ 322, "napi/enp1s0f1-8", 2, "1" },
	{ 321, "napi/enp1s0f1-8", 2, "0" },
	{ 330, "napi/enp2s0f0np", 2, "3" },
	{ 340, "napi/enp3s0f0np", 2, "0-5" },
	{ 341, "napi/enp3s0f0np1-8300", 2, "4" },
};

static void open_napi(struct fixture *f, struct system *ret)
{
	char text[8192] = "/sys/devices/system/cpu/online = 0-4\n"
			  "/sys/devices/system/cpu/present = 0-5\n"
			  "/proc/self/comm = napi/eth0-1\n";
	size_t n = strlen(text);

	for (size_t i = 0; i < ARRAY_SIZE(nics); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "/sys/class/net/%s/ifindex = %d\n"
				      "/sys/class/net/%s/threaded = %d\n",
				      nics[i].name, nics[i].ifindex, nics[i].name,
				      nics[i].threaded);
	for (size_t i = 0; i < ARRAY_SIZE(processes); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "/proc/%u/comm = %s\n"
				      "/proc/%u/status <<END\n"
				      "Name:\tnapi\n"
				      "PPid:\t%u\n"
				      "Cpus_allowed:\t3f\n"
				      "Cpus_allowed_list:\t%s\n"
				      "END\n",
				      processes[i].pid, processes[i].comm,
				      processes[i].pid, processes[i].parent,
				      processes[i].cpus);
	fixture_open(f);
	open_text(f, text, ret);
}

static struct target thread(const char *path, int ifindex)
{
	return (struct target) { .name = (char *)"as told",
				 .path = (char *)path,
				 .ifindex = ifindex };
}

static void test_napi_each(void)
{
	struct target_list list;
	struct system sys;
	struct fixture f;

	open_napi(&f, &sys);
	is_str(names(&sys, steering_napi_each, &napi_row, "eth0"),
	       "napi/eth0-8193 napi/eth0-8194",
	       "by instance; kernel threads of this interface alone");
	is_str(names(&sys, steering_napi_each, &napi_row, "eth0-1"), "napi/eth0-1-9000",
	       "a name with a dash");
	is_str(names(&sys, steering_napi_each, &napi_row, "lan"), "napi/lan",
	       "not threaded: one that stands for them");
	is_str(names(&sys, steering_napi_each, &napi_row, "enp1s0f1"),
	       "napi/enp1s0f1-?0 napi/enp1s0f1-?1", "cut in the number");
	is_str(names(&sys, steering_napi_each, &napi_row, "enp2s0f0np0"),
	       "napi/enp2s0f0np", "cut in the name, and no other fits");
	is_str(names(&sys, steering_napi_each, &napi_row, "enp3s0f0np0"),
	       "napi/enp3s0f0np0", "cut to what fits two: nobody's");
	is_str(names(&sys, steering_napi_each, &napi_row, "enp3s0f0np1"),
	       "napi/enp3s0f0np1-8300", "from 5.17 it is not cut");
	is_str(names(&sys, steering_napi_each, &napi_row, "eth7"), "", "no such NIC");
	list = targets(&sys, steering_napi_each, &napi_row, "eth0");
	is_str(list.targets[1].path, "/sys/class/net/eth0/napi/1", "path");
	is_int(list.targets[1].ifindex, 2, "interface");
	is_int(list.targets[1].index, 1, "place");
	is_int(list.targets[1].siblings, 2, "of two");
	is_str(got(&sys, steering_napi_get, &napi_row, &list.targets[0]), "2", "CPUs");
	list.targets[0].order = 9; /* the process is another one by now */
	is_str(got(&sys, steering_napi_get, &napi_row, &list.targets[0]), "2",
	       "found again");
	target_list_clear(&list);
	system_close(&sys);
	fixture_close(&f);
}

static void test_napi(void)
{
	struct target t = thread("/sys/class/net/eth0/napi/0", 2);
	struct target t1 = thread("/sys/class/net/eth0/napi/1", 2);
	struct target none = thread("/sys/class/net/lan/napi", 4);
	struct target gone = thread("/sys/class/net/eth0/napi/2", 2);
	struct target other = thread("/sys/class/net/eth0/napi/0", 9);
	struct value v = value_number(0);
	struct system sys;
	struct fixture f;

	open_napi(&f, &sys);
	is_str(got(&sys, steering_napi_get, &napi_row, &t1), "0-5",
	       "offline CPUs too, as they are put back");
	is_str(got(&sys, steering_napi_get, &napi_row, &gone), "ENOENT", "no third");
	is_str(got(&sys, steering_napi_get, &napi_row, &none), "ENOENT", "none");
	is_str(got(&sys, steering_napi_get, &napi_row, &other), "ENODEV", "another NIC");
	v = parsed(VALUE_CPUS, "0");
	is_int(steering_napi_set(&sys, &napi_row, &t, &v), -EOPNOTSUPP,
	       "a process of this machine is not touched");
	is_str(expected(&sys, steering_napi_expect, &napi_row, &t, "2"), "'2' ok",
	       "as wanted");
	is_str(expected(&sys, steering_napi_expect, &napi_row, &t, "1"),
	       "'1' unsupported EOPNOTSUPP (not on a recorded board)", "not so");
	is_str(expected(&sys, steering_napi_expect, &napi_row, &none, "1"),
	       "'1' unsupported EOPNOTSUPP (not on a recorded board)", "no threads");
	is_str(expected(&sys, steering_napi_expect, &napi_row, &t, "none"),
	       "ERANGE (a thread needs a CPU to run on)", "EINVAL in a kernel");
	is_str(expected(&sys, steering_napi_expect, &napi_row, &t, "5"),
	       "'5' missing ENODEV (none of these CPUs is online)", "offline");
	is_str(expected(&sys, steering_napi_expect, &napi_row, &t, "7"),
	       "ERANGE (this board has no CPU 7; it has 0-5)", "not of this board");
	system_close(&sys);
	fixture_close(&f);
}

int main(void)
{
	test_napi_each();
	test_napi();
	return done();
}
