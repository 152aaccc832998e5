// SPDX-License-Identifier: GPL-2.0-or-later
// test-cpufreq.c - policies by label, governors, limits, tunables, boost
#include "fixture.h"
#include "knobs/cpufreq.h"
#include "tap.h"

#define P0 CPUFREQ_DIR "/policy0"
#define P4 CPUFREQ_DIR "/policy4"
#define P10 CPUFREQ_DIR "/policy10"
#define CPU "/sys/devices/system/cpu"
#define COOLING "/sys/class/thermal/cooling_device"

static const struct setting governor_row = { .section = "cpufreq",
					     .attr = "scaling_governor" };
static const struct setting min_row = { .section = "cpufreq",
					.attr = "scaling_min_freq",
					.type = VALUE_FREQ };
static const struct setting max_row = { .section = "cpufreq",
					.attr = "scaling_max_freq",
					.type = VALUE_FREQ };
static const struct setting tunable_row = { .section = "cpufreq",
					    .attr = "ondemand/up_threshold",
					    .type = VALUE_NUMBER };
static const struct setting flag_row = { .section = "cpufreq",
					 .attr = "ondemand/io_is_busy",
					 .type = VALUE_FLAG };

static void add_policy(struct fixture *f, const char *path, const char *cpus,
		       const char *min, const char *max)
{
	const struct {
		const char *attr, *text;
	} files[] = {
		{ "affected_cpus", cpus },
		{ "related_cpus", cpus },
		{ "cpuinfo_min_freq", min },
		{ "cpuinfo_max_freq", max },
		{ "scaling_min_freq", min },
		{ "scaling_max_freq", max },
		{ "scaling_governor", "ondemand\n" },
		{ "scaling_driver", "cpufreq-dt\n" },
		{ "scaling_available_governors", "ondemand performance schedutil \n" },
	};
	char file[256];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(file, sizeof(file), "%s/%s", path, files[i].attr);
		fixture_file(f, file, files[i].text);
	}
}

static struct target target_of(const char *name, const char *path)
{
	return (struct target) { .name = (char *)name, .path = (char *)path };
}

/* The names that a label gives, joined by blanks. */
static const char *names_of(struct fixture *f, knob_each_fn *each,
			    const struct setting *s, const char *label)
{
	struct selector sel = { .label = label };
	struct target_list list = { 0 };
	static char names[256];

	names[0] = '\0';
	if (each(&f->sys, s, &sel, &list) < 0)
		return "failed";
	for (size_t i = 0; i < list.n; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			 i ? " " : "", list.targets[i].name);
	target_list_clear(&list);
	return names;
}

static void test_labels(void)
{
	struct fixture f;

	fixture_open(&f);
	is_str(names_of(&f, cpufreq_policy_each, &max_row, ""), "", "no cpufreq");
	is_str(names_of(&f, cpufreq_boost_each, &max_row, ""), "",
	       "no cpufreq, no boost");
	add_policy(&f, P0, "0 1 2 3\n", "408000\n", "1416000\n");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "big"), "",
	       "one class: no big");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "little"), "", "nor little");
	add_policy(&f, P10, "10 11\n", "408000\n", "2016000\n");
	add_policy(&f, P4, "4 5\n", "408000\n", "1800000\n");
	fixture_file(&f, CPUFREQ_DIR "/policyx/affected_cpus", "0\n");
	fixture_file(&f, CPUFREQ_DIR "/ondemand/up_threshold", "80\n");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, ""),
	       "policy0 policy4 policy10", "all, in natural order");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "policy4"), "policy4", "one");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "policy1"), "", "none such");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "policy"), "", "no number");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "medium"), "",
	       "no such class");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "little"), "policy0",
	       "little by clock");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "big"), "policy4 policy10",
	       "big: all others");
	fixture_file(&f, CPU "/cpu0/cpu_capacity", "1024\n");
	fixture_file(&f, CPU "/cpu4/cpu_capacity", "485\n");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "little"), "policy0",
	       "capacity counts only if every policy has it");
	fixture_file(&f, CPU "/cpu10/cpu_capacity", "485\n");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "little"), "policy4 policy10",
	       "little by capacity, not by clock");
	is_str(names_of(&f, cpufreq_policy_each, &max_row, "big"), "policy0", "big too");
	fixture_close(&f);
}

