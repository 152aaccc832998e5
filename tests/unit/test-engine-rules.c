// SPDX-License-Identifier: GPL-2.0-or-later
// test-engine-rules.c - what one setting does to another, and which undo is whose
#include "engine-fixture.h"

#define POLICY "/sys/devices/system/cpu/cpufreq/policy0/"
#define ONDEMAND "/sys/devices/system/cpu/cpufreq/ondemand/"

/* Apply lines as a profile. */
static struct outcome_of apply_lines(struct system *sys, const char *lines)
{
	spit("lines.ini", lines);
	return apply_to(sys, "./lines.ini", (struct apply_options) { 0 });
}

static void is_file(struct system *sys, const char *path, const char *want)
{
	char buf[64] = "";

	usleep(25000); /* the board shows a new maximum after 20 ms */
	sysroot_read(&sys->root, path, buf, sizeof(buf));
	is_str(buf, want, "%s", strrchr(path, '/') + 1);
}

/* What an earlier apply left is not undone with a later one that changed nothing. */
static void test_whose_undo(void)
{
	struct system sys = SYSTEM_INIT;
	struct state st = STATE_INIT;
	struct outcome_of o;

	open_board("!refuse " POLICY "scaling_governor EIO\n", &sys);
	o = apply_lines(&sys, "[cpufreq]\nmax_freq = 648MHz\n");
	is_int(o.result, APPLY_DONE, "a first profile");
	plan_clear(&o.plan);
	o = apply_lines(&sys, "[cpufreq]\ngovernor = performance\n");
	is_int(o.result, APPLY_UNDONE, "a second one is refused");
	plan_clear(&o.plan);
	is_int(undo_on(&sys, UNDO_BEFORE), 0, "its guard comes late");
	is_file(&sys, POLICY "scaling_max_freq", "648000");
	is_int(state_lock(&sys, 0, &st), 0, "a trial begins");
	is_int(engine_undo_begin(&sys, &st), 0, "from here on");
	state_unlock(&sys, &st);
	is_int(undo_on(&sys, UNDO_BEFORE), 0,
	       "and is stopped before it changed anything");
	is_file(&sys, POLICY "scaling_max_freq", "648000");
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "revert");
	is_file(&sys, POLICY "scaling_max_freq", "816000");
	system_close(&sys);
}

static void test_features(void)
{
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;

	open_board("", &sys);
	o = apply_lines(&sys, "[net:a]\nName = eth0\nsg = off\ngso = on\n");
	is_int(o.result, APPLY_UNDONE, "scatter-gather off takes GSO away");
	is_int(outcome_in(&o.plan, "tx-generic-segmentation"), OUTCOME_CLAMPED,
	       "clamped");
	is_int(outcome_in(&o.plan, "tx-scatter-gather"), OUTCOME_REVERTED, "put back");
	plan_clear(&o.plan);
	o = apply_lines(&sys, "[net:a]\nName = eth0\nsg = off\n");
	is_int(o.result, APPLY_DONE, "off alone");
	plan_clear(&o.plan);
	o = apply_lines(&sys, "[net:a]\nName = eth0\ngso = on\n");
	is_int(o.result, APPLY_UNTOUCHED, "GSO, asked for and off: known beforehand");
	is_int(outcome_in(&o.plan, "tx-generic-segmentation"), OUTCOME_CLAMPED,
	       "clamped");
	plan_clear(&o.plan);
	o = apply_lines(&sys, "[net:a]\nName = eth0\nsg = on\ngso = off\n");
	is_int(o.result, APPLY_DONE, "off [requested on] and off is wanted");
	is_int(outcome_in(&o.plan, "tx-generic-segmentation"), OUTCOME_CHANGED,
	       "is asked for, or it would come back with scatter-gather");
	plan_clear(&o.plan);
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "revert");
	system_close(&sys);
}

/* dwmac takes no change while its link is down: the NIC is there, it refuses. */
static void test_busy_nic(void)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	_cleanup_free_ char *what = NULL;
	struct system sys = SYSTEM_INIT;
	struct record rec = { 0 };
	struct outcome_of o;

	open_board("!refuse @ethtool eth0 feature rx-gro EBUSY\n", &sys);
	o = apply_lines(&sys, "[net:a]\nName = eth0\ngro = off\n");
	is_int(o.result, APPLY_UNDONE, "a NIC that is busy");
	is_int(outcome_in(&o.plan, "rx-gro"), OUTCOME_REFUSED, "refuses");
	is_int(row(&o.plan, "rx-gro")->error, -EBUSY, "and its errno is told");
	plan_clear(&o.plan);
	o = apply_to(&sys, "./lines.ini", (struct apply_options) { .best_effort = true });
	is_int(o.result, APPLY_PARTIAL, "as far as it goes");
	plan_clear(&o.plan);
	is_int(profile_load(&sys.root, "./lines.ini", &p, &errors), 0, "verify");
	is_int(plan_build(&sys, p, PLAN_ALL, &o.plan, &errors), 0, "looks at it");
	is_int(state_load(&sys, &rec, &what), 0, "and at the record");
	plan_verify(&o.plan, &rec);
	is_int(outcome_in(&o.plan, "rx-gro"), OUTCOME_DIFFERS, "it was never so");
	plan_clear(&o.plan);
	record_clear(&rec);
	system_close(&sys);
}

