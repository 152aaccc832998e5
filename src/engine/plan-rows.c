// SPDX-License-Identifier: GPL-2.0-or-later
// plan-rows.c - the rows of a plan: made, dropped, counted, judged as verify does
#include "engine/plan.h"

#include "engine/rules.h"
#include "engine/state.h"

struct change *plan_add(struct plan *plan)
{
	if (array_grow(&plan->changes, plan->n, sizeof(*plan->changes)) < 0)
		return NULL;
	plan->changes[plan->n] = (struct change) { .outcome = OUTCOME_OK };
	return &plan->changes[plan->n++];
}

const char *change_key(const struct change *c)
{
	return streq(c->setting->key, "*") ? c->target.name : c->setting->key;
}

void change_clear(struct change *c)
{
	free(c->target.name);
	free(c->target.path);
	free(c->section);
	free(c->file);
	free(c->quirk);
}

void plan_clear(struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		change_clear(&plan->changes[i]);
	free(plan->changes);
	*plan = (struct plan) { 0 };
}

void plan_truncate(struct plan *plan, size_t n)
{
	while (plan->n > n)
		change_clear(&plan->changes[--plan->n]);
}

bool change_due(const struct change *c)
{
	return c->outcome != OUTCOME_OK && outcome_success(c->outcome) && !c->side;
}

bool change_failed(const struct change *c)
{
	return !c->side && !outcome_success(c->outcome) &&
	       !(c->optional && outcome_forgiven(c->outcome));
}

size_t plan_failures(const struct plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++)
		n += change_failed(&plan->changes[i]);
	return n;
}

int plan_undo_rows(const struct plan *plan, struct plan *ret)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct change *from = &plan->changes[i];
		struct change *to;

		if ((from->side && !from->written) ||
		    (from->setting->needs && from->outcome == OUTCOME_MISSING))
			continue;
		to = plan_add(ret);
		if (!to)
			return -ENOMEM;
		*to = *from;
		to->before = from->found;
		to->section = strdup(from->section);
		to->file = from->file ? strdup(from->file) : NULL;
		to->quirk = NULL; /* an undo asks for what was there before */
		to->target.name = strdup(from->target.name);
		to->target.path = from->target.path ? strdup(from->target.path) : NULL;
		if (!to->section || !to->target.name || (from->file && !to->file) ||
		    (from->target.path && !to->target.path))
			return -ENOMEM;
	}
	plan_sort(ret);
	return 0;
}

void plan_keep(struct plan *plan, size_t first, plan_pick_fn *pick, const void *userdata)
{
	size_t kept = first;

	for (size_t i = first; i < plan->n; i++) {
		if (pick(&plan->changes[i], userdata))
			plan->changes[kept++] = plan->changes[i];
		else
			change_clear(&plan->changes[i]);
	}
	plan->n = kept;
}

void plan_verify(struct plan *plan, const struct record *rec)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct change *c = &plan->changes[i];
		const struct change *ours = record_find(rec, c);

		c->before = c->now;
		if (c->outcome != OUTCOME_CHANGED && c->outcome != OUTCOME_ROUNDED)
			continue;
		if (c->now.type && rules_compare(c, &c->now) != OUTCOME_DIFFERS) {
			c->outcome = OUTCOME_OK;
			continue;
		}
		c->outcome = OUTCOME_DIFFERS;
		/* the record holds what we left; it was as wanted then, unless the apply
		 * that was to write it did not come to its end */
		if (ours && ours->now.type && !rec->applying &&
		    rules_compare(c, &ours->now) != OUTCOME_DIFFERS)
			c->outcome = OUTCOME_OVERRIDDEN;
	}
}
