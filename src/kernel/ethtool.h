/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ethtool.h - NIC state as the kernel's ethtool netlink family gives it
 *
 * The ops pointer is the seam: a live board has the netlink client of ethtool.c, a
 * recorded board answers from its recording (board/nics.c) and never opens netlink.
 */
#ifndef BOARDTUNE_ETHTOOL_H
#define BOARDTUNE_ETHTOOL_H

#include "base/base.h"

#define ETHTOOL_FEATURES_MAX 128
#define ETHTOOL_NAME_MAX 32 /* ETH_GSTRING_LEN */
#define ETHTOOL_FIRMWARE_MAX 32 /* ETHTOOL_FWVERS_LEN */

/* One bit of the four feature masks of a NIC (net/ethtool/features.c). */
struct ethtool_feature {
	char name[ETHTOOL_NAME_MAX];
	bool hw;       /* can be changed by the driver (hw_features) */
	bool wanted;   /* asked for (wanted_features) */
	bool active;   /* in force (features) */
	bool nochange; /* can never be changed (NETIF_F_NEVER_CHANGE) */
};

struct ethtool_features {
	size_t n;
	struct ethtool_feature feature[ETHTOOL_FEATURES_MAX];
};

/* What one message of the family carries: ethtool(8) -g -l -c -a and --show-eee. */
enum ethtool_group {
	ETHTOOL_RING,
	ETHTOOL_CHANNELS,
	ETHTOOL_COALESCE,
	ETHTOOL_PAUSE,
	ETHTOOL_EEE,
	ETHTOOL_GROUP_MAX_,
};

/* One number or flag of a group; the table is in ethtool-param.c. */
struct ethtool_param {
	enum ethtool_group group;
	const char *name;      /* "rx-usecs", as ethtool(8) and a recording have it */
	unsigned short attr;   /* of linux/ethtool_netlink.h */
	unsigned short max;    /* attribute of its maximum, 0 without one */
	unsigned short word;   /* 32-bit word in the ioctl's structure, 0: it has none */
	unsigned short max_word; /* that of the maximum */
	bool flag;             /* one byte, on or off */
};

struct ethtool_number {
	uint32_t value;
	uint32_t max; /* 0: not told */
};

struct ethtool_ops {
	/* A number of a NIC. 0; -EOPNOTSUPP: driver or kernel has none of it; -ENODEV.
	 * Allocates nothing. */
	int (*param_get)(void *ctx, const char *ifname, const struct ethtool_param *p,
			 struct ethtool_number *ret);
	/* Ask for it: one number in a message; one that the driver does not have spoils
	 * no other. -errno of the kernel: -EINVAL above the maximum. */
	int (*param_set)(void *ctx, const char *ifname, const struct ethtool_param *p,
			 uint32_t value);
	/* All features of a NIC. 0; -ENODEV no such NIC; -EOPNOTSUPP not to be had. */
	int (*features_get)(void *ctx, const char *ifname, struct ethtool_features *ret);
	/* Ask for one feature. 0 says only that the kernel took the request: a fixed or
	 * dependent feature is found by reading back. -EOPNOTSUPP: no such feature. */
	int (*feature_set)(void *ctx, const char *ifname, const char *feature, bool on);
	/* Optional, see ethtool_firmware_get(). */
	int (*firmware_get)(void *ctx, const char *ifname,
			    char ret[static ETHTOOL_FIRMWARE_MAX]);
	/* Optional, see ethtool_keep(). */
	void (*keep)(void *ctx, bool on);
	void (*close)(void *ctx);
};

struct ethtool {
	const struct ethtool_ops *ops;
	void *ctx;
};

/**
 * ethtool_open - the live kernel
 *
 * By netlink, or by the ioctl SIOCETHTOOL for each command that the kernel's ethtool
 * family lacks (before 5.6 and without CONFIG_ETHTOOL_NETLINK: all of them). Nothing is
 * opened before the first use. Returns 0 or -ENOMEM.
 */
int ethtool_open(struct ethtool *ret);
void ethtool_close(struct ethtool *et);

/**
 * ethtool_keep - whether a reply is good for all questions that it answers
 * @on: from now on, until a set or @on false; what was kept before is forgotten
 *
 * For a look at many settings of a NIC while nothing changes them. Never on while one
 * waits for a change to show.
 */
void ethtool_keep(struct ethtool *et, bool on);

/** ethtool_features_get, ethtool_feature_set - as in struct ethtool_ops */
int ethtool_features_get(struct ethtool *et, const char *ifname,
			 struct ethtool_features *ret);
int ethtool_feature_set(struct ethtool *et, const char *ifname, const char *feature,
			bool on);

/**
 * ethtool_firmware_get - what ethtool -i calls firmware-version
 *
 * Netlink has no such message (6.18): always the ioctl. Returns 0; -EOPNOTSUPP the driver
 * does not tell, or the board is a recorded one; -ENODEV.
 */
int ethtool_firmware_get(struct ethtool *et, const char *ifname,
			 char ret[static ETHTOOL_FIRMWARE_MAX]);

int ethtool_param_get(struct ethtool *et, const char *ifname,
		      const struct ethtool_param *p, struct ethtool_number *ret);
int ethtool_param_set(struct ethtool *et, const char *ifname,
		      const struct ethtool_param *p, uint32_t value);

/**
 * ethtool_param_find - by group and name as a recording has them: "ring" and "rx"
 *
 * Returns NULL if there is none. ethtool_group_name() is the other way round: "ring",
 * "channels", "coalesce", "pause", "eee".
 */
const struct ethtool_param *ethtool_param_find(const char *group, const char *name);
const char *ethtool_group_name(enum ethtool_group group);

/** ethtool_param_all - the whole table, for tests, fuzzers and snapshots */
const struct ethtool_param *ethtool_param_all(size_t *ret_n);

/** ethtool_feature_find - by kernel name, NULL if this kernel has none of it */
const struct ethtool_feature *ethtool_feature_find(const struct ethtool_features *fs,
						   const char *name);

static inline bool ethtool_feature_fixed(const struct ethtool_feature *f)
{
	return !f->hw || f->nochange;
}

#endif
