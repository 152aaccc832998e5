// SPDX-License-Identifier: GPL-2.0-or-later
// drift.c - what watch decides: when to look, what is news, when a fight is lost
#include "engine/drift.h"

void drift_timer_note(struct drift_timer *t, double now)
{
	if (!t->first)
		t->first = now;
	t->last = now;
}

double drift_timer_due(const struct drift_timer *t)
{
	double calm = t->last + DRIFT_DELAY, latest = t->first + DRIFT_DELAY_MAX;

	if (!t->first)
		return 0;
	return calm < latest ? calm : latest;
}

void drift_sight_note(struct drift_sights *s, const char *nic, enum drift_sight what)
{
	size_t i = 0;

	while (i < s->n && !streq(s->of[i].nic, nic))
		i++;
	if (i == DRIFT_NICS_MAX)
		return;
	if (i == s->n) {
		snprintf(s->of[i].nic, sizeof(s->of[i].nic), "%s", nic);
		s->of[s->n++].seen = 0;
	}
	s->of[i].seen |= what;
}

/* A target is "eth1", its queue "eth1/rx-0", an interrupt has its NIC beside it. */
static bool is_about(const struct target *t, const char *nic)
{
	const char *rest = str_after(t->name, nic);

	return streq(t->device, nic) || (rest && (!*rest || *rest == '/'));
}

unsigned drift_sight_of(const struct drift_sights *s, const struct change *c)
{
	for (size_t i = 0; i < s->n; i++)
		if (is_about(&c->target, s->of[i].nic))
			return s->of[i].seen;
	return 0;
}

bool drift_is(const struct change *c, const struct record *rec, bool off)
{
	const struct change *ours;

	/* A put-back that was refused has recorded what is there now. */
	if (off)
		return c->outcome == OUTCOME_DIFFERS || c->outcome == OUTCOME_OVERRIDDEN;

	if (c->outcome != OUTCOME_DIFFERS && c->outcome != OUTCOME_OVERRIDDEN)
		return false;
	ours = rec->applying ? NULL : record_find(rec, c);
	return !ours || !value_equal(&ours->now, &c->now);
}

char *drift_label(const struct change *c)
{
	const char *key = change_key(c);

	if (streq(key, c->target.name))
		return str_format("%s %s", c->section, key);
	return str_format("%s %s %s", c->section, c->target.name, key);
}

struct drift_item *drift_find(const struct drift_table *t, const char *label)
{
	for (size_t i = 0; i < t->n; i++)
		if (streq(t->items[i].label, label))
			return &t->items[i];
	return NULL;
}

static struct drift_item *add_item(struct drift_table *t, const char *label)
{
	char *copy;

	if (array_grow(&t->items, t->n, sizeof(*t->items)) < 0)
		return NULL;
	copy = strdup(label);
	if (!copy)
		return NULL;
	t->items[t->n] = (struct drift_item) { .label = copy };
	return &t->items[t->n++];
}

int drift_judge(struct drift_table *t, const char *label, bool off,
		const struct value *value, double now, struct drift_item **ret)
{
	struct drift_item *item = drift_find(t, label);
	bool was_off = item && item->off;

	if (!item && off) {
		item = add_item(t, label);
		if (!item)
			return -ENOMEM;
	}
	*ret = item;
	if (!item)
		return DRIFT_NO_NEWS;
	item->seen = true;
	item->off = off;
	if (!off) {
		if (was_off)
			item->since = now;
		return was_off && !item->gave_up ? DRIFT_BACK : DRIFT_NO_NEWS;
	}
	if (item->gave_up || (was_off && value_equal(&item->now, value)))
		return DRIFT_NO_NEWS;
	item->now = *value;
	return DRIFT_OFF;
}

void drift_sweep(struct drift_table *t, double now)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct drift_item *item = &t->items[i];

		if (!item->seen || (!item->off && now - item->since >= DRIFT_WINDOW)) {
			free(item->label);
			continue;
		}
		item->seen = item->write = false;
		t->items[kept++] = *item;
	}
	t->n = kept;
}

/* Fights that are older than the window do not count any more. */
static void forget_old_fights(struct drift_item *item, double now)
{
	unsigned old = 0;

	while (old < item->n_fights && now - item->fights[old] >= DRIFT_WINDOW)
		old++;
	item->n_fights -= old;
	memmove(item->fights, item->fights + old, item->n_fights * sizeof(*item->fights));
}

enum drift_verdict drift_decide(struct drift_item *item, double now)
{
	if (item->gave_up)
		return DRIFT_LEAVE;
	forget_old_fights(item, now);
	if (item->n_fights < DRIFT_FIGHTS)
		return DRIFT_PUT_BACK;
	item->gave_up = true;
	return DRIFT_GIVE_UP;
}

void drift_wrote(struct drift_item *item, bool good, double now)
{
	forget_old_fights(item, now);
	if (item->n_fights < DRIFT_FIGHTS)
		item->fights[item->n_fights++] = now;
	item->off = !good;
	item->since = now;
}

void drift_forgive(struct drift_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		t->items[i].n_fights = 0;
		t->items[i].gave_up = false;
	}
}

void drift_clear(struct drift_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i].label);
	free(t->items);
	*t = (struct drift_table) { 0 };
}
