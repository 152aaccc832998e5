// SPDX-License-Identifier: GPL-2.0-or-later
// test-keep.c - the end of a trial: what is kept, what is asked, what is undone
#include <signal.h>
#include <sys/wait.h>

#include "cmd-trial.h"
#include "fixture.h"
#include "tap.h"

#define POLICY "/sys/devices/system/cpu/cpufreq/policy0"

/* A governor that can be left, but not come back to. */
#define ONE_WAY "!accept " POLICY "/scaling_governor performance powersave\n"
#define REFUSED "!refuse @ethtool eth0 feature tx-nocache-copy EOPNOTSUPP\n"

static const char board_text[] =
	"/sys/devices/system/cpu/online = 0\n"
	"/sys/devices/system/cpu/present = 0\n"
	POLICY "/affected_cpus = 0\n"
	POLICY "/related_cpus = 0\n"
	POLICY "/scaling_available_governors = schedutil performance powersave\n"
	POLICY "/scaling_governor = schedutil\n"
	POLICY "/cpuinfo_min_freq = 408000\n"
	POLICY "/cpuinfo_max_freq = 1008000\n"
	POLICY "/scaling_min_freq = 408000\n"
	POLICY "/scaling_max_freq = 1008000\n"
	"/sys/class/net/eth0/ifindex = 2\n"
	"@ethtool eth0 feature tx-nocache-copy = off\n";

static const char profile_text[] = "[main]\nsummary = keep\n\n"
				   "[cpufreq]\ngovernor = performance\n\n"
				   "[net:t]\nName = eth0\ntx-nocache-copy = on\n";

/* A session at its end, on a recorded board. */
struct end {
	struct cmd c;
	struct trial_session s;
};

static struct fixture fixture; /* where profile and board are */

static void end_open(struct end *e, const char *rules)
{
	struct board_error error = { 0 };
	_cleanup_free_ char *text = str_format("%s%s", board_text, rules);

	*e = (struct end){ .c = { .name = "trial", .sys = SYSTEM_INIT, .stop_fd = -1,
				  .json = true } };
	e->s = (struct trial_session){ .c = &e->c, .state = STATE_INIT,
				       .guard = GUARD_INIT, .progress = PROGRESS_INIT };
	fixture_file(&fixture, "/keep.board", text);
	if (board_open_recording("keep.board", &e->c.sys, &error) < 0)
		ok(false, "board: %u: %s", error.line, error.text);
	if (cmd_load_profile(&e->c, "./keep.ini", &e->s.profile) ||
	    state_lock(&e->c.sys, 0, &e->s.state) < 0 ||
	    engine_undo_begin(&e->c.sys, &e->s.state) < 0 || cmd_signals(&e->c) < 0)
		ok(false, "profile, lock, signals");
}

static void end_close(struct end *e)
{
	sigset_t set;

	while (cmd_signal(&e->c))
		;
	close_fd(&e->c.stop_fd);
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	state_unlock(&e->c.sys, &e->s.state);
	profile_free(e->s.profile);
	free(e->s.settings_of_nics);
	system_close(&e->c.sys);
}

static const char *governor(struct end *e)
{
	static char text[64];

	return sysroot_read(&e->c.sys.root, POLICY "/scaling_governor", text,
			    sizeof(text)) < 0 ? "?" : text;
}

static int exit_of(struct end *e, enum verdict v)
{
	struct judgement j = { .verdict = v };

	return trial_exit(&e->s, &(struct trial_result){}, &j);
}

static void test_settle(void)
{
	struct end e;

	end_open(&e, "");
	ok(trial_settle(&e.s, true), "what is to be kept is put in force");
	is_str(governor(&e), "performance", "as the profile says");
	is_int(exit_of(&e, VERDICT_SAME), EXIT_AS_WANTED, "exit 0");
	ok(trial_settle(&e.s, true), "what is in force stays");
	ok(!trial_settle(&e.s, false), "what is not to be kept is undone");
	is_str(governor(&e), "schedutil", "as before");
	is_int(exit_of(&e, VERDICT_WORSE), EXIT_NOT_AS_WANTED, "exit 1");
	is_int(exit_of(&e, VERDICT_INCONCLUSIVE), EXIT_INCONCLUSIVE, "or 6");
	end_close(&e);
}

