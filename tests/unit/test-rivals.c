// SPDX-License-Identifier: GPL-2.0-or-later
// test-rivals.c - who else tunes a board, by units, init scripts and lines in files
#include "board/rivals.h"

#include "tap.h"

#include "fixture.h"

#define WANTS "/etc/systemd/system/multi-user.target.wants/"
#define UNITS "/usr/lib/systemd/system/"

static struct rival_list list;

static void find(struct fixture *f)
{
	int bus = -1;

	rival_list_clear(&list);
	is_int(rivals_find(&f->sys, &list, &bus), 0, "rivals are looked for");
	is_int(bus, 1, "the bus is not asked about a directory");
}

static const struct rival_state *get(const char *name)
{
	static const struct rival none = { .name = "none" };
	static const struct rival_state absent = { .rival = &none };

	for (size_t i = 0; i < list.n; i++)
		if (streq(list.states[i].rival->name, name))
			return &list.states[i];
	return &absent;
}

/* Name, then whether it is installed and enabled, as "ie", "i-" or "--". */
static void is_state(const char *name, const char *want, const char *what)
{
	const struct rival_state *s = get(name);
	char got[] = { s->installed ? 'i' : '-', s->enabled ? 'e' : '-', '\0' };

	is_str(got, want, "%s: %s", name, what);
	ok(!s->active, "%s is not active in a directory", name);
}

static void is_end(const char *name, const char *want)
{
	char end[RIVAL_END_MAX];

	is_str(get(name)->installed ? rival_end(get(name), end) : "none", want,
	       "what ends %s", name);
}

static void test_units(struct fixture *f)
{
	find(f);
	is_int(list.n, 0, "nobody in an empty directory");

	fixture_file(f, UNITS "irqbalance.service", "[Unit]\n");
	fixture_file(f, UNITS "tlp.service", "[Unit]\n");
	fixture_file(f, UNITS "thermald.service", "[Unit]\n");
	find(f);
	is_state("irqbalance", "i-", "a unit without a link");
	fixture_link(f, WANTS "irqbalance.service", UNITS "irqbalance.service");
	fixture_link(f, UNITS "graphical.target.wants/tlp.service", "../tlp.service");
	fixture_link(f, "/etc/systemd/system/dbus-thermald.service",
		     UNITS "thermald.service");
	find(f);
	is_state("irqbalance", "ie", "a unit with a link");
	is_str(get("irqbalance")->detail, WANTS "irqbalance.service", "which link");
	is_state("TLP", "ie", "a link of the vendor");
	is_state("thermald", "ie", "an alias");
	is_end("irqbalance", "systemctl disable --now irqbalance");
	is_end("TLP", "systemctl mask --now tlp.service");
	fixture_link(f, "/etc/systemd/system/irqbalance.service", "/dev/null");
	find(f);
	is_state("irqbalance", "i-", "a masked unit");
	fixture_remove(f, "/etc/systemd/system/irqbalance.service");
}

static void test_scripts(struct fixture *f)
{
	fixture_file(f, "/etc/init.d/cpufrequtils", "#!/bin/sh\n");
	fixture_link(f, "/etc/rc2.d/K01cpufrequtils", "../init.d/cpufrequtils");
	fixture_file(f, "/etc/init.d/irqbalance", "#!/bin/sh\n");
	fixture_link(f, "/etc/rc2.d/S01irqbalance", "../init.d/irqbalance");
	find(f);
	is_state("cpufrequtils", "i-", "a script that is disabled");
	fixture_link(f, "/etc/rc3.d/S01cpufrequtils", "../init.d/cpufrequtils");
	fixture_remove(f, WANTS "irqbalance.service");
	find(f);
	is_state("cpufrequtils", "ie", "a script that is enabled");
	is_state("irqbalance", "i-", "a unit hides its script from systemd");
	is_int(get("cpufrequtils")->families, RIVAL_CPUFREQ, "what it writes");
}

