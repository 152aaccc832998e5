// SPDX-License-Identifier: GPL-2.0-or-later
// guard.c - the process that reverts unless somebody confirms
#include "engine/guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

#include "board/board.h"
#include "engine/apply.h"

/* What confirm takes away; a trial's guard is none of its business. */
static const char *const prefixes[] = {
	[GUARD_DEADLINE] = "pending.",
	[GUARD_PARENT] = "trial.",
};

#define LOCK_WAIT_MS 1000 /* between looks at whether it was confirmed */

/* What the guard waits with; all of it is there before the first write. */
struct watch {
	enum guard_mode mode;
	char file[sizeof(STATE_DIR) + 32];
	int file_fd;  /* flocked while we live */
	int timer_fd; /* CLOCK_BOOTTIME: a suspended board comes back as well */
	int notify_fd;
	int signal_fd; /* SIGTERM: a session that is cleared away */
	int alive_fd;  /* end of file when the parent is gone; -1: not watched */
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

static int watch_dir(const struct sysroot *root)
{
	_cleanup_close_ int dir_fd = -1, fd = -1;
	char proc[64];

	dir_fd = sysroot_openat(root, STATE_DIR, O_PATH | O_DIRECTORY, 0);
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

static void guard_path(char *buf, size_t size, enum guard_mode mode, pid_t pid)
{
	snprintf(buf, size, STATE_DIR "/%s%d", prefixes[mode], (int)pid);
}

static int watch_open(const struct sysroot *root, unsigned seconds, struct watch *w)
{
	char text[32];
	int n;

	guard_path(w->file, sizeof(w->file), w->mode, getpid());
	sysroot_unlink(root, w->file); /* of a killed guard that had this number */
	/* whoever may open it may hold the lock, too, and with it all others up */
	w->file_fd = sysroot_openat(root, w->file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
				    0600);
	if (w->file_fd < 0)
		return w->file_fd;
	n = snprintf(text, sizeof(text), "%lld\n", (long long)boottime() + seconds);
	if (write(w->file_fd, text, n) != n || flock(w->file_fd, LOCK_EX) < 0)
		return -errno;
	w->timer_fd = arm_timer(seconds);
	if (w->timer_fd < 0)
		return w->timer_fd;
	w->notify_fd = watch_dir(root);
	return w->notify_fd < 0 ? w->notify_fd : 0;
}

/* True at the deadline, when the parent is gone, or on SIGTERM; false once confirmed. */
static bool watch_wait(const struct sysroot *root, const struct watch *w)
{
	struct pollfd p[] = {
		{ .fd = w->timer_fd, .events = POLLIN },
		{ .fd = w->notify_fd, .events = POLLIN },
		{ .fd = w->alive_fd, .events = POLLIN },
		{ .fd = w->signal_fd, .events = POLLIN },
	};
	char events[4096];

	for (;;) {
		if (poll(p, ARRAY_SIZE(p), -1) < 0 && errno != EINTR)
			return true;
		if (p[0].revents || p[2].revents || p[3].revents)
			return true;
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

static int undo_locked(struct system *sys, struct state *st)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 };
	int r = engine_undo(sys, st, UNDO_BEFORE, &plan, &errors);

	return r ? GUARD_STUCK : GUARD_REVERTED;
}

/*
 * Whoever has the lock is waited for, however long it takes; the apply that it may be
 * undoing itself takes the file away. A copied board is read anew: what the parent did to
 * it since is in its files.
 */
static int revert(struct system *own, const struct watch *w)
{
	struct system sys = SYSTEM_INIT;
	struct state st = STATE_INIT;
	int r;

	do {
		if (!sysroot_exists(&own->root, w->file))
			return GUARD_CONFIRMED;
		r = state_lock(own, LOCK_WAIT_MS, &st);
	} while (r == -EWOULDBLOCK);
	if (r < 0)
		return GUARD_STUCK;
	if (sysroot_unlink(&own->root, w->file) == -ENOENT)
		r = GUARD_CONFIRMED;
	else
		r = reopen(own, &sys) < 0 ? GUARD_STUCK : undo_locked(&sys, &st);
	state_unlock(own, &st);
	system_close(&sys);
	return r;
}

/* Nothing of the caller's stays open: a pipe's reader or a lock must not wait for us. */
static void close_others(int alive, int ready)
{
	int top = (alive > ready ? alive : ready) + 1;

	for (int fd = 3; fd < top; fd++)
		if (fd != alive && fd != ready)
			close(fd);
	close_from(top);
}

/* A session of its own; SIGTERM is kept for watch_wait(). Its descriptor or -errno. */
static int detach(void)
{
	const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGPIPE };
	sigset_t set;
	int null;

	setsid();
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_SETMASK, &set, NULL);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	null = signalfd(-1, &set, SFD_CLOEXEC);
	if (null < 0 || chdir("/") < 0)
		return -errno;
	return null;
}

