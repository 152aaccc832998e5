// SPDX-License-Identifier: GPL-2.0-or-later
// snapshot-nic.c - interfaces, the devices above them, and their ethtool state
#include "board/snapshot-private.h"

#define NET_DIR "/sys/class/net"
#define DEVICES_DIR "/sys/devices/"

static const struct snapshot_place nic_places[] = {
	{ "", "threaded tx_queue_len gro_flush_timeout napi_defer_hard_irqs",
	  "device subsystem phy80211 master lower_* uevent ifindex iflink flags type mtu "
	  "operstate carrier speed duplex address bridge/ wireless/",
	  NULL, snapshot_rules_nic },
	{ "/statistics", NULL,
	  "rx_bytes tx_bytes rx_packets tx_packets rx_errors tx_errors rx_dropped "
	  "tx_dropped rx_missed_errors",
	  NULL, NULL },
	{ "/phydev", NULL, "phy_interface", NULL, NULL },
	/* Without SMP there is nothing in them, but they count. */
	{ "/queues", NULL, "rx-*/ tx-*/", NULL, NULL },
	{ "/queues/rx-*", "rps_cpus rps_flow_cnt", NULL, NULL, snapshot_rules_queue },
	{ "/queues/tx-*", "xps_cpus xps_rxqs", NULL, NULL, snapshot_rules_queue },
};

/* Of a device, from the parent of the interface up: bus, driver, interrupts. */
static const struct snapshot_place device_places[] = {
	{ "", NULL,
	  "driver subsystem irq vendor device idVendor idProduct speed version "
	  "bConfigurationValue usb[0-9]*/", /* one root hub names the interrupt of all */
	  NULL, NULL },
	{ "", NULL, "uevent",
	  "DRIVER= DEVTYPE= INTERFACE= IFINDEX= OF_NAME= OF_FULLNAME= OF_COMPATIBLE_ "
	  "OF_ALIAS_ PCI_CLASS= PCI_ID= PCI_SUBSYS_ID= PCI_SLOT_NAME= PRODUCT= TYPE= "
	  "MODALIAS=",
	  NULL },
	{ "/msi_irqs", NULL, "*", NULL, NULL },
};

void snapshot_thread(struct snapshot *s, const char *dir)
{
	static const struct snapshot_place status = { "", NULL, "status",
						      "Name: PPid: Cpus_allowed", NULL };
	char comm[64];

	if (str_after(snapshot_read(s, dir, "comm", comm, sizeof(comm)), "napi/"))
		snapshot_places(s, dir, &status, 1);
}

static void print_devices(struct snapshot *s, const char *nic)
{
	char path[SYSROOT_PATH_MAX], real[SYSROOT_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/device", nic);

	if (n < 0 || (size_t)n >= sizeof(path) ||
	    sysroot_realpath(&s->sys->root, path, real) < 0)
		return;
	while (str_after(real, DEVICES_DIR)) {
		snapshot_places(s, real, device_places, ARRAY_SIZE(device_places));
		*strrchr(real, '/') = '\0';
	}
}

/* What a recorded board takes for granted is left out: a feature that is on is wanted. */
static void print_features(struct snapshot *s, const char *ifname)
{
	struct ethtool_features *features = calloc(1, sizeof(*features));

	if (!features) {
		s->error = -ENOMEM;
		return;
	}
	if (ethtool_features_get(&s->sys->ethtool, ifname, features) < 0)
		features->n = 0;
	for (size_t i = 0; i < features->n; i++) {
		const struct ethtool_feature *f = &features->feature[i];
		bool fixed = ethtool_feature_fixed(f);

		fprintf(s->f, "@ethtool %s feature %s = %s%s", ifname, f->name,
			f->active ? "on" : "off", fixed ? " [fixed]" : "");
		if (!fixed && f->wanted != f->active)
			fprintf(s->f, " [requested %s]", f->wanted ? "on" : "off");
		fputc('\n', s->f);
	}
	free(features);
}

static void print_params(struct snapshot *s, const char *ifname)
{
	size_t n;
	const struct ethtool_param *params = ethtool_param_all(&n);

	for (size_t i = 0; i < n; i++) {
		const struct ethtool_param *p = &params[i];
		struct ethtool_number number;

		if (ethtool_param_get(&s->sys->ethtool, ifname, p, &number) < 0)
			continue;
		fprintf(s->f, "@ethtool %s %s %s = ", ifname,
			ethtool_group_name(p->group), p->name);
		if (p->flag)
			fputs(number.value ? "on" : "off", s->f);
		else
			fprintf(s->f, "%u", number.value);
		if (!p->flag && p->max && number.max && number.max >= number.value)
			fprintf(s->f, " max %u", number.max);
		fputc('\n', s->f);
	}
}

static void print_nic(struct snapshot *s, const char *ifname)
{
	char path[SYSROOT_PATH_MAX], real[SYSROOT_PATH_MAX], text[64];
	int n = snprintf(path, sizeof(path), NET_DIR "/%s", ifname);

	/* Not a file of a driver, such as bonding_masters. */
	if (n < 0 || (size_t)n >= sizeof(path) || snapshot_reach(s, path, real) < 0 ||
	    !*snapshot_read(s, real, "ifindex", text, sizeof(text)))
		return;
	snapshot_places(s, real, nic_places, ARRAY_SIZE(nic_places));
	print_devices(s, real);
	print_features(s, ifname);
	print_params(s, ifname);
}

void snapshot_nics(struct snapshot *s)
{
	_cleanup_list_ char **names = NULL;

	if (sysroot_list(&s->sys->root, NET_DIR, &names) == -ENOMEM)
		s->error = -ENOMEM;
	for (char **name = names; name && *name; name++)
		print_nic(s, *name);
}
