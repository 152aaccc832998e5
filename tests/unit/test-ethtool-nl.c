// SPDX-License-Identifier: GPL-2.0-or-later
// test-ethtool-nl.c - netlink packets: acks, names, bitsets, and what is broken in them
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>

#include "kernel/ethtool-nl.h"
#include "kernel/nl.h"
#include "kernel/rtnl.h"
#include "tap.h"

#define SEQ 7
#define PORT 4711
#define FAMILY 0x20

struct packet {
	_Alignas(struct nlmsghdr) char data[4096];
	struct nlmsghdr *nlh;
};

static void packet_begin(struct packet *p, uint16_t type, uint16_t flags)
{
	memset(p->data, 0, sizeof(p->data));
	p->nlh = mnl_nlmsg_put_header(p->data);
	p->nlh->nlmsg_type = type;
	p->nlh->nlmsg_flags = flags;
	p->nlh->nlmsg_seq = SEQ;
	p->nlh->nlmsg_pid = PORT;
}

static void packet_genl(struct packet *p, uint8_t command)
{
	struct genlmsghdr *genl;

	packet_begin(p, FAMILY, 0);
	genl = mnl_nlmsg_put_extra_header(p->nlh, sizeof(*genl));
	genl->cmd = command;
	genl->version = ETHTOOL_GENL_VERSION;
}

static void put_string(struct packet *p, uint32_t index, const char *text)
{
	struct nlattr *string = mnl_attr_nest_start(p->nlh, ETHTOOL_A_STRINGS_STRING);

	mnl_attr_put_u32(p->nlh, ETHTOOL_A_STRING_INDEX, index);
	mnl_attr_put_strz(p->nlh, ETHTOOL_A_STRING_VALUE, text);
	mnl_attr_nest_end(p->nlh, string);
}

static void put_set(struct packet *p, uint32_t id, const char *const *names,
		    const uint32_t *indexes, size_t n)
{
	struct nlattr *set, *strings;

	set = mnl_attr_nest_start(p->nlh, ETHTOOL_A_STRINGSETS_STRINGSET);
	mnl_attr_put_u32(p->nlh, ETHTOOL_A_STRINGSET_ID, id);
	mnl_attr_put_u32(p->nlh, ETHTOOL_A_STRINGSET_COUNT, (uint32_t)n);
	strings = mnl_attr_nest_start(p->nlh, ETHTOOL_A_STRINGSET_STRINGS);
	for (size_t i = 0; i < n; i++)
		put_string(p, indexes[i], names[i]);
	mnl_attr_nest_end(p->nlh, strings);
	mnl_attr_nest_end(p->nlh, set);
}

/* A reply to STRSET_GET with another set before that of the features. */
static void packet_names(struct packet *p, const char *const *names,
			 const uint32_t *indexes, size_t n)
{
	static const char *const other[] = { "self-test" };
	static const uint32_t zero[] = { 0 };
	struct nlattr *sets;

	packet_genl(p, ETHTOOL_MSG_STRSET_GET_REPLY);
	sets = mnl_attr_nest_start(p->nlh, ETHTOOL_A_STRSET_STRINGSETS);
	put_set(p, ETH_SS_TEST, other, zero, 1);
	put_set(p, ETH_SS_FEATURES, names, indexes, n);
	mnl_attr_nest_end(p->nlh, sets);
}

static void put_bitset(struct packet *p, uint16_t type, uint32_t size,
		       const uint32_t *words, size_t n)
{
	struct nlattr *nest = mnl_attr_nest_start(p->nlh, type);

	mnl_attr_put(p->nlh, ETHTOOL_A_BITSET_NOMASK, 0, NULL);
	mnl_attr_put_u32(p->nlh, ETHTOOL_A_BITSET_SIZE, size);
	mnl_attr_put(p->nlh, ETHTOOL_A_BITSET_VALUE, n * 4, words);
	mnl_attr_nest_end(p->nlh, nest);
}

