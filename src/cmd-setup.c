// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-setup.c - setup: from a board to a tried profile at boot, question by question
#include "cmd-setup.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "cmd-recommend.h"
#include "cmd-trial.h"
#include "engine/boot.h"
#include "engine/takeover.h"

#define ANSWER_MAX 256
#define ARGUMENTS_MAX 16 /* of a command, with those that every one gets */
#define NO_PEER "-"

/* What a step comes to, beside 0 (go on) and an exit code. */
enum {
	SETUP_END = -1,   /* nothing more is to be done, as wanted */
	SETUP_AGAIN = -2, /* the question once more */
};

struct setup {
	struct cmd *c;
	char where[CMD_WHERE_MAX];
	bool terminal;    /* answers are typed: commands may ask for themselves */
	char *name;       /* of the profile that was chosen */
	struct profile *profile;
	size_t due;       /* settings that change */
	bool take_over;   /* the rivals, by enable */
	bool in_force;    /* the profile is, by what was done here */
	char *next;       /* the command that goes on from here */
};

/* ---- questions ---- */

/* A line without its end, read byte by byte: the rest is for the next question. 0;
 * -ENODATA: no more answers; -EINTR: a signal. */
static int read_line(const struct setup *s, char ret[static ANSWER_MAX])
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = s->c->stop_fd, .events = POLLIN } };
	size_t n = 0;
	char byte;

	for (;;) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (fds[1].revents)
			return -EINTR;
		if (read(STDIN_FILENO, &byte, 1) != 1)
			return -ENODATA;
		if (byte == '\n')
			break;
		/* what is too long is no valid answer to anything */
		if (n < ANSWER_MAX - 1)
			ret[n++] = byte;
	}
	ret[n] = '\0';
	str_chomp(ret);
	return 0;
}

/* "QUESTION [PRESET] "; an empty answer is the preset. As read_line(). */
static int ask(const struct setup *s, const char *question, const char *preset,
	       char ret[static ANSWER_MAX])
{
	int r;

	printf("\n%s [%s] ", question, preset);
	fflush(stdout);
	r = read_line(s, ret);
	if (r < 0) {
		putchar('\n');
		return r;
	}
	if (!ret[0])
		snprintf(ret, ANSWER_MAX, "%s", preset);
	if (!s->terminal)
		puts(ret);
	return 0;
}

/* 1 yes, 0 anything else, or as read_line(); an empty answer is yes. */
static int ask_yes(const struct setup *s, const char *question)
{
	char answer[ANSWER_MAX];
	int r = ask(s, question, "Y/n", answer);

	if (r < 0)
		return r;
	return streq(answer, "Y/n") || trial_answer_is_yes(answer, _("y"));
}

static int set_next(struct setup *s, const char *arguments)
{
	char *next = str_format("boardtune %s%s", arguments, s->where);

	if (!next)
		return -ENOMEM;
	free(s->next);
	s->next = next;
	return 0;
}

/* The command that a step of ours is. */
static void print_head(const struct setup *s, const char *command, const char *name)
{
	printf("\n$ boardtune %s%s%s%s\n\n", command, *name ? " " : "", name, s->where);
}

/* What is left behind, and how to go on. */
static void tell_rest(const struct setup *s)
{
	_cleanup_free_ char *text = NULL;
	unsigned left;

	if (guard_pending(&s->c->sys, &left) > 0)
		text = str_format(_("Within %u s everything is as it was, unless it is "
				    "confirmed."),
				  left);
	else if (s->in_force)
		text = str_format(_("%s is in force until the next boot; \"boardtune "
				    "revert%s\" takes it back."),
				  s->name, s->where);
	else
		text = strdup(_("Nothing of the board was changed, or it was put back."));
	if (text)
		text_wrap(stdout, text, 0, 0);
	printf(_("To go on: \"%s\".\n"), s->next);
}

/* No answer: the exit code. */
static int stop(struct setup *s, int error)
{
	int sig = error == -EINTR ? cmd_signal(s->c) : 0;

	if (error == -EINTR)
		cmd_error(_("stopped by a signal"));
	else if (error == -ENODATA)
		cmd_error(_("no more answers: stopped"));
	else
		cmd_error("%s", strerror(-error));
	tell_rest(s);
	return sig ? 128 + sig : EXIT_NOT_AS_WANTED;
}

