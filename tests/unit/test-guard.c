// SPDX-License-Identifier: GPL-2.0-or-later
// test-guard.c - an apply that is not confirmed is reverted, whoever dies meanwhile
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <time.h>

#include "base/sysroot.h"
#include "sandbox.h"

#define MAX_FREQ "work/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
#define WAIT_MS 8000 /* for what has a deadline of 1 or 2 s */

static const char *program;

static void pause_ms(unsigned ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

static bool max_freq_is(const char *want)
{
	_cleanup_free_ char *text = slurp(MAX_FREQ);

	return streq(str_chomp(text), want);
}

static bool becomes(const char *want)
{
	for (int i = 0; i < WAIT_MS / 20; i++) {
		if (max_freq_is(want))
			return true;
		pause_ms(20);
	}
	return false;
}

/* The guard of a reverted apply is done when nothing is left of its state. */
static bool all_as_before(void)
{
	for (int i = 0; i < WAIT_MS / 20 && access("work/run", F_OK) == 0; i++)
		pause_ms(20);
	run((char *[]) { "diff", "-r", "--no-dereference", "pristine", "work", NULL });
	return access("work/run/boardtune", F_OK) < 0;
}

static void fresh(void)
{
	run((char *[]) { "rm", "-rf", "work", NULL });
	run((char *[]) { "cp", "-a", "pristine", "work", NULL });
}

static int boardtune(const char *command, const char *argument, const char *option)
{
	const char *argv[] = { program, command, "--sysroot", "work",
			       "-q",	NULL,	 NULL,	      NULL };
	int status = -1, n = 5;
	posix_spawn_file_actions_t actions;
	pid_t pid;

	if (argument)
		argv[n++] = argument;
	if (option)
		argv[n++] = option;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, program, &actions, NULL, (char **)argv, environ) == 0)
		waitpid(pid, &status, 0);
	posix_spawn_file_actions_destroy(&actions);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* apply --confirm on a terminal; returns once it asks for Enter. */
static pid_t on_terminal(const char *option, int *ret_master)
{
	char text[4096];
	size_t len = 0;
	pid_t pid = forkpty(ret_master, NULL, NULL, NULL);

	if (pid == 0) {
		execl(program, program, "apply", profile_path, "--sysroot", "work",
		      option, NULL);
		_exit(99);
	}
	while (len < sizeof(text) - 1) {
		struct pollfd p = { .fd = *ret_master, .events = POLLIN };
		ssize_t n = poll(&p, 1, WAIT_MS) > 0 ? read(*ret_master, text + len,
							    sizeof(text) - 1 - len)
						     : 0;

		if (n <= 0)
			break;
		len += n;
		text[len] = '\0';
		if (strstr(text, "Press Enter"))
			return pid;
	}
	ok(false, "asks for Enter");
	return pid;
}

