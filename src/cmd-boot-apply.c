// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-boot-apply.c - apply --boot and confirm --boot: the mark, the journal, the guard
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <syslog.h>
#include <time.h>

#include "base/service.h"
#include "cmd.h"
#include "engine/boot-check.h"
#include "engine/boot-mark.h"
#include "engine/boot.h"

#define GUARD_LOCK STATE_DIR "/boot-guard"
#define STATUS_MAX 200

/* What a boot is told to go without boardtune by, beside the kernel's command line. */
static const char *const off_files[] = { "/boot/boardtune.off",
					 "/boot/firmware/boardtune.off" };

static bool kernel_says_off(const struct sysroot *root)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *word;

	if (sysroot_read_all(root, "/proc/cmdline", &text) < 0)
		return false;
	rest = text;
	while ((word = strsep(&rest, " \t\n")))
		if (streq(word, "boardtune=off"))
			return true;
	return false;
}

bool cmd_boot_off(struct cmd *c)
{
	const char *why = kernel_says_off(&c->sys.root) ? "boardtune=off" : NULL;
	char text[STATUS_MAX];

	for (size_t i = 0; !why && i < ARRAY_SIZE(off_files); i++)
		if (sysroot_exists(&c->sys.root, off_files[i]))
			why = off_files[i];
	if (!why)
		return false;
	snprintf(text, sizeof(text), _("nothing is applied at this boot: %s"), why);
	service_log(SERVICE_HELD_OFF, LOG_NOTICE, NULL, text);
	return true;
}

