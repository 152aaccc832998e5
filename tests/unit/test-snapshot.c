// SPDX-License-Identifier: GPL-2.0-or-later
// test-snapshot.c - snapshots of recorded boards: what is in them, and what is not
#include "board-fixture.h"
#include "board/record.h"
#include "board/redact.h"
#include "board/snapshot.h"

#define MAC "00:11:22:aa:bb:cc"
#define NIC "/sys/devices/platform/ff540000.ethernet/net/enx001122aabbcc"

static const char board[] =
	"/proc/sys/kernel/osrelease = 5.2.1\n"
	"/proc/sys/kernel/hostname = secret-host\n"
	"/proc/device-tree -> /sys/firmware/devicetree/base\n"
	"/sys/firmware/devicetree/base/model := A board\\0\n"
	"/sys/firmware/devicetree/base/serial-number := secret-serial\\0\n"
	"/sys/devices/system/cpu/possible = 0-3\n"
	"/sys/devices/system/cpu/online = 0-3\n" POLICY "/related_cpus = 0 1 2 3\n" POLICY
	"/cpuinfo_max_freq = 800\n" POLICY
	"/scaling_available_frequencies = 408 600 800 \n" POLICY
	"/scaling_min_freq = 408\n" POLICY "/scaling_max_freq = 600\n" POLICY
	"/scaling_available_governors = ondemand performance\n" POLICY
	"/scaling_governor = ondemand\n" ONDEMAND "/up_threshold = 95\n"
	"/sys/devices/system/cpu/cpufreq/conservative/freq_step = 5\n"
	"!exists " ONDEMAND " while " POLICY "/scaling_governor = ondemand\n"
	"!exists /sys/devices/system/cpu/cpufreq/conservative while " POLICY
	"/scaling_governor = conservative\n"
	"/sys/devices/system/cpu/cpufreq/policy4/related_cpus = 4\n"
	"!unreadable /sys/devices/system/cpu/cpufreq/policy4/related_cpus EBUSY\n"
	"/sys/class/thermal/thermal_zone0/type = cpu-thermal\n"
	"/sys/class/thermal/thermal_zone0/temp = 0\n"
	"!unreadable /sys/class/thermal/thermal_zone0/temp ENODATA\n"
	"/sys/class/thermal/thermal_zone0/trip_point_0_temp = 70000\n"
	"/sys/class/thermal/thermal_zone0/trip_point_0_temp : 0444\n"
	"/sys/class/thermal/thermal_zone0/trip_point_1_temp = 90000\n"
	"/sys/class/thermal/cooling_device0/type = cpufreq-cpu0\n"
	"/sys/class/thermal/cooling_device0/cur_state = 1\n"
	"/sys/class/net/enx001122aabbcc -> ../../devices/platform/ff540000.ethernet/net/"
	"enx001122aabbcc\n" NIC "/ifindex = 2\n" NIC "/address = " MAC "\n" NIC
	"/device -> ../../../ff540000.ethernet\n" NIC "/queues/tx-0/xps_cpus = 0\n"
	"!unreadable " NIC "/queues/tx-0/xps_cpus ENOENT\n" NIC
	"/queues/rx-0/rps_cpus = f\n"
	"/sys/devices/platform/ff540000.ethernet/driver -> "
	"../../../bus/platform/drivers/x\n"
	"/sys/devices/platform/ff540000.ethernet/uevent <<END\n"
	"DRIVER=x\n"
	"OF_NAME=ethernet\n"
	"HWADDR=secret-address\n"
	"END\n"
	"/proc/interrupts <<END\n"
	"           CPU0\n"
	" 29:          1     GICv2  56 Level     enx001122aabbcc\n"
	"END\n"
	"/proc/77/comm = napi/enx001122a\n"
	"/proc/77/status <<END\n"
	"Name:\tnapi/enx001122a\n"
	"PPid:\t2\n"
	"Uid:\tsecret\n"
	"Cpus_allowed_list:\t0-3\n"
	"END\n"
	"/proc/78/comm = secret\n"
	"/proc/78/status = PPid:\t1\n"
	"/proc/irq/29/enx001122aabbcc/\n"
	"/proc/irq/29/smp_affinity = f\n"
	"/proc/irq/29/smp_affinity : 0444\n"
	"/proc/irq/29/smp_affinity_list = 0-3\n"
	"/proc/irq/29/effective_affinity_list = 0\n"
	"/proc/sys/net/ipv4/tcp_fastopen_key = secret-key\n"
	"/proc/sys/net/core/somaxconn = 4096\n"
	"/run/udev/data/n2 <<END\n"
	"E:ID_NET_NAME_MAC=enx001122aabbcc\n"
	"E:ID_SERIAL=secret-serial\n"
	"E:ID_PATH=platform-ff540000.ethernet\n"
	"END\n"
	"@ethtool enx001122aabbcc feature rx-gro = on\n"
	"@ethtool enx001122aabbcc feature rx-lro = off [fixed]\n"
	"@ethtool enx001122aabbcc feature rx-checksum = on [requested off]\n";

