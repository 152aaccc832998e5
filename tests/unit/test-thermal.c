// SPDX-License-Identifier: GPL-2.0-or-later
// test-thermal.c - zones by type, trips by temperature, hysteresis, zone governors
#include "thermal-fixture.h"

#define row(name) registry_find("thermal", name)

/* The targets of a row, "name=path" without what all paths begin with. */
static const char *targets(struct system *sys, const char *key, const char *label)
{
	struct selector sel = { .label = label };
	struct target_list list = { 0 };
	static char text[512];

	text[0] = '\0';
	if (row(key)->each(sys, row(key), &sel, &list) < 0)
		return "failed";
	for (size_t i = 0; i < list.n; i++) {
		const struct target *t = &list.targets[i];
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "", t->name);
		if (!str_after(t->path, "/sys/devices/virtual/thermal/") ||
		    !streq(str_after(t->path, "/sys/devices/virtual/thermal/"), t->name))
			snprintf(text, sizeof(text), "path %s", t->path);
	}
	target_list_clear(&list);
	return text;
}

static const char *absent(struct system *sys, const char *key, const char *label)
{
	struct selector sel = { .label = label };
	static char note[KNOB_NOTE_MAX];

	note[0] = '\0';
	return row(key)->absent(sys, row(key), &sel, note) < 0 ? "failed" : note;
}

static struct target trip(int zone, int number, char buf[static 256])
{
	snprintf(buf, 256, ZONES "%d/trip_point_%d", zone, number);
	return (struct target) { .name = strstr(buf, "thermal_zone"), .path = buf };
}

static struct target zone(int number, char buf[static 256])
{
	snprintf(buf, 256, ZONES "%d", number);
	return (struct target) { .name = strstr(buf, "thermal_zone"), .path = buf };
}

static void test_zones(struct system *sys)
{
	is_str(targets(sys, "policy", "soc-thermal"), "thermal_zone0", "a zone by type");
	is_str(targets(sys, "policy", "cpu-thermal"), "thermal_zone1 thermal_zone2",
	       "every zone of that type");
	is_str(targets(sys, "policy", "x|cpu-thermal|soc-thermal"),
	       "thermal_zone1 thermal_zone2",
	       "the first type that there is, not the last");
	is_str(targets(sys, "policy", "cpu-therma"), "", "half a type is none");
	is_str(targets(sys, "policy", "cpu-thermal-x"), "", "nor is more than one");
	is_str(targets(sys, "policy", "||"), "", "nor nothing");
	is_str(targets(sys, "policy", "thermal_zone0"), "", "nor a number");
	is_str(targets(sys, "policy", ""),
	       "thermal_zone0 thermal_zone1 thermal_zone2 thermal_zone3 thermal_zone9 "
	       "thermal_zone10 thermal_zone11 thermal_zone12 thermal_zone13 "
	       "thermal_zone14",
	       "without a label all, in natural order");
}

static void test_trips(struct system *sys)
{
	is_str(targets(sys, "passive", "soc-thermal"), "thermal_zone0/trip_point_2",
	       "the lowest passive trip, whatever its number");
	is_str(targets(sys, "passive.2", "soc-thermal"), "thermal_zone0/trip_point_1",
	       "the next by temperature");
	is_str(targets(sys, "passive.3", "soc-thermal"), "",
	       "one that is switched off (-274000) does not count");
	is_str(targets(sys, "passive.hyst", "soc-thermal"), "thermal_zone0/trip_point_2",
	       "its hysteresis");
	is_str(targets(sys, "passive", "cpu-thermal"),
	       "thermal_zone1/trip_point_0 thermal_zone2/trip_point_1",
	       "of equal ones the lower number");
	is_str(targets(sys, "passive.2", "cpu-thermal"), "thermal_zone2/trip_point_2",
	       "then the higher; only in zones that have one");
	is_str(targets(sys, "active", "cpu-thermal"), "thermal_zone2/trip_point_0",
	       "active trips are counted by themselves");
	is_str(targets(sys, "active.3", "fan-thermal"), "thermal_zone3/trip_point_0",
	       "the third of reversed ones");
	is_str(targets(sys, "passive", "odd-zone"), "thermal_zone12/trip_point_2",
	       "one that cannot be read does not count, nor does a vendor's type");
}

