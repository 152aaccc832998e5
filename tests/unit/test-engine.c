// SPDX-License-Identifier: GPL-2.0-or-later
// test-engine.c - apply, refuse at each write, kill after each write, revert, verify
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "board/board.h"
#include "engine-fixture.h"

#define WRITES_MAX 64

/* The targets of "#! write TARGET VALUE" lines, in order. */
static size_t written_targets(const char *text, char targets[WRITES_MAX][256])
{
	size_t n = 0;

	for (const char *s = text; (s = strstr(s, "#! write ")); s++) {
		const char *from = s + strlen("#! write ");
		int words = from[0] == '@' ? 4 : 1, len = 0;

		for (; words; words--)
			len += strcspn(from + len, " \n") + (words > 1);
		if (n < WRITES_MAX)
			snprintf(targets[n++], 256, "%.*s", len, from);
	}
	return n;
}

static void test_apply_and_revert(char targets[WRITES_MAX][256], size_t *ret_n)
{
	_cleanup_free_ char *before = slurp(board_path), *after = NULL, *end = NULL;
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;

	open_board("", &sys);
	o = apply_to(&sys, profile_path, (struct apply_options) { 0 });
	is_int(o.r, 0, "apply");
	is_int(o.result, APPLY_DONE, "as wanted");
	is_int(outcome_in(&o.plan, "governor"), OUTCOME_CHANGED, "governor changed");
	is_int(outcome_in(&o.plan, "min_freq"), OUTCOME_ROUNDED, "480 MHz rounded");
	is_int(outcome_in(&o.plan, "schedutil.rate_limit_us"), OUTCOME_CHANGED,
	       "the new governor's tunable");
	ok(!row(&o.plan, "ondemand.up_threshold"),
	   "no row for another governor's tunable");
	is_int(outcome_in(&o.plan, "lro"), OUTCOME_FIXED, "fixed, and forgiven");
	plan_clear(&o.plan);
	after = saved(&sys);
	*ret_n = written_targets(after, targets);
	is_int(*ret_n, 7, "seven writes");

	o = apply_to(&sys, profile_path, (struct apply_options) { 0 });
	is_int(o.result, APPLY_DONE, "again");
	is_int(outcome_in(&o.plan, "governor"), OUTCOME_OK, "already so");
	plan_clear(&o.plan);
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "revert");
	end = saved(&sys);
	is_int(written_targets(end, targets), 14, "nothing was written the second time");
	free(after);
	after = without_writes(end);
	is_str(after, before, "byte for byte as it was");
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "nothing to revert");
	system_close(&sys);
}

static void test_refused(char targets[WRITES_MAX][256], size_t n)
{
	_cleanup_free_ char *before = slurp(board_path);

	for (size_t k = 0; k < n; k++) {
		_cleanup_free_ char *rule = str_format("!refuse %s EIO\n", targets[k]);
		_cleanup_free_ char *want = str_format("%s%s", before, rule);
		_cleanup_free_ char *text = NULL, *end = NULL;
		struct system sys = SYSTEM_INIT;
		struct outcome_of o;

		open_board(rule, &sys);
		o = apply_to(&sys, profile_path, (struct apply_options) { 0 });
		is_int(o.r, 0, "write %zu refused", k + 1);
		is_int(o.result, APPLY_UNDONE, "undone");
		is_int(plan_failures(&o.plan) > 0, 1, "and told");
		text = saved(&sys);
		end = without_writes(text);
		is_str(end, want, "byte for byte as it was");
		plan_clear(&o.plan);
		system_close(&sys);
	}
}

/* ---- kill -9 after the k-th write, in a directory */

/* Where the k-th write is intercepted: kill -9 before or after it, or a stop signal. */
static struct {
	enum { KILL_AFTER, KILL_BEFORE, STOP_AFTER } action;
	int stop_fd;
	struct sysroot_hooks hooks;
	const struct sysroot_hooks *real;
	struct ethtool_ops ethtool;
	const struct ethtool_ops *real_ethtool;
	int left;
} killer;

static void intercept(bool before)
{
	if (before)
		killer.left--;
	if (killer.left != 0 || before != (killer.action == KILL_BEFORE))
		return;
	if (killer.action == STOP_AFTER)
		ok(write(killer.stop_fd, "x", 1) == 1, "stopped");
	else
		raise(SIGKILL);
}

