// SPDX-License-Identifier: GPL-2.0-or-later
// test-ethtool-ioctl.c - SIOCETHTOOL against a kernel of our own; the choice per command
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>

#include "kernel/ethtool-client.h"
#include "tap.h"

#define N_NAMES 35

/* A kernel: the structures of one NIC, and what was asked of it. */
struct fake {
	struct ethtool_ioctl io;
	struct ethtool_ringparam ring;
	struct ethtool_channels channels;
	struct ethtool_coalesce coalesce;
	struct ethtool_pauseparam pause;
	struct ethtool_eee eee;
	struct ethtool_get_features_block features[2];
	uint32_t n_names, n_strings, n_words; /* as it says them */
	uint32_t sets;			      /* writes that reached the driver */
	int get_error, set_error;
	int answer; /* flags of a set */
	uint32_t valid[2], requested[2];
	unsigned name_calls;
	const char *firmware; /* ETHTOOL_FWVERS_LEN bytes, or a string; NULL: not told */
};

static int fake_features(struct fake *k, uint32_t cmd, uint32_t *words)
{
	struct ethtool_sset_info *info = (void *)words;
	char *strings = (char *)(words + 3);

	switch (cmd) {
	case ETHTOOL_GDRVINFO:
		if (!k->firmware)
			return -EOPNOTSUPP;
		memcpy(((struct ethtool_drvinfo *)words)->fw_version, k->firmware,
		       strnlen(k->firmware, ETHTOOL_FWVERS_LEN));
		return 0;
	case ETHTOOL_GSSET_INFO:
		k->name_calls++;
		info->sset_mask = k->n_names ? info->sset_mask : 0;
		words[4] = k->n_names;
		return 0;
	case ETHTOOL_GSTRINGS:
		if (words[1] != ETH_SS_FEATURES)
			return -EINVAL;
		words[2] = k->n_strings;
		for (uint32_t i = 0; i < k->n_strings && i < N_NAMES; i++)
			snprintf(strings + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN,
				 i == 1 ? "" : "feature-%u", i);
		return 0;
	case ETHTOOL_GFEATURES:
		words[1] = k->n_words;
		memcpy(words + 2, k->features, sizeof(k->features));
		return 0;
	case ETHTOOL_SFEATURES:
		if (words[1] != 2) /* net/ethtool/ioctl.c: the size has to fit */
			return -EINVAL;
		for (size_t i = 0; i < 2; i++) {
			k->valid[i] = words[2 + 2 * i];
			k->requested[i] = words[3 + 2 * i];
		}
		k->sets++;
		return k->set_error ? k->set_error : k->answer;
	}
	return -EOPNOTSUPP;
}

static int fake_call(struct ethtool_ioctl *io, const char *ifname, void *data)
{
	struct fake *k = (struct fake *)io;
	const struct {
		uint32_t get, set;
		void *state;
		size_t size;
	} groups[] = {
		{ ETHTOOL_GRINGPARAM, ETHTOOL_SRINGPARAM, &k->ring, sizeof(k->ring) },
		{ ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS, &k->channels,
		  sizeof(k->channels) },
		{ ETHTOOL_GCOALESCE, ETHTOOL_SCOALESCE, &k->coalesce,
		  sizeof(k->coalesce) },
		{ ETHTOOL_GPAUSEPARAM, ETHTOOL_SPAUSEPARAM, &k->pause, sizeof(k->pause) },
		{ ETHTOOL_GEEE, ETHTOOL_SEEE, &k->eee, sizeof(k->eee) },
	};
	uint32_t *words = data;

	if (!streq(ifname, "eth0"))
		return -ENODEV;
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (*words == groups[i].get && k->get_error)
			return k->get_error;
		if (*words == groups[i].get) {
			memcpy(data, groups[i].state, groups[i].size);
			return 0;
		}
		if (*words != groups[i].set)
			continue;
		k->sets++;
		if (k->set_error)
			return k->set_error;
		memcpy(groups[i].state, data, groups[i].size);
		return k->answer;
	}
	return fake_features(k, *words, words);
}

