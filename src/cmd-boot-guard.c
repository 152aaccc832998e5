// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-boot-guard.c - confirm --boot: waits until the boot has proved itself, or reverts
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <syslog.h>
#include <time.h>

#include "cmd.h"
#include "engine/boot-check.h"
#include "engine/boot-mark.h"

#define GUARD_LOCK STATE_DIR "/boot-guard"
#define GUARD_MAX (5 * BOOT_CHECK_SECONDS) /* however often something is added */
#define LOCK_STEP_MS 200
#define LOCK_WAIT_MS 30000
#define STOP_WAIT_MS 2000
#define TEXT_MAX 400

static double now_boottime(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Until then. Returns 0, or -EINTR: told to stop. */
static int wait_until(const struct cmd *c, double at)
{
	struct pollfd stop = { .fd = c->stop_fd, .events = POLLIN };

	for (;;) {
		double left = at - now_boottime();

		if (left <= 0)
			return 0;
		/* CLOCK_BOOTTIME counts a suspend, poll(2) does not: in steps. */
		if (poll(&stop, 1, left < 30 ? (int)(left * 1e3) + 1 : 30000) > 0)
			return -EINTR;
	}
}

/*
 * The apply that started us is through, or dead, once the lock is free. Of a shutdown it
 * is told as we are. Returns 0 with the lock, or -errno.
 */
static int wait_for_apply(struct cmd *c, struct state *ret)
{
	struct pollfd stop = { .fd = c->stop_fd, .events = POLLIN };
	int r;

	while ((r = state_lock(&c->sys, 0, ret)) == -EWOULDBLOCK)
		if (poll(&stop, 1, LOCK_STEP_MS) > 0)
			return state_lock(&c->sys, STOP_WAIT_MS, ret);
	return r;
}

/* As the command does it, without its table. */
static int revert_all(struct cmd *c)
{
	char *revert[] = { (char[]){ "revert" }, NULL };

	c->name = revert[0];
	c->quiet = true;
	return cmd_revert(c, 1, revert);
}

static int revert_boot(struct cmd *c, const char *profile)
{
	char text[TEXT_MAX];
	int r = revert_all(c);

	snprintf(text, sizeof(text),
		 r ? _("%s: nobody answers on the network since it was applied, and not "
		       "everything could be put back; see \"boardtune revert\"")
		   : _("%s: nobody answers on the network since it was applied: "
		       "everything is as it was before; see \"boardtune plan %s\""),
		 profile, profile);
	cmd_boot_tell(SERVICE_UNDONE, LOG_ERR, profile, text);
	return r ? r : EXIT_NOT_AS_WANTED;
}

/* What was applied may be more, another one, or reverted, after two minutes. */
static int load_again(struct cmd *c, struct boot_applied *applied)
{
	struct boot_applied now = {};
	int r = boot_applied_load(&c->sys.root, &now);

	if (r < 0)
		return r;
	boot_applied_clear(applied);
	*applied = now;
	return 0;
}

static bool is_in_force(struct cmd *c, const char *profile)
{
	_cleanup_(record_clear) struct record rec = {};
	_cleanup_free_ char *text = NULL;

	return state_load(&c->sys, &rec, &text) == 0 && rec.profile &&
	       streq(rec.profile, profile);
}

/*
 * Asks who is there, when the time since the last apply is over, or at @limit. Returns an
 * enum boot_check or -errno.
 */
static int wait_and_check(struct cmd *c, double limit, struct boot_applied *applied)
{
	double until;
	int r;

	/* A copied board has no time and no network. */
	if (!c->sys.root.live)
		return BOOT_CHECK_NOTHING;
	do {
		until = applied->at + BOOT_CHECK_SECONDS;
		if (until > limit)
			until = limit;
		r = wait_until(c, until);
		if (r == 0)
			r = load_again(c, applied);
	} while (r == 0 && until < limit && applied->at + BOOT_CHECK_SECONDS > until);
	if (r == 0 && !is_in_force(c, applied->profile))
		r = -ENOENT;
	if (r == 0)
		r = boot_check_run(&c->sys, applied, c->stop_fd);
	return r == -ENOENT ? BOOT_CHECK_NOTHING : r;
}

/*
 * The apply of this boot, or a later one, hung or was killed. With the lock: else it may
 * be one that is at work.
 */
static bool is_cut_off(struct cmd *c)
{
	_cleanup_(record_clear) struct record rec = {};
	_cleanup_free_ char *text = NULL;

	return state_load(&c->sys, &rec, &text) == 0 && rec.applying;
}

/* Undone; its mark stays, and nothing has to prove itself any more. */
static int undo_cut_off(struct cmd *c)
{
	int r = revert_all(c);

	sysroot_unlink(&c->sys.root, BOOT_APPLIED);
	cmd_boot_tell(SERVICE_UNDONE, LOG_ERR, NULL,
		      r ? _("the apply of this boot did not come to its end, and not "
			    "everything could be put back; see \"boardtune revert\"")
			: _("the apply of this boot did not come to its end: everything "
			    "is as it was before"));
	return r ? r : EXIT_NOT_AS_WANTED;
}

/*
 * Takes the mark away, and lets another guard in, while nobody applies. Returns 0; 1 if
 * something was applied since: that has to prove itself, too; 2 if an apply since was cut
 * off; an exit code negated.
 */
static int finish(struct cmd *c, const struct boot_applied *applied, bool stopped,
		  int *guard)
{
	_cleanup_(boot_applied_clear) struct boot_applied now = {};
	struct state st = STATE_INIT;
	char path[SYSROOT_PATH_MAX];
	int r;

	/* Who keeps it for longer is no apply of a boot, but a trial. */
	r = state_lock(&c->sys, stopped ? STOP_WAIT_MS : LOCK_WAIT_MS, &st);
	if (r == 0 && !stopped && is_cut_off(c)) {
		state_unlock(&c->sys, &st);
		return 2;
	}
	r = stopped ? -ENOENT : boot_applied_load(&c->sys.root, &now);
	if (r == 0 && now.at != applied->at) {
		state_unlock(&c->sys, &st);
		return 1;
	}
	r = boot_mark_clear(&c->sys.root);
	close_fd(guard);
	state_unlock(&c->sys, &st);
	if (r == 0)
		return 0;
	cmd_error("%s: %s", lasting_path(&c->sys.root, BOOT_MARK, path), strerror(-r));
	return -cmd_exit_of(r);
}

static void tell_good(const char *profile, int error)
{
	char text[TEXT_MAX];

	if (error < 0)
		snprintf(text, sizeof(text), _("who is on the network is not known: %s"),
			 strerror(-error));
	else
		snprintf(text, sizeof(text), _("%s: this boot is good"), profile);
	cmd_boot_tell(SERVICE_SUMMARY, error < 0 ? LOG_WARNING : LOG_INFO, profile, text);
}

static int prove(struct cmd *c, struct boot_applied *applied, int *guard)
{
	double limit = now_boottime() + GUARD_MAX;
	int r, end, code;

	cmd_boot_status(_("waits until this boot has proved itself"));
	do {
		r = wait_and_check(c, limit, applied);
		code = r == BOOT_CHECK_LOST ? revert_boot(c, applied->profile)
					    : EXIT_AS_WANTED;
		/* What could not be undone is looked at before the next boot. */
		if (code == EXIT_UNDO_INCOMPLETE)
			return code;
		/* -EINTR: a clean shutdown, or a stop */
		end = finish(c, applied, r == -EINTR, guard);
	} while (end == 1);
	if (end == 2)
		return undo_cut_off(c);
	if (end == 0 && r != -EINTR && r != BOOT_CHECK_LOST)
		tell_good(applied->profile, r);
	return end < 0 ? -end : code;
}

/* Two for one boot, as after a reload: the first is enough. */
static bool is_first_guard(const struct cmd *c, int *ret_fd)
{
	if (!sysroot_exists(&c->sys.root, STATE_DIR))
		return true;
	/* Nobody else may open it, and so keep us from it. */
	*ret_fd = sysroot_openat(&c->sys.root, GUARD_LOCK,
				 O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
	return *ret_fd < 0 || flock(*ret_fd, LOCK_EX | LOCK_NB) == 0;
}

bool cmd_boot_unproven(const struct cmd *c)
{
	struct boot_mark earlier;

	return boot_mark_exists(&c->sys.root) &&
	       boot_mark_get(&c->sys.root, &earlier) == -ENOENT &&
	       (sysroot_exists(&c->sys.root, BOOT_APPLIED) || state_busy(&c->sys) > 0);
}

int cmd_confirm_boot(struct cmd *c)
{
	_cleanup_(boot_applied_clear) struct boot_applied applied = {};
	_cleanup_close_ int guard = -1;
	struct state st = STATE_INIT;
	struct boot_mark earlier;
	bool marked, cut_off;
	int r;

	if (c->stop_fd < 0 && cmd_signals(c) < 0)
		return EXIT_NOT_AS_WANTED;
	/* Nothing was applied: that mark stays until the next enable. */
	if (boot_mark_get(&c->sys.root, &earlier) == 0)
		return EXIT_AS_WANTED;
	if (!is_first_guard(c, &guard))
		return EXIT_AS_WANTED;
	cmd_confine(c);
	r = wait_for_apply(c, &st);
	if (r < 0) {
		cmd_error("/run/boardtune: %s", strerror(-r));
		return cmd_exit_of(r);
	}
	marked = boot_mark_exists(&c->sys.root);
	r = marked ? boot_applied_load(&c->sys.root, &applied) : 0;
	cut_off = is_cut_off(c);
	state_unlock(&c->sys, &st);
	/* Nothing has to prove itself. */
	if (!marked)
		return EXIT_AS_WANTED;
	/* What has to is not known: as if the apply had not come so far. */
	if (r < 0 && r != -ENOENT)
		cmd_error("%s: %s", BOOT_APPLIED, strerror(-r));
	return r < 0 || cut_off ? undo_cut_off(c) : prove(c, &applied, &guard);
}
