// SPDX-License-Identifier: GPL-2.0-or-later
// registry.c - the table: one row per key of a profile
#include "profile/registry.h"

#include <ctype.h>

#include "knobs/cpufreq.h"
#include "knobs/irq.h"
#include "knobs/nic.h"
#include "knobs/steering.h"
#include "knobs/sysctl.h"
#include "knobs/thermal.h"

/*
 * The request notifier works through schedule_work(); a read-back may lag (5.4, 6.12).
 * 200 ms are plenty on an idle board, not on a slow one that has just been under load.
 */
#define CPUFREQ_SETTLE_MS 1000

/* Kernel order within a stage and target. */
enum {
	RANK_SYSCTL, /* nothing depends on these, nor they on anything */
	RANK_BOOST,
	RANK_GOVERNOR,
	RANK_LIMIT, /* which one first: plan_order_limits() */
	RANK_TUNABLE,
	RANK_PREFERENCE,
	RANK_ZONE_POLICY,
	RANK_TRIP,
	RANK_HYST,
	RANK_CHANNELS,
	RANK_RING,
	RANK_CHECKSUM, /* what other features depend on comes first: */
	RANK_SG,       /* netdev_fix_features() */
	RANK_FEATURE,
	RANK_LINK_MODE, /* adaptive coalescing and negotiated pause, before the numbers */
	RANK_LINK,      /* coalesce, pause, EEE */
	RANK_THREADED,
	RANK_NAPI,
	RANK_AFFINITY,
	RANK_STEERING,
};

#define META(sect, name, kind, text)                                                     \
	{ .section = sect, .key = name, .type = kind, .stage = STAGE_NONE, .help = text }

#define MATCH(name, text) META("net", name, VALUE_TEXT, text)

#define LIMIT(name, file, text)                                                          \
	{ .section = "cpufreq", .key = name, .type = VALUE_FREQ, .stage = STAGE_SETTING, \
	  .rank = RANK_LIMIT, .attr = file, .help = text, .each = cpufreq_policy_each,   \
	  .each_once = true, .absent = cpufreq_absent,                                   \
	  .get = cpufreq_limit_get, .set = cpufreq_limit_set,                            \
	  .expect = cpufreq_limit_expect, .settle_ms = CPUFREQ_SETTLE_MS }

#define TUNABLE(gov, name, text)                                                         \
	{ .section = "cpufreq", .key = gov "." name, .type = VALUE_NUMBER,               \
	  .stage = STAGE_SETTING, .rank = RANK_TUNABLE, .attr = gov "/" name,            \
	  .help = text, .each = cpufreq_tunable_each, .get = cpufreq_tunable_get,        \
	  .set = cpufreq_tunable_set, .absent = cpufreq_absent,                          \
	  .needs = &(const struct knob_need) { "governor", gov, true } }

/* The k-th passive or active trip of a zone by temperature, and its hysteresis. */
#define TRIP_(kind, k, suffix, file, order, text)                                        \
	{ .section = "thermal", .key = kind suffix, .type = VALUE_TEMP,                  \
	  .stage = STAGE_SETTING, .rank = order, .attr = kind "/" k "/" file,            \
	  .help = text, .each = thermal_trip_each, .get = thermal_trip_get,              \
	  .set = thermal_trip_set, .expect = thermal_trip_expect,                        \
	  .absent = thermal_absent }

#define TRIP(kind, k, suffix, text)                                                      \
	TRIP_(kind, k, suffix, "temp", RANK_TRIP, text),                                 \
	TRIP_(kind, k, suffix ".hyst", "hyst", RANK_HYST,                                \
	      N_("how far below it cooling lets go"))

#define TRIPS(kind, text)                                                                \
	TRIP(kind, "1", "", text),                                                       \
	TRIP(kind, "2", ".2", text),                                                     \
	TRIP(kind, "3", ".3", text),                                                     \
	TRIP(kind, "4", ".4", text),                                                     \
	TRIP(kind, "5", ".5", text),                                                     \
	TRIP(kind, "6", ".6", text)

#define PARAM_(name, kind, pass, order, near, drops, text)                               \
	{ .section = "net", .key = name, .type = kind, .stage = pass, .rank = order,     \
	  .attr = name, .help = text, .each = nic_each, .each_once = true,               \
	  .get = nic_param_get, .set = nic_param_set, .expect = nic_param_expect,        \
	  .rounds = near, .drops_link = drops }