static struct expectation expect_governor(struct fixture *f, const char *words,
					  int *ret_r)
{
	struct target t = target_of("policy0", P0);
	struct value asked = value_word(words);
	struct expectation e;

	asked.type = VALUE_WORDS;
	*ret_r = cpufreq_governor_expect(&f->sys, &governor_row, &t, &asked, &e);
	return e;
}

static void test_governor_expect(void)
{
	struct expectation e;
	struct fixture f;
	int r;

	fixture_open(&f);
	add_policy(&f, P0, "0 1 2 3\n", "408000\n", "1416000\n");
	e = expect_governor(&f, "schedutil|ondemand", &r);
	is_int(r, 0, "governor: expected");
	is_str(e.want.word, "schedutil", "the first that is there");
	is_int(e.want.type, VALUE_WORD, "chosen: one word");
	e = expect_governor(&f, "interactive|demand|ondemand", &r);
	is_str(e.want.word, "ondemand", "a later one; half a name is none");
	is_int(e.outcome, OUTCOME_OK, "nothing against it");
	e = expect_governor(&f, "Performance", &r);
	is_str(e.want.word, "performance", "in the kernel's spelling");
	e = expect_governor(&f, "conservative|userspace", &r);
	is_int(e.outcome, OUTCOME_UNSUPPORTED, "none: unsupported");
	is_str(e.want.word, "conservative", "wanted: the first");
	is_str(e.note, "this kernel has: ondemand performance schedutil", "says what is");
	fixture_file(&f, "/proc/sys/kernel/osrelease", "6.1.0-test\n");
	fixture_file(&f, "/lib/modules/6.1.0-test/modules.dep",
		     "kernel/drivers/cpufreq/cpufreq_userspace.ko.xz:\n"
		     "kernel/drivers/cpufreq/cpufreq_conservatively.ko:\n");
	e = expect_governor(&f, "conservative|userspace", &r);
	is_int(e.outcome, OUTCOME_OK, "a module counts");
	is_str(e.want.word, "userspace", "the one with a module");
	ok(strstr(e.note, "cpufreq_userspace") != NULL, "the note names it: %s", e.note);
	e = expect_governor(&f, "userspace|ondemand", &r);
	is_str(e.want.word, "ondemand", "what is there comes before what can be loaded");
	fixture_file(&f, P0 "/scaling_driver", "intel_pstate\n");
	e = expect_governor(&f, "conservative|userspace", &r);
	is_int(e.outcome, OUTCOME_UNSUPPORTED, "setpolicy drivers load no module");
	fixture_file(&f, P0 "/affected_cpus", "\n");
	e = expect_governor(&f, "ondemand", &r);
	is_int(r, 0, "offline: still an answer");
	is_int(e.outcome, OUTCOME_MISSING, "offline: missing");
	fixture_close(&f);
}

