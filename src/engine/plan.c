// SPDX-License-Identifier: GPL-2.0-or-later
// plan.c - from assignments and targets to changes
#include "engine/plan.h"

#include <fnmatch.h>

#include "engine/rules.h"
#include "engine/rules-thermal.h"
#include "engine/state.h"
#include "profile/quirk-match.h"
#include "profile/registry.h"

/* The targets of a section, as they were looked up last. */
struct lookup {
	const struct profile_section *section;
	const struct setting *setting;
	struct target_list list;
};

/* What one call of plan_build() works on. */
struct build {
	struct system *sys;
	const struct profile *profile;
	struct plan *plan;
	size_t first; /* of the changes added by this call */
	struct profile_errors *errors;
	struct lookup targets; /* of the key at hand */
	struct lookup needed;  /* of the setting that it needs */
	struct quirk_holds quirks; /* those of the profile that hold here */
	struct quirk_hold *hold;   /* whose settings are at hand; NULL: the profile's */
	struct record record;  /* of undo_record(); empty if it is broken */
	bool has_record;
};

/* Read when it is first asked for. */
static int undo_record(struct build *b, const struct record **ret)
{
	_cleanup_free_ char *text = NULL;
	int r = b->has_record ? 0 : state_load(b->sys, &b->record, &text);

	/* one that is broken is an error of whoever needs it, not of a plan */
	if (r == -ENOMEM)
		return r;
	b->has_record = true;
	*ret = &b->record;
	return 0;
}

/* Once for all the keys of a section where the targets are the same. */
static int look_up(struct build *b, struct lookup *l, const struct assignment *a,
		   const struct setting *s)
{
	struct selector sel = profile_selector(a);
	bool known = l->section == a->section && l->setting->each == s->each &&
		     s->each_once;

	l->section = a->section;
	l->setting = s;
	if (known)
		return 0;
	target_list_clear(&l->list);
	return s->each(b->sys, s, &sel, &l->list);
}

/* Whose row it is: of a section, or of a quirk where it holds. 0 or -ENOMEM. */
static int set_section(const struct build *b, const struct profile_section *sec,
		       struct change *c)
{
	const struct quirk *q = b->hold ? b->hold->quirk : NULL;

	if (!q) {
		c->section = sec->label[0] ? str_format("%s:%s", sec->name, sec->label)
					   : strdup(sec->name);
		c->section_order = sec->order;
		return c->section ? 0 : -ENOMEM;
	}
	c->section = str_format("quirk:%s", q->name);
	c->section_order = b->profile->n_sections + (b->hold - b->quirks.holds);
	c->quirk = str_format("quirk %s: %s", q->name, q->text[QUIRK_REASON]);
	return c->section && c->quirk ? 0 : -ENOMEM;
}

static struct change *add_change(struct build *b, const struct assignment *a,
				 const struct setting *s, const struct target *t)
{
	struct change *c = plan_add(b->plan);

	if (!c || set_section(b, a->section, c) < 0)
		return NULL; /* the plan owns what there is of it */
	c->setting = s;
	c->group = s == a->setting ? NULL : a->setting;
	c->optional = a->optional;
	c->file = strdup(a->file);
	c->line = a->line;
	c->target.name = strdup(t->name);
	c->target.path = t->path ? strdup(t->path) : NULL;
	c->target.order = t->order;
	c->target.ifindex = t->ifindex;
	c->target.index = t->index;
	c->target.siblings = t->siblings;
	memcpy(c->target.device, t->device, sizeof(t->device));
	return c->file && c->target.name && (!t->path || c->target.path) ? c : NULL;
}

/* A NIC and its threads, a policy and its governor's tunables. */
static bool is_same_device(const struct target *a, const struct target *b)
{
	return a->ifindex ? a->ifindex == b->ifindex : streq(a->name, b->name);
}

/* Whether another setting, looked up as b->needed, has a value on a target now. */
static bool is_met(const struct build *b, const struct knob_need *need,
		   const struct target *t)
{
	const struct setting *other = b->needed.setting;
	struct value v = { 0 };

	for (size_t i = 0; i < b->needed.list.n; i++)
		if (is_same_device(&b->needed.list.targets[i], t))
			return other->get(b->sys, other, &b->needed.list.targets[i],
					  &v) >= 0 &&
			       knob_meets(need, &v);
	return false;
}