static const struct {
	const char *governor, *preference, *lines;
	enum apply_result result;
	enum outcome outcome;
} preferences[] = {
	{ "performance", "performance", "epp = power\n", APPLY_UNTOUCHED,
	  OUTCOME_REFUSED },
	{ "performance", "performance", "-epp = power\n", APPLY_UNTOUCHED,
	  OUTCOME_REFUSED },
	{ "performance", "performance", "-governor = ondemand\nepp = power\n",
	  APPLY_UNTOUCHED, OUTCOME_REFUSED },
	{ "performance", "performance", "governor = powersave\nepp = power\n",
	  APPLY_DONE, OUTCOME_CHANGED },
	{ "performance", "performance", "epp = performance\n", APPLY_DONE, OUTCOME_OK },
	{ "performance", "power", "epp = power\n", APPLY_DONE, OUTCOME_OK },
	{ "powersave", "power", "epp = balance_power\n", APPLY_DONE, OUTCOME_CHANGED },
	{ "powersave", "power", "governor = performance\nepp = balance_power\n",
	  APPLY_UNTOUCHED, OUTCOME_REFUSED },
	{ "powersave", "power", "epp = power\ngovernor = performance\n",
	  APPLY_UNTOUCHED, OUTCOME_REFUSED },
	{ "powersave", "power", "governor = performance\nepp = performance\n",
	  APPLY_DONE, OUTCOME_CHANGED },
};

/* EBUSY of intel_pstate: by the governor of now, or the one that the plan sets. */
static void test_preferences(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(preferences); i++) {
		_cleanup_free_ char *board = str_format(
			POLICY "scaling_driver = intel_pstate\n" POLICY
			       "scaling_available_governors = performance powersave\n"
			POLICY "scaling_governor = %s\n" POLICY
			       "energy_performance_available_preferences = "
			       "performance balance_power power\n"
			POLICY "energy_performance_preference = %s\n",
			preferences[i].governor, preferences[i].preference);
		_cleanup_free_ char *lines = str_format("[cpufreq]\n%s",
							preferences[i].lines);
		struct board_error error = { 0 };
		struct system sys = SYSTEM_INIT;
		const struct change *c;
		struct outcome_of o;

		spit("epp.board", board);
		is_int(board_open_recording("epp.board", &sys, &error), 0, "a board");
		o = apply_lines(&sys, lines);
		is_int(o.result, preferences[i].result, "%s, %s: %s",
		       preferences[i].governor, preferences[i].preference, lines);
		c = row(&o.plan, "energy_performance_preference");
		is_int(c ? c->outcome : OUTCOME_MAX_, preferences[i].outcome, "outcome");
		is_int(c ? c->error : 0,
		       preferences[i].outcome == OUTCOME_REFUSED ? -EBUSY : 0, "errno");
		plan_clear(&o.plan);
		system_close(&sys);
	}
}

static void test_tunables(void)
{
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;

	open_board("", &sys);
	o = apply_lines(&sys, "[cpufreq]\ngovernor = ondemand\n"
			      "[cpufreq:policy0]\ngovernor = schedutil\n"
			      "schedutil.rate_limit_us = 500\n");
	is_int(o.result, APPLY_DONE, "the governor of the more specific section");
	is_int(outcome_in(&o.plan, "schedutil.rate_limit_us"), OUTCOME_CHANGED,
	       "has its tunables");
	plan_clear(&o.plan);
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "revert");
	o = apply_lines(&sys,
			"[cpufreq]\nmax_freq = 648MHz\nondemand.powersave_bias = 10\n");
	is_int(o.result, APPLY_UNTOUCHED, "a tunable that this kernel lacks");
	is_int(outcome_in(&o.plan, "ondemand.powersave_bias"), OUTCOME_UNSUPPORTED,
	       "is known to be unsupported");
	plan_clear(&o.plan);
	o = apply_lines(&sys,
			"[cpufreq]\n-governor = powersave\nondemand.up_threshold = 25\n"
			"-conservative.freq_step = 5\n");
	is_int(o.result, APPLY_DONE, "a governor that is not to be had, forgiven");
	is_int(outcome_in(&o.plan, "ondemand.up_threshold"), OUTCOME_CHANGED,
	       "leaves that in force whose tunables are set");
	plan_clear(&o.plan);
	system_close(&sys);
}

