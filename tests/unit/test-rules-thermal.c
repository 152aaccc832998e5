// SPDX-License-Identifier: GPL-2.0-or-later
// test-rules-thermal.c - trips that would cook a board, and what is said about them
#include "engine-fixture.h"
#include "engine/rules-thermal.h"
#include "thermal-fixture.h"

/* What the rules make of a profile: a line per error, or of the rows a line per note. */
static const char *judge(struct system *sys, const char *lines, const struct record *rec,
			 bool want_notes)
{
	_cleanup_(profile_errors_clear) struct profile_errors ignored = { 0 };
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	_cleanup_(plan_clear) struct plan plan = { 0 };
	static char text[2048];
	size_t used = 0;

	text[0] = '\0';
	spit("lines.ini", lines);
	if (profile_load(&sys->root, "./lines.ini", &p, &ignored) < 0) {
		printf("# %s\n", ignored.items[0].text);
		return "not loaded";
	}
	(void)plan_build(sys, p, PLAN_ALL, &plan, &ignored);
	for (size_t i = 0; i < plan.n; i++)
		plan.changes[i].note[0] = '\0';
	rules_trips(sys, p, &plan, 0, rec, &errors);
	for (size_t i = 0; !want_notes && i < errors.n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u: %s",
					 i ? "\n" : "", errors.items[i].line,
					 errors.items[i].text);
	for (size_t i = 0; want_notes && i < plan.n; i++)
		if (plan.changes[i].note[0])
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "%s%s: %s", used ? "\n" : "",
						 plan.changes[i].setting->key,
						 plan.changes[i].note);
	if (want_notes && errors.n)
		return "errors";
	return text;
}

#define SOC "[thermal:soc-thermal]\n"
#define CPU "[thermal:cpu-thermal]\n"
#define PASSIVE_0 "of thermal_zone0/trip_point_2"
#define PASSIVE_1 "of thermal_zone0/trip_point_1"

