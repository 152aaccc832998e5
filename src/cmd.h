/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd.h - what main.c and the commands share; only these files print */
#ifndef BOARDTUNE_CMD_H
#define BOARDTUNE_CMD_H

#include <jansson.h>

#include "base/service.h"
#include "base/text.h"
#include "board/board.h"
#include "board/identity.h"
#include "engine/apply.h"
#include "measure/leg.h"
#include "profile/profile.h"

/* Exit codes, design section 2 and boardtune(8). */
enum {
	EXIT_AS_WANTED = 0,
	EXIT_NOT_AS_WANTED = 1,
	EXIT_USAGE = 2,
	EXIT_UNDO_INCOMPLETE = 3,
	EXIT_NOT_PERMITTED = 4,
	EXIT_NOTHING_TO_DO_IT_WITH = 5,
	EXIT_INCONCLUSIVE = 6,
	/* 128 + signal when stopped by one */
};

/* Every option of every command; the table is in options.c. */
enum option_id {
	OPT_HELP,
	OPT_VERSION,
	OPT_JSON,
	OPT_NO_COLOR,
	OPT_VERBOSE,
	OPT_QUIET,
	OPT_BOARD,
	OPT_BOARD_SAVE,
	OPT_SYSROOT,
	OPT_BEST_EFFORT, /* apply */
	OPT_BOOT,
	OPT_LATE,
	OPT_FORCE,
	OPT_DIFF,        /* import */
	OPT_CONFIRM,
	OPT_NO_CONFIRM,
	OPT_PEER,        /* trial */
	OPT_PORT,
	OPT_NIC,
	OPT_CELLS,
	OPT_TIME,
	OPT_OMIT,
	OPT_PAIRS,
	OPT_QUICK,
	OPT_KEEP,
	OPT_MAX_TEMP,
	OPT_LABEL,
	OPT_YES,
	OPT_DEMO,
	OPT_STREAMS,
	OPT_ZERO_COPY,
	OPT_NO_WAIT,
	OPT_JSON_LINES,
	OPT_BIND,        /* serve */
	OPT_ONCE,
	OPT_UDP,         /* measure */
	OPT_BITRATE,
	OPT_REPEAT,
	OPT_SAVE,
	OPT_ROOT,        /* enable, disable */
	OPT_NOW,
	OPT_TAKE_OVER,
	OPT_ENFORCE,     /* watch */
	OPT_FORMAT,      /* report */
	OPT_OUTPUT,
	OPT_REDACT,
	OPT_CLOCKS,      /* status */
	OPT_MAX_,
};

struct cmd {
	const char *name;      /* the command */
	struct system sys;     /* opened by main.c before the command runs */
	const char *opt[OPT_MAX_]; /* NULL: not given; "" for an option without a value */
	bool json, quiet, color;
	int stop_fd;           /* signalfd of INT, TERM and HUP; -1 until asked for */
};

/**
 * options_parse - options before or after the command and its arguments
 * @ret_argc, @ret_argv: what remains: the command and its arguments, in argv's order
 *
 * Unknown options, and those of another command, end in a usage error. Returns 0, or -1
 * after having said what is wrong.
 */
int options_parse(struct cmd *c, int argc, char **argv, int *ret_argc, char ***ret_argv);

/**
 * options_number - the value of an option as a decimal number without sign or exponent
 * @whole: no fraction
 * @ret: untouched if the option is not given
 *
 * Returns 0, or EXIT_USAGE after having said what is wrong.
 */
int options_number(const struct cmd *c, enum option_id id, double min, double max,
		   bool whole, double *ret);

/**
 * options_rate - the same in bit/s, with an optional k, M or G for powers of 1000
 */
int options_rate(const struct cmd *c, enum option_id id, double min, double max,
		 double *ret);

/** options_label - --label, "" for none; 0 or EXIT_USAGE, as all of these */
int options_label(const struct cmd *c, const char **ret);
/** options_cells - --cells, else those of a full trial */
int options_cells(const struct cmd *c, struct cell_list *ret);
/** options_streams - --streams, else one */
int options_streams(const struct cmd *c, unsigned *ret);

/** options_help - the options of a command (NULL: those of all) on @f */
void options_help(FILE *f, const char *command);

