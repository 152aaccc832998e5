// SPDX-License-Identifier: GPL-2.0-or-later
// sides.c - state that nobody asked to change and that a structural change destroys
#include "engine/sides.h"

#include <poll.h>

#include "knobs/nic.h"
#include "profile/registry.h"

#define CARRIER_WAIT_MS 10000
#define CARRIER_POLL_MS 100

/* Whether a feature can never be another than it is. */
static bool is_fixed(struct system *sys, const struct setting *s, const struct target *t,
		     const struct value *now)
{
	struct expectation e = { 0 };

	return s->type == VALUE_FEATURE && s->expect(sys, s, t, now, &e) == 0 && e.fixed;
}

/* One more value to remember, unless it is there already, from @first on. */
static int add_side(struct system *sys, const struct setting *s, const struct target *t,
		    struct plan *ret, size_t first)
{
	struct value now;
	struct change *c;
	int r;

	/* several rows may bring the same; what has an interface is asked for once */
	for (size_t i = first; i < ret->n && !t->ifindex; i++)
		if (streq(ret->changes[i].target.path, t->path))
			return 0;
	r = s->get(sys, s, t, &now);
	if (r < 0 || is_fixed(sys, s, t, &now))
		return 0; /* not there, or always so: nothing to lose */
	c = plan_add(ret);
	if (!c)
		return -ENOMEM;
	c->setting = s;
	c->side = true;
	c->held = r == KNOB_HELD;
	if (!c->held)
		c->before = now;
	c->now = now;
	c->section = strdup(s->section);
	c->target.name = strdup(t->name);
	c->target.path = strdup(t->path);
	c->target.ifindex = t->ifindex;
	return c->section && c->target.name && c->target.path ? 0 : -ENOMEM;
}

static bool is_net(const struct setting *s)
{
	return streq(s->section, "net");
}

/* Whether a setting lives in what @c is about to change. */
static bool lives_in(const struct setting *s, const struct change *c)
{
	const struct setting *changed = c->setting;

	if (changed->stage != STAGE_STRUCTURE || !change_due(c) ||
	    s->stage != STAGE_SETTING || !streq(s->section, changed->section))
		return false;
	if (s->needs && streq(s->needs->key, changed->key))
		return knob_meets(s->needs, &c->now);
	/* all that a driver may lose when it sets up its queues anew */
	if (is_net(s))
		return !s->group && changed->drops_link && !s->drops_link;
	return streq(changed->key, "boost") && s->type == VALUE_FREQ;
}

/* Whether an earlier row of the plan is about the same NIC: two rings of one. */
static bool is_repeated(const struct plan *plan, size_t i, const struct setting *s)
{
	for (size_t k = 0; k < i; k++)
		if (lives_in(s, &plan->changes[k]) &&
		    plan->changes[k].target.ifindex == plan->changes[i].target.ifindex &&
		    streq(plan->changes[k].target.name, plan->changes[i].target.name))
			return true;
	return false;
}

static int collect_targets(struct system *sys, const struct setting *s,
			   const struct selector *sel, const char *policy,
			   struct plan *ret, size_t first)
{
	struct target_list list = { 0 };
	int r = s->each(sys, s, sel, &list);

	for (size_t i = 0; i < list.n && r == 0; i++)
		if (!policy || streq(list.targets[i].name, policy))
			r = add_side(sys, s, &list.targets[i], ret, first);
	target_list_clear(&list);
	return r;
}

/* Names as a list of patterns that match nothing else. */
static char *nic_patterns(const struct setting *s, const struct plan *plan)
{
	char *list = NULL;
	size_t size;
	FILE *f = open_memstream(&list, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < plan->n; i++) {
		if (!lives_in(s, &plan->changes[i]) || is_repeated(plan, i, s))
			continue;
		for (const char *c = plan->changes[i].target.name; *c; c++)
			fprintf(f, "%s%c", strchr("!*?[]\\", *c) ? "\\" : "", *c);
		fputc(' ', f);
	}
	if (fclose(f) == EOF) {
		free(list);
		return NULL;
	}
	return list;
}