static const struct {
	const char *lines, *errors, *about;
} cases[] = {
	{ SOC "passive = 65C\npassive.2 = 80C\n", "", "lower trips" },
	{ SOC "passive.2 = 70.1C\n", "", "as near to the next one as can be" },
	{ SOC "passive = 30C\n", "", "30 C" },
	{ SOC "passive = 29.999C\n",
	  "2: passive 30.0 C " PASSIVE_0 " would never let the board cool down; expected "
	  "at least 30 C",
	  "below 30 C" },
	{ SOC "passive = -274C\n",
	  "2: passive -274.0 C " PASSIVE_0 " would never let the board cool down; "
	  "expected at least 30 C",
	  "a trip is not switched off" },
	{ SOC "passive.2 = 90.1C\npassive.allow-hotter = yes\n",
	  "2: passive.2 90.1 C " PASSIVE_1 " is too hot; expected at most 90.0 C: 5 C "
	  "below the critical or hot trip at 95.0 C",
	  "too near to critical, hotter or not" },
	{ SOC "passive.2 = 90C\npassive.allow-hotter = yes\n", "", "5 C below critical" },
	{ SOC "passive.2 = 85.1C\n",
	  "2: passive.2 85.1 C " PASSIVE_1 " is hotter than the board came with; "
	  "expected at most 85.0 C, or passive.allow-hotter = yes in this section",
	  "hotter than shipped" },
	{ SOC "passive.2 = 85C\n", "", "as shipped" },
	{ SOC "passive.2 = 86C\npassive.allow-hotter = no\n",
	  "2: passive.2 86.0 C " PASSIVE_1 " is hotter than the board came with; "
	  "expected at most 85.0 C, or passive.allow-hotter = yes in this section",
	  "not allowed" },
	{ SOC "passive.2 = 86C\nactive.allow-hotter = yes\n",
	  "2: passive.2 86.0 C " PASSIVE_1 " is hotter than the board came with; "
	  "expected at most 85.0 C, or passive.allow-hotter = yes in this section",
	  "allowed for the other kind" },
	{ SOC "passive.2 = 86C\n" CPU "passive.allow-hotter = yes\n",
	  "2: passive.2 86.0 C " PASSIVE_1 " is hotter than the board came with; "
	  "expected at most 85.0 C, or passive.allow-hotter = yes in this section",
	  "allowed in another section" },
	{ SOC "passive = 86C\npassive.allow-hotter = yes\n",
	  "2: the trips of thermal_zone0 change their order; expected passive 86.0 C "
	  "below "
	  "trip_point_1 85.0 C",
	  "above one that is not named" },
	{ SOC "passive.2 = 69C\n",
	  "2: the trips of thermal_zone0 change their order; expected trip_point_2 70.0 "
	  "C below passive.2 69.0 C",
	  "below one that is not named" },
	{ SOC "passive.2 = 70C\n",
	  "2: the trips of thermal_zone0 change their order; expected trip_point_2 70.0 "
	  "C below passive.2 70.0 C",
	  "at the same temperature it would become the first" },
	{ SOC "passive.2 = 60C\npassive = 65C\n",
	  "3: the trips of thermal_zone0 change their order; expected passive 65.0 C "
	  "below passive.2 60.0 C",
	  "two that change places, at the later line" },
	{ SOC "passive = 65C\npassive.2 = 60C\n",
	  "3: the trips of thermal_zone0 change their order; expected passive 65.0 C "
	  "below passive.2 60.0 C",
	  "the other way round" },
	{ SOC "passive.2 = 65C\npassive = 60C\n", "", "both go below the old first one" },
	{ CPU "passive.2 = 74C\n",
	  "2: the trips of thermal_zone2 change their order; expected trip_point_1 75.0 "
	  "C below passive.2 74.0 C",
	  "of equal ones the second goes below the first" },
	{ CPU "passive = 70C\n", "", "the first may" },
	{ CPU "passive = 60C\n", "", "as active, which has a lower number" },
	{ CPU "passive = 59C\n",
	  "2: the trips of thermal_zone2 change their order; expected trip_point_0 60.0 "
	  "C below passive 59.0 C",
	  "below an active one" },
	{ CPU "passive.2 = 106C\npassive.allow-hotter = yes\n",
	  "2: passive.2 106.0 C of thermal_zone2/trip_point_2 is too hot; expected at "
	  "most 105.0 C: 5 C below the critical or hot trip at 110.0 C",
	  "hot below critical" },
	{ "[thermal:fan-thermal]\nactive.3 = 115.1C\nactive.allow-hotter = yes\n"
	  "active.2 = 116C\n",
	  "2: active.3 115.1 C of thermal_zone3/trip_point_0 is too hot; expected at "
	  "most 115.0 C: 5 C below the critical or hot trip at 120.0 C\n"
	  "4: active.2 116.0 C of thermal_zone3/trip_point_1 is too hot; expected at "
	  "most 115.0 C: 5 C below the critical or hot trip at 120.0 C\n"
	  "4: the trips of thermal_zone3 change their order; expected active.2 116.0 C "
	  "below active.3 115.1 C",
	  "all errors at once" },
	{ "[thermal:gpu-thermal]\npassive = 83C\npassive.allow-hotter = on\n", "",
	  "no critical trip: the hwmon's" },
	{ "[thermal:gpu-thermal]\npassive = 83.5C\npassive.allow-hotter = on\n",
	  "2: passive 83.5 C of thermal_zone9/trip_point_0 is too hot; expected at most "
	  "83.0 C: 5 C below 88.0 C, as this zone has no critical trip",
	  "too near to that" },
	{ "[thermal:npu-thermal]\npassive = 90C\npassive.allow-hotter = on\n", "",
	  "nor that: 95 C" },
	{ "[thermal:npu-thermal]\npassive = 90.5C\npassive.allow-hotter = on\n",
	  "2: passive 90.5 C of thermal_zone10/trip_point_0 is too hot; expected at most "
	  "90.0 C: 5 C below 95.0 C, as this zone has no critical trip",
	  "too near to that" },
	{ "[thermal:odd-zone]\npassive = 90C\n", "", "shipped above critical: as it is" },
	{ "[thermal:odd-zone]\npassive = 89C\n",
	  "2: passive 89.0 C of thermal_zone12/trip_point_2 is too hot; expected at most "
	  "75.0 C: 5 C below the critical or hot trip at 80.0 C",
	  "not another one that is too hot" },
	{ "[thermal:mixed]\n-passive = 60C\npassive.2 = 65C\n",
	  "3: the trips of thermal_zone13 change their order; expected trip_point_0 70.0 "
	  "C below passive.2 65.0 C",
	  "one that is read-only stays where it is" },
	{ "[thermal:mixed]\n-passive = 60C\npassive.2 = 71C\n", "", "above that it may" },
	{ "[thermal:mixed]\n-passive = 71C\n",
	  "2: passive 71.0 C of thermal_zone13/trip_point_0 is hotter than the board "
	  "came "
	  "with; expected at most 70.0 C, or passive.allow-hotter = yes in this section",
	  "a read-only one is judged all the same" },
	{ "[thermal:x.y|soc-thermal|cpu-thermal]\npassive = 71C\n",
	  "2: passive 71.0 C " PASSIVE_0 " is hotter than the board came with; expected "
	  "at most 70.0 C, or passive.allow-hotter = yes in this section",
	  "a zone by the first type that there is" },
	{ SOC "passive.hyst = 0C\npassive.2.hyst = 30C\n", "", "hysteresis" },
	{ SOC "passive.2.hyst = 30.1C\npassive.hyst = -1C\n",
	  "2: passive.2.hyst 30.1 C " PASSIVE_1 " is no hysteresis; expected 0C to 30C\n"
	  "3: passive.hyst -1.0 C " PASSIVE_0 " is no hysteresis; expected 0C to 30C",
	  "none" },
	{ SOC "policy = user_space\n",
	  "2: policy user_space of thermal_zone0: nothing would act at its passive "
	  "trips; "
	  "expected another such as step_wise",
	  "user_space on passive trips" },
	{ SOC "policy = power_allocator|bang_bang|step_wise\n",
	  "2: policy bang_bang of thermal_zone0: nothing would act at its passive trips; "
	  "expected another such as step_wise",
	  "bang_bang as the fallback" },
	{ SOC "policy = step_wise|user_space\n", "", "a fallback that is not taken" },
	{ "[thermal:fan-thermal]\npolicy = bang_bang\n", "", "bang_bang on fans" },
	{ "[thermal:bare]\npolicy = user_space\n", "", "user_space on no trips" },
	{ "[thermal:none]\npassive = 1C\npolicy = user_space\n", "", "no such zone" },
	{ "[cpufreq]\n-governor = performance\n", "", "other sections" },
};

