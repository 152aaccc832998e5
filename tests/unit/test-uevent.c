// SPDX-License-Identifier: GPL-2.0-or-later
// test-uevent.c - what the kernel tells of devices and links, from any bytes
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "kernel/rtnl-link.h"
#include "kernel/uevent.h"

#include "tap.h"

#define PARSE(text, e) uevent_parse(text, sizeof(text), e)
#define ADD "add@x\0ACTION=add\0"

static void test_uevent(void)
{
	struct uevent e = { 0 };

	is_int(PARSE("add@/devices/virtual/net/eth1\0ACTION=add\0"
		     "DEVPATH=/devices/virtual/net/eth1\0SUBSYSTEM=net\0"
		     "INTERFACE=eth1\0IFINDEX=7\0SEQNUM=1", &e), 0, "an interface");
	is_str(e.action, "add", "its action");
	is_str(e.subsystem, "net", "its subsystem");
	is_str(e.nic, "eth1", "its name");
	is_int(PARSE("add@/devices/virtual/net/eth2/queues/rx-0\0ACTION=add\0"
		     "DEVPATH=/devices/virtual/net/eth2/queues/rx-0\0SUBSYSTEM=queues",
		     &e), 0, "a queue");
	is_str(e.nic, "eth2", "is its interface's");
	is_int(PARSE("online@/devices/system/cpu/cpu1\0ACTION=online\0SUBSYSTEM=cpu", &e),
	       0, "a CPU");
	is_str(e.nic, "", "has no interface");
}

static void test_hostile(void)
{
	static const char text[] = "add@/net/eth1/queues/rx-0\0ACTION=add\0"
				   "DEVPATH=/net/eth1/queues/rx-0\0SUBSYSTEM=queues\0"
				   "INTERFACE=eth1";
	struct uevent e = { .action = "kept" };
	unsigned taken = 0;

	is_int(uevent_parse("", 0, &e), -EBADMSG, "nothing");
	is_int(PARSE("", &e), -EBADMSG, "only its end");
	is_int(uevent_parse("add@x\0ACTION=add\0SUBSYSTEM=ne", 29, &e), -EBADMSG,
	       "without its end");
	is_int(PARSE("libudev\0\xfe\xed\xca\xfe\0ACTION=add\0SUBSYSTEM=net", &e),
	       -EBADMSG, "udev's own");
	is_int(PARSE("add@x\0SUBSYSTEM=net", &e), -EBADMSG, "without action");
	is_int(PARSE("add@x\0ACTION=an-action-that-does-not-fit\0SUBSYSTEM=net", &e),
	       -EBADMSG, "an action that does not fit");
	is_str(e.action, "kept", "untouched until here");
	is_int(PARSE(ADD "SUBSYSTEM=net\0INTERFACE=a-name-of-16-byt", &e), 0,
	       "a name that does not fit");
	is_str(e.nic, "", "is none");
	is_int(PARSE(ADD "SUBSYSTEM=queues\0DEVPATH=/queues/", &e), 0,
	       "a queue of nothing");
	is_str(e.nic, "", "is of none");
	is_int(PARSE(ADD "\0\0=\0SUBSYSTEM=net\0\0", &e), 0, "empty lines");
	/* every length, in memory of just that size: for valgrind and the sanitizers */
	for (size_t n = 1; n <= sizeof(text); n++) {
		_cleanup_free_ char *copy = malloc(n);

		if (!copy)
			return;
		memcpy(copy, text, n);
		taken += uevent_parse(copy, n, &e) == 0;
	}
	is_int(taken, 2, "cut anywhere: only whole lines count");
}

struct packet {
	struct nlmsghdr nlh;
	struct ifinfomsg info;
	struct rtattr attr;
	char name[16];
};

struct seen {
	struct rtnl_link last;
	int n;
};

static void see(const struct rtnl_link *link, void *userdata)
{
	struct seen *seen = userdata;

	seen->last = *link;
	seen->n++;
}