static void test_files(struct fixture *f)
{
	fixture_file(f, "/etc/systemd/network/10-lan.link",
		     "[Match]\nDriver=x\n[Link]\n# RxBufferSize=1\nNamePolicy=keep\n"
		     "TCPSegmentationOffload = no\n\nRxBufferSize=max\n");
	fixture_file(f, "/etc/systemd/network/20-wan.link",
		     "[Link]\nNamePolicy=keep\nWakeOnLan=magic\n");
	fixture_file(f, "/etc/NetworkManager/system-connections/it's.nmconnection",
		     "[connection]\nid=x\n[ethtool]\nfeature-tso=false\n");
	fixture_file(f, "/etc/network/interfaces",
		     "iface eth0 inet dhcp\n\tpost-up echo f > "
		     "/sys/class/net/eth0/queues/rx-0/rps_cpus\n\toffload-gro off\n");
	fixture_file(f, "/etc/crontab", "# ethtool -K\n0 4 * * * root reboot\n"
					"@reboot root ethtool -K eth0 tso off\n");
	fixture_file(f, "/boot/dietpi.txt",
		     "CONFIG_CPU_MAX_FREQ=Disabled\nCONFIG_CPU_GOVERNOR=ondemand\n");
	find(f);
	is_str(get("systemd.link")->detail,
	       "/etc/systemd/network/10-lan.link:6: TCPSegmentationOffload = no",
	       "file and line of a .link file");
	is_end("systemd.link",
	       "sed -i '6s/^/#/;8s/^/#/' /etc/systemd/network/10-lan.link");
	is_end("NetworkManager",
	       "sed -i '4s/^/#/' '/etc/NetworkManager/system-connections/"
	       "it'\\''s.nmconnection' && nmcli connection reload");
	ok(rival_writes(get("systemd.link"), "net", "tso") &&
		   rival_writes(get("systemd.link"), "net", "ring.rx") &&
		   !rival_writes(get("systemd.link"), "net", "channels.rx") &&
		   !rival_writes(get("systemd.link"), "net", "rps_cpus"),
	   "a .link file writes the kinds of its keys, no others");
	ok(rival_writes(get("cron"), "net", "gro") &&
		   !rival_writes(get("cron"), "net", "ring.rx"),
	   "ethtool -K writes features");
	is_int(get("ifupdown")->families, RIVAL_STEERING | RIVAL_OFFLOAD,
	       "ifupdown: what its lines write, no more");
	is_end("ifupdown", "sed -i '2s/^/#/;3s/^/#/' /etc/network/interfaces");
	is_end("cron", "sed -i '3s/^/#/' /etc/crontab");
	is_end("DietPi", "sed -i '2s/^/#/' /boot/dietpi.txt");
}

static void test_rc_local(struct fixture *f)
{
	char path[128];

	fixture_file(f, "/etc/rc.local", "#!/bin/sh\necho performance > "
					 "/sys/devices/system/cpu/cpu0/cpufreq/"
					 "scaling_governor\n");
	find(f);
	is_state("rc.local", "--", "not one that is no program");
	snprintf(path, sizeof(path), "%s/etc/rc.local", f->dir);
	ok(chmod(path, 0755) == 0, "a program now");
	find(f);
	is_state("rc.local", "ie", "a program");
	is_int(get("rc.local")->families, RIVAL_CPUFREQ, "what it writes");
	is_str(rivals_writer(&list, "cpufreq", "governor")->rival->name, "TLP",
	       "the first that is enabled has probably written a clock");
	ok(!rivals_writer(&list, "flowtable", ""), "nobody has written a flowtable");
}

static void test_openwrt(struct fixture *f)
{
	fixture_file(f, "/etc/openwrt_release", "DISTRIB_ID='OpenWrt'\n");
	fixture_file(f, "/etc/config/network",
		     "config interface 'lan'\n\toption packet_steering '1'\n"
		     "config globals 'globals'\n\toption packet_steering '0'\n");
	fixture_file(f, "/etc/config/firewall",
		     "config defaults\n\toption flow_offloading \"1\"\n");
	fixture_link(f, "/etc/rc.d/S90irqbalance", "../init.d/irqbalance");
	find(f);
	is_state("packet_steering", "--", "switched off");
	is_state("flow_offloading", "ie", "switched on");
	is_state("irqbalance", "ie", "a script of procd");
	is_end("irqbalance", "service irqbalance stop; service irqbalance disable");
}

/* Nothing of these may hang, crash or be shown as it is. */
static void test_hostile(struct fixture *f)
{
	static char big[300 << 10];
	char path[128];

	memset(big, 'x', sizeof(big) - 1);
	memcpy(big, "ethtool -K eth0 tso off\n", 24);
	fixture_file(f, "/etc/cron.d/big", big);
	fixture_file(f, "/etc/cron.d/esc\033[2Jape", "@reboot ethtool -K e tso off\n");
	fixture_file(f, "/etc/udev/rules.d/1.rules",
		     "RUN+=\"ethtool -K e tso\033[2J\"\n");
	snprintf(path, sizeof(path), "%s/etc/cron.d/fifo", f->dir);
	ok(mkfifo(path, 0644) == 0, "a pipe");
	fixture_remove(f, "/etc/crontab");
	find(f);
	is_state("cron", "--", "too large, a pipe, no name for a file");
	is_str(get("udev")->detail,
	       "/etc/udev/rules.d/1.rules:1: RUN+=\"ethtool -K e tso?[2J\"",
	       "no control characters");
}

static void test_families(void)
{
	is_int(rival_family_of("net", "irq.affinity"), RIVAL_IRQ, "irq.affinity");
	is_int(rival_family_of("net", "rps_cpus"), RIVAL_STEERING, "rps_cpus");
	is_int(rival_family_of("net", "tso"), RIVAL_OFFLOAD, "tso");
	is_int(rival_family_of("main", "summary"), 0, "summary is nobody's");
	is_str(rival_family_name(4), "ethtool", "the name of a family");
	ok(!rival_family_name(7), "no more families");
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_units(&f);
	test_scripts(&f);
	test_files(&f);
	test_rc_local(&f);
	test_openwrt(&f);
	test_hostile(&f);
	test_families();
	rival_list_clear(&list);
	fixture_close(&f);
	return done();
}