static const char *const names_text[] = { "tx-scatter-gather", "rx-gro", "highdma" };
static const uint32_t names_index[] = { 0, 33, 40 };

static void packet_features(struct packet *p, uint32_t size)
{
	/* bit 0; bits 0 and 33; bit 33 and the unknown 41; bit 40 */
	static const uint32_t hw[] = { 1, 2 }, wanted[] = { 1, 0 };
	static const uint32_t active[] = { 0, 0x202 }, nochange[] = { 0, 0x100 };

	packet_genl(p, ETHTOOL_MSG_FEATURES_GET_REPLY);
	put_bitset(p, ETHTOOL_A_FEATURES_HW, size, hw, 2);
	put_bitset(p, ETHTOOL_A_FEATURES_WANTED, size, wanted, 2);
	put_bitset(p, ETHTOOL_A_FEATURES_ACTIVE, size, active, 2);
	put_bitset(p, ETHTOOL_A_FEATURES_NOCHANGE, size, nochange, 2);
}

static void test_names(void)
{
	static const uint32_t beyond[] = { 0, 33, ETHTOOL_FEATURES_MAX };
	static const char *const endless[] = { "a-name-of-no-less-than-32-letters!" };
	struct ethtool_names names = { .n = 99 };
	struct packet p;

	packet_names(&p, names_text, names_index, 3);
	is_int(ethtool_nl_parse_names(p.nlh, &names), 0, "names");
	is_int(names.n, 41, "up to the last bit");
	is_str(names.name[0], "tx-scatter-gather", "by bit: 0");
	is_str(names.name[33], "rx-gro", "by bit: 33");
	is_str(names.name[1], "", "a bit without a name");
	names.n = 99;
	packet_names(&p, names_text, beyond, 3);
	is_int(ethtool_nl_parse_names(p.nlh, &names), -EOVERFLOW, "too many bits");
	packet_names(&p, endless, names_index, 1);
	is_int(ethtool_nl_parse_names(p.nlh, &names), -EBADMSG,
	       "a name that is too long");
	packet_names(&p, names_text, names_index, 0);
	is_int(ethtool_nl_parse_names(p.nlh, &names), -EBADMSG, "no names at all");
	packet_features(&p, 41);
	is_int(ethtool_nl_parse_names(p.nlh, &names), -EBADMSG, "another message");
	is_int(names.n, 99, "untouched on failure");
}

static void test_features(void)
{
	struct ethtool_features features = { 0 };
	struct ethtool_names names = { 0 };
	const struct ethtool_feature *f;
	struct packet p;

	packet_names(&p, names_text, names_index, 3);
	is_int(ethtool_nl_parse_names(p.nlh, &names), 0, "names");
	packet_features(&p, 41);
	is_int(ethtool_nl_parse_features(p.nlh, &names, &features), 0, "features");
	is_int(features.n, 3, "those with a name");
	f = ethtool_feature_find(&features, "tx-scatter-gather");
	ok(f && f->hw && f->wanted && !f->active && !f->nochange, "bit 0");
	ok(f && !ethtool_feature_fixed(f), "changeable");
	f = ethtool_feature_find(&features, "rx-gro");
	ok(f && f->hw && !f->wanted && f->active && !f->nochange, "bit 33: second word");
	f = ethtool_feature_find(&features, "highdma");
	ok(f && !f->hw && !f->active && f->nochange && ethtool_feature_fixed(f),
	   "bit 40");
	ok(!ethtool_feature_find(&features, ""), "no name is no feature");
	packet_features(&p, 33);
	is_int(ethtool_nl_parse_features(p.nlh, &names, &features), 0, "fewer bits");
	ok(!ethtool_feature_find(&features, "rx-gro")->active, "beyond the size: clear");
	packet_features(&p, 65);
	is_int(ethtool_nl_parse_features(p.nlh, &names, &features), -EBADMSG,
	       "more bits than words");
	packet_features(&p, UINT32_MAX);
	is_int(ethtool_nl_parse_features(p.nlh, &names, &features), -EBADMSG,
	       "a size that overflows");
	packet_genl(&p, ETHTOOL_MSG_FEATURES_GET_REPLY);
	is_int(ethtool_nl_parse_features(p.nlh, &names, &features), -EBADMSG,
	       "no bitset");
	packet_genl(&p, ETHTOOL_MSG_FEATURES_SET_REPLY);
	is_int(ethtool_nl_parse_features(p.nlh, &names, &features), -EBADMSG,
	       "another message");
}

