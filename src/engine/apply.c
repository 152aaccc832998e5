// SPDX-License-Identifier: GPL-2.0-or-later
// apply.c - two straight passes of write and read back, and the unwinding
#include "engine/apply.h"

#include <limits.h>
#include <poll.h>
#include <time.h>

#include "engine/rules.h"
#include "engine/sides.h"
#include "engine/undo.h"

#define POLL_MS 2

static bool is_stopped(int stop_fd)
{
	struct pollfd p = { .fd = stop_fd, .events = POLLIN };

	return stop_fd >= 0 && poll(&p, 1, 0) > 0;
}

/* A failure that stops the pass. */
static bool stops(const struct change *c, const struct apply_options *opts)
{
	return change_failed(c) && !opts->best_effort && !opts->boot;
}

static void judge(struct change *c, const struct value *now, int got)
{
	c->now = *now;
	c->held = got == KNOB_HELD;
	c->outcome = rules_compare(c, now);
	if (c->outcome == OUTCOME_OK)
		c->outcome = OUTCOME_CHANGED;
	else if (c->outcome == OUTCOME_DIFFERS)
		c->outcome = rules_held(c, now) ? OUTCOME_HELD : OUTCOME_CLAMPED;
}

/* Write one value and read it back until it is there or the kernel had its time. */
static void change_apply(struct system *sys, struct change *c)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000 };
	unsigned left = c->setting->settle_ms / POLL_MS;
	struct value now = { 0 };
	int r;

	c->written = true;
	r = c->setting->set(sys, c->setting, &c->target, &c->want);
	while (r == 0) {
		int got = c->setting->get(sys, c->setting, &c->target, &now);

		if (got < 0) {
			r = got;
			break;
		}
		judge(c, &now, got);
		if (c->outcome == OUTCOME_CHANGED || c->outcome == OUTCOME_ROUNDED ||
		    left-- == 0)
			return;
		nanosleep(&pause, NULL);
	}
	c->error = r;
	c->outcome = outcome_from_errno(c->setting, r);
}

/* The rank that follows one in kernel order, INT_MAX after the last. */
static int next_rank(const struct plan *plan, int after)
{
	int next = INT_MAX;

	for (size_t i = 0; i < plan->n; i++) {
		int rank = plan->changes[i].setting->rank;

		if (rank > after && rank < next)
			next = rank;
	}
	return next;
}

/* The rows of one rank. Returns 0, 1 when a failure stopped it, -EINTR. */
static int run_rank(struct system *sys, struct plan *plan, enum stage stage, int rank,
		    const struct apply_options *opts)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct change *c = &plan->changes[i];

		if (c->setting->stage != stage || c->setting->rank != rank)
			continue;
		if (is_stopped(opts->stop_fd))
			return -EINTR;
		if (change_due(c))
			change_apply(sys, c);
		if (stops(c, opts))
			return 1;
	}
	return 0;
}

/* One pass: rows stand by target, they are written in kernel order. As run_rank(). */
static int run_pass(struct system *sys, struct plan *plan, enum stage stage,
		    const struct apply_options *opts)
{
	int r = 0;

	plan_order_limits(plan, 0, plan->n);
	for (int rank = next_rank(plan, -1); rank < INT_MAX && r == 0;
	     rank = next_rank(plan, rank))
		r = run_rank(sys, plan, stage, rank, opts);
	return r;
}

static int copy_target(struct change *to, const struct change *from)
{
	to->section = strdup(from->section);
	to->target = from->target;
	to->target.name = strdup(from->target.name);
	to->target.path = strdup(from->target.path);
	return to->section && to->target.name && to->target.path ? 0 : -ENOMEM;
}

/*
 * Enter what is about to be written, with what was there: original stays, once known.
 * Returns whether anything was entered, or -ENOMEM.
 */
static int record_merge(struct record *rec, const struct plan *plan)
{
	bool entered = false;

	for (size_t i = 0; i < plan->n; i++) {
		const struct change *c = &plan->changes[i];
		struct change *e = record_find(rec, c);

		if (!c->target.path || (!change_due(c) && !c->side) || (e && e->current))
			continue;
		/* what comes with another setting is entered once it is there */
		if (c->setting->needs && !c->now.type)
			continue;
		if (e) {
			/* held: the cap is not the value, what we left there last is */
			e->before = c->held ? e->now : c->before;
			/* all was given back meanwhile, and now it can be read */
			if (!e->original.type && !e->now.type)
				e->original = e->before;
		} else {
			e = plan_add(&rec->plan);
			if (!e || copy_target(e, c) < 0)
				return -ENOMEM;
			e->setting = c->setting;
			e->side = c->side;
			e->original = e->before = c->before;
			e->now = c->side ? c->before : (struct value) { 0 };
		}
		e->optional = c->optional;
		e->current = entered = true;
	}
	return entered;
}

