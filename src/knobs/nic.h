/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nic.h - network interfaces by match keys; their offload features */
#ifndef BOARDTUNE_NIC_H
#define BOARDTUNE_NIC_H

#include "knobs/knob.h"

/**
 * nic_each - interfaces that match every key of the section
 *
 * Name Driver Path MACAddress Type Bus, blank-separated globs, a leading "!" inverts the
 * list as in systemd.network(5). Path is udev's ID_PATH, from /run/udev/data/nIFINDEX or
 * else from the topology in sysfs. A section without a match key matches nothing.
 */
int nic_each(struct system *sys, const struct setting *s, const struct selector *sel,
	     struct target_list *list);

/* setting.attr: the kernel's feature name */
int nic_feature_get(struct system *sys, const struct setting *s, const struct target *t,
		    struct value *ret);
int nic_feature_set(struct system *sys, const struct setting *s, const struct target *t,
		    const struct value *v);
int nic_feature_expect(struct system *sys, const struct setting *s,
		       const struct target *t, const struct value *asked,
		       struct expectation *ret);

/**
 * nic_id_path - what udev's path_id builtin gives for an interface
 * @device: real sysfs path of the interface
 * @buf: gets "platform-ff540000.ethernet", "pci-0000:01:00.0", "pci-...-usb-0:1:1.0"
 *
 * Returns 0, or -ENOENT for a virtual interface.
 */
int nic_id_path(const struct sysroot *root, const char *device, char *buf, size_t size);

#endif
