// SPDX-License-Identifier: GPL-2.0-or-later
// test-ethtool-param.c - rings, channels, coalescing, pause, EEE as netlink messages
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "kernel/ethtool-nl.h"
#include "kernel/nl.h"
#include "knobs/nic.h"
#include "profile/registry.h"
#include "tap.h"

struct packet {
	_Alignas(struct nlmsghdr) char data[1024];
	struct nlmsghdr *nlh;
};

static void packet_begin(struct packet *p, uint16_t type, uint8_t command)
{
	struct genlmsghdr *genl;

	memset(p->data, 0, sizeof(p->data));
	p->nlh = mnl_nlmsg_put_header(p->data);
	p->nlh->nlmsg_type = type;
	genl = mnl_nlmsg_put_extra_header(p->nlh, sizeof(*genl));
	genl->cmd = command;
}

static const struct ethtool_param *find(const char *group, const char *name)
{
	const struct ethtool_param *p = ethtool_param_find(group, name);

	if (!p) {
		printf("Bail out! no %s %s\n", group, name);
		exit(1);
	}
	return p;
}

/* Numbers as kernel-abi 5.1 has them, by hand: the table is made of the header's. */
static void test_table(void)
{
	static const struct {
		const char *group, *name;
		unsigned short attr, max, word, max_word;
		bool flag;
	} known[] = {
		{ "ring", "rx", 6, 2, 5, 1, false },
		{ "ring", "rx-mini", 7, 3, 6, 2, false },
		{ "ring", "rx-jumbo", 8, 4, 7, 3, false },
		{ "ring", "tx", 9, 5, 8, 4, false },
		{ "channels", "rx", 6, 2, 5, 1, false },
		{ "channels", "tx", 7, 3, 6, 2, false },
		{ "channels", "other", 8, 4, 7, 3, false },
		{ "channels", "combined", 9, 5, 8, 4, false },
		{ "coalesce", "rx-usecs", 2, 0, 1, 0, false },
		{ "coalesce", "rx-frames", 3, 0, 2, 0, false },
		{ "coalesce", "tx-usecs", 6, 0, 5, 0, false },
		{ "coalesce", "tx-frames", 7, 0, 6, 0, false },
		{ "coalesce", "adaptive-rx", 11, 0, 10, 0, true },
		{ "coalesce", "adaptive-tx", 12, 0, 11, 0, true },
		{ "coalesce", "cqe-mode-tx", 24, 0, 0, 0, true },
		{ "coalesce", "cqe-mode-rx", 25, 0, 0, 0, true },
		{ "pause", "autoneg", 2, 0, 1, 0, true },
		{ "pause", "rx", 3, 0, 2, 0, true },
		{ "pause", "tx", 4, 0, 3, 0, true },
		{ "eee", "enabled", 5, 0, 5, 0, true },
		{ "eee", "tx-lpi", 6, 0, 6, 0, true },
		{ "eee", "tx-timer", 7, 0, 7, 0, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const struct ethtool_param *p = find(known[i].group, known[i].name);

		ok(p->attr == known[i].attr && p->max == known[i].max &&
			   p->word == known[i].word && p->max_word == known[i].max_word &&
			   p->flag == known[i].flag,
		   "%s %s", known[i].group, known[i].name);
		is_str(ethtool_group_name(p->group), known[i].group, "its group");
	}
	ok(!ethtool_param_find("ring", "wheel") && !ethtool_param_find("wheel", "rx"),
	   "no others");
}

/* Each row of the registry is in the table, and a flag is a flag in both. */
static void test_registry(void)
{
	size_t n, found = 0;
	const struct setting *all = registry_all(&n);

	for (size_t i = 0; i < n; i++) {
		const struct setting *s = &all[i];
		const char *dot = s->attr ? strchr(s->attr, '.') : NULL;
		const struct ethtool_param *p;
		char group[32];

		if (s->get != nic_param_get)
			continue;
		found++;
		snprintf(group, sizeof(group), "%.*s",
			 dot ? (int)(dot - s->attr) : (int)strlen(s->attr), s->attr);
		p = ethtool_param_find(group, dot ? dot + 1 : "enabled");
		ok(p && p->flag == (s->type == VALUE_FLAG), "row %s", s->attr);
	}
	ok(found >= 24, "%zu rows", found);
}

static void test_commands(void)
{
	static const uint8_t get[] = { 15, 17, 19, 21, 23 };

	for (size_t i = 0; i < ETHTOOL_GROUP_MAX_; i++) {
		is_int(ethtool_nl_param_command(i, false), get[i], "%s: get",
		       ethtool_group_name(i));
		is_int(ethtool_nl_param_command(i, true), get[i] + 1, "set");
	}
}

static const struct nlattr *attr_of(const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh,
			  sizeof(struct genlmsghdr)) if (mnl_attr_get_type(attr) ==
							 type) return attr;
	return NULL;
}