/* One setting of all NICs at once: each() is not for free. */
static int collect_nics(struct system *sys, const struct setting *s,
			const struct plan *plan, struct plan *ret)
{
	const char *const name = "Name";
	const size_t first = ret->n;
	_cleanup_free_ char *list = NULL;
	const char *patterns;
	int r = 0;

	for (size_t i = 0; i < plan->n && r == 0 && s->each == nic_each; i++)
		if (lives_in(s, &plan->changes[i]) && !is_repeated(plan, i, s))
			r = add_side(sys, s, &plan->changes[i].target, ret, first);
	if (r < 0 || s->each == nic_each)
		return r;
	patterns = list = nic_patterns(s, plan);
	if (!list)
		return -ENOMEM;
	if (!*list)
		return 0;
	return collect_targets(sys, s,
			       &(struct selector) { .key = s->key,
						    .label = "",
						    .match_keys = &name,
						    .match_patterns = &patterns,
						    .n_matches = 1 },
			       NULL, ret, first);
}

/* One setting of what each structural row of a policy is about to change. */
static int collect_policies(struct system *sys, const struct setting *s,
			    const struct plan *plan, struct plan *ret)
{
	const struct selector all = { .key = s->key, .label = "" };
	const size_t first = ret->n;
	int r = 0;

	for (size_t i = 0; i < plan->n && r == 0; i++) {
		const char *name = plan->changes[i].target.name;

		if (lives_in(s, &plan->changes[i]))
			r = collect_targets(sys, s, &all,
					    str_after(name, "policy") ? name : NULL, ret,
					    first);
	}
	return r;
}

int sides_collect(struct system *sys, const struct plan *plan, struct plan *ret)
{
	size_t n;
	const struct setting *all = registry_all(&n);

	int r = 0;

	ethtool_keep(&sys->ethtool, true);
	for (size_t i = 0; i < n && r == 0; i++)
		r = is_net(&all[i]) ? collect_nics(sys, &all[i], plan, ret)
				    : collect_policies(sys, &all[i], plan, ret);
	ethtool_keep(&sys->ethtool, false);
	return r;
}

static bool is_planned(const struct plan *plan, const struct change *side)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct change *c = &plan->changes[i];

		if (c->target.path && setting_same(c->setting, side->setting) &&
		    streq(c->target.path, side->target.path))
			return true;
	}
	return false;
}

void sides_restore(struct system *sys, const struct plan *record, const struct plan *plan)
{
	for (size_t i = 0; i < record->n; i++) {
		const struct change *c = &record->changes[i];
		struct value now;

		if (!c->side || !c->current || !is_net(c->setting) ||
		    c->before.type == VALUE_NONE || is_planned(plan, c) ||
		    c->setting->get(sys, c->setting, &c->target, &now) < 0 ||
		    value_equal(&now, &c->before))
			continue;
		/* what it says now is read by verify and by the undo */
		(void)c->setting->set(sys, c->setting, &c->target, &c->before);
	}
}

static bool has_carrier(struct system *sys, const struct change *c)
{
	char path[SYSROOT_PATH_MAX];
	unsigned long carrier;

	snprintf(path, sizeof(path), "%s/carrier", c->target.path);
	return sysroot_read_ulong(&sys->root, path, &carrier) == 0 && carrier;
}

void sides_note_carrier(struct system *sys, struct plan *plan, bool due_only)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct change *c = &plan->changes[i];

		c->carrier = c->setting->drops_link && c->target.path &&
			     (!due_only || change_due(c)) && has_carrier(sys, c);
	}
}

void sides_wait_carrier(struct system *sys, const struct plan *plan, int stop_fd)
{
	struct pollfd stop = { .fd = stop_fd, .events = POLLIN };
	unsigned left = CARRIER_WAIT_MS / CARRIER_POLL_MS;

	for (size_t i = 0; i < plan->n; i++) {
		const struct change *c = &plan->changes[i];

		while (c->carrier && c->written && left && !has_carrier(sys, c)) {
			if (poll(&stop, stop_fd >= 0, CARRIER_POLL_MS) > 0)
				return;
			left--;
		}
	}
}
