/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults.h - kernels that are known to harm a kind of board */
#ifndef BOARDTUNE_FAULTS_H
#define BOARDTUNE_FAULTS_H

#include "kernel/system.h"

struct fault {
	const char *name;	/* a word for scripts */
	const char *compatible; /* glob of the board's compatible strings */
	const char *driver;	/* of a NIC */
	bool smp;		/* with more than one CPU only */
	const char *what;	/* N_(): what happens, and what to do */
	struct {
		unsigned major, minor, first, last; /* 6.1.160 to 6.1.190 */
	} kernels[2];
};

/**
 * faults_find - the first known fault that this board has
 * @ret_nic: the interface that it is about, IF_NAMESIZE bytes
 *
 * Returns NULL if it has none.
 */
const struct fault *faults_find(struct system *sys, char *ret_nic);

#endif
