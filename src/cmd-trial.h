/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-trial.h - what the files of the command trial share */
#ifndef BOARDTUNE_CMD_TRIAL_H
#define BOARDTUNE_CMD_TRIAL_H

#include "cmd.h"
#include "measure/bench.h"
#include "measure/judge.h"
#include "measure/run.h"
#include "measure/trial.h"
#include "report/progress.h"

enum trial_keep {
	TRIAL_KEEP_NOT_WORSE,
	TRIAL_KEEP_BETTER,
	TRIAL_KEEP_ALWAYS,
	TRIAL_KEEP_NEVER,
	TRIAL_KEEP_ASK, /* on a terminal, when --keep is not given */
};

/* Options of the command and the profile's [trial] section. */
struct trial_settings {
	struct trial_config loop;
	struct gate_peer peer;
	const char *peer_text; /* as given */
	const char *nic;       /* NULL: that of the route */
	const char *label;     /* "" for none */
	double margin;
	int max_millicelsius;  /* INT_MIN for none */
	bool shortened;
	unsigned streams;
	bool zero_copy;
	bool no_wait;
	bool yes;
	enum trial_keep keep;
};

/**
 * trial_settings_parse - options first, then the profile, then defaults
 *
 * Returns 0, or an exit code after having said what is wrong.
 */
int trial_settings_parse(const struct cmd *c, const struct profile *p,
			 struct trial_settings *ret);

/** trial_keep_decide - whether a whole trial's settings stay; ASK as not-worse */
bool trial_keep_decide(enum trial_keep keep, enum verdict v);

/**
 * trial_ask_start - say how long it takes and what it interrupts, and ask
 *
 * Returns 0, or an exit code: declined, or no terminal to ask on.
 */
int trial_ask_start(const struct cmd *c, const struct trial_settings *s);

/** trial_ask_keep - ask on the terminal; no answer in 300 s or a signal: no
 *
 * What was typed before does not count.
 */
bool trial_ask_keep(const struct cmd *c);

/** trial_answer_is_yes - "y", "Y" or the translated @yes at the beginning */
bool trial_answer_is_yes(const char *answer, const char *yes);

/* The stream of --json-lines. */
struct trial_lines {
	bool on;
	unsigned dropped; /* lines that the reader did not take in time */
};

/* One call of the command. */
struct trial_session {
	struct cmd *c;
	struct profile *profile;
	struct trial_settings settings;
	struct gate_ways ways;
	const char *route; /* interface of the route: a NIC, or a bridge, VLAN, bond */
	const char *nic;   /* under test: --nic, else what is known to carry the bytes */
	struct sample_nics nics; /* those that may carry them */
	struct run_setting *settings_of_nics;
	size_t n_settings_of_nics;
	bool general; /* the profile has settings of no NIC, too */
	struct sampler *sampler;
	struct bench bench;
	struct progress progress;
	struct trial_lines lines;
	const struct trial_progress *where; /* while a test runs */
	double started; /* CLOCK_MONOTONIC, of the first test */
	struct ping_series idle[TRIAL_SIDES_];
	bool held;       /* cooling holds what the profile sets */
	bool busy;       /* CPUs or NIC, before the first test */
	bool not_steady; /* when the first test began */
	bool told_busy;  /* that the peer is */
	struct state state;
	struct guard guard;
	bool applied;  /* the profile is in force */
	int exit_code; /* of a switch that failed, else 0 */
	int signal;    /* that stopped it, else 0 */
};

/**
 * trial_want_kept - whether the profile is to stay: only after a whole trial that nobody
 * stopped
 *
 * A signal that has arrived is noted in the session.
 */
bool trial_want_kept(struct trial_session *s, const struct trial_result *result,
		     const struct judgement *j);

/**
 * trial_settle - put the profile, or what was before it, in force for good
 *
 * Ends the guard. What goes wrong is said, and noted in exit_code or signal. Returns
 * whether the profile is in force.
 */
bool trial_settle(struct trial_session *s, bool keep);

/** trial_exit - the exit code of a trial that has been settled */
int trial_exit(const struct trial_session *s, const struct trial_result *result,
	       const struct judgement *j);

/**
 * trial_sort_settings - by what the tests counted: who carried them, what was missed
 *
 * Sets nic. The settings that the traffic did not touch come first. Returns their number.
 */
size_t trial_sort_settings(struct trial_session *s, const struct leg *legs, size_t n);

/**
 * trial_gate_board - peer, address, route, interface, plan, critical temperature: before
 * anything is asked
 *
 * Fills in ways, route, nic, nics, cells, sampler and bench. Returns 0 or an exit code.
 */
int trial_gate_board(struct trial_session *s);

/**
 * trial_gate_peer - whether the peer serves, by a short test of each family
 *
 * A family that it does not serve is left out. Returns 0 or an exit code.
 */
int trial_gate_peer(struct trial_session *s);

/** trial_pings_open - sockets for latency, while we may still have them */
void trial_pings_open(struct trial_session *s);
void trial_pings_close(struct trial_session *s);

/**
 * trial_gate_calm - wait for a quiet board and a steady temperature; latency before load
 *
 * Returns 0 or an exit code.
 */
int trial_gate_calm(struct trial_session *s);

/** trial_idle_measure - latency without load of the side in force; 0, -EINTR, -ENOMEM */
int trial_idle_measure(struct trial_session *s);

/** trial_forwards - whether the board forwards between its interfaces, by any family */
bool trial_forwards(const struct trial_session *s);

/*
 * trial_lines_ - the lines of --json-lines: nothing without that option
 *
 * A reader that does not take them in time misses some, and is told how many: a test must
 * not wait for it. Lines come from the trial's start on; the run document is the last.
 */
void trial_lines_gate(struct trial_session *s, const struct gate_calm_result *result);
void trial_lines_switch(struct trial_session *s, enum trial_side side);
void trial_lines_test(struct trial_session *s, const struct trial_progress *where);
void trial_lines_sample(struct trial_session *s, const struct sample *sample,
			double mbps);
/** trial_lines_result - of the test that has ended: @t, or why there is none */
void trial_lines_result(struct trial_session *s, const struct test_result *t, int error);

/**
 * trial_main - the trial of one profile
 * @profile: as profile_load() takes it
 * @save: keep the run in RUN_DIR
 *
 * Returns the exit code.
 */
int trial_main(struct cmd *c, const char *profile, bool save);

/** trial_demo - the trial between two namespaces of this machine; the exit code */
int trial_demo(struct cmd *c);

#endif
