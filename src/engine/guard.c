// SPDX-License-Identifier: GPL-2.0-or-later
// guard.c - the process that reverts unless somebody confirms
#include "engine/guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

#include "board/board.h"
#include "engine/apply.h"

#define PREFIX "pending."
#define LOCK_WAIT_MS 60000

/* What the guard waits with; all of it is there before the first write. */
struct watch {
	char file[SYSROOT_PATH_MAX + 32];
	int file_fd;  /* flocked while we live */
	int timer_fd; /* CLOCK_BOOTTIME: a suspended board comes back as well */
	int notify_fd;
	int alive_fd; /* end of file when the parent is gone; -1: not watched */
};

static time_t boottime(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec;
}

static int arm_timer(unsigned seconds)
{
	struct itimerspec when = { .it_value.tv_sec = seconds };
	int fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);

	if (fd >= 0 && timerfd_settime(fd, 0, &when, NULL) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -errno;
}

static int watch_file(const struct sysroot *root, const char *dir)
{
	_cleanup_close_ int dir_fd = -1, fd = -1;
	char proc[64];

	dir_fd = sysroot_openat(root, dir, O_PATH | O_DIRECTORY, 0);
	if (dir_fd < 0)
		return dir_fd;
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd < 0)
		return -errno;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", dir_fd);
	if (inotify_add_watch(fd, proc, IN_DELETE) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static int watch_open(const struct sysroot *root, const char *dir, unsigned seconds,
		      struct watch *w)
{
	char text[32];
	int n;

	snprintf(w->file, sizeof(w->file), "%s/" PREFIX "%d", dir, (int)getpid());
	w->file_fd = sysroot_openat(root, w->file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
				    0644);
	if (w->file_fd < 0)
		return w->file_fd;
	n = snprintf(text, sizeof(text), "%lld\n", (long long)boottime() + seconds);
	if (write(w->file_fd, text, n) != n || flock(w->file_fd, LOCK_EX) < 0)
		return -errno;
	w->timer_fd = arm_timer(seconds);
	if (w->timer_fd < 0)
		return w->timer_fd;
	w->notify_fd = watch_file(root, dir);
	return w->notify_fd < 0 ? w->notify_fd : 0;
}

/* True when it is for us to revert: the file was still there and we took it away. */
static bool watch_wait(const struct sysroot *root, const struct watch *w)
{
	struct pollfd p[] = {
		{ .fd = w->timer_fd, .events = POLLIN },
		{ .fd = w->notify_fd, .events = POLLIN },
		{ .fd = w->alive_fd, .events = POLLIN },
	};
	char events[4096];

	for (;;) {
		if (poll(p, ARRAY_SIZE(p), -1) < 0 && errno != EINTR)
			return true;
		if (p[0].revents || p[2].revents)
			return sysroot_unlink(root, w->file) == 0;
		while (read(w->notify_fd, events, sizeof(events)) > 0)
			;
		if (!sysroot_exists(root, w->file))
			return false;
	}
}

/* The guard sees the board with its own eyes: the parent's sockets and tables are its. */
static int reopen(const struct system *old, struct system *ret)
{
	struct board_error error;

	return old->root.live ? board_open_live(ret)
			      : board_open_dir(old->root.prefix, ret, &error);
}

/* A copied board is read anew: what the parent did to it since is in its files. */
static int revert_all(struct system *own)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 };
	struct system sys = SYSTEM_INIT;
	struct state st = STATE_INIT;
	int r = reopen(own, &sys);

	if (r < 0)
		return r;
	r = state_lock(&sys, LOCK_WAIT_MS, &st);
	if (r == 0)
		r = engine_undo(&sys, &st, UNDO_BEFORE, &plan, &errors);
	state_unlock(&sys, &st);
	system_close(&sys);
	return r;
}

static void detach(void)
{
	const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGPIPE };
	sigset_t none;
	int null;

	setsid();
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir("/") < 0)
		return; /* stays where it is, which only keeps a mount busy */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
}

