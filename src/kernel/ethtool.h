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

struct ethtool_ops {
	/* All features of a NIC. 0; -ENODEV no such NIC; -EOPNOTSUPP not to be had. */
	int (*features_get)(void *ctx, const char *ifname, struct ethtool_features *ret);
	/* Ask for one feature. 0 says only that the kernel took the request: a fixed or
	 * dependent feature is found by reading back. -EOPNOTSUPP: no such feature. */
	int (*feature_set)(void *ctx, const char *ifname, const char *feature, bool on);
	void (*close)(void *ctx);
};

struct ethtool {
	const struct ethtool_ops *ops;
	void *ctx;
};

/**
 * ethtool_open - the live kernel
 *
 * Nothing is opened before the first use. Returns 0 or -ENOMEM.
 */
int ethtool_open(struct ethtool *ret);
void ethtool_close(struct ethtool *et);

/** ethtool_features_get, ethtool_feature_set - as in struct ethtool_ops */
int ethtool_features_get(struct ethtool *et, const char *ifname,
			 struct ethtool_features *ret);
int ethtool_feature_set(struct ethtool *et, const char *ifname, const char *feature,
			bool on);

/** ethtool_feature_find - by kernel name, NULL if this kernel has none of it */
const struct ethtool_feature *ethtool_feature_find(const struct ethtool_features *fs,
						   const char *name);

static inline bool ethtool_feature_fixed(const struct ethtool_feature *f)
{
	return !f->hw || f->nochange;
}

#endif
