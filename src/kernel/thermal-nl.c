// SPDX-License-Identifier: GPL-2.0-or-later
// thermal-nl.c - the kernel's word that a trip was crossed or a cooling state changed
#include "kernel/thermal-nl.h"

#include <linux/thermal.h>

#include "kernel/genl-event.h"

#define EVENTS                                        \
	(GENL_EVENT(THERMAL_GENL_EVENT_TZ_TRIP_UP) |   \
	 GENL_EVENT(THERMAL_GENL_EVENT_TZ_TRIP_DOWN) | \
	 GENL_EVENT(THERMAL_GENL_EVENT_CDEV_STATE_UPDATE))

static const struct genl_event_family thermal = {
	.name = THERMAL_GENL_FAMILY_NAME,
	.group = THERMAL_GENL_EVENT_GROUP_NAME,
};

int thermal_nl_parse_family(const struct nlmsghdr *nlh, void *userdata)
{
	struct genl_event_family family = thermal;
	int r = genl_event_parse_family(nlh, &family);

	if (r == 0)
		*(struct thermal_nl_family *)userdata =
			(struct thermal_nl_family) { family.id, family.group_id };
	return r;
}

int thermal_nl_open(struct thermal_nl *ret)
{
	struct genl_event_family family = thermal;
	int fd, r = genl_event_open(&family, &fd);

	if (r == 0)
		*ret = (struct thermal_nl) { .fd = fd, .family = family.id };
	return r;
}

void thermal_nl_close(struct thermal_nl *t)
{
	close_fd(&t->fd);
}

bool thermal_nl_parse(const void *packet, size_t size, uint16_t family)
{
	return genl_event_parse(packet, size, family, EVENTS);
}

bool thermal_nl_take(struct thermal_nl *t)
{
	return genl_event_take(t->fd, t->family, EVENTS);
}