static void test_absent(struct system *sys)
{
	struct system empty = SYSTEM_INIT;
	char dir[] = "/tmp/boardtune-test-XXXXXX";

	is_str(absent(sys, "policy", "x"),
	       "no zone of this type; there are: soc-thermal, cpu-thermal, "
	       "fan-thermal, gpu-thermal, npu-thermal, bare, odd-zone, mixed, no-sensor",
	       "the types there are");
	is_str(absent(sys, "passive.3", "soc-thermal"),
	       "thermal_zone0 has: critical 95.0 C, passive 85.0 C, passive 70.0 C",
	       "the trips there are");
	is_str(absent(sys, "passive", "bare"), "thermal_zone11 has no trips", "none");
	if (!mkdtemp(dir) || sysroot_open(dir, &empty.root) < 0)
		exit(99);
	is_str(absent(&empty, "passive", "x"), "this board has no thermal zone",
	       "no thermal zone at all");
	is_str(targets(&empty, "passive", "x"), "", "is no error");
	sysroot_close(&empty.root);
	rmdir(dir);
}

static void test_get_set(struct system *sys)
{
	struct value v = { 0 }, want = value_temp(62500);
	char path[256];
	struct target t = trip(0, 2, path);
	const struct setting *s = row("passive"), *hyst = row("passive.hyst");

	is_int(s->get(sys, s, &t, &v), KNOB_READ, "a trip is read");
	is_int(v.type, VALUE_TEMP, "as a temperature");
	is_int(v.millicelsius, 70000, "in millidegrees");
	is_int(s->set(sys, s, &t, &want), 0, "and written");
	is_str(thermal_text(sys, ZONES "0/trip_point_2_temp"), "62500",
	       "in millidegrees");
	is_str(thermal_text(sys, ZONES "0/trip_point_1_temp"), "85000", "no other one");
	want = value_temp(-1000);
	is_int(hyst->get(sys, hyst, &t, &v), KNOB_READ, "its hysteresis");
	is_int(v.millicelsius, 2000, "likewise");
	is_int(hyst->set(sys, hyst, &t, &want), -EACCES, "read-only: EACCES");
	t = trip(0, 3, path);
	is_int(s->get(sys, s, &t, &v), KNOB_READ, "a trip that is off");
	is_int(v.millicelsius, -274000, "has a temperature that undo can give back");
	t = trip(2, 0, path);
	is_int(s->set(sys, s, &t, &want), -ENODEV, "an active trip is no passive one");
	s = row("active");
	is_int(s->set(sys, s, &t, &want), -EINVAL, "the kernel's EINVAL");
	s = row("passive");
	is_int(outcome_from_errno(s, -EINVAL), OUTCOME_REFUSED, "is a refusal");
	t = trip(12, 1, path);
	is_int(s->get(sys, s, &t, &v), -EIO, "the driver's EIO");
	t = trip(1, 0, path);
	is_int(hyst->get(sys, hyst, &t, &v), -ENOENT, "no get_trip_hyst (6.1): ENOENT");
	is_int(outcome_from_errno(hyst, -ENOENT), OUTCOME_UNSUPPORTED, "unsupported");
	is_int(hyst->set(sys, hyst, &t, &want), -ENOENT, "nor to be written");
	t = trip(77, 0, path);
	is_int(s->get(sys, s, &t, &v), -ENODEV, "a zone that has gone: ENODEV");
	is_int(s->set(sys, s, &t, &want), -ENODEV, "in both directions");
}