static void test_errors(struct system *sys)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_str(judge(sys, cases[i].lines, NULL, false), cases[i].errors, "%s",
		       cases[i].about);
}

static const struct {
	const char *lines, *notes, *about;
} notes[] = {
	{ SOC "passive.2 = 84C\n", "", "lower, and above what it is now: no note" },
	{ SOC "passive.2 = 81.1C\n", "passive.2: below the current 81.2 C: acts at once",
	  "below the temperature of now" },
	{ SOC "passive.2 = 81.2C\n", "", "just at it" },
	{ SOC "passive = 70C\n", "", "below it all the time: nothing new" },
	{ SOC "passive.2 = 86C\npassive.allow-hotter = yes\n",
	  "passive.2: HOTTER THAN SHIPPED (85.0 C)", "hotter, and allowed" },
	{ SOC "passive = 71C\npassive.allow-hotter = yes\n",
	  "passive: HOTTER THAN SHIPPED (70.0 C); below the current 81.2 C: acts at once",
	  "both" },
	{ "[thermal:fan-thermal]\nactive = 59C\n", "", "a fan, cooler" },
	{ "[thermal:gpu-thermal]\npassive = 60C\n", "", "a sensor that reads 0" },
	{ "[thermal:odd-zone]\npassive = 70C\n", "", "a sensor that cannot be read" },
	{ "[thermal:mixed]\n-passive = 35C\n", "", "read-only: it will not act" },
};

static void test_notes(struct system *sys)
{
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		is_str(judge(sys, notes[i].lines, NULL, true), notes[i].notes, "%s",
		       notes[i].about);
}