/* For the manager and the journal: one line each. */
static void tell(enum service_message message, int priority, const char *profile,
		 const char *text)
{
	const struct service_fields fields = { .profile = profile };
	char status[STATUS_MAX + 16];
	size_t n = strlen(text);

	service_log(message, priority, &fields, text);
	/* At a character: systemd takes no status that is not UTF-8. */
	if (n > STATUS_MAX)
		for (n = STATUS_MAX; n && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
			;
	snprintf(status, sizeof(status), "STATUS=%.*s", (int)n, text);
	service_notify(status);
}

static int held_off(const struct boot_mark *mark)
{
	char text[2 * STATUS_MAX];

	snprintf(text, sizeof(text),
		 _("the last boot did not come to its end after %s was applied: nothing "
		   "is applied until \"boardtune enable %s\""),
		 mark->profile, mark->profile);
	tell(SERVICE_HELD_OFF, LOG_ERR, mark->profile, text);
	return EXIT_NOT_AS_WANTED;
}

/* Live boards have one; a copied board that has none has no boots to tell apart. */
static bool knows_boots(const struct cmd *c)
{
	return c->sys.root.live ||
	       sysroot_exists(&c->sys.root, "/proc/sys/kernel/random/boot_id");
}

int cmd_boot_begin(struct cmd *c, const char *profile, bool *ret_marked)
{
	struct boot_mark mark;
	int r;

	*ret_marked = false;
	if (!knows_boots(c))
		return 0;
	r = boot_mark_get(&c->sys.root, &mark);
	if (r == 0)
		return held_off(&mark);
	if (r == -ENOENT && sysroot_exists(&c->sys.root, BOOT_APPLIED))
		return 0; /* reload: this boot has got that far */
	if (r == -ENOENT)
		r = boot_mark_set(&c->sys.root, profile);
	if (r < 0) {
		cmd_error(_("%s: %s: nothing is applied at boot without that mark"),
			  BOOT_MARK, strerror(-r));
		service_notify("STATUS=no mark in /var/lib/boardtune: nothing applied");
		return cmd_exit_of(r);
	}
	*ret_marked = true;
	return 0;
}

static const char *change_error(const struct change *change)
{
	return change->error ? errno_name(change->error) : "";
}

/* "net:wan tso on eth1: refused (EOPNOTSUPP), wanted off" */
static void change_text(const struct change *c, char ret[static 2 * STATUS_MAX])
{
	char want[VALUE_TEXT_MAX];

	snprintf(ret, 2 * STATUS_MAX, _("%s %s of %s: %s%s%s%s, wanted %s"), c->section,
		 change_key(c), c->target.name, outcome_name(c->outcome),
		 c->error ? " (" : "", change_error(c), c->error ? ")" : "",
		 value_format(&c->want, want));
}

static int change_priority(const struct change *c)
{
	if (change_failed(c) && c->outcome != OUTCOME_MISSING)
		return LOG_ERR;
	return c->outcome == OUTCOME_MISSING ? LOG_NOTICE : LOG_INFO;
}

static void log_change(const char *profile, const struct change *c)
{
	_cleanup_free_ char *key = str_format("%s.%s", c->section, change_key(c));
	const struct service_fields fields = {
		.profile = profile,
		.setting = key,
		.target = c->target.name,
		.outcome = outcome_name(c->outcome),
	};
	char text[2 * STATUS_MAX];

	change_text(c, text);
	service_log(SERVICE_SETTING, change_priority(c), &fields, text);
}

void cmd_boot_report(const char *profile, const struct plan *plan, int code)
{
	size_t good = 0, failed = 0, missing = 0;
	const struct change *first = NULL;
	char text[4 * STATUS_MAX], why[2 * STATUS_MAX] = "";

	for (size_t i = 0; i < plan->n; i++) {
		const struct change *change = &plan->changes[i];

		if (change->side)
			continue;
		good += outcome_success(change->outcome);
		missing += change->outcome == OUTCOME_MISSING;
		if (change->outcome == OUTCOME_OK || change->outcome == OUTCOME_CHANGED)
			continue;
		log_change(profile, change);
		if (change_failed(change) && change->outcome != OUTCOME_MISSING) {
			failed++;
			first = first ? first : change;
		}
	}
	if (first)
		change_text(first, why);
	snprintf(text, sizeof(text), _("%s: %zu settings in force, %zu failed, %zu wait "
				       "for a device%s%s"),
		 profile, good, failed, missing, first ? ": " : "", why);
	tell(SERVICE_SUMMARY, code ? LOG_ERR : LOG_INFO, profile, text);
}

/*
 * Where no unit does it: the guard, as a process of its own that ends by itself. The
 * lock, and what the caller left open, must not stay with it.
 */
static int confirm_start(void)
{
	pid_t pid = fork();
	int null;

	if (pid != 0)
		return pid < 0 ? -errno : 0;
	setsid();
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close_from(STDERR_FILENO + 1);
	execl("/proc/self/exe", "boardtune", "confirm", "--boot", (char *)NULL);
	_exit(EXIT_NOT_AS_WANTED);
}

void cmd_boot_end(struct cmd *c, const char *profile, const struct plan *plan,
		  bool marked, int error)
{
	int r = error;

	/* Stopped by a shutdown, or no record: everything is as it was. */
	if (r == 0 && knows_boots(c))
		r = boot_applied_save(&c->sys, profile, plan);
	if (r < 0 && marked)
		boot_mark_clear(&c->sys.root);
	if (error < 0)
		return;
	if (r == 0 && marked && c->sys.root.live && !service_managed())
		r = confirm_start();
	if (r < 0)
		cmd_error("%s: %s", BOOT_APPLIED, strerror(-r));
}

/* Until the boot has proved itself. Returns 0, or -EINTR: told to stop. */
static int wait_until(const struct cmd *c, double at)
{
	struct pollfd stop = { .fd = c->stop_fd, .events = POLLIN };
	struct timespec ts;

	for (;;) {
		double left;

		clock_gettime(CLOCK_BOOTTIME, &ts);
		left = at - (ts.tv_sec + ts.tv_nsec / 1e9);
		if (left <= 0)
			return 0;
		/* CLOCK_BOOTTIME counts a suspend, poll(2) does not: in steps. */
		if (poll(&stop, 1, left < 30 ? (int)(left * 1e3) + 1 : 30000) > 0)
			return -EINTR;
	}
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
	char text[2 * STATUS_MAX];
	int r = revert_all(c);

	snprintf(text, sizeof(text),
		 r ? _("%s: nobody answers on the network since it was applied, and not "
		       "everything could be put back; see \"boardtune revert\"")
		   : _("%s: nobody answers on the network since it was applied: "
		       "everything is as it was before; see \"boardtune plan %s\""),
		 profile, profile);
	tell(SERVICE_UNDONE, LOG_ERR, profile, text);
	return r ? r : EXIT_NOT_AS_WANTED;
}

/* What was applied may be another one, or reverted, after two minutes. */
static int load_again(struct cmd *c, const struct boot_applied *before,
		      struct boot_applied *ret)
{
	_cleanup_(record_clear) struct record rec = {};
	_cleanup_free_ char *text = NULL;
	int r = boot_applied_load(&c->sys.root, ret);

	if (r < 0)
		return r;
	if (state_load(&c->sys, &rec, &text) < 0 || !rec.profile ||
	    !streq(rec.profile, ret->profile))
		return -ENOENT;
	for (size_t i = 0; i < ret->n && i < before->n; i++)
		if (ret->nics[i].ifindex == before->nics[i].ifindex)
			ret->nics[i] = before->nics[i];
	return 0;
}

/* Asks who is there, when the time is over. Returns an enum boot_check or -errno. */
static int wait_and_check(struct cmd *c, struct boot_applied *before)
{
	_cleanup_(boot_applied_clear) struct boot_applied applied = {};
	int r;

	/* A copied board has no time and no network. */
	if (!c->sys.root.live)
		return BOOT_CHECK_NOTHING;
	boot_check_begin(&c->sys, before);
	r = wait_until(c, before->at + BOOT_CHECK_SECONDS);
	if (r == 0)
		r = load_again(c, before, &applied);
	if (r == 0)
		r = boot_check_run(&c->sys, &applied, c->stop_fd);
	return r == -ENOENT ? BOOT_CHECK_NOTHING : r;
}

static int confirm_after(struct cmd *c, struct boot_applied *applied)
{
	char text[STATUS_MAX];
	int r;

	service_notify("STATUS=waits until this boot has proved itself");
	r = wait_and_check(c, applied);
	if (r == -EINTR)
		return EXIT_AS_WANTED; /* a clean shutdown, or a stop */
	if (r == BOOT_CHECK_LOST)
		return revert_boot(c, applied->profile);
	if (r < 0)
		snprintf(text, sizeof(text), _("who is on the network is not known: %s"),
			 strerror(-r));
	else
		snprintf(text, sizeof(text), _("%s: this boot is good"),
			 applied->profile);
	tell(SERVICE_SUMMARY, r < 0 ? LOG_WARNING : LOG_INFO, applied->profile, text);
	return EXIT_AS_WANTED;
}

/* Two for one boot, as of an init script and of apply itself: the first is enough. */
static bool is_first_guard(const struct cmd *c, int *ret_fd)
{
	*ret_fd = sysroot_openat(&c->sys.root, STATE_DIR, O_RDONLY | O_DIRECTORY, 0);
	if (*ret_fd < 0)
		return true;
	close_fd(ret_fd);
	*ret_fd = sysroot_openat(&c->sys.root, GUARD_LOCK, O_RDWR | O_CREAT, 0644);
	return *ret_fd < 0 || flock(*ret_fd, LOCK_EX | LOCK_NB) == 0;
}

/* The apply of this boot hung or was killed: undone, and its mark stays. */
static int cut_off(struct cmd *c)
{
	char text[STATUS_MAX];
	int r = revert_all(c);

	snprintf(text, sizeof(text), r ? _("the apply of this boot did not come to its "
					   "end, and not everything could be put back; "
					   "see \"boardtune revert\"")
				       : _("the apply of this boot did not come to its "
					   "end: everything is as it was before"));
	tell(SERVICE_UNDONE, LOG_ERR, NULL, text);
	return r ? r : EXIT_NOT_AS_WANTED;
}

int cmd_confirm_boot(struct cmd *c)
{
	_cleanup_(boot_applied_clear) struct boot_applied applied = {};
	_cleanup_close_ int guard = -1;
	struct boot_mark earlier;
	int r, code = EXIT_AS_WANTED;

	if (c->stop_fd < 0 && cmd_signals(c) < 0)
		return EXIT_NOT_AS_WANTED;
	/* Nothing was applied: that mark stays until the next enable. */
	if (boot_mark_get(&c->sys.root, &earlier) == 0)
		return EXIT_AS_WANTED;
	if (!is_first_guard(c, &guard))
		return EXIT_AS_WANTED;
	r = boot_applied_load(&c->sys.root, &applied);
	if (r == -ENOENT && sysroot_exists(&c->sys.root, BOOT_MARK))
		return cut_off(c);
	if (r == 0)
		code = confirm_after(c, &applied);
	else if (r != -ENOENT)
		cmd_error("%s: %s", BOOT_APPLIED, strerror(-r));
	/* What could not be undone is looked at before the next boot. */
	if (code == EXIT_UNDO_INCOMPLETE)
		return code;
	r = boot_mark_clear(&c->sys.root);
	if (r < 0) {
		cmd_error("%s: %s", BOOT_MARK, strerror(-r));
		return cmd_exit_of(r);
	}
	return code;
}
