// SPDX-License-Identifier: GPL-2.0-or-later
// test-steering.c - sets of CPUs by name, RPS and XPS masks, flow counts, threaded NAPI
#include "knob-fixture.h"
#include "knobs/cpufreq.h"
#include "knobs/steering.h"

#define CPU "/sys/devices/system/cpu"
#define ETH0 "/sys/devices/platform/ff540000.ethernet/net/eth0"
#define ETH1 "/sys/devices/platform/ff600000.usb/net/eth1"

/* clang-format off */
/* A router with six CPUs, one of them offline, and a NIC with one transmit queue. */
static const char steer_text[] =
	"/proc/sys/kernel/osrelease = 6.12.1\n"
	CPU "/online = 0-4\n"
	CPU "/present = 0-5\n"
	CPU "/isolated =\n"
	CPU "/nohz_full = (null)\n"
	"/sys/class/net/eth0 -> ../../devices/platform/ff540000.ethernet/net/eth0\n"
	ETH0 "/ifindex = 2\n"
	ETH0 "/flags = 0x1003\n"
	ETH0 "/threaded = 0\n"
	"!accept " ETH0 "/threaded 0 1\n"
	ETH0 "/queues/rx-0/rps_cpus = 00\n"
	"!bitmap " ETH0 "/queues/rx-0/rps_cpus 6\n"
	ETH0 "/queues/rx-0/rps_flow_cnt = 0\n"
	"!clamp " ETH0 "/queues/rx-0/rps_flow_cnt up 0 128 256 32768\n"
	ETH0 "/queues/tx-0/xps_cpus = 00\n"
	"!unreadable " ETH0 "/queues/tx-0/xps_cpus ENOENT\n"
	"!refuse " ETH0 "/queues/tx-0/xps_cpus ENOENT\n"
	"/sys/class/net/eth1 -> ../../devices/platform/ff600000.usb/net/eth1\n"
	ETH1 "/ifindex = 3\n"
	ETH1 "/flags = 0x1002\n"
	ETH1 "/threaded = 0\n"
	"!refuse " ETH1 "/threaded EOPNOTSUPP\n"
	ETH1 "/queues/rx-0/rps_cpus = 00\n"
	ETH1 "/queues/rx-0/rps_flow_cnt = 4096\n"
	"!refuse " ETH1 "/queues/rx-0/rps_flow_cnt ENOMEM\n"
	ETH1 "/queues/rx-1/rps_cpus = 03\n"
	ETH1 "/queues/rx-10/rps_cpus = 00\n"
	ETH1 "/queues/rx-2/rps_cpus = 00\n"
	ETH1 "/queues/tx-0/xps_cpus = 00\n"
	"!bitmap " ETH1 "/queues/tx-0/xps_cpus 6\n"
	"/sys/class/net/wlan0/ifindex = 4\n";
/* clang-format on */

static const struct setting rps_row = {
	.section = "net", .key = "rps_cpus", .attr = "rx/rps_cpus", .type = VALUE_CPUS
};
static const struct setting xps_row = {
	.section = "net", .key = "xps_cpus", .attr = "tx/xps_cpus", .type = VALUE_CPUS
};
static const struct setting flows_row = { .section = "net",
					  .key = "rps_flow_cnt",
					  .attr = "rx/rps_flow_cnt",
					  .type = VALUE_NUMBER };
static const struct setting threaded_row = {
	.section = "net", .key = "threaded", .attr = "threaded", .type = VALUE_FLAG
};
static int set_to(struct system *sys, const struct setting *s, const struct target *t,
		  const char *text)
{
	struct value v = parsed(s->type, text);

	return s->type == VALUE_NUMBER ? steering_flows_set(sys, s, t, &v)
	       : s->type == VALUE_FLAG ? steering_threaded_set(sys, s, t, &v)
				       : steering_cpus_set(sys, s, t, &v);
}

static void add_policy(struct fixture *f, const char *policy, const char *cpus,
		       const char *khz)
{
	char path[256];

	snprintf(path, sizeof(path), CPUFREQ_DIR "/%s/related_cpus", policy);
	fixture_file(f, path, cpus);
	snprintf(path, sizeof(path), CPUFREQ_DIR "/%s/affected_cpus", policy);
	fixture_file(f, path, cpus);
	snprintf(path, sizeof(path), CPUFREQ_DIR "/%s/cpuinfo_max_freq", policy);
	fixture_file(f, path, khz);
}

