// SPDX-License-Identifier: GPL-2.0-or-later
// genl-event.c - what the kernel tells a multicast group of a generic netlink family
#include "kernel/genl-event.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <sys/socket.h>

#define PACKET_SIZE 4096
#define PACKETS_MAX 512 /* taken at once: more than a socket's default buffer holds */

/* One group of a family's list; its number if it is the one that is looked for. */
static int parse_group(const struct nlattr *group, const char *wanted, uint32_t *ret)
{
	const struct nlattr *attr;
	const char *name = "";
	uint32_t id = 0;

	mnl_attr_for_each_nested(attr, group) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME) {
			if (mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
				return -EBADMSG;
			name = mnl_attr_get_str(attr);
		}
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID) {
			if (mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
				return -EBADMSG;
			id = mnl_attr_get_u32(attr);
		}
	}
	if (streq(name, wanted))
		*ret = id;
	return 0;
}

int genl_event_parse_family(const struct nlmsghdr *nlh, void *userdata)
{
	struct genl_event_family *ret = userdata;
	const struct nlattr *attr, *group;
	struct nl_family common;
	uint32_t group_id = 0;
	int r = nl_parse_family(nlh, &common);

	if (r < 0)
		return r;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != CTRL_ATTR_MCAST_GROUPS)
			continue;
		mnl_attr_for_each_nested(group, attr) {
			r = parse_group(group, ret->group, &group_id);
			if (r < 0)
				return r;
		}
	}
	ret->id = common.id;
	ret->group_id = group_id;
	return 0;
}

/* The socket of the request becomes that of the events: nothing is asked any more. */
int genl_event_open(struct genl_event_family *family, int *ret_fd)
{
	_cleanup_(nl_close) struct nl nl = { .fd = -1 };
	struct nlmsghdr *nlh;
	int r = nl_open(NETLINK_GENERIC, &nl);

	if (r < 0)
		return r;
	nlh = nl_request_genl(&nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, family->name);
	r = nl_exchange(&nl, genl_event_parse_family, family);
	if (r < 0)
		return r;
	if (!family->group_id)
		return -ENOENT;
	if (setsockopt(nl.fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &family->group_id,
		       sizeof(family->group_id)) < 0)
		return -errno;
	*ret_fd = TAKE_FD(nl.fd);
	return 0;
}

static bool is_event(const struct nlmsghdr *nlh, uint64_t commands)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	return nlh->nlmsg_len >= MNL_NLMSG_HDRLEN + sizeof(*genl) && genl->cmd < 64 &&
	       commands & GENL_EVENT(genl->cmd);
}

bool genl_event_parse(const void *packet, size_t size, uint16_t family,
		      uint64_t commands)
{
	const char *p = packet;

	while (size >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)p;
		size_t step;

		if (nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > size)
			return false;
		if (nlh->nlmsg_type == family && is_event(nlh, commands))
			return true;
		step = MNL_ALIGN(nlh->nlmsg_len);
		step = step < size ? step : size;
		p += step;
		size -= step;
	}
	return false;
}

bool genl_event_take(int fd, uint16_t family, uint64_t commands)
{
	_Alignas(struct nlmsghdr) char packet[PACKET_SIZE];
	struct sockaddr_nl from;
	bool event = false;

	if (fd < 0)
		return false;
	for (unsigned i = 0; i < PACKETS_MAX; i++) {
		socklen_t length = sizeof(from);
		ssize_t n = recvfrom(fd, packet, sizeof(packet), MSG_DONTWAIT,
				     (struct sockaddr *)&from, &length);

		if (n < 0 && errno == ENOBUFS)
			event = true; /* some were lost */
		else if (n < 0 && errno != EINTR)
			break;
		/* another process may send to this address too */
		else if (n > 0 && length == sizeof(from) && from.nl_pid == 0 &&
			 genl_event_parse(packet, (size_t)n, family, commands))
			event = true;
	}
	return event;
}