/* A signal in the last moment stops the apply that keeps. */
static void test_signal(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct end e;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		end_open(&e, "");
		raise(signals[i]);
		ok(!trial_settle(&e.s, true), "stopped while keeping: nothing is kept");
		is_str(governor(&e), "schedutil", "all is as before");
		is_int(exit_of(&e, VERDICT_BETTER), 128 + signals[i],
		       "exit 128 and the signal");
		end_close(&e);
	}
}

static void test_refused(void)
{
	struct end e;

	end_open(&e, REFUSED);
	ok(!trial_settle(&e.s, true), "refused while keeping: nothing is kept");
	is_str(governor(&e), "schedutil", "all is as before");
	is_int(exit_of(&e, VERDICT_BETTER), EXIT_NOT_AS_WANTED, "exit 1");
	end_close(&e);

	end_open(&e, ONE_WAY REFUSED);
	ok(!trial_settle(&e.s, true), "refused, and not to be undone");
	is_str(governor(&e), "performance", "something is stuck");
	is_int(exit_of(&e, VERDICT_BETTER), EXIT_UNDO_INCOMPLETE, "exit 3");
	end_close(&e);

	end_open(&e, ONE_WAY);
	ok(trial_settle(&e.s, true), "a way of no return");
	ok(!trial_settle(&e.s, false), "cannot be undone");
	is_int(exit_of(&e, VERDICT_WORSE), EXIT_UNDO_INCOMPLETE, "exit 3");
	end_close(&e);
}

/* The board's own hooks, but something happens at the first write. */
static const struct sysroot_hooks *own_hooks;
static struct end *at_write;
static void (*on_write)(struct end *e);

static int write_hook(void *ctx, const char *path, const char *text)
{
	int r = own_hooks->write(ctx, path, text);

	if (on_write)
		on_write(at_write);
	on_write = NULL;
	return r;
}

/* The directory of the record goes: the next save fails. */
static void lose_record(struct end *e)
{
	int dir = e->c.sys.root.fd;

	if (renameat(dir, "run/boardtune", dir, "run/gone") < 0)
		ok(false, "rename: %s", strerror(errno));
}

static void stop(struct end *e)
{
	raise(SIGTERM);
}

