/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq-rows.h - rows of /proc/interrupts one by one; what sysfs says of a line */
#ifndef BOARDTUNE_IRQ_ROWS_H
#define BOARDTUNE_IRQ_ROWS_H

#include "base/sysroot.h"

#define IRQ_DIR "/sys/kernel/irq"
#define IRQ_PROC_DIR "/proc/irq"
#define IRQ_INTERRUPTS "/proc/interrupts"

#define IRQ_CHIP_MAX 64
#define IRQ_HWIRQ_MAX 24
#define IRQ_ACTIONS_MAX 1024 /* of a line that many devices share */
#define IRQ_ROW_MAX 16384    /* 1024 CPUs of eleven columns, and names */

/* One row, in pieces of the text it was parsed from. */
struct irq_row {
	unsigned number;
	char *counts; /* from the first column on; see irq_row_count() */
	char *chip;
	char *hwirq;   /* digits; "" if not told */
	char *actions; /* commas without blanks; "" with no handler */
};

/* What a line is, whatever its number. */
struct irq_identity {
	char chip[IRQ_CHIP_MAX];
	char hwirq[IRQ_HWIRQ_MAX];
	char actions[IRQ_ACTIONS_MAX];
};

/**
 * irq_header_parse - the CPUs of the header, which are those online
 * @cpus: gets the CPU of each column, ascending or not
 * @max: room in @cpus
 *
 * Returns their number, or -EBADMSG for what is no header.
 */
int irq_header_parse(const char *line, unsigned short *cpus, size_t max);

/**
 * irq_row_parse - one line after the header
 * @line: changed in place
 * @columns: CPUs of the header
 *
 * "number: counts chip hwirq [Level|Edge] [-name] actions", as show_interrupts() of
 * kernel/irq/proc.c 6.1 prints it: a chip's name may hold blanks, x86 joins the flow to
 * the hwirq ("0-edge"), a line without domain (Xen) has no hwirq. Returns false for rows
 * that begin with letters, and for anything else.
 */
bool irq_row_parse(char *line, unsigned columns, struct irq_row *ret);

/** irq_row_count - the next of a row's counts; false at the end. Moves @counts. */
bool irq_row_count(char **counts, uint64_t *ret);

/* /proc/interrupts, a row at a time: no allocation. */
struct irq_rows {
	int fd;
	unsigned columns;
	size_t from, used;
	char buf[IRQ_ROW_MAX];
};

/**
 * irq_rows_open - begin with the first row after the header
 * @rows: large, not to be copied; irq_rows_close() also after a failure
 * @cpus: NULL, or room for CPUS_MAX: the CPU of each column
 *
 * Returns 0, -errno, or -EBADMSG for a file without its header.
 */
int irq_rows_open(struct irq_rows *rows, const struct sysroot *root,
		  unsigned short *cpus);

/** irq_rows_next - 1 with a row, 0 at the end, or -errno */
int irq_rows_next(struct irq_rows *rows, struct irq_row *ret);
void irq_rows_close(struct irq_rows *rows);

/**
 * irq_identify - by /sys/kernel/irq/N (4.9; kernel/irq/irqdesc.c)
 *
 * A demultiplexer has an action without a name there, "(null)": no action. Returns 0 or
 * -errno, -ENOENT where sysfs has no such line. Allocates nothing.
 */
int irq_identify(const struct sysroot *root, unsigned number, struct irq_identity *ret);

/** irq_read_actions, irq_read_hwirq - one of its names; as irq_identify() */
int irq_read_actions(const struct sysroot *root, unsigned number,
		     char ret[static IRQ_ACTIONS_MAX]);
int irq_read_hwirq(const struct sysroot *root, unsigned number,
		   char ret[static IRQ_HWIRQ_MAX]);

#endif
