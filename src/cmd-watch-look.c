// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-watch-look.c - watch: one look at the profile in force, and what follows from it
#include "cmd-watch.h"
#include "engine/boot-mark.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* What a service that sleeps has no use for. */
static void give_back_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

/* Whether the row was chosen to be put back. */
static bool is_picked(const struct change *c, const void *userdata)
{
	const struct drift_table *t = userdata;
	_cleanup_free_ char *label = drift_label(c);
	const struct drift_item *item = label ? drift_find(t, label) : NULL;

	return item && item->write;
}

/* To be told once the lock is given back. Returns 0 or -ENOMEM. */
static int add_line(struct watch_look *l, enum watch_event event, const struct change *c)
{
	if (array_grow(&l->lines, l->n_lines, sizeof(*l->lines)) < 0)
		return -ENOMEM;
	l->lines[l->n_lines++] = (struct watch_line) { event, c };
	return 0;
}

/* Note the news of one row. Positive: it is to be put back; 0; -errno. */
static int judge_row(struct watch_look *l, const struct change *c,
		     const struct record *rec, bool may_write, double now)
{
	_cleanup_free_ char *label = drift_label(c);
	struct drift_item *item = NULL;
	bool off;
	int news, r = 0;

	if (!label)
		return -ENOMEM;
	item = drift_find(&l->w->drifts, label);
	off = drift_is(c, rec, item && item->off);
	news = drift_judge(&l->w->drifts, label, off, &c->now, now, &item);
	if (news < 0)
		return news;
	if (news == DRIFT_OFF)
		r = add_line(l, WATCH_DRIFT, c);
	if (news == DRIFT_BACK)
		r = add_line(l, WATCH_BACK, c);
	if (r < 0 || !item || !item->off)
		return r;
	l->w->off++;
	if (!may_write)
		return 0;
	switch (drift_decide(item, now)) {
	case DRIFT_PUT_BACK:
		item->write = true;
		return 1;
	case DRIFT_GIVE_UP:
		return add_line(l, WATCH_GAVE_UP, c);
	case DRIFT_LEAVE:
		break;
	}
	return 0;
}

/* What became of the rows that were written. Returns 0 or -ENOMEM: one is not told. */
static int note_written(struct watch_look *l, double now)
{
	int r = 0;

	for (size_t i = 0; i < l->written.n; i++) {
		const struct change *c = &l->written.changes[i];
		_cleanup_free_ char *label = drift_label(c);
		struct drift_item *item = label ? drift_find(&l->w->drifts, label) : NULL;
		bool good = outcome_success(c->outcome);

		if (!item || !item->write || !c->written)
			continue;
		drift_wrote(item, good, now);
		l->w->off -= good;
		if (add_line(l, good ? WATCH_PUT_BACK : WATCH_REFUSED, c) < 0)
			r = -ENOMEM;
	}
	return r;
}

/* All was undone, or nothing is known of it: a fight, else it would go on for ever. */
static void note_failed(struct drift_table *t, double now)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->items[i].write)
			drift_wrote(&t->items[i], false, now);
}

/* As an apply does it, of these rows only: what revert gives back stays what it was. */
static int put_back(struct watch_look *l, struct state *st, const struct profile *p,
		    double now, struct profile_errors *errors)
{
	const struct apply_options opts = { .best_effort = true,
					    .stop_fd = -1,
					    .pick = is_picked,
					    .pick_data = &l->w->drifts };
	enum apply_result result;
	int r = engine_apply(&l->w->c->sys, st, p, &opts, &l->written, &result, NULL,
			     errors);

	if (r == 0)
		r = note_written(l, now);
	else
		note_failed(&l->w->drifts, now);
	return r;
}

/*
 * Nothing is written while a boot apply has not proved itself, or is held off: an undo
 * must find what that one left. Nor after an apply that did not come to its end.
 */
static bool may_write(const struct watch *w, const struct record *rec)
{
	return w->enforce && !rec->applying &&
	       !boot_mark_exists(&w->c->sys.root);
}

static int look_at(struct watch_look *l, struct state *st, double now,
		   struct profile_errors *errors)
{
	_cleanup_(profile_freep) struct profile *p = NULL;
	const struct record *rec = &l->rec;
	struct plan *plan = &l->plan;
	struct system *sys = &l->w->c->sys;
	bool write = may_write(l->w, rec);
	int r, picked = 0;

	r = profile_load(&sys->root, rec->profile, &p, errors);
	if (r == 0)
		r = plan_build(sys, p, PLAN_ALL, plan, errors);
	if (r < 0)
		return r;
	plan_verify(plan, rec);
	l->w->settings = plan->n;
	for (size_t i = 0; i < plan->n; i++) {
		r = judge_row(l, &plan->changes[i], rec, write, now);
		if (r < 0)
			return r;
		picked += r;
	}
	r = picked ? put_back(l, st, p, now, errors) : 0;
	drift_sweep(&l->w->drifts, now);
	return r;
}

/* 0; 1 not now; -errno. Without a record there is nothing to take a lock for. */
static int look_locked(struct watch_look *l, double now, struct profile_errors *errors)
{
	struct system *sys = &l->w->c->sys;
	_cleanup_free_ char *text = NULL;
	struct state st = STATE_INIT;
	unsigned left;
	int r;

	if (!sysroot_exists(&sys->root, STATE_DIR))
		return 0;
	r = state_lock(sys, 0, &st);
	if (r == -EACCES && !l->w->enforce) {
		r = state_busy(sys);
		r = r > 0 ? -EWOULDBLOCK : r;
	}
	if (r < 0)
		return r == -EWOULDBLOCK ? 1 : r;
	r = guard_pending(sys, &left);
	if (r == 0)
		r = state_load(sys, &l->rec, &text);
	if (r == -EBADMSG)
		profile_error_add(errors, STATE_DIR, 0, "undo.json: %s", text);
	if (r == 0 && l->rec.profile && l->rec.profile[0])
		r = look_at(l, &st, now, errors);
	state_unlock(sys, &st);
	return r;
}

static void look_clear(struct watch_look *l)
{
	record_clear(&l->rec);
	plan_clear(&l->plan);
	plan_clear(&l->written);
	free(l->lines);
	rival_list_clear(&l->rivals);
}

int watch_look(struct watch *w, double now)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	struct watch_look l = { .w = w };
	int r;

	w->settings = w->off = 0;
	r = look_locked(&l, now, &errors);
	watch_tell(&l);
	if (r <= 0 && w->enforce)
		watch_tell_cut_off(w, r == 0 && l.rec.applying);
	look_clear(&l);
	if (r <= 0)
		watch_tell_trouble(w, r, &errors);
	if (r == 0 && !w->settings)
		drift_clear(&w->drifts);
	if (r <= 0)
		w->sights.n = 0;
	give_back_memory();
	return r;
}
