// SPDX-License-Identifier: GPL-2.0-or-later
// veth.c - a pair of virtual interfaces: made, moved, addressed, raised (rtnetlink(7))
#include "kernel/veth.h"

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>

int veth_add(struct nl *nl, const char *name, const char *peer_name, pid_t peer_pid)
{
	struct nlattr *info, *data, *peer;
	struct nlmsghdr *nlh;

	if (strlen(name) >= IF_NAMESIZE || strlen(peer_name) >= IF_NAMESIZE)
		return -ENAMETOOLONG;
	nlh = nl_request(nl, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(nlh, IFLA_INFO_DATA);
	/* The peer is an ifinfomsg with attributes of its own. */
	peer = mnl_attr_nest_start(nlh, VETH_INFO_PEER);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(nlh, IFLA_IFNAME, peer_name);
	mnl_attr_put_u32(nlh, IFLA_NET_NS_PID, peer_pid);
	mnl_attr_nest_end(nlh, peer);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_nest_end(nlh, info);
	return nl_exchange(nl, NULL, NULL);
}

int veth_up(struct nl *nl, const char *name)
{
	struct ifinfomsg *ifi;
	struct nlmsghdr *nlh;
	int ifindex = if_nametoindex(name);

	if (!ifindex)
		return -errno;
	nlh = nl_request(nl, RTM_NEWLINK, 0);
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_index = ifindex;
	ifi->ifi_flags = ifi->ifi_change = IFF_UP;
	return nl_exchange(nl, NULL, NULL);
}

int veth_address_add(struct nl *nl, const char *name, struct in_addr address,
		     unsigned prefix)
{
	struct ifaddrmsg *ifa;
	struct nlmsghdr *nlh;
	int ifindex = if_nametoindex(name);

	if (!ifindex)
		return -errno;
	nlh = nl_request(nl, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
	ifa = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifa));
	ifa->ifa_family = AF_INET;
	ifa->ifa_prefixlen = prefix;
	ifa->ifa_index = ifindex;
	mnl_attr_put_u32(nlh, IFA_LOCAL, address.s_addr);
	mnl_attr_put_u32(nlh, IFA_ADDRESS, address.s_addr);
	return nl_exchange(nl, NULL, NULL);
}
