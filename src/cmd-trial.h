/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-trial.h - what the files of the command trial share */
#ifndef BOARDTUNE_CMD_TRIAL_H
#define BOARDTUNE_CMD_TRIAL_H

#include "cmd.h"
#include "measure/bench.h"
#include "measure/judge.h"
#include "measure/run.h"
#include "measure/trial.h"

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

/* A line on the terminal that says where the trial is. */
struct progress {
	int fd;     /* of the terminal on stderr, non-blocking; -1: none */
	char what[80];
};

#define PROGRESS_INIT { .fd = -1 }

/** progress_open - nothing on a pipe, with -q, or when the terminal cannot be opened */
void progress_open(const struct cmd *c, struct progress *ret);
/** progress_begin - a test begins */
void progress_begin(struct progress *p, const struct trial_progress *where);
/** progress_show - what is measured now; never blocks */
void progress_show(struct progress *p, const struct sample *s, double mbps);
/** progress_clear - wipe the line, before anything else is printed */
void progress_clear(struct progress *p);
/** progress_close - wipe the line and give the terminal back */
void progress_close(struct progress *p);

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
	struct state state;
	struct guard guard;
	bool applied;  /* the profile is in force */
	int exit_code; /* of a switch that failed, else 0 */
	int signal;    /* that stopped it, else 0 */
};

/** trial_note - a line on stderr, unless -q is given */
void trial_note(const struct trial_session *s, const char *fmt, ...) _printf_(2, 3);

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
 * trial_gate_board - peer, route, interface, plan, temperature: before anything is asked
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
