// SPDX-License-Identifier: GPL-2.0-or-later
// status-nic.c - interfaces and interrupts as they are now
#include "knobs/irq-nic.h"
#include "knobs/nic-path.h"
#include "knobs/nic.h"
#include "profile/quirk-avoid.h"
#include "report/status.h"

#define NET_DIR "/sys/class/net"
#define LOOPBACK 772 /* ARPHRD_LOOPBACK */
#define MEMBERS 5

/* What the short forms of ethtool(8) stand for; on if one of them is. */
static const struct {
	const char *name;
	const char *members[MEMBERS];
} features[STATUS_FEATURES] = {
	{ "rx", { "rx-checksum" } },
	{ "tx", { "tx-checksum-ip-generic", "tx-checksum-ipv4", "tx-checksum-ipv6" } },
	{ "sg", { "tx-scatter-gather" } },
	{ "tso", { "tx-tcp-segmentation", "tx-tcp6-segmentation" } },
	{ "gso", { "tx-generic-segmentation" } },
	{ "gro", { "rx-gro" } },
	{ "lro", { "rx-lro" } },
};

const char *status_feature_name(size_t i)
{
	return i < STATUS_FEATURES ? features[i].name : NULL;
}

static bool join(char buf[static SYSROOT_PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(buf, SYSROOT_PATH_MAX, "%s/%s", dir, name);

	return n > 0 && n < SYSROOT_PATH_MAX;
}

/* "" if it cannot be read. */
static void read_word(const struct sysroot *root, const char *dir, const char *name,
		      char *buf, size_t size)
{
	char path[SYSROOT_PATH_MAX];

	if (!join(path, dir, name) || sysroot_read(root, path, buf, size) < 0)
		buf[0] = '\0';
}

/* 0 if it is not known; counters pass 4 GiB also on 32 bits. */
static uint64_t read_number(const struct sysroot *root, const char *dir, const char *name)
{
	char text[32];

	read_word(root, dir, name, text, sizeof(text));
	return *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
}

static unsigned count_queues(char **names, const char *prefix)
{
	unsigned n = 0;

	for (; names && *names; names++)
		n += !!str_after(*names, prefix);
	return n;
}

static void read_features(struct system *sys, struct status_nic *nic,
			  struct ethtool_features *fs)
{
	if (ethtool_features_get(&sys->ethtool, nic->name, fs) < 0)
		return;
	for (size_t i = 0; i < STATUS_FEATURES; i++)
		for (size_t k = 0; k < MEMBERS && features[i].members[k]; k++) {
			const struct ethtool_feature *f =
				ethtool_feature_find(fs, features[i].members[k]);

			if (f && nic->features[i] != STATUS_FEATURE_ON)
				nic->features[i] = f->active ? STATUS_FEATURE_ON
							     : STATUS_FEATURE_OFF;
		}
}

/* The USB device above an interface has the nearest "speed", that of the bus. */
static void read_usb(const struct sysroot *root, const char *real, struct status_nic *nic)
{
	char dir[SYSROOT_PATH_MAX], text[32], vendor[8], product[8];
	unsigned major, minor;
	char *slash;

	strcpy(dir, real);
	do {
		slash = strrchr(dir, '/');
		if (!slash || slash == dir)
			return;
		*slash = '\0';
		read_word(root, dir, "speed", text, sizeof(text));
	} while (!*text);
	nic->usb_speed = (unsigned)strtoul(text, NULL, 10);
	read_word(root, dir, "idVendor", vendor, sizeof(vendor));
	read_word(root, dir, "idProduct", product, sizeof(product));
	snprintf(nic->usb_id, sizeof(nic->usb_id), "%.4s:%.4s", vendor, product);
	read_word(root, dir, "version", text, sizeof(text));
	if (sscanf(text, " %2x.%2x", &major, &minor) == 2)
		nic->usb_version = major << 8 | minor;
}

static void read_device(const struct sysroot *root, const char *real,
			struct status_nic *nic)
{
	char path[SYSROOT_PATH_MAX], link[SYSROOT_PATH_MAX];
	const char *slash;

	nic->physical = join(path, real, "device") && sysroot_exists(root, path);
	if (join(path, real, "device/driver") &&
	    sysroot_readlink(root, path, link, sizeof(link)) == 0 &&
	    (slash = strrchr(link, '/')))
		snprintf(nic->driver, sizeof(nic->driver), "%s", slash + 1);
	if (nic_bus(root, real, nic->bus, sizeof(nic->bus)) < 0)
		nic->bus[0] = '\0';
	if (nic_id_path(root, real, nic->path, sizeof(nic->path)) < 0)
		nic->path[0] = '\0';
	if (streq(nic->bus, "usb"))
		read_usb(root, real, nic);
	read_word(root, real, "phydev/phy_interface", nic->phy, sizeof(nic->phy));
}

static void read_counters(const struct sysroot *root, const char *real,
			  struct status_nic *nic)
{
	nic->rx_packets = read_number(root, real, "statistics/rx_packets");
	nic->rx_dropped = read_number(root, real, "statistics/rx_dropped");
	nic->rx_missed = read_number(root, real, "statistics/rx_missed_errors");
	nic->tx_dropped = read_number(root, real, "statistics/tx_dropped");
}

static void read_link(const struct sysroot *root, const char *real,
		      struct status_nic *nic)
{
	_cleanup_list_ char **queues = NULL;
	char path[SYSROOT_PATH_MAX], text[16];
	uint64_t speed;

	/* EINVAL while the interface is down (net-sysfs.c 6.1). */
	read_word(root, real, "carrier", text, sizeof(text));
	nic->carrier = *text == '1' ? 1 : *text == '0' ? 0 : -1;
	/* -1, and 4294967295 of older kernels: not known */
	speed = read_number(root, real, "speed");
	nic->speed = nic->carrier == 1 && speed < INT32_MAX ? (unsigned)speed : 0;
	read_word(root, real, "duplex", nic->duplex, sizeof(nic->duplex));
	if (!nic->speed || streq(nic->duplex, "unknown"))
		nic->duplex[0] = '\0';
	if (join(path, real, "queues") && sysroot_list(root, path, &queues) >= 0) {
		nic->rx_queues = count_queues(queues, "rx-");
		nic->tx_queues = count_queues(queues, "tx-");
	}
}

static int add_nic(struct system *sys, struct status *st, const char *name,
		   const struct quirk_avoid *avoid, struct ethtool_features *fs)
{
	char path[SYSROOT_PATH_MAX], real[SYSROOT_PATH_MAX];
	struct status_nic nic = { 0 };
	int r;

	/* Neither a driver's file, such as bonding_masters, nor the loopback. */
	if (strlen(name) >= sizeof(nic.name) || !join(path, NET_DIR, name) ||
	    sysroot_realpath(&sys->root, path, real) < 0 ||
	    !read_number(&sys->root, real, "ifindex") ||
	    read_number(&sys->root, real, "type") == LOOPBACK)
		return 0;
	r = array_grow(&st->nics, st->n_nics, sizeof(*st->nics));
	if (r < 0)
		return r;
	strcpy(nic.name, name);
	read_device(&sys->root, real, &nic);
	read_link(&sys->root, real, &nic);
	/* Of one that hangs the board when it is asked, 0. */
	if (!quirk_avoids(avoid, name))
		read_counters(&sys->root, real, &nic);
	read_features(sys, &nic, fs);
	st->nics[st->n_nics++] = nic;
	return 0;
}

int status_read_nics(struct system *sys, struct status *st)
{
	_cleanup_(quirk_avoid_clear) struct quirk_avoid avoid = { 0 };
	_cleanup_free_ struct ethtool_features *fs = malloc(sizeof(*fs));
	_cleanup_list_ char **names = NULL;
	int r = fs ? 0 : -ENOMEM;

	quirk_avoid_find(sys, &avoid);
	if (r == 0 && sysroot_list(&sys->root, NET_DIR, &names) == -ENOMEM)
		r = -ENOMEM;
	for (char **name = names; r == 0 && name && *name; name++)
		r = add_nic(sys, st, *name, &avoid, fs);
	return r;
}

/* ---- interrupts ---- */

/* EIO, EINVAL, absent (without SMP): not known. An empty effective list too. */
static void read_affinity(const struct sysroot *root, struct status_irq *irq)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/irq/%u/smp_affinity_list", irq->line->number);
	irq->has_affinity = cpus_read_list(root, path, &irq->affinity) == 0;
	snprintf(path, sizeof(path), "/proc/irq/%u/effective_affinity_list",
		 irq->line->number);
	irq->has_effective = cpus_read_list(root, path, &irq->effective) == 0 &&
			     !cpus_empty(&irq->effective);
}