/* Whether it will have it once the plan is through. */
static bool will_be_met(const struct build *b, const struct knob_need *need,
			const struct target *t)
{
	for (size_t i = 0; i < b->plan->n; i++) {
		const struct change *c = &b->plan->changes[i];

		if (c->setting == b->needed.setting && c->target.path &&
		    is_same_device(&c->target, t) && outcome_success(c->outcome))
			return knob_meets(need, &c->want);
	}
	return is_met(b, need, t);
}

/*
 * Whether a value has to be written: 1 or 0, -ENOMEM. Near a number that a driver may
 * round is as wanted only once the driver was asked for it: 512 descriptors are not the
 * 1000 that it might give.
 */
static int has_to_change(struct build *b, const struct change *c)
{
	enum outcome o = rules_compare(c, &c->now);
	const struct record *rec;
	const struct change *ours;
	int r;

	if (o != OUTCOME_ROUNDED || c->rounded.type)
		return o == OUTCOME_DIFFERS;
	r = undo_record(b, &rec);
	if (r < 0)
		return r;
	ours = record_find(rec, c); /* asked already, and this is what came of it? */
	return !ours || rec->applying || !value_equal(&ours->asked, &c->want) ||
	       !value_equal(&ours->now, &c->now);
}

/* What apply is expected to make of a value that was read, or not: @got. */
static int predict(struct build *b, struct change *c, int got)
{
	const struct setting *s = c->setting;
	int change = got < 0 ? 0 : has_to_change(b, c);

	if (change < 0)
		return change;
	if (got == -ENOENT && s->needs && !is_met(b, s->needs, &c->target) &&
	    will_be_met(b, s->needs, &c->target)) {
		c->outcome = OUTCOME_CHANGED; /* comes with what it needs */
	} else if (got < 0) {
		c->error = got;
		c->outcome = outcome_from_errno(c->setting, got);
	} else if (rules_held(c, &c->now)) {
		c->outcome = OUTCOME_HELD;
	} else if (change) {
		c->outcome = c->rounded.type ? OUTCOME_ROUNDED : OUTCOME_CHANGED;
	} else if (c->held) {
		c->outcome = OUTCOME_CHANGED; /* the cap hides what was asked for */
	}
	if (c->held && !c->note[0])
		snprintf(c->note, sizeof(c->note), "%s",
			 _("cooling holds this policy now, so what was asked for before "
			   "cannot be read"));
	return 0;
}

/* A value that is wrong for the board is so on every queue and interrupt of a section. */
static void add_error_once(struct profile_errors *errors, const struct change *c,
			   const char *text)
{
	for (size_t i = 0; errors->items && i < errors->n; i++) {
		const struct profile_error *e = &errors->items[i];

		if (e->line == c->line && e->file && streq(e->file, c->file) && e->text &&
		    streq(e->text, text))
			return;
	}
	profile_error_add(errors, c->file, c->line, "%s", text);
}

/* What a driver refuses while another setting has a value, now or by this plan. */
static int refuse(struct build *b, const struct assignment *a, struct change *c,
		  const struct knob_need *unless)
{
	int r = look_up(b, &b->needed, a,
			registry_find(c->setting->section, unless->key));

	if (r < 0 || !outcome_success(c->outcome) ||
	    (c->outcome == OUTCOME_OK && is_met(b, unless, &c->target)) ||
	    !will_be_met(b, unless, &c->target))
		return r;
	c->outcome = OUTCOME_REFUSED;
	c->error = -EBUSY;
	snprintf(c->note, sizeof(c->note), _("the driver refuses this while %s is %s"),
		 unless->key, unless->value);
	return 0;
}

/* Set outcome and values of a change from what the board says now. */
static int examine(struct build *b, const struct assignment *a, struct change *c)
{
	const struct setting *s = c->setting;
	struct expectation e = { .want = a->value };
	struct value now = { 0 };
	int r, got;

	got = s->get(b->sys, s, &c->target, &now);
	if (got >= 0) {
		c->now = now;
		c->held = got == KNOB_HELD;
		if (!c->held)
			c->before = now;
	}
	r = s->expect ? s->expect(b->sys, s, &c->target, &a->value, &e) : 0;
	if (r == -ERANGE) {
		add_error_once(b->errors, c, e.note);
		return 0;
	}
	c->want = e.want;
	if (r < 0) {
		c->error = r;
		c->outcome = outcome_from_errno(c->setting, r);
		return r == -ENOMEM ? r : 0;
	}
	c->rounded = e.rounded;
	c->fixed = e.fixed;
	strcpy(c->note, e.note);
	c->outcome = e.outcome;
	c->error = e.error;
	r = e.outcome == OUTCOME_OK ? predict(b, c, got) : 0;
	if (r < 0)
		return r;
	if (c->error == -ENOENT && !c->note[0])
		snprintf(c->note, sizeof(c->note), "%s",
			 _("this kernel or driver has none"));
	return e.unless ? refuse(b, a, c, e.unless) : 0;
}

