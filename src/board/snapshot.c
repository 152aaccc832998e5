// SPDX-License-Identifier: GPL-2.0-or-later
// snapshot.c - what a snapshot records: tables of paths, then the interfaces
#include "board/snapshot.h"

#include "board/identity.h"
#include "board/redact.h"
#include "board/snapshot-private.h"

#define CPU "/sys/devices/system/cpu"
#define CPUFREQ CPU "/cpufreq"
#define TEXT_MAX 4097

/* The tunables of a governor: its own for each policy, or the same for all. */
#define TUNABLES(governor)                                                               \
	{ CPUFREQ "/policy*/" governor, "*", NULL, NULL, snapshot_rules_tunables },      \
	{                                                                                \
		CPUFREQ "/" governor, "*", NULL, NULL, snapshot_rules_tunables           \
	}

/* Who the board is, and what its CPUs, clocks, sensors and trips say. */
static const struct snapshot_place board_places[] = {
	{ "/proc/sys/kernel", NULL, "osrelease", NULL, NULL },
	{ "/proc/device-tree", NULL, "model compatible", NULL, NULL },
	{ "/sys/class/dmi/id", NULL, "sys_vendor product_name board_name", NULL, NULL },
	{ "/etc/default", NULL, "cpufrequtils",
	  "ENABLE= GOVERNOR= MIN_SPEED= MAX_SPEED=", NULL },
	{ "/run", NULL, "irqbalance/", NULL, NULL },
	{ "/proc", NULL, "stat", "cpu", NULL },
	{ "/proc", NULL, "loadavg", NULL, NULL },
	{ "/proc/net", NULL, "softnet_stat", NULL, NULL },

	{ CPU, NULL, "online possible present isolated nohz_full", NULL, NULL },
	{ CPU "/cpu[0-9]*", NULL, "cpu_capacity cpufreq", NULL, NULL },
	{ CPU "/cpu[0-9]*/topology", NULL,
	  "core_id cluster_id physical_package_id thread_siblings_list", NULL, NULL },
	{ CPUFREQ, "boost", NULL, NULL, NULL },
	{ CPUFREQ "/policy*",
	  "scaling_governor scaling_min_freq scaling_max_freq boost scaling_setspeed "
	  "energy_performance_preference",
	  "affected_cpus related_cpus cpuinfo_cur_freq cpuinfo_min_freq cpuinfo_max_freq "
	  "cpuinfo_transition_latency scaling_available_frequencies "
	  "scaling_boost_frequencies scaling_available_governors scaling_driver "
	  "scaling_cur_freq energy_performance_available_preferences",
	  NULL, snapshot_rules_policy },
	{ CPUFREQ "/policy*/stats", NULL, "time_in_state total_trans", NULL, NULL },
	TUNABLES("ondemand"),
	TUNABLES("conservative"),
	TUNABLES("schedutil"),
	TUNABLES("interactive"),

	{ "/sys/class/thermal/thermal_zone*",
	  "policy mode trip_point_*_temp trip_point_*_hyst",
	  "type temp available_policies trip_point_*_type cdev*", NULL,
	  snapshot_rules_zone },
	{ "/sys/class/thermal/cooling_device*", "cur_state", "type max_state", NULL,
	  NULL },
	{ "/sys/class/thermal/cooling_device*/stats", NULL, "total_trans", NULL, NULL },
	{ CPU "/cpu0/thermal_throttle", NULL, "package_throttle_count", NULL, NULL },
	{ "/sys/devices/platform/soc*/soc*:firmware", NULL, "get_throttled", NULL, NULL },
	{ "/sys/class/hwmon/hwmon*", NULL,
	  "name temp*_input temp*_crit temp*_max temp*_label in*_lcrit_alarm", NULL,
	  NULL },
};

