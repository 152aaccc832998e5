// SPDX-License-Identifier: GPL-2.0-or-later
// thermal-nl.c - the kernel's word that a trip was crossed or a cooling state changed
#include "kernel/thermal-nl.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/thermal.h>
#include <sys/socket.h>

#define PACKET_SIZE 4096
#define PACKETS_MAX 512 /* taken at once: more than a socket's default buffer holds */

/* One group of a family's list; its number if it is that of the events. */
static int parse_group(const struct nlattr *group, uint32_t *ret)
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
	if (streq(name, THERMAL_GENL_EVENT_GROUP_NAME))
		*ret = id;
	return 0;
}

int thermal_nl_parse_family(const struct nlmsghdr *nlh, void *userdata)
{
	struct thermal_nl_family family = { 0 };
	struct nl_family common;
	const struct nlattr *attr, *group;
	int r = nl_parse_family(nlh, &common);

	if (r < 0)
		return r;
	family.id = common.id;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != CTRL_ATTR_MCAST_GROUPS)
			continue;
		mnl_attr_for_each_nested(group, attr) {
			r = parse_group(group, &family.event_group);
			if (r < 0)
				return r;
		}
	}
	*(struct thermal_nl_family *)userdata = family;
	return 0;
}

/* The socket of the request becomes that of the events: nothing is asked any more. */
int thermal_nl_open(struct thermal_nl *ret)
{
	struct thermal_nl_family family = { 0 };
	_cleanup_(nl_close) struct nl nl = { .fd = -1 };
	struct nlmsghdr *nlh;
	int r = nl_open(NETLINK_GENERIC, &nl);

	if (r < 0)
		return r;
	nlh = nl_request_genl(&nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, THERMAL_GENL_FAMILY_NAME);
	r = nl_exchange(&nl, thermal_nl_parse_family, &family);
	if (r < 0)
		return r;
	if (!family.event_group)
		return -ENOENT;
	if (setsockopt(nl.fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &family.event_group,
		       sizeof(family.event_group)) < 0)
		return -errno;
	*ret = (struct thermal_nl){ .fd = TAKE_FD(nl.fd), .family = family.id };
	return 0;
}

void thermal_nl_close(struct thermal_nl *t)
{
	close_fd(&t->fd);
}

static bool is_event(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(*genl))
		return false;
	return genl->cmd == THERMAL_GENL_EVENT_TZ_TRIP_UP ||
	       genl->cmd == THERMAL_GENL_EVENT_TZ_TRIP_DOWN ||
	       genl->cmd == THERMAL_GENL_EVENT_CDEV_STATE_UPDATE;
}

bool thermal_nl_parse(const void *packet, size_t size, uint16_t family)
{
	const char *p = packet;

	while (size >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)p;
		size_t step;

		if (nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > size)
			return false;
		if (nlh->nlmsg_type == family && is_event(nlh))
			return true;
		step = MNL_ALIGN(nlh->nlmsg_len);
		step = step < size ? step : size;
		p += step;
		size -= step;
	}
	return false;
}

bool thermal_nl_take(struct thermal_nl *t)
{
	_Alignas(struct nlmsghdr) char packet[PACKET_SIZE];
	struct sockaddr_nl from;
	bool event = false;

	if (t->fd < 0)
		return false;
	for (unsigned i = 0; i < PACKETS_MAX; i++) {
		socklen_t length = sizeof(from);
		ssize_t n = recvfrom(t->fd, packet, sizeof(packet), MSG_DONTWAIT,
				     (struct sockaddr *)&from, &length);

		if (n < 0 && errno == ENOBUFS)
			event = true; /* some were lost */
		else if (n < 0 && errno != EINTR)
			break;
		/* another process may send to this address too */
		else if (n > 0 && length == sizeof(from) && from.nl_pid == 0 &&
			 thermal_nl_parse(packet, (size_t)n, t->family))
			event = true;
	}
	return event;
}