/* ---- commands ---- */

static void print_command(const char *const *argv)
{
	fputs("\n$", stdout);
	for (; *argv; argv++) {
		bool plain = !(*argv)[strcspn(*argv, " \t\"\\$`&;()<>|*?#~!")];

		printf(plain ? " %s" : " '%s'", *argv);
	}
	puts("\n");
	fflush(stdout);
}

_Noreturn static void exec_command(const struct setup *s, const char *const *argv)
{
	sigset_t set;
	int null;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigfillset(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* the answers that are left are for our questions */
	null = s->terminal ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	execv("/proc/self/exe", (char *const *)argv);
	_exit(127);
}

/*
 * Run a command of ours as the user would: what it drops, locks or asks is its own
 * affair. A signal of the terminal reaches it, too: it ends, and then we do. Without us
 * it is told to end.
 *
 * Returns its exit code or -errno.
 */
static int run_command(const struct setup *s, const char *const *arguments)
{
	const char *argv[ARGUMENTS_MAX] = { "boardtune" };
	size_t n = 1;
	int status;
	pid_t pid;

	while (*arguments && n < ARGUMENTS_MAX - 4)
		argv[n++] = *arguments++;
	if (s->c->opt[OPT_SYSROOT]) {
		argv[n++] = "--sysroot";
		argv[n++] = s->c->opt[OPT_SYSROOT];
	}
	if (s->c->opt[OPT_NO_COLOR])
		argv[n++] = "--no-color";
	print_command(argv);
	pid = fork();
	if (pid == 0)
		exec_command(s, argv);
	if (pid < 0)
		return -errno;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Whether the profile is in force now, by the undo record. */
static int look_in_force(struct setup *s)
{
	_cleanup_(record_clear) struct record rec = { 0 };
	_cleanup_free_ char *text = NULL;
	int r = state_load(&s->c->sys, &rec, &text);

	if (r < 0) {
		cmd_error("undo.json: %s", text ? text : strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	s->in_force = rec.profile && streq(rec.profile, s->name);
	return 0;
}

/* A command did not do what is needed to go on. */
static int end_with(struct setup *s, int code)
{
	int r;

	if (code < 0)
		return stop(s, code);
	r = look_in_force(s);
	putchar('\n');
	if (!r)
		tell_rest(s);
	return code ? code : SETUP_END;
}

/* ---- the steps, in their order: 0 to go on, SETUP_END, or an exit code ---- */

/* A profile by its name that is for this board. SETUP_AGAIN after saying why not. */
static int take_profile(struct setup *s, const char *name)
{
	_cleanup_(profile_freep) struct profile *p = NULL;

	if (!boot_name_valid(name)) {
		cmd_error(_("\"%s\" is no profile's name; expected one that \"boardtune "
			    "list\" shows"),
			  name);
		return SETUP_AGAIN;
	}
	if (cmd_load_profile(s->c, name, &p) || cmd_check_board(s->c, p))
		return SETUP_AGAIN;
	s->name = strdup(name);
	if (!s->name)
		return stop(s, -ENOMEM);
	s->profile = TAKE_PTR(p);
	return 0;
}

static int choose_profile(struct setup *s)
{
	_cleanup_(cmd_recommend_clear) struct recommend_look look = { 0 };
	char answer[ANSWER_MAX];
	int r = cmd_recommend_look(s->c, &look);

	if (r)
		return r;
	print_head(s, "recommend", "");
	cmd_recommend_tell_broken(&look);
	if (!look.list.n)
		return cmd_recommend_tell_none(&look);
	r = cmd_recommend_tell(&look);
	if (r < 0)
		return stop(s, r);
	do {
		r = ask(s, _("Which profile?"), look.list.fits[0].name, answer);
		r = r < 0 ? stop(s, r) : take_profile(s, answer);
	} while (r == SETUP_AGAIN);
	return r;
}

static int show_plan(struct setup *s)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_free_ char *next = str_format("plan %s", s->name);
	_cleanup_(plan_clear) struct plan plan = { 0 };
	int r = next ? set_next(s, next) : -ENOMEM;

	if (r == 0)
		r = plan_build(&s->c->sys, s->profile, PLAN_ALL, &plan, &errors);
	if (errors.n)
		return cmd_errors(&errors);
	for (size_t i = 0; i < plan.n; i++)
		s->due += change_due(&plan.changes[i]);
	if (r == 0) {
		print_head(s, "plan", s->name);
		r = setup_tell_plan(&plan);
	}
	if (r < 0)
		return stop(s, r);
	if (!plan_failures(&plan))
		return 0;
	putchar('\n');
	cmd_error_plan(&plan);
	cmd_error(_("this cannot be set here, so nothing would be; in a profile of your "
		    "own put \"-\" before those keys"));
	tell_rest(s);
	return EXIT_NOT_AS_WANTED;
}

/* One that writes the same. 1 if enable can take it over, 0, -ENOMEM. */
static int tell_rival(const struct rival_state *state)
{
	_cleanup_free_ char *text = NULL;
	char end[RIVAL_END_MAX];

	text = str_format(_("%s writes the same: %s"), state->rival->name,
			  _(state->rival->what));
	if (!text)
		return -ENOMEM;
	text_wrap(stdout, text, 0, 2);
	printf(_("  To end it: %s\n"), rival_end(state, end));
	return takeover_can(state);
}

static int meet_rivals(struct setup *s)
{
	_cleanup_rivals_ struct rival_list rivals = { 0 };
	bool can = false, any = false;
	int bus, r = rivals_find(&s->c->sys, &rivals, &bus);

	print_head(s, "doctor", "");
	for (size_t i = 0; r >= 0 && i < rivals.n; i++) {
		const struct rival_state *state = &rivals.states[i];

		if (!rival_works(state) || !cmd_rival_fights(state, s->profile))
			continue;
		any = true;
		r = tell_rival(state);
		can |= r == 1;
	}
	if (r >= 0 && !any)
		puts(_("Nobody else writes the same settings."));
	if (r >= 0 && can)
		r = ask_yes(s, _("Disable them once it is enabled at boot (\"disable\" "
				 "gives them back)?"));
	if (r < 0)
		return stop(s, r);
	s->take_over = can && r == 1;
	return 0;
}

/* 0 or an exit code: the profile is in force, or not, and that is known. */
static int after_command(struct setup *s, int code)
{
	int r;

	if (code < 0 || (code != EXIT_AS_WANTED && code != EXIT_NOT_AS_WANTED &&
			 code != EXIT_INCONCLUSIVE))
		return end_with(s, code);
	r = look_in_force(s);
	if (r)
		return r;
	return s->in_force ? 0 : end_with(s, code);
}

/* Options of the trial that setup takes for it. */
static const struct {
	enum option_id id;
	const char *name;
	bool has_value;
} trial_options[] = {
	{ OPT_QUICK, "--quick", false },
	{ OPT_NO_WAIT, "--no-wait", false },
	{ OPT_CELLS, "--cells", true },
	{ OPT_TIME, "--time", true },
};

static void add_trial_options(const struct setup *s, const char **arguments)
{
	for (size_t i = 0; i < ARRAY_SIZE(trial_options); i++) {
		const char *value = s->c->opt[trial_options[i].id];

		if (value)
			*arguments++ = trial_options[i].name;
		if (value && trial_options[i].has_value)
			*arguments++ = value;
	}
	if (!s->terminal)
		*arguments++ = "--yes";
}

/* The trial asks for itself on a terminal, also what is kept. */
static int measure(struct setup *s, const char *peer)
{
	const char *arguments[ARGUMENTS_MAX] = { "trial", s->name, "--peer", peer };
	_cleanup_free_ char *next = str_format("trial %s --peer %s", s->name, peer);
	int r = next ? set_next(s, next) : -ENOMEM;

	if (r == 0 && !s->terminal) {
		r = ask_yes(s, _("Measure now, and keep the profile if it is not "
				 "worse?"));
		if (r == 0)
			return end_with(s, EXIT_NOT_AS_WANTED);
	}
	if (r < 0)
		return stop(s, r);
	add_trial_options(s, arguments + 4);
	r = run_command(s, arguments);
	/* no such peer, or the cable is not in */
	return r == EXIT_NOTHING_TO_DO_IT_WITH ? SETUP_AGAIN : after_command(s, r);
}

/* Nobody is at a terminal for apply to ask. */
static int confirm(struct setup *s)
{
	const char *const arguments[] = { "confirm", NULL };
	unsigned left;
	int r;

	if (guard_pending(&s->c->sys, &left) <= 0)
		return after_command(s, 0);
	r = set_next(s, "confirm");
	if (r == 0)
		r = ask_yes(s, _("Keep it? Otherwise it goes back by itself."));
	if (r < 0)
		return stop(s, r);
	return r ? after_command(s, run_command(s, arguments))
		 : end_with(s, EXIT_NOT_AS_WANTED);
}

static int apply(struct setup *s)
{
	const char *const arguments[] = { "apply", s->name, "--confirm", NULL };
	_cleanup_free_ char *next = str_format("apply %s --confirm", s->name);
	int r = next ? set_next(s, next) : -ENOMEM;

	if (r == 0)
		r = ask_yes(s, _("Set it now, without measuring? It goes back by itself "
				 "after 120 s\nunless you confirm it."));
	if (r < 0)
		return stop(s, r);
	if (r == 0)
		return end_with(s, EXIT_NOT_AS_WANTED);
	r = run_command(s, arguments);
	return r ? end_with(s, r) : confirm(s);
}

static bool is_peer(const char *text)
{
	struct gate_peer peer;

	return text[0] != '-' && gate_peer_parse(text, GATE_PORT, &peer) == 0;
}

static int put_in_force(struct setup *s)
{
	const struct assignment *known = profile_meta(s->profile, "trial", "peer");
	char answer[ANSWER_MAX];
	int r;

	if (!s->due)
		return 0;
	if (!s->c->sys.root.live)
		return apply(s);
	puts(_("\nTo measure before and after, a second machine of this network is "
	       "needed.\nRun there: iperf3 -s (or boardtune serve)"));
	do {
		r = ask(s, _("Its name or address (- for none)?"),
			known ? known->value.word : NO_PEER, answer);
		if (r < 0)
			return stop(s, r);
		if (streq(answer, NO_PEER))
			return apply(s);
		r = SETUP_AGAIN;
		if (is_peer(answer))
			r = measure(s, answer);
		else
			cmd_error(_("\"%s\" is not HOST[:PORT]"), answer);
	} while (r == SETUP_AGAIN);
	return r;
}

static int enable(struct setup *s)
{
	const char *const arguments[] = { "enable", s->name,
					  s->take_over ? "--take-over" : NULL, NULL };
	_cleanup_free_ char *next = str_format("enable %s%s", s->name,
					       s->take_over ? " --take-over" : "");
	int r = next ? set_next(s, next) : -ENOMEM;

	if (r == 0)
		r = ask_yes(s, _("Apply it at each boot?"));
	if (r < 0)
		return stop(s, r);
	if (r == 0)
		return end_with(s, EXIT_AS_WANTED);
	r = run_command(s, arguments);
	if (r)
		return end_with(s, r);
	printf(_("\nDone. Look at it with \"boardtune status%s\"; \"boardtune disable "
		 "--now%s\"\ntakes all of it back.\n"),
	       s->where, s->where);
	return 0;
}

static int run_steps(struct setup *s)
{
	static int (*const steps[])(struct setup *) = {
		choose_profile, show_plan, meet_rivals, put_in_force, enable,
	};
	int r = set_next(s, "setup");

	if (r < 0)
		return stop(s, r);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(steps); i++)
		r = steps[i](s);
	return r == SETUP_END ? EXIT_AS_WANTED : r;
}

int cmd_setup(struct cmd *c, int argc, char **argv)
{
	struct setup s = { .c = c, .terminal = isatty(STDIN_FILENO) };
	int r;

	if (argc != 1)
		return cmd_usage(c, _("%s takes no argument"), c->name);
	if (c->opt[OPT_BOARD])
		return cmd_usage(c, _("setup needs a board that stays: not with "
				      "--board"));
	r = cmd_need_root(c);
	if (r)
		return r;
	r = cmd_signals(c);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	cmd_where(c, s.where);
	setvbuf(stdout, NULL, _IOLBF, 0); /* in order with errors and commands */
	r = run_steps(&s);
	free(s.name);
	free(s.next);
	profile_free(s.profile);
	return r;
}
