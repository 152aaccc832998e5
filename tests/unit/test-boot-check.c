// SPDX-License-Identifier: GPL-2.0-or-later
// test-boot-check.c - the mark of a boot, what was applied in it, and who still answers
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include <libmnl/libmnl.h>

#include "engine/boot-check.h"
#include "engine/boot-mark.h"
#include "fixture.h"
#include "tap.h"

#define MARK "/var/lib/boardtune/" BOOT_MARK
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static void put(struct fixture *f, const char *path, const char *text)
{
	fixture_data(f, path, text, strlen(text));
}

static void test_mark(void)
{
	struct boot_mark mark = {};
	struct fixture f;
	const struct sysroot *root = &f.sys.root;

	fixture_open(&f);
	put(&f, BOOT_ID, "first\n");
	is_int(boot_mark_get(root, &mark), -ENOENT, "no mark at first");
	is_int(boot_mark_clear(root), 0, "nothing to clear is no error");
	is_int(boot_mark_set(root, "nanopi-r2s"), 0, "set");
	is_int(boot_mark_get(root, &mark), -ENOENT, "that of this boot is none");
	put(&f, BOOT_ID, "second\n");
	is_int(boot_mark_get(root, &mark), 0, "that of another is found");
	is_str(mark.profile, "nanopi-r2s", "names the profile");
	is_str(mark.boot_id, "first", "and the boot");
	put(&f, MARK, "");
	is_int(boot_mark_get(root, &mark), 0, "an empty one is of a boot cut off, too");
	is_int(boot_mark_clear(root), 0, "cleared");
	is_int(boot_mark_get(root, &mark), -ENOENT, "and gone");
	fixture_close(&f);
}

static void test_decide(void)
{
	struct boot_nic nics[] = { { .ifindex = 2 }, { .ifindex = 3, .carrier = true } };
	struct boot_applied applied = { .nics = nics, .n = 2 };
	struct rtnl_neighbour items[] = { { 2, AF_INET, {}, NUD_FAILED },
					  { 7, AF_INET6, {}, NUD_REACHABLE } };
	struct rtnl_neighbours list = { items, 2 };
	bool carries[] = { true, false };

	is_int(boot_check_decide(&applied, &list, carries), BOOT_CHECK_LOST,
	       "one that failed, and one elsewhere: nobody answers");
	carries[1] = true;
	is_int(boot_check_decide(&applied, &list, carries), BOOT_CHECK_REACHABLE,
	       "one above a NIC of ours answers");
	carries[1] = false;
	nics[1].received = true;
	is_int(boot_check_decide(&applied, &list, carries), BOOT_CHECK_LOST,
	       "one is known and does not answer, whatever is received");
	list.n = 0;
	is_int(boot_check_decide(&applied, &list, carries), BOOT_CHECK_NOTHING,
	       "nobody is known, and the link lives: PPPoE, a port without an address");
	nics[1].received = false;
	is_int(boot_check_decide(&applied, &list, carries), BOOT_CHECK_LOST,
	       "a carrier and nobody there");
	nics[1].carrier = false;
	is_int(boot_check_decide(&applied, &list, carries), BOOT_CHECK_NOTHING,
	       "no cable was in: nothing to tell");
	applied.n = 0;
	is_int(boot_check_decide(&applied, &list, carries), BOOT_CHECK_NOTHING,
	       "no NIC was touched: nothing to tell");
}

