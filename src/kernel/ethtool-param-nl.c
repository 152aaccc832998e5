// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool-param-nl.c - rings, channels, coalescing, pause and EEE as netlink messages
#include "kernel/ethtool-nl.h"

#include <libmnl/libmnl.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

/* Numbers of replies are a count of their own: CHANNELS_GET is 17, its reply 18. */
static const struct {
	uint8_t get, set, reply;
} commands[ETHTOOL_GROUP_MAX_] = {
	[ETHTOOL_RING] = { ETHTOOL_MSG_RINGS_GET, ETHTOOL_MSG_RINGS_SET,
			   ETHTOOL_MSG_RINGS_GET_REPLY },
	[ETHTOOL_CHANNELS] = { ETHTOOL_MSG_CHANNELS_GET, ETHTOOL_MSG_CHANNELS_SET,
			       ETHTOOL_MSG_CHANNELS_GET_REPLY },
	[ETHTOOL_COALESCE] = { ETHTOOL_MSG_COALESCE_GET, ETHTOOL_MSG_COALESCE_SET,
			       ETHTOOL_MSG_COALESCE_GET_REPLY },
	[ETHTOOL_PAUSE] = { ETHTOOL_MSG_PAUSE_GET, ETHTOOL_MSG_PAUSE_SET,
			    ETHTOOL_MSG_PAUSE_GET_REPLY },
	[ETHTOOL_EEE] = { ETHTOOL_MSG_EEE_GET, ETHTOOL_MSG_EEE_SET,
			  ETHTOOL_MSG_EEE_GET_REPLY },
};

/* Each group has its header at 1: ETHTOOL_A_RINGS_HEADER and so on. */
#define PARAM_HEADER ETHTOOL_A_RINGS_HEADER

uint8_t ethtool_nl_param_command(enum ethtool_group group, bool set)
{
	return set ? commands[group].set : commands[group].get;
}

int ethtool_nl_put_param_get(struct nlmsghdr *nlh, const char *ifname)
{
	/* compact: EEE has bitsets of link modes. No FLAG_STATS: EINVAL but for PAUSE */
	return ethtool_nl_put_header(nlh, PARAM_HEADER, ifname,
				     ETHTOOL_FLAG_COMPACT_BITSETS);
}

int ethtool_nl_put_param_set(struct nlmsghdr *nlh, const char *ifname,
			     const struct ethtool_param *p, uint32_t value)
{
	int r;

	if (p->flag && value > 1)
		return -EINVAL;
	r = ethtool_nl_put_header(nlh, PARAM_HEADER, ifname, 0);
	if (r < 0)
		return r;
	if (p->flag)
		mnl_attr_put_u8(nlh, p->attr, (uint8_t)value);
	else
		mnl_attr_put_u32(nlh, p->attr, value);
	return 0;
}

int ethtool_nl_parse_param(const struct nlmsghdr *nlh, const struct ethtool_param *p,
			   struct ethtool_number *ret)
{
	struct ethtool_number number = { 0 };
	const struct nlattr *attr;
	bool found = false;

	if (!ethtool_nl_is_reply(nlh, commands[p->group].reply))
		return -EBADMSG;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
	{
		uint16_t type = mnl_attr_get_type(attr);

		if (type != p->attr && (!p->max || type != p->max))
			continue;
		if (mnl_attr_validate(attr, p->flag ? MNL_TYPE_U8 : MNL_TYPE_U32) < 0)
			return -EBADMSG;
		if (type == p->max)
			number.max = mnl_attr_get_u32(attr);
		else if (p->flag)
			number.value = mnl_attr_get_u8(attr) != 0;
		else
			number.value = mnl_attr_get_u32(attr);
		found |= type == p->attr;
	}
	if (!found)
		return -EOPNOTSUPP;
	*ret = number;
	return 0;
}

int ethtool_nl_set_error(int error, const char *message)
{
	return error == -EINVAL &&
			       streq(message, "cannot modify an unsupported parameter")
		       ? -EOPNOTSUPP
		       : error;
}
