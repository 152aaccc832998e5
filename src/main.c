// SPDX-License-Identifier: GPL-2.0-or-later
// main.c - the command table, global options, locale, exit code
#include "config.h"

#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <sys/stat.h>

#include "cmd.h"

static const struct {
	const char *name;
	int (*run)(struct cmd *c, int argc, char **argv);
	const char *group; /* a heading before it */
	const char *arguments;
	const char *help;
} commands[] = {
	{ "setup", cmd_setup, N_("Set up"), "",
	  N_("guided: from this board to a tried profile at boot") },
	{ "recommend", cmd_recommend, NULL, "",
	  N_("the profile that fits this board, and why") },
	{ "list", cmd_list, NULL, "", N_("the profiles there are") },
	{ "show", cmd_show, NULL, "PROFILE",
	  N_("the merged profile, values with their "
	     "origin") },
	{ "import", cmd_import, NULL, "[FILE]",
	  N_("what cpufrequtils, cpupower or UCI set, as a profile") },
	{ "plan", cmd_plan, NULL, "PROFILE", N_("what apply would change") },
	{ "apply", cmd_apply, NULL, "PROFILE",
	  N_("change, read back, undo all if refused") },
	{ "trial", cmd_trial, NULL, "PROFILE --peer HOST",
	  N_("measure before and after, judge, keep or revert") },
	{ "enable", cmd_enable, NULL, "PROFILE|auto", N_("apply it at each boot") },
	{ "disable", cmd_disable, NULL, "", N_("no longer at boot") },
	{ "status", cmd_status, N_("Check"), "",
	  N_("temperatures, clocks, interrupts, NICs") },
	{ "verify", cmd_verify, NULL, "[PROFILE]",
	  N_("do the settings still hold?") },
	{ "doctor", cmd_doctor, NULL, "",
	  N_("rivals and conflicts, and what ends them") },
	{ "revert", cmd_revert, N_("Undo"), "",
	  N_("what was there before the first apply") },
	{ "confirm", cmd_confirm, NULL, "", N_("keep an apply that waits") },
	{ "measure", cmd_measure, N_("Measure"), "--peer HOST",
	  N_("throughput and what it costs, as it stands") },
	{ "runs", cmd_runs, NULL, "", N_("the saved runs of trials") },
	{ "compare", cmd_compare, NULL, "RUN RUN", N_("two saved runs side by side") },
	{ "report", cmd_report, NULL, "[RUN]",
	  N_("a saved run as text, Markdown, JSON, CSV, HTML") },
	{ "serve", cmd_serve, NULL, "",
	  N_("be the peer: a server for iperf3 clients") },
	{ "watch", cmd_watch, N_("Experts"), "",
	  N_("report what drifts, and who probably wrote it") },
	{ "snapshot", cmd_snapshot, NULL, "[FILE]",
	  N_("this board as a file for --board, or a report") },
};

static int help(const char *command)
{
	const char *only = NULL;

	for (size_t i = 0; command && i < ARRAY_SIZE(commands); i++)
		if (streq(commands[i].name, command))
			only = command;
	if (!only)
		fputs(_("Usage: boardtune COMMAND [ARGUMENTS] [OPTIONS]\n"
			"Tunes router-class boards and proves that it helped.\n"),
		      stdout);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		char left[64];

		if (only && streq(commands[i].name, only))
			printf(_("Usage: boardtune %s%s%s\n%s\n"), only,
			       *commands[i].arguments ? " " : "", commands[i].arguments,
			       _(commands[i].help));
		if (only)
			continue;
		if (commands[i].group)
			printf("\n%s:\n", _(commands[i].group));
		snprintf(left, sizeof(left), "  %s %s", commands[i].name,
			 commands[i].arguments);
		text_pad(stdout, left, 30);
		puts(_(commands[i].help));
	}
	puts(_("\nOptions:"));
	options_help(stdout, only);
	puts(_("\nSee boardtune(8) and boardtune.ini(5)."));
	return EXIT_AS_WANTED;
}

/* Before anything is done, as it is saved at the very end. */
static int check_directory_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	_cleanup_free_ char *dir = slash ? strndup(file, (size_t)(slash - file) + 1)
					 : strdup(".");

	if (!dir)
		return -ENOMEM;
	return access(dir, W_OK | X_OK) < 0 ? -errno : 0;
}