/* What each setting was left at: before the writes as expected, afterwards as read. */
static void record_note_values(struct record *rec, const struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct change *c = &plan->changes[i];
		struct change *e = record_find(rec, c);

		if (!e || !e->current || c->side)
			continue;
		e->asked = (struct value) { 0 };
		if (!outcome_success(c->outcome)) {
			e->now = c->now;
			continue;
		}
		/* while cooling holds it, what was asked for is what counts */
		e->now = c->written && c->outcome != OUTCOME_HELD ? c->now
			 : c->rounded.type			  ? c->rounded
								  : c->want;
		if (c->setting->rounds)
			e->asked = c->want;
	}
}

/* What one call of engine_apply() works on. */
struct apply {
	struct system *sys;
	struct state *st;
	const struct profile *profile;
	const struct apply_options *opts;
	struct plan *plan;
	struct record old, rec; /* as found, and as it is to be */
	struct profile_errors *errors;
};

static int load_record(struct apply *a, struct record *ret)
{
	_cleanup_free_ char *text = NULL;
	int r = state_load(a->sys, ret, &text);

	if (r == -EBADMSG)
		profile_error_add(a->errors, STATE_DIR, 0,
				  _("undo.json: %s; move it away to go on without it"),
				  text);
	if (r == 0 && ret->made_run)
		a->st->made_run = true;
	ret->made_run = a->st->made_run;
	return r;
}

static int save_record(struct apply *a, bool applying)
{
	a->rec.applying = applying;
	record_note_values(&a->rec, a->plan);
	return state_save(a->sys, &a->rec);
}

/* A file is found again from anywhere, a name by its name. */
static char *recorded_name(const struct profile *p)
{
	const char *end = strrchr(p->name, '.');
	char *full = NULL;

	if (strchr(p->name, '/') || (end && streq(end, ".ini")))
		full = realpath(p->name, NULL);
	return full ? full : strdup(p->name);
}

/* None of its changes is of the apply at hand. */
static void record_settle(struct record *rec)
{
	for (size_t i = 0; i < rec->plan.n; i++)
		rec->plan.changes[i].current = false;
}

/* Which profile is in force now, and which was. */
static int record_profile(struct apply *a)
{
	char *name = recorded_name(a->profile);

	if (!name)
		return -ENOMEM;
	free(a->rec.profile_before);
	a->rec.profile_before = a->rec.profile;
	a->rec.profile = name;
	return 0;
}

/* The record as it has to be before the first write. */
static int prepare_record(struct apply *a)
{
	struct plan sides = { 0 };
	int r;

	if (a->opts->part)
		plan_forget_gone(a->sys, &a->rec.plan);
	record_settle(&a->rec);
	record_settle(&a->old); /* should it come back: it is no apply to be undone */
	r = record_profile(a);
	if (r < 0)
		return r;
	r = record_merge(&a->rec, a->plan);
	if (r >= 0)
		r = sides_collect(a->sys, a->plan, &sides);
	if (r == 0)
		r = record_merge(&a->rec, &sides);
	plan_clear(&sides);
	return r < 0 ? r : save_record(a, true);
}

/* Rows of the whole profile, as they depend on each other; kept is what is asked for. */
static int build_plan(struct apply *a, enum plan_stages stages)
{
	size_t first = a->plan->n;
	int r = plan_build(a->sys, a->profile, stages, a->plan, a->errors);

	if (a->opts->part)
		plan_keep(a->plan, first, plan_part_pick, a->opts->part);
	if (a->opts->pick)
		plan_keep(a->plan, first, a->opts->pick, a->opts->pick_data);
	return r;
}

/* Structure has changed: what lives in it is looked up again. */
static int rebuild_settings(struct apply *a)
{
	size_t kept = 0;
	int r;

	for (size_t i = 0; i < a->plan->n; i++)
		if (a->plan->changes[i].setting->stage == STAGE_STRUCTURE)
			kept++;
	plan_truncate(a->plan, kept);
	r = build_plan(a, PLAN_SETTING);
	if (r < 0)
		return r;
	r = record_merge(&a->rec, a->plan);
	return r > 0 ? save_record(a, true) : r;
}

static bool wrote_structure(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->changes[i].written &&
		    plan->changes[i].setting->stage == STAGE_STRUCTURE)
			return true;
	return false;
}

