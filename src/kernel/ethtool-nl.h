/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ethtool-nl.h - messages of the ethtool netlink family, to and from plain structures */
#ifndef BOARDTUNE_ETHTOOL_NL_H
#define BOARDTUNE_ETHTOOL_NL_H

#include <linux/netlink.h>

#include "kernel/ethtool.h"

/*
 * The features of this kernel by bit number; "" for a bit without a name. The numbers
 * differ from kernel to kernel, so they are asked for (ETH_SS_FEATURES).
 */
struct ethtool_names {
	size_t n;
	char name[ETHTOOL_FEATURES_MAX][ETHTOOL_NAME_MAX];
};

/* The encoders append to a message that has its generic netlink header already. */

/** ethtool_nl_put_names_get - the body of STRSET_GET for the names of features */
void ethtool_nl_put_names_get(struct nlmsghdr *nlh);

/**
 * ethtool_nl_put_features_get - the body of FEATURES_GET with compact bitsets
 *
 * Returns 0, or -ENODEV for a name that no interface can have.
 */
int ethtool_nl_put_features_get(struct nlmsghdr *nlh, const char *ifname);

/**
 * ethtool_nl_put_feature_set - the body of FEATURES_SET for one feature
 *
 * Only this feature's bit is in the mask. No reply besides the ack is asked for. Returns
 * 0, -ENODEV as above, or -EOPNOTSUPP for a name that no feature can have.
 */
int ethtool_nl_put_feature_set(struct nlmsghdr *nlh, const char *ifname,
			       const char *feature, bool on);

/**
 * ethtool_nl_parse_names - decode a reply to STRSET_GET
 *
 * Returns 0; -EBADMSG it is broken or another message; -EOVERFLOW more features than
 * ETHTOOL_FEATURES_MAX.
 */
int ethtool_nl_parse_names(const struct nlmsghdr *nlh, struct ethtool_names *ret);

/**
 * ethtool_nl_parse_features - decode a reply to FEATURES_GET
 * @names: of the same kernel
 *
 * Returns 0 or -EBADMSG.
 */
int ethtool_nl_parse_features(const struct nlmsghdr *nlh,
			      const struct ethtool_names *names,
			      struct ethtool_features *ret);

#endif
