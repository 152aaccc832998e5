// SPDX-License-Identifier: GPL-2.0-or-later
// status-find-clock.c - clocks and their limits: when to look at them
#include "profile/shell.h"
#include "report/status-find.h"

#define CPUFREQUTILS "/etc/default/cpufrequtils"

/* A clock that is meant to go down, and does not while there is little to do. */
#define PINNED_SHARE 0.9
#define IDLE_SHARE 0.8

static const char *policy_name(const struct clock *c, char buf[static 32])
{
	snprintf(buf, 32, "policy%u", c->number);
	return buf;
}

/* A difference of 2 % is rounding. */
static bool is_below(uint32_t khz, uint32_t other)
{
	return khz && other && khz < other / 100 * 98;
}

/* A kHz of the file that Debian's service writes at boot; 0: not there, or not in use. */
static uint32_t cpufrequtils_khz(const struct finder *f, const char *variable)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(shell_clear) struct shell_variables vars = { 0 };
	_cleanup_free_ char *text = NULL;
	ssize_t size = sysroot_read_all(&f->sys->root, CPUFREQUTILS, &text);
	bool enabled = true; /* by the service's own default */
	struct value value = { 0 };

	if (size < 0 || shell_parse(CPUFREQUTILS, text, (size_t)size, &vars, &errors) < 0)
		return 0;
	for (size_t i = 0; i < vars.n; i++) {
		const struct shell_variable *v = &vars.items[i];

		if (streq(v->name, "ENABLE"))
			enabled = streq(v->value, "true");
		if (streq(v->name, variable) &&
		    value_parse(VALUE_FREQ, v->value, &value) < 0)
			value.khz = 0;
	}
	return enabled ? value.khz : 0;
}

/* Whether a key of the profile in force comes to what a limit is. 1, 0 or -ENOMEM. */
static int is_wanted_by(const struct finder *f, const struct assignment *a,
			const char *policy, uint32_t khz)
{
	const struct setting *s = a->setting;
	struct selector sel = profile_selector(a);
	struct target_list list = { 0 };
	int r = s->each(f->sys, s, &sel, &list);

	for (size_t i = 0; i < list.n && r == 0; i++) {
		struct expectation e = { .want = a->value };

		if (streq(list.targets[i].name, policy) &&
		    s->expect(f->sys, s, &list.targets[i], &a->value, &e) == 0)
			r = (e.rounded.type ? e.rounded.khz : e.want.khz) == khz;
	}
	target_list_clear(&list);
	return r == -ENOMEM || r > 0 ? r : 0;
}

/* Whether it found a limit as it wants it: then it is meant, too. 1, 0 or -ENOMEM. */
static int is_wanted(const struct finder *f, const char *policy, const char *key,
		     uint32_t khz)
{
	int r = 0;

	for (size_t i = 0; f->profile && i < f->profile->n_assignments && r == 0; i++) {
		const struct assignment *a = &f->profile->assignments[i];

		if (streq(a->setting->section, "cpufreq") && streq(a->setting->key, key))
			r = is_wanted_by(f, a, policy, khz);
	}
	return r;
}

/* Whether an apply of ours set a limit: then it is meant. */
static bool is_ours(const struct finder *f, const char *policy, const char *key)
{
	for (size_t i = 0; i < f->ours.plan.n; i++) {
		const struct change *c = &f->ours.plan.changes[i];

		if (!c->side && streq(c->setting->section, "cpufreq") &&
		    streq(c->setting->key, key) && streq(c->target.name, policy))
			return true;
	}
	return false;
}

int find_held(struct finder *f, const struct clock *c)
{
	char name[32];

	if (!c->held)
		return 0;
	return finder_tell(f, policy_name(c, name), _("cooling holds %s at %u MHz of %u "
						      "MHz"),
			   policy_name(c, name), c->max_khz / 1000, c->hw_max_khz / 1000);
}

/* Firmware may cap a clock without telling. */
static bool is_out_of_range(const struct clock *c)
{
	return is_below(clock_now(c), c->min_khz) || is_below(c->max_khz, clock_now(c));
}

