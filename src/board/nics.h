/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nics.h - ethtool state of a recorded board's NICs, from its @ethtool lines */
#ifndef BOARDTUNE_NICS_H
#define BOARDTUNE_NICS_H

#include "board/rules.h"

struct nics_state {
	uint32_t value; /* rings, channels, coalescing, pause, EEE; flags 0 or 1 */
	bool active; /* netdev->features */
	bool wanted; /* netdev->wanted_features */
	bool forced; /* the recorded driver keeps it as it is, whatever is wanted */
};

struct nics {
	const struct record *record; /* borrowed */
	struct rules *rules;	     /* borrowed */
	struct record_log *log;	     /* borrowed */
	struct nics_state *states;   /* one for each of record->nics */
	bool persistent;	     /* --sysroot: write DIR/.board */
};

/**
 * nics_open - take up the @ethtool lines of a record
 * @nics: released with nics_close()
 * @persistent: a feature that is set is written back to DIR/.board
 *
 * Returns 0 or -ENOMEM.
 */
int nics_open(struct nics *nics, const struct record *record, struct rules *rules,
	      struct record_log *log, bool persistent);
void nics_close(struct nics *nics);

/**
 * nics_check - whether an operation is recorded
 *
 * Returns 0; -ENODEV no such interface; -EOPNOTSUPP it has no line of this kind.
 */
int nics_check(const struct nics *nics, const char *ifname, enum record_nic_kind kind);

/** nics_save - write DIR/.board as it is now: only the lines that changed differ */
int nics_save(const struct nics *nics);

/* A number of a NIC, with the kernel's checks: see struct ethtool_ops */
int nics_param_get(void *ctx, const char *ifname, const struct ethtool_param *p,
		   struct ethtool_number *ret);
int nics_param_set(void *ctx, const char *ifname, const struct ethtool_param *p,
		   uint32_t value);

/* The context is struct nics; the board that it belongs to closes it. */
extern const struct ethtool_ops nics_ops;

/** nics_print_line - an @ethtool line as it is now; unchanged ones byte for byte */
void nics_print_line(const struct nics *nics, FILE *f, const struct record_line *line);

#endif
