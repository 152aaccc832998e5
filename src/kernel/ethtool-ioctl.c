// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool-ioctl.c - NIC state over SIOCETHTOOL (net/ethtool/ioctl.c; net/core before 5.6)
#include "kernel/ethtool-ioctl.h"

#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/log.h"

#define FEATURE_WORDS (ETHTOOL_FEATURES_MAX / 32)
#define WORDS_OF(type) (sizeof(type) / sizeof(uint32_t))
#define WORDS_MAX WORDS_OF(struct ethtool_coalesce) /* the longest of the groups */

static const struct {
	uint32_t get, set;
} commands[ETHTOOL_GROUP_MAX_] = {
	[ETHTOOL_RING] = { ETHTOOL_GRINGPARAM, ETHTOOL_SRINGPARAM },
	[ETHTOOL_CHANNELS] = { ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS },
	[ETHTOOL_COALESCE] = { ETHTOOL_GCOALESCE, ETHTOOL_SCOALESCE },
	[ETHTOOL_PAUSE] = { ETHTOOL_GPAUSEPARAM, ETHTOOL_SPAUSEPARAM },
	[ETHTOOL_EEE] = { ETHTOOL_GEEE, ETHTOOL_SEEE },
};

int ethtool_ioctl_call(struct ethtool_ioctl *io, const char *ifname, void *data)
{
	struct ifreq ifr = { .ifr_data = data };
	int r;

	if (!*ifname || strlen(ifname) >= IFNAMSIZ)
		return -ENODEV;
	if (io->fd < 0)
		io->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (io->fd < 0)
		return -errno;
	strcpy(ifr.ifr_name, ifname);
	r = ioctl(io->fd, SIOCETHTOOL, &ifr);
	return r < 0 ? -errno : r;
}

/* The structure of a group as it is now, and the number's place in it. */
static int read_group(struct ethtool_ioctl *io, const char *ifname,
		      const struct ethtool_param *p, uint32_t words[static WORDS_MAX])
{
	int r;

	if (!p->word)
		return -EOPNOTSUPP;
	memset(words, 0, WORDS_MAX * sizeof(*words));
	words[0] = commands[p->group].get;
	r = io->call(io, ifname, words);
	if (r < 0)
		return r;
	return p->max_word && !words[p->max_word] ? -EOPNOTSUPP : 0;
}

static int ioctl_param_get(void *ctx, const char *ifname, const struct ethtool_param *p,
			   struct ethtool_number *ret)
{
	uint32_t words[WORDS_MAX];
	int r = read_group(ctx, ifname, p, words);

	log_trace(2, "ethtool ioctl %s %s %s: %s", ifname, ethtool_group_name(p->group),
		  p->name, r < 0 ? errno_name(r) : "ok");
	if (r < 0)
		return r;
	*ret = (struct ethtool_number) {
		.value = p->flag ? words[p->word] != 0 : words[p->word],
		.max = p->max_word ? words[p->max_word] : 0,
	};
	return 0;
}

static int ioctl_param_set(void *ctx, const char *ifname, const struct ethtool_param *p,
			   uint32_t value)
{
	struct ethtool_ioctl *io = ctx;
	uint32_t words[WORDS_MAX];
	int r = read_group(io, ifname, p, words);

	if (r < 0)
		return r;
	/* kernels before 4.16 leave it to the driver to look at the maximum */
	if ((p->max_word && value > words[p->max_word]) || (p->flag && value > 1))
		return -EINVAL;
	if (words[p->word] == value)
		return 0;
	words[0] = commands[p->group].set;
	words[p->word] = value;
	r = io->call(io, ifname, words);
	log_trace(1, "ethtool ioctl %s %s %s %u: %s", ifname,
		  ethtool_group_name(p->group), p->name, value,
		  r < 0 ? errno_name(r) : "ok");
	return r < 0 ? r : 0;
}

/* How many features this kernel knows. */
static int count_names(struct ethtool_ioctl *io, const char *ifname)
{
	union {
		struct ethtool_sset_info info; /* a word for each set asked for: one */
		uint32_t words[WORDS_OF(struct ethtool_sset_info) + 1];
	} sets = { .info = { .cmd = ETHTOOL_GSSET_INFO,
			     .sset_mask = 1ull << ETH_SS_FEATURES } };
	uint32_t n;
	int r = io->call(io, ifname, &sets);

	if (r < 0)
		return r;
	n = sets.words[WORDS_OF(struct ethtool_sset_info)];
	if (!(sets.info.sset_mask & 1ull << ETH_SS_FEATURES) || n == 0)
		return -EOPNOTSUPP;
	return n > ETHTOOL_FEATURES_MAX ? -EOVERFLOW : (int)n;
}

