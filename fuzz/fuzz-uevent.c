// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-uevent.c - any bytes as a uevent, and as a packet about links
#include "kernel/rtnl-link.h"
#include "kernel/uevent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is handed on ends within its field. */
static void check_link(const struct rtnl_link *link, void *userdata)
{
	if (link->ifindex <= 0 || !link->name[0] ||
	    !memchr(link->name, '\0', sizeof(link->name)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t padded = (size + 3) & ~(size_t)3;
	_cleanup_free_ char *exact = malloc(size ? size : 1);
	_cleanup_free_ char *packet = calloc(1, padded ? padded : 4);
	struct uevent e;

	if (!exact || !packet)
		return 0;
	memcpy(exact, data, size);
	memcpy(packet, data, size);
	if (uevent_parse(exact, size, &e) == 0 &&
	    (!e.action[0] || !e.subsystem[0] || !memchr(e.nic, '\0', sizeof(e.nic)) ||
	     !memchr(e.action, '\0', sizeof(e.action)) ||
	     !memchr(e.subsystem, '\0', sizeof(e.subsystem))))
		abort();
	rtnl_link_parse(packet, size, check_link, NULL);
	return 0;
}
