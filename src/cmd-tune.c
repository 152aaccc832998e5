// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-tune.c - plan, apply, verify, revert, confirm
#include <syslog.h>

#include "base/service.h"
#include "cmd-recommend.h"
#include "engine/boot-check.h"
#include "engine/boot.h"
#include "profile/recommend.h"
#include "profile/registry.h"

#define LOCK_WAIT_MS 2000
#define BOOT_LOCK_WAIT_MS 30000

/* The one argument; NULL after a usage error. */
static const char *one_argument(struct cmd *c, int argc, char **argv)
{
	if (argc == 2)
		return argv[1];
	cmd_usage(c,
		  argc < 2 ? _("%s needs the name or file of a profile; see \"boardtune "
			       "list\"")
			   : _("%s takes one profile"),
		  c->name);
	return NULL;
}

static size_t count_outcome(const struct plan *plan, enum outcome o)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++)
		n += plan->changes[i].outcome == o && !plan->changes[i].side;
	return n;
}

/* Rows that apply would write, or wrote. */
static size_t count_due(const struct plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++)
		n += change_due(&plan->changes[i]);
	return n;
}

static bool has_row(const struct plan *plan, const struct assignment *a)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->changes[i].setting == a->setting &&
		    plan->changes[i].line == a->line &&
		    streq(plan->changes[i].file, a->file))
			return true;
	return false;
}

/* The governor that the first policy of a section will have; "" if there is none. */
static void governor_to_be(struct cmd *c, const struct assignment *a,
			   const struct plan *plan, struct value *ret)
{
	const struct setting *gov = registry_find("cpufreq", "governor");
	const struct selector sel = profile_selector(a);
	struct target_list list = { 0 };

	*ret = value_word("");
	if (gov->each(&c->sys, gov, &sel, &list) == 0 && list.n &&
	    gov->get(&c->sys, gov, &list.targets[0], ret) < 0)
		*ret = value_word("");
	for (size_t i = 0; i < plan->n && list.n; i++)
		if (plan->changes[i].setting == gov && change_due(&plan->changes[i]) &&
		    streq(plan->changes[i].target.name, list.targets[0].name))
			*ret = plan->changes[i].want;
	target_list_clear(&list);
}

/* Tunables of a governor that will not be in force have no row: say so. */
static void print_unplanned(struct cmd *c, const struct profile *p,
			    const struct plan *plan)
{
	for (size_t i = 0; i < p->n_assignments; i++) {
		const struct assignment *a = &p->assignments[i];
		_cleanup_free_ char *text = NULL;
		struct value gov;

		if (!a->setting->needs || has_row(plan, a))
			continue;
		governor_to_be(c, a, plan, &gov);
		if (!gov.word[0] || knob_meets(a->setting->needs, &gov))
			continue;
		text = str_format(
			_("%s: not planned, the governor will be %s (%s:%u)"),
			a->setting->key, gov.word, a->file, a->line);
		if (text)
			text_wrap(stdout, text, 0, 4);
	}
}

/* A command that fits no line any more has one of its own: it is to be copied. */
static void print_next(const char *command, const char *argument, const char *where)
{
	_cleanup_free_ char *text = str_format("\"boardtune %s%s%s%s\".", command,
					       *argument ? " " : "", argument, where);
	const char *next = _("Next:");
	bool fits = text &&
		    text_width(next) + 1 + text_width(text) <= TEXT_SCREEN_WIDTH;

	if (text)
		printf("%s%s%s\n", next, fits ? " " : "\n", text);
}

/* What to do after a plan or verify. Trials measure: they need a live board. */
static void print_apply_next(struct cmd *c, const struct profile *p, size_t due,
			     size_t failures)
{
	char where[CMD_WHERE_MAX];

	cmd_where(c, where);
	if (!due && !failures)
		return;
	if (!cmd_is_for_board(c, p)) {
		puts(_("apply refuses a profile for another board."));
		print_next("recommend", "", where);
	} else if (failures) {
		printf(_("apply would change nothing. Put \"-\" before the keys that may "
			 "fail, or use\n\"boardtune apply %s%s --best-effort\".\n"),
		       p->name, where);
	} else if (!c->sys.root.live) {
		print_next("apply", p->name, where);
	} else {
		printf(_("Next: \"boardtune apply %s\", or measure it:\n"
			 "\"boardtune trial %s --peer HOST\".\n"),
		       p->name, p->name);
	}
}