static int ended(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void test_without_terminal(void)
{
	fresh();
	is_int(boardtune("apply", profile_path, "--confirm=1s"), 0, "returns at once");
	ok(max_freq_is("1008000"), "changed");
	ok(becomes("816000"), "nobody confirms: reverted");
	ok(all_as_before(), "and nothing is left");
	fresh();
	is_int(boardtune("apply", profile_path, "--confirm=2"), 0, "apply");
	is_int(boardtune("confirm", NULL, NULL), 0, "confirm");
	is_int(boardtune("confirm", NULL, NULL), 1, "nothing waits any more");
	pause_ms(2300);
	ok(max_freq_is("1008000"), "kept beyond the deadline");
	is_int(boardtune("revert", NULL, NULL), 0, "revert");
	ok(all_as_before(), "as before");
}

static void test_second_profile(void)
{
	fresh();
	spit("first.ini", "[cpufreq]\nmax_freq = 648MHz\n");
	is_int(boardtune("apply", "./first.ini", NULL), 0, "a first profile");
	is_int(boardtune("apply", profile_path, "--confirm=1"), 0, "a second one");
	ok(becomes("648000"), "unconfirmed: back to the first, not to the start");
	pause_ms(200);
	is_int(boardtune("revert", NULL, NULL), 0, "revert");
	ok(all_as_before(), "as before both");
}

static void test_terminal(void)
{
	int master;
	pid_t pid;

	fresh();
	pid = on_terminal("--confirm=2", &master);
	ok(max_freq_is("1008000"), "changed");
	kill(pid, SIGKILL);
	is_int(ended(pid), -SIGKILL, "the parent is killed");
	ok(becomes("816000"), "reverted all the same");
	ok(all_as_before(), "nothing is left");
	close(master);

	fresh();
	pid = on_terminal("--confirm=2", &master);
	close(master);
	is_int(ended(pid), 129, "the terminal is closed");
	ok(becomes("816000"), "reverted");
	ok(all_as_before(), "nothing is left");

	fresh();
	pid = on_terminal("--confirm=60", &master);
	kill(pid, SIGINT);
	is_int(ended(pid), 130, "Ctrl-C");
	ok(max_freq_is("816000"), "reverted before it ends");
	ok(all_as_before(), "nothing is left");
	close(master);

	fresh();
	pid = on_terminal("--confirm=2", &master);
	is_int(write(master, "\n", 1), 1, "Enter");
	is_int(ended(pid), 0, "kept");
	pause_ms(2300);
	ok(max_freq_is("1008000"), "beyond the deadline");
	close(master);
}

/* Something new is refused while an apply waits; confirming elsewhere is seen here. */
static void test_meanwhile(void)
{
	int master;
	pid_t pid;

	fresh();
	spit("other.ini", "[cpufreq]\nmax_freq = 816MHz\n");
	pid = on_terminal("--confirm=60", &master);
	is_int(boardtune("apply", "./other.ini", NULL), 1, "another apply has to wait");
	ok(max_freq_is("1008000"), "and changes nothing");
	is_int(boardtune("confirm", NULL, NULL), 0, "confirmed from elsewhere");
	is_int(ended(pid), 0, "the terminal knows");
	is_int(boardtune("apply", "./other.ini", NULL), 0, "now it may");
	is_int(boardtune("revert", NULL, NULL), 0, "revert");
	ok(all_as_before(), "as before");
	close(master);

	fresh();
	pid = on_terminal("--confirm=60", &master);
	run((char *[]) { "sh", "-c",
			 "kill $(ls work/run/boardtune | sed -n s/pending.//p)", NULL });
	is_int(ended(pid), 1, "the guard is told to end: it reverts at once");
	ok(all_as_before(), "as before");
	close(master);

	fresh();
	pid = on_terminal("--confirm=60", &master);
	is_int(boardtune("revert", NULL, NULL), 0, "reverted from elsewhere");
	is_int(ended(pid), 1, "the terminal knows that, too");
	ok(all_as_before(), "as before");
	close(master);
}

/* A reader of what apply writes must not wait for the guard. */
static void test_descriptors(void)
{
	struct pollfd poller = { .events = POLLIN };
	int p[2];

	fresh();
	if (pipe(p) < 0)
		exit(99);
	poller.fd = p[0];
	is_int(boardtune("apply", profile_path, "--confirm=60"), 0, "apply");
	close(p[1]);
	is_int(poll(&poller, 1, 0), 1, "the guard holds nothing of its caller's");
	close(p[0]);
	is_int(boardtune("revert", NULL, NULL), 0, "revert");
	ok(all_as_before(), "as before");
}

static void test_arguments(void)
{
	fresh();
	is_int(boardtune("apply", profile_path, "--confirm=0"), 2, "no time at all");
	is_int(boardtune("apply", profile_path, "--confirm=soon"), 2, "no number");
	is_int(boardtune("apply", profile_path, "--confirm=-5"), 2, "in the past");
	ok(all_as_before(), "nothing was changed");
}

int main(void)
{
	program = getenv("BOARDTUNE");
	if (!program) {
		puts("1..0 # SKIP BOARDTUNE is not set");
		return 0;
	}
	sandbox_enter();
	make_sysroot();
	test_without_terminal();
	test_second_profile();
	test_terminal();
	test_meanwhile();
	test_descriptors();
	test_arguments();
	sandbox_leave();
	return done();
}
