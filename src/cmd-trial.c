// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-trial.c - the command trial: the loop over a live board, keep or revert, report
#include "cmd-trial.h"

#include <linux/capability.h>
#include <sys/utsname.h>

#include "board/identity.h"
#include "report/trial-text.h"

#define LOCK_WAIT_MS 5000
#define GUARD_SLACK 1800 /* seconds beyond the longest trial: for questions and undoing */

/* Peers and name servers are not trusted: from here on only what changing settings needs.
 * Root's files stay root's. */
static int drop_capabilities(void)
{
	static const unsigned keep[] = { CAP_NET_ADMIN, CAP_SYS_NICE, CAP_NET_RAW };
	size_t n = ARRAY_SIZE(keep);
	struct utsname host;

	if (uname(&host) == 0 && !gate_bind_needs_raw(host.release))
		n--;
	return cmd_keep_capabilities(keep, n);
}

static int measure(void *userdata, const struct trial_progress *where,
		   struct test_result *ret)
{
	struct trial_session *s = userdata;
	int r;

	s->where = where;
	progress_test(&s->progress, where);
	trial_lines_test(s, where);
	r = bench_measure(&s->bench, where->cell, ret);
	trial_lines_result(s, r < 0 ? NULL : ret, r);
	s->where = NULL;
	return r;
}

static void show_failures(struct trial_session *s, const struct plan *plan)
{
	progress_clear(&s->progress);
	if (s->c->json)
		cmd_error_plan(plan);
	else
		cmd_print_plan(s->c, plan, true);
}

static int apply_refused(struct trial_session *s, const struct plan *plan,
			 enum apply_result result)
{
	show_failures(s, plan);
	if (result == APPLY_STUCK)
		cmd_error(_("the undo is incomplete; try \"boardtune revert\""));
	else
		cmd_error(_("the profile was refused; everything is as it was"));
	s->exit_code = result == APPLY_STUCK ? EXIT_UNDO_INCOMPLETE : EXIT_NOT_AS_WANTED;
	return -ECANCELED;
}

static int apply_profile(struct trial_session *s)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = {};
	_cleanup_(plan_clear) struct plan plan = {};
	struct apply_options options = { .stop_fd = s->c->stop_fd };
	enum apply_result result = APPLY_UNTOUCHED;
	int r;

	r = engine_apply(&s->c->sys, &s->state, s->profile, &options, &plan, &result,
			 NULL, &errors);
	if (result == APPLY_STUCK)
		return apply_refused(s, &plan, result);
	if (r < 0 && r != -EINTR) {
		progress_clear(&s->progress);
		cmd_errors(&errors);
		cmd_error(_("cannot apply %s: %s"), s->profile->name, strerror(-r));
		s->exit_code = EXIT_NOT_AS_WANTED;
		return -ECANCELED;
	}
	if (r == 0 && result == APPLY_DONE) {
		s->applied = true;
		return 0;
	}
	if (r == -EINTR)
		return r;
	return apply_refused(s, &plan, result);
}

static int undo_profile(struct trial_session *s, enum undo_to to)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = {};
	_cleanup_(plan_clear) struct plan plan = {};
	int r;

	r = engine_undo(&s->c->sys, &s->state, to, &plan, &errors);
	if (r == 0) {
		s->applied = false;
		return 0;
	}
	show_failures(s, &plan);
	cmd_errors(&errors);
	cmd_error(_("the undo is incomplete; try \"boardtune revert\""));
	s->exit_code = EXIT_UNDO_INCOMPLETE;
	return r < 0 ? r : -EIO;
}

static int switch_to(void *userdata, enum trial_side side)
{
	struct trial_session *s = userdata;

	trial_lines_switch(s, side);
	if (side == TRIAL_AFTER)
		return apply_profile(s);
	return s->applied ? undo_profile(s, UNDO_BEFORE_KEEP) : 0;
}

static int wait_ready(void *userdata, double seconds)
{
	struct trial_session *s = userdata;
	const struct gate_way *ways[] = { &s->ways.ipv4, &s->ways.ipv6 };
	double until = now_monotonic() + seconds;
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ways) && r == 0; i++)
		if (ways[i]->there)
			r = gate_wait(&s->c->sys.root, ways[i], until - now_monotonic(),
				      s->c->stop_fd);
	return r < 0 ? r : trial_idle_measure(s);
}

static int sleep_for(void *userdata, double seconds)
{
	struct trial_session *s = userdata;

	return gate_sleep(seconds, s->c->stop_fd);
}

static double now(void *userdata)
{
	return now_monotonic();
}

