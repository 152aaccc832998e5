// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool.c - NIC state of the running kernel: ethtool netlink, else the ioctl
#include "kernel/ethtool.h"

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "base/log.h"
#include "kernel/ethtool-client.h"

struct features_reply {
	const struct ethtool_names *names;
	struct ethtool_features *features;
	unsigned n; /* replies seen */
};

struct param_reply {
	const struct ethtool_param *param;
	struct ethtool_number number;
	unsigned n;
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

static int param_reply(const struct nlmsghdr *nlh, void *userdata)
{
	struct param_reply *reply = userdata;

	reply->n++;
	return ethtool_nl_parse_param(nlh, reply->param, &reply->number);
}

int ethtool_client_start(struct ethtool_client *c)
{
	int r;

	if (c->ready)
		return 0;
	c->family = (struct nl_family) { 0 };
	r = nl_open(NETLINK_GENERIC, &c->nl);
	if (r == 0)
		r = nl_family_get(&c->nl, ETHTOOL_GENL_NAME, &c->family);
	if (r < 0)
		nl_close(&c->nl);
	/* no such family, or no generic netlink at all: everything by the ioctl */
	if (r == -ENOENT || r == -EPROTONOSUPPORT || r == -EAFNOSUPPORT)
		r = 0;
	c->ready = r == 0;
	return r;
}

static struct nlmsghdr *request(struct ethtool_client *c, uint8_t command)
{
	return nl_request_genl(&c->nl, c->family.id, command, ETHTOOL_GENL_VERSION);
}

/* Positive answers of a look whether a command goes by netlink. */
enum {
	BY_NETLINK = 0,
	BY_IOCTL = 1,
};

static int choose(struct ethtool_client *c, uint8_t command)
{
	int r = ethtool_client_start(c);

	if (r < 0)
		return r;
	return nl_family_has(&c->family, command) ? BY_NETLINK : BY_IOCTL;
}

/* The same for features, which need their names first. */
static int choose_features(struct ethtool_client *c, uint8_t command)
{
	int r = choose(c, command);

	if (r == BY_NETLINK)
		r = choose(c, ETHTOOL_MSG_STRSET_GET);
	if (r != BY_NETLINK || c->names.n)
		return r;
	ethtool_nl_put_names_get(request(c, ETHTOOL_MSG_STRSET_GET));
	r = nl_exchange(&c->nl, names_reply, &c->names);
	return r == 0 && c->names.n == 0 ? -EBADMSG : r;
}

/* Hands a reply on to who asked, and keeps it. */
struct question {
	struct ethtool_kept *kept;
	uint8_t command;
	const char *ifname;
	nl_reply_fn *reply;
	void *userdata;
};

static int keep_reply(const struct nlmsghdr *nlh, void *userdata)
{
	const struct question *q = userdata;

	ethtool_kept_add(q->kept, q->command, q->ifname, nlh, 0);
	return q->reply(nlh, q->userdata);
}

/* Ask the kernel, unless it has answered already. @put: what makes the message */
static int ask(struct ethtool_client *c, uint8_t command, const char *ifname,
	       int (*put)(struct nlmsghdr *nlh, const char *ifname), nl_reply_fn *reply,
	       void *userdata)
{
	struct question q = { &c->kept, command, ifname, reply, userdata };
	const struct ethtool_kept_reply *known;
	int r;

	known = ethtool_kept_find(&c->kept, command, ifname);
	if (known)
		return known->error ? known->error
				    : reply((const void *)known->message, userdata);
	r = put(request(c, command), ifname);
	if (r == 0)
		r = nl_exchange(&c->nl, keep_reply, &q);
	if (r == -EOPNOTSUPP)
		ethtool_kept_add(&c->kept, command, ifname, NULL, r);
	return r;
}

static int client_param_get(void *ctx, const char *ifname, const struct ethtool_param *p,
			    struct ethtool_number *ret)
{
	uint8_t command = ethtool_nl_param_command(p->group, false);
	struct param_reply reply = { .param = p };
	struct ethtool_client *c = ctx;
	int r = choose(c, command);

	if (r == BY_IOCTL)
		return ethtool_ioctl_ops.param_get(&c->io, ifname, p, ret);
	if (r == 0)
		r = ask(c, command, ifname, ethtool_nl_put_param_get, param_reply,
			&reply);
	log_trace(2, "ethtool %s %s %s: %s %s", ifname, ethtool_group_name(p->group),
		  p->name, r ? errno_name(r) : "ok", c->nl.message);
	if (r < 0)
		return r;
	if (reply.n != 1)
		return -EBADMSG;
	*ret = reply.number;
	return 0;
}

static int client_param_set(void *ctx, const char *ifname, const struct ethtool_param *p,
			    uint32_t value)
{
	uint8_t command = ethtool_nl_param_command(p->group, true);
	struct ethtool_client *c = ctx;
	int r = choose(c, command);

	ethtool_kept_forget(&c->kept);
	if (r == BY_IOCTL)
		return ethtool_ioctl_ops.param_set(&c->io, ifname, p, value);
	if (r == 0)
		r = ethtool_nl_put_param_set(request(c, command), ifname, p, value);
	if (r < 0)
		return r;
	r = nl_exchange(&c->nl, NULL, NULL);
	log_trace(1, "ethtool %s %s %s %u: %s %s", ifname, ethtool_group_name(p->group),
		  p->name, value, r ? errno_name(r) : "ok", c->nl.message);
	return ethtool_nl_set_error(r, c->nl.message);
}

static int client_features_get(void *ctx, const char *ifname,
			       struct ethtool_features *ret)
{
	struct ethtool_client *c = ctx;
	struct ethtool_features features = { 0 };
	struct features_reply reply = { .names = &c->names, .features = &features };
	int r = choose_features(c, ETHTOOL_MSG_FEATURES_GET);