/* An apply that ends with an errno may have got stuck all the same. */
static void test_stuck(void)
{
	static const struct {
		void (*what)(struct end *e);
		const char *name;
	} rows[] = { { lose_record, "its record is lost" }, { stop, "a signal comes" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sysroot_hooks hooks;
		struct end e;

		end_open(&e, ONE_WAY);
		own_hooks = e.c.sys.root.hooks;
		hooks = *own_hooks;
		hooks.write = write_hook;
		e.c.sys.root.hooks = &hooks;
		at_write = &e;
		on_write = rows[i].what;
		ok(!trial_settle(&e.s, true), "stuck after a write: %s", rows[i].name);
		is_str(governor(&e), "performance", "not everything is as before");
		is_int(exit_of(&e, VERDICT_BETTER), EXIT_UNDO_INCOMPLETE, "exit 3");
		e.c.sys.root.hooks = own_hooks;
		end_close(&e);
	}
}

static void test_decide(void)
{
	static const bool kept[][4] = {
		/* better, same, worse, inconclusive */
		[TRIAL_KEEP_NOT_WORSE] = { true, true, false, false },
		[TRIAL_KEEP_BETTER] = { true, false, false, false },
		[TRIAL_KEEP_ALWAYS] = { true, true, true, true },
		[TRIAL_KEEP_NEVER] = { false, false, false, false },
		[TRIAL_KEEP_ASK] = { true, true, false, false },
	};
	struct end e;

	for (size_t k = 0; k < ARRAY_SIZE(kept); k++)
		for (int v = 0; v < 4; v++)
			ok(trial_keep_decide(k, v) == kept[k][v], "keep %zu, %s: %d", k,
			   verdict_name(v), kept[k][v]);

	end_open(&e, "");
	e.s.settings.keep = TRIAL_KEEP_ALWAYS;
	ok(trial_want_kept(&e.s, &(struct trial_result){}, &(struct judgement){}),
	   "a whole trial can be kept");
	ok(!trial_want_kept(&e.s, &(struct trial_result){ .error = -ECONNRESET },
			    &(struct judgement){}),
	   "one that ended early cannot");
	raise(SIGHUP);
	ok(!trial_want_kept(&e.s, &(struct trial_result){}, &(struct judgement){}),
	   "nor one that was stopped");
	is_int(e.s.signal, SIGHUP, "by a signal, which is noted");
	end_close(&e);
}

static void test_answer(void)
{
	const char *yes = "\xe3\x81\xaf"; /* Japanese "ha"; below "he" */

	ok(trial_answer_is_yes("y\n", "y") && trial_answer_is_yes("Yes\n", yes) &&
		   trial_answer_is_yes("\xe3\x81\xaf\xe3\x81\x84\n", yes),
	   "y, Y, and the locale's word");
	ok(!trial_answer_is_yes("\xe3\x81\xb8\n", yes), "another letter of its bytes");
	ok(!trial_answer_is_yes("\xe3\n", yes) && !trial_answer_is_yes("n\n", yes) &&
		   !trial_answer_is_yes("\n", yes) && !trial_answer_is_yes("\n", ""),
	   "anything else is no");
}

/* A terminal on which "y" was pressed before the question, and "n" after it. */
static void test_stale_key(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave, old;
	struct cmd c = { .stop_fd = -1 };
	pid_t pid;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) {
		ok(true, "a stale key # SKIP no terminals here");
		return;
	}
	old = dup(STDIN_FILENO);
	dup2(slave, STDIN_FILENO);
	if (write(master, "y\n", 2) != 2)
		ok(false, "a key");
	pid = fork();
	if (pid == 0) {
		/* Again and again: those that come before the question are lost. */
		for (unsigned i = 0; i < 200; i++) {
			usleep(100000);
			if (write(master, "n\n", 2) != 2)
				break;
		}
		_exit(0);
	}
	ok(!trial_ask_keep(&c), "a key pressed before the question is no answer");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (old >= 0)
		dup2(old, STDIN_FILENO);
	close_fd(&old);
	close(slave);
	close(master);
}

/* eth0 and eth1 are ports of br0; by which of them the tests went decides. */
static void test_sort(void)
{
	struct run_setting settings[] = { { "net.tx", "eth0", 1 },
					  { "net.rx", "eth9", 0 },
					  { "net.tx", "eth1", 2 } };
	struct trial_session s = { .route = "br0", .nic = "br0",
				   .nics = { { "eth0", "eth1" }, 2 },
				   .settings_of_nics = settings,
				   .n_settings_of_nics = 3 };
	struct leg leg = { .n_tests = 2 };

	is_int(trial_sort_settings(&s, NULL, 0), 1, "without tests the way found counts");
	is_str(settings[0].target, "eth9", "what is elsewhere was not measured");
	leg.tests[0].carried = 2;
	leg.tests[1].carried = 2;
	is_int(trial_sort_settings(&s, &leg, 1), 2, "the second port carried all");
	is_str(settings[2].target, "eth1", "only its setting was measured");
	is_str(s.nic, "eth1", "it is what was under test");
	leg.tests[0].carried = leg.tests[1].carried = 0;
	leg.tests[0].wrong_nic = true;
	is_int(trial_sort_settings(&s, &leg, 1), 3, "another port did: nothing was");
	s.settings.nic = s.nic = "eth0";
	leg.tests[0].carried = leg.tests[1].carried = 2;
	trial_sort_settings(&s, &leg, 1);
	is_str(s.nic, "eth0", "--nic stays what is under test");
}

int main(void)
{
	fixture_open(&fixture);
	fixture_file(&fixture, "/keep.ini", profile_text);
	if (chdir(fixture.dir) < 0)
		fixture_fail("chdir");
	test_settle();
	test_signal();
	test_refused();
	test_stuck();
	test_decide();
	test_answer();
	test_stale_key();
	test_sort();
	fixture_close(&fixture);
	return done();
}