#define RING(name, text)                                                                 \
	PARAM_("ring." name, VALUE_NUMBER, STAGE_STRUCTURE, RANK_RING, true, true, text)
#define CHANNELS(name, text)                                                             \
	PARAM_("channels." name, VALUE_NUMBER, STAGE_STRUCTURE, RANK_CHANNELS, false,    \
	       true, text)
#define COALESCE(name, text)                                                             \
	PARAM_("coalesce." name, VALUE_NUMBER, STAGE_SETTING, RANK_LINK, true, false,    \
	       text)
#define COALESCE_FLAG(name, text)                                                        \
	PARAM_("coalesce." name, VALUE_FLAG, STAGE_SETTING, RANK_LINK_MODE, false,       \
	       false, text)
#define PAUSE(name, text)                                                                \
	PARAM_("pause." name, VALUE_FLAG, STAGE_SETTING, RANK_LINK, false, true, text)

#define QUEUE_CPUS(name, file, text)                                                     \
	{ .section = "net", .key = name, .type = VALUE_CPUS, .stage = STAGE_SETTING,     \
	  .rank = RANK_STEERING, .attr = file, .help = text,                             \
	  .each = steering_queue_each, .get = steering_cpus_get,                         \
	  .set = steering_cpus_set, .expect = steering_cpus_expect }

#define AFFINITY(sect, name, targets, text)                                              \
	{ .section = sect, .key = name, .type = VALUE_CPUS, .stage = STAGE_SETTING,      \
	  .rank = RANK_AFFINITY, .attr = "smp_affinity", .help = text, .each = targets,  \
	  .get = irq_affinity_get, .set = irq_affinity_set,                              \
	  .expect = irq_affinity_expect, .absent = irq_absent }

#define FEATURE_(name, order, other, text)                                               \
	{ .section = "net", .key = name, .type = VALUE_FEATURE, .stage = STAGE_SETTING,  \
	  .rank = order, .attr = name, .help = text, .alias = other, .each = nic_each,   \
	  .each_once = true, .get = nic_feature_get,                                     \
	  .set = nic_feature_set, .expect = nic_feature_expect }

#define FEATURE(name, text) FEATURE_(name, RANK_FEATURE, NULL, text)
#define FEATURE_ALIAS(name, other, text) FEATURE_(name, RANK_FEATURE, other, text)

#define GROUP(name, members, other, text)                                                \
	{ .section = "net", .key = name, .type = VALUE_FEATURE, .stage = STAGE_SETTING,  \
	  .rank = RANK_FEATURE, .attr = members, .help = text, .group = true,            \
	  .alias = other, .each = nic_each, .each_once = true,                           \
	  .get = nic_feature_get, .set = nic_feature_set, .expect = nic_feature_expect }