/* What a profile's words come to: the list, or the note in brackets. */
static const char *resolved(struct system *sys, const char *text)
{
	static char list[CPUS_LIST_MAX];
	char note[KNOB_NOTE_MAX] = "";
	struct value v;
	struct cpus set;
	int r = value_parse(VALUE_CPUS, text, &v);

	system_forget(sys); /* another board, or another time */
	if (r == 0)
		r = steering_resolve(sys, &v, &set, note);
	if (r == 0)
		return cpus_format_list(&set, list, sizeof(list));
	snprintf(list, sizeof(list), "%s (%s)", errno_name(r), note);
	return list;
}

static void test_resolve(void)
{
	const char *alike = "ERANGE (neither big nor little here: the CPUs are all "
			    "alike)";
	struct fixture f;

	fixture_open(&f);
	is_str(resolved(&f.sys, "all"), "0", "nothing known: CPU 0");
	fixture_file(&f, CPU "/online", "0-2,4-5\n");
	is_str(resolved(&f.sys, "all"), "0-2,4-5", "all: those online");
	is_str(resolved(&f.sys, "4"), "4", "present unknown: those online are");
	fixture_file(&f, CPU "/present", "0-5\n");
	is_str(resolved(&f.sys, "2-3"), "2-3", "an offline CPU is the board's");
	is_str(resolved(&f.sys, "0x5"), "0,2", "a mask");
	is_str(resolved(&f.sys, "none"), "", "none");
	is_str(resolved(&f.sys, "5-6"), "ERANGE (this board has no CPU 6; it has 0-5)",
	       "a CPU too many");
	is_str(resolved(&f.sys, "0x40"), "ERANGE (this board has no CPU 6; it has 0-5)",
	       "in a mask too");
	is_str(resolved(&f.sys, "big"), alike, "no cpufreq, no capacity");
	add_policy(&f, "policy0", "0 1 2 3\n", "1416000\n");
	is_str(resolved(&f.sys, "little"), alike, "one policy");
	add_policy(&f, "policy4", "4 5\n", "1800000\n");
	is_str(resolved(&f.sys, "big"), "4-5", "big by clock");
	is_str(resolved(&f.sys, "little"), "0-2", "little, those online");
	fixture_file(&f, CPU "/online", "0-3\n");
	is_str(resolved(&f.sys, "big"), "ERANGE (no big CPU is online)", "big offline");
	fixture_file(&f, CPU "/online", "4-5\n");
	is_str(resolved(&f.sys, "little"), "ERANGE (no little CPU is online)",
	       "little offline");
	fixture_close(&f);
}

static void test_resolve_capacity(void)
{
	static const char *const capacities[] = { "1024\n", "400\n", "400\n", "760\n" };
	struct fixture f;

	fixture_open(&f);
	fixture_file(&f, CPU "/online", "0-3\n");
	fixture_file(&f, CPU "/present", "0-3\n");
	for (unsigned i = 0; i < 4; i++) {
		char path[64];

		snprintf(path, sizeof(path), CPU "/cpu%u/cpu_capacity", i);
		fixture_file(&f, path, capacities[i]);
	}
	is_str(resolved(&f.sys, "little"), "1-2", "little by capacity, not the first");
	is_str(resolved(&f.sys, "big"), "0,3", "all above it are big");
	fixture_remove(&f, CPU "/cpu3/cpu_capacity");
	is_str(resolved(&f.sys, "big"),
	       "ERANGE (neither big nor little here: the CPUs are all alike)",
	       "not all capacities known");
	fixture_close(&f);
}

/* A queue of eth0 (ifindex 2) or eth1 (3). */
static struct target queue(const char *path)
{
	return (struct target) { .name = (char *)"as told",
				 .path = (char *)path,
				 .ifindex = strstr(path, "eth0") ? 2 : 3 };
}

