// SPDX-License-Identifier: GPL-2.0-or-later
// status-find-nic.c - interrupts and interfaces: when to look at them
#include "report/status-find.h"

/* One CPU that takes nearly all of the NICs' interrupts, of so many at least. */
#define ONE_CPU_SHARE 0.95
#define ONE_CPU_COUNT 1000

/* Received packets lost of so many: one in a thousand is worth a look. */
#define LOST_ONE_IN 1000

#define USB2_SPEED 480
#define USB3_VERSION 0x300
#define GIGABIT 1000

/* Drivers and USB devices that have a gigabit or more, whatever the board. */
static const char *const gigabit_drivers[] = {
	"igb", "igc", "ixgbe", "atlantic", "r8125", "r8126",
};
static const char *const usb3_drivers[] = { "ax88179_178a", "aqc111" };
static const char *const usb3_ids[] = {
	"0bda:8153", "0bda:8155", "0bda:8156", "0bda:8157", /* RTL8153 to RTL8157 */
};

/* Links from the MAC to the PHY that carry a gigabit (phy.h, 6.12). */
static const char *const gigabit_phys[] = {
	"gmii", "sgmii", "qsgmii", "psgmii", "usxgmii", "xgmii", "tbi",
	"rgmii", "rgmii-id", "rgmii-rxid", "rgmii-txid",
	"1000base-x", "2500base-x", "5gbase-r", "10gbase-r",
};

/* The CPU that takes most of what the NICs' interrupts count; its share. */
static double busiest_cpu(const struct status *st, unsigned *ret_cpu, uint64_t *ret_sum,
			  unsigned *ret_lines)
{
	uint64_t best = 0;

	*ret_sum = 0;
	*ret_lines = 0;
	for (size_t i = 0; i < st->n_irqs; i++)
		if (st->irqs[i].nics) {
			*ret_sum += st->irqs[i].count;
			*ret_lines += st->irqs[i].count > 0;
		}
	for (unsigned cpu = 0; cpu < st->table.n_cpus; cpu++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < st->n_irqs; i++)
			if (st->irqs[i].nics && st->irqs[i].line->counts)
				sum += st->irqs[i].line->counts[cpu];
		if (sum > best) {
			best = sum;
			*ret_cpu = cpu;
		}
	}
	return *ret_sum ? (double)best / (double)*ret_sum : 0;
}

/* Where an interrupt is taken, else where it may be. */
static const struct cpus *irq_cpus(const struct status_irq *irq)
{
	bool known = irq->has_effective && !cpus_empty(&irq->effective);

	return known ? &irq->effective : &irq->affinity;
}

/* Whether a NIC's interrupt is taken elsewhere by now: the counts are older than that. */
static bool moved_from(const struct status *st, unsigned cpu)
{
	for (size_t i = 0; i < st->n_irqs; i++) {
		const struct status_irq *irq = &st->irqs[i];

		if (irq->nics && irq->count && irq->has_affinity &&
		    !cpus_test(irq_cpus(irq), cpu))
			return true;
	}
	return false;
}

int find_one_cpu(struct finder *f)
{
	const struct cpus online = cpus_online(&f->sys->root);
	unsigned cpu = 0, lines;
	uint64_t sum;
	double share = busiest_cpu(f->st, &cpu, &sum, &lines);

	if (cpus_count(&online) < 2 || lines < 2 || sum < ONE_CPU_COUNT ||
	    share <= ONE_CPU_SHARE || moved_from(f->st, cpu))
		return 0;
	return finder_tell(f, "", _("CPU %u takes %.0f %% of the interrupts of all NICs"),
			   cpu, 100 * share);
}

int find_irqbalance(struct finder *f)
{
	if (!sysroot_exists(&f->sys->root, "/run/irqbalance"))
		return 0;
	return finder_tell(f, "", _("irqbalance moves interrupts every 10 s"));
}

/* The first two columns of softnet_stat, one row for each CPU that is online, in hex. */
int find_backlog(struct finder *f)
{
	_cleanup_free_ char *text = NULL;
	unsigned processed, dropped;
	unsigned long long sum = 0, all = 0;

	if (sysroot_read_all(&f->sys->root, "/proc/net/softnet_stat", &text) < 0)
		return 0;
	for (char *s = text; *s; s += strcspn(s, "\n"), s += *s == '\n')
		if (sscanf(s, "%x %x", &processed, &dropped) == 2) {
			all += processed;
			sum += dropped;
		}
	if (!sum || sum < all / LOST_ONE_IN)
		return 0;
	return finder_tell(f, "", _("%llu packets dropped by a CPU that had too many "
				    "waiting"),
			   sum);
}

