/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nic.h - network interfaces by match keys; their offload features */
#ifndef BOARDTUNE_NIC_H
#define BOARDTUNE_NIC_H

#include <net/if.h>

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

/*
 * Rings, channels, coalescing, pause and EEE. setting.attr: "ring.rx"; "eee" is what
 * ethtool(8) calls enabled. A number above the hardware's maximum comes to the maximum
 * (rounded), and that is what set() asks for: more is EINVAL (net/ethtool/, 5.7 to 6.18).
 * expect() is -ERANGE for what does not fit into the kernel's 32 bits. -ENODEV of an
 * interface that is there: its device sleeps while it is down (r8169).
 */
int nic_param_get(struct system *sys, const struct setting *s, const struct target *t,
		  struct value *ret);
int nic_param_set(struct system *sys, const struct setting *s, const struct target *t,
		  const struct value *v);
int nic_param_expect(struct system *sys, const struct setting *s, const struct target *t,
		     const struct value *asked, struct expectation *ret);

/**
 * nic_name_now - the name that a target's interface has now: it may have been renamed
 *
 * Returns 0 or -ENODEV.
 */
int nic_name_now(struct system *sys, const struct target *t,
		 char ret[static IF_NAMESIZE]);

/**
 * nic_id_path - what udev's path_id builtin gives for an interface
 * @device: real sysfs path of the interface
 * @buf: gets "platform-ff540000.ethernet", "pci-0000:01:00.0", "pci-...-usb-0:1:1.0"
 *
 * Returns 0, or -ENOENT for a virtual interface.
 */
int nic_id_path(const struct sysroot *root, const char *device, char *buf, size_t size);

#endif