/* Each command: argv[0] is its name, then the arguments; returns the exit code. */
int cmd_list(struct cmd *c, int argc, char **argv);
int cmd_setup(struct cmd *c, int argc, char **argv);
int cmd_recommend(struct cmd *c, int argc, char **argv);
int cmd_show(struct cmd *c, int argc, char **argv);
int cmd_import(struct cmd *c, int argc, char **argv);
int cmd_plan(struct cmd *c, int argc, char **argv);
int cmd_apply(struct cmd *c, int argc, char **argv);
/** cmd_apply_nic - apply --boot --nic NAME: what the boot profile says of an interface */
int cmd_apply_nic(struct cmd *c, const char *name);
/** cmd_apply_late - apply --boot --late: the same of clocks and thermal zones */
int cmd_apply_late(struct cmd *c);
int cmd_verify(struct cmd *c, int argc, char **argv);
int cmd_revert(struct cmd *c, int argc, char **argv);
int cmd_confirm(struct cmd *c, int argc, char **argv);
int cmd_trial(struct cmd *c, int argc, char **argv);
int cmd_measure(struct cmd *c, int argc, char **argv);
int cmd_serve(struct cmd *c, int argc, char **argv);
int cmd_enable(struct cmd *c, int argc, char **argv);
int cmd_disable(struct cmd *c, int argc, char **argv);
int cmd_status(struct cmd *c, int argc, char **argv);
/** cmd_status_clocks - status --clocks: the clocks alone, with all that is known */
int cmd_status_clocks(struct cmd *c);
int cmd_runs(struct cmd *c, int argc, char **argv);
int cmd_compare(struct cmd *c, int argc, char **argv);
int cmd_report(struct cmd *c, int argc, char **argv);
int cmd_doctor(struct cmd *c, int argc, char **argv);
int cmd_watch(struct cmd *c, int argc, char **argv);
int cmd_snapshot(struct cmd *c, int argc, char **argv);

/** cmd_error - "boardtune: text" on stderr, whatever -q says */
void cmd_error(const char *fmt, ...) _printf_(1, 2);

/** cmd_note - a line on stderr, unless -q is given */
void cmd_note(const struct cmd *c, const char *fmt, ...) _printf_(2, 3);

/** cmd_usage - error, then where help is; returns EXIT_USAGE */
int cmd_usage(const struct cmd *c, const char *fmt, ...) _printf_(2, 3);

/** cmd_errors - every profile error as FILE:LINE: text on stderr; returns EXIT_USAGE */
int cmd_errors(const struct profile_errors *errors);

/** cmd_exit_of - the exit code of a file that could not be written */
int cmd_exit_of(int error);

/**
 * cmd_where - the options that name a recorded or copied board, for a next command
 *
 * " --board FILE" or " --sysroot DIR" as given, quoted for a shell where that is needed;
 * "" on a live board. Returns @buf.
 */
#define CMD_WHERE_MAX 1100
const char *cmd_where(const struct cmd *c, char buf[static CMD_WHERE_MAX]);

/** cmd_need_root - 0, or EXIT_NOT_PERMITTED with a message (live boards only) */
int cmd_need_root(const struct cmd *c);

/** cmd_keep_capabilities - caps_keep(); 0, or EXIT_NOT_PERMITTED with a message */
int cmd_keep_capabilities(const unsigned *keep, size_t n);

/** cmd_load_profile - load or say every error; 0 or an exit code */
int cmd_load_profile(struct cmd *c, const char *name, struct profile **ret);

/** cmd_is_for_board - it names no board, or one that this one is compatible with */
bool cmd_is_for_board(const struct cmd *c, const struct profile *p);

/** cmd_board_name - as a profile would name it, else the model */
const char *cmd_board_name(const struct identity *id);

/** cmd_check_board - 0, or EXIT_NOTHING_TO_DO_IT_WITH: it is for another board */
int cmd_check_board(struct cmd *c, const struct profile *p);

/**
 * cmd_confine - have this process write to settings and to its own directories only
 *
 * For what is started at boot; of a live board, as confine_writes() has it. With a file
 * of ours in STATE_DIR, as the lock: a process that ends removes the empty one, and what
 * is made in its place is not this one.
 */
void cmd_confine(const struct cmd *c);

/**
 * cmd_signals - block SIGINT, SIGTERM and SIGHUP and watch them through c->stop_fd
 *
 * Returns 0 or -errno.
 */
int cmd_signals(struct cmd *c);
/** cmd_signal - the signal that arrived, 0 if none did yet */
int cmd_signal(struct cmd *c);