static void print_plan_summary(struct cmd *c, const struct profile *p,
			       const struct plan *plan)
{
	size_t due = count_due(plan), failures = plan_failures(plan);
	struct identity id;

	if (plan->n)
		putchar('\n');
	print_unplanned(c, p, plan);
	printf(_("%zu to change, %zu already so"), due, count_outcome(plan, OUTCOME_OK));
	if (failures)
		printf(_(", %zu that cannot be"), failures);
	putchar('\n');
	if (!cmd_is_for_board(c, p)) {
		_cleanup_free_ char *text = NULL;

		identity_read(&c->sys.root, &id);
		text = str_format(_("Note: this profile is for another board (%s); this "
				    "one is %s."),
				  recommend_boards(p), cmd_board_name(&id));
		if (text)
			text_wrap(stdout, text, 0, 0);
	}
	print_apply_next(c, p, due, failures);
}

int cmd_plan(struct cmd *c, int argc, char **argv)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	_cleanup_(plan_clear) struct plan plan = { 0 };
	const char *name = one_argument(c, argc, argv);
	int r;

	if (!name)
		return EXIT_USAGE;
	r = cmd_load_profile(c, name, &p);
	if (r)
		return r;
	r = plan_build(&c->sys, p, PLAN_ALL, &plan, &errors);
	if (errors.n)
		return cmd_errors(&errors);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	for (size_t i = 0; i < plan.n; i++)
		plan.changes[i].now = (struct value) { 0 };
	if (c->json)
		return cmd_json_plan(c, p->name, &plan, EXIT_AS_WANTED);
	if (!c->quiet) {
		cmd_print_plan(c, &plan, false);
		print_plan_summary(c, p, &plan);
	}
	return EXIT_AS_WANTED;
}

static int apply_exit(enum apply_result result)
{
	switch (result) {
	case APPLY_DONE:
		return EXIT_AS_WANTED;
	case APPLY_PARTIAL:
	case APPLY_UNTOUCHED:
	case APPLY_UNDONE:
		return EXIT_NOT_AS_WANTED;
	case APPLY_STUCK:
		break;
	}
	return EXIT_UNDO_INCOMPLETE;
}

/* Where a change of a recorded board is: the file itself stays as it is. */
static void print_recorded(const struct cmd *c)
{
	if (c->opt[OPT_BOARD_SAVE])
		printf(_(" What became of the recorded board is in\n%s.\n"),
		       c->opt[OPT_BOARD_SAVE]);
	else
		puts(_(" The recorded board ends with this command;\n"
		       "--board-save FILE keeps what became of it."));
}

/* What becomes of a change that was made. */
static void print_apply_done(struct cmd *c, const struct plan *plan)
{
	size_t due = count_due(plan);
	char where[CMD_WHERE_MAX];

	printf(_("%zu changed, %zu already so."), due, count_outcome(plan, OUTCOME_OK));
	if (due == 0)
		putchar('\n');
	else if (c->opt[OPT_BOARD])
		print_recorded(c);
	else if (c->opt[OPT_SYSROOT])
		printf(_("\n\"boardtune revert%s\" brings back what was there.\n"),
		       cmd_where(c, where));
	else
		puts(_(" \"boardtune revert\" brings back what was there."));
}