int find_out_of_range(struct finder *f, const struct clock *c)
{
	char name[32];

	/* of an idle CPU the kernel alone may tell the base clock (aperfmperf.c 5.18) */
	if (!c->hw_khz || !c->min_khz || !c->max_khz || !is_out_of_range(c))
		return 0;
	return finder_tell(f, policy_name(c, name),
			   _("%s runs at %u MHz, outside its limits of %u to %u MHz"),
			   policy_name(c, name), clock_now(c) / 1000, c->min_khz / 1000,
			   c->max_khz / 1000);
}

/* What a governor asks for that asks for one clock only; 0: another one. */
static uint32_t asked_khz(const struct clock *c)
{
	if (streq(c->governor, "performance"))
		return c->max_khz;
	return streq(c->governor, "userspace") ? c->set_khz : 0;
}

/* By a table of clocks only: without one (intel_pstate) idle CPUs read less. */
int find_not_followed(struct finder *f, const struct clock *c)
{
	uint32_t asked = asked_khz(c);
	char name[32];

	if (!asked || !c->points.n || is_out_of_range(c) || !c->hw_khz ||
	    (!is_below(c->hw_khz, asked) && !is_below(asked, c->hw_khz)))
		return 0;
	return finder_tell(f, policy_name(c, name),
			   _("%s runs at %u MHz, although %s asks for %u MHz"),
			   policy_name(c, name), c->hw_khz / 1000, c->governor,
			   asked / 1000);
}

static bool is_adaptive(const char *governor)
{
	return *governor && !streq(governor, "performance") &&
	       !streq(governor, "userspace");
}

int find_pinned(struct finder *f, const struct clock *c)
{
	double at_max = clock_share(&c->times, c->max_khz);
	char name[32];

	if (!is_adaptive(c->governor) || c->min_khz >= c->max_khz ||
	    at_max <= PINNED_SHARE || f->st->idle <= IDLE_SHARE)
		return 0;
	return finder_tell(f, policy_name(c, name),
			   _("%s was at its maximum of %u MHz for %.0f %% of the time, "
			     "although the CPUs were idle for %.0f %%"),
			   policy_name(c, name), c->max_khz / 1000, 100 * at_max,
			   100 * f->st->idle);
}

int find_limits(struct finder *f, const struct clock *c)
{
	char name[32];
	const char *policy = policy_name(c, name);
	int wanted;

	if (c->held || !is_below(c->max_khz, c->hw_max_khz) ||
	    is_ours(f, policy, "max_freq"))
		return 0;
	wanted = is_wanted(f, policy, "max_freq", c->max_khz);
	if (wanted)
		return wanted < 0 ? wanted : 0;
	if (cpufrequtils_khz(f, "MAX_SPEED") / 1000 == c->max_khz / 1000)
		return finder_tell(f, policy,
				   _("%s may run at %u MHz at most, its hardware at %u "
				     "MHz, because of MAX_SPEED in %s"),
				   policy, c->max_khz / 1000, c->hw_max_khz / 1000,
				   CPUFREQUTILS);
	return finder_tell(f, policy,
			   _("%s may run at %u MHz at most, its hardware at %u MHz"),
			   policy, c->max_khz / 1000, c->hw_max_khz / 1000);
}

/* What a file asks for: 6.1 shows what that came to, 5.4 what was written. */
int find_min_between(struct finder *f, const struct clock *c)
{
	uint32_t asked = cpufrequtils_khz(f, "MIN_SPEED");
	const char *where = CPUFREQUTILS;
	char name[32];

	if (!asked) {
		asked = c->min_khz;
		where = "scaling_min_freq";
	}
	if (!asked || !c->points.n || clock_points_have(&c->points, asked) ||
	    clock_points_have(&c->boost_points, asked))
		return 0;
	return finder_tell(f, policy_name(c, name),
			   _("%s has a minimum of %u MHz, which is no operating point of "
			     "%s"),
			   where, asked / 1000, policy_name(c, name));
}

int find_single_clock(struct finder *f, const struct clock *c)
{
	char name[32];
	const char *policy = policy_name(c, name);

	if (!c->max_khz || (c->min_khz != c->max_khz && c->points.n != 1) || c->held ||
	    is_ours(f, policy, "max_freq") || is_ours(f, policy, "min_freq"))
		return 0;
	return finder_tell(f, policy, _("%s has a single clock, %u MHz"), policy,
			   c->max_khz / 1000);
}