/* The child. Tells the parent by one byte that it is armed: 0, or an errno. */
_Noreturn static void guard_main(struct system *sys, const char *dir, unsigned seconds,
				 int alive_fd, int ready_fd)
{
	struct watch w = { .alive_fd = alive_fd };
	struct system own = SYSTEM_INIT;
	unsigned char answer;
	int r;

	detach();
	r = reopen(sys, &own);
	if (r == 0)
		r = watch_open(&own.root, dir, seconds, &w);
	if (r < 0 && w.file[0])
		sysroot_unlink(&own.root, w.file);
	answer = r < 0 ? -r : 0;
	if (write(ready_fd, &answer, 1) != 1 || r < 0)
		_exit(1);
	close(ready_fd);
	r = watch_wait(&own.root, &w) ? revert_all(&own) : 0;
	_exit(r ? 1 : 0);
}

int guard_start(struct system *sys, struct state *st, enum guard_mode mode,
		unsigned seconds, struct guard *ret)
{
	int alive[2] = { -1, -1 }, ready[2];
	unsigned char answer = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return -errno;
	if (mode == GUARD_PARENT && pipe2(alive, O_CLOEXEC) < 0)
		pid = -1;
	else
		pid = fork();
	if (pid == 0) {
		close(ready[0]);
		close_fd(&alive[1]);
		close_fd(&st->lock_fd); /* else the parent's death would not free it */
		guard_main(sys, st->dir, seconds, alive[0], ready[1]);
	}
	close(ready[1]);
	close_fd(&alive[0]);
	n = pid < 0 ? -1 : read(ready[0], &answer, 1);
	close(ready[0]);
	if (n == 1 && answer == 0) {
		*ret = (struct guard){ .pid = pid, .alive_fd = alive[1] };
		return 0;
	}
	close_fd(&alive[1]);
	return n == 1 ? -answer : n < 0 ? -errno : -ECHILD;
}

/* What is done with each waiting guard's file. */
static int for_each_pending(struct system *sys, bool remove, unsigned *ret_seconds)
{
	_cleanup_list_ char **names = NULL;
	struct state st = STATE_INIT;
	int found = 0;
	ssize_t n;

	n = state_directory(sys, st.dir);
	if (n == 0)
		n = sysroot_list(&sys->root, st.dir, &names);
	if (n < 0)
		return n == -ENOENT ? 0 : n;
	for (char **name = names; *name; name++) {
		char path[SYSROOT_PATH_MAX + 256], text[32] = "";
		_cleanup_close_ int fd = -1;
		bool stale;

		if (!str_after(*name, PREFIX))
			continue;
		snprintf(path, sizeof(path), "%s/%s", st.dir, *name);
		fd = sysroot_openat(&sys->root, path, O_RDWR | O_NOFOLLOW, 0);
		if (fd < 0)
			continue; /* decided a moment ago */
		stale = flock(fd, LOCK_EX | LOCK_NB) == 0;
		if (read(fd, text, sizeof(text) - 1) > 0 && !stale) {
			long long left = atoll(text) - boottime();

			*ret_seconds = left > 0 ? left : 0;
			if (!remove || sysroot_unlink(&sys->root, path) == 0)
				found++;
		} else if (stale && remove) {
			sysroot_unlink(&sys->root, path); /* its guard was killed */
		}
	}
	return found;
}

int guard_confirm(struct system *sys)
{
	unsigned seconds;

	return for_each_pending(sys, true, &seconds);
}

int guard_pending(struct system *sys, unsigned *ret_seconds)
{
	int r = for_each_pending(sys, false, ret_seconds);

	return r > 0 ? 1 : r;
}

void guard_cancel(struct system *sys, struct guard *g)
{
	char path[SYSROOT_PATH_MAX + 32];
	struct state st = STATE_INIT;

	if (g->pid > 0 && state_directory(sys, st.dir) == 0) {
		snprintf(path, sizeof(path), "%s/" PREFIX "%d", st.dir, (int)g->pid);
		/* it goes at once; one that took the file first waits for our lock */
		if (sysroot_unlink(&sys->root, path) == 0)
			waitpid(g->pid, NULL, 0);
	}
	close_fd(&g->alive_fd);
	g->pid = 0;
}