static const struct setting settings[] = {
	META("main", "summary", VALUE_TEXT, N_("one line for list")),
	META("main", "include", VALUE_TEXT, N_("profiles to start from")),
	META("main", "quirks", VALUE_FLAG,
	     N_("also what avoids the known faults of the board, see QUIRKS")),
	META("board", "compatible", VALUE_TEXT,
	     N_("device-tree compatible strings it is for, blank-separated")),
	META("board", "dmi", VALUE_TEXT,
	     N_("globs of VENDOR:PRODUCT:BOARD by DMI, blank-separated")),
	META("trial", "peer", VALUE_TEXT, N_("host that runs iperf3 -s")),
	META("trial", "max_temp", VALUE_TEMP, N_("worse when hotter than this")),

	{ .section = "cpufreq", .key = "boost", .type = VALUE_FLAG,
	  .stage = STAGE_STRUCTURE, .rank = RANK_BOOST, .attr = "boost",
	  .help = N_("clocks above the nominal maximum"), .each = cpufreq_boost_each,
	  .get = cpufreq_boost_get, .set = cpufreq_boost_set, .absent = cpufreq_absent,
	  .settle_ms = CPUFREQ_SETTLE_MS },
	{ .section = "cpufreq", .key = "governor", .type = VALUE_WORDS,
	  .stage = STAGE_STRUCTURE, .rank = RANK_GOVERNOR, .attr = "scaling_governor",
	  .help = N_("who picks the clock; the first of a|b|c that this kernel has"),
	  .each = cpufreq_policy_each, .each_once = true, .get = cpufreq_governor_get,
	  .set = cpufreq_governor_set, .expect = cpufreq_governor_expect,
	  .absent = cpufreq_absent },
	LIMIT("min_freq", "scaling_min_freq", N_("lowest clock")),
	LIMIT("max_freq", "scaling_max_freq", N_("highest clock")),
	TUNABLE("ondemand", "sampling_rate",
		N_("microseconds between looks at the load")),
	TUNABLE("ondemand", "io_is_busy", N_("1: waiting for I/O counts as load")),
	TUNABLE("ondemand", "up_threshold", N_("load in percent that asks for all")),
	TUNABLE("ondemand", "sampling_down_factor",
		N_("looks at the maximum before going down")),
	TUNABLE("ondemand", "ignore_nice_load", N_("1: niced processes are no load")),
	TUNABLE("ondemand", "powersave_bias", N_("per mille off the clock")),
	TUNABLE("conservative", "sampling_rate",
		N_("microseconds between looks at the load")),
	TUNABLE("conservative", "sampling_down_factor",
		N_("looks before going down a step")),
	TUNABLE("conservative", "up_threshold",
		N_("load in percent that goes up a step")),
	TUNABLE("conservative", "down_threshold",
		N_("load in percent that goes down a step")),
	TUNABLE("conservative", "freq_step", N_("size of a step in percent")),
	TUNABLE("conservative", "ignore_nice_load", N_("1: niced processes are no load")),
	TUNABLE("schedutil", "rate_limit_us", N_("microseconds between changes")),
	{ .section = "cpufreq", .key = "energy_performance_preference",
	  .type = VALUE_WORDS, .stage = STAGE_SETTING, .rank = RANK_PREFERENCE,
	  .attr = "energy_performance_preference",
	  .help = N_("hint to the hardware (Intel, AMD); the first of a|b|c that it has"),
	  .each = cpufreq_policy_each, .each_once = true,
	  .get = cpufreq_preference_get, .set = cpufreq_preference_set,
	  .expect = cpufreq_preference_expect, .absent = cpufreq_absent,
	  .alias = "epp" },

	{ .section = "thermal", .key = "policy", .type = VALUE_WORDS,
	  .stage = STAGE_SETTING, .rank = RANK_ZONE_POLICY, .attr = "policy",
	  .help = N_("the zone's governor; the first of a|b|c that it has"),
	  .each = thermal_zone_each, .get = thermal_policy_get,
	  .set = thermal_policy_set, .expect = thermal_policy_expect,
	  .absent = thermal_absent },
	TRIPS("passive", N_("temperature from which clocks are lowered")),
	TRIPS("active", N_("temperature from which a fan runs")),
	META("thermal", "passive.allow-hotter", VALUE_FLAG,
	     N_("passive trips may be higher than the board came with")),
	META("thermal", "active.allow-hotter", VALUE_FLAG,
	     N_("active trips may be higher than the board came with")),

	MATCH("Name", N_("interface name, globs")),
	MATCH("Driver", N_("driver, globs")),
	MATCH("Path", N_("ID_PATH of udev, globs")),
	MATCH("MACAddress", N_("current MAC address")),
	MATCH("Type", N_("ether, wlan, bridge ... as networkctl shows")),
	MATCH("Bus", N_("bus of the device: usb, pci, platform")),

	CHANNELS("rx", N_("receive queues with an interrupt of their own")),
	CHANNELS("tx", N_("transmit queues with an interrupt of their own")),
	CHANNELS("other", N_("queues for other events")),
	CHANNELS("combined", N_("queues that receive and transmit")),
	RING("rx", N_("receive descriptors")),
	RING("rx-mini", N_("receive descriptors for small packets")),
	RING("rx-jumbo", N_("receive descriptors for jumbo packets")),
	RING("tx", N_("transmit descriptors")),
	COALESCE_FLAG("adaptive-rx", N_("the driver picks the receive delay")),
	COALESCE_FLAG("adaptive-tx", N_("the driver picks the transmit delay")),
	COALESCE("rx-usecs", N_("microseconds from a packet to its interrupt")),
	COALESCE("rx-frames", N_("packets until an interrupt")),
	COALESCE("rx-usecs-irq", N_("microseconds, while an interrupt is handled")),
	COALESCE("rx-frames-irq", N_("packets, while an interrupt is handled")),
	COALESCE("tx-usecs", N_("microseconds from a packet sent to its interrupt")),
	COALESCE("tx-frames", N_("packets sent until an interrupt")),
	COALESCE("tx-usecs-irq", N_("microseconds, while an interrupt is handled")),
	COALESCE("tx-frames-irq", N_("packets, while an interrupt is handled")),
	PAUSE("autoneg", N_("agree about pause frames with the link partner")),
	PAUSE("rx", N_("obey pause frames")),
	PAUSE("tx", N_("send pause frames")),
	PARAM_("eee", VALUE_FLAG, STAGE_SETTING, RANK_LINK, false, true,
	       N_("energy-efficient Ethernet")),
	PARAM_("eee.tx-lpi", VALUE_FLAG, STAGE_SETTING, RANK_LINK, false, true,
	       N_("enter the low-power state when there is nothing to send")),
	PARAM_("eee.tx-timer", VALUE_NUMBER, STAGE_SETTING, RANK_LINK, true, true,
	       N_("microseconds without traffic until then")),
	{ .section = "net", .key = "threaded", .type = VALUE_FLAG,
	  .stage = STAGE_STRUCTURE, .rank = RANK_THREADED, .attr = "threaded",
	  .help = N_("NAPI in threads of its own"), .each = nic_each,
	  .each_once = true, .get = steering_threaded_get, .set = steering_threaded_set,
	  .expect = steering_threaded_expect },
	{ .section = "net", .key = "napi.affinity", .type = VALUE_CPUS,
	  .stage = STAGE_SETTING, .rank = RANK_NAPI, .attr = "napi",
	  .help = N_("CPUs of the threads of threaded NAPI"),
	  .each = steering_napi_each, .get = steering_napi_get,
	  .set = steering_napi_set, .expect = steering_napi_expect,
	  .needs = &(const struct knob_need) { .key = "threaded", .value = "on" } },
	AFFINITY("net", "irq.affinity", irq_nic_each,
		 N_("CPUs for the NIC's interrupts; several are dealt round robin")),
	QUEUE_CPUS("rps_cpus", "rx/rps_cpus", N_("CPUs that take received packets")),
	QUEUE_CPUS("xps_cpus", "tx/xps_cpus", N_("CPUs that use a transmit queue")),
	{ .section = "net", .key = "rps_flow_cnt", .type = VALUE_NUMBER,
	  .stage = STAGE_SETTING, .rank = RANK_STEERING, .attr = "rx/rps_flow_cnt",
	  .help = N_("flows that receive flow steering remembers, per queue"),
	  .each = steering_queue_each, .get = steering_flows_get,
	  .set = steering_flows_set, .expect = steering_flows_expect },

	/* ethtool(8): the short forms of -K, its long names as aliases; kernel-abi 5.2 */
	GROUP("rx", "rx-checksum", "rx-checksumming ReceiveChecksumOffload",
	      N_("receive checksums")),
	GROUP("tx", "tx-checksum-*", "tx-checksumming TransmitChecksumOffload",
	      N_("transmit checksums")),
	GROUP("sg", "tx-scatter-gather*", "scatter-gather", N_("scatter-gather")),
	GROUP("tso", "tx-tcp*-segmentation", "tcp-segmentation-offload",
	      N_("TCP segmentation offload")),
	GROUP("ufo", "tx-udp-fragmentation", "udp-fragmentation-offload",
	      N_("UDP fragmentation offload, until 4.14")),
	GROUP("gso", "tx-generic-segmentation",
	      "generic-segmentation-offload GenericSegmentationOffload",
	      N_("generic segmentation offload")),
	GROUP("gro", "rx-gro", "generic-receive-offload GenericReceiveOffload",
	      N_("generic receive offload")),
	GROUP("lro", "rx-lro", "large-receive-offload LargeReceiveOffload",
	      N_("large receive offload; not for routers")),
	GROUP("rxvlan", "rx-vlan-hw-parse",
	      "rx-vlan-offload ReceiveVLANCTAGHardwareAcceleration",
	      N_("VLAN tags taken off by the NIC")),
	GROUP("txvlan", "tx-vlan-hw-insert",
	      "tx-vlan-offload TransmitVLANCTAGHardwareAcceleration",
	      N_("VLAN tags put in by the NIC")),
	GROUP("ntuple", "rx-ntuple-filter", "ntuple-filters NTupleFilter",
	      N_("receive flow steering by the NIC")),
	GROUP("rxhash", "rx-hashing", "receive-hashing", N_("receive hash by the NIC")),

	/* kernel: net/ethtool/common.c netdev_features_strings, 4.9 to 6.18 */
	FEATURE_("rx-checksum", RANK_CHECKSUM, NULL, N_("receive checksums")),
	FEATURE_("tx-checksum-ipv4", RANK_CHECKSUM, NULL, N_("TCP and UDP over IPv4")),
	FEATURE_("tx-checksum-ip-generic", RANK_CHECKSUM, NULL, N_("any protocol")),
	FEATURE_("tx-checksum-ipv6", RANK_CHECKSUM, NULL, N_("TCP and UDP over IPv6")),
	FEATURE_("tx-checksum-fcoe-crc", RANK_CHECKSUM, NULL, N_("FCoE CRC")),
	FEATURE_("tx-checksum-sctp", RANK_CHECKSUM, NULL, N_("SCTP CRC")),
	FEATURE_("tx-scatter-gather", RANK_SG, NULL, N_("packets in several pieces")),
	FEATURE_("tx-scatter-gather-fraglist", RANK_SG, NULL, N_("packets as lists")),
	FEATURE_ALIAS("tx-tcp-segmentation", "TCPSegmentationOffload",
		      N_("TSO over IPv4")),
	FEATURE_ALIAS("tx-tcp6-segmentation", "TCP6SegmentationOffload",
		      N_("TSO over IPv6")),
	FEATURE("tx-tcp-ecn-segmentation", N_("TSO with ECN")),
	FEATURE("tx-tcp-accecn-segmentation", N_("TSO with accurate ECN")),
	FEATURE("tx-tcp-mangleid-segmentation", N_("TSO that may change the IPv4 id")),
	FEATURE("tx-udp-fragmentation", N_("UFO")),
	FEATURE("tx-generic-segmentation", N_("GSO")),
	FEATURE("rx-gro", N_("GRO")),
	FEATURE_ALIAS("rx-gro-hw", "GenericReceiveOffloadHardware", N_("GRO by the NIC")),
	FEATURE("rx-gro-list", N_("GRO as a list, for forwarding")),
	FEATURE("rx-udp-gro-forwarding", N_("UDP GRO when forwarding")),
	FEATURE("rx-lro", N_("LRO")),
	FEATURE("rx-vlan-hw-parse", N_("VLAN tags taken off")),
	FEATURE("tx-vlan-hw-insert", N_("VLAN tags put in")),
	FEATURE_ALIAS("rx-vlan-filter", "ReceiveVLANCTAGFilter", N_("VLAN filter")),
	FEATURE_ALIAS("tx-vlan-stag-hw-insert", "TransmitVLANSTAGHardwareAcceleration",
		      N_("802.1ad tags put in")),
	FEATURE("rx-vlan-stag-hw-parse", N_("802.1ad tags taken off")),
	FEATURE("rx-vlan-stag-filter", N_("802.1ad filter")),
	FEATURE("rx-ntuple-filter", N_("flow steering")),
	FEATURE("rx-hashing", N_("receive hash")),
	FEATURE("highdma", N_("DMA to high memory")),
	FEATURE("tx-gso-robust", N_("GSO of untrusted packets")),
	FEATURE("tx-gso-partial", N_("partial GSO")),
	FEATURE("tx-gso-list", N_("GSO of lists")),
	FEATURE("tx-fcoe-segmentation", N_("FCoE segmentation")),
	FEATURE("tx-gre-segmentation", N_("GRE segmentation")),
	FEATURE("tx-gre-csum-segmentation", N_("GRE segmentation with checksum")),
	FEATURE("tx-ipxip4-segmentation", N_("IP in IPv4 segmentation")),
	FEATURE("tx-ipxip6-segmentation", N_("IP in IPv6 segmentation")),
	FEATURE("tx-udp_tnl-segmentation", N_("UDP tunnel segmentation")),
	FEATURE("tx-udp_tnl-csum-segmentation", N_("the same with checksum")),
	FEATURE("tx-tunnel-remcsum-segmentation", N_("remote checksum offload")),
	FEATURE("tx-sctp-segmentation", N_("SCTP segmentation")),
	FEATURE("tx-esp-segmentation", N_("ESP segmentation")),
	FEATURE("tx-udp-segmentation", N_("UDP segmentation")),
	FEATURE("tx-nocache-copy", N_("copy from user space past the cache")),
	FEATURE("tx-lockless", N_("driver without the transmit lock; always fixed")),
	FEATURE("netns-local", N_("stays in its namespace; always fixed")),
	FEATURE("vlan-challenged", N_("cannot do VLANs; always fixed")),
	FEATURE("fcoe-mtu", N_("room for FCoE frames; always fixed")),
	FEATURE("loopback", N_("loopback; for tests of the NIC")),
	FEATURE("rx-fcs", N_("keep the frame checksum")),
	FEATURE("rx-all", N_("keep broken frames")),
	FEATURE("l2-fwd-offload", N_("macvlan forwarding by the NIC")),
	FEATURE("hw-tc-offload", N_("traffic control and flowtables by the NIC")),
	FEATURE("esp-hw-offload", N_("ESP by the NIC")),
	FEATURE("esp-tx-csum-hw-offload", N_("ESP with checksum by the NIC")),
	FEATURE("rx-udp_tunnel-port-offload", N_("UDP tunnel ports known to the NIC")),
	FEATURE("tls-hw-tx-offload", N_("TLS transmit by the NIC")),
	FEATURE("tls-hw-rx-offload", N_("TLS receive by the NIC")),
	FEATURE("tls-hw-record", N_("TLS records by the NIC")),
	FEATURE("macsec-hw-offload", N_("MACsec by the NIC")),
	FEATURE("hsr-tag-ins-offload", N_("HSR tags put in")),
	FEATURE("hsr-tag-rm-offload", N_("HSR tags taken off")),
	FEATURE("hsr-fwd-offload", N_("HSR forwarding by the NIC")),
	FEATURE("hsr-dup-offload", N_("HSR duplicates by the NIC")),

	META("irq", "Name", VALUE_TEXT, N_("action of the interrupt, globs")),
	AFFINITY("irq", "affinity", irq_name_each, N_("CPUs for the interrupt")),

	{ .section = "sysctl", .key = "*", .type = VALUE_LINE, .stage = STAGE_SETTING,
	  .rank = RANK_SYSCTL, .attr = "*",
	  .help = N_("any kernel parameter, as in sysctl.d(5)"),
	  .each = sysctl_each, .get = sysctl_get, .set = sysctl_set,
	  .expect = sysctl_expect },
};