/* No shorter message is taken for the whole, nor read beyond its end. */
static void test_truncated(void)
{
	struct ethtool_features features;
	struct ethtool_names names;
	unsigned names_ok = 0, features_ok = 0;
	struct packet p, whole;

	packet_names(&whole, names_text, names_index, 3);
	for (uint32_t n = sizeof(*p.nlh); n < whole.nlh->nlmsg_len; n += 4) {
		char *exact = malloc(n);

		memcpy(exact, whole.data, n);
		((struct nlmsghdr *)exact)->nlmsg_len = n;
		names_ok += ethtool_nl_parse_names((struct nlmsghdr *)exact, &names) == 0;
		free(exact);
	}
	packet_names(&p, names_text, names_index, 3);
	is_int(ethtool_nl_parse_names(p.nlh, &names), 0, "the whole one");
	packet_features(&whole, 41);
	for (uint32_t n = sizeof(*p.nlh); n < whole.nlh->nlmsg_len; n += 4) {
		char *exact = malloc(n);

		memcpy(exact, whole.data, n);
		((struct nlmsghdr *)exact)->nlmsg_len = n;
		features_ok += ethtool_nl_parse_features((struct nlmsghdr *)exact, &names,
							 &features) == 0;
		free(exact);
	}
	is_int(names_ok, 0, "truncated names: none accepted");
	is_int(features_ok, 0, "truncated features: none accepted");
}

static const struct nlattr *find(const struct nlattr *nest, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest)
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}

static const struct nlattr *find_top(const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}

static void test_requests(void)
{
	const char *longname = "an-interface-of-17";
	const struct nlattr *header, *wanted, *bit;
	struct packet p;

	packet_genl(&p, ETHTOOL_MSG_FEATURES_SET);
	is_int(ethtool_nl_put_feature_set(p.nlh, "eth0", "rx-gro", false), 0, "off");
	header = find_top(p.nlh, ETHTOOL_A_FEATURES_HEADER);
	is_str(mnl_attr_get_str(find(header, ETHTOOL_A_HEADER_DEV_NAME)), "eth0",
	       "device");
	wanted = find_top(p.nlh, ETHTOOL_A_FEATURES_WANTED);
	ok(!find(wanted, ETHTOOL_A_BITSET_NOMASK), "other features are left alone");
	bit = find(find(wanted, ETHTOOL_A_BITSET_BITS), ETHTOOL_A_BITSET_BITS_BIT);
	is_str(mnl_attr_get_str(find(bit, ETHTOOL_A_BITSET_BIT_NAME)), "rx-gro",
	       "by name");
	ok(!find(bit, ETHTOOL_A_BITSET_BIT_VALUE), "no flag: off");
	packet_genl(&p, ETHTOOL_MSG_FEATURES_SET);
	is_int(ethtool_nl_put_feature_set(p.nlh, "eth0", "rx-gro", true), 0, "on");
	wanted = find_top(p.nlh, ETHTOOL_A_FEATURES_WANTED);
	bit = find(find(wanted, ETHTOOL_A_BITSET_BITS), ETHTOOL_A_BITSET_BITS_BIT);
	ok(find(bit, ETHTOOL_A_BITSET_BIT_VALUE), "flag: on");
	is_int(ethtool_nl_put_feature_set(p.nlh, longname, "rx-gro", true), -ENODEV,
	       "no interface has such a name");
	is_int(ethtool_nl_put_features_get(p.nlh, ""), -ENODEV, "nor an empty one");
	is_int(ethtool_nl_put_feature_set(p.nlh, "eth0",
					  "a-feature-whose-name-is-far-too-long", true),
	       -EOPNOTSUPP, "nor a feature such a one");
}