static struct expectation expect(struct system *sys, const char *key, struct target t,
				 struct value asked)
{
	struct expectation e = { .outcome = OUTCOME_MAX_ };

	is_int(row(key)->expect(sys, row(key), &t, &asked, &e), 0, "%s expected", key);
	return e;
}

static void test_trip_expect(struct system *sys)
{
	struct expectation e;
	char path[256];

	e = expect(sys, "passive.2", trip(0, 1, path), value_temp(80000));
	is_int(e.outcome, OUTCOME_OK, "a trip that can be written (6.12)");
	is_int(e.fixed, false, "is not fixed");
	is_int(e.want.millicelsius, 80000, "wanted as asked");
	is_str(e.note, "", "and nothing to say");
	e = expect(sys, "passive", trip(1, 0, path), value_temp(70000));
	is_int(e.outcome, OUTCOME_FIXED, "mode 0444: fixed");
	is_int(e.fixed, true, "so it is marked");
	is_str(e.note, "read-only in this kernel", "and said");
	e = expect(sys, "passive", trip(1, 0, path), value_temp(75000));
	is_int(e.outcome, OUTCOME_OK, "mode 0444 and as wanted");
	is_int(e.fixed, true, "is fixed all the same");
	e = expect(sys, "passive.hyst", trip(0, 2, path), value_temp(3000));
	is_int(e.outcome, OUTCOME_FIXED, "hysteresis stays read-only in 6.12");
	e = expect(sys, "passive.2.hyst", trip(0, 1, path), value_temp(3000));
	is_int(e.outcome, OUTCOME_OK, "unless the driver lets it");
	e = expect(sys, "passive.hyst", trip(1, 0, path), value_temp(3000));
	is_int(e.outcome, OUTCOME_OK, "no file: that is for get to say");
	is_int(e.fixed, false, "not fixed");
	e = expect(sys, "active", trip(3, 2, path), value_temp(55000));
	is_str(e.note, "this zone is disabled, its trips do nothing", "mode disabled");
}

static struct value words(const char *text)
{
	struct value v = value_word(text);

	v.type = VALUE_WORDS;
	return v;
}

static void test_policy(struct system *sys)
{
	const struct setting *s = row("policy");
	struct value v = { 0 }, want = value_word("power_allocator");
	char path[256], gone[256];
	struct target t = zone(0, path);
	struct expectation e;

	is_int(s->get(sys, s, &t, &v), KNOB_READ, "the zone's governor");
	is_str(v.word, "step_wise", "is a word");
	is_int(s->set(sys, s, &t, &want), -EINVAL, "one that is not there: EINVAL");
	want = value_word("user_space");
	is_int(s->set(sys, s, &t, &want), 0, "one that is");
	is_str(thermal_text(sys, ZONES "0/policy"), "user_space", "is in force");
	e = expect(sys, "policy", t, words("power_allocator|step_wise|user_space"));
	is_int(e.outcome, OUTCOME_OK, "a fallback");
	is_int(e.want.type, VALUE_WORD, "is resolved");
	is_str(e.want.word, "step_wise", "to the first that there is");
	e = expect(sys, "policy", t, words("Step_Wise"));
	is_str(e.want.word, "step_wise", "in the kernel's spelling");
	e = expect(sys, "policy", t, words("step_wises|user_space"));
	is_str(e.want.word, "user_space", "more than a word is another one");
	e = expect(sys, "policy", t, words("step|fair_share"));
	is_int(e.outcome, OUTCOME_UNSUPPORTED, "none of them; half a word is none");
	is_int(e.error, -EINVAL, "as the kernel would say");
	is_str(e.want.word, "step", "the first is what was wanted");
	is_str(e.note, "this kernel has: bang_bang user_space step_wise",
	       "what there is");
	t = zone(2, path);
	e = expect(sys, "policy", t, words("fair_share|step_wise"));
	is_int(e.outcome, OUTCOME_OK, "no available_policies: not known");
	is_str(e.want.word, "fair_share", "the first is tried");
	t = zone(77, gone);
	is_int(s->get(sys, s, &t, &v), -ENODEV, "a zone that has gone: ENODEV");
	ok(thermal_policy_known("fair_share"), "a policy by name");
	ok(!thermal_policy_known("step"), "another word");
	is_str(thermal_policy_nearest("stepwise"), "step_wise", "a slip");
	ok(!thermal_policy_nearest("ondemand"), "no slip");
}