static struct fake fake_init(void)
{
	return (struct fake) {
		.io = { .fd = -1, .call = fake_call },
		.ring = { .rx_max_pending = 1024,
			  .rx_pending = 512,
			  .tx_max_pending = 255,
			  .tx_pending = 255,
			  .rx_mini_pending = 9 },
		.channels = { .max_combined = 4, .combined_count = 2 },
		.coalesce = { .rx_coalesce_usecs = 50, .use_adaptive_rx_coalesce = 7 },
		.pause = { .autoneg = 1, .rx_pause = 1 },
		.eee = { .supported = 0x28,
			 .advertised = 0x20,
			 .eee_enabled = 1,
			 .tx_lpi_timer = 1000,
			 .reserved = { 3, 4 } },
		.features = { { .available = 0x5, .requested = 1, .active = 4 },
			      { .available = 0x6, .active = 2, .never_changed = 2 } },
		.n_names = N_NAMES,
		.n_strings = N_NAMES,
		.n_words = 2,
	};
}

static int get(struct fake *k, const char *group, const char *name,
	       struct ethtool_number *ret)
{
	return ethtool_ioctl_ops.param_get(&k->io, "eth0",
					   ethtool_param_find(group, name), ret);
}

static int set(struct fake *k, const char *group, const char *name, uint32_t value)
{
	return ethtool_ioctl_ops.param_set(&k->io, "eth0",
					   ethtool_param_find(group, name), value);
}

static void test_get(void)
{
	struct fake k = fake_init();
	struct ethtool_number n = { 99, 99 };

	is_int(get(&k, "ring", "rx", &n), 0, "rx ring");
	ok(n.value == 512 && n.max == 1024, "with its maximum");
	is_int(get(&k, "ring", "tx", &n), 0, "tx ring");
	ok(n.value == 255 && n.max == 255, "with its own");
	is_int(get(&k, "ring", "rx-mini", &n), -EOPNOTSUPP, "a maximum of 0: none");
	is_int(n.value, 255, "untouched");
	is_int(get(&k, "channels", "rx", &n), -EOPNOTSUPP, "no rx channels");
	is_int(get(&k, "channels", "combined", &n), 0, "combined channels");
	ok(n.value == 2 && n.max == 4, "2 of 4");
	is_int(get(&k, "coalesce", "rx-usecs", &n), 0, "coalescing");
	ok(n.value == 50 && n.max == 0, "has no maximum");
	is_int(get(&k, "coalesce", "adaptive-rx", &n), 0, "a flag");
	is_int(n.value, 1, "is 0 or 1");
	is_int(get(&k, "coalesce", "cqe-mode-rx", &n), -EOPNOTSUPP,
	       "the ioctl has no CQE mode");
	is_int(get(&k, "pause", "autoneg", &n), 0, "pause");
	is_int(n.value, 1, "autoneg");
	is_int(get(&k, "eee", "tx-timer", &n), 0, "EEE");
	is_int(n.value, 1000, "timer");
	k.get_error = -EOPNOTSUPP;
	is_int(get(&k, "ring", "rx", &n), -EOPNOTSUPP, "a driver without rings");
	is_int(set(&k, "ring", "rx", 1), -EOPNOTSUPP, "nor to set");
	is_int(ethtool_ioctl_ops.param_get(&k.io, "eth9",
					   ethtool_param_find("ring", "rx"), &n),
	       -ENODEV, "no such NIC");
}

static void test_set(void)
{
	struct fake k = fake_init();

	is_int(set(&k, "ring", "rx", 512), 0, "equal");
	is_int(k.sets, 0, "the driver is not called: the link stays up");
	is_int(set(&k, "ring", "rx", 1025), -EINVAL, "above the maximum");
	is_int(k.sets, 0, "not left to the driver");
	is_int(set(&k, "ring", "rx", 1024), 0, "the maximum");
	ok(k.sets == 1 && k.ring.cmd == ETHTOOL_SRINGPARAM, "set");
	ok(k.ring.rx_pending == 1024 && k.ring.tx_pending == 255 &&
		   k.ring.rx_mini_pending == 9,
	   "and nothing else");
	is_int(set(&k, "channels", "combined", 1), 0, "channels");
	is_int(k.channels.combined_count, 1, "are set");
	is_int(set(&k, "channels", "rx", 1), -EOPNOTSUPP, "not those it has none of");
	is_int(set(&k, "coalesce", "rx-usecs", UINT32_MAX), 0, "coalescing");
	is_int(k.coalesce.rx_coalesce_usecs, UINT32_MAX, "32 bits");
	is_int(set(&k, "coalesce", "cqe-mode-rx", 1), -EOPNOTSUPP, "CQE mode");
	is_int(set(&k, "pause", "tx", 2), -EINVAL, "no flag");
	is_int(set(&k, "pause", "tx", 1), 0, "pause");
	ok(k.pause.tx_pause == 1 && k.pause.rx_pause == 1, "tx with rx");
	is_int(set(&k, "eee", "enabled", 0), 0, "EEE");
	ok(!k.eee.eee_enabled && k.eee.advertised == 0x20 && k.eee.reserved[1] == 4,
	   "link modes stay");
	k.set_error = -EBUSY;
	is_int(set(&k, "ring", "tx", 100), -EBUSY, "the driver's errno");
	k.set_error = 0;
	k.answer = 1;
	is_int(set(&k, "ring", "tx", 101), 0, "a positive answer is none");
}