static struct packet link_packet(unsigned flags)
{
	return (struct packet) {
		.nlh = { .nlmsg_len = sizeof(struct packet), .nlmsg_type = RTM_NEWLINK },
		.info = { .ifi_index = 7, .ifi_flags = flags },
		.attr = { .rta_len = sizeof(struct rtattr) + IF_NAMESIZE,
			  .rta_type = IFLA_IFNAME },
		.name = "eth1",
	};
}

static void test_link(void)
{
	struct packet p[2] = { link_packet(IFF_UP | IFF_RUNNING), link_packet(0) };
	struct seen seen = { 0 };

	p[1].nlh.nlmsg_type = RTM_DELLINK;
	is_int(rtnl_link_parse(p, sizeof(p[0]), see, &seen), 1, "one link");
	ok(seen.last.ifindex == 7 && streq(seen.last.name, "eth1"), "which");
	ok(seen.last.running && !seen.last.gone, "with a carrier");
	is_int(rtnl_link_parse(p, sizeof(p), see, &seen), 2, "two in a packet");
	ok(!seen.last.running && seen.last.gone, "the second is gone");

	seen.n = 0;
	for (size_t n = 0; n < sizeof(p[0]); n++)
		rtnl_link_parse(p, n, see, &seen);
	is_int(seen.n, 0, "cut anywhere: none");
	p[0].attr.rta_type = IFLA_WIRELESS;
	is_int(rtnl_link_parse(p, sizeof(p[0]), see, &seen), 0, "of a scan: none");
	p[0] = link_packet(0);
	memset(p[0].name, 'x', sizeof(p[0].name));
	is_int(rtnl_link_parse(p, sizeof(p[0]), see, &seen), -EBADMSG, "a name too long");
	p[0] = link_packet(0);
	p[0].attr.rta_len = 60000;
	is_int(rtnl_link_parse(p, sizeof(p[0]), see, &seen), -EBADMSG, "an attribute");
	p[0] = link_packet(0);
	p[0].nlh.nlmsg_len = 17;
	is_int(rtnl_link_parse(p, sizeof(p[0]), see, &seen), -EBADMSG, "a short message");
	p[0].nlh.nlmsg_len = 0;
	is_int(rtnl_link_parse(p, sizeof(p[0]), see, &seen), -EBADMSG, "of no length");
	is_int(seen.n, 0, "nothing of these was told");
}

/* A socket of this protocol may send to others without privilege: netlink(7). */
static int open_user(struct sockaddr_nl *ret)
{
	socklen_t n = sizeof(*ret);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);

	*ret = (struct sockaddr_nl) { .nl_family = AF_NETLINK };
	if (fd < 0 || bind(fd, (struct sockaddr *)ret, n) < 0 ||
	    getsockname(fd, (struct sockaddr *)ret, &n) < 0)
		exit(99);
	return fd;
}

static void see_uevent(const struct uevent *e, void *userdata)
{
	++*(int *)userdata;
}

/* What looks like the kernel's word, from a process. */
static void test_sender(void)
{
	static const char text[] = "add@/net/eth1\0ACTION=add\0SUBSYSTEM=net";
	const struct packet p = link_packet(0);
	struct sockaddr_nl to, from;
	struct seen seen = { 0 };
	int told = 0, fd = open_user(&to), sender = open_user(&from);

	is_int(sendto(sender, text, sizeof(text), 0, (struct sockaddr *)&to, sizeof(to)),
	       sizeof(text), "a process sends a uevent");
	is_int(uevent_take(fd, see_uevent, &told), 0, "which is none");
	is_int(told, 0, "and not told");
	is_int(recv(fd, &from, 1, MSG_DONTWAIT), -1, "but taken");
	is_int(sendto(sender, &p, sizeof(p), 0, (struct sockaddr *)&to, sizeof(to)),
	       sizeof(p), "a process sends a link");
	is_int(rtnl_link_take(fd, see, &seen), 0, "which is none");
	is_int(seen.n, 0, "and not told");
	close(sender);
	close(fd);
}

int main(void)
{
	test_sender();
	test_uevent();
	test_hostile();
	test_link();
	return done();
}