/* The child. Tells the parent by one byte that it is armed: 0, or an errno. */
_Noreturn static void guard_main(struct system *sys, enum guard_mode mode,
				 unsigned seconds, int alive_fd, int ready_fd)
{
	struct watch w = { .mode = mode, .alive_fd = alive_fd };
	struct system own = SYSTEM_INIT;
	unsigned char answer;
	int r;

	close_others(alive_fd, ready_fd);
	r = w.signal_fd = detach();
	if (r >= 0)
		r = reopen(sys, &own);
	if (r == 0)
		r = watch_open(&own.root, seconds, &w);
	if (r < 0 && w.file[0])
		sysroot_unlink(&own.root, w.file);
	answer = r < 0 ? -r : 0;
	if (write(ready_fd, &answer, 1) != 1 || r < 0)
		_exit(GUARD_STUCK);
	close(ready_fd);
	r = watch_wait(&own.root, &w) ? revert(&own, &w) : GUARD_CONFIRMED;
	_exit(r);
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
		guard_main(sys, mode, seconds, alive[0], ready[1]);
	}
	close(ready[1]);
	close_fd(&alive[0]);
	n = pid < 0 ? -1 : read(ready[0], &answer, 1);
	close(ready[0]);
	if (n == 1 && answer == 0) {
		*ret = (struct guard) { .pid = pid, .mode = mode, .alive_fd = alive[1] };
		return 0;
	}
	close_fd(&alive[1]);
	return n == 1 ? -answer : n < 0 ? -errno : -ECHILD;
}

/* What is done with each waiting guard's file. */
static int for_each_pending(struct system *sys, bool remove, unsigned *ret_seconds)
{
	_cleanup_list_ char **names = NULL;
	int found = 0;
	ssize_t n;

	n = sysroot_list(&sys->root, STATE_DIR, &names);
	if (n < 0)
		return n == -ENOENT ? 0 : n;
	for (char **name = names; *name; name++) {
		char path[sizeof(STATE_DIR) + 256], text[32] = "";
		bool waits = str_after(*name, prefixes[GUARD_DEADLINE]), stale;
		_cleanup_close_ int fd = -1;

		if (!waits && !str_after(*name, prefixes[GUARD_PARENT]))
			continue;
		snprintf(path, sizeof(path), "%s/%s", STATE_DIR, *name);
		fd = sysroot_openat(&sys->root, path, O_RDWR | O_NOFOLLOW, 0);
		if (fd < 0)
			continue; /* decided a moment ago */
		stale = flock(fd, LOCK_EX | LOCK_NB) == 0;
		if (stale && remove) {
			sysroot_unlink(&sys->root, path); /* its guard was killed */
		} else if (!stale && waits && read(fd, text, sizeof(text) - 1) > 0) {
			long long left = atoll(text) - boottime();

			*ret_seconds = left > 0 ? left : 0;
			if (!remove || sysroot_unlink(&sys->root, path) == 0)
				found++;
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

enum guard_end guard_wait(struct guard *g)
{
	int status, r;

	do
		r = waitpid(g->pid, &status, 0);
	while (r < 0 && errno == EINTR);
	g->pid = 0;
	if (r < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > GUARD_STUCK)
		return GUARD_STUCK;
	return WEXITSTATUS(status);
}

void guard_cancel(struct system *sys, struct guard *g)
{
	char path[sizeof(STATE_DIR) + 32];

	if (g->pid > 0) {
		guard_path(path, sizeof(path), g->mode, g->pid);
		/* it goes at once; one that took the file first waits for our lock */
		if (sysroot_unlink(&sys->root, path) == 0)
			waitpid(g->pid, NULL, 0);
	}
	close_fd(&g->alive_fd);
	g->pid = 0;
}