static int open_system(struct cmd *c)
{
	const char *file = c->opt[OPT_BOARD], *dir = c->opt[OPT_SYSROOT];
	const char *save = c->opt[OPT_BOARD_SAVE];
	struct board_error error = { 0 };
	int r;

	if (!dir)
		dir = c->opt[OPT_ROOT];
	if (file && dir)
		return cmd_usage(c, _("--board and --sysroot exclude each other"));
	if (save && !file && !dir)
		return cmd_usage(c, _("--board-save goes with --board or --sysroot"));
	r = save ? check_directory_of(save) : 0;
	if (r < 0)
		return cmd_usage(c, "--board-save=%s: %s", save, strerror(-r));
	if (file)
		r = board_open_recording(file, &c->sys, &error);
	else if (dir)
		r = board_open_dir(dir, &c->sys, &error);
	else
		r = board_open_live(&c->sys);
	if (r == 0)
		return 0;
	if (r == -EBADMSG && error.line)
		fprintf(stderr, "%s%s:%u: %s\n", file ? file : dir, file ? "" : "/.board",
			error.line, error.text);
	else
		cmd_error("%s: %s",
			  file	? file
			  : dir ? dir
				: "/",
			  error.text[0] ? error.text : strerror(-r));
	return EXIT_USAGE;
}

static int run(struct cmd *c, int argc, char **argv)
{
	const char *nearest = NULL;
	unsigned best = 3;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		unsigned d = str_distance(commands[i].name, argv[0]);
		int code, r;

		if (d < best) {
			best = d;
			nearest = commands[i].name;
		}
		if (d)
			continue;
		code = open_system(c);
		if (code)
			return code;
		code = commands[i].run(c, argc, argv);
		r = c->opt[OPT_BOARD_SAVE] ? board_save(&c->sys, c->opt[OPT_BOARD_SAVE])
					   : 0;
		if (r < 0) {
			cmd_error("%s: %s", c->opt[OPT_BOARD_SAVE], strerror(-r));
			code = code ? code : EXIT_NOT_AS_WANTED;
		}
		system_close(&c->sys);
		return code;
	}
	c->name = NULL;
	if (nearest)
		return cmd_usage(c, _("no command \"%s\"; did you mean %s?"), argv[0],
				 nearest);
	return cmd_usage(c, _("no command \"%s\""), argv[0]);
}

/* What was printed has to arrive, too. */
static int finish(int code)
{
	if (fflush(stdout) != EOF || code)
		return code;
	cmd_error("stdout: %s", strerror(errno));
	return EXIT_NOT_AS_WANTED;
}

/* A plan that grows is moved as a mapping of its own and leaves no hole in the heap:
 * the peak of an apply of 40 settings is 130 KiB lower. Others do so by themselves. */
static void tune_heap(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 16 << 10);
#endif
}

int main(int argc, char **argv)
{
	struct cmd c = { .sys = SYSTEM_INIT, .stop_fd = -1 };
	const char *no_color = getenv("NO_COLOR");
	int code;

	tune_heap();
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C"); /* numbers are read by scripts */
	bindtextdomain(PACKAGE, LOCALEDIR);
	textdomain(PACKAGE);
	umask(022);
	signal(SIGPIPE, SIG_IGN); /* who reads our output does not decide on the board */
	if (options_parse(&c, argc, argv, &argc, &argv) < 0)
		return EXIT_USAGE;
	if (c.opt[OPT_VERSION])
		return finish(puts(PACKAGE_STRING) == EOF ? EXIT_NOT_AS_WANTED : 0);
	if (c.opt[OPT_HELP])
		return finish(help(c.name));
	if (argc == 0)
		return cmd_usage(&c, _("which command?"));
	if (streq(argv[0], "help"))
		return finish(help(argv[1]));
	c.json = c.opt[OPT_JSON];
	if (c.json)
		setlocale(LC_MESSAGES, "C"); /* notes are for scripts as well */
	c.quiet = c.opt[OPT_QUIET];
	c.color = isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
		  !c.opt[OPT_NO_COLOR];
	code = finish(run(&c, argc, argv));
	close_fd(&c.stop_fd);
	return code;
}