static int kill_write(void *ctx, const char *path, const char *text)
{
	int r;

	intercept(true);
	r = killer.real->write(ctx, path, text);
	intercept(false);
	return r;
}

static int kill_feature(void *ctx, const char *ifname, const char *feature, bool on)
{
	int r;

	intercept(true);
	r = killer.real_ethtool->feature_set(ctx, ifname, feature, on);
	intercept(false);
	return r;
}

static void arm(struct system *sys, int k)
{
	killer.left = k;
	killer.real = sys->root.hooks;
	killer.hooks = *sys->root.hooks;
	killer.hooks.write = kill_write;
	sys->root.hooks = &killer.hooks;
	killer.real_ethtool = sys->ethtool.ops;
	killer.ethtool = *sys->ethtool.ops;
	killer.ethtool.feature_set = kill_feature;
	sys->ethtool.ops = &killer.ethtool;
}

static void disarm(struct system *sys)
{
	sys->root.hooks = killer.real;
	sys->ethtool.ops = killer.real_ethtool;
}

static void open_dir(struct system *ret)
{
	struct board_error error = { 0 };

	if (!is_int(board_open_dir("work", ret, &error), 0, "directory opens"))
		printf("# line %u: %s\n", error.line, error.text);
}

static bool killed_after(int k)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		struct system sys = SYSTEM_INIT;
		struct board_error error = { 0 };

		if (board_open_dir("work", &sys, &error) < 0)
			_exit(99);
		arm(&sys, k);
		apply_to(&sys, profile_path, (struct apply_options) { 0 });
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void fresh_work(void)
{
	run((char *[]) { "rm", "-rf", "work", NULL });
	run((char *[]) { "cp", "-a", "pristine", "work", NULL });
}

static void test_killed(size_t writes)
{
	make_sysroot();
	for (size_t k = 0; k <= writes; k++) {
		struct system sys = SYSTEM_INIT;

		fresh_work();
		killer.action = k ? KILL_AFTER : KILL_BEFORE;
		ok(killed_after(k ? k : 1), "killed after write %zu", k);
		open_dir(&sys);
		is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "revert");
		system_close(&sys);
		run((char *[]) { "diff", "-r", "--no-dereference", "pristine", "work",
				 NULL });
	}
	fresh_work();
	killer.action = KILL_AFTER;
	ok(!killed_after(writes + 1), "there are no more writes than these");
}

static void test_stopped_after(size_t writes)
{
	_cleanup_free_ char *before = slurp(board_path);

	for (size_t k = 1; k <= writes; k++) {
		_cleanup_free_ char *text = NULL, *end = NULL;
		struct system sys = SYSTEM_INIT;
		struct outcome_of o;
		int p[2];

		if (pipe(p) < 0)
			exit(99);
		open_board("", &sys);
		killer.action = STOP_AFTER;
		killer.stop_fd = p[1];
		arm(&sys, k);
		o = apply_to(&sys, profile_path,
			     (struct apply_options) { .stop_fd = p[0] });
		disarm(&sys);
		is_int(o.r, -EINTR, "stopped after write %zu", k);
		is_int(o.result, APPLY_UNDONE, "undone");
		plan_clear(&o.plan);
		text = saved(&sys);
		end = without_writes(text);
		is_str(end, before, "byte for byte as it was");
		system_close(&sys);
		close(p[0]);
		close(p[1]);
	}
}

/* ---- two profiles, held, overridden */

static void test_second_profile(void)
{
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;
	char buf[64];

	spit("first.ini", "[cpufreq]\nmax_freq = 648MHz\n");
	spit("second.ini", "[cpufreq]\ngovernor = performance\nmax_freq = 1008MHz\n");
	open_board(
		"!refuse /sys/devices/system/cpu/cpufreq/policy0/scaling_governor EIO\n",
		&sys);
	o = apply_to(&sys, "./first.ini", (struct apply_options) { 0 });
	is_int(o.result, APPLY_DONE, "first profile");
	plan_clear(&o.plan);
	o = apply_to(&sys, "./second.ini", (struct apply_options) { 0 });
	is_int(o.result, APPLY_UNDONE, "second refused");
	is_int(outcome_in(&o.plan, "governor"), OUTCOME_REFUSED, "its governor");
	is_int(outcome_in(&o.plan, "max_freq"), OUTCOME_SKIPPED, "the rest not reached");
	plan_clear(&o.plan);
	sysroot_read(&sys.root,
		     "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", buf,
		     sizeof(buf));
	is_str(buf, "648000", "back to the first profile, not to the start");
	o = apply_to(&sys, "./second.ini",
		     (struct apply_options) { .best_effort = true });
	is_int(o.result, APPLY_PARTIAL, "best effort keeps the rest");
	plan_clear(&o.plan);
	is_int(undo_on(&sys, UNDO_BEFORE), 0, "undo of the second");
	sysroot_read(&sys.root,
		     "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", buf,
		     sizeof(buf));
	is_str(buf, "648000", "gives the first");
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "revert");
	usleep(30000);
	sysroot_read(&sys.root,
		     "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", buf,
		     sizeof(buf));
	is_str(buf, "816000", "gives the start");
	system_close(&sys);
}