static void test_applied(void)
{
	static const char *const broken[] = { "", "a\n", "a\nb\n", "a\n1.5\n0 1 0\n",
					      "a\n1.5\n2\n", "a\nnan\n",
					      "a\n1.5\nx 1 0\n", "a\n1.5\n2 1\n" };
	struct boot_applied applied = {};
	struct fixture f;
	const struct sysroot *root = &f.sys.root;

	fixture_open(&f);
	is_int(boot_applied_load(root, &applied), -ENOENT, "nothing was applied yet");
	put(&f, BOOT_APPLIED, "router\n17.250\n2 0 0\n3 1 -1\n");
	is_int(boot_applied_load(root, &applied), 0, "what was applied");
	is_str(applied.profile, "router", "its profile");
	is_near(applied.at, 17.25, 1e-9, "when");
	is_int(applied.n, 2, "two NICs");
	ok(applied.n == 2 && applied.nics[0].ifindex == 2 && !applied.nics[0].carrier &&
		   applied.nics[1].ifindex == 3 && applied.nics[1].carrier &&
		   applied.nics[1].frames == -1,
	   "one of them with a carrier, and not to be counted");
	boot_applied_clear(&applied);
	is_int(boot_applied_forget(root), 0, "reverted");
	is_int(boot_applied_load(root, &applied), 0, "that it was applied stays known");
	ok(streq(applied.profile, "router") && applied.n == 0, "without its NICs");
	boot_applied_clear(&applied);
	put(&f, BOOT_APPLIED, "router\n1e12\n");
	is_int(boot_applied_load(root, &applied), -ENOENT, "of a boot to come: none");
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		put(&f, BOOT_APPLIED, broken[i]);
		is_int(boot_applied_load(root, &applied), -EBADMSG, "broken, %zu", i);
	}
	fixture_close(&f);
}

/* A message as the kernel writes it, or cut short. */
static struct nlmsghdr *message(char *buf, uint16_t type, const void *header,
				size_t header_size)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);

	nlh->nlmsg_type = type;
	memcpy(mnl_nlmsg_put_extra_header(nlh, header_size), header, header_size);
	return nlh;
}

static void test_parse(void)
{
	const struct ndmsg ndm = { .ndm_family = AF_INET, .ndm_ifindex = 4,
				   .ndm_state = NUD_REACHABLE };
	const struct rtmsg rtm = { .rtm_family = AF_INET6 };
	static const uint8_t address[16] = { 0xfe, 0x80, [15] = 1 };
	_Alignas(struct nlmsghdr) char buf[256];
	struct rtnl_neighbours list = {};
	struct nlmsghdr *nlh = message(buf, RTM_NEWNEIGH, &ndm, sizeof(ndm));

	is_int(rtnl_parse_neighbour(nlh, &list), -EBADMSG, "a neighbour without address");
	mnl_attr_put(nlh, NDA_DST, 16, address);
	is_int(rtnl_parse_neighbour(nlh, &list), -EBADMSG, "16 bytes are no IPv4");
	nlh = message(buf, RTM_NEWNEIGH, &ndm, sizeof(ndm));
	mnl_attr_put(nlh, NDA_DST, 4, address);
	is_int(rtnl_parse_neighbour(nlh, &list), 0, "a neighbour");
	ok(list.n == 1 && list.items[0].ifindex == 4 &&
		   list.items[0].state == NUD_REACHABLE,
	   "its link and its state");
	nlh = message(buf, RTM_NEWROUTE, &rtm, sizeof(rtm));
	is_int(rtnl_parse_gateway(nlh, &list), 0, "a route without gateway");
	is_int(list.n, 1, "is nobody to ask");
	mnl_attr_put(nlh, RTA_GATEWAY, 16, address);
	mnl_attr_put_u32(nlh, RTA_OIF, 5);
	is_int(rtnl_parse_gateway(nlh, &list), 0, "a default route");
	ok(list.n == 2 && list.items[1].ifindex == 5 &&
		   list.items[1].family == AF_INET6 &&
		   memcmp(list.items[1].bytes, address, 16) == 0,
	   "its gateway");
	nlh->nlmsg_len = NLMSG_HDRLEN + 4;
	is_int(rtnl_parse_gateway(nlh, &list), -EBADMSG, "cut short");
	rtnl_neighbours_clear(&list);
}

int main(void)
{
	test_mark();
	test_decide();
	test_applied();
	test_parse();
	return done();
}