static void test_features(void)
{
	struct fake k = fake_init();
	struct ethtool_features fs = { .n = 99 };
	const struct ethtool_feature *f;
	const struct ethtool_ops *ops = &ethtool_ioctl_ops;

	is_int(ops->features_get(&k.io, "eth0", &fs), 0, "features");
	is_int(fs.n, N_NAMES - 1, "those with a name");
	f = ethtool_feature_find(&fs, "feature-0");
	ok(f && f->hw && f->wanted && !f->active && !f->nochange, "bit 0");
	f = ethtool_feature_find(&fs, "feature-2");
	ok(f && f->hw && !f->wanted && f->active, "bit 2");
	f = ethtool_feature_find(&fs, "feature-33");
	ok(f && f->active && ethtool_feature_fixed(f), "bit 33: second word, never");
	f = ethtool_feature_find(&fs, "feature-34");
	ok(f && f->hw && !f->active && !f->wanted, "the last one");
	is_int(ops->feature_set(&k.io, "eth0", "feature-34", true), 0, "set");
	ok(!k.valid[0] && k.valid[1] == 4 && k.requested[1] == 4 && !k.requested[0],
	   "only this bit, with as many words as the kernel has");
	is_int(ops->feature_set(&k.io, "eth0", "feature-0", false), 0, "clear");
	ok(k.valid[0] == 1 && !k.requested[0] && !k.valid[1], "asked to be off");
	is_int(k.name_calls, 1, "names are asked for once");
	for (k.answer = 1; k.answer <= 4; k.answer *= 2) /* UNSUPPORTED, WISH, COMPAT */
		is_int(ops->feature_set(&k.io, "eth0", "feature-33", true), 0,
		       "flags %d: taken; reading back tells", k.answer);
	k.answer = 0;
	k.set_error = -EPERM;
	is_int(ops->feature_set(&k.io, "eth0", "feature-0", true), -EPERM, "refused");
	is_int(ops->feature_set(&k.io, "eth0", "", true), -EOPNOTSUPP, "no name");
	is_int(ops->feature_set(&k.io, "eth0", "feature-99", true), -EOPNOTSUPP,
	       "an unknown one");
}

static void test_hostile(void)
{
	const struct ethtool_ops *ops = &ethtool_ioctl_ops;
	struct ethtool_features fs = { .n = 99 };
	struct fake k = fake_init();

	k.n_names = ETHTOOL_FEATURES_MAX + 1;
	is_int(ops->features_get(&k.io, "eth0", &fs), -EOVERFLOW, "too many names");
	k.n_names = 0;
	is_int(ops->features_get(&k.io, "eth0", &fs), -EOPNOTSUPP, "no names");
	k.n_names = N_NAMES;
	k.n_strings = N_NAMES - 1;
	is_int(ops->features_get(&k.io, "eth0", &fs), -EBADMSG, "fewer than it said");
	k.n_strings = N_NAMES;
	k.n_words = 1;
	is_int(ops->features_get(&k.io, "eth0", &fs), -EBADMSG, "fewer bits than names");
	k.n_words = 5;
	is_int(ops->features_get(&k.io, "eth0", &fs), -EBADMSG, "more than asked for");
	is_int(fs.n, 99, "untouched on failure");
}

