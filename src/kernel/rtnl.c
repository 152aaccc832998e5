// SPDX-License-Identifier: GPL-2.0-or-later
// rtnl.c - rtnetlink: addresses of interfaces, the route to a peer
#include "kernel/rtnl.h"

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#define RTNL_TRIES 5 /* of a dump that is changed while it is read */

size_t rtnl_address_size(int family)
{
	switch (family) {
	case AF_INET:
		return sizeof(struct in_addr);
	case AF_INET6:
		return sizeof(struct in6_addr);
	}
	return 0;
}

int rtnl_parse_address(const struct nlmsghdr *nlh, void *userdata)
{
	struct rtnl_addresses *addresses = userdata;
	const struct ifaddrmsg *ifa = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr, *found = NULL;
	struct rtnl_address address = { 0 };
	int r;

	if (nlh->nlmsg_type != RTM_NEWADDR ||
	    mnl_nlmsg_get_payload_len(nlh) < sizeof(*ifa))
		return -EBADMSG;
	if (!rtnl_address_size(ifa->ifa_family))
		return 0;
	/* on a point-to-point link IFA_ADDRESS is the other end's */
	mnl_attr_for_each(attr, nlh, sizeof(*ifa)) {
		uint16_t type = mnl_attr_get_type(attr);

		if (type == IFA_LOCAL || (type == IFA_ADDRESS && !found))
			found = attr;
	}
	if (!found || ifa->ifa_index == 0 || ifa->ifa_index > INT32_MAX ||
	    mnl_attr_get_payload_len(found) != rtnl_address_size(ifa->ifa_family))
		return -EBADMSG;
	address.ifindex = (int)ifa->ifa_index;
	address.family = ifa->ifa_family;
	memcpy(address.bytes, mnl_attr_get_payload(found),
	       mnl_attr_get_payload_len(found));
	r = array_grow(&addresses->items, addresses->n, sizeof(*addresses->items));
	if (r < 0)
		return r;
	addresses->items[addresses->n++] = address;
	return 0;
}

int rtnl_dump(struct nl *nl, uint16_t type, size_t header, nl_reply_fn *parse, void *list,
	      void (*clear)(void *list))
{
	int r = -EAGAIN;

	for (int i = 0; i < RTNL_TRIES && r == -EAGAIN; i++) {
		struct nlmsghdr *nlh = nl_request(nl, type, NLM_F_DUMP);

		clear(list);
		/* All zeros: of any family. */
		mnl_nlmsg_put_extra_header(nlh, header);
		r = nl_exchange(nl, parse, list);
	}
	if (r < 0)
		clear(list);
	return r;
}

static void addresses_clear(void *list)
{
	rtnl_addresses_clear(list);
}

int rtnl_addresses_get(struct nl *nl, struct rtnl_addresses *ret)
{
	struct rtnl_addresses addresses = { 0 };
	int r = rtnl_dump(nl, RTM_GETADDR, sizeof(struct ifaddrmsg), rtnl_parse_address,
			  &addresses, addresses_clear);

	if (r == 0)
		*ret = addresses;
	return r;
}

void rtnl_addresses_clear(struct rtnl_addresses *addresses)
{
	free(addresses->items);
	*addresses = (struct rtnl_addresses){ 0 };
}

bool rtnl_address_match(const struct rtnl_address *address, int family,
			const void *bytes)
{
	return address->family == family &&
	       memcmp(address->bytes, bytes, rtnl_address_size(family)) == 0;
}

static void source_set(struct sockaddr_storage *ret, int family, const void *bytes,
		       int ifindex)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in in = { .sin_family = AF_INET };

	memset(ret, 0, sizeof(*ret));
	if (family == AF_INET) {
		memcpy(&in.sin_addr, bytes, sizeof(in.sin_addr));
		memcpy(ret, &in, sizeof(in));
		return;
	}
	memcpy(&in6.sin6_addr, bytes, sizeof(in6.sin6_addr));
	if (IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr))
		in6.sin6_scope_id = (uint32_t)ifindex;
	memcpy(ret, &in6, sizeof(in6));
}

int rtnl_parse_route(const struct nlmsghdr *nlh, void *userdata)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr, *source = NULL;
	struct rtnl_route *ret = userdata;
	uint32_t ifindex = 0;

	if (nlh->nlmsg_type != RTM_NEWROUTE ||
	    mnl_nlmsg_get_payload_len(nlh) < sizeof(*rtm) ||
	    !rtnl_address_size(rtm->rtm_family))
		return -EBADMSG;
	mnl_attr_for_each(attr, nlh, sizeof(*rtm)) {
		if (mnl_attr_get_type(attr) == RTA_OIF &&
		    mnl_attr_validate(attr, MNL_TYPE_U32) == 0)
			ifindex = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == RTA_PREFSRC)
			source = attr;
	}
	if (ifindex == 0 || ifindex > INT32_MAX ||
	    (source && mnl_attr_get_payload_len(source) !=
			    rtnl_address_size(rtm->rtm_family)))
		return -EBADMSG;
	memset(&ret->source, 0, sizeof(ret->source));
	if (source)
		source_set(&ret->source, rtm->rtm_family, mnl_attr_get_payload(source),
			   (int)ifindex);
	ret->ifindex = (int)ifindex;
	ret->local = rtm->rtm_type == RTN_LOCAL;
	return 0;
}

int rtnl_route_get(struct nl *nl, const struct sockaddr *peer, struct rtnl_route *ret)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)peer;
	const struct sockaddr_in *in = (const struct sockaddr_in *)peer;
	struct rtnl_route route = { 0 };
	struct nlmsghdr *nlh;
	struct rtmsg *rtm;
	int r;

	if (!rtnl_address_size(peer->sa_family))
		return -EAFNOSUPPORT;
	nlh = nl_request(nl, RTM_GETROUTE, 0);
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = (unsigned char)peer->sa_family;
	if (peer->sa_family == AF_INET) {
		rtm->rtm_dst_len = 32;
		mnl_attr_put(nlh, RTA_DST, sizeof(in->sin_addr), &in->sin_addr);
	} else {
		rtm->rtm_dst_len = 128;
		mnl_attr_put(nlh, RTA_DST, sizeof(in6->sin6_addr), &in6->sin6_addr);
		if (in6->sin6_scope_id)
			mnl_attr_put_u32(nlh, RTA_OIF, in6->sin6_scope_id);
	}
	r = nl_exchange(nl, rtnl_parse_route, &route);
	if (r < 0)
		return r;
	if (route.ifindex == 0)
		return -EBADMSG;
	*ret = route;
	return 0;
}