static void test_queues(void)
{
	struct target_list list;
	struct system sys;
	struct fixture f;

	fixture_open(&f);
	open_text(&f, steer_text, &sys);
	is_str(names(&sys, steering_queue_each, &rps_row, "eth*"),
	       "eth0/rx-0 eth1/rx-0 eth1/rx-1 eth1/rx-2 eth1/rx-10", "receive queues");
	is_str(names(&sys, steering_queue_each, &xps_row, "eth*"), "eth0/tx-0 eth1/tx-0",
	       "transmit queues");
	is_str(names(&sys, steering_queue_each, &rps_row, "wlan0"), "wlan0/rx-0",
	       "none: a row that says so");
	is_str(names(&sys, steering_queue_each, &rps_row, "eth7"), "", "no such NIC");
	list = targets(&sys, steering_queue_each, &rps_row, "wlan0");
	is_str(got(&sys, steering_cpus_get, &rps_row, &list.targets[0]), "ENOENT",
	       "a kernel without RPS");
	is_str(expected(&sys, steering_cpus_expect, &rps_row, &list.targets[0], "1"),
	       "'1' ok", "the engine names ENOENT");
	target_list_clear(&list);
	list = targets(&sys, steering_queue_each, &rps_row, "eth1");
	is_str(list.targets[3].path, ETH1 "/queues/rx-10", "path: of the device");
	is_int(list.targets[3].ifindex, 3, "index of the interface");
	is_int(list.targets[3].index, 3, "place");
	is_int(list.targets[3].siblings, 4, "siblings");
	target_list_clear(&list);
	system_close(&sys);
	fixture_close(&f);
}

static void test_rps(void)
{
	struct target t = queue(ETH0 "/queues/rx-0");
	struct system sys;
	struct fixture f;

	fixture_open(&f);
	open_text(&f, steer_text, &sys);
	is_str(got(&sys, steering_cpus_get, &rps_row, &t), "", "none");
	is_int(set_to(&sys, &rps_row, &t, "0,2-3"), 0, "set");
	is_text(ETH0 "/queues/rx-0/rps_cpus", "0d");
	is_str(got(&sys, steering_cpus_get, &rps_row, &t), "0,2-3", "read");
	is_int(set_to(&sys, &rps_row, &t, "none"), 0, "an empty set clears");
	is_text(ETH0 "/queues/rx-0/rps_cpus", "00");
	is_int(set_to(&sys, &rps_row, &t, "6"), -EOVERFLOW, "beyond nr_cpu_ids");
	is_int(set_to(&sys, &rps_row, &t, "32"), -EOVERFLOW, "beyond the groups");
	is_text(ETH0 "/queues/rx-0/rps_cpus", "00");
	is_str(expected(&sys, steering_cpus_expect, &rps_row, &t, "all"), "'0-4' ok",
	       "all that are online");
	is_str(expected(&sys, steering_cpus_expect, &rps_row, &t, "none"), "'' ok",
	       "none");
	is_str(expected(&sys, steering_cpus_expect, &rps_row, &t, "4-5"),
	       "'4-5' -> 4 ok (the kernel leaves out what is offline or isolated: "
	       "CPU 5)",
	       "an offline CPU is dropped without a word");
	is_str(expected(&sys, steering_cpus_expect, &rps_row, &t, "5"),
	       "'5' missing ENODEV (not online: CPU 5)", "nothing would be left");
	is_str(expected(&sys, steering_cpus_expect, &rps_row, &t, "0,6"),
	       "ERANGE (this board has no CPU 6; it has 0-5)", "not of this board");
	is_str(expected(&sys, steering_cpus_expect, &rps_row, &t, "big"),
	       "ERANGE (neither big nor little here: the CPUs are all alike)", "big");
	system_close(&sys);
	fixture_close(&f);
}

static void test_isolated(const char *release, const char *isolated,
			  const char *nohz_full, const char *asked, const char *want)
{
	_cleanup_free_ char *text =
		str_format("/proc/sys/kernel/osrelease = %s\n" CPU "/online = 0-3\n" CPU
			   "/isolated = %s\n" CPU "/nohz_full = %s\n"
			   "/sys/class/net/eth0/ifindex = 2\n"
			   "/sys/class/net/eth0/queues/rx-0/rps_cpus = 0\n"
			   "/sys/class/net/eth0/queues/tx-0/xps_cpus = 0\n",
			   release, isolated, nohz_full);
	const struct setting *s = asked[0] == 'x' ? &xps_row : &rps_row;
	struct target t = queue(asked[0] == 'x' ? "/sys/class/net/eth0/queues/tx-0"
						: "/sys/class/net/eth0/queues/rx-0");
	struct system sys;
	struct fixture f;

	fixture_open(&f);
	open_text(&f, text, &sys);
	is_str(expected(&sys, steering_cpus_expect, s, &t, asked + (asked[0] == 'x')),
	       want, "isolated %s, nohz_full %s, asked %s, %s", isolated, nohz_full,
	       asked, release);
	system_close(&sys);
	fixture_close(&f);
}