static size_t attrs_of(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	size_t n = 0;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) n++;
	return n;
}

static const struct nlattr *header_attr(const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *attr, *header = attr_of(nlh, 1);

	if (header)
		mnl_attr_for_each_nested(attr, header) if (mnl_attr_get_type(attr) ==
							   type) return attr;
	return NULL;
}

static void test_requests(void)
{
	const struct nlattr *attr;
	struct packet p;

	packet_begin(&p, 0x20, ETHTOOL_MSG_RINGS_GET);
	is_int(ethtool_nl_put_param_get(p.nlh, "eth0"), 0, "a request");
	attr = header_attr(p.nlh, ETHTOOL_A_HEADER_DEV_NAME);
	ok(attr && streq(mnl_attr_get_str(attr), "eth0"), "device");
	attr = attr_of(p.nlh, 1);
	ok(attr && attr->nla_type & NLA_F_NESTED,
	   "a nest without NLA_F_NESTED is EINVAL");
	attr = header_attr(p.nlh, ETHTOOL_A_HEADER_FLAGS);
	ok(attr && !(mnl_attr_get_u32(attr) & ETHTOOL_FLAG_STATS),
	   "no FLAG_STATS, EINVAL where there are none");
	is_int(ethtool_nl_put_param_get(p.nlh, ""), -ENODEV, "no name");
	is_int(ethtool_nl_put_param_get(p.nlh, "an-interface-of-17"), -ENODEV,
	       "a long one");
	packet_begin(&p, 0x20, ETHTOOL_MSG_COALESCE_SET);
	is_int(ethtool_nl_put_param_set(p.nlh, "eth0", find("coalesce", "rx-usecs"),
					UINT32_MAX),
	       0, "a number");
	is_int(attrs_of(p.nlh), 2, "one in a message: an unsupported one spoils all");
	attr = attr_of(p.nlh, ETHTOOL_A_COALESCE_RX_USECS);
	ok(attr && mnl_attr_get_payload_len(attr) == 4 &&
		   mnl_attr_get_u32(attr) == UINT32_MAX,
	   "of 32 bits");
	packet_begin(&p, 0x20, ETHTOOL_MSG_PAUSE_SET);
	is_int(ethtool_nl_put_param_set(p.nlh, "eth0", find("pause", "rx"), 1), 0,
	       "a flag");
	attr = attr_of(p.nlh, ETHTOOL_A_PAUSE_RX);
	ok(attr && mnl_attr_get_payload_len(attr) == 1 && mnl_attr_get_u8(attr) == 1,
	   "of one byte");
	is_int(ethtool_nl_put_param_set(p.nlh, "eth0", find("pause", "rx"), 2), -EINVAL,
	       "neither on nor off");
	is_int(ethtool_nl_put_param_set(p.nlh, "", find("pause", "rx"), 1), -ENODEV,
	       "no name to set");
}

