// SPDX-License-Identifier: GPL-2.0-or-later
// uevent.c - the kernel's word that a device came, went or changed
#include "kernel/uevent.h"

#include <linux/netlink.h>
#include <sys/socket.h>

#define GROUP_KERNEL 1
#define PACKET_SIZE 4096 /* UEVENT_BUFFER_SIZE is 2048, and the header (6.18) */
#define PACKETS_MAX 512

int uevent_open(int *ret_fd)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK,
					     .nl_groups = GROUP_KERNEL };
	_cleanup_close_ int fd = socket(AF_NETLINK,
					SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
					NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* A value that does not fit is none of those that are looked at. */
static void take_value(char *to, size_t size, const char *value, size_t n)
{
	if (n >= size)
		n = 0;
	memcpy(to, value, n);
	to[n] = '\0';
}

/* ".../net/eth0/queues/rx-0" is about eth0. */
static void take_queue_nic(const char *devpath, struct uevent *e)
{
	const char *end = strstr(devpath, "/queues/"), *name = end;

	while (name && name > devpath && name[-1] != '/')
		name--;
	if (name)
		take_value(e->nic, sizeof(e->nic), name, (size_t)(end - name));
}

static void take_key(const char *line, struct uevent *e)
{
	const char *v;

	if ((v = str_after(line, "ACTION=")))
		take_value(e->action, sizeof(e->action), v, strlen(v));
	else if ((v = str_after(line, "SUBSYSTEM=")))
		take_value(e->subsystem, sizeof(e->subsystem), v, strlen(v));
	else if ((v = str_after(line, "INTERFACE=")))
		take_value(e->nic, sizeof(e->nic), v, strlen(v));
	else if ((v = str_after(line, "DEVPATH=")))
		take_queue_nic(v, e);
}

int uevent_parse(const char *packet, size_t size, struct uevent *ret)
{
	const char *line = packet, *end = packet + size;
	struct uevent e = { 0 };

	/* udev's own begin with "libudev" and have no "@" */
	if (!size || end[-1] || !strchr(packet, '@'))
		return -EBADMSG;
	for (line += strlen(line) + 1; line < end; line += strlen(line) + 1)
		take_key(line, &e);
	if (!e.action[0] || !e.subsystem[0])
		return -EBADMSG;
	if (!streq(e.subsystem, "net") && !streq(e.subsystem, "queues"))
		e.nic[0] = '\0';
	*ret = e;
	return 0;
}

int uevent_take(int fd, uevent_fn *fn, void *userdata)
{
	char packet[PACKET_SIZE];
	struct sockaddr_nl from;
	bool lost = false;
	int events = 0;

	for (unsigned i = 0; i < PACKETS_MAX; i++) {
		socklen_t length = sizeof(from);
		ssize_t n = recvfrom(fd, packet, sizeof(packet), MSG_DONTWAIT | MSG_TRUNC,
				     (struct sockaddr *)&from, &length);
		struct uevent e;

		if (n < 0 && errno == ENOBUFS)
			lost = true;
		else if (n < 0 && errno != EINTR)
			break;
		/* another process may send to this address too */
		if (n <= 0 || n > PACKET_SIZE || length != sizeof(from) || from.nl_pid ||
		    uevent_parse(packet, (size_t)n, &e) < 0)
			continue;
		events++;
		fn(&e, userdata);
	}
	return lost ? -ENOBUFS : events;
}