static void print_apply_summary(struct cmd *c, const struct profile *p,
				const struct plan *plan, enum apply_result result)
{
	char where[CMD_WHERE_MAX];

	switch (result) {
	case APPLY_DONE:
		print_apply_done(c, plan);
		return;
	case APPLY_PARTIAL:
		printf(_("%zu changed, %zu already so, %zu failed.\n"), count_due(plan),
		       count_outcome(plan, OUTCOME_OK), plan_failures(plan));
		return;
	case APPLY_UNTOUCHED:
		printf(_("Nothing was changed. Put \"-\" before the keys that may fail, "
			 "or use\n\"boardtune apply %s%s --best-effort\".\n"),
		       p->name, cmd_where(c, where));
		return;
	case APPLY_UNDONE:
		puts(_("Refused; everything is as it was."));
		return;
	case APPLY_STUCK:
		puts(_("Refused, and not everything could be put back: see the rows "
		       "marked stuck.\n\"boardtune revert\" tries again."));
		return;
	}
}

static int apply_report(struct cmd *c, const struct profile *p, const struct plan *plan,
			enum apply_result result, int code)
{
	if (c->json)
		return cmd_json_plan(c, p->name, plan, code) ? EXIT_NOT_AS_WANTED : code;
	if (!c->quiet || code) {
		cmd_print_plan(c, plan, c->quiet);
		if (plan->n)
			putchar('\n');
		print_apply_summary(c, p, plan, result);
	}
	return code;
}

/* Nothing was written, and why. */
static int apply_error(int error, bool told)
{
	if (error == -EBADMSG && told)
		return EXIT_USAGE;
	cmd_error(_("/run/boardtune: %s; nothing was changed"), strerror(-error));
	return cmd_exit_of(error);
}

/* At boot a unit's words go to the journal, one a line, instead of a table. */
static int apply_tell(struct cmd *c, const struct profile *p, const struct plan *plan,
		      enum apply_result result, int code)
{
	if (!c->opt[OPT_BOOT] || !service_managed() || c->json)
		return apply_report(c, p, plan, result, code);
	cmd_boot_report(p->name, plan, code);
	return code;
}

static int apply_and_report(struct cmd *c, const struct profile *p, struct state *st,
			    unsigned seconds, bool enabled)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 };
	struct apply_options opts = { .best_effort = c->opt[OPT_BEST_EFFORT],
				      .boot = c->opt[OPT_BOOT],
				      .confirm_secs = seconds,
				      .stop_fd = c->stop_fd };
	enum apply_result result = APPLY_UNTOUCHED;
	struct guard guard = GUARD_INIT;
	char where[CMD_WHERE_MAX];
	bool marked = false;
	int r, code;

	r = enabled ? cmd_boot_begin(c, p->name, &marked) : 0;
	if (r) {
		state_unlock(&c->sys, st);
		return r;
	}
	r = engine_apply(&c->sys, st, p, &opts, &plan, &result, &guard, &errors);
	/* What is stuck is not as it was: the guard looks after it. */
	if (enabled)
		cmd_boot_end(c, p->name, &plan, marked, result == APPLY_STUCK ? 0 : r);
	state_unlock(&c->sys, st);
	if (errors.n)
		cmd_errors(&errors);
	if (r < 0 && result == APPLY_UNTOUCHED)
		return apply_error(r, errors.n);
	if (r < 0 && r != -EINTR && r != -EBADMSG)
		cmd_error("/run/boardtune: %s", strerror(-r));
	code = apply_exit(result);
	if (r == -EINTR && code != EXIT_UNDO_INCOMPLETE)
		code = 128 + cmd_signal(c);
	code = apply_tell(c, p, &plan, result, code);
	if (!guard.pid)
		return code;
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !c->json) {
		r = cmd_confirm_wait(c, st, &guard, seconds);
		return r ? r : code;
	}
	fprintf(stderr,
		_("boardtune: reverts in %u s unless \"boardtune confirm%s\" comes\n"),
		seconds, cmd_where(c, where));
	return code;
}

/*
 * The profile named on the command line; at boot the one that was enabled. 0, an exit
 * code, or -ENODEV: nothing is to be done on this board, which is said.
 */