static const struct trial_ops live_ops = {
	.measure = measure,
	.switch_to = switch_to,
	.wait_ready = wait_ready,
	.sleep = sleep_for,
	.now = now,
};

bool trial_want_kept(struct trial_session *s, const struct trial_result *result,
		     const struct judgement *j)
{
	bool keep = false;

	s->signal = cmd_signal(s->c);
	if (result->error || s->signal)
		return false;
	if (s->settings.keep != TRIAL_KEEP_ASK)
		return trial_keep_decide(s->settings.keep, j->verdict);
	keep = trial_ask_keep(s->c);
	s->signal = cmd_signal(s->c);
	return keep && !s->signal;
}

/* The last apply: a signal stops it like any other. */
static bool keep_profile(struct trial_session *s)
{
	int r = s->applied ? 0 : apply_profile(s);

	if (r == -EINTR) {
		s->signal = cmd_signal(s->c);
		cmd_error(_("stopped by a signal"));
	}
	return r == 0;
}

bool trial_settle(struct trial_session *s, bool keep)
{
	if (keep)
		keep = keep_profile(s);
	/* What the trial has put back itself is before now, with the profile of then. */
	if (!keep && s->exit_code != EXIT_UNDO_INCOMPLETE) {
		if (!s->applied)
			engine_undo_begin(&s->c->sys, &s->state);
		undo_profile(s, UNDO_BEFORE);
	}
	guard_cancel(&s->c->sys, &s->guard);
	return keep && s->applied;
}

static int verdict_exit(enum verdict v)
{
	switch (v) {
	case VERDICT_BETTER:
	case VERDICT_SAME:
		return EXIT_AS_WANTED;
	case VERDICT_WORSE:
		return EXIT_NOT_AS_WANTED;
	case VERDICT_INCONCLUSIVE:
		return EXIT_INCONCLUSIVE;
	}
	return EXIT_INCONCLUSIVE;
}

int trial_exit(const struct trial_session *s, const struct trial_result *result,
	       const struct judgement *j)
{
	if (s->exit_code)
		return s->exit_code;
	if (s->signal)
		return 128 + s->signal;
	return result->error ? EXIT_INCONCLUSIVE : verdict_exit(j->verdict);
}

static int print_run(struct trial_session *s, const struct run *run, json_t *doc)
{
	_cleanup_free_ char *text = NULL;

	if (s->c->json)
		/* Says so if there is none. */
		return s->lines.on ? cmd_json_print_line(json_incref(doc))
				   : cmd_json_print(json_incref(doc));
	if (trial_text(run, &text) < 0) {
		cmd_error("%s", strerror(ENOMEM));
		return EXIT_NOT_AS_WANTED;
	}
	fputs(text, stdout);
	return 0;
}

static void save_run(struct trial_session *s, const struct run *run, const json_t *doc)
{
	char path[SYSROOT_PATH_MAX];
	int r = doc ? run_save(&s->c->sys.root, run, doc, path) : -ENOMEM;

	if (r < 0)
		cmd_error(_("the run could not be saved: %s"), strerror(-r));
	else
		cmd_note(s->c, _("Saved: %s\n"), path);
}

static int report(struct trial_session *s, struct run *run, bool save)
{
	json_t *doc = run_json(run); /* NULL: the table does without */
	int r = print_run(s, run, doc);

	if (save && run->judgement->pairs)
		save_run(s, run, doc);
	json_decref(doc);
	return r ? r : run->exit_code;
}

static void explain_error(struct trial_session *s, int error)
{
	if (!error || s->exit_code)
		return;
	if (error == -EINTR)
		cmd_error(_("stopped by a signal"));
	else if (*s->bench.error)
		cmd_error("%s", s->bench.error);
	else
		cmd_error(_("the trial ended early: %s"), strerror(-error));
}