/* The undo record knows what the board came with. */
static void test_record(struct system *sys)
{
	char path[] = ZONES "0/trip_point_2", other[] = ZONES "0/trip_point_3";
	struct change items[] = {
		/* of another trip, and of another file of this one */
		{ .setting = registry_find("thermal", "passive.3"),
		  .target.path = other,
		  .original = value_temp(40000) },
		{ .setting = registry_find("thermal", "passive.hyst"),
		  .target.path = path,
		  .original = value_temp(2000) },
		/* it was the second passive one when it was changed */
		{ .setting = registry_find("thermal", "passive.2"),
		  .target.path = path,
		  .original = value_temp(72000) },
	};
	struct record rec = { .plan = { items, ARRAY_SIZE(items) } };

	is_str(judge(sys, SOC "passive = 72C\n", &rec, false), "",
	       "as it came, though it is lower now");
	is_str(judge(sys, SOC "passive = 72C\n", &rec, true),
	       "passive: below the current 81.2 C: acts at once", "not hotter");
	is_str(judge(sys, SOC "passive = 73C\n", &rec, false),
	       "2: passive 73.0 C " PASSIVE_0 " is hotter than the board came with; "
	       "expected at most 72.0 C, or passive.allow-hotter = yes in this section",
	       "above that");
	items[2].original = value_temp(60000);
	is_str(judge(sys, SOC "passive = 70C\n", &rec, false),
	       "2: passive 70.0 C " PASSIVE_0 " is hotter than the board came with; "
	       "expected at most 60.0 C, or passive.allow-hotter = yes in this section",
	       "as it is now, but not as it came");
	is_str(judge(sys, SOC "passive = 70C\npassive.allow-hotter = yes\n", &rec, true),
	       "passive: HOTTER THAN SHIPPED (60.0 C)", "said although nothing changes");
	items[2].original = value_temp(-274000);
	is_str(judge(sys, SOC "passive = 75C\n", &rec, false), "",
	       "it was off: any is cooler");
	items[2].original = (struct value) { 0 };
	is_str(judge(sys, SOC "passive = 70.1C\n", &rec, false),
	       "2: passive 70.1 C " PASSIVE_0 " is hotter than the board came with; "
	       "expected at most 70.0 C, or passive.allow-hotter = yes in this section",
	       "not known: as it is now");
}

/* The first error of a profile that is wrong whatever the board. */
static const char *load_error(struct system *sys, const char *lines)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	static char text[512];

	spit("lines.ini", lines);
	if (profile_load(&sys->root, "./lines.ini", &p, &errors) == 0)
		return "";
	snprintf(text, sizeof(text), "%zu, %u: %s", errors.n, errors.items[0].line,
		 errors.items[0].text);
	return text;
}

#define NEVER                                                                            \
	"critical and hot trips save the board and are never written; expected passive " \
	"or active"

static void test_profile(struct system *sys)
{
	is_str(load_error(sys, SOC "critical = 110C\n"), "1, 2: \"critical\": " NEVER,
	       "critical is never written");
	is_str(load_error(sys, SOC "passive = 70C\n-hot.2 = 110C\n"),
	       "1, 3: \"hot.2\": " NEVER, "nor hot, optional or not");
	is_str(load_error(sys, SOC "critical.hyst = 2C\n"),
	       "1, 2: \"critical.hyst\": " NEVER, "nor hysteresis");
	is_str(load_error(sys, "[cpufreq]\nhot = 2C\n"),
	       "1, 2: unknown key \"hot\" in [cpufreq]; expected one that "
	       "boardtune.ini(5) "
	       "lists",
	       "elsewhere it is just a word");
	is_str(load_error(sys, SOC "hotter = 2C\n"),
	       "1, 2: unknown key \"hotter\" in [thermal]; expected one that "
	       "boardtune.ini(5) lists",
	       "as is a longer one");
	is_str(load_error(sys, SOC "passive = 75\n"),
	       "1, 2: passive = \"75\" is not understood; expected a temperature with "
	       "its "
	       "unit such as 75C",
	       "a temperature has a unit");
	is_str(load_error(sys, SOC "policy = step_wize|user_space\n"),
	       "1, 2: unknown policy \"step_wize\"; did you mean step_wise?", "a slip");
	is_str(load_error(sys, SOC "policy = step_wise|ondemand\n"),
	       "1, 2: unknown policy \"ondemand\"; expected one such as step_wise or "
	       "power_allocator",
	       "another word");
	is_str(load_error(sys, "[cpufreq]\ngovernor = ondemanf\n"),
	       "1, 2: unknown governor \"ondemanf\"; did you mean ondemand?",
	       "governors are checked as before");
	is_str(load_error(sys, "[thermal:thermal_zone0]\npassive = 75C\n"),
	       "1, 1: [thermal:thermal_zone0]: expected the type of a zone such as "
	       "[thermal:soc-thermal]",
	       "never by number");
	is_str(load_error(sys, "[thermal]\npassive = 75C\n"),
	       "1, 1: [thermal]: expected the type of a zone such as "
	       "[thermal:soc-thermal]",
	       "nor all of them");
	is_str(load_error(sys, "[thermal:|]\npassive = 75C\n"),
	       "1, 1: [thermal:|]: expected the type of a zone such as "
	       "[thermal:soc-thermal]",
	       "nor none");
	is_str(load_error(sys, "[thermal:thermal_zone]\npassive = 75C\n"), "",
	       "a type may look like one");
}