/* The governor cannot be put back: what lives in it stays in the record. */
static void test_stuck_governor(void)
{
	_cleanup_free_ char *text = slurp(board_path), *what = NULL;
	char *accept = strstr(text,
			      "!accept " POLICY "scaling_governor conservative ondemand");
	struct board_error error = { 0 };
	struct system sys = SYSTEM_INIT;
	struct record rec = { 0 };
	struct outcome_of o;

	memcpy(accept + strlen("!accept " POLICY "scaling_governor conservative "), "xx",
	       2);
	spit("stuck.board", text);
	is_int(board_open_recording("stuck.board", &sys, &error), 0, "a board");
	o = apply_lines(&sys, "[cpufreq]\ngovernor = schedutil\n");
	is_int(o.result, APPLY_DONE, "that does not take ondemand again");
	plan_clear(&o.plan);
	is_int(undo_on(&sys, UNDO_ORIGINAL), 1, "one is stuck");
	is_int(state_load(&sys, &rec, &what), 0, "record");
	is_int(rec.plan.n, 4, "the governor and its three tunables remain");
	record_clear(&rec);
	system_close(&sys);
}

static void test_limits(void)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	_cleanup_(plan_clear) struct plan plan = { 0 };
	struct system sys = SYSTEM_INIT;

	open_board("", &sys);
	spit("between.ini", "[cpufreq]\nmin_freq = 700MHz\nmax_freq = 700MHz\n");
	is_int(profile_load(&sys.root, "./between.ini", &p, &errors), 0, "one clock");
	is_int(plan_build(&sys, p, PLAN_ALL, &plan, &errors), 0,
	       "between two operating points");
	is_int(row(&plan, "max_freq")->rounded.khz, 816000, "the kernel takes the upper");
	is_int(row(&plan, "min_freq")->rounded.khz, 816000, "for both");
	system_close(&sys);
}

/* A limit of 0 is no clock that a profile may hold, but it may be what was there. */
static void test_zero(void)
{
	_cleanup_free_ char *text = slurp(board_path);
	char *min = strstr(text, "scaling_min_freq = 408000");
	struct board_error error = { 0 };
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;

	memcpy(min, "scaling_min_freq = 0     ", 25);
	min[20] = '\n';
	memcpy(min + 21, "#   ", 4);
	spit("zero.board", text);
	is_int(board_open_recording("zero.board", &sys, &error), 0, "a board");
	o = apply_lines(&sys, "[cpufreq]\nmin_freq = 648MHz\n");
	is_int(o.result, APPLY_DONE, "with a minimum of 0");
	plan_clear(&o.plan);
	is_int(undo_on(&sys, UNDO_ORIGINAL), 1, "is asked for it again");
	is_file(&sys, POLICY "scaling_min_freq", "408000");
	system_close(&sys);
}

/* Unknown while it was hot, given back, then known: that is what revert gives back. */
static void test_cooled_down(void)
{
	_cleanup_free_ char *text = slurp(board_path);
	char *cool = strstr(text, "cooling_device0/cur_state = 0");
	struct board_error error = { 0 };
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;

	cool[strlen("cooling_device0/cur_state = ")] = '2';
	spit("hot.board", text);
	is_int(board_open_recording("hot.board", &sys, &error), 0, "a hot board");
	o = apply_lines(&sys, "[cpufreq]\nmax_freq = 648MHz\n");
	is_int(row(&o.plan, "max_freq")->before.type, VALUE_NONE,
	       "what was there is not known");
	plan_clear(&o.plan);
	is_int(undo_on(&sys, UNDO_BEFORE_KEEP), 0, "to and fro");
	is_int(sysroot_write(&sys.root,
			     "/sys/devices/virtual/thermal/cooling_device0/cur_state",
			     "0"),
	       0, "it cools down");
	is_int(sysroot_write(&sys.root, POLICY "scaling_max_freq", "816000"), 0,
	       "816 MHz");
	usleep(25000);
	o = apply_lines(&sys, "[cpufreq]\nmax_freq = 648MHz\n");
	is_int(o.result, APPLY_DONE, "again");
	plan_clear(&o.plan);
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "revert");
	is_file(&sys, POLICY "scaling_max_freq", "816000");
	system_close(&sys);
}

int main(void)
{
	sandbox_enter();
	test_whose_undo();
	test_features();
	test_busy_nic();
	test_preferences();
	test_tunables();
	test_stuck_governor();
	test_limits();
	test_zero();
	test_cooled_down();
	sandbox_leave();
	return done();
}
