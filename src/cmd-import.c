// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-import.c - import: what other programs were told about clocks, as a profile
#include "cmd.h"
#include "profile/import.h"

/* What the board has and what the profile would make of it, as plan shows it. */
static int show_diff(struct cmd *c, const char *file, const char *text)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	_cleanup_(plan_clear) struct plan plan = { 0 };
	int r = profile_load_text(&c->sys.root, file, text, strlen(text), &p, &errors);

	if (r == 0)
		r = plan_build(&c->sys, p, PLAN_ALL, &plan, &errors);
	if (errors.n)
		return cmd_errors(&errors);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	if (plan.n && !c->quiet)
		cmd_print_plan(c, &plan, false);
	return EXIT_AS_WANTED;
}

static void tell_missing(const char *file, struct profile_errors *errors)
{
	if (file)
		profile_error_add(errors, file, 0, "%s", strerror(ENOENT));
	else
		profile_error_add(errors, IMPORT_CPUFREQUTILS_FILE, 0,
				  _("%s; give the FILE that sets the clocks here, or "
				    "start from a profile that \"boardtune list\" shows"),
				  strerror(ENOENT));
}

int cmd_import(struct cmd *c, int argc, char **argv)
{
	_cleanup_(import_board_clear) struct import_board board = { 0 };
	_cleanup_(profile_errors_clear) struct profile_errors remarks = { 0 };
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(import_file_clear) struct import_file file = { 0 };
	const char *name = argc == 2 ? argv[1] : NULL;
	_cleanup_free_ char *profile = NULL;
	bool diff = c->opt[OPT_DIFF];
	int r;

	if (argc > 2)
		return cmd_usage(c, _("expected at most one file"));
	r = import_open(&c->sys.root, name, &file, &remarks, &errors);
	if (r == -ENOENT)
		tell_missing(name, &errors);
	if (r == 0)
		r = import_board_read(&c->sys.root, &board);
	if (r == 0)
		r = import_translate(&file, &board, diff, &profile, &remarks, &errors);
	if (remarks.n && !c->quiet)
		cmd_errors(&remarks);
	if (errors.n)
		return cmd_errors(&errors);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	if (diff)
		return show_diff(c, file.source.path, profile);
	fputs(profile, stdout);
	return EXIT_AS_WANTED;
}
