/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nic-path.h - the bus of an interface (its ID_PATH: nic.h) */
#ifndef BOARDTUNE_NIC_PATH_H
#define BOARDTUNE_NIC_PATH_H

#include "base/sysroot.h"

/**
 * nic_bus - subsystem of the nearest device above an interface
 * @device: real sysfs path of the interface
 * @buf: gets "usb", "pci", "platform", "virtio"
 *
 * Returns 0, or -ENOENT for a virtual interface.
 */
int nic_bus(const struct sysroot *root, const char *device, char *buf, size_t size);

#endif