/* Rings of a NIC whose driver has no mini ring, as rings_fill_reply() leaves it out. */
static void packet_rings(struct packet *p)
{
	struct nlattr *header;

	packet_begin(p, 0x20, ETHTOOL_MSG_RINGS_GET_REPLY);
	header = mnl_attr_nest_start(p->nlh, ETHTOOL_A_RINGS_HEADER);
	mnl_attr_put_strz(p->nlh, ETHTOOL_A_HEADER_DEV_NAME, "eth0");
	mnl_attr_nest_end(p->nlh, header);
	mnl_attr_put_u32(p->nlh, ETHTOOL_A_RINGS_RX_MAX, 1023);
	mnl_attr_put_u32(p->nlh, ETHTOOL_A_RINGS_RX, 200);
	mnl_attr_put_u32(p->nlh, ETHTOOL_A_RINGS_TX_MAX, 511);
	mnl_attr_put_u32(p->nlh, ETHTOOL_A_RINGS_TX, 511);
	mnl_attr_put_u8(p->nlh, ETHTOOL_A_RINGS_TX_PUSH, 0);
}

static void test_replies(void)
{
	struct ethtool_number n = { 7, 7 };
	struct packet p;

	packet_rings(&p);
	is_int(ethtool_nl_parse_param(p.nlh, find("ring", "rx"), &n), 0, "rx");
	ok(n.value == 200 && n.max == 1023, "and its maximum");
	is_int(ethtool_nl_parse_param(p.nlh, find("ring", "tx"), &n), 0, "tx");
	ok(n.value == 511 && n.max == 511, "not that of rx");
	is_int(ethtool_nl_parse_param(p.nlh, find("ring", "rx-mini"), &n), -EOPNOTSUPP,
	       "absent: unsupported");
	is_int(n.value, 511, "and untouched");
	is_int(ethtool_nl_parse_param(p.nlh, find("channels", "rx"), &n), -EBADMSG,
	       "not the reply of another group");
	packet_begin(&p, 0x20, ETHTOOL_MSG_RINGS_GET);
	is_int(ethtool_nl_parse_param(p.nlh, find("ring", "rx"), &n), -EBADMSG,
	       "nor the number of the request");
	packet_begin(&p, 0x20, ETHTOOL_MSG_RINGS_GET_REPLY);
	mnl_attr_put_u8(p.nlh, ETHTOOL_A_RINGS_RX, 1);
	is_int(ethtool_nl_parse_param(p.nlh, find("ring", "rx"), &n), -EBADMSG,
	       "a number of one byte");
	packet_begin(&p, 0x20, ETHTOOL_MSG_RINGS_GET_REPLY);
	mnl_attr_put_u32(p.nlh, ETHTOOL_A_RINGS_RX, 1);
	mnl_attr_put_u8(p.nlh, ETHTOOL_A_RINGS_RX_MAX, 1);
	is_int(ethtool_nl_parse_param(p.nlh, find("ring", "rx"), &n), -EBADMSG,
	       "a maximum of one byte");
	packet_begin(&p, 0x20, ETHTOOL_MSG_PAUSE_GET_REPLY);
	mnl_attr_put_u8(p.nlh, ETHTOOL_A_PAUSE_RX, 255);
	mnl_attr_put_u32(p.nlh, ETHTOOL_A_PAUSE_TX, 1);
	is_int(ethtool_nl_parse_param(p.nlh, find("pause", "rx"), &n), 0, "a flag");
	ok(n.value == 1 && n.max == 0, "is 0 or 1, without a maximum");
	is_int(ethtool_nl_parse_param(p.nlh, find("pause", "tx"), &n), -EBADMSG,
	       "a flag of four bytes");
	p.nlh->nlmsg_len = sizeof(struct nlmsghdr);
	is_int(ethtool_nl_parse_param(p.nlh, find("pause", "rx"), &n), -EBADMSG,
	       "hardly a message");
}

