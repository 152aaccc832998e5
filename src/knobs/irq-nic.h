/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq-nic.h - which interrupts belong to a NIC, by where it sits */
#ifndef BOARDTUNE_IRQ_NIC_H
#define BOARDTUNE_IRQ_NIC_H

#include "knobs/irq-table.h"

/* Lines of a table by the words of their actions; made once, asked for each NIC. */
struct irq_index {
	const struct irq_table *table; /* borrowed */
	struct irq_word *words;
	size_t n;
};

/** irq_index_make - 0 or -ENOMEM; freed with irq_index_clear() */
int irq_index_make(const struct irq_table *table, struct irq_index *ret);
void irq_index_clear(struct irq_index *index);

/**
 * irq_nic_lines - the lines of one NIC
 * @ifname: its name
 * @path: its real path: /sys/devices/platform/ff540000.ethernet/net/eth0
 * @ret: gets a malloc'd array of places in the table, ascending
 *
 * The first of these that has a handler: for a PCI function, that of a virtio device or
 * of a USB NIC's host controller included, its msi_irqs, then its line without MSI; then
 * by actions: the interface's name, that and "-" or ":", the name of the device, and of a
 * host controller its root hubs ("xhci-hcd:usb1"); then, for what sits on a PCI function
 * without being one (RP1), msi_irqs of that.
 *
 * Left out: a demultiplexer (it has no action), a PHY (its name is that of its bus and an
 * address, "stmmac-0:01", "30be0000.ethernet-1:00": no interface's and no device's), and
 * lines that only wake or complain: "eth0:wol", "eth0:lpi", "eth0:safety-ce"
 * (stmmac_main.c 6.1), or by the names that the device tree has for inputs of a GIC. A
 * switch port has the conduit's device above it and no line.
 *
 * Returns how many, or -errno.
 */
ssize_t irq_nic_lines(const struct sysroot *root, const struct irq_index *index,
		      const char *ifname, const char *path, size_t **ret);

/** Why a NIC has no line. */
enum irq_nic_reason {
	IRQ_NIC_UNKNOWN, /* none was found */
	IRQ_NIC_DOWN,    /* most drivers ask for theirs when the interface comes up */
	IRQ_NIC_STACKED, /* a switch port, VLAN, bridge, bond: @lower has it */
	IRQ_NIC_VIRTUAL, /* no device at all */
};

/** irq_nic_reason - and the interface below, "" if there is none */
enum irq_nic_reason irq_nic_reason(const struct sysroot *root, const char *path,
				   char *lower, size_t size);

#endif