static int add_name(char **names, const char *name)
{
	char *longer = str_format("%s%s%s", *names ? *names : "", *names ? " " : "",
				  name);

	if (!longer)
		return -ENOMEM;
	free(*names);
	*names = longer;
	return 0;
}

static int name_lines(struct system *sys, struct status *st,
		      const struct irq_index *index, const char *ifname)
{
	char path[SYSROOT_PATH_MAX], real[SYSROOT_PATH_MAX];
	_cleanup_free_ size_t *lines = NULL;
	ssize_t n;
	int r = 0;

	if (!join(path, NET_DIR, ifname) || sysroot_realpath(&sys->root, path, real) < 0)
		return 0;
	n = irq_nic_lines(&sys->root, index, ifname, real, &lines);
	for (ssize_t i = 0; r == 0 && i < n; i++)
		r = add_name(&st->irqs[lines[i]].nics, ifname);
	return n == -ENOMEM ? -ENOMEM : r;
}

int status_read_irqs(struct system *sys, struct status *st)
{
	_cleanup_(irq_index_clear) struct irq_index index = { 0 };
	int r = irq_table_load(&sys->root, &st->table);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	st->irqs = calloc(st->table.n + 1, sizeof(*st->irqs));
	if (!st->irqs)
		return -ENOMEM;
	st->n_irqs = st->table.n;
	for (size_t i = 0; i < st->n_irqs; i++) {
		struct status_irq *irq = &st->irqs[i];

		irq->line = &st->table.lines[i];
		read_affinity(&sys->root, irq);
		for (unsigned k = 0; irq->line->counts && k < st->table.n_cpus; k++)
			irq->count += irq->line->counts[k];
	}
	r = irq_index_make(&st->table, &index);
	for (size_t i = 0; r == 0 && i < st->n_nics; i++)
		if (st->nics[i].physical)
			r = name_lines(sys, st, &index, st->nics[i].name);
	return r;
}