static bool is_usb3(const struct status_nic *nic)
{
	return nic->usb_version >= USB3_VERSION ||
	       names_have(usb3_drivers, ARRAY_SIZE(usb3_drivers), nic->driver) ||
	       names_have(usb3_ids, ARRAY_SIZE(usb3_ids), nic->usb_id);
}

/* lan78xx is also soldered to a bus of USB 2: nothing could be done about it. */
int find_slow_usb(struct finder *f, const struct status_nic *nic)
{
	if (!nic->usb_speed || streq(nic->driver, "lan78xx"))
		return 0;
	if (nic->speed > nic->usb_speed)
		return finder_tell(f, nic->name,
				   _("%s sits on USB at %u Mbit/s, its link has %u"),
				   nic->name, nic->usb_speed, nic->speed);
	if (nic->usb_speed > USB2_SPEED || !is_usb3(nic))
		return 0;
	return finder_tell(f, nic->name, _("%s is made for USB 3 and sits on USB at %u "
					   "Mbit/s"),
			   nic->name, nic->usb_speed);
}

static bool is_gigabit(const struct status_nic *nic)
{
	return is_usb3(nic) ||
	       names_have(gigabit_drivers, ARRAY_SIZE(gigabit_drivers), nic->driver) ||
	       names_have(gigabit_phys, ARRAY_SIZE(gigabit_phys), nic->phy);
}

int find_slow_link(struct finder *f, const struct status_nic *nic)
{
	if (nic->carrier != 1 || !nic->speed || nic->speed >= GIGABIT ||
	    !is_gigabit(nic))
		return 0;
	return finder_tell(f, nic->name,
			   _("%s has a gigabit port and a link of %u Mbit/s"), nic->name,
			   nic->speed);
}

int find_half_duplex(struct finder *f, const struct status_nic *nic)
{
	if (!streq(nic->duplex, "half"))
		return 0;
	return finder_tell(f, nic->name, _("%s has a half-duplex link"), nic->name);
}

int find_drops(struct finder *f, const struct status_nic *nic)
{
	/* rx_dropped has frames, too, that nobody here wants: LLDP, HomePlug */
	uint64_t lost = nic->rx_missed;

	if (!lost || lost < nic->rx_packets / LOST_ONE_IN)
		return 0;
	return finder_tell(f, nic->name,
			   _("%s lost %llu of the packets that it received (%llu)"),
			   nic->name, (unsigned long long)lost,
			   (unsigned long long)nic->rx_packets);
}

/* Names with blanks between them. */
static bool has_name(const char *names, const char *name)
{
	size_t n = strlen(name);

	while (names && *names) {
		size_t length = strcspn(names, " ");

		if (length == n && memcmp(names, name, n) == 0)
			return true;
		names += length + (names[length] == ' ');
	}
	return false;
}

/* Whether every interrupt of a NIC is taken by these CPUs, as far as is known. */
static bool takes_all(const struct status *st, const char *nic, const struct cpus *set)
{
	bool any = false;

	for (size_t i = 0; i < st->n_irqs; i++) {
		const struct status_irq *irq = &st->irqs[i];

		if (!irq->count || !irq->has_affinity || !has_name(irq->nics, nic))
			continue;
		if (!cpus_subset(irq_cpus(irq), set))
			return false;
		any = true;
	}
	return any;
}

/* Packets handed to the one CPU that has them already: work without any use. */
int find_rps_useless(struct finder *f, const struct status_nic *nic)
{
	char path[SYSROOT_PATH_MAX], list[CPUS_LIST_MAX];
	struct cpus set;

	for (unsigned i = 0; i < nic->rx_queues; i++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/queues/rx-%u/rps_cpus",
			 nic->name, i);
		if (cpus_read_mask(&f->sys->root, path, &set) < 0 ||
		    cpus_count(&set) != 1 || !takes_all(f->st, nic->name, &set))
			continue;
		return finder_tell(f, nic->name,
				   _("rps_cpus of %s is CPU %s alone, which takes its "
				     "interrupts already"),
				   nic->name, cpus_format_list(&set, list, sizeof(list)));
	}
	return 0;
}
