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

/** ethtool_names_find - the bit of a feature, or -1 */
ssize_t ethtool_names_find(const struct ethtool_names *names, const char *feature);

/* The encoders append to a message that has its generic netlink header already. */

/**
 * ethtool_nl_put_header - the request header of any command: device and ETHTOOL_FLAG_*
 * @type: its attribute, 1 for most commands
 *
 * Returns 0, or -ENODEV for a name that no interface can have.
 */
int ethtool_nl_put_header(struct nlmsghdr *nlh, uint16_t type, const char *ifname,
			  uint32_t flags);

/** ethtool_nl_is_reply - whether it is long enough and answers with this command */
bool ethtool_nl_is_reply(const struct nlmsghdr *nlh, uint8_t command);

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

/* Rings, channels, coalescing, pause, EEE: ethtool-param-nl.c */

/** ethtool_nl_param_command - ETHTOOL_MSG_RINGS_GET and so on; @set: _SET */
uint8_t ethtool_nl_param_command(enum ethtool_group group, bool set);

/**
 * ethtool_nl_put_param_get - the body of a GET
 *
 * Returns 0 or -ENODEV as above.
 */
int ethtool_nl_put_param_get(struct nlmsghdr *nlh, const char *ifname);

/**
 * ethtool_nl_put_param_set - the body of a SET with one number
 *
 * Returns 0, -ENODEV as above, or -EINVAL: a flag is 0 or 1.
 */
int ethtool_nl_put_param_set(struct nlmsghdr *nlh, const char *ifname,
			     const struct ethtool_param *p, uint32_t value);

/**
 * ethtool_nl_parse_param - take one number out of a reply to its group's GET
 *
 * Returns 0; -EOPNOTSUPP the reply has none: the driver does not have it (net/ethtool
 * leaves out what has a maximum of 0, and coalescing that is not supported; 5.7 to 6.18);
 * -EBADMSG broken or another message.
 */
int ethtool_nl_parse_param(const struct nlmsghdr *nlh, const struct ethtool_param *p,
			   struct ethtool_number *ret);

/**
 * ethtool_nl_set_error - what the errno of a SET means
 * @message: the kernel's words
 *
 * Coalescing that the driver does not have is EINVAL and not EOPNOTSUPP
 * (net/ethtool/coalesce.c, 5.7 to 6.18): only the words tell it from a bad value.
 */
int ethtool_nl_set_error(int error, const char *message);

#endif