static void test_governor(void)
{
	struct target t = target_of("policy0", P0),
		      gone = target_of("policy7", "/sys/no");
	struct value v = { 0 };
	struct fixture f;

	fixture_open(&f);
	add_policy(&f, P0, "0 1 2 3\n", "408000\n", "1416000\n");
	is_int(cpufreq_governor_get(&f.sys, &governor_row, &t, &v), KNOB_READ, "read");
	is_str(v.word, "ondemand", "governor");
	v = value_word("performance");
	is_int(cpufreq_governor_set(&f.sys, &governor_row, &t, &v), 0, "written");
	ok(strncmp(fixture_text(&f, P0 "/scaling_governor"), "performance", 11) == 0,
	   "the file has it");
	is_int(cpufreq_governor_get(&f.sys, &governor_row, &gone, &v), -ENODEV, "gone");
	fixture_file(&f, P0 "/affected_cpus", "\n");
	is_int(cpufreq_governor_get(&f.sys, &governor_row, &t, &v), -EBUSY,
	       "no CPU online: busy");
	is_int(cpufreq_governor_set(&f.sys, &governor_row, &t, &v), -EBUSY,
	       "no CPU online: not written");
	fixture_close(&f);
	ok(cpufreq_governor_known("schedutil"), "a governor");
	ok(!cpufreq_governor_known("Schedutil") && !cpufreq_governor_known(""), "none");
	is_str(cpufreq_governor_nearest("ondemnad"), "ondemand", "did you mean");
	ok(cpufreq_governor_nearest("turbo-extreme") == NULL, "nothing near");
}

static struct expectation expect_limit(struct fixture *f, const struct setting *s,
				       uint32_t khz, int *ret_r)
{
	struct target t = target_of("policy0", P0);
	struct value asked = value_freq(khz);
	struct expectation e;

	*ret_r = cpufreq_limit_expect(&f->sys, s, &t, &asked, &e);
	return e;
}

static void test_limit_rounding(void)
{
	static const struct {
		const struct setting *row;
		uint32_t khz, want, rounded; /* rounded 0: as wanted */
		const char *note;	     /* a part of it */
	} cases[] = {
		{ &min_row, 480000, 480000, 648000, "480000 kHz is no operating point" },
		{ &max_row, 480000, 480000, 408000, "the kernel uses 408000 kHz" },
		{ &min_row, 648000, 648000, 0, "" },
		{ &max_row, 816000, 816000, 0, "" },
		{ &max_row, 1000000, 1000000, 960000, "960000 kHz" },
		{ &min_row, 1000000, 1000000, 1008000, "1008000 kHz" },
		{ &max_row, FREQ_HW_MAX, 1008000, 0, "" },
		{ &min_row, FREQ_HW_MIN, 408000, 0, "" },
		{ &min_row, FREQ_HW_MAX, 1008000, 0, "" },
		{ &max_row, 1200000, 1200000, 1008000, "above the hardware's maximum" },
		{ &min_row, 300000, 300000, 408000, "below the hardware's minimum" },
		{ &max_row, 2016000, 2016000, 1008000, "above" },
		{ &min_row, 204000, 204000, 408000, "below" },
	};
	struct fixture f;

	fixture_open(&f);
	add_policy(&f, P0, "0 1 2 3\n", "408000\n", "1008000\n");
	fixture_file(&f, P0 "/scaling_available_frequencies",
		     "1008000 408000 648000 816000 816000 912000 960000 \n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct expectation e;
		int r;

		e = expect_limit(&f, cases[i].row, cases[i].khz, &r);
		is_int(r, 0, "%s %u: fine", cases[i].row->attr, cases[i].khz);
		is_int(e.want.khz, cases[i].want, "wanted");
		is_int(e.rounded.type, cases[i].rounded ? VALUE_FREQ : VALUE_NONE,
		       "rounded or not");
		is_int(e.rounded.khz, cases[i].rounded, "where the kernel puts it");
		ok(strstr(e.note, cases[i].note) && !*e.note == !*cases[i].note,
		   "note: '%s'", e.note);
	}
	fixture_close(&f);
}