static int add_one(struct build *b, const struct assignment *a, const struct setting *s,
		   const struct target *t)
{
	struct change *c;

	if (s->needs && s->needs->quiet && !will_be_met(b, s->needs, t))
		return 0;
	c = add_change(b, a, s, t);
	return c ? examine(b, a, c) : -ENOMEM;
}

/* "fixed here: rx-lro, ...", as many of the names as there is room for. */
static void note_fixed(char note[static KNOB_NOTE_MAX], const char *member)
{
	size_t used = strlen(note);

	if (used && used + 2 + strlen(member) >= KNOB_NOTE_MAX)
		return;
	snprintf(note + used, KNOB_NOTE_MAX - used, "%s%s",
		 used ? ", " : _("fixed here: "), member);
}

/* Drop the members that nothing can change; @ret stands for them if none is left. */
static void keep_changeable(struct plan *plan, size_t first, struct change *ret)
{
	size_t kept = first;

	*ret = (struct change) { .outcome = OUTCOME_UNSUPPORTED, .error = -EOPNOTSUPP };
	for (size_t i = first; i < plan->n; i++) {
		struct change *c = &plan->changes[i];

		if (!c->fixed && c->outcome != OUTCOME_UNSUPPORTED) {
			plan->changes[kept++] = *c;
			continue;
		}
		if (c->outcome == OUTCOME_FIXED || ret->outcome == OUTCOME_UNSUPPORTED) {
			ret->outcome = c->outcome;
			ret->error = c->error;
			ret->before = c->before;
			ret->now = c->now;
		}
		if (c->outcome == OUTCOME_FIXED)
			note_fixed(ret->note, c->setting->attr);
		change_clear(c);
	}
	plan->n = kept;
}

/* A short form: a row per member that can be changed, or one for all of them. */
static int add_group(struct build *b, const struct assignment *a, const struct target *t)
{
	size_t n, first = b->plan->n;
	const struct setting *all = registry_all(&n);
	struct change whole, *c;

	for (size_t i = 0; i < n; i++) {
		int r;

		if (!streq(all[i].section, a->setting->section) || all[i].group ||
		    !all[i].attr || fnmatch(a->setting->attr, all[i].attr, 0) != 0)
			continue;
		r = add_one(b, a, &all[i], t);
		if (r < 0)
			return r;
	}
	keep_changeable(b->plan, first, &whole);
	if (b->plan->n > first)
		return 0;
	c = add_change(b, a, a->setting, t);
	if (!c)
		return -ENOMEM;
	c->want = a->value;
	c->before = whole.before;
	c->now = whole.now;
	c->fixed = true;
	c->outcome = whole.outcome;
	c->error = whole.error;
	strcpy(c->note, whole.note);
	return 0;
}

static int add_missing(struct build *b, const struct assignment *a)
{
	const struct profile_section *sec = a->section;
	struct target t = { .name = sec->n_matches ? sec->match_patterns[0]
						   : sec->label };
	struct change *c;

	if (!t.name[0])
		t.name = sec->name;
	c = add_change(b, a, a->setting, &t);
	if (!c)
		return -ENOMEM;
	c->want = a->value;
	c->outcome = OUTCOME_MISSING;
	c->error = -ENODEV;
	if (a->setting->absent) {
		struct selector sel = profile_selector(a);
		int r = a->setting->absent(b->sys, a->setting, &sel, c->note);

		if (r == 1) {
			c->outcome = OUTCOME_UNSUPPORTED;
			c->error = -ENOENT;
		}
		return r < 0 ? r : 0;
	}
	if (sec->n_matches)
		snprintf(c->note, sizeof(c->note),
			 strchr(sec->match_patterns[0], ',')
				 ? _("no interface matches %s=%.100s; names have blanks "
				     "between them")
				 : _("no interface matches %s=%.100s"),
			 sec->match_keys[0], sec->match_patterns[0]);
	return 0;
}