static void is_limit(struct system *sys, int number, int want, bool want_trip)
{
	struct thermal_trip trips[THERMAL_TRIPS_MAX];
	char path[256];
	bool is_trip = !want_trip;
	int n;

	zone(number, path);
	n = thermal_trips(sys, path, trips);
	is_int(thermal_zone_limit(sys, path, trips, n, &is_trip), want,
	       "the limit of zone %d", number);
	is_int(is_trip, want_trip, "from a trip, or not");
}

static void test_limits(struct system *sys)
{
	struct thermal_trip trips[THERMAL_TRIPS_MAX];

	is_limit(sys, 0, 95000, true);
	is_limit(sys, 2, 110000, true);	 /* hot below critical */
	is_limit(sys, 9, 88000, false);	 /* the hwmon's, where it makes sense */
	is_limit(sys, 10, 95000, false); /* critical is switched off */
	is_limit(sys, 11, 95000, false);
	is_int(thermal_trips(sys, ZONES "0", trips), 4, "trips of a zone");
	is_int(trips[0].type, THERMAL_TRIP_CRITICAL, "with their types");
	is_int(trips[1].number, 1, "numbers");
	is_int(trips[1].millicelsius, 85000, "temperatures");
	is_int(trips[1].writable, true, "modes");
	is_int(thermal_trip_on(&trips[3]), false, "and whether they are on");
	is_int(thermal_trips(sys, ZONES "1", trips), 2, "of another");
	is_int(trips[0].writable, false, "read-only");
	is_int(thermal_trips(sys, ZONES "11", trips), 0, "none");
	is_int(thermal_trips(sys, ZONES "12", trips), 4, "odd ones");
	is_int(trips[0].type, THERMAL_TRIP_OTHER, "a vendor's type");
	is_int(thermal_trip_on(&trips[1]), false, "one that cannot be read: off");
}

static void test_temperature(struct system *sys)
{
	int temp = 7;

	is_int(thermal_zone_temp(sys, ZONES "0", &temp), 0, "the temperature of now");
	is_int(temp, 81200, "in millidegrees");
	is_int(thermal_zone_temp(sys, ZONES "1", &temp), -ENODATA,
	       "not ready (EAGAIN of the driver): ENODATA, in the end");
	is_int(thermal_zone_temp(sys, ZONES "9", &temp), -ERANGE, "0 is no reading");
	is_int(temp, 81200, "and nothing is given back");
	is_int(thermal_zone_temp(sys, ZONES "10", &temp), 0, "below 0 may be one");
	is_int(temp, -9375, "signed");
	is_int(thermal_zone_temp(sys, ZONES "11", &temp), -EINVAL, "no sensor: EINVAL");
	is_int(thermal_zone_temp(sys, ZONES "14", &temp), -ENODEV, "or ENODEV");
	is_int(thermal_zone_temp(sys, ZONES "12", &temp), -EIO, "a firmware's EIO");
	is_int(thermal_zone_temp(sys, ZONES "77", &temp), -ENOENT, "no such zone");
}

int main(void)
{
	struct system sys = SYSTEM_INIT;

	thermal_find_board();
	thermal_open(&sys);
	test_zones(&sys);
	test_trips(&sys);
	test_absent(&sys);
	test_limits(&sys);
	test_temperature(&sys);
	test_trip_expect(&sys);
	test_policy(&sys);
	test_get_set(&sys);
	system_close(&sys);
	return done();
}
