// SPDX-License-Identifier: GPL-2.0-or-later
// quirk-tell.c - what doctor says of quirks: advice, not in force, over
#include "engine/quirk-tell.h"

#include <fnmatch.h>

#include "profile/quirk-match.h"

struct teller {
	struct system *sys;
	const struct profile *profile; /* NULL: none */
	struct quirk_list *quirks;
	quirk_tell_fn *tell;
	void *userdata;
};

/* @text is freed. */
static int tell(const struct teller *t, const char *kind, char *text)
{
	int r = text ? t->tell(t->userdata, kind, text) : -ENOMEM;

	free(text);
	return r;
}

static int tell_advice(const struct teller *t)
{
	_cleanup_(quirk_holds_clear) struct quirk_holds holds = { 0 };
	int r = quirks_find(t->sys, t->quirks, QUIRK_NOW, &holds);

	for (size_t i = 0; i < holds.n && r == 0; i++) {
		const struct quirk_hold *h = &holds.holds[i];
		const char *advice = h->quirk->text[QUIRK_ADVICE];

		if (advice)
			r = tell(t, "quirk-advice",
				 str_format("%s%squirk %s: %s; %s", h->nic ? h->nic : "",
					    h->nic ? ": " : "", h->quirk->name,
					    h->quirk->text[QUIRK_REASON], advice));
	}
	return r;
}

/* "eth1" of "eth1/rx-0". */
static int nic_length(const struct change *c)
{
	return (int)strcspn(c->target.name, "/");
}

/* Whether an earlier row of the plan is of the same quirk and interface. */
static bool is_told(const struct plan *plan, size_t i)
{
	const struct change *c = &plan->changes[i];

	for (size_t k = 0; k < i; k++) {
		const struct change *other = &plan->changes[k];

		if (other->quirk && change_due(other) && streq(other->quirk, c->quirk) &&
		    nic_length(other) == nic_length(c) &&
		    strncmp(other->target.name, c->target.name, nic_length(c)) == 0)
			return true;
	}
	return false;
}

/* What the profile would change besides, if it had quirks. */
static int tell_off(const struct teller *t, struct profile_errors *errors)
{
	_cleanup_(plan_clear) struct plan plan = { 0 };
	struct profile with = t->profile ? *t->profile : (struct profile) { 0 };
	int r;

	if (with.quirks)
		return 0;
	with.quirks = t->quirks;
	r = plan_build(t->sys, &with, PLAN_ALL, &plan, errors);
	for (size_t i = 0; i < plan.n && r == 0; i++) {
		const struct change *c = &plan.changes[i];

		if (!c->quirk || !change_due(c) || is_told(&plan, i))
			continue;
		r = tell(t, "quirk-off",
			 str_format(_("%.*s: %s; not in force: that takes a profile with "
				      "\"quirks = yes\""),
				    nic_length(c), c->target.name, c->quirk));
	}
	return r == -EBADMSG ? 0 : r;
}

/* A feature, the short form that covers it, or the other way round. */
static bool is_same_key(const struct setting *a, const struct setting *b)
{
	if (a == b)
		return true;
	if (a->type != VALUE_FEATURE || b->type != VALUE_FEATURE)
		return false;
	return fnmatch(a->attr, b->attr, 0) == 0 ||
	       fnmatch(b->attr, a->attr, 0) == 0;
}

/* Whether a section of the profile is about where the quirk held. 1, 0 or -errno. */
static int is_about(const struct teller *t, const struct assignment *a,
		    const struct quirk_hold *h)
{
	struct selector sel = profile_selector(a);
	struct target_list list = { 0 };
	int r = a->setting->each(t->sys, a->setting, &sel, &list);

	if (r == 0 && !h->nic)
		r = list.n > 0;
	for (size_t i = 0; i < list.n && h->nic && r == 0; i++) {
		size_t n = strlen(h->nic);
		const char *name = list.targets[i].name;

		r = strncmp(name, h->nic, n) == 0 && (!name[n] || name[n] == '/');
	}
	target_list_clear(&list);
	return r;
}

static int tell_key_over(const struct teller *t, const struct quirk_hold *h,
			 const struct assignment *a)
{
	const struct quirk *q = h->quirk;

	return tell(t, "quirk-over",
		    str_format(_("%s%squirk %s was for kernels %s: %s = %s at %s:%u may "
				 "cost CPU for nothing"),
			       h->nic ? h->nic : "", h->nic ? ": " : "", q->name,
			       q->text[QUIRK_KERNEL], a->key, a->text, a->file, a->line));
}

static int tell_hold_over(const struct teller *t, const struct quirk_hold *h)
{
	int r = 0;

	for (size_t i = 0; i < t->profile->n_assignments && r == 0; i++) {
		const struct assignment *a = &t->profile->assignments[i];

		for (size_t k = 0; k < h->quirk->n_assignments && r == 0; k++) {
			const struct assignment *b = &h->quirk->assignments[k];

			if (!is_same_key(a->setting, b->setting) ||
			    !value_equal(&a->value, &b->value))
				continue;
			r = is_about(t, a, h);
			if (r > 0)
				r = tell_key_over(t, h, a);
		}
	}
	return r;
}

static int tell_over(const struct teller *t)
{
	_cleanup_(quirk_holds_clear) struct quirk_holds holds = { 0 };
	int r;

	if (!t->profile)
		return 0;
	r = quirks_find(t->sys, t->quirks, QUIRK_OVER, &holds);
	for (size_t i = 0; i < holds.n && r == 0; i++)
		r = tell_hold_over(t, &holds.holds[i]);
	return r;
}

int quirks_tell(struct system *sys, const struct profile *p, quirk_tell_fn *tell_fn,
		void *userdata, struct profile_errors *errors)
{
	_cleanup_(quirks_freep) struct quirk_list *own = NULL;
	struct teller t = {
		.sys = sys, .profile = p, .tell = tell_fn, .userdata = userdata
	};
	int r = 0;

	if (!p || !p->quirks)
		r = quirks_load(&sys->root, p && profile_is_file(p) ? p->path : NULL,
				&own, errors);
	if (r < 0)
		return r;
	t.quirks = own ? own : p->quirks;
	r = tell_advice(&t);
	if (r == 0)
		r = tell_off(&t, errors);
	return r < 0 ? r : tell_over(&t);
}