static int add_assignment(struct build *b, const struct assignment *a)
{
	const struct target_list *list = &b->targets.list;
	const struct setting *s = a->setting;
	int r = look_up(b, &b->targets, a, s);

	if (r == 0 && s->needs)
		r = look_up(b, &b->needed, a, registry_find(s->section, s->needs->key));
	if (r == 0 && list->n == 0)
		return b->hold ? 0 : add_missing(b, a);
	for (size_t i = 0; i < list->n && r == 0; i++)
		r = s->group ? add_group(b, a, &list->targets[i])
			     : add_one(b, a, s, &list->targets[i]);
	return r;
}

static int add_quirk(struct build *b, struct quirk_hold *hold, enum stage stage)
{
	int r = 0;

	b->hold = hold;
	for (size_t i = 0; i < hold->quirk->n_assignments && r == 0; i++) {
		struct assignment a = quirk_assignment(hold, i);

		if (a.setting->stage == stage)
			r = add_assignment(b, &a);
	}
	b->hold = NULL;
	return r;
}

static int build_stage(struct build *b, enum stage stage)
{
	int r = 0;

	for (size_t i = 0; i < b->profile->n_assignments && r == 0; i++) {
		const struct assignment *a = &b->profile->assignments[i];

		if (a->setting->stage == stage)
			r = add_assignment(b, a);
	}
	for (size_t i = 0; i < b->quirks.n && r == 0; i++)
		r = add_quirk(b, &b->quirks.holds[i], stage);
	target_list_clear(&b->targets.list);
	target_list_clear(&b->needed.list);
	b->targets.section = b->needed.section = NULL;
	return r;
}

static int compare_order(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;
	int r;

	if (a->setting->stage != b->setting->stage)
		return a->setting->stage < b->setting->stage ? -1 : 1;
	if (a->section_order != b->section_order)
		return a->section_order < b->section_order ? -1 : 1;
	r = str_compare_natural(a->target.name, b->target.name);
	if (r)
		return r;
	if (a->setting->rank != b->setting->rank)
		return a->setting->rank < b->setting->rank ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->setting < b->setting ? -1 : a->setting > b->setting;
}

static void sort_from(struct plan *plan, size_t first)
{
	if (plan->n > first)
		qsort(plan->changes + first, plan->n - first, sizeof(*plan->changes),
		      compare_order);
}

void plan_sort(struct plan *plan)
{
	sort_from(plan, 0);
}

/* What rules_conflicts() marked is to go. */
static bool is_unmarked(const struct change *c, const void *userdata)
{
	return !c->side;
}

/* What the board came with is in the undo record, once a profile is in force. */
static int check_trips(struct build *b)
{
	const struct record *rec;
	bool any = false;
	int r;

	for (size_t i = b->first; i < b->plan->n; i++)
		any |= streq(b->plan->changes[i].setting->section, "thermal");
	r = any ? undo_record(b, &rec) : 0;
	if (r == 0 && any)
		rules_trips(b->sys, b->profile, b->plan, b->first, rec, b->errors);
	return r;
}

static int build(struct build *b, enum plan_stages stages)
{
	struct plan *plan = b->plan;
	int r = 0;

	/* conflicts stage by stage: which tunables there are depends on the governors */
	for (enum stage s = STAGE_STRUCTURE; s <= STAGE_SETTING; s++) {
		if (stages & 1u << s)
			r = build_stage(b, s);
		if (r == 0)
			r = rules_conflicts(plan, b->first, b->errors);
		if (r < 0)
			return r;
		plan_keep(plan, b->first, is_unmarked, NULL);
	}
	rules_features(plan, b->first);
	sort_from(plan, b->first);
	rules_limits(b->sys, plan, b->first, b->errors);
	rules_channels(b->sys, plan, b->first, b->errors);
	r = check_trips(b);
	return r == 0 && b->errors->n ? -EBADMSG : r;
}

int plan_build(struct system *sys, const struct profile *p, enum plan_stages stages,
	       struct plan *ret, struct profile_errors *errors)
{
	struct build b = {
		.sys = sys, .profile = p, .plan = ret, .first = ret->n, .errors = errors
	};
	int r;

	system_forget(sys);
	ethtool_keep(&sys->ethtool, true);
	r = quirks_find(sys, p->quirks, QUIRK_NOW, &b.quirks);
	if (r == 0)
		r = build(&b, stages);
	ethtool_keep(&sys->ethtool, false);
	quirk_holds_clear(&b.quirks);
	record_clear(&b.record);
	return r;
}