/**
 * cmd_confirm_seconds - how long an apply has to wait for a confirmation
 *
 * As --confirm says, else 120 s if an SSH session goes through a NIC that the profile
 * changes. Returns 0 for none, negative after a usage error.
 */
int cmd_confirm_seconds(struct cmd *c, const struct profile *p);

/* apply --boot of the enabled profile, in this order: cmd-boot-apply.c. */

/** cmd_boot_off - whether this boot is to go without boardtune; says so */
bool cmd_boot_off(struct cmd *c);

/**
 * cmd_boot_begin - the mark of design section 9, before the first write
 * @ret_marked: it was set now: what was applied before has proved itself. Not so on a
 *	copied board without boots
 *
 * On a live board the guard, which confirms or reverts, is started, too. Returns 0 or an
 * exit code: an earlier boot was cut off, or no mark can be written.
 */
int cmd_boot_begin(struct cmd *c, const char *profile, bool *ret_marked);

/** cmd_boot_end - what was applied in this boot is known from now on; the lock is held */
void cmd_boot_end(struct cmd *c, const char *profile, const struct plan *plan,
		  bool marked, int error);

/**
 * cmd_boot_add - what came later has to prove itself with the rest of this boot
 *
 * If that has done so already, it need not. The lock is held.
 */
void cmd_boot_add(struct cmd *c, const char *profile, const struct plan *plan);

/** cmd_boot_status - what "systemctl status" shows of a unit */
void cmd_boot_status(const char *text);

/** cmd_boot_tell - one line for the journal, and for cmd_boot_status() */
void cmd_boot_tell(enum service_message message, int priority, const char *profile,
		   const char *text);

/** cmd_boot_report - the journal's lines and the status of the unit */
void cmd_boot_report(const char *profile, const struct plan *plan, int code);

/** cmd_boot_unproven - what this boot has applied, or applies now, has to prove itself */
bool cmd_boot_unproven(const struct cmd *c);

/**
 * cmd_change_text - "net:wan tso of eth1: refused (EOPNOTSUPP), wanted off", and its note
 *
 * The caller frees it; NULL when out of memory.
 */
char *cmd_change_text(const struct change *c);

/**
 * cmd_log_change - a line for the journal about one setting, with its fields
 * @writer: who probably wrote it; NULL: nobody to name
 * @text: the line; NULL: cmd_change_text()
 */
void cmd_log_change(enum service_message message, int priority, const char *profile,
		    const struct change *c, const char *writer, const char *text);

/** cmd_rival_fights - whether it writes a key that a profile sets */
struct rival_state;
bool cmd_rival_fights(const struct rival_state *s, const struct profile *p);

/** cmd_confirm_boot - confirm --boot: when a boot has proved itself, or not; exit code */
int cmd_confirm_boot(struct cmd *c);

/** cmd_confirm_wait - wait on the terminal for Enter, or what else decides; exit code */
int cmd_confirm_wait(struct cmd *c, struct state *st, struct guard *guard,
		     unsigned seconds);

/**
 * cmd_lock, cmd_lock_new - state_lock with messages; 0 or an exit code
 *
 * For what changes something new (apply, trial) it is refused while an earlier apply
 * waits for its confirmation: the guard must put back what that one changed, no more.
 */
int cmd_lock(struct cmd *c, unsigned wait_ms, struct state *ret);
int cmd_lock_new(struct cmd *c, unsigned wait_ms, struct state *ret);

/**
 * cmd_print_plan - the table of a plan, apply, verify or revert
 * @changed_only: leave out what is ok
 */
void cmd_print_plan(const struct cmd *c, const struct plan *plan, bool changed_only);

/** cmd_error_plan - what failed in a plan, a line each on stderr, for use with --json */
void cmd_error_plan(const struct plan *plan);

/** cmd_json_plan - FORMATS: JSON of plan, apply, verify, revert; prints it */
int cmd_json_plan(struct cmd *c, const char *profile, const struct plan *plan,
		  int exit_code);

/** cmd_json_done - { schema, command, profile, exit } of a command without rows */
int cmd_json_done(const struct cmd *c, const char *profile, int exit_code);

/** cmd_json_print - one document on stdout, consumed; EXIT_NOT_AS_WANTED if it failed */
int cmd_json_print(json_t *doc);

/** cmd_json_print_line - the same, as one line */
int cmd_json_print_line(json_t *doc);

/** cmd_json_board - { model, compatible, kernel } */
json_t *cmd_json_board(const struct cmd *c);

#endif
