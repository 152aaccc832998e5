/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq.h - placement of interrupts: those of a NIC by topology, others by action name */
#ifndef BOARDTUNE_IRQ_H
#define BOARDTUNE_IRQ_H

#include "knobs/knob.h"

/*
 * setting.attr: "smp_affinity". A target is "irq 35", its path names the line whatever
 * its number: "irq:CHIP:HWIRQ:ACTION". The number is looked up again by these when the
 * line of that number is another one by now.
 */

/**
 * irq_nic_each - the interrupts of the NICs of a [net:] section
 *
 * Per NIC, in this order: msi_irqs of its device or the nearest parent that has any, the
 * PCI attribute irq, actions that are the interface's name, that name and "-" or ":", or
 * the platform device's name. A USB NIC has those of its host controller. Lines of the
 * PHY and wake-up lines are left out. target.index and siblings count per NIC.
 */
int irq_nic_each(struct system *sys, const struct setting *s, const struct selector *sel,
		 struct target_list *list);

/** irq_name_each - by the globs of the section's Name, against whole action names */
int irq_name_each(struct system *sys, const struct setting *s, const struct selector *sel,
		  struct target_list *list);

int irq_affinity_get(struct system *sys, const struct setting *s, const struct target *t,
		     struct value *ret);
int irq_affinity_set(struct system *sys, const struct setting *s, const struct target *t,
		     const struct value *v);
/* Names resolved; over several lines of a NIC dealt round robin (by target.index); a CPU
 * that the board does not have: -ERANGE; none of them online: missing. unmovable by file
 * mode (6.12), unsupported without the file (UP kernels). note: device and action, and
 * who else uses the line. */
int irq_affinity_expect(struct system *sys, const struct setting *s,
			const struct target *t, const struct value *asked,
			struct expectation *ret);
int irq_absent(struct system *sys, const struct setting *s, const struct selector *sel,
	       char *note);

/**
 * irq_effective - effective_affinity_list of a target
 *
 * Returns 0, or -ENODATA where the kernel does not say (absent, unreadable, empty).
 */
int irq_effective(const struct sysroot *root, const struct target *t, struct cpus *ret);

#endif
