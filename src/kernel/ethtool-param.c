// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool-param.c - the numbers and flags of rings, channels, coalescing, pause and EEE
#include "kernel/ethtool.h"

#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>

/* The ioctl's structures are 32-bit words all through; the first is the command. */
#define WORD(type, field) offsetof(struct type, field) / sizeof(uint32_t)

#define RING(key, id, field)                                                             \
	{                                                                                \
		.group = ETHTOOL_RING, .name = key, .attr = ETHTOOL_A_RINGS_##id,        \
		.max = ETHTOOL_A_RINGS_##id##_MAX,                                       \
		.word = WORD(ethtool_ringparam, field##_pending),                        \
		.max_word = WORD(ethtool_ringparam, field##_max_pending)                 \
	}

#define CHANNELS(key, id, field)                                                         \
	{                                                                                \
		.group = ETHTOOL_CHANNELS, .name = key,                                  \
		.attr = ETHTOOL_A_CHANNELS_##id##_COUNT,                                 \
		.max = ETHTOOL_A_CHANNELS_##id##_MAX,                                    \
		.word = WORD(ethtool_channels, field##_count),                           \
		.max_word = WORD(ethtool_channels, max_##field)                          \
	}

#define COALESCE(key, id, field)                                                         \
	{                                                                                \
		.group = ETHTOOL_COALESCE, .name = key, .attr = ETHTOOL_A_COALESCE_##id, \
		.word = WORD(ethtool_coalesce, field)                                    \
	}

#define PAUSE(key, id, field)                                                            \
	{                                                                                \
		.group = ETHTOOL_PAUSE, .name = key, .attr = ETHTOOL_A_PAUSE_##id,       \
		.word = WORD(ethtool_pauseparam, field), .flag = true                    \
	}

#define EEE(key, id, field, on_off)                                                      \
	{                                                                                \
		.group = ETHTOOL_EEE, .name = key, .attr = ETHTOOL_A_EEE_##id,           \
		.word = WORD(ethtool_eee, field), .flag = on_off                         \
	}

/* Names of ethtool(8) 6.1. */
static const struct ethtool_param params[] = {
	RING("rx", RX, rx),
	RING("rx-mini", RX_MINI, rx_mini),
	RING("rx-jumbo", RX_JUMBO, rx_jumbo),
	RING("tx", TX, tx),
	CHANNELS("rx", RX, rx),
	CHANNELS("tx", TX, tx),
	CHANNELS("other", OTHER, other),
	CHANNELS("combined", COMBINED, combined),
	{ .group = ETHTOOL_COALESCE,
	  .name = "adaptive-rx",
	  .attr = ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX,
	  .word = WORD(ethtool_coalesce, use_adaptive_rx_coalesce),
	  .flag = true },
	{ .group = ETHTOOL_COALESCE,
	  .name = "adaptive-tx",
	  .attr = ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX,
	  .word = WORD(ethtool_coalesce, use_adaptive_tx_coalesce),
	  .flag = true },
	COALESCE("stats-block-usecs", STATS_BLOCK_USECS, stats_block_coalesce_usecs),
	COALESCE("sample-interval", RATE_SAMPLE_INTERVAL, rate_sample_interval),
	COALESCE("pkt-rate-low", PKT_RATE_LOW, pkt_rate_low),
	COALESCE("pkt-rate-high", PKT_RATE_HIGH, pkt_rate_high),
	COALESCE("rx-usecs", RX_USECS, rx_coalesce_usecs),
	COALESCE("rx-frames", RX_MAX_FRAMES, rx_max_coalesced_frames),
	COALESCE("rx-usecs-irq", RX_USECS_IRQ, rx_coalesce_usecs_irq),
	COALESCE("rx-frames-irq", RX_MAX_FRAMES_IRQ, rx_max_coalesced_frames_irq),
	COALESCE("tx-usecs", TX_USECS, tx_coalesce_usecs),
	COALESCE("tx-frames", TX_MAX_FRAMES, tx_max_coalesced_frames),
	COALESCE("tx-usecs-irq", TX_USECS_IRQ, tx_coalesce_usecs_irq),
	COALESCE("tx-frames-irq", TX_MAX_FRAMES_IRQ, tx_max_coalesced_frames_irq),
	COALESCE("rx-usecs-low", RX_USECS_LOW, rx_coalesce_usecs_low),
	COALESCE("rx-frames-low", RX_MAX_FRAMES_LOW, rx_max_coalesced_frames_low),
	COALESCE("tx-usecs-low", TX_USECS_LOW, tx_coalesce_usecs_low),
	COALESCE("tx-frames-low", TX_MAX_FRAMES_LOW, tx_max_coalesced_frames_low),
	COALESCE("rx-usecs-high", RX_USECS_HIGH, rx_coalesce_usecs_high),
	COALESCE("rx-frames-high", RX_MAX_FRAMES_HIGH, rx_max_coalesced_frames_high),
	COALESCE("tx-usecs-high", TX_USECS_HIGH, tx_coalesce_usecs_high),
	COALESCE("tx-frames-high", TX_MAX_FRAMES_HIGH, tx_max_coalesced_frames_high),
	/* 5.15; the ioctl has none of them */
	{ .group = ETHTOOL_COALESCE,
	  .name = "cqe-mode-rx",
	  .attr = ETHTOOL_A_COALESCE_USE_CQE_MODE_RX,
	  .flag = true },
	{ .group = ETHTOOL_COALESCE,
	  .name = "cqe-mode-tx",
	  .attr = ETHTOOL_A_COALESCE_USE_CQE_MODE_TX,
	  .flag = true },
	PAUSE("autoneg", AUTONEG, autoneg),
	PAUSE("rx", RX, rx_pause),
	PAUSE("tx", TX, tx_pause),
	EEE("enabled", ENABLED, eee_enabled, true),
	EEE("active", ACTIVE, eee_active, true), /* read only */
	EEE("tx-lpi", TX_LPI_ENABLED, tx_lpi_enabled, true),
	EEE("tx-timer", TX_LPI_TIMER, tx_lpi_timer, false),
};

static const char *const group_names[ETHTOOL_GROUP_MAX_] = {
	[ETHTOOL_RING] = "ring",	 [ETHTOOL_CHANNELS] = "channels",
	[ETHTOOL_COALESCE] = "coalesce", [ETHTOOL_PAUSE] = "pause",
	[ETHTOOL_EEE] = "eee",
};

int ethtool_param_get(struct ethtool *et, const char *ifname,
		      const struct ethtool_param *p, struct ethtool_number *ret)
{
	return et->ops && et->ops->param_get ? et->ops->param_get(et->ctx, ifname, p, ret)
					     : -EOPNOTSUPP;
}

int ethtool_param_set(struct ethtool *et, const char *ifname,
		      const struct ethtool_param *p, uint32_t value)
{
	return et->ops && et->ops->param_set
		       ? et->ops->param_set(et->ctx, ifname, p, value)
		       : -EOPNOTSUPP;
}

const struct ethtool_param *ethtool_param_all(size_t *ret_n)
{
	*ret_n = ARRAY_SIZE(params);
	return params;
}

const struct ethtool_param *ethtool_param_find(const char *group, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(params); i++)
		if (streq(group_names[params[i].group], group) &&
		    streq(params[i].name, name))
			return &params[i];
	return NULL;
}

const char *ethtool_group_name(enum ethtool_group group)
{
	return group_names[group];
}