	if (r == BY_IOCTL)
		return ethtool_ioctl_ops.features_get(&c->io, ifname, ret);
	if (r == 0)
		r = ask(c, ETHTOOL_MSG_FEATURES_GET, ifname, ethtool_nl_put_features_get,
			features_reply, &reply);
	log_trace(2, "ethtool %s features: %s %s", ifname, r ? errno_name(r) : "ok",
		  c->nl.message);
	if (r < 0)
		return r;
	if (reply.n != 1)
		return -EBADMSG;
	*ret = features;
	return 0;
}

static int client_feature_set(void *ctx, const char *ifname, const char *feature, bool on)
{
	struct ethtool_client *c = ctx;
	int r = choose_features(c, ETHTOOL_MSG_FEATURES_SET);

	ethtool_kept_forget(&c->kept);
	if (r == BY_IOCTL)
		return ethtool_ioctl_ops.feature_set(&c->io, ifname, feature, on);
	if (r < 0)
		return r;
	/* an unknown bit is EOPNOTSUPP too, but so is a device without the operation */
	if (ethtool_names_find(&c->names, feature) < 0)
		return -EOPNOTSUPP;
	r = ethtool_nl_put_feature_set(request(c, ETHTOOL_MSG_FEATURES_SET), ifname,
				       feature, on);
	if (r < 0)
		return r;
	r = nl_exchange(&c->nl, NULL, NULL);
	log_trace(1, "ethtool %s %s %s: %s %s", ifname, feature, on ? "on" : "off",
		  r ? errno_name(r) : "ok", c->nl.message);
	return r;
}

static int client_firmware_get(void *ctx, const char *ifname,
			       char ret[static ETHTOOL_FIRMWARE_MAX])
{
	struct ethtool_client *c = ctx;

	return ethtool_ioctl_ops.firmware_get(&c->io, ifname, ret);
}

static void client_keep(void *ctx, bool on)
{
	struct ethtool_client *c = ctx;

	ethtool_kept_forget(&c->kept);
	c->kept.on = on;
}

static void client_close(void *ctx)
{
	struct ethtool_client *c = ctx;

	free(c->kept.replies);
	nl_close(&c->nl);
	ethtool_ioctl_ops.close(&c->io);
	free(c);
}

const struct ethtool_ops ethtool_client_ops = {
	.param_get = client_param_get,
	.param_set = client_param_set,
	.features_get = client_features_get,
	.feature_set = client_feature_set,
	.firmware_get = client_firmware_get,
	.keep = client_keep,
	.close = client_close,
};

int ethtool_open(struct ethtool *ret)
{
	struct ethtool_client *c = malloc(sizeof(*c));

	if (!c)
		return -ENOMEM;
	*c = (struct ethtool_client)ETHTOOL_CLIENT_INIT;
	*ret = (struct ethtool) { .ops = &ethtool_client_ops, .ctx = c };
	return 0;
}

void ethtool_close(struct ethtool *et)
{
	if (et->ops)
		et->ops->close(et->ctx);
	*et = (struct ethtool) { 0 };
}

void ethtool_keep(struct ethtool *et, bool on)
{
	if (et->ops && et->ops->keep)
		et->ops->keep(et->ctx, on);
}

int ethtool_features_get(struct ethtool *et, const char *ifname,
			 struct ethtool_features *ret)
{
	return et->ops ? et->ops->features_get(et->ctx, ifname, ret) : -EOPNOTSUPP;
}

int ethtool_feature_set(struct ethtool *et, const char *ifname, const char *feature,
			bool on)
{
	return et->ops ? et->ops->feature_set(et->ctx, ifname, feature, on) : -EOPNOTSUPP;
}

int ethtool_firmware_get(struct ethtool *et, const char *ifname,
			 char ret[static ETHTOOL_FIRMWARE_MAX])
{
	return et->ops && et->ops->firmware_get
		       ? et->ops->firmware_get(et->ctx, ifname, ret)
		       : -EOPNOTSUPP;
}

const struct ethtool_feature *ethtool_feature_find(const struct ethtool_features *fs,
						   const char *name)
{
	for (size_t i = 0; i < fs->n; i++)
		if (streq(fs->feature[i].name, name))
			return &fs->feature[i];
	return NULL;
}
