// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool-nl.c - encode and decode messages of the ethtool netlink family
#include "kernel/ethtool-nl.h"

#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if.h>

/* One bitset of a reply: bit numbers at or above @size are clear. */
struct bitset {
	uint32_t size;
	const struct nlattr *words; /* NULL if the bitset is absent */
};

int ethtool_nl_put_header(struct nlmsghdr *nlh, uint16_t type, const char *ifname,
			  uint32_t flags)
{
	struct nlattr *nest;

	if (!*ifname || strlen(ifname) >= IFNAMSIZ)
		return -ENODEV;
	nest = mnl_attr_nest_start(nlh, type);
	mnl_attr_put_strz(nlh, ETHTOOL_A_HEADER_DEV_NAME, ifname);
	mnl_attr_put_u32(nlh, ETHTOOL_A_HEADER_FLAGS, flags);
	mnl_attr_nest_end(nlh, nest);
	return 0;
}

ssize_t ethtool_names_find(const struct ethtool_names *names, const char *feature)
{
	for (size_t i = 0; i < names->n; i++)
		if (*feature && streq(names->name[i], feature))
			return (ssize_t)i;
	return -1;
}

void ethtool_nl_put_names_get(struct nlmsghdr *nlh)
{
	struct nlattr *header, *sets, *set;

	/* no device, but without the header 6.18 answers EINVAL */
	header = mnl_attr_nest_start(nlh, ETHTOOL_A_STRSET_HEADER);
	mnl_attr_nest_end(nlh, header);
	sets = mnl_attr_nest_start(nlh, ETHTOOL_A_STRSET_STRINGSETS);
	set = mnl_attr_nest_start(nlh, ETHTOOL_A_STRINGSETS_STRINGSET);
	mnl_attr_put_u32(nlh, ETHTOOL_A_STRINGSET_ID, ETH_SS_FEATURES);
	mnl_attr_nest_end(nlh, set);
	mnl_attr_nest_end(nlh, sets);
}

int ethtool_nl_put_features_get(struct nlmsghdr *nlh, const char *ifname)
{
	return ethtool_nl_put_header(nlh, ETHTOOL_A_FEATURES_HEADER, ifname,
				     ETHTOOL_FLAG_COMPACT_BITSETS);
}

int ethtool_nl_put_feature_set(struct nlmsghdr *nlh, const char *ifname,
			       const char *feature, bool on)
{
	struct nlattr *wanted, *bits, *bit;
	int r;

	if (!*feature || strlen(feature) >= ETHTOOL_NAME_MAX)
		return -EOPNOTSUPP;
	r = ethtool_nl_put_header(nlh, ETHTOOL_A_FEATURES_HEADER, ifname,
				  ETHTOOL_FLAG_COMPACT_BITSETS | ETHTOOL_FLAG_OMIT_REPLY);
	if (r < 0)
		return r;
	wanted = mnl_attr_nest_start(nlh, ETHTOOL_A_FEATURES_WANTED);
	bits = mnl_attr_nest_start(nlh, ETHTOOL_A_BITSET_BITS);
	bit = mnl_attr_nest_start(nlh, ETHTOOL_A_BITSET_BITS_BIT);
	mnl_attr_put_strz(nlh, ETHTOOL_A_BITSET_BIT_NAME, feature);
	if (on)
		mnl_attr_put(nlh, ETHTOOL_A_BITSET_BIT_VALUE, 0, NULL);
	mnl_attr_nest_end(nlh, bit);
	mnl_attr_nest_end(nlh, bits);
	mnl_attr_nest_end(nlh, wanted);
	return 0;
}

bool ethtool_nl_is_reply(const struct nlmsghdr *nlh, uint8_t command)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	return mnl_nlmsg_get_payload_len(nlh) >= sizeof(*genl) && genl->cmd == command;
}