static int apply_profile(struct cmd *c, int argc, char **argv, struct profile **ret)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_free_ char *enabled = NULL, *broken = NULL;
	const char *name;
	int r;

	if (argc == 1 && c->opt[OPT_BOOT]) {
		r = boot_profile(&c->sys.root, &enabled, &broken, &errors);
		if (broken)
			cmd_tell_broken(broken);
		if (errors.n)
			return cmd_errors(&errors);
		if (r == -ENODEV) {
			service_log(SERVICE_HELD_OFF, LOG_NOTICE, NULL,
				    _("auto: no profile names this board, nothing is "
				      "applied; see \"boardtune recommend\""));
			return r;
		}
		if (r < 0) {
			cmd_error(_("%s: %s; see \"boardtune enable\""), BOOT_CONF,
				  strerror(-r));
			return EXIT_NOTHING_TO_DO_IT_WITH;
		}
		name = enabled;
	} else {
		name = one_argument(c, argc, argv);
	}
	if (!name)
		return EXIT_USAGE;
	r = cmd_load_profile(c, name, ret);
	return r ? r : cmd_check_board(c, *ret);
}

int cmd_apply(struct cmd *c, int argc, char **argv)
{
	_cleanup_(profile_freep) struct profile *p = NULL;
	bool enabled = argc == 1 && c->opt[OPT_BOOT];
	struct state st = STATE_INIT;
	int r, seconds;

	if ((c->opt[OPT_NIC] || c->opt[OPT_LATE]) && (!c->opt[OPT_BOOT] || argc != 1))
		return cmd_usage(c, _("--nic and --late go with --boot, and with no "
				      "profile"));
	if (c->opt[OPT_NIC])
		return cmd_apply_nic(c, c->opt[OPT_NIC]);
	if (c->opt[OPT_LATE])
		return cmd_apply_late(c);
	if (enabled && cmd_boot_off(c))
		return EXIT_AS_WANTED;
	r = apply_profile(c, argc, argv, &p);
	if (r)
		return r == -ENODEV ? EXIT_AS_WANTED : r;
	r = cmd_need_root(c);
	if (r)
		return r;
	seconds = cmd_confirm_seconds(c, p);
	if (seconds < 0)
		return EXIT_USAGE;
	r = cmd_signals(c);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	r = cmd_lock_new(c, c->opt[OPT_BOOT] ? BOOT_LOCK_WAIT_MS : LOCK_WAIT_MS, &st);
	if (r)
		return r;
	if (c->opt[OPT_BOOT])
		cmd_confine(c);
	return apply_and_report(c, p, &st, seconds, enabled);
}

/* What to verify against: named, else in force by the record, else enabled at boot. */
static int verify_profile(struct cmd *c, int argc, char **argv, const struct record *rec,
			  struct profile **ret)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_free_ char *enabled = NULL;

	if (argc > 2)
		return cmd_usage(c, _("%s takes one profile"), c->name);
	if (argc == 2)
		return cmd_load_profile(c, argv[1], ret);
	if (rec->profile && rec->profile[0])
		return cmd_load_profile(c, rec->profile, ret);
	if (boot_profile(&c->sys.root, &enabled, NULL, &errors) == 0)
		return cmd_load_profile(c, enabled, ret);
	if (errors.n)
		return cmd_errors(&errors);
	cmd_error(_("no profile is in force; name one: \"boardtune verify PROFILE\""));
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

static int verify_report(struct cmd *c, const struct profile *p, const struct plan *plan,
			 bool unfinished)
{
	size_t failures = plan_failures(plan), holding = 0;
	size_t due = count_outcome(plan, OUTCOME_DIFFERS) +
		     count_outcome(plan, OUTCOME_OVERRIDDEN);
	int code = failures ? EXIT_NOT_AS_WANTED : EXIT_AS_WANTED;
	char where[CMD_WHERE_MAX];

	if (c->json)
		return cmd_json_plan(c, p->name, plan, code) ? EXIT_NOT_AS_WANTED : code;
	if (unfinished)
		cmd_error(_("the last apply did not come to its end; \"boardtune "
			    "revert%s\" undoes it"),
			  cmd_where(c, where));
	if (c->quiet && !failures)
		return code;
	cmd_print_plan(c, plan, c->quiet);
	putchar('\n');
	for (size_t i = 0; i < plan->n; i++)
		holding += outcome_success(plan->changes[i].outcome);
	printf(ngettext("%zu setting holds", "%zu settings hold", holding), holding);
	if (plan->n - holding - failures)
		printf(_("; optional and not holding: %zu"),
		       plan->n - holding - failures);
	if (failures)
		printf(_("; not holding: %zu.\n"), failures);
	else
		/* TRANSLATORS: ends the sentence "3 settings hold" */
		puts(_("."));
	print_apply_next(c, p, due, failures - due);
	return code;
}