/*
 * What one setting does to another: without scatter-gather the kernel takes TSO away
 * (netdev_fix_features), whatever was read back before. 0, or 1 a failure.
 */
static int check_all(struct apply *a)
{
	int stop = 0;

	ethtool_keep(&a->sys->ethtool, true);
	for (size_t i = 0; i < a->plan->n; i++) {
		struct change *c = &a->plan->changes[i];
		enum outcome before = c->outcome;
		struct value now;
		int got;

		if (!c->target.path || c->side || !outcome_success(before))
			continue;
		got = c->setting->get(a->sys, c->setting, &c->target, &now);
		if (got < 0) {
			c->error = got;
			c->outcome = outcome_from_errno(c->setting, got);
		} else {
			judge(c, &now, got);
		}
		if (outcome_success(c->outcome))
			c->outcome = c->outcome == OUTCOME_HELD ? OUTCOME_HELD : before;
		else if (!got && before == OUTCOME_OK)
			snprintf(c->note, sizeof(c->note), "%s",
				 _("it was so, and another setting of this profile "
				   "changed "
				   "it"));
		if (stops(c, a->opts))
			stop = 1;
	}
	ethtool_keep(&a->sys->ethtool, false);
	return stop;
}

/* Both passes, and the record's last word. 0, 1 a failure, -errno. */
static int run_passes(struct apply *a)
{
	int r;

	sides_note_carrier(a->sys, a->plan, true);
	r = run_pass(a->sys, a->plan, STAGE_STRUCTURE, a->opts);
	if (r == 0 && wrote_structure(a->plan)) {
		sides_restore(a->sys, &a->rec.plan, a->plan);
		sides_wait_carrier(a->sys, a->plan, a->opts->stop_fd);
		r = rebuild_settings(a);
		if (r == 0) /* the rows are new ones */
			sides_note_carrier(a->sys, a->plan, true);
	}
	if (r == 0)
		r = run_pass(a->sys, a->plan, STAGE_SETTING, a->opts);
	if (r == 0)
		sides_wait_carrier(a->sys, a->plan, a->opts->stop_fd);
	if (r == 0)
		r = check_all(a);
	return r ? r : save_record(a, false);
}

static void mark_skipped(struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (!plan->changes[i].written && change_due(&plan->changes[i]))
			plan->changes[i].outcome = OUTCOME_SKIPPED;
}

/* What was not reached is as it was: nothing to undo, unless structure moved it. */
static void leave_unreached(struct apply *a)
{
	if (wrote_structure(a->plan))
		return;
	for (size_t i = 0; i < a->plan->n; i++) {
		struct change *c = &a->plan->changes[i];
		struct change *e = c->written ? NULL : record_find(&a->rec, c);

		if (e && !e->side)
			e->current = false;
	}
}

/* Everything back to what it was before this apply, as far as that goes. */
static int unwind(struct apply *a, bool *ret_stuck)
{
	size_t stuck;

	leave_unreached(a);
	stuck = undo_changes(a->sys, &a->rec.plan, UNDO_BEFORE);

	for (size_t i = 0; i < a->plan->n; i++) {
		struct change *c = &a->plan->changes[i];
		const struct change *e = record_find(&a->rec, c);

		if (!c->written || !e)
			continue;
		c->now = e->now;
		if (e->note[0])
			snprintf(c->note, sizeof(c->note), "%s", e->note);
		if (e->outcome == OUTCOME_STUCK) {
			c->outcome = OUTCOME_STUCK;
			c->error = e->error;
		} else if (outcome_success(c->outcome)) {
			c->outcome = OUTCOME_REVERTED;
		}
	}
	mark_skipped(a->plan);
	*ret_stuck = stuck > 0;
	/* while something is stuck the record on disk still knows it all */
	return stuck ? 0 : state_save(a->sys, &a->old);
}

static size_t count_failures(const struct apply *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->plan->n; i++)
		n += change_failed(&a->plan->changes[i]) &&
		     !(a->opts->boot && a->plan->changes[i].outcome == OUTCOME_MISSING);
	return n;
}

static bool anything_due(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (change_due(&plan->changes[i]))
			return true;
	return false;
}

static int do_apply(struct apply *a, enum apply_result *ret_result,
		    struct guard *ret_guard)
{
	bool keep = a->opts->best_effort || a->opts->boot, stuck;
	int r, saved;