static int parse_string(const struct nlattr *string, struct ethtool_names *names)
{
	const struct nlattr *attr, *value = NULL;
	uint32_t index = UINT32_MAX;

	mnl_attr_for_each_nested(attr, string) {
		if (mnl_attr_get_type(attr) == ETHTOOL_A_STRING_INDEX) {
			if (mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
				return -EBADMSG;
			index = mnl_attr_get_u32(attr);
		}
		if (mnl_attr_get_type(attr) == ETHTOOL_A_STRING_VALUE) {
			if (mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
				return -EBADMSG;
			value = attr;
		}
	}
	if (!value || index == UINT32_MAX ||
	    strlen(mnl_attr_get_str(value)) >= ETHTOOL_NAME_MAX)
		return -EBADMSG;
	if (index >= ETHTOOL_FEATURES_MAX)
		return -EOVERFLOW;
	strcpy(names->name[index], mnl_attr_get_str(value));
	if (index >= names->n)
		names->n = index + 1;
	return 0;
}

static int parse_strings(const struct nlattr *strings, struct ethtool_names *names)
{
	const struct nlattr *attr;
	int r;

	mnl_attr_for_each_nested(attr, strings) {
		if (mnl_attr_get_type(attr) != ETHTOOL_A_STRINGS_STRING)
			continue;
		r = parse_string(attr, names);
		if (r < 0)
			return r;
	}
	return 0;
}

/* One set of strings: taken if it is that of the features. */
static int parse_stringset(const struct nlattr *set, struct ethtool_names *names)
{
	const struct nlattr *attr, *strings = NULL;
	uint32_t id = UINT32_MAX;

	mnl_attr_for_each_nested(attr, set) {
		if (mnl_attr_get_type(attr) == ETHTOOL_A_STRINGSET_ID) {
			if (mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
				return -EBADMSG;
			id = mnl_attr_get_u32(attr);
		}
		if (mnl_attr_get_type(attr) == ETHTOOL_A_STRINGSET_STRINGS)
			strings = attr;
	}
	if (id != ETH_SS_FEATURES || !strings)
		return 0;
	return parse_strings(strings, names);
}

int ethtool_nl_parse_names(const struct nlmsghdr *nlh, struct ethtool_names *ret)
{
	struct ethtool_names names = { 0 };
	const struct nlattr *sets, *set;
	int r;

	if (!ethtool_nl_is_reply(nlh, ETHTOOL_MSG_STRSET_GET_REPLY))
		return -EBADMSG;
	mnl_attr_for_each(sets, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(sets) != ETHTOOL_A_STRSET_STRINGSETS)
			continue;
		mnl_attr_for_each_nested(set, sets) {
			if (mnl_attr_get_type(set) != ETHTOOL_A_STRINGSETS_STRINGSET)
				continue;
			r = parse_stringset(set, &names);
			if (r < 0)
				return r;
		}
	}
	if (names.n == 0)
		return -EBADMSG;
	*ret = names;
	return 0;
}

/* A compact bitset: a size in bits and 32-bit words of host order. */
static int parse_bitset(const struct nlattr *nest, struct bitset *ret)
{
	struct bitset set = { 0 };
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == ETHTOOL_A_BITSET_SIZE) {
			if (mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
				return -EBADMSG;
			set.size = mnl_attr_get_u32(attr);
		}
		if (mnl_attr_get_type(attr) == ETHTOOL_A_BITSET_VALUE)
			set.words = attr;
	}
	if (!set.words ||
	    mnl_attr_get_payload_len(set.words) < ((uint64_t)set.size + 31) / 32 * 4)
		return -EBADMSG;
	*ret = set;
	return 0;
}

static bool bitset_test(const struct bitset *set, size_t bit)
{
	uint32_t word;

	if (bit >= set->size)
		return false;
	memcpy(&word, (const char *)mnl_attr_get_payload(set->words) + bit / 32 * 4,
	       sizeof(word));
	return word >> bit % 32 & 1;
}

int ethtool_nl_parse_features(const struct nlmsghdr *nlh,
			      const struct ethtool_names *names,
			      struct ethtool_features *ret)
{
	struct bitset sets[ETHTOOL_A_FEATURES_NOCHANGE + 1] = { 0 };
	const struct nlattr *attr;
	size_t n = 0;
	int r;

	if (!ethtool_nl_is_reply(nlh, ETHTOOL_MSG_FEATURES_GET_REPLY))
		return -EBADMSG;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		uint16_t type = mnl_attr_get_type(attr);

		if (type < ETHTOOL_A_FEATURES_HW || type > ETHTOOL_A_FEATURES_NOCHANGE)
			continue;
		r = parse_bitset(attr, &sets[type]);
		if (r < 0)
			return r;
	}
	for (size_t i = ETHTOOL_A_FEATURES_HW; i < ARRAY_SIZE(sets); i++)
		if (!sets[i].words)
			return -EBADMSG;
	for (size_t i = 0; i < names->n; i++) {
		struct ethtool_feature *f = &ret->feature[n];

		if (!names->name[i][0])
			continue;
		memcpy(f->name, names->name[i], sizeof(f->name));
		f->hw = bitset_test(&sets[ETHTOOL_A_FEATURES_HW], i);
		f->wanted = bitset_test(&sets[ETHTOOL_A_FEATURES_WANTED], i);
		f->active = bitset_test(&sets[ETHTOOL_A_FEATURES_ACTIVE], i);
		f->nochange = bitset_test(&sets[ETHTOOL_A_FEATURES_NOCHANGE], i);
		n++;
	}
	ret->n = n;
	return 0;
}