int cmd_verify(struct cmd *c, int argc, char **argv)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	_cleanup_(plan_clear) struct plan plan = { 0 };
	_cleanup_(record_clear) struct record rec = { 0 };
	_cleanup_free_ char *text = NULL;
	int r;

	r = state_load(&c->sys, &rec, &text);
	if (r == -EBADMSG)
		cmd_error(_("undo.json: %s; who wrote a setting is not known"), text);
	r = verify_profile(c, argc, argv, &rec, &p);
	if (r)
		return r;
	r = plan_build(&c->sys, p, PLAN_ALL, &plan, &errors);
	if (errors.n)
		return cmd_errors(&errors);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	plan_verify(&plan, &rec);
	return verify_report(c, p, &plan, rec.applying);
}

static int revert_report(struct cmd *c, const struct plan *plan, int result)
{
	int code = result ? EXIT_UNDO_INCOMPLETE : EXIT_AS_WANTED;
	size_t stuck = count_outcome(plan, OUTCOME_STUCK);

	if (c->json)
		return cmd_json_plan(c, NULL, plan, code) ? EXIT_NOT_AS_WANTED : code;
	if (c->quiet && !code)
		return code;
	cmd_print_plan(c, plan, c->quiet);
	if (plan->n == 0 && code)
		return code;
	if (plan->n == 0)
		puts(_("Nothing to revert."));
	else if (stuck)
		printf(_("\n%zu settings could not be put back; \"boardtune revert\" "
			 "tries them again.\n"),
		       stuck);
	else if (count_outcome(plan, OUTCOME_MISSING))
		printf(_("\n%zu settings were on devices that are gone; the rest is as "
			 "it was before\nthe first apply.\n"),
		       count_outcome(plan, OUTCOME_MISSING));
	else
		fputs(_("\nEverything is as it was before the first apply."), stdout);
	if (!plan->n || stuck || count_outcome(plan, OUTCOME_MISSING))
		return code;
	if (c->opt[OPT_BOARD])
		print_recorded(c);
	else
		putchar('\n');
	return code;
}

int cmd_revert(struct cmd *c, int argc, char **argv)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 };
	struct state st = STATE_INIT;
	int r;

	if (argc != 1)
		return cmd_usage(c, _("%s takes no argument"), c->name);
	r = cmd_need_root(c);
	if (r)
		return r;
	/* neither a record nor another boardtune at work; /run may be read-only */
	if (!sysroot_exists(&c->sys.root, STATE_DIR))
		return revert_report(c, &plan, 0);
	/* The guard of a boot has the time. */
	r = cmd_lock(c, c->opt[OPT_BOOT] ? BOOT_LOCK_WAIT_MS : LOCK_WAIT_MS, &st);
	if (r)
		return r;
	r = engine_undo(&c->sys, &st, UNDO_ORIGINAL, &plan, &errors);
	guard_confirm(&c->sys); /* nothing is left for a waiting guard to undo */
	boot_applied_forget(&c->sys.root); /* nor for that of a boot */
	state_unlock(&c->sys, &st);
	if (errors.n) {
		cmd_errors(&errors);
		return EXIT_UNDO_INCOMPLETE;
	}
	if (r < 0)
		cmd_error(plan.n ? _("the undo record could not be updated: %s")
				 : _("the undo record: %s"),
			  strerror(-r));
	return revert_report(c, &plan, r);
}
