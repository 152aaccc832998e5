// SPDX-License-Identifier: GPL-2.0-or-later
// test-sample-events.c - thermal events as the kernel sends them, and broken ones
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/thermal.h>
#include <sys/socket.h>

#include "kernel/genl-event.h"
#include "kernel/thermal-nl.h"
#include "tap.h"

#define FAMILY 0x1b

struct packet {
	_Alignas(struct nlmsghdr) char data[4096];
	size_t size;
};

static struct nlmsghdr *add_message(struct packet *p, uint16_t type, uint8_t command)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(p->data + p->size);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = type;
	genl->cmd = command;
	genl->version = THERMAL_GENL_VERSION;
	return nlh;
}

/* A message of the family with the attributes of a trip. */
static void add_event(struct packet *p, uint16_t type, uint8_t command)
{
	struct nlmsghdr *nlh = add_message(p, type, command);

	mnl_attr_put_u32(nlh, THERMAL_GENL_ATTR_TZ_ID, 0);
	mnl_attr_put_u32(nlh, THERMAL_GENL_ATTR_TZ_TRIP_ID, 1);
	p->size += nlh->nlmsg_len;
}

static const struct {
	uint8_t command;
	bool event;
} events[] = {
	{ THERMAL_GENL_EVENT_TZ_CREATE, false },
	{ THERMAL_GENL_EVENT_TZ_DISABLE, false },
	{ THERMAL_GENL_EVENT_TZ_TRIP_UP, true },
	{ THERMAL_GENL_EVENT_TZ_TRIP_DOWN, true },
	{ THERMAL_GENL_EVENT_TZ_TRIP_CHANGE, false },
	{ THERMAL_GENL_EVENT_CDEV_ADD, false },
	{ THERMAL_GENL_EVENT_CDEV_STATE_UPDATE, true },
	{ THERMAL_GENL_EVENT_TZ_GOV_CHANGE, false },
	{ 255, false },
};

static void test_parse(void)
{
	struct packet p = { .size = 0 };

	ok(!thermal_nl_parse(p.data, 0, FAMILY), "an empty packet");
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		p.size = 0;
		add_event(&p, FAMILY, events[i].command);
		is_int(thermal_nl_parse(p.data, p.size, FAMILY), events[i].event,
		       "event %u", events[i].command);
	}
	p.size = 0;
	add_event(&p, FAMILY + 1, THERMAL_GENL_EVENT_TZ_TRIP_UP);
	ok(!thermal_nl_parse(p.data, p.size, FAMILY), "another family");
	add_event(&p, FAMILY, THERMAL_GENL_EVENT_TZ_TRIP_UP);
	ok(thermal_nl_parse(p.data, p.size, FAMILY), "the second message of a packet");
}

/* Cut at each byte, in memory of just that size: nothing is read beyond. */
static void test_cut(void)
{
	struct packet p = { .size = 0 };
	unsigned wrong = 0;

	add_event(&p, FAMILY, THERMAL_GENL_EVENT_TZ_TRIP_UP);
	for (size_t n = 0; n <= p.size; n++) {
		char *copy = malloc(n ? n : 1);

		memcpy(copy, p.data, n);
		wrong += thermal_nl_parse(copy, n, FAMILY) != (n == p.size);
		free(copy);
	}
	is_int(wrong, 0, "a packet that is cut tells of nothing");
	for (uint32_t length = 0; length < 20; length++) {
		((struct nlmsghdr *)p.data)->nlmsg_len = length;
		wrong += thermal_nl_parse(p.data, p.size, FAMILY);
	}
	is_int(wrong, 0, "nor does one without a command");
	((struct nlmsghdr *)p.data)->nlmsg_len = UINT32_MAX;
	ok(!thermal_nl_parse(p.data, p.size, FAMILY), "nor one longer than the packet");
}

static void put_group(struct nlmsghdr *nlh, const char *name, uint32_t id)
{
	struct nlattr *group = mnl_attr_nest_start(nlh, 1);

	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, id);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, name);
	mnl_attr_nest_end(nlh, group);
}

