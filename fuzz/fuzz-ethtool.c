// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-ethtool.c - any bytes as netlink packets: acks, families, NIC state, addresses
#include "kernel/ethtool-nl.h"
#include "kernel/nl.h"
#include "kernel/rtnl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_SIZE_MAX 65536

/* The sequence and port of the first message: else hardly any input would pass. */
static int parse(const void *packet, size_t size, nl_reply_fn *reply, void *userdata)
{
	const struct nlmsghdr *first = packet;
	char message[NL_MESSAGE_MAX] = "";
	int r;

	r = nl_parse(packet, size, first->nlmsg_seq, first->nlmsg_pid, reply, userdata,
		     message);
	if (strnlen(message, sizeof(message)) == sizeof(message) || r > NL_MORE)
		abort();
	return r;
}

static int features_reply(const struct nlmsghdr *nlh, void *userdata)
{
	struct ethtool_names *names = userdata;
	struct ethtool_features features;

	/* names first, then features by these names, as a client asks for them */
	if (ethtool_nl_parse_names(nlh, names) == 0 &&
	    (names->n == 0 || names->n > ETHTOOL_FEATURES_MAX))
		abort();
	if (ethtool_nl_parse_features(nlh, names, &features) < 0)
		return 0;
	if (features.n > names->n)
		abort();
	for (size_t i = 0; i < features.n; i++)
		if (!*features.feature[i].name ||
		    !ethtool_feature_find(&features, features.feature[i].name))
			abort();
	return 0;
}

/* Each number out of each message; a reply of its group has it or not. */
static int param_reply(const struct nlmsghdr *nlh, void *userdata)
{
	const struct ethtool_param *all;
	struct nl_family family = { 0 };
	struct ethtool_number number;
	size_t n;

	all = ethtool_param_all(&n);
	for (size_t i = 0; i < n; i++) {
		int r = ethtool_nl_parse_param(nlh, &all[i], &number);

		if ((r != 0 && r != -EOPNOTSUPP && r != -EBADMSG) ||
		    (r == 0 && ((all[i].flag && number.value > 1) ||
				(!all[i].max && number.max))))
			abort();
	}
	if (nl_parse_family(nlh, &family) == 0 && family.id < NLMSG_MIN_TYPE)
		abort();
	return 0;
}

static int address_reply(const struct nlmsghdr *nlh, void *userdata)
{
	struct rtnl_addresses *addresses = userdata;

	(void)rtnl_parse_address(nlh, addresses);
	return 0;
}

static int route_reply(const struct nlmsghdr *nlh, void *userdata)
{
	struct rtnl_route *route = userdata;

	if (rtnl_parse_route(nlh, route) == 0 && route->ifindex <= 0)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(rtnl_addresses_clear) struct rtnl_addresses addresses = { 0 };
	struct ethtool_names names = { .n = 2,
				       .name = { "rx-gro", "tx-gre-segmentation" } };
	struct rtnl_route route = { 0 };
	_cleanup_free_ char *packet = NULL;

	if (size < sizeof(struct nlmsghdr) || size > FUZZ_SIZE_MAX)
		return 0;
	packet = calloc(1, NLMSG_ALIGN(size));
	if (!packet)
		return 0;
	memcpy(packet, data, size);
	(void)parse(packet, size, features_reply, &names);
	(void)parse(packet, size, param_reply, NULL);
	(void)parse(packet, size, address_reply, &addresses);
	(void)parse(packet, size, route_reply, &route);
	for (size_t i = 0; i < addresses.n; i++)
		if (addresses.items[i].ifindex <= 0)
			abort();
	return 0;
}