static void packet_error(struct packet *p, int error, uint16_t flags, const char *message)
{
	struct nlmsgerr *err;

	packet_begin(p, NLMSG_ERROR, flags);
	err = mnl_nlmsg_put_extra_header(p->nlh, sizeof(*err));
	err->error = error;
	err->msg.nlmsg_len = sizeof(err->msg) + 20;
	if (!(flags & NLM_F_CAPPED))
		mnl_nlmsg_put_extra_header(p->nlh, 20);
	if (message)
		mnl_attr_put_strz(p->nlh, NLMSGERR_ATTR_MSG, message);
}

static int count_reply(const struct nlmsghdr *nlh, void *userdata)
{
	unsigned *n = userdata;

	return ++*n < 3 ? 0 : -E2BIG;
}

static int parse(const struct packet *p, size_t size, unsigned *n, char *message)
{
	*n = 0;
	strcpy(message, "");
	return nl_parse(p->data, size, SEQ, PORT, count_reply, n, message);
}

static void test_acks(void)
{
	char message[NL_MESSAGE_MAX];
	struct packet p;
	unsigned n;

	packet_error(&p, 0, NLM_F_CAPPED, NULL);
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), 0, "ack");
	packet_error(&p, -EOPNOTSUPP, NLM_F_CAPPED | NLM_F_ACK_TLVS,
		     "bit name not found");
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), -EOPNOTSUPP,
	       "the kernel's errno");
	is_str(message, "bit name not found", "and its words");
	packet_error(&p, -EINVAL, NLM_F_ACK_TLVS, "after the request");
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), -EINVAL, "uncapped");
	is_str(message, "after the request", "words after the copied request");
	packet_error(&p, -EINVAL, NLM_F_CAPPED, "no flag, no attributes");
	parse(&p, p.nlh->nlmsg_len, &n, message);
	is_str(message, "", "no words without the flag");
	packet_error(&p, -EINVAL, NLM_F_ACK_TLVS, "x");
	((struct nlmsgerr *)mnl_nlmsg_get_payload(p.nlh))->msg.nlmsg_len = 100000;
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), -EINVAL, "a lying length");
	is_str(message, "", "is not followed");
	packet_error(&p, EINVAL, NLM_F_CAPPED, NULL);
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), -EBADMSG, "a positive error");
	packet_begin(&p, NLMSG_ERROR, 0);
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), -EBADMSG, "an empty ack");
	packet_error(&p, -EPERM, NLM_F_CAPPED, NULL);
	p.nlh->nlmsg_seq = SEQ - 1;
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), NL_MORE, "an older answer");
	p.nlh->nlmsg_seq = SEQ;
	p.nlh->nlmsg_pid = PORT + 1;
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), NL_MORE, "another's answer");
	is_int(parse(&p, p.nlh->nlmsg_len - 1, &n, message), -EBADMSG, "cut off");
	is_int(parse(&p, 3, &n, message), -EBADMSG, "hardly anything");
	p.nlh->nlmsg_len = 0x80000010;
	is_int(parse(&p, 64, &n, message), -EBADMSG, "a length beyond 2^31");
}