/* As a trial does: to and fro with the record kept, then given up. */
static void test_to_and_fro(void)
{
	struct system sys = SYSTEM_INIT;

	open_board("", &sys);
	for (int i = 0; i < 2; i++) {
		struct outcome_of o = apply_to(&sys, profile_path,
					       (struct apply_options) { 0 });

		is_int(o.result, APPLY_DONE, "after");
		plan_clear(&o.plan);
		is_int(undo_on(&sys, UNDO_BEFORE_KEEP), 0, "before");
		ok(sysroot_exists(&sys.root, "/run/boardtune/undo.json"),
		   "the record stays");
	}
	is_int(undo_on(&sys, UNDO_BEFORE), 0, "given up");
	ok(!sysroot_exists(&sys.root, "/run/boardtune"), "nothing is left of it");
	system_close(&sys);
}

#define MAX_FREQ "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
#define COOLING "/sys/devices/virtual/thermal/cooling_device0/cur_state"

/* Cooling caps the policy at 648 MHz: writes above land there. */
static void test_held(void)
{
	_cleanup_free_ char *text = slurp(board_path), *state = NULL;
	char *clamp = strstr(text, "scaling_max_freq down 408000 648000 816000 1008000");
	char *cool = strstr(text, "cooling_device0/cur_state = 0");
	char *max = strstr(text, "scaling_max_freq = 816000");
	struct board_error error = { 0 };
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;
	struct record rec = { 0 };

	memcpy(clamp, "scaling_max_freq down 408000 648000               ", 50);
	clamp[50 - 15] = '\n';
	memset(clamp + 36, '#', 14);
	cool[strlen("cooling_device0/cur_state = ")] = '2';
	memcpy(max, "scaling_max_freq = 648000", 25);
	spit("held.board", text);
	if (!is_int(board_open_recording("held.board", &sys, &error), 0,
		    "throttled board"))
		printf("# line %u: %s\n", error.line, error.text);
	spit("held.ini", "[cpufreq]\nmax_freq = 1008MHz\n");
	o = apply_to(&sys, "./held.ini", (struct apply_options) { 0 });
	is_int(o.result, APPLY_DONE, "held counts as success");
	is_int(outcome_in(&o.plan, "max_freq"), OUTCOME_HELD, "and is called so");
	is_int(row(&o.plan, "max_freq")->before.type, VALUE_NONE, "before is not known");
	plan_clear(&o.plan);
	is_int(state_load(&sys, &rec, &state), 0, "record");
	is_int(rec.plan.changes[0].original.type, VALUE_NONE, "the cap is no original");
	record_clear(&rec);
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "revert");
	is_int(board_save(&sys, "saved.board"), 0, "saved");
	system_close(&sys);
	free(state);
	state = slurp("saved.board");
	ok(strstr(state, "#! write " MAX_FREQ " 1008000\n"),
	   "the wanted value was written");
	ok(!strstr(state, "#! write " MAX_FREQ " 648000"), "the cap never came back");
}

