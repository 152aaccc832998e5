// SPDX-License-Identifier: GPL-2.0-or-later
// test-drift.c - when watch looks, what it tells, when it gives a setting up
#include "engine/drift.h"
#include "profile/registry.h"

#include "tap.h"

static void test_timer(void)
{
	struct drift_timer t = { 0 };
	double now = 100;

	ok(drift_timer_due(&t) == 0, "no event, no look");
	drift_timer_note(&t, now);
	ok(drift_timer_due(&t) == 101, "one event: a second later");
	for (int i = 1; i < 100; i++)
		drift_timer_note(&t, now += 0.01);
	ok(drift_timer_due(&t) == now + DRIFT_DELAY, "a burst: a second after its last");
	while (now < 110)
		drift_timer_note(&t, now += 0.5);
	ok(drift_timer_due(&t) == 105, "events without end: 5 s after the first");
}

static void test_news(void)
{
	struct value on = value_feature(true, true), off = value_feature(false, false);
	struct value other = value_number(7);
	struct drift_table t = { 0 };
	struct drift_item *item;

	is_int(drift_judge(&t, "a", false, &on, 1, &item), DRIFT_NO_NEWS, "as wanted");
	ok(!item && t.n == 0, "nothing is kept of it");
	is_int(drift_judge(&t, "a", true, &off, 2, &item), DRIFT_OFF, "it drifted");
	drift_sweep(&t, 2);
	is_int(drift_judge(&t, "a", true, &off, 3, &item), DRIFT_NO_NEWS, "told once");
	drift_sweep(&t, 3);
	is_int(drift_judge(&t, "a", true, &other, 4, &item), DRIFT_OFF, "another value");
	drift_sweep(&t, 4);
	is_int(drift_judge(&t, "a", false, &on, 5, &item), DRIFT_BACK, "back");
	drift_sweep(&t, 5);
	is_int(drift_judge(&t, "a", false, &on, 6, &item), DRIFT_NO_NEWS, "told once");
	drift_sweep(&t, 6);
	is_int(t.n, 1, "a fight could go on: it is kept");
	drift_judge(&t, "a", false, &on, 5 + DRIFT_WINDOW, &item);
	drift_sweep(&t, 5 + DRIFT_WINDOW);
	is_int(t.n, 0, "at peace for long: forgotten");
	drift_judge(&t, "a", true, &off, 7, &item);
	drift_judge(&t, "b", true, &off, 7, &item);
	drift_judge(&t, "c", true, &off, 7, &item);
	drift_sweep(&t, 7);
	drift_judge(&t, "b", true, &off, 8, &item);
	drift_sweep(&t, 8);
	ok(t.n == 1 && drift_find(&t, "b"), "what is gone is forgotten");
	drift_clear(&t);
}

/* Somebody writes it again after each time: @step seconds between. Returns the times. */
static unsigned fight(struct drift_table *t, double *now, double step,
		      enum drift_verdict *last)
{
	struct value off = value_feature(false, false);
	struct drift_item *item;
	unsigned n = 0;

	for (; n < 20; n++) {
		*now += step;
		drift_judge(t, "a", true, &off, *now, &item);
		*last = drift_decide(item, *now);
		if (*last == DRIFT_PUT_BACK)
			drift_wrote(item, true, *now);
		drift_sweep(t, *now);
		if (*last != DRIFT_PUT_BACK)
			break;
	}
	return n;
}