static int read_names(struct ethtool_ioctl *io, const char *ifname)
{
	struct {
		uint32_t cmd, string_set, len; /* struct ethtool_gstrings */
		char data[ETHTOOL_FEATURES_MAX][ETH_GSTRING_LEN];
	} strings = { .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES };
	int n, r;

	_Static_assert(ETHTOOL_NAME_MAX == ETH_GSTRING_LEN, "names as the kernel's");
	if (io->names.n)
		return 0;
	n = count_names(io, ifname);
	if (n < 0)
		return n;
	strings.len = (uint32_t)n;
	r = io->call(io, ifname, &strings);
	if (r < 0)
		return r;
	if (strings.len != (uint32_t)n)
		return -EBADMSG;
	for (int i = 0; i < n; i++) {
		strings.data[i][ETH_GSTRING_LEN - 1] = '\0';
		memcpy(io->names.name[i], strings.data[i], ETH_GSTRING_LEN);
	}
	io->names.n = (size_t)n;
	return 0;
}

static bool bit(uint32_t word, size_t i)
{
	return word >> i % 32 & 1;
}

static int ioctl_features_get(void *ctx, const char *ifname, struct ethtool_features *ret)
{
	struct {
		uint32_t cmd, size; /* struct ethtool_gfeatures */
		struct ethtool_get_features_block blocks[FEATURE_WORDS];
	} masks = { .cmd = ETHTOOL_GFEATURES, .size = FEATURE_WORDS };
	struct ethtool_ioctl *io = ctx;
	size_t n = 0;
	int r = read_names(io, ifname);

	if (r == 0)
		r = io->call(io, ifname, &masks);
	log_trace(2, "ethtool ioctl %s features: %s", ifname,
		  r < 0 ? errno_name(r) : "ok");
	if (r < 0)
		return r;
	/* the kernel answers with the words that it has */
	if (masks.size * 32 < io->names.n || masks.size > FEATURE_WORDS)
		return -EBADMSG;
	for (size_t i = 0; i < io->names.n; i++) {
		const struct ethtool_get_features_block *b = &masks.blocks[i / 32];
		struct ethtool_feature *f = &ret->feature[n];

		if (!io->names.name[i][0])
			continue;
		*f = (struct ethtool_feature) {
			.hw = bit(b->available, i),
			.wanted = bit(b->requested, i),
			.active = bit(b->active, i),
			.nochange = bit(b->never_changed, i),
		};
		memcpy(f->name, io->names.name[i], sizeof(f->name));
		n++;
	}
	ret->n = n;
	return 0;
}

static int ioctl_feature_set(void *ctx, const char *ifname, const char *feature, bool on)
{
	struct {
		uint32_t cmd, size; /* struct ethtool_sfeatures */
		struct ethtool_set_features_block blocks[FEATURE_WORDS];
	} masks = { .cmd = ETHTOOL_SFEATURES };
	struct ethtool_ioctl *io = ctx;
	int r = read_names(io, ifname);
	ssize_t i;

	if (r < 0)
		return r;
	i = ethtool_names_find(&io->names, feature);
	if (i < 0)
		return -EOPNOTSUPP;
	/* another size than the kernel's own number of words is EINVAL */
	masks.size = (uint32_t)(io->names.n + 31) / 32;
	masks.blocks[i / 32].valid = 1u << i % 32;
	masks.blocks[i / 32].requested = on ? masks.blocks[i / 32].valid : 0;
	r = io->call(io, ifname, &masks);
	log_trace(1, "ethtool ioctl %s %s %s: %s", ifname, feature, on ? "on" : "off",
		  r < 0 ? errno_name(r) : "ok");
	/* ETHTOOL_F_UNSUPPORTED, _WISH: as netlink's ack, reading back tells */
	return r < 0 ? r : 0;
}

static int ioctl_firmware_get(void *ctx, const char *ifname,
			      char ret[static ETHTOOL_FIRMWARE_MAX])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_ioctl *io = ctx;
	int r = io->call(io, ifname, &info);

	_Static_assert(ETHTOOL_FIRMWARE_MAX == ETHTOOL_FWVERS_LEN, "as the kernel's");
	log_trace(2, "ethtool ioctl %s firmware: %s", ifname,
		  r < 0 ? errno_name(r) : "ok");
	if (r < 0)
		return r;
	info.fw_version[sizeof(info.fw_version) - 1] = '\0';
	/* a driver that has nothing to say leaves it empty or writes "N/A" */
	if (!info.fw_version[0] || streq(info.fw_version, "N/A"))
		return -EOPNOTSUPP;
	strcpy(ret, info.fw_version);
	return 0;
}

static void ioctl_close(void *ctx)
{
	struct ethtool_ioctl *io = ctx;

	close_fd(&io->fd);
}

const struct ethtool_ops ethtool_ioctl_ops = {
	.param_get = ioctl_param_get,
	.param_set = ioctl_param_set,
	.features_get = ioctl_features_get,
	.feature_set = ioctl_feature_set,
	.firmware_get = ioctl_firmware_get,
	.close = ioctl_close,
};