/* Everything is measured, or as much as could be: judge, keep or revert, report. */
static int conclude(struct trial_session *s, struct trial_result *result, time_t started,
		    bool save)
{
	size_t n_not_measured = trial_sort_settings(s, result->legs, result->n_legs);
	struct judge_config config = {
		.cells = s->settings.loop.cells,
		.margin = s->settings.margin,
		.max_millicelsius = s->settings.max_millicelsius,
		.untouched = n_not_measured && !s->general &&
			     n_not_measured == s->n_settings_of_nics,
		.has_sensor = sampler_zone_type(s->sampler) != NULL,
		.shortened = s->settings.shortened,
		.held = s->held,
		.forwarding = trial_forwards(s),
		.busy = s->busy,
		.not_steady = s->not_steady,
		.error = result->error,
	};
	struct identity board;
	struct judgement j;
	struct utsname host;
	struct run run = {
		.command = "trial", .profile = s->profile->name, .board = &board,
		.host = uname(&host) == 0 ? host.nodename : "",
		.label = s->settings.label, .peer = s->settings.peer_text, .nic = s->nic,
		.path = "terminated", .sensor = sampler_zone_type(s->sampler),
		.started = started, .seconds = s->settings.loop.seconds,
		.omit = s->settings.loop.omit, .config = &config, .judgement = &j,
		.zero_copy = s->settings.zero_copy, .streams = s->settings.streams,
		.legs = result->legs, .n_legs = result->n_legs,
		.not_measured = s->settings_of_nics, .n_not_measured = n_not_measured,
	};

	for (unsigned side = 0; side < TRIAL_SIDES_; side++)
		run.idle[side] = (struct run_idle){ s->idle[side].rtt_ms, s->idle[side].n,
						    s->idle[side].lost };
	identity_read(&s->c->sys.root, &board);
	judge_legs(&config, result->legs, result->n_legs, &j);
	explain_error(s, result->error);
	run.kept = trial_settle(s, trial_want_kept(s, result, &j));
	run.stuck = s->exit_code == EXIT_UNDO_INCOMPLETE;
	run.exit_code = trial_exit(s, result, &j);
	return report(s, &run, save);
}

static int run_session(struct trial_session *s, bool save)
{
	struct trial_result result = {};
	time_t started = time(NULL);
	const struct trial_config *loop = &s->settings.loop;
	int r;

	r = cmd_lock_new(s->c, LOCK_WAIT_MS, &s->state);
	if (r)
		return r;
	r = engine_undo_begin(&s->c->sys, &s->state);
	if (r < 0) {
		cmd_error(_("the undo record: %s; nothing was changed"), strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	r = guard_start(&s->c->sys, &s->state, GUARD_PARENT,
			trial_longest(loop) + GUARD_SLACK, &s->guard);
	if (r < 0) {
		cmd_error(_("cannot start the guard that would revert: %s"),
			  strerror(-r));
		return EXIT_NOT_PERMITTED;
	}
	progress_open(s->c->quiet ? -1 : STDERR_FILENO, &s->progress);
	r = trial_gate_peer(s);
	if (!r)
		r = trial_gate_calm(s);
	if (r) {
		progress_close(&s->progress);
		guard_cancel(&s->c->sys, &s->guard);
		return r;
	}
	s->started = now_monotonic();
	trial_run(loop, &live_ops, s, &result);
	progress_close(&s->progress);
	r = conclude(s, &result, started, save);
	trial_result_clear(&result);
	return r;
}

static int prepare(struct trial_session *s, const char *profile)
{
	int r;

	r = cmd_load_profile(s->c, profile, &s->profile);
	if (!r)
		r = trial_settings_parse(s->c, s->profile, &s->settings);
	if (!r)
		r = cmd_check_board(s->c, s->profile);
	if (!r)
		r = cmd_need_root(s->c);
	/* Before the peer's name goes to a name server. */
	if (!r) {
		trial_pings_open(s);
		r = drop_capabilities();
	}
	if (!r)
		r = trial_gate_board(s);
	if (!r)
		r = trial_ask_start(s->c, &s->settings);
	if (r)
		return r;
	r = cmd_signals(s->c);
	if (r < 0) {
		cmd_error(_("cannot watch for signals: %s"), strerror(-r));
		return EXIT_NOT_PERMITTED;
	}
	s->bench.stop_fd = s->c->stop_fd;
	return 0;
}

int trial_main(struct cmd *c, const char *profile, bool save)
{
	struct trial_session s = { .c = c, .state = STATE_INIT, .guard = GUARD_INIT,
			     .progress = PROGRESS_INIT,
			     .lines.on = c->opt[OPT_JSON_LINES] };
	int r;

	r = prepare(&s, profile);
	if (!r)
		r = run_session(&s, save);
	if (s.state.lock_fd >= 0)
		state_unlock(&c->sys, &s.state);
	trial_pings_close(&s);
	sampler_close(s.sampler);
	profile_free(s.profile);
	free(s.settings_of_nics);
	return r;
}

int cmd_trial(struct cmd *c, int argc, char **argv)
{
	c->json |= c->opt[OPT_JSON_LINES] != NULL;
	if (c->opt[OPT_DEMO]) {
		if (argc != 1)
			return cmd_usage(c, _("trial --demo takes no profile"));
		return trial_demo(c);
	}
	if (argc != 2)
		return cmd_usage(c, _("trial takes one PROFILE"));
	return trial_main(c, argv[1], true);
}