static void test_fight(void)
{
	struct value on = value_feature(true, true), off = value_feature(false, false);
	enum drift_verdict last = DRIFT_LEAVE;
	struct drift_table t = { 0 };
	struct drift_item *item;
	double now = 1000;

	is_int(fight(&t, &now, 1, &last), DRIFT_FIGHTS, "put back five times");
	is_int(last, DRIFT_GIVE_UP, "then given up");
	is_int(fight(&t, &now, 1, &last), 0, "and not touched any more");
	is_int(last, DRIFT_LEAVE, "which is not said again");
	is_int(drift_judge(&t, "a", false, &on, now, &item), DRIFT_NO_NEWS,
	       "no news of what was given up");
	drift_sweep(&t, now);
	is_int(fight(&t, &now, DRIFT_WINDOW / 2, &last), 0, "nor after a short peace");
	drift_forgive(&t);
	is_int(fight(&t, &now, 1, &last), DRIFT_FIGHTS, "told to: again five times");
	drift_judge(&t, "a", false, &on, now, &item);
	drift_sweep(&t, now);
	drift_judge(&t, "a", false, &on, now += DRIFT_WINDOW, &item);
	drift_sweep(&t, now);
	is_int(fight(&t, &now, 1, &last), DRIFT_FIGHTS, "after a long peace, too");
	drift_clear(&t);

	is_int(fight(&t, &now, 151, &last), 20, "four times in ten minutes: no fight");
	drift_clear(&t);

	drift_judge(&t, "a", true, &off, now, &item);
	drift_wrote(item, false, now);
	ok(item->off, "written in vain: still off");
	drift_sweep(&t, now);
	is_int(drift_judge(&t, "a", true, &off, now, &item), DRIFT_NO_NEWS,
	       "which is no news");
	for (int i = 1; i < DRIFT_FIGHTS; i++)
		drift_wrote(item, false, now);
	is_int(drift_decide(item, now), DRIFT_GIVE_UP, "counts as a fight");
	drift_clear(&t);
}

static struct change change_of(const char *section, const char *key, char *target)
{
	return (struct change) {
		.setting = registry_find(section, key),
		.section = (char *)section,
		.target = { .name = target, .path = (char *)"/sys/x", .ifindex = 4 },
	};
}

static void test_is(void)
{
	char eth[] = "eth1";
	struct change c = change_of("net", "gro", eth), left = c;
	struct record rec = { .plan = { .changes = &left, .n = 1 } };

	c.now = value_feature(false, false);
	left.now = value_feature(true, true);
	c.outcome = OUTCOME_OVERRIDDEN;
	ok(drift_is(&c, &rec, false), "overridden");
	c.outcome = OUTCOME_HELD;
	ok(!drift_is(&c, &rec, false), "held by cooling: none");
	c.outcome = OUTCOME_MISSING;
	ok(!drift_is(&c, &rec, false), "gone: none");
	c.outcome = OUTCOME_DIFFERS;
	left.now = c.now;
	ok(!drift_is(&c, &rec, false), "as our apply left it: nobody else did it");
	ok(drift_is(&c, &rec, true), "unless it had drifted before: a put-back in vain");
	rec.applying = true;
	ok(drift_is(&c, &rec, false), "unless that did not come to its end");
	rec.applying = false;
	left.target.ifindex = 3;
	ok(drift_is(&c, &rec, false), "of an interface with another index: not ours");
}

static void test_causes(void)
{
	char eth[] = "eth1", queue[] = "eth1/rx-0", other[] = "eth10", irq[] = "irq 35";
	struct change c = change_of("net", "gro", eth);
	struct drift_sights s = { 0 };

	drift_sight_note(&s, "eth1", DRIFT_LINK);
	drift_sight_note(&s, "eth1", DRIFT_QUEUES);
	is_int(s.n, 1, "one interface");
	is_int(drift_sight_of(&s, &c), DRIFT_LINK | DRIFT_QUEUES, "both were seen");
	c.target.name = queue;
	is_int(drift_sight_of(&s, &c), DRIFT_LINK | DRIFT_QUEUES, "of its queues, too");
	c.target.name = other;
	is_int(drift_sight_of(&s, &c), 0, "not of one whose name begins alike");
	c.target.name = irq;
	strcpy(c.target.device, "eth1");
	is_int(drift_sight_of(&s, &c), DRIFT_LINK | DRIFT_QUEUES, "of its interrupts");
	for (int i = 0; i < 2 * DRIFT_NICS_MAX; i++) {
		char name[IF_NAMESIZE];

		snprintf(name, sizeof(name), "veth%d", i);
		drift_sight_note(&s, name, DRIFT_CREATED);
	}
	is_int(s.n, DRIFT_NICS_MAX, "so many are remembered, no more");
}

int main(void)
{
	test_timer();
	test_news();
	test_fight();
	test_is();
	test_causes();
	return done();
}