static void test_limit_tables(void)
{
	struct expectation e;
	struct fixture f;
	int r;

	fixture_open(&f);
	add_policy(&f, P0, "0\n", "800000\n", "3000000\n");
	e = expect_limit(&f, &max_row, 1234567, &r);
	is_int(e.rounded.type, VALUE_NONE, "no table: any frequency is as wanted");
	e = expect_limit(&f, &max_row, 3500000, &r);
	is_int(e.rounded.khz, 3000000, "no table: the hardware's limits still hold");
	fixture_file(&f, P0 "/scaling_available_frequencies", "800000 1600000 2000000\n");
	fixture_file(&f, P0 "/scaling_boost_frequencies", "3000000 2600000\n");
	fixture_file(&f, CPUFREQ_DIR "/boost", "0\n");
	e = expect_limit(&f, &max_row, FREQ_HW_MAX, &r);
	is_int(e.rounded.khz, 2000000, "boost off: the table's end");
	e = expect_limit(&f, &min_row, 2500000, &r);
	is_int(e.rounded.khz, 2000000, "a minimum beyond the table: its end");
	fixture_file(&f, CPUFREQ_DIR "/boost", "1\n");
	e = expect_limit(&f, &max_row, 2700000, &r);
	is_int(e.rounded.khz, 2600000, "boost on: both tables");
	fixture_file(&f, P0 "/boost", "0\n");
	e = expect_limit(&f, &max_row, 2700000, &r);
	is_int(e.rounded.khz, 2000000, "boost off for this policy");
	fixture_close(&f);
}

static void test_unit_slip(void)
{
	struct expectation e;
	struct fixture f;
	int r;

	fixture_open(&f);
	add_policy(&f, P0, "0\n", "300000\n", "900000\n");
	e = expect_limit(&f, &max_row, 600, &r);
	is_int(r, -ERANGE, "600 kHz is a slip");
	is_str(e.note,
	       "600 kHz is far outside 300000-900000 kHz of policy0; did you mean "
	       "600MHz?",
	       "and says what was meant");
	e = expect_limit(&f, &max_row, 600000000, &r);
	is_int(r, -ERANGE, "600000000 kHz is a slip");
	ok(strstr(e.note, "did you mean 600000000Hz?") != NULL, "Hz: %s", e.note);
	e = expect_limit(&f, &min_row, 5, &r);
	is_int(r, -ERANGE, "5 kHz is a slip");
	ok(strstr(e.note, "did you mean") == NULL, "no hint that does not help: %s",
	   e.note);
	expect_limit(&f, &min_row, 149999, &r);
	is_int(r, -ERANGE, "just below half of the minimum");
	expect_limit(&f, &min_row, 150000, &r);
	is_int(r, 0, "half of the minimum");
	expect_limit(&f, &max_row, 1800000, &r);
	is_int(r, 0, "twice the maximum");
	expect_limit(&f, &max_row, 1800001, &r);
	is_int(r, -ERANGE, "just above twice the maximum");
	fixture_file(&f, P0 "/cpuinfo_max_freq", "4000000\n");
	e = expect_limit(&f, &max_row, 2, &r);
	ok(strstr(e.note, "did you mean 2GHz?") != NULL, "GHz: %s", e.note);
	fixture_close(&f);
}

static int get_limit(struct fixture *f, const struct setting *s, uint32_t *ret)
{
	struct target t = target_of("policy4", P4);
	struct value v = { 0 };
	int r = cpufreq_limit_get(&f->sys, s, &t, &v);

	*ret = v.khz;
	return r;
}

static void test_limit(void)
{
	struct target t = target_of("policy4", P4);
	struct value v = value_freq(1200000);
	struct fixture f;
	struct expectation e;
	uint32_t khz;

	fixture_open(&f);
	add_policy(&f, P4, "4 5\n", "408000\n", "1800000\n");
	is_int(get_limit(&f, &max_row, &khz), KNOB_READ, "read");
	is_int(khz, 1800000, "the maximum");
	is_int(cpufreq_limit_set(&f.sys, &max_row, &t, &v), 0, "written");
	is_str(fixture_text(&f, P4 "/scaling_max_freq"), "1200000", "plain decimal kHz");
	fixture_file(&f, P4 "/scaling_max_freq", "<unknown>\n");
	is_int(get_limit(&f, &max_row, &khz), -EBADMSG, "no number");
	fixture_file(&f, P4 "/scaling_max_freq", "4294967295\n");
	is_int(get_limit(&f, &max_row, &khz), -ERANGE, "beyond the kernel's numbers");
	fixture_file(&f, P4 "/affected_cpus", "\n");
	is_int(get_limit(&f, &max_row, &khz), -EBUSY, "offline: busy");
	is_int(cpufreq_limit_set(&f.sys, &max_row, &t, &v), -EBUSY, "offline: unwritten");
	is_int(cpufreq_limit_expect(&f.sys, &max_row, &t, &v, &e), 0, "what to expect");
	ok(e.outcome == OUTCOME_MISSING && strstr(e.note, "offline"), "missing: offline");
	fixture_close(&f);
}

