// SPDX-License-Identifier: GPL-2.0-or-later
// bare-nic.c - a NIC's settings over ethtool netlink with nothing but libmnl
#include "bare-nic.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FEATURES_MAX 128

struct client {
	struct mnl_socket *socket;
	uint32_t seq;
	uint16_t family;
	char names[FEATURES_MAX][ETH_GSTRING_LEN];
	char request[512], reply[32768];
};

struct query {
	struct client *client;
	const char *name; /* the feature; NULL: channels */
	uint32_t value;   /* the answer */
};

static struct nlmsghdr *request(struct client *c, uint16_t type, uint8_t command)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;

	memset(c->request, 0, sizeof(c->request));
	nlh = mnl_nlmsg_put_header(c->request);
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	nlh->nlmsg_seq = ++c->seq;
	genl->cmd = command;
	genl->version = 1;
	return nlh;
}

static int exchange(struct client *c, const struct nlmsghdr *nlh, mnl_cb_t reply,
		    void *data)
{
	unsigned int port = mnl_socket_get_portid(c->socket);
	ssize_t n;
	int r;

	if (mnl_socket_sendto(c->socket, nlh, nlh->nlmsg_len) < 0)
		return -1;
	do {
		n = mnl_socket_recvfrom(c->socket, c->reply, sizeof(c->reply));
		r = n < 0 ? -1 : mnl_cb_run(c->reply, n, c->seq, port, reply, data);
	} while (r > MNL_CB_STOP);
	return r;
}

static int take_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			*(uint16_t *)data = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static void take_name(const struct nlattr *string, struct client *c)
{
	const struct nlattr *attr;
	uint32_t index = FEATURES_MAX;

	mnl_attr_for_each_nested(attr, string) {
		if (mnl_attr_get_type(attr) == ETHTOOL_A_STRING_INDEX)
			index = mnl_attr_get_u32(attr);
		else if (mnl_attr_get_type(attr) == ETHTOOL_A_STRING_VALUE &&
			 index < FEATURES_MAX)
			strncpy(c->names[index], mnl_attr_get_str(attr),
				ETH_GSTRING_LEN - 1);
	}
}

/* What is nested in a set: its number, and the strings. */
static void take_set(const struct nlattr *set, struct client *c)
{
	const struct nlattr *attr, *string;

	mnl_attr_for_each_nested(attr, set)
		if (mnl_attr_get_type(attr) == ETHTOOL_A_STRINGSET_STRINGS)
			mnl_attr_for_each_nested(string, attr)
				take_name(string, c);
}

static int take_names(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr, *set;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == ETHTOOL_A_STRSET_STRINGSETS)
			mnl_attr_for_each_nested(set, attr)
				take_set(set, data);
	return MNL_CB_OK;
}

static void put_nic(struct nlmsghdr *nlh, const char *nic, uint32_t flags)
{
	/* the header has number 1 in all of the family's requests */
	struct nlattr *nest = mnl_attr_nest_start(nlh, ETHTOOL_A_FEATURES_HEADER);

	mnl_attr_put_strz(nlh, ETHTOOL_A_HEADER_DEV_NAME, nic);
	mnl_attr_put_u32(nlh, ETHTOOL_A_HEADER_FLAGS, flags);
	mnl_attr_nest_end(nlh, nest);
}