/* As Linux 6.1 answers for this family. */
static struct nlmsghdr *family_reply(struct packet *p, const char *name)
{
	struct nlmsghdr *nlh;
	struct nlattr *groups;

	*p = (struct packet){ .size = 0 };
	nlh = add_message(p, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, THERMAL_GENL_FAMILY_NAME);
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	put_group(nlh, THERMAL_GENL_SAMPLING_GROUP_NAME, 5);
	put_group(nlh, name, 6);
	mnl_attr_nest_end(nlh, groups);
	return nlh;
}

static void test_family(void)
{
	struct thermal_nl_family family = { 0 };
	struct nlmsghdr *nlh;
	struct nlattr *groups, *group;
	struct packet p;

	nlh = family_reply(&p, THERMAL_GENL_EVENT_GROUP_NAME);
	is_int(thermal_nl_parse_family(nlh, &family), 0, "a reply with two groups");
	is_int(family.id, FAMILY, "the family");
	is_int(family.event_group, 6, "the group of the events");
	nlh = family_reply(&p, "other");
	is_int(thermal_nl_parse_family(nlh, &family), 0, "one without that group");
	is_int(family.event_group, 0, "has none");

	family.event_group = 77;
	nlh = family_reply(&p, THERMAL_GENL_EVENT_GROUP_NAME);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	group = mnl_attr_nest_start(nlh, 1);
	mnl_attr_put_u16(nlh, CTRL_ATTR_MCAST_GRP_ID, 6);
	mnl_attr_nest_end(nlh, group);
	mnl_attr_nest_end(nlh, groups);
	is_int(thermal_nl_parse_family(nlh, &family), -EBADMSG, "a number too short");
	nlh->nlmsg_type = FAMILY;
	is_int(thermal_nl_parse_family(nlh, &family), -EBADMSG, "another message");
	is_int(family.event_group, 77, "both leave the answer as it was");
}

/* Of another family: only what is asked for counts, and no command is out of range. */
static void test_commands(void)
{
	for (int command = 0; command < 256; command++) {
		struct packet p = { .size = 0 };

		add_event(&p, FAMILY, (uint8_t)command);
		if (genl_event_parse(p.data, p.size, FAMILY, GENL_EVENT(20)) !=
		    (command == 20))
			ok(false, "command %d", command);
	}
	ok(true, "of 256 commands one is asked for");
}

/* A socket that is no kernel's: what comes from it is no event. */
static void test_sender(void)
{
	struct thermal_nl t = THERMAL_NL_INIT;
	struct packet p = { .size = 0 };
	int pair[2];

	ok(!thermal_nl_take(&t), "no socket, no event");
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0)
		exit(99);
	t = (struct thermal_nl){ .fd = pair[0], .family = FAMILY };
	add_event(&p, FAMILY, THERMAL_GENL_EVENT_TZ_TRIP_UP);
	is_int(send(pair[1], p.data, p.size, 0), (int)p.size, "another process sends");
	ok(!thermal_nl_take(&t), "what looks like an event");
	is_int(recv(pair[0], p.data, sizeof(p.data), MSG_DONTWAIT), -1,
	       "it is taken all the same");
	thermal_nl_close(&t);
	is_int(t.fd, -1, "closed");
	close(pair[1]);
}

/* This machine: events, or an errno that says why there are none. */
static void test_open(void)
{
	struct thermal_nl t = THERMAL_NL_INIT;
	int r = thermal_nl_open(&t);

	ok(r == 0 ? t.fd >= 0 && t.family >= NLMSG_MIN_TYPE : r < 0 && t.fd == -1,
	   "this machine: %s", r ? errno_name(r) : "events");
	thermal_nl_close(&t);
}

int main(void)
{
	test_parse();
	test_cut();
	test_family();
	test_commands();
	test_sender();
	test_open();
	return done();
}
