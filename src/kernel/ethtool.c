// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool.c - NIC features of the running kernel over ethtool netlink
#include "kernel/ethtool.h"

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "base/log.h"
#include "kernel/ethtool-nl.h"
#include "kernel/nl.h"

struct ethtool_client {
	bool ready; /* socket, family and names are there */
	uint16_t family;
	struct ethtool_names names;
	struct nl nl;
};

struct features_reply {
	const struct ethtool_names *names;
	struct ethtool_features *features;
	unsigned n; /* replies seen */
};

static int names_reply(const struct nlmsghdr *nlh, void *userdata)
{
	return ethtool_nl_parse_names(nlh, userdata);
}

static int features_reply(const struct nlmsghdr *nlh, void *userdata)
{
	struct features_reply *reply = userdata;

	reply->n++;
	return ethtool_nl_parse_features(nlh, reply->names, reply->features);
}

/*
 * The family came with 5.6, features with 5.7; a kernel without it has an ioctl only,
 * which this program does not use: -EOPNOTSUPP.
 */
static int client_start(struct ethtool_client *c)
{
	struct nlmsghdr *nlh;
	int r;

	if (c->ready)
		return 0;
	r = nl_open(NETLINK_GENERIC, &c->nl);
	if (r < 0)
		return r;
	r = nl_family(&c->nl, ETHTOOL_GENL_NAME, &c->family);
	if (r == 0) {
		nlh = nl_request_genl(&c->nl, c->family, ETHTOOL_MSG_STRSET_GET,
				      ETHTOOL_GENL_VERSION);
		ethtool_nl_put_names_get(nlh);
		c->names.n = 0;
		r = nl_exchange(&c->nl, names_reply, &c->names);
	}
	if (r == 0 && c->names.n == 0)
		r = -EBADMSG;
	if (r < 0)
		nl_close(&c->nl);
	c->ready = r == 0;
	return r == -ENOENT ? -EOPNOTSUPP : r;
}

static int client_features_get(void *ctx, const char *ifname,
			       struct ethtool_features *ret)
{
	struct ethtool_client *c = ctx;
	struct ethtool_features features = { 0 };
	struct features_reply reply = { .names = &c->names, .features = &features };
	struct nlmsghdr *nlh;
	int r;

	r = client_start(c);
	if (r < 0)
		return r;
	nlh = nl_request_genl(&c->nl, c->family, ETHTOOL_MSG_FEATURES_GET,
			      ETHTOOL_GENL_VERSION);
	r = ethtool_nl_put_features_get(nlh, ifname);
	if (r < 0)
		return r;
	r = nl_exchange(&c->nl, features_reply, &reply);
	log_trace(2, "ethtool %s features: %s %s", ifname, r ? errno_name(r) : "ok",
		  c->nl.message);
	if (r < 0)
		return r;
	if (reply.n != 1)
		return -EBADMSG;
	*ret = features;
	return 0;
}

static bool names_have(const struct ethtool_names *names, const char *feature)
{
	for (size_t i = 0; i < names->n; i++)
		if (*feature && streq(names->name[i], feature))
			return true;
	return false;
}

static int client_feature_set(void *ctx, const char *ifname, const char *feature, bool on)
{
	struct ethtool_client *c = ctx;
	struct nlmsghdr *nlh;
	int r;

	r = client_start(c);
	if (r < 0)
		return r;
	/* an unknown bit is EOPNOTSUPP too, but so is a device without the operation */
	if (!names_have(&c->names, feature))
		return -EOPNOTSUPP;
	nlh = nl_request_genl(&c->nl, c->family, ETHTOOL_MSG_FEATURES_SET,
			      ETHTOOL_GENL_VERSION);
	r = ethtool_nl_put_feature_set(nlh, ifname, feature, on);
	if (r < 0)
		return r;
	r = nl_exchange(&c->nl, NULL, NULL);
	log_trace(1, "ethtool %s %s %s: %s %s", ifname, feature, on ? "on" : "off",
		  r ? errno_name(r) : "ok", c->nl.message);
	return r;
}

static void client_close(void *ctx)
{
	struct ethtool_client *c = ctx;

	if (c->ready)
		nl_close(&c->nl);
	free(c);
}

static const struct ethtool_ops client_ops = {
	.features_get = client_features_get,
	.feature_set = client_feature_set,
	.close = client_close,
};

int ethtool_open(struct ethtool *ret)
{
	struct ethtool_client *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*ret = (struct ethtool){ .ops = &client_ops, .ctx = c };
	return 0;
}

void ethtool_close(struct ethtool *et)
{
	if (et->ops)
		et->ops->close(et->ctx);
	*et = (struct ethtool){ 0 };
}

int ethtool_features_get(struct ethtool *et, const char *ifname,
			 struct ethtool_features *ret)
{
	return et->ops ? et->ops->features_get(et->ctx, ifname, ret) : -EOPNOTSUPP;
}

int ethtool_feature_set(struct ethtool *et, const char *ifname, const char *feature,
			bool on)
{
	return et->ops ? et->ops->feature_set(et->ctx, ifname, feature, on) :
			 -EOPNOTSUPP;
}

const struct ethtool_feature *ethtool_feature_find(const struct ethtool_features *fs,
						   const char *name)
{
	for (size_t i = 0; i < fs->n; i++)
		if (streq(fs->feature[i].name, name))
			return &fs->feature[i];
	return NULL;
}
