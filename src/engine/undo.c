// SPDX-License-Identifier: GPL-2.0-or-later
// undo.c - put settings back: revert, a refused apply, a trial, the guard
#include "engine/undo.h"

#include <time.h>

#include "engine/sides.h"
#include "knobs/nic.h"
#include "knobs/steering.h"

#define POLL_MS 2

/* What is to be put back. Unknown because cooling held it: the last known value is in
 * the record already, so here only the hardware's own limit remains. */
static void choose_value(struct system *sys, struct change *c, enum undo_to to)
{
	const struct setting *s = c->setting;
	struct expectation e = { 0 };
	struct value limit;

	c->want = to == UNDO_ORIGINAL ? c->original : c->before;
	c->rounded = (struct value) { 0 };
	c->note[0] = '\0';
	if (c->want.type != VALUE_NONE)
		return;
	if (s->type != VALUE_FREQ || !s->expect)
		return;
	limit = value_freq(streq(s->key, "min_freq") ? FREQ_HW_MIN : FREQ_HW_MAX);
	if (s->expect(sys, s, &c->target, &limit, &e) < 0)
		return;
	/* where the kernel puts it: it may take a boost rate with boost off (6.1) */
	c->want = e.rounded.type ? e.rounded : e.want;
	knob_note_add(c->note, _("not known what was there, cooling held it: the "
				 "hardware's limit"));
}

/* A feature by what was asked for; it may be in force now where it could not be then. */
static bool is_back(const struct value *now, const struct value *want)
{
	if (now->type == VALUE_FEATURE && want->type == VALUE_FEATURE &&
	    now->feature.requested == want->feature.requested &&
	    now->feature.active == now->feature.requested)
		return true;
	return value_equal(now, want);
}

/* By its index: an adapter that was plugged in anew has the path of the one before. */
static bool nic_exists(struct system *sys, const struct target *t)
{
	char name[IF_NAMESIZE];
	const char *below;
	int r = *steering_below_nic(t->path) ? steering_ifname(sys, t, name, &below)
					     : nic_name_now(sys, t, name);

	return r != -ENODEV;
}

/* An interface that is there may answer ENODEV, too: its device sleeps while it is down
 * (r8169 before it resumes for ethtool). It is not gone, and what was set on it stays. */
static bool is_gone(struct system *sys, const struct change *c, int error)
{
	const struct target *t = &c->target;

	if (error == -ENODEV && str_after(t->path, "/sys/"))
		return t->ifindex ? !nic_exists(sys, t)
				  : !sysroot_exists(&sys->root, t->path);
	return error == -ENOENT || error == -ENODEV || error == -EOPNOTSUPP;
}

static void look(struct system *sys, struct change *c, enum undo_to to)
{
	struct value now = { 0 };
	int r;

	c->error = 0;
	c->outcome = OUTCOME_OK;
	choose_value(sys, c, to);
	r = c->setting->get(sys, c->setting, &c->target, &now);
	c->held = r == KNOB_HELD;
	c->now = now;
	if (!c->written) /* tunables are looked at twice */
		c->found = now;
	if (is_gone(sys, c, r)) {
		c->outcome = OUTCOME_MISSING; /* the instance and what was set on it */
		c->drop = true;
	} else if (r < 0 || c->want.type == VALUE_NONE) {
		c->outcome = OUTCOME_STUCK;
		c->error = r < 0 ? r : -ENODATA;
	}
}

static void put(struct system *sys, struct change *c)
{
	int r;

	bool same = value_equal(&c->now, &c->want);

	if (c->outcome == OUTCOME_OK && same && c->written) { /* by put_tunables() */
		c->outcome = OUTCOME_REVERTED;
		return;
	}
	/* what shows late may be on its way: such a value is written in any case */
	if (c->outcome != OUTCOME_OK || (same && !c->held && !c->setting->settle_ms))
		return;
	r = c->setting->set(sys, c->setting, &c->target, &c->want);
	c->written = true;
	/* what refuses every write has not taken ours either */
	c->outcome = same ? OUTCOME_OK : r < 0 ? OUTCOME_STUCK : OUTCOME_REVERTED;
	c->error = r < 0 && !same ? r : 0;
}

/* Read back until it is as it was, or for as long as the kernel may take. */
static void check(struct system *sys, struct change *c)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000 };
	unsigned left = c->setting->settle_ms / POLL_MS;
	struct value now;
	int r;

	if (!c->written || c->outcome == OUTCOME_STUCK ||
	    c->outcome == OUTCOME_MISSING)
		return;
	for (;; left--) {
		r = c->setting->get(sys, c->setting, &c->target, &now);
		if (r >= 0)
			c->now = now;
		if (r < 0 || is_back(&now, &c->want) || left == 0)
			break;
		nanosleep(&pause, NULL);
	}
	if (r < 0) {
		c->outcome = OUTCOME_STUCK;
		c->error = r;
	} else if (!is_back(&now, &c->want)) {
		if (r == KNOB_HELD && now.type == VALUE_FREQ && now.khz < c->want.khz)
			knob_note_add(c->note, _("written; cooling holds it lower now"));
		else
			c->outcome = OUTCOME_STUCK;
	}
}

static bool takes_part(const struct change *c, enum undo_to to)
{
	return to == UNDO_ORIGINAL || c->current;
}

/*
 * Tunables of a governor that is about to go: where they outlive it (another policy uses
 * them too) they have to be as before, and nobody could find them afterwards.
 */
static void put_tunables(struct system *sys, struct plan *plan, enum undo_to to)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct change *c = &plan->changes[i];

		if (!c->setting->needs || !takes_part(c, to))
			continue;
		look(sys, c, to);
		put(sys, c); /* judged in its stage */
		c->drop = false;
	}
}

static size_t undo_stage(struct system *sys, struct plan *plan, enum stage stage,
			 enum undo_to to)
{
	size_t stuck = 0;

	ethtool_keep(&sys->ethtool, true);
	for (size_t i = 0; i < plan->n; i++)
		if (plan->changes[i].setting->stage == stage &&
		    takes_part(&plan->changes[i], to))
			look(sys, &plan->changes[i], to);
	ethtool_keep(&sys->ethtool, false);
	if (stage == STAGE_SETTING)
		plan_order_limits(plan, 0, plan->n);
	for (size_t i = 0; i < plan->n; i++)
		if (plan->changes[i].setting->stage == stage &&
		    takes_part(&plan->changes[i], to))
			put(sys, &plan->changes[i]);
	for (size_t i = 0; i < plan->n; i++) {
		struct change *c = &plan->changes[i];

		if (c->setting->stage != stage || !takes_part(c, to))
			continue;
		check(sys, c);
		stuck += c->outcome == OUTCOME_STUCK;
	}
	return stuck;
}

size_t undo_changes(struct system *sys, struct plan *plan, enum undo_to to)
{
	size_t stuck;

	system_forget(sys);
	for (size_t i = 0; i < plan->n; i++) {
		plan->changes[i].want = (struct value) { 0 };
		plan->changes[i].written = false;
	}
	put_tunables(sys, plan, to);
	sides_note_carrier(sys, plan, false);
	stuck = undo_stage(sys, plan, STAGE_STRUCTURE, to);
	sides_wait_carrier(sys, plan, -1); /* dwmac takes nothing while it is down */
	stuck += undo_stage(sys, plan, STAGE_SETTING, to);
	sides_wait_carrier(sys, plan, -1);
	return stuck;
}