static void test_held(void)
{
	static const struct {
		const char *type, *state;
		bool held;
	} cases[] = {
		{ "cpufreq-cpu4\n", "1\n", true },
		{ "cpufreq-cpu5\n", "2\n", true },
		{ "cpufreq-cpu4\n", "0\n", false },
		{ "cpufreq-cpu0\n", "3\n", false },
		{ "cpufreq-cpu45\n", "1\n", false },
		{ "thermal-cpufreq-0\n", "1\n", true },
		{ "thermal-cpufreq-0\n", "0\n", false },
		{ "Processor\n", "1\n", true },
		{ "pwm-fan\n", "3\n", false },
		{ "intel_powerclamp\n", "9\n", false },
	};
	struct fixture f;
	uint32_t khz;

	fixture_open(&f);
	add_policy(&f, P4, "4 5\n", "408000\n", "1800000\n");
	fixture_file(&f, P4 "/scaling_max_freq", "1416000\n");
	is_int(get_limit(&f, &max_row, &khz), KNOB_READ, "low, but nothing cools");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* a number in between is free, as after unplugging */
		fixture_file(&f, COOLING "3/type", cases[i].type);
		fixture_file(&f, COOLING "3/cur_state", cases[i].state);
		system_forget(&f.sys);
		is_int(get_limit(&f, &max_row, &khz),
		       cases[i].held ? KNOB_HELD : KNOB_READ, "%.*s at %.1s",
		       (int)strlen(cases[i].type) - 1, cases[i].type, cases[i].state);
	}
	fixture_file(&f, COOLING "3/type", "cpufreq-cpu4\n");
	system_forget(&f.sys);
	is_int(khz, 1416000, "the reading is given all the same");
	is_int(get_limit(&f, &min_row, &khz), KNOB_READ,
	       "a minimum below the cap is ours");
	fixture_file(&f, P4 "/scaling_min_freq", "1416000\n");
	is_int(get_limit(&f, &min_row, &khz), KNOB_HELD,
	       "a minimum at the cap may not be");
	fixture_file(&f, P4 "/scaling_max_freq", "1800000\n");
	is_int(get_limit(&f, &max_row, &khz), KNOB_READ, "at the hardware's end: no cap");
	ok(cpufreq_held(&f.sys, P4), "held says so by itself");
	fixture_close(&f);
}