static void test_firmware(void)
{
	const struct ethtool_ops *ops = &ethtool_ioctl_ops;
	char version[ETHTOOL_FIRMWARE_MAX] = "as it was";
	struct fake k = fake_init();

	is_int(ops->firmware_get(&k.io, "eth0", version), -EOPNOTSUPP, "no such call");
	is_int(ops->firmware_get(&k.io, "eth9", version), -ENODEV, "no such interface");
	k.firmware = "";
	is_int(ops->firmware_get(&k.io, "eth0", version), -EOPNOTSUPP, "an empty one");
	k.firmware = "N/A";
	is_int(ops->firmware_get(&k.io, "eth0", version), -EOPNOTSUPP, "none");
	is_str(version, "as it was", "untouched on failure");
	k.firmware = "rtl8153b-2 v1 10/23/19";
	is_int(ops->firmware_get(&k.io, "eth0", version), 0, "a firmware");
	is_str(version, "rtl8153b-2 v1 10/23/19", "with its blanks");
	k.firmware = "no end: 0123456789abcdefghijklmnopq";
	is_int(ops->firmware_get(&k.io, "eth0", version), 0, "one without an end");
	is_int(strlen(version), ETHTOOL_FIRMWARE_MAX - 1, "is cut");
}

/* A client that has asked its kernel already. */
static void fake_client(struct ethtool_client *c, struct fake *k)
{
	*c = (struct ethtool_client)ETHTOOL_CLIENT_INIT;
	*k = fake_init();
	c->ready = true;
	c->io = k->io;
}

static struct fake *current;

static int pass_on(struct ethtool_ioctl *io, const char *ifname, void *data)
{
	return fake_call(&current->io, ifname, data);
}

/* What a family lacks goes by the ioctl, command by command. */
static void test_choice(void)
{
	const struct ethtool_param *rx = ethtool_param_find("ring", "rx");
	const struct ethtool_ops *ops = &ethtool_client_ops;
	struct ethtool_features fs;
	struct ethtool_client c;
	struct ethtool_number n;
	struct fake k;

	fake_client(&c, &k);
	current = &k;
	c.io.call = pass_on;
	is_int(ops->param_get(&c, "eth0", rx, &n), 0, "no family: the ioctl");
	is_int(n.value, 512, "its answer");
	is_int(ops->param_set(&c, "eth0", rx, 256), 0, "and a set");
	is_int(k.ring.rx_pending, 256, "that arrives");
	is_int(ops->features_get(&c, "eth0", &fs), 0, "features too");
	is_int(ops->feature_set(&c, "eth0", "feature-2", false), 0, "set too");
	is_int(k.valid[0], 4, "that arrives");
	c.family.commands[0] = 1u << ETHTOOL_MSG_RINGS_GET;
	is_int(ops->param_get(&c, "eth0", rx, &n), -EBADF,
	       "a command that there is: netlink, here a closed socket");
	is_int(ops->param_set(&c, "eth0", rx, 128), 0, "its set by the ioctl still");
	c.family.commands[0] |= 1u << ETHTOOL_MSG_RINGS_SET;
	is_int(ops->param_set(&c, "eth0", rx, 64), -EBADF, "until there is one");
	is_int(k.ring.rx_pending, 128, "not by both");
	/* 5.6: names of features, but not features */
	c.family.commands[0] = 1u << ETHTOOL_MSG_STRSET_GET;
	is_int(ops->features_get(&c, "eth0", &fs), 0, "names only: the ioctl");
	/* and the other way round: no names, no bits */
	c.family.commands[0] = 1u << ETHTOOL_MSG_FEATURES_GET;
	is_int(ops->features_get(&c, "eth0", &fs), 0,
	       "features without names: the ioctl");
	c.family.commands[0] |= 1u << ETHTOOL_MSG_STRSET_GET;
	is_int(ops->features_get(&c, "eth0", &fs), -EBADF, "both: netlink");
}

static void test_names(void)
{
	struct ethtool_ioctl io = ETHTOOL_IOCTL_INIT;
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };

	is_int(ethtool_ioctl_call(&io, "", &ring), -ENODEV, "no interface has no name");
	is_int(ethtool_ioctl_call(&io, "an-interface-of-17", &ring), -ENODEV,
	       "nor such a long one");
	is_int(io.fd, -1, "nothing was opened");
}

int main(void)
{
	test_get();
	test_set();
	test_features();
	test_hostile();
	test_firmware();
	test_choice();
	test_names();
	return done();
}