/* From the profile to the kernel and back. */
static void test_apply(struct system *sys)
{
	struct outcome_of o;

	spit("lines.ini", SOC "passive = 60C\npassive.2 = 80C\npassive.2.hyst = 5C\n");
	o = apply_to(sys, "./lines.ini", (struct apply_options) { 0 });
	is_int(o.result, APPLY_DONE, "applied");
	is_int(outcome_in(&o.plan, "passive"), OUTCOME_CHANGED, "changed");
	plan_clear(&o.plan);
	is_str(thermal_text(sys, ZONES "0/trip_point_2_temp"), "60000", "the first");
	is_str(thermal_text(sys, ZONES "0/trip_point_1_temp"), "80000", "the second");
	is_str(thermal_text(sys, ZONES "0/trip_point_1_hyst"), "5000", "its hysteresis");
	is_int(undo_on(sys, UNDO_ORIGINAL), 0, "revert");
	is_str(thermal_text(sys, ZONES "0/trip_point_2_temp"), "70000", "the first");
	is_str(thermal_text(sys, ZONES "0/trip_point_1_temp"), "85000", "the second");
	is_str(thermal_text(sys, ZONES "0/trip_point_1_hyst"), "2000", "its hysteresis");

	spit("lines.ini", "[thermal:mixed]\npassive = 60C\npassive.2 = 75C\n");
	o = apply_to(sys, "./lines.ini", (struct apply_options) { 0 });
	is_int(o.result, APPLY_UNTOUCHED, "a read-only trip: known beforehand");
	is_int(outcome_in(&o.plan, "passive"), OUTCOME_FIXED, "fixed");
	is_int(outcome_in(&o.plan, "passive.2"), OUTCOME_SKIPPED,
	       "the other is not tried");
	plan_clear(&o.plan);
	spit("lines.ini", "[thermal:mixed]\npassive = 70C\npassive.2 = 75C\n"
			  "-passive.hyst = 1C\n-passive.3 = 70C\n");
	o = apply_to(sys, "./lines.ini", (struct apply_options) { 0 });
	is_int(o.result, APPLY_DONE, "a read-only trip as wanted");
	is_int(outcome_in(&o.plan, "passive"), OUTCOME_OK, "is ok");
	is_int(outcome_in(&o.plan, "passive.2"), OUTCOME_CHANGED, "the other is changed");
	is_int(outcome_in(&o.plan, "passive.hyst"), OUTCOME_UNSUPPORTED, "no hysteresis");
	is_int(outcome_in(&o.plan, "passive.3"), OUTCOME_UNSUPPORTED, "no third one");
	is_int(row(&o.plan, "passive.3")->error, -ENOENT, "its errno");
	is_str(row(&o.plan, "passive.3")->note,
	       "thermal_zone13 has: passive 70.0 C, passive 80.0 C, critical 100.0 C",
	       "but these");
	plan_clear(&o.plan);
	spit("lines.ini", "[thermal:none]\n-passive.3 = 70C\n");
	o = apply_to(sys, "./lines.ini", (struct apply_options) { 0 });
	is_int(outcome_in(&o.plan, "passive.3"), OUTCOME_MISSING, "no such zone");
	is_int(row(&o.plan, "passive.3")->error, -ENODEV, "its errno");
	plan_clear(&o.plan);
	is_int(undo_on(sys, UNDO_ORIGINAL), 0, "revert");
	is_str(thermal_text(sys, ZONES "13/trip_point_1_temp"), "80000", "as it was");

	spit("lines.ini", SOC "passive = 65C\n" CPU "active = 55C\npolicy = step_wise\n");
	o = apply_to(sys, "./lines.ini", (struct apply_options) { 0 });
	is_int(o.result, APPLY_UNDONE, "the kernel refuses one");
	is_int(outcome_in(&o.plan, "active"), OUTCOME_REFUSED, "refused");
	is_int(row(&o.plan, "active")->error, -EINVAL, "with its errno");
	plan_clear(&o.plan);
	is_str(thermal_text(sys, ZONES "0/trip_point_2_temp"), "70000", "all is undone");
	is_str(thermal_text(sys, "/run/boardtune/undo.json"), "ENOENT",
	       "nothing is left");
}

int main(void)
{
	struct system sys = SYSTEM_INIT;

	thermal_find_board();
	sandbox_enter();
	thermal_open(&sys);
	test_errors(&sys);
	test_notes(&sys);
	test_record(&sys);
	test_profile(&sys);
	test_apply(&sys);
	system_close(&sys);
	sandbox_leave();
	return done();
}