static void test_dumps(void)
{
	char message[NL_MESSAGE_MAX];
	struct packet p;
	unsigned n;

	packet_begin(&p, FAMILY, NLM_F_MULTI);
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), NL_MORE, "a part");
	is_int(n, 1, "one message");
	for (int i = 1; i < 3; i++)
		memcpy(p.data + i * NLMSG_HDRLEN, p.data, NLMSG_HDRLEN);
	is_int(parse(&p, 2 * NLMSG_HDRLEN, &n, message), NL_MORE, "two in a packet");
	is_int(n, 2, "two messages");
	is_int(parse(&p, 3 * NLMSG_HDRLEN, &n, message), -E2BIG, "the reader gives up");
	((struct nlmsghdr *)(p.data + NLMSG_HDRLEN))->nlmsg_type = NLMSG_DONE;
	is_int(parse(&p, 2 * NLMSG_HDRLEN, &n, message), 0, "the end");
	((struct nlmsghdr *)(p.data + NLMSG_HDRLEN))->nlmsg_flags |= NLM_F_DUMP_INTR;
	is_int(parse(&p, 2 * NLMSG_HDRLEN, &n, message), -EAGAIN, "changed meanwhile");
	packet_begin(&p, NLMSG_DONE, NLM_F_MULTI);
	*(int *)mnl_nlmsg_put_extra_header(p.nlh, sizeof(int)) = -ENOBUFS;
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), -ENOBUFS, "a dump that failed");
	packet_begin(&p, NLMSG_NOOP, 0);
	is_int(parse(&p, p.nlh->nlmsg_len, &n, message), NL_MORE, "nothing");
	is_int(n, 0, "is no reply");
}

static void packet_address(struct packet *p, uint8_t family, const void *local,
			   const void *address, size_t size)
{
	struct ifaddrmsg *ifa;

	packet_begin(p, RTM_NEWADDR, NLM_F_MULTI);
	ifa = mnl_nlmsg_put_extra_header(p->nlh, sizeof(*ifa));
	ifa->ifa_family = family;
	ifa->ifa_index = 3;
	mnl_attr_put(p->nlh, IFA_ADDRESS, size, address);
	if (local)
		mnl_attr_put(p->nlh, IFA_LOCAL, size, local);
}

static void test_rtnl(void)
{
	const uint8_t ours[4] = { 192, 0, 2, 1 }, theirs[4] = { 192, 0, 2, 2 };
	struct rtnl_addresses list = { 0 };
	struct rtnl_route route = { 0 };
	const struct sockaddr_in *source = (const struct sockaddr_in *)&route.source;
	struct rtmsg *rtm;
	struct packet p;

	packet_address(&p, AF_INET, ours, theirs, 4);
	is_int(rtnl_parse_address(p.nlh, &list), 0, "a point-to-point address");
	ok(list.n == 1 && rtnl_address_match(&list.items[0], AF_INET, ours), "our end");
	is_int(list.items[0].ifindex, 3, "its interface");
	ok(!rtnl_address_match(&list.items[0], AF_INET, theirs) &&
		   !rtnl_address_match(&list.items[0], AF_INET6, ours),
	   "no other address");
	packet_address(&p, AF_INET6, NULL, theirs, 4);
	is_int(rtnl_parse_address(p.nlh, &list), -EBADMSG, "too short for IPv6");
	packet_address(&p, AF_UNIX, NULL, theirs, 4);
	is_int(rtnl_parse_address(p.nlh, &list), 0, "another family");
	is_int(list.n, 1, "is passed over");
	rtnl_addresses_clear(&list);
	packet_begin(&p, RTM_NEWROUTE, 0);
	rtm = mnl_nlmsg_put_extra_header(p.nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET;
	rtm->rtm_type = RTN_UNICAST;
	is_int(rtnl_parse_route(p.nlh, &route), -EBADMSG, "a route without an interface");
	mnl_attr_put_u32(p.nlh, RTA_OIF, 5);
	mnl_attr_put(p.nlh, RTA_PREFSRC, sizeof(ours), ours);
	is_int(rtnl_parse_route(p.nlh, &route), 0, "a route");
	is_int(route.ifindex, 5, "output interface");
	ok(!route.local && source->sin_family == AF_INET &&
		   memcmp(&source->sin_addr, ours, 4) == 0,
	   "source address");
	rtm->rtm_type = RTN_LOCAL;
	ok(rtnl_parse_route(p.nlh, &route) == 0 && route.local, "to ourselves");
	rtm->rtm_family = AF_INET6;
	is_int(rtnl_parse_route(p.nlh, &route), -EBADMSG, "too short for IPv6");
}

int main(void)
{
	test_names();
	test_features();
	test_truncated();
	test_requests();
	test_acks();
	test_dumps();
	test_rtnl();
	return done();
}
