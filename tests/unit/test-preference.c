// SPDX-License-Identifier: GPL-2.0-or-later
// test-preference.c - energy_performance_preference of intel_pstate and amd-pstate
#include "board-fixture.h"
#include "knobs/cpufreq.h"

#define EPP POLICY "/energy_performance_preference"
#define EPPS POLICY "/energy_performance_available_preferences"
#define EVERY "default performance balance_performance balance_power power "
#define UNLESS " unless governor=performance"

static const struct setting row = { .section = "cpufreq",
				    .key = "energy_performance_preference",
				    .attr = "energy_performance_preference",
				    .type = VALUE_WORDS };
static const struct target policy0 = { .name = (char *)"policy0",
				       .path = (char *)POLICY };

static char *board(const char *driver, const char *governor, const char *words)
{
	return str_format(POLICY "/affected_cpus = 0\n" POLICY
				 "/scaling_driver = %s\n" POLICY
				 "/scaling_governor = %s\n" EPPS " = %s\n" EPP
				 " = balance_performance\n",
			  driver, governor, words);
}

static const char *expected(struct system *sys, const char *text)
{
	static char buf[4 * VALUE_WORD_MAX];
	struct expectation e;
	struct value v;
	int r;

	is_int(value_parse(VALUE_WORDS, text, &v), 0, "%s", text);
	r = cpufreq_preference_expect(sys, &row, &policy0, &v, &e);
	if (r < 0)
		snprintf(buf, sizeof(buf), "%s (%s)", errno_name(r), e.note);
	else
		snprintf(buf, sizeof(buf), "%s%s%s %s%s%s%s%s%s%s%s%s%s", e.want.word,
			 e.rounded.type ? " -> " : "",
			 e.rounded.type ? e.rounded.word : "", outcome_name(e.outcome),
			 e.error ? " " : "", e.error ? errno_name(e.error) : "",
			 e.note[0] ? " (" : "", e.note, e.note[0] ? ")" : "",
			 e.unless ? " unless " : "", e.unless ? e.unless->key : "",
			 e.unless ? "=" : "", e.unless ? e.unless->value : "");
	return buf;
}

static void test_expect(const char *driver, const char *governor, const char *words,
			const char *asked, const char *want)
{
	_cleanup_free_ char *text = board(driver, governor, words);
	struct system sys;
	struct fixture f;

	fixture_open(&f);
	open_text(&f, text, &sys);
	is_str(expected(&sys, asked), want, "%s, %s: %s", driver, governor, asked);
	system_close(&sys);
	fixture_close(&f);
}

static void test_choices(void)
{
	test_expect("intel_pstate", "powersave", EVERY, "balance_power",
		    "balance_power ok" UNLESS);
	test_expect("intel_pstate", "powersave", EVERY, "quiet|power", "power ok" UNLESS);
	test_expect("intel_pstate", "powersave", EVERY, "quiet",
		    "quiet unsupported EINVAL (this driver has: default performance "
		    "balance_performance balance_power power)");
	test_expect("intel_pstate", "powersave", EVERY, "default|power",
		    "power ok" UNLESS);
	test_expect("intel_pstate", "powersave", EVERY, "default",
		    "ERANGE (\"default\" cannot be read back; name what it should be)");
	/* raw values: Intel's, to 255; those with a name read as it */
	test_expect("intel_pstate", "powersave", EVERY, "64", "64 ok" UNLESS);
	test_expect("intel_cpufreq", "schedutil", EVERY, "255", "255 -> power ok");
	test_expect("intel_pstate", "powersave", EVERY, "128",
		    "128 -> balance_performance ok" UNLESS);
	test_expect("intel_pstate", "powersave", EVERY, "256|64", "64 ok" UNLESS);
	test_expect("intel_pstate", "powersave", EVERY, "007|65", "65 ok" UNLESS);
	test_expect("amd-pstate-epp", "powersave", EVERY, "64|power", "power ok" UNLESS);
	test_expect("amd-pstate-epp", "powersave", EVERY, "64",
		    "64 unsupported EINVAL (this driver has: default performance "
		    "balance_performance balance_power power)");
	/* EBUSY; amd-pstate shows a list of one then */
	test_expect("intel_pstate", "performance", EVERY, "power", "power ok" UNLESS);
	test_expect("intel_pstate", "performance", EVERY, "64", "64 ok" UNLESS);
	test_expect("amd-pstate-epp", "performance", "performance", "power|balance_power",
		    "power ok" UNLESS);
	test_expect("amd-pstate-epp", "performance", "performance", "performance",
		    "performance ok");
	test_expect("intel_cpufreq", "performance", EVERY, "power", "power ok");
}

static void test_files(void)
{
	_cleanup_free_ char *text = board("intel_pstate", "performance", EVERY),
			    *busy = str_format("%s!refuse " EPP " EBUSY\n", text);
	struct value v = value_word("power");
	struct system sys;
	struct fixture f;

	fixture_open(&f);
	open_text(&f, text, &sys);
	is_int(cpufreq_preference_set(&sys, &row, &policy0, &v), 0, "set");
	is_text(EPP, "power");
	is_int(cpufreq_preference_get(&sys, &row, &policy0, &v), 0, "get");
	is_str(v.word, "power", "a word");
	is_write(POLICY "/affected_cpus", "", 0);
	is_int(cpufreq_preference_get(&sys, &row, &policy0, &v), -ENODEV, "all offline");
	is_int(cpufreq_preference_set(&sys, &row, &policy0, &v), -ENODEV, "nor written");
	is_str(expected(&sys, "power"), "power missing ENODEV", "missing");
	system_close(&sys);
	fixture_close(&f);

	fixture_open(&f);
	open_text(&f, busy, &sys);
	is_int(cpufreq_preference_set(&sys, &row, &policy0, &v), -EBUSY, "busy");
	is_int(outcome_from_errno(&row, -EBUSY), OUTCOME_REFUSED, "refused");
	system_close(&sys);
	fixture_close(&f);

	fixture_open(&f);
	open_text(&f, POLICY "/affected_cpus = 0\n", &sys);
	is_int(cpufreq_preference_get(&sys, &row, &policy0, &v), -ENOENT, "no such file");
	is_str(expected(&sys, "power|64"), "power|64 unsupported ENOENT", "unsupported");
	system_close(&sys);
	fixture_close(&f);
}

int main(void)
{
	(void)feature;
	(void)fixture_file;
	test_choices();
	test_files();
	return done();
}