static void test_verify(void)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	_cleanup_(record_clear) struct record rec = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 }, other = { 0 };
	_cleanup_free_ char *text = NULL;
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;

	open_board("", &sys);
	o = apply_to(&sys, profile_path, (struct apply_options) { 0 });
	plan_clear(&o.plan);
	is_int(sysroot_write(&sys.root, MAX_FREQ, "648000"), 0, "somebody else writes");
	usleep(30000);
	is_int(profile_load(&sys.root, profile_path, &p, &errors), 0, "profile");
	is_int(state_load(&sys, &rec, &text), 0, "record");
	is_int(plan_build(&sys, p, PLAN_ALL, &plan, &errors), 0, "plan");
	plan_verify(&plan, &rec);
	is_int(outcome_in(&plan, "max_freq"), OUTCOME_OVERRIDDEN, "overridden");
	is_int(outcome_in(&plan, "min_freq"), OUTCOME_OK, "rounded is as wanted");
	is_int(plan_failures(&plan), 1, "one failure, the forgiven one not counted");
	is_int(plan_build(&sys, p, PLAN_ALL, &other, &errors), 0, "plan");
	plan_verify(&other, &(struct record) { 0 });
	is_int(outcome_in(&other, "max_freq"), OUTCOME_DIFFERS,
	       "without a record: differs");
	system_close(&sys);
}

#define RECORD_HEAD                                                                      \
	"{ \"schema\": 1, \"profile\": \"x\", \"profile_before\": \"\","                 \
	"\"applying\": false, \"changes\": [ "

static const struct {
	const char *record, *what;
} broken_records[] = {
	{ "{ \"schema\": 1, \"pro", "truncated" },
	{ "{ \"schema\": 2, \"profile\": \"\", \"applying\": false, \"changes\": [] }",
	  "of another version" },
	{ "[]", "no object" },
	{ RECORD_HEAD "{} ] }", "a change without anything" },
	{ RECORD_HEAD "{ \"key\": \"cpufreq.max_freq\", \"section\": \"cpufreq\","
		      "\"target\": \"policy0\", \"path\": \"/etc\", \"ifindex\": 0,"
		      "\"optional\": false, \"side\": false, \"current\": true,"
		      "\"original\": \"1\", \"before\": \"1\", \"now\": \"1\" } ] }",
	  "a path outside /sys" },
	{ "", "empty" },
};

static void test_broken_record(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(broken_records); i++) {
		struct system sys = SYSTEM_INIT;
		struct outcome_of o;
		_cleanup_free_ char *text = NULL;

		open_board("", &sys);
		sysroot_mkdir_all(&sys.root, "/run/boardtune", 0755);
		sysroot_replace(&sys.root, "/run/boardtune/undo.json",
				broken_records[i].record,
				strlen(broken_records[i].record), 0644);
		o = apply_to(&sys, profile_path, (struct apply_options) { 0 });
		is_int(o.r, -EBADMSG, "apply with a record that is %s",
		       broken_records[i].what);
		plan_clear(&o.plan);
		is_int(undo_on(&sys, UNDO_ORIGINAL), -EBADMSG, "revert too");
		text = saved(&sys);
		ok(!strstr(text, "#! write"), "nothing was written");
		system_close(&sys);
	}
}

static void test_lock(void)
{
	struct state one = STATE_INIT, two = STATE_INIT;
	struct system sys = SYSTEM_INIT;
	_cleanup_close_ int dir = -1;
	struct stat file;

	open_board("", &sys);
	is_int(state_lock(&sys, 0, &one), 0, "lock");
	is_int(state_lock(&sys, 50, &two), -EWOULDBLOCK, "held by another");
	state_unlock(&sys, &one);
	is_int(state_lock(&sys, 0, &two), 0, "free again");
	is_int(fstat(two.lock_fd, &file), 0, "the lock is a file");
	is_int(file.st_mode, S_IFREG | 0600, "that nobody else may open");
	state_unlock(&sys, &two);
	ok(!sysroot_exists(&sys.root, "/run/boardtune"), "no trace of it");
	sysroot_mkdir_all(&sys.root, "/run/boardtune", 0755);
	dir = sysroot_openat(&sys.root, "/run/boardtune", O_RDONLY | O_DIRECTORY, 0);
	is_int(flock(dir, LOCK_EX), 0, "as everybody may: a lock on the directory");
	is_int(state_lock(&sys, 0, &one), 0, "holds nobody up");
	state_unlock(&sys, &one);
	system_close(&sys);
}

int main(void)
{
	char targets[WRITES_MAX][256];
	size_t n = 0;

	sandbox_enter();
	test_apply_and_revert(targets, &n);
	test_refused(targets, n);
	test_killed(n);
	test_stopped_after(n);
	test_second_profile();
	test_to_and_fro();
	test_held();
	test_verify();
	test_broken_record();
	test_lock();
	sandbox_leave();
	return done();
}