/* Read in a block of just its size: no shorter message gives more than the whole. */
static void test_truncated(void)
{
	const struct ethtool_param *tx = find("ring", "tx");
	struct ethtool_number n;
	struct packet whole;
	unsigned found = 0;

	packet_rings(&whole);
	for (uint32_t size = sizeof(*whole.nlh); size < whole.nlh->nlmsg_len; size += 4) {
		char *exact = malloc(size);

		memcpy(exact, whole.data, size);
		((struct nlmsghdr *)exact)->nlmsg_len = size;
		found += ethtool_nl_parse_param((struct nlmsghdr *)exact, tx, &n) == 0;
		free(exact);
	}
	/* only where nothing but the attribute behind it, TX_PUSH, is cut */
	is_int(found, 2, "truncated");
}

static void test_errors(void)
{
	is_int(ethtool_nl_set_error(-EINVAL, "cannot modify an unsupported parameter"),
	       -EOPNOTSUPP, "coalescing that the driver does not have");
	is_int(ethtool_nl_set_error(-EINVAL, "requested ring size exceeds maximum"),
	       -EINVAL, "another reason");
	is_int(ethtool_nl_set_error(-EINVAL, ""), -EINVAL, "no reason");
	is_int(ethtool_nl_set_error(0, ""), 0, "no error");
}

static void put_command(struct packet *p, uint16_t index, uint32_t id)
{
	struct nlattr *op = mnl_attr_nest_start(p->nlh, index);

	mnl_attr_put_u32(p->nlh, CTRL_ATTR_OP_ID, id);
	mnl_attr_put_u32(p->nlh, CTRL_ATTR_OP_FLAGS, 0xe);
	mnl_attr_nest_end(p->nlh, op);
}

static void packet_family(struct packet *p, uint16_t id)
{
	struct nlattr *ops;

	packet_begin(p, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	mnl_attr_put_u16(p->nlh, CTRL_ATTR_FAMILY_ID, id);
	ops = mnl_attr_nest_start(p->nlh, CTRL_ATTR_OPS);
	put_command(p, 1, ETHTOOL_MSG_STRSET_GET);
	put_command(p, 2, 200);
	put_command(p, 3, 256 + ETHTOOL_MSG_RINGS_GET);
	mnl_attr_nest_end(p->nlh, ops);
}

static void test_family(void)
{
	struct nl_family f = { .id = 1 };
	struct packet p;

	packet_family(&p, 0x15);
	is_int(nl_parse_family(p.nlh, &f), 0, "a family");
	is_int(f.id, 0x15, "its number");
	ok(nl_family_has(&f, ETHTOOL_MSG_STRSET_GET) && nl_family_has(&f, 200),
	   "its commands");
	ok(!nl_family_has(&f, ETHTOOL_MSG_RINGS_GET), "and no other");
	packet_family(&p, 3);
	is_int(nl_parse_family(p.nlh, &f), -EBADMSG, "a number that is none");
	packet_begin(&p, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	is_int(nl_parse_family(p.nlh, &f), -EBADMSG, "no number");
	mnl_attr_put_u32(p.nlh, CTRL_ATTR_FAMILY_ID, 0x15);
	is_int(nl_parse_family(p.nlh, &f), -EBADMSG, "a number of four bytes");
	packet_family(&p, 0x15);
	p.nlh->nlmsg_type = 0x15;
	is_int(nl_parse_family(p.nlh, &f), -EBADMSG, "another family's message");
	packet_begin(&p, GENL_ID_CTRL, CTRL_CMD_DELFAMILY);
	mnl_attr_put_u16(p.nlh, CTRL_ATTR_FAMILY_ID, 0x15);
	is_int(nl_parse_family(p.nlh, &f), -EBADMSG, "another message");
	ok(f.id == 0x15 && nl_family_has(&f, 200), "untouched on failure");
	packet_begin(&p, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	mnl_attr_put_u16(p.nlh, CTRL_ATTR_FAMILY_ID, 0x16);
	is_int(nl_parse_family(p.nlh, &f), 0, "a family without commands");
	ok(f.id == 0x16 && !nl_family_has(&f, ETHTOOL_MSG_STRSET_GET), "has none");
}

int main(void)
{
	test_table();
	test_registry();
	test_commands();
	test_requests();
	test_replies();
	test_truncated();
	test_errors();
	test_family();
	return done();
}
