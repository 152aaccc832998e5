// SPDX-License-Identifier: GPL-2.0-or-later
// rtnl-neigh.c - who can be reached on a link: neighbours and default gateways
#include "kernel/rtnl-neigh.h"

#include <libmnl/libmnl.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

/* The link-layer address is known in these states, and the kernel may be asked. */
#define NUD_KNOWN (NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE)

static int neighbours_add(struct rtnl_neighbours *list, int family, uint32_t ifindex,
			  uint16_t state, const struct nlattr *address)
{
	struct rtnl_neighbour *item;
	int r;

	if (ifindex == 0 || ifindex > INT32_MAX ||
	    mnl_attr_get_payload_len(address) != rtnl_address_size(family))
		return -EBADMSG;
	r = array_grow(&list->items, list->n, sizeof(*list->items));
	if (r < 0)
		return r;
	item = &list->items[list->n++];
	*item = (struct rtnl_neighbour){ .ifindex = (int)ifindex,
					 .family = family,
					 .state = state };
	memcpy(item->bytes, mnl_attr_get_payload(address), rtnl_address_size(family));
	return 0;
}

int rtnl_parse_neighbour(const struct nlmsghdr *nlh, void *userdata)
{
	const struct ndmsg *ndm = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr, *address = NULL;

	if (nlh->nlmsg_type != RTM_NEWNEIGH ||
	    mnl_nlmsg_get_payload_len(nlh) < sizeof(*ndm))
		return -EBADMSG;
	if (!rtnl_address_size(ndm->ndm_family))
		return 0; /* a bridge's table */
	mnl_attr_for_each(attr, nlh, sizeof(*ndm))
		if (mnl_attr_get_type(attr) == NDA_DST)
			address = attr;
	if (!address)
		return -EBADMSG;
	return neighbours_add(userdata, ndm->ndm_family, (uint32_t)ndm->ndm_ifindex,
			      ndm->ndm_state, address);
}

int rtnl_parse_gateway(const struct nlmsghdr *nlh, void *userdata)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr, *gateway = NULL;
	uint32_t ifindex = 0;

	if (nlh->nlmsg_type != RTM_NEWROUTE ||
	    mnl_nlmsg_get_payload_len(nlh) < sizeof(*rtm))
		return -EBADMSG;
	if (!rtnl_address_size(rtm->rtm_family) || rtm->rtm_dst_len != 0)
		return 0;
	mnl_attr_for_each(attr, nlh, sizeof(*rtm)) {
		if (mnl_attr_get_type(attr) == RTA_GATEWAY)
			gateway = attr;
		if (mnl_attr_get_type(attr) == RTA_OIF &&
		    mnl_attr_validate(attr, MNL_TYPE_U32) == 0)
			ifindex = mnl_attr_get_u32(attr);
	}
	if (!gateway || !ifindex)
		return 0; /* an interface's own, or several next hops */
	return neighbours_add(userdata, rtm->rtm_family, ifindex, NUD_NONE, gateway);
}

static void neighbours_clear(void *list)
{
	rtnl_neighbours_clear(list);
}

static int dump(struct nl *nl, uint16_t type, size_t header, nl_reply_fn *parse,
		struct rtnl_neighbours *ret)
{
	struct rtnl_neighbours list = {};
	int r = rtnl_dump(nl, type, header, parse, &list, neighbours_clear);

	if (r == 0)
		*ret = list;
	return r;
}

int rtnl_neighbours_get(struct nl *nl, struct rtnl_neighbours *ret)
{
	return dump(nl, RTM_GETNEIGH, sizeof(struct ndmsg), rtnl_parse_neighbour, ret);
}

int rtnl_gateways_get(struct nl *nl, struct rtnl_neighbours *ret)
{
	return dump(nl, RTM_GETROUTE, sizeof(struct rtmsg), rtnl_parse_gateway, ret);
}

void rtnl_neighbours_clear(struct rtnl_neighbours *neighbours)
{
	free(neighbours->items);
	*neighbours = (struct rtnl_neighbours){};
}

int rtnl_neighbour_ask(struct nl *nl, const struct rtnl_neighbour *neighbour)
{
	bool known = neighbour->state & NUD_KNOWN;
	uint16_t flags = known ? NLM_F_REPLACE : NLM_F_CREATE | NLM_F_REPLACE;
	struct nlmsghdr *nlh = nl_request(nl, RTM_NEWNEIGH, flags | NLM_F_ACK);
	struct ndmsg *ndm = mnl_nlmsg_put_extra_header(nlh, sizeof(*ndm));

	ndm->ndm_family = neighbour->family;
	ndm->ndm_ifindex = neighbour->ifindex;
	ndm->ndm_state = known ? NUD_PROBE : NUD_NONE;
	ndm->ndm_flags = known ? 0 : NTF_USE;
	mnl_attr_put(nlh, NDA_DST, rtnl_address_size(neighbour->family),
		     neighbour->bytes);
	return nl_exchange(nl, NULL, NULL);
}
