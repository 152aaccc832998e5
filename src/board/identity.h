/* SPDX-License-Identifier: GPL-2.0-or-later */
/* identity.h - who the board is */
#ifndef BOARDTUNE_IDENTITY_H
#define BOARDTUNE_IDENTITY_H

#include "kernel/system.h"

#define IDENTITY_COMPATIBLE_MAX 16

struct identity {
	char model[128];   /* device tree model, on x86 DMI product name; "" if unknown */
	char compatible[IDENTITY_COMPATIBLE_MAX][64]; /* most specific first */
	size_t n_compatible;
	char dmi[300];     /* "sys_vendor:product_name:board_name" of a PC, or "" */
	bool x86;
	char kernel[96];   /* /proc/sys/kernel/osrelease */
};

/**
 * identity_read - fill in what can be read; what cannot stays empty
 *
 * Sources: /proc/device-tree/{model,compatible}, /sys/class/dmi/id/{sys_vendor,
 * product_name,board_name} where there is no device tree. x86 by the CPU's modalias
 * ("cpu:type:x86,..." or "cpu:type:aarch64:..." in 6.1); where a recorded board has none,
 * by its DMI.
 */
void identity_read(const struct sysroot *root, struct identity *ret);

#endif