static const struct snapshot_place rest_places[] = {
	{ "/run/udev/data", NULL, "n[0-9]*", "E:ID_PATH=", NULL },
	{ "/proc", NULL, "interrupts", NULL, NULL },
	{ "/proc/[1-9]*", NULL, "comm", "napi/", snapshot_thread },
	{ "/proc/irq", "default_smp_affinity", NULL, NULL, NULL },
	{ "/proc/irq/[0-9]*", "smp_affinity smp_affinity_list",
	  "effective_affinity effective_affinity_list */", NULL, snapshot_rules_irq },
	{ "/sys/kernel/irq/[0-9]*", NULL, "actions chip_name hwirq name type", NULL,
	  NULL },
	{ "/proc/sys/net/core",
	  "rps_sock_flow_entries netdev_max_backlog netdev_budget netdev_budget_usecs "
	  "dev_weight dev_weight_rx_bias dev_weight_tx_bias somaxconn optmem_max "
	  "rmem_default rmem_max wmem_default wmem_max default_qdisc busy_poll "
	  "busy_read flow_limit_cpu_bitmap flow_limit_table_len gro_normal_batch",
	  NULL, NULL, NULL },
	{ "/proc/sys/net/ipv4",
	  "ip_forward ip_local_port_range ip_early_demux tcp_congestion_control "
	  "tcp_rmem tcp_wmem tcp_mem udp_mem tcp_timestamps tcp_sack "
	  "tcp_window_scaling tcp_slow_start_after_idle tcp_mtu_probing tcp_fastopen "
	  "tcp_no_metrics_save tcp_max_syn_backlog tcp_early_demux tcp_notsent_lowat "
	  "tcp_limit_output_bytes tcp_autocorking tcp_ecn tcp_fin_timeout tcp_tw_reuse",
	  "tcp_available_congestion_control", NULL, NULL },
	{ "/proc/sys/net/ipv6/conf/all", "forwarding", NULL, NULL, NULL },
	{ "/proc/sys/net/netfilter", "nf_conntrack_max nf_conntrack_buckets", NULL, NULL,
	  NULL },
};

/* nr_cpu_ids, which masks are parsed by: the last number of a list of CPUs, and one. */
static unsigned count_cpus(struct snapshot *s)
{
	char text[TEXT_MAX], *last = text;
	unsigned long cpu;

	if (!*snapshot_read(s, CPU, "possible", text, sizeof(text)))
		snapshot_read(s, CPU, "online", text, sizeof(text));
	for (char *c = text; *c; c++)
		if (*c == ',' || *c == '-')
			last = c + 1;
	cpu = strtoul(last, NULL, 10);
	return cpu < RECORD_CPUS_MAX ? (unsigned)cpu + 1 : RECORD_CPUS_MAX;
}

static void print_head(struct snapshot *s)
{
	struct identity id;

	identity_read(&s->sys->root, &id);
	snprintf(s->kernel, sizeof(s->kernel), "%s", id.kernel);
	fprintf(s->f, "# %s%sLinux %s, by boardtune snapshot\n", id.model,
		*id.model ? ", " : "", *id.kernel ? id.kernel : "?");
	fputs("# Hardware addresses are replaced.\n", s->f);
}

static void print_board(struct snapshot *s)
{
	s->cpus = count_cpus(s);
	print_head(s);
	snapshot_places(s, "", board_places, ARRAY_SIZE(board_places));
	snapshot_nics(s);
	snapshot_places(s, "", rest_places, ARRAY_SIZE(rest_places));
}

/*
 * Interfaces named by their address are learnt in their order: the names that they get
 * then sort as the old ones did, and a snapshot of the snapshot has the same order.
 */
static int learn_names(struct snapshot *s, struct redact *redact)
{
	_cleanup_list_ char **names = NULL;
	int r = 0;

	if (sysroot_list(&s->sys->root, "/sys/class/net", &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; r == 0 && name && *name; name++)
		r = redact_print(redact, NULL, *name, strlen(*name));
	return r;
}

static int redact_board(struct snapshot *s, const char *text, size_t size, char **ret,
			size_t *ret_size)
{
	_cleanup_(redact_clear) struct redact redact = { 0 };
	_cleanup_free_ char *clean = NULL;
	FILE *f = open_memstream(&clean, ret_size);
	int r = f ? learn_names(s, &redact) : -ENOMEM;

	if (r == 0)
		r = redact_print(&redact, f, text, size);
	if (f && fclose(f) != 0 && r == 0)
		r = -ENOMEM;
	if (r == 0)
		*ret = TAKE_PTR(clean);
	return r;
}

ssize_t snapshot_take(struct system *sys, char **ret, struct snapshot_count *ret_count)
{
	struct snapshot s = { .sys = sys };
	_cleanup_free_ char *text = NULL;
	size_t size = 0, clean = 0;
	int r;

	s.f = open_memstream(&text, &size);
	if (!s.f)
		return -ENOMEM;
	print_board(&s);
	r = fclose(s.f) != 0 ? -ENOMEM : s.error;
	if (r == 0)
		r = redact_board(&s, text, size, ret, &clean);
	for (size_t i = 0; i < s.seen_size; i++)
		free(s.seen[i]);
	free(s.seen);
	if (r < 0)
		return r;
	if (ret_count)
		*ret_count = s.count;
	return (ssize_t)clean;
}
