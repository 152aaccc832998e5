// SPDX-License-Identifier: GPL-2.0-or-later
// netdevice.c - interfaces by their index: netdevice(7)
#include "kernel/netdevice.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

int netdevice_name(int *fd, int ifindex, char ret[static IF_NAMESIZE])
{
	struct ifreq request = { .ifr_ifindex = ifindex };

	if (*fd < 0)
		*fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || ioctl(*fd, SIOCGIFNAME, &request) < 0)
		return -errno;
	memcpy(ret, request.ifr_name, IF_NAMESIZE);
	ret[IF_NAMESIZE - 1] = '\0';
	return 0;
}
