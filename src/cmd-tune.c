// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-tune.c - plan, apply, verify, revert, confirm
#include "board/identity.h"
#include "cmd.h"
#include "engine/boot.h"

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

/* Whether the profile is for this board: it names none, or one that the board has. */
static bool is_for_board(const struct cmd *c, const struct profile *p)
{
	const struct assignment *a = profile_meta(p, "board", "compatible");
	char words[VALUE_WORD_MAX], *rest = words, *word;
	struct identity id;

	if (!a)
		return true;
	identity_read(&c->sys.root, &id);
	snprintf(words, sizeof(words), "%s", a->value.word);
	while ((word = strsep(&rest, " \t")))
		for (size_t i = 0; i < id.n_compatible; i++)
			if (streq(word, id.compatible[i]))
				return true;
	return false;
}

int cmd_check_board(struct cmd *c, const struct profile *p)
{
	struct identity id;

	if (c->opt[OPT_FORCE] || is_for_board(c, p))
		return 0;
	identity_read(&c->sys.root, &id);
	cmd_error(
		_("%s is for %s, this board is %s; nothing was changed (--force applies "
		  "it all the same)"),
		p->name, profile_meta(p, "board", "compatible")->value.word,
		id.n_compatible ? id.compatible[0]
		: id.model[0]	? id.model
				: _("unknown"));
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

int cmd_load_profile(struct cmd *c, const char *name, struct profile **ret)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	int r = profile_load(&c->sys.root, name, ret, &errors);

	if (r == 0)
		return 0;
	if (errors.n == 0)
		cmd_error("%s: %s", name, strerror(-r));
	return cmd_errors(&errors);
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

static void print_plan_summary(struct cmd *c, const struct profile *p,
			       const struct plan *plan)
{
	size_t due = count_due(plan), failures = plan_failures(plan);

	if (plan->n)
		putchar('\n');
	printf(_("%zu to change, %zu already so"), due, count_outcome(plan, OUTCOME_OK));
	if (failures)
		printf(_(", %zu that cannot be"), failures);
	putchar('\n');
	if (!is_for_board(c, p))
		printf(_("Note: this profile is for another board (%s).\n"),
		       profile_meta(p, "board", "compatible")->value.word);
	if (failures)
		printf(_("apply would change nothing. Put \"-\" before the keys that may "
			 "fail, or\nuse \"boardtune apply %s --best-effort\".\n"),
		       p->name);
	else if (due)
		printf(_("Next: \"boardtune apply %s\", or measure it:\n"
			 "\"boardtune trial %s --peer HOST\".\n"),
		       p->name, p->name);
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
	cmd_print_plan(c, &plan, c->quiet);
	if (!c->quiet)
		print_plan_summary(c, p, &plan);
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

static void print_apply_summary(const struct profile *p, const struct plan *plan,
				enum apply_result result)
{
	switch (result) {
	case APPLY_DONE:
		printf(_("%zu changed, %zu already so. \"boardtune revert\" brings back "
			 "what was there.\n"),
		       count_due(plan), count_outcome(plan, OUTCOME_OK));
		return;
	case APPLY_PARTIAL:
		printf(_("%zu changed, %zu already so, %zu failed.\n"), count_due(plan),
		       count_outcome(plan, OUTCOME_OK), plan_failures(plan));
		return;
	case APPLY_UNTOUCHED:
		printf(_("Nothing was changed. Put \"-\" before the keys that may fail, "
			 "or use\n\"boardtune apply %s --best-effort\".\n"),
		       p->name);
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
		print_apply_summary(p, plan, result);
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

static int apply_and_report(struct cmd *c, const struct profile *p, struct state *st,
			    unsigned seconds)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 };
	struct apply_options opts = { .best_effort = c->opt[OPT_BEST_EFFORT],
				      .boot = c->opt[OPT_BOOT],
				      .confirm_secs = seconds,
				      .stop_fd = c->stop_fd };
	enum apply_result result = APPLY_UNTOUCHED;
	struct guard guard = GUARD_INIT;
	int r, code;

	r = engine_apply(&c->sys, st, p, &opts, &plan, &result, &guard, &errors);
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
	code = apply_report(c, p, &plan, result, code);
	if (!guard.pid)
		return code;
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !c->json) {
		r = cmd_confirm_wait(c, st, &guard, seconds);
		return r ? r : code;
	}
	fprintf(stderr,
		_("boardtune: reverts in %u s unless \"boardtune confirm\" comes\n"),
		seconds);
	return code;
}

/* The profile named on the command line; at boot the one that was enabled. */
static int apply_profile(struct cmd *c, int argc, char **argv, struct profile **ret)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_free_ char *enabled = NULL;
	const char *name;
	int r;

	if (argc == 1 && c->opt[OPT_BOOT]) {
		r = boot_profile(&c->sys.root, &enabled, &errors);
		if (errors.n)
			return cmd_errors(&errors);
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
	struct state st = STATE_INIT;
	int r, seconds;

	r = apply_profile(c, argc, argv, &p);
	if (r)
		return r;
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
	return r ? r : apply_and_report(c, p, &st, seconds);
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
	if (boot_profile(&c->sys.root, &enabled, &errors) == 0)
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
	int code = failures ? EXIT_NOT_AS_WANTED : EXIT_AS_WANTED;

	if (c->json)
		return cmd_json_plan(c, p->name, plan, code) ? EXIT_NOT_AS_WANTED : code;
	if (unfinished)
		cmd_error(
			_("the last apply did not come to its end; \"boardtune revert\" "
			  "undoes it"));
	if (c->quiet && !failures)
		return code;
	cmd_print_plan(c, plan, c->quiet);
	putchar('\n');
	for (size_t i = 0; i < plan->n; i++)
		holding += outcome_success(plan->changes[i].outcome);
	printf(ngettext("%zu setting holds", "%zu settings hold", holding), holding);
	if (plan->n - holding - failures)
		printf(_(", %zu optional ones do not"), plan->n - holding - failures);
	if (failures)
		printf(_(", %zu do not.\nNext: \"boardtune apply %s\".\n"), failures,
		       p->name);
	else
		puts(".");
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
		puts(_("\nEverything is as it was before the first apply."));
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
	if (!r)
		r = cmd_lock(c, LOCK_WAIT_MS, &st);
	if (r)
		return r;
	r = engine_undo(&c->sys, &st, UNDO_ORIGINAL, &plan, &errors);
	guard_confirm(&c->sys); /* nothing is left for a waiting guard to undo */
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