static void test_tunables(void)
{
	struct target t = target_of("policy4", P4);
	struct target_list list = { 0 };
	struct selector sel = { .label = "" };
	struct value v = { 0 };
	struct fixture f;

	fixture_open(&f);
	add_policy(&f, P4, "4 5\n", "408000\n", "1800000\n");
	is_int(cpufreq_tunable_each(&f.sys, &tunable_row, &sel, &list), 0, "each");
	is_str(list.targets[0].path, P4, "no directory: the policy's");
	is_int(cpufreq_tunable_get(&f.sys, &tunable_row, &t, &v), -ENOENT,
	       "nothing there");
	is_int(cpufreq_tunable_set(&f.sys, &tunable_row, &t, &v), -ENOENT,
	       "nor to write");
	target_list_clear(&list);
	fixture_file(&f, CPUFREQ_DIR "/ondemand/up_threshold", "80\n");
	is_int(cpufreq_tunable_each(&f.sys, &tunable_row, &sel, &list), 0, "each");
	is_str(list.targets[0].path, CPUFREQ_DIR "/ondemand", "the global directory");
	is_str(list.targets[0].name, "policy4", "of a policy");
	target_list_clear(&list);
	is_int(cpufreq_tunable_get(&f.sys, &tunable_row, &t, &v), KNOB_READ, "appeared");
	is_int(v.number, 80, "global value");
	fixture_file(&f, P4 "/ondemand/up_threshold", "95\n");
	fixture_file(&f, P4 "/ondemand/io_is_busy", "1\n");
	is_int(cpufreq_tunable_each(&f.sys, &tunable_row, &sel, &list), 0, "each");
	is_str(list.targets[0].path, P4 "/ondemand", "the policy's own comes first");
	target_list_clear(&list);
	is_int(cpufreq_tunable_get(&f.sys, &tunable_row, &t, &v), KNOB_READ, "read");
	is_int(v.number, 95, "the policy's value");
	is_int(cpufreq_tunable_get(&f.sys, &flag_row, &t, &v), KNOB_READ, "read a flag");
	ok(v.type == VALUE_FLAG && v.flag, "a flag");
	v = value_number(25);
	is_int(cpufreq_tunable_set(&f.sys, &tunable_row, &t, &v), 0, "written");
	ok(strncmp(fixture_text(&f, P4 "/ondemand/up_threshold"), "25", 2) == 0 &&
		   strncmp(fixture_text(&f, CPUFREQ_DIR "/ondemand/up_threshold"), "80",
			   2) == 0,
	   "to the policy's file, not to the global one");
	fixture_file(&f, P4 "/affected_cpus", "\n");
	is_int(cpufreq_tunable_get(&f.sys, &tunable_row, &t, &v), -EBUSY, "offline");
	fixture_close(&f);
}

static void test_boost(void)
{
	struct target all = target_of("cpufreq", CPUFREQ_DIR);
	struct target one = target_of("policy0", P0);
	struct value v = { 0 };
	struct fixture f;

	fixture_open(&f);
	add_policy(&f, P0, "0 1 2 3\n", "408000\n", "1416000\n");
	add_policy(&f, P4, "4 5\n", "408000\n", "1800000\n");
	is_str(names_of(&f, cpufreq_boost_each, &max_row, ""), "cpufreq",
	       "no switch: the global one is what is missing");
	is_int(cpufreq_boost_get(&f.sys, &max_row, &all, &v), -ENOENT, "not there");
	fixture_file(&f, P0 "/boost", "1\n");
	is_str(names_of(&f, cpufreq_boost_each, &max_row, ""), "policy0",
	       "only policies: those that have one");
	is_int(cpufreq_boost_get(&f.sys, &max_row, &one, &v), KNOB_READ, "read");
	ok(v.type == VALUE_FLAG && v.flag, "on");
	fixture_file(&f, CPUFREQ_DIR "/boost", "0\n");
	is_str(names_of(&f, cpufreq_boost_each, &max_row, ""), "cpufreq",
	       "the global one");
	is_str(names_of(&f, cpufreq_boost_each, &max_row, "policy0"), "policy0",
	       "one policy is meant and has one");
	v = value_flag(true);
	is_int(cpufreq_boost_set(&f.sys, &max_row, &all, &v), 0, "written");
	is_int(cpufreq_boost_get(&f.sys, &max_row, &all, &v), KNOB_READ, "read");
	ok(v.flag, "on now");
	fixture_file(&f, CPUFREQ_DIR "/boost", "7\n");
	is_int(cpufreq_boost_get(&f.sys, &max_row, &all, &v), -EBADMSG,
	       "neither 0 nor 1");
	fixture_close(&f);
}

int main(void)
{
	test_labels();
	test_governor_expect();
	test_governor();
	test_limit_rounding();
	test_limit_tables();
	test_unit_slip();
	test_limit();
	test_held();
	test_tunables();
	test_boost();
	return done();
}
