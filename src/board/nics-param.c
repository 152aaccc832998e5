// SPDX-License-Identifier: GPL-2.0-or-later
// nics-param.c - rings, channels, coalescing, pause and EEE of a recorded board
#include "board/nics.h"

static ssize_t find_param(const struct nics *nics, const char *ifname,
			  const struct ethtool_param *p)
{
	for (size_t i = 0; i < nics->record->n_nics; i++)
		if (nics->record->nics[i].param == p &&
		    streq(nics->record->nics[i].ifname, ifname))
			return (ssize_t)i;
	return -1;
}

static enum record_nic_kind kind_of(enum ethtool_group group)
{
	switch (group) {
	case ETHTOOL_RING:
		return NIC_RING;
	case ETHTOOL_CHANNELS:
		return NIC_CHANNELS;
	case ETHTOOL_COALESCE:
		return NIC_COALESCE;
	case ETHTOOL_PAUSE:
		return NIC_PAUSE;
	case ETHTOOL_EEE:
		return NIC_EEE;
	case ETHTOOL_GROUP_MAX_:
		break;
	}
	return NIC_FEATURE;
}

/* The line of a number, -ENODEV or -EOPNOTSUPP. */
static ssize_t check_param(const struct nics *nics, const char *ifname,
			   const struct ethtool_param *p)
{
	int r = nics_check(nics, ifname, kind_of(p->group));
	ssize_t index;

	if (r < 0)
		return r;
	index = find_param(nics, ifname, p);
	return index < 0 ? -EOPNOTSUPP : index;
}

int nics_param_get(void *ctx, const char *ifname, const struct ethtool_param *p,
		   struct ethtool_number *ret)
{
	const struct nics *nics = ctx;
	ssize_t index = check_param(nics, ifname, p);

	if (index < 0)
		return (int)index;
	*ret = (struct ethtool_number) {
		.value = nics->states[index].value,
		.max = nics->record->nics[index].max,
	};
	return 0;
}

/* How many channels a NIC would have of a kind, with @index set to @value. */
static uint32_t channels_of(const struct nics *nics, size_t index, uint32_t value,
			    const char *name)
{
	const char *ifname = nics->record->nics[index].ifname;
	ssize_t i = find_param(nics, ifname, ethtool_param_find("channels", name));

	if (i < 0)
		return 0;
	return (size_t)i == index ? value : nics->states[i].value;
}

/* Without a channel for each direction: EINVAL (net/ethtool/channels.c, 5.7). */
static bool leaves_no_channel(const struct nics *nics, size_t index, uint32_t value)
{
	return nics->record->nics[index].kind == NIC_CHANNELS &&
	       !channels_of(nics, index, value, "combined") &&
	       (!channels_of(nics, index, value, "rx") ||
		!channels_of(nics, index, value, "tx"));
}

static int set_param(struct nics *nics, const char *ifname, const struct ethtool_param *p,
		     uint32_t value)
{
	ssize_t index = check_param(nics, ifname, p);
	const struct record_nic *nic;
	uint32_t before;
	int r;

	if (index < 0)
		return (int)index;
	nic = &nics->record->nics[index];
	before = nics->states[index].value;
	/* the driver is not called for what is so already (net/ethtool, 5.7) */
	if (value == before)
		return 0;
	if ((nic->has_max && value > nic->max) || (p->flag && value > 1) ||
	    leaves_no_channel(nics, (size_t)index, value))
		return -EINVAL;
	r = rules_ethtool_error(nics->rules, ifname, ethtool_group_name(p->group),
				p->name);
	if (r < 0)
		return r;
	nics->states[index].value = value;
	if (nics->persistent)
		r = nics_save(nics);
	if (r < 0)
		nics->states[index].value = before;
	return r;
}

int nics_param_set(void *ctx, const char *ifname, const struct ethtool_param *p,
		   uint32_t value)
{
	struct nics *nics = ctx;
	_cleanup_free_ char *what = str_format("@ethtool %s %s %s", ifname,
					       ethtool_group_name(p->group), p->name);
	_cleanup_free_ char *text = p->flag && value <= 1
					    ? str_format("%s", value ? "on" : "off")
					    : str_format("%u", value);
	int r, logged;

	if (!what || !text)
		return -ENOMEM;
	r = set_param(nics, ifname, p, value);
	logged = record_log_add(nics->log, what, text, r);
	return r < 0 ? r : logged;
}
