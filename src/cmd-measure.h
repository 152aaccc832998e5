/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-measure.h - what the files of the command measure share */
#ifndef BOARDTUNE_CMD_MEASURE_H
#define BOARDTUNE_CMD_MEASURE_H

#include "cmd.h"
#include "measure/bench.h"
#include "measure/figure.h"
#include "report/progress.h"

/* Options of the command. */
struct measure_settings {
	struct gate_peer peer;
	const char *peer_text; /* as given */
	const char *nic;       /* NULL: that of the route */
	const char *label;     /* "" for none */
	struct cell_list cells;
	double seconds, omit;
	unsigned repeat;
	unsigned streams;
	bool datagrams, zero_copy;
	uint64_t bandwidth; /* 0: as much as goes */
	bool save;
};

/* One call of the command. */
struct measure_session {
	struct cmd *c;
	struct measure_settings settings;
	struct gate_ways ways;
	const char *nic;	 /* --nic, else that of the route */
	struct sample_nics nics; /* those that may carry the bytes */
	struct sampler *sampler;
	struct bench bench;
	struct progress progress;
	struct leg *legs; /* one for each repetition; owned */
	size_t n_legs;	  /* those with a test in them */
	bool busy;	  /* CPUs or NIC, before the first test */
};

/** measure_settings_parse - 0, or an exit code after having said what is wrong */
int measure_settings_parse(const struct cmd *c, struct measure_settings *ret);

/** measure_open_pings - while we may: latency of TCP alone where we may not */
void measure_open_pings(struct measure_session *s);

/**
 * measure_find_peer - address, route, interface, sensor
 *
 * Returns 0 or an exit code.
 */
int measure_find_peer(struct measure_session *s);

/**
 * measure_look - whether the board has something else to do, for a second
 *
 * Nothing is waited for. Returns 0 or an exit code.
 */
int measure_look(struct measure_session *s);

/**
 * measure_gate_peer - whether the peer serves, by a short test of each family
 *
 * What it does not serve is left out. Returns 0 or an exit code.
 */
int measure_gate_peer(struct measure_session *s);

#endif