const struct setting *registry_all(size_t *ret_n)
{
	*ret_n = ARRAY_SIZE(settings);
	return settings;
}

/* Whether @key is one of the blank-separated names. */
static bool has_name(const char *names, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = names; s && *s; s += strcspn(s, " "), s += strspn(s, " "))
		if (strcspn(s, " ") == n && memcmp(s, key, n) == 0)
			return true;
	return false;
}

const struct setting *registry_find(const char *section, const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (streq(settings[i].section, section) &&
		    (streq(settings[i].key, key) || streq(settings[i].key, "*") ||
		     has_name(settings[i].alias, key)))
			return &settings[i];
	return NULL;
}

bool registry_has_section(const char *section)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (streq(settings[i].section, section))
			return true;
	return false;
}

const char *registry_section_of(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!streq(settings[i].key, "*") &&
		    registry_find(settings[i].section, key) == &settings[i])
			return settings[i].section;
	return NULL;
}

/* In lower case, cut to what is compared at all. */
static const char *lower(const char *s, char buf[static 64])
{
	size_t i;

	for (i = 0; s[i] && i < 63; i++)
		buf[i] = tolower((unsigned char)s[i]);
	buf[i] = '\0';
	return buf;
}

/* A name is near when less than half of it, and about a third of a long one, differs. */
static bool is_nearer(const char *typed, const char *name, unsigned *best)
{
	unsigned n = strnlen(typed, 63), d;
	char a[64], b[64];

	d = str_distance(lower(typed, a), lower(name, b));
	if (d >= *best || (d && (2 * d >= n || d > 1 + n / 3)))
		return false;
	*best = d;
	return true;
}

/* What follows rx- or tx-, else the name itself. */
static const char *bare_name(const char *name)
{
	const char *rest = str_after(name, "rx-");

	if (!rest)
		rest = str_after(name, "tx-");
	return rest ? rest : name;
}

const char *registry_nearest_key(const char *section, const char *key)
{
	const char *nearest = NULL;
	unsigned best = ~0u;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (streq(settings[i].section, section) &&
		    (is_nearer(key, settings[i].key, &best) ||
		     is_nearer(key, bare_name(settings[i].key), &best)))
			nearest = settings[i].key;
	return nearest;
}

const char *registry_nearest_section(const char *section)
{
	const char *nearest = NULL;
	unsigned best = ~0u;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (is_nearer(section, settings[i].section, &best))
			nearest = settings[i].section;
	return nearest;
}