	*ret_result = APPLY_UNTOUCHED;
	r = load_record(a, &a->old);
	if (r == 0)
		r = load_record(a, &a->rec);
	if (r == 0)
		r = build_plan(a, PLAN_ALL);
	if (r < 0)
		return r;
	if (!keep && plan_failures(a->plan)) {
		mark_skipped(a->plan);
		return 0;
	}
	if (!anything_due(a->plan)) {
		*ret_result = count_failures(a) ? APPLY_PARTIAL : APPLY_DONE;
		if (a->opts->part)
			return 0;
		/* also the end of one that was cut off */
		r = record_profile(a);
		return r < 0 ? r : save_record(a, false);
	}
	r = prepare_record(a);
	if (r == 0 && a->opts->confirm_secs)
		r = guard_start(a->sys, a->st, GUARD_DEADLINE, a->opts->confirm_secs,
				ret_guard);
	if (r < 0) {
		state_save(a->sys, &a->old);
		return r;
	}
	r = run_passes(a);
	if (r == 0) {
		*ret_result = count_failures(a) ? APPLY_PARTIAL : APPLY_DONE;
		return 0;
	}
	saved = unwind(a, &stuck);
	*ret_result = stuck ? APPLY_STUCK : APPLY_UNDONE;
	if (ret_guard && ret_guard->pid)
		guard_cancel(a->sys, ret_guard);
	if (saved < 0)
		return saved;
	return r == 1 ? 0 : r;
}

int engine_apply(struct system *sys, struct state *st, const struct profile *p,
		 const struct apply_options *opts, struct plan *ret_plan,
		 enum apply_result *ret_result, struct guard *ret_guard,
		 struct profile_errors *errors)
{
	struct apply a = { .sys = sys,
			   .st = st,
			   .profile = p,
			   .opts = opts,
			   .plan = ret_plan,
			   .errors = errors };
	int r = do_apply(&a, ret_result, ret_guard);

	plan_sort(ret_plan);
	record_clear(&a.old);
	record_clear(&a.rec);
	return r;
}

/* Whether what a setting comes with could not be put back. */
static bool needs_stuck(const struct plan *plan, const struct change *c)
{
	for (size_t i = 0; c->setting->needs && i < plan->n; i++)
		if (plan->changes[i].outcome == OUTCOME_STUCK &&
		    streq(plan->changes[i].setting->section, c->setting->section) &&
		    streq(plan->changes[i].setting->key, c->setting->needs->key))
			return true;
	return false;
}

/* What remains to be undone after an undo. */
static void prune(struct plan *plan, enum undo_to to)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct change *c = &plan->changes[i];

		if (c->outcome == OUTCOME_STUCK) {
			c->drop = false;
			continue;
		}
		/* tunables come back with their governor, and are needed then */
		if (c->outcome == OUTCOME_MISSING && needs_stuck(plan, c)) {
			c->drop = false;
			continue;
		}
		if (c->current) {
			c->now = c->before;
			c->asked = (struct value) { 0 };
		}
		c->current = false;
		if (to == UNDO_ORIGINAL)
			c->drop = true;
		/* as before the first apply: nothing to undo any more */
		if (to == UNDO_BEFORE && value_equal(&c->now, &c->original))
			c->drop = true;
	}
}

int engine_undo_begin(struct system *sys, struct state *st)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	struct apply a = { .sys = sys, .st = st, .errors = &errors };
	int r = load_record(&a, &a.rec);

	if (r < 0)
		return r;
	record_settle(&a.rec);
	free(a.rec.profile_before);
	a.rec.profile_before = a.rec.profile ? strdup(a.rec.profile) : NULL;
	r = state_save(sys, &a.rec);
	record_clear(&a.rec);
	return r;
}

int engine_undo(struct system *sys, struct state *st, enum undo_to to,
		struct plan *ret_plan, struct profile_errors *errors)
{
	struct apply a = { .sys = sys, .st = st, .errors = errors };
	struct plan shown = { 0 };
	size_t stuck;
	int r;

	r = load_record(&a, &a.rec);
	if (r == 0 && !a.rec.profile) {
		/* none there; half of one may be, where it can be cleared away */
		(void)state_save(sys, &a.rec);
		return 0;
	}
	if (r < 0)
		return r;
	stuck = undo_changes(sys, &a.rec.plan, to);
	r = plan_undo_rows(&a.rec.plan, &shown);
	prune(&a.rec.plan, to);
	free(a.rec.profile);
	a.rec.profile = NULL;
	/* stays the one before: after UNDO_BEFORE_KEEP another undo may follow */
	if (to != UNDO_ORIGINAL && a.rec.profile_before)
		a.rec.profile = strdup(a.rec.profile_before);
	a.rec.applying = false;
	if (r == 0)
		r = state_save(sys, &a.rec);
	record_clear(&a.rec);
	*ret_plan = shown;
	return r < 0 ? r : (int)stuck;
}
