/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq-table.h - which interrupts there are: /sys/kernel/irq, /proc/interrupts */
#ifndef BOARDTUNE_IRQ_TABLE_H
#define BOARDTUNE_IRQ_TABLE_H

#include "kernel/system.h"
#include "knobs/irq-rows.h"

#define IRQ_NAME_MAX 128

/* One interrupt; @chip owns the memory of all three names. "" where it is not told, and
 * chip and hwirq where only actions were read: see irq_line_identify(). */
struct irq_line {
	unsigned number;
	char *chip;       /* "GICv3", "PCI-MSIX-0000:00:03.0" */
	char *hwirq;      /* "56", also where x86 shows "56-edge" */
	char *actions;    /* "eth0,eth1"; "" with no handler */
	uint64_t *counts; /* by CPU, of table.n_cpus; NULL: only sysfs has the line */
};

struct irq_table {
	struct irq_line *lines; /* by number */
	size_t n;
	unsigned n_cpus;        /* 1 + the highest CPU of the header */
};

/**
 * irq_table_parse - /proc/interrupts (kernel/irq/proc.c show_interrupts)
 * @text: the file; changed in place
 *
 * Columns belong to the CPUs that the header names (online ones). Rows that begin with
 * letters are left out. Returns 0, -EBADMSG for what is no such file, -EFBIG for more
 * counts than any board has, -ENOMEM.
 */
int irq_table_parse(char *text, struct irq_table *ret);

/**
 * irq_table_load - of a board: /proc/interrupts, names from /sys/kernel/irq where it is
 *
 * One read of each; cost linear in the number of interrupts. Returns 0 or -errno:
 * -ENOENT where there is neither.
 */
int irq_table_load(const struct sysroot *root, struct irq_table *ret);

/**
 * irq_table_load_actions - the same without counts, and what is in sysfs by actions only
 *
 * Where a live kernel has /sys/kernel/irq, one file of each line is all that is read: a
 * board with many CPUs has megabytes of counts.
 */
int irq_table_load_actions(const struct sysroot *root, struct irq_table *ret);

/** irq_line_identify - all names of a line: those of sysfs, else those of its row */
void irq_line_identify(const struct sysroot *root, const struct irq_line *line,
		       struct irq_identity *ret);
void irq_table_clear(struct irq_table *table);

/** irq_table_find - by number; NULL if there is none */
const struct irq_line *irq_table_find(const struct irq_table *table, unsigned number);

/**
 * irq_has_action - whether one of the comma-separated actions matches a glob
 */
bool irq_has_action(const char *actions, const char *pattern);

#endif
