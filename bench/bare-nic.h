/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bare-nic.h - a NIC's settings over ethtool netlink, for bare.c */
#ifndef BENCH_BARE_NIC_H
#define BENCH_BARE_NIC_H

/**
 * nic_set - ask for a setting, set it, ask again
 * @name: a feature as the kernel calls it, or channels.rx
 * @value: "on", "off", or a number
 *
 * Returns 0, or -1 with errno: EPROTO if it is not as it was set.
 */
int nic_set(const char *nic, const char *name, const char *value);

#endif
