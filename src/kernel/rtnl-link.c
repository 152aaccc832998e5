// SPDX-License-Identifier: GPL-2.0-or-later
// rtnl-link.c - changes of interfaces as they happen
#include "kernel/rtnl-link.h"

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#define PACKET_SIZE 16384 /* one message with many virtual functions is longer: lost */
#define PACKETS_MAX 512

int rtnl_link_open(int *ret_fd)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK,
					     .nl_groups = RTMGRP_LINK };
	_cleanup_close_ int fd = socket(AF_NETLINK,
					SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
					NETLINK_ROUTE);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* Returns 1, 0 for none that counts, -EBADMSG. */
static int parse_link(const struct nlmsghdr *nlh, struct rtnl_link *ret)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(nlh);
	struct rtnl_link link = { 0 };
	const struct nlattr *attr;

	if (nlh->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(*info))
		return -EBADMSG;
	link.ifindex = info->ifi_index;
	link.running = info->ifi_flags & IFF_RUNNING;
	link.gone = nlh->nlmsg_type == RTM_DELLINK;
	mnl_attr_for_each(attr, nlh, sizeof(*info)) {
		if (mnl_attr_get_type(attr) == IFLA_WIRELESS)
			return 0;
		if (mnl_attr_get_type(attr) != IFLA_IFNAME)
			continue;
		if (mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0 ||
		    mnl_attr_get_payload_len(attr) > sizeof(link.name))
			return -EBADMSG;
		strcpy(link.name, mnl_attr_get_str(attr));
	}
	if (link.ifindex <= 0 || !link.name[0])
		return -EBADMSG;
	*ret = link;
	return 1;
}

int rtnl_link_parse(const void *packet, size_t size, rtnl_link_fn *fn, void *userdata)
{
	const char *p = packet;
	int links = 0;

	while (size >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)p;
		struct rtnl_link link;
		size_t step;
		int r = 0;

		if (nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > size)
			return -EBADMSG;
		if (nlh->nlmsg_type == RTM_NEWLINK || nlh->nlmsg_type == RTM_DELLINK)
			r = parse_link(nlh, &link);
		if (r < 0)
			return r;
		if (r > 0)
			fn(&link, userdata);
		links += r;
		step = MNL_ALIGN(nlh->nlmsg_len);
		step = step < size ? step : size;
		p += step;
		size -= step;
	}
	return links;
}

int rtnl_link_take(int fd, rtnl_link_fn *fn, void *userdata)
{
	_Alignas(struct nlmsghdr) char packet[PACKET_SIZE];
	struct sockaddr_nl from;
	bool lost = false;
	int links = 0;

	for (unsigned i = 0; i < PACKETS_MAX; i++) {
		socklen_t length = sizeof(from);
		ssize_t n = recvfrom(fd, packet, sizeof(packet), MSG_DONTWAIT | MSG_TRUNC,
				     (struct sockaddr *)&from, &length);
		int r;

		if (n < 0 && errno != EINTR && errno != ENOBUFS)
			break;
		if ((n < 0 && errno == ENOBUFS) || n > PACKET_SIZE)
			lost = true;
		if (n <= 0 || n > PACKET_SIZE || length != sizeof(from) || from.nl_pid)
			continue;
		r = rtnl_link_parse(packet, (size_t)n, fn, userdata);
		if (r < 0)
			lost = true;
		else
			links += r;
	}
	return lost ? -ENOBUFS : links;
}