static void test_masks(void)
{
	struct target t = queue(ETH1 "/queues/rx-0");
	struct system sys;
	struct fixture f;

	/* how many groups is what the file shows, not what the board has */
	static const struct {
		const char *before, *cpus, *after;
	} cases[] = {
		{ "0", "0-3", "f" },
		{ "00", "0", "01" },
		{ "0000", "0-11", "0fff" },
		{ "00000000", "31", "80000000" },
		{ "0,00000000", "32", "1,00000000" },
		{ "00000000,00000000", "0,32", "00000001,00000001" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text =
			str_format("/sys/class/net/eth1/ifindex = 3\n"
				   "/sys/class/net/eth1/queues/rx-0/rps_cpus = %s\n",
				   cases[i].before);

		fixture_open(&f);
		open_text(&f, text, &sys);
		is_int(set_to(&sys, &rps_row, &t, cases[i].cpus), 0, "set");
		is_text("/sys/class/net/eth1/queues/rx-0/rps_cpus", cases[i].after);
		system_close(&sys);
		fixture_close(&f);
	}
}

static void test_xps(void)
{
	const char *one = "'0' unsupported ENOENT (the interface has one transmit queue, "
			  "there is nothing to choose)";
	struct target t = queue(ETH0 "/queues/tx-0"), t1 = queue(ETH1 "/queues/tx-0");
	struct system sys;
	struct fixture f;

	fixture_open(&f);
	open_text(&f, steer_text, &sys);
	is_str(got(&sys, steering_cpus_get, &xps_row, &t), "ENOENT", "one queue: read");
	is_int(set_to(&sys, &xps_row, &t, "0"), -ENOENT, "and write");
	is_str(expected(&sys, steering_cpus_expect, &xps_row, &t, "0"), one, "says why");
	is_int(outcome_from_errno(&xps_row, -ENOENT), OUTCOME_UNSUPPORTED, "unsupported");
	is_str(expected(&sys, steering_cpus_expect, &xps_row, &t1, "0,5"),
	       "'0,5' -> 0 ok (the kernel leaves out what is offline or isolated: "
	       "CPU 5)",
	       "XPS drops offline CPUs too");
	is_int(set_to(&sys, &xps_row, &t1, "1"), 0, "several queues");
	is_text(ETH1 "/queues/tx-0/xps_cpus", "02");
	system_close(&sys);
	fixture_close(&f);
}

static void test_flows(void)
{
	struct target t = queue(ETH0 "/queues/rx-0"), t1 = queue(ETH1 "/queues/rx-0");
	struct value v = value_number(~0ull);
	struct system sys;
	struct fixture f;

	fixture_open(&f);
	open_text(&f, steer_text, &sys);
	is_str(expected(&sys, steering_flows_expect, &flows_row, &t, "100"),
	       "'100' -> 128 ok (the kernel uses 128)", "up to a power of two");
	is_int(set_to(&sys, &flows_row, &t, "100"), 0, "set");
	is_text(ETH0 "/queues/rx-0/rps_flow_cnt", "128");
	is_str(got(&sys, steering_flows_get, &flows_row, &t), "128", "read");
	is_str(expected(&sys, steering_flows_expect, &flows_row, &t, "128"), "'128' ok",
	       "a power of two");
	is_str(expected(&sys, steering_flows_expect, &flows_row, &t, "129"),
	       "'129' -> 256 ok (the kernel uses 256)", "one more");
	is_str(expected(&sys, steering_flows_expect, &flows_row, &t, "1"), "'1' ok",
	       "one");
	is_str(expected(&sys, steering_flows_expect, &flows_row, &t, "0"), "'0' ok",
	       "0 switches it off");
	is_str(expected(&sys, steering_flows_expect, &flows_row, &t, "4294967296"),
	       "'4294967296' ok", "the most");
	is_str(expected(&sys, steering_flows_expect, &flows_row, &t, "4294967297"),
	       "ERANGE (at most 4294967296 flows)", "EINVAL in a kernel");
	is_int(steering_flows_set(&sys, &flows_row, &t1, &v), -ENOMEM,
	       "more than there is memory for");
	is_int(outcome_from_errno(&flows_row, -ENOMEM), OUTCOME_REFUSED, "refused");
	system_close(&sys);
	fixture_close(&f);
}

static void test_threaded(void)
{
	struct target t = { .name = (char *)"eth0", .path = (char *)ETH0, .ifindex = 2 };
	struct target t1 = { .name = (char *)"eth1",
			     .path = (char *)ETH1,
			     .ifindex = 3 };
	struct target wlan = { .name = (char *)"wlan0",
			       .path = (char *)"/sys/class/net/wlan0",
			       .ifindex = 4 };
	struct system sys;
	struct fixture f;

	fixture_open(&f);
	open_text(&f, steer_text, &sys);
	is_str(got(&sys, steering_threaded_get, &threaded_row, &t), "off", "off");
	is_int(set_to(&sys, &threaded_row, &t, "on"), 0, "on");
	is_text(ETH0 "/threaded", "1");
	is_str(got(&sys, steering_threaded_get, &threaded_row, &t), "on", "read");
	is_int(set_to(&sys, &threaded_row, &t, "off"), 0, "off again");
	is_text(ETH0 "/threaded", "0");
	is_str(expected(&sys, steering_threaded_expect, &threaded_row, &t, "on"),
	       "'on' ok", "up");
	is_str(expected(&sys, steering_threaded_expect, &threaded_row, &t1, "on"),
	       "'on' ok (the interface is down; with many drivers this works only while "
	       "it is up)",
	       "down");
	is_str(expected(&sys, steering_threaded_expect, &threaded_row, &t1, "off"),
	       "'off' ok", "down, and off already");
	is_int(set_to(&sys, &threaded_row, &t1, "on"), -EOPNOTSUPP, "no NAPI instance");
	is_int(outcome_from_errno(&threaded_row, -EOPNOTSUPP), OUTCOME_UNSUPPORTED,
	       "unsupported");
	is_str(got(&sys, steering_threaded_get, &threaded_row, &wlan), "ENOENT",
	       "before 5.12");
	t.ifindex = 7;
	is_str(got(&sys, steering_threaded_get, &threaded_row, &t), "ENODEV",
	       "another NIC by that name");
	system_close(&sys);
	fixture_close(&f);
}

/* A name that went to another interface is not written to. */
static void test_replaced(void)
{
	struct target t = queue(ETH0 "/queues/rx-0");
	struct system sys;
	struct fixture f;

	fixture_open(&f);
	open_text(&f, steer_text, &sys);
	t.ifindex = 9;
	is_str(got(&sys, steering_cpus_get, &rps_row, &t), "ENODEV", "get");
	is_int(set_to(&sys, &rps_row, &t, "1"), -ENODEV, "set");
	is_int(set_to(&sys, &flows_row, &t, "1"), -ENODEV, "flows");
	is_text(ETH0 "/queues/rx-0/rps_cpus", "00");
	t.path = (char *)"/queues/rx-0";
	is_int(set_to(&sys, &rps_row, &t, "1"), -ENODEV, "a record without a name");
	t.path = (char *)"/sys/a-name-longer-than-any/queues/rx-0";
	is_int(set_to(&sys, &rps_row, &t, "1"), -ENODEV, "a name too long");
	t.path = (char *)ETH0;
	is_int(set_to(&sys, &rps_row, &t, "1"), -ENODEV, "no queue");
	system_close(&sys);
	fixture_close(&f);
}

int main(void)
{
	const char *none_left = "'3' refused EINVAL (these CPUs are isolated (isolcpus, "
				"nohz_full))";

	test_resolve();
	test_resolve_capacity();
	test_queues();
	test_rps();
	test_isolated("6.12.1", "2-3", "(null)", "1-2",
		      "'1-2' -> 1 ok (the kernel leaves out what is offline or "
		      "isolated: CPU 2)");
	test_isolated("5.9.0", "", "3", "2-3",
		      "'2-3' -> 2 ok (the kernel leaves out what is offline or "
		      "isolated: CPU 3)");
	test_isolated("6.1.0", "3", "", "3", none_left);
	test_isolated("6.1.0", "", "3", "3", none_left);
	test_isolated("5.8.18", "3", "3", "3", "'3' ok");
	test_isolated("6.1.0", "3", "3", "x3", "'3' ok");
	test_isolated("6.1.0", "3", "3", "none", "'' ok");
	test_masks();
	test_xps();
	test_flows();
	test_threaded();
	test_replaced();
	return done();
}