static void test_redact(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ MAC, "02:00:00:00:00:01" },
		{ "00:11:22:AA:BB:CC,", "02:00:00:00:00:01," },
		{ "mac " MAC " enx001122aabbcc/",
		  "mac 02:00:00:00:00:01 enx020000000001/" },
		{ "00-11-22-aa-bb-cc", "02-00-00-00-00-01" },
		{ MAC " napi/enx0011223-", "02:00:00:00:00:01 napi/enx0011223-" },
		{ MAC " napi/enx0011-1", "02:00:00:00:00:01 napi/enx0200-1" },
		{ "mac:" MAC, "mac:02:00:00:00:00:01" },
		{ "11:11:11:11:11:11 " MAC, "02:00:00:00:00:01 02:00:00:00:00:02" },
		{ "00:00:00:00:00:00 ff:ff:ff:ff:ff:ff",
		  "00:00:00:00:00:00 ff:ff:ff:ff:ff:ff" },
		{ "80:00:00:48:" MAC, "00:00:00:00:02:00:00:00:00:01" },
		{ "w1/28-0316a279eaff/hwmon", "w1/28-020000000001/hwmon" },
		/* not addresses: PCI, counters, features, other names, too short */
		{ "0000:01:00.0", "0000:01:00.0" },
		{ "184467440737", "184467440737" },
		{ "1000:11:22:aa:bb:cc", "1000:11:22:aa:bb:cc" },
		{ "fenx001122aabbcc", "fenx001122aabbcc" },
		{ "enx001122aabbccd", "enx001122aabbccd" },
		{ "enx001122aabb", "enx001122aabb" },
		{ "00:11:22:aa:bb", "00:11:22:aa:bb" },
		{ "00:11:22:aa:bb:ccc", "00:11:22:aa:bb:ccc" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (int again = 0; again < 2; again++) {
			_cleanup_(redact_clear) struct redact r = { 0 };
			_cleanup_free_ char *out = NULL;
			size_t size = 0;
			FILE *f = open_memstream(&out, &size);
			const char *text = again ? cases[i].want : cases[i].text;

			if (!f || redact_print(&r, f, text, strlen(text)) < 0)
				fixture_fail("redact_print");
			fclose(f);
			is_str(out, cases[i].want, "'%s'%s", cases[i].text,
			       again ? ": once is enough" : "");
		}
	}
}

static char *take(struct fixture *f, const char *text, struct snapshot_count *count)
{
	struct system sys;
	char *ret = NULL;

	open_text(f, text, &sys);
	if (snapshot_take(&sys, &ret, count) < 0)
		fixture_fail("snapshot_take");
	system_close(&sys);
	return ret;
}

static bool has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, line, n) == 0 && text[n] == '\n')
			return true;
	}
	return false;
}

#define NEW_NIC "/sys/devices/platform/ff540000.ethernet/net/enx020000000001"