/* The names of the features, once. */
static int start(struct client *c)
{
	struct nlattr *header, *sets, *set;
	struct nlmsghdr *nlh;

	c->socket = mnl_socket_open(NETLINK_GENERIC);
	if (!c->socket || mnl_socket_bind(c->socket, 0, MNL_SOCKET_AUTOPID) < 0)
		return -1;
	nlh = request(c, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
	if (exchange(c, nlh, take_family, &c->family) < 0)
		return -1;
	nlh = request(c, c->family, ETHTOOL_MSG_STRSET_GET);
	header = mnl_attr_nest_start(nlh, ETHTOOL_A_STRSET_HEADER);
	mnl_attr_nest_end(nlh, header);
	sets = mnl_attr_nest_start(nlh, ETHTOOL_A_STRSET_STRINGSETS);
	set = mnl_attr_nest_start(nlh, ETHTOOL_A_STRINGSETS_STRINGSET);
	mnl_attr_put_u32(nlh, ETHTOOL_A_STRINGSET_ID, ETH_SS_FEATURES);
	mnl_attr_nest_end(nlh, set);
	mnl_attr_nest_end(nlh, sets);
	return exchange(c, nlh, take_names, c);
}

static void take_feature(const struct nlattr *active, struct query *q)
{
	const struct nlattr *attr;
	const uint32_t *words;
	uint32_t bit = 0;

	while (bit < FEATURES_MAX && strcmp(q->client->names[bit], q->name) != 0)
		bit++;
	mnl_attr_for_each_nested(attr, active) {
		words = mnl_attr_get_payload(attr);
		if (mnl_attr_get_type(attr) == ETHTOOL_A_BITSET_VALUE &&
		    bit / 32 * 4 < mnl_attr_get_payload_len(attr))
			q->value = words[bit / 32] >> bit % 32 & 1;
	}
}

static int take_value(const struct nlmsghdr *nlh, void *data)
{
	struct query *q = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (q->name && mnl_attr_get_type(attr) == ETHTOOL_A_FEATURES_ACTIVE)
			take_feature(attr, q);
		if (!q->name && mnl_attr_get_type(attr) == ETHTOOL_A_CHANNELS_RX_COUNT)
			q->value = mnl_attr_get_u32(attr);
	}
	return MNL_CB_OK;
}

static int get(struct query *q, const char *nic)
{
	struct nlmsghdr *nlh = request(q->client, q->client->family,
				       q->name ? ETHTOOL_MSG_FEATURES_GET
					       : ETHTOOL_MSG_CHANNELS_GET);

	q->value = UINT32_MAX;
	put_nic(nlh, nic, ETHTOOL_FLAG_COMPACT_BITSETS);
	return exchange(q->client, nlh, take_value, q);
}

static int set(struct query *q, const char *nic, uint32_t value)
{
	struct nlattr *wanted, *bits, *bit;
	struct nlmsghdr *nlh = request(q->client, q->client->family,
				       q->name ? ETHTOOL_MSG_FEATURES_SET
					       : ETHTOOL_MSG_CHANNELS_SET);

	put_nic(nlh, nic, ETHTOOL_FLAG_COMPACT_BITSETS | ETHTOOL_FLAG_OMIT_REPLY);
	if (q->name) {
		wanted = mnl_attr_nest_start(nlh, ETHTOOL_A_FEATURES_WANTED);
		bits = mnl_attr_nest_start(nlh, ETHTOOL_A_BITSET_BITS);
		bit = mnl_attr_nest_start(nlh, ETHTOOL_A_BITSET_BITS_BIT);
		mnl_attr_put_strz(nlh, ETHTOOL_A_BITSET_BIT_NAME, q->name);
		if (value)
			mnl_attr_put(nlh, ETHTOOL_A_BITSET_BIT_VALUE, 0, NULL);
		mnl_attr_nest_end(nlh, bit);
		mnl_attr_nest_end(nlh, bits);
		mnl_attr_nest_end(nlh, wanted);
	} else {
		mnl_attr_put_u32(nlh, ETHTOOL_A_CHANNELS_RX_COUNT, value);
	}
	return exchange(q->client, nlh, NULL, NULL);
}

int nic_set(const char *nic, const char *name, const char *value)
{
	static struct client client;
	bool channels = strcmp(name, "channels.rx") == 0;
	uint32_t wanted = channels ? strtoul(value, NULL, 10) : strcmp(value, "on") == 0;
	struct query q = { .client = &client, .name = channels ? NULL : name };

	if (!client.socket && start(&client) < 0)
		return -1;
	if (get(&q, nic) < 0 || set(&q, nic, wanted) < 0 || get(&q, nic) < 0)
		return -1;
	if (q.value != wanted) {
		errno = EPROTO;
		return -1;
	}
	return 0;
}