static void test_lines(const char *text)
{
	static const char *const lines[] = {
		"# A board, Linux 5.2.1, by boardtune snapshot",
		"/proc/device-tree -> /sys/firmware/devicetree/base",
		"/sys/firmware/devicetree/base/model := A board\\0",
		POLICY "/scaling_max_freq = 600",
		"!accept " POLICY "/scaling_governor ondemand performance",
		"!clamp " POLICY "/scaling_min_freq up 408 600 800",
		/* held by cooling: it goes no higher */
		"!clamp " POLICY "/scaling_max_freq down 408 600",
		/* before 5.3 */
		"!order " POLICY "/scaling_min_freq " POLICY "/scaling_max_freq EINVAL",
		ONDEMAND "/up_threshold = 95",
		"!exists " ONDEMAND " while " POLICY "/scaling_governor = ondemand",
		"/sys/devices/system/cpu/cpufreq/policy4/related_cpus :=",
		"!unreadable /sys/devices/system/cpu/cpufreq/policy4/related_cpus EBUSY",
		"!unreadable /sys/class/thermal/thermal_zone0/temp ENODATA",
		"/sys/class/thermal/thermal_zone0/trip_point_0_temp : 0444",
		"/sys/class/net/enx020000000001 -> "
		"../../devices/platform/ff540000.ethernet/"
		"net/enx020000000001",
		NEW_NIC "/address = 02:00:00:00:00:01",
		NEW_NIC "/device -> ../../../ff540000.ethernet",
		"!unreadable " NEW_NIC "/queues/tx-0/xps_cpus ENOENT",
		"!refuse " NEW_NIC "/queues/tx-0/xps_cpus ENOENT",
		"!bitmap " NEW_NIC "/queues/rx-0/rps_cpus 4",
		"/sys/devices/platform/ff540000.ethernet/driver -> "
		"../../../bus/platform/drivers/x",
		"DRIVER=x",
		" 29:          1     GICv2  56 Level     enx020000000001",
		"/proc/77/comm = napi/enx0200000",
		"Name:\tnapi/enx0200000",
		"Cpus_allowed_list:\t0-3",
		"/proc/irq/29/enx020000000001/",
		"/proc/irq/29/smp_affinity : 0444",
		"!bitmap /proc/irq/29/smp_affinity 4",
		"!follow /proc/irq/29/effective_affinity_list /proc/irq/29/smp_affinity "
		"first",
		"/proc/sys/net/core/somaxconn = 4096",
		"/run/udev/data/n2 = E:ID_PATH=platform-ff540000.ethernet",
		"@ethtool enx020000000001 feature rx-gro = on",
		"@ethtool enx020000000001 feature rx-lro = off [fixed]",
		"@ethtool enx020000000001 feature rx-checksum = on [requested off]",
	};
	static const char *const never[] = {
		"secret",   "1122",	 "aabbcc",
		"AA:BB",    "freq_step", "trip_point_1_temp : ",
		"/proc/78",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		ok(has_line(text, lines[i]), "%s", lines[i]);
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		ok(!strstr(text, never[i]), "nothing has '%s'", never[i]);
}

/* Names by address keep their order, also when a bridge names a later one first. */
static void test_order(struct fixture *f)
{
	static const char text[] =
		"/sys/class/net/br0/ifindex = 4\n"
		"/sys/class/net/br0/address = 0a:00:00:00:00:09\n"
		"/sys/class/net/br0/lower_enxbbbbbbbbbbbb -> ../enxbbbbbbbbbbbb\n"
		"/sys/class/net/enxaaaaaaaaaaaa/ifindex = 2\n"
		"/sys/class/net/enxaaaaaaaaaaaa/address = aa:aa:aa:aa:aa:aa\n"
		"/sys/class/net/enxbbbbbbbbbbbb/ifindex = 3\n";
	_cleanup_free_ char *first = take(f, text, NULL);
	_cleanup_free_ char *second = take(f, first, NULL);

	ok(has_line(first, "/sys/class/net/br0/lower_enx020000000002 -> "
			   "../enx020000000002"),
	   "the second interface is the second");
	ok(has_line(first, "/sys/class/net/enx020000000001/address = 02:00:00:00:00:01"),
	   "its address is replaced as its name is");
	is_str(second, first, "and again");
}

static void test_empty(struct fixture *f)
{
	struct snapshot_count count;
	_cleanup_free_ char *text = take(f, "/nothing = 1\n", &count);

	is_str(text,
	       "# Linux ?, by boardtune snapshot\n# Hardware addresses are replaced.\n",
	       "of a board with nothing there are two comments");
	is_int(count.files, 0, "no files");
}

int main(void)
{
	struct fixture f;
	struct snapshot_count count;
	char *first, *second;

	test_redact();
	fixture_open(&f);
	first = take(&f, board, &count);
	test_lines(first);
	is_int(count.unreadable, 3, "three files cannot be read");
	is_int(count.denied, 0, "not for lack of permission");
	second = take(&f, first, NULL);
	is_str(second, first, "a snapshot of a snapshot is the same");
	free(first);
	free(second);
	test_order(&f);
	test_empty(&f);
	fixture_close(&f);
	return done();
}
