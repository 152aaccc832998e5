// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-boot-apply.c - apply --boot: the mark, what was touched, the journal
#include <fcntl.h>
#include <syslog.h>

#include "base/service.h"
#include "cmd.h"
#include "engine/boot-check.h"
#include "engine/boot-mark.h"
#include "engine/boot.h"
#include "kernel/bus.h"

#define STATUS_MAX 200

bool cmd_boot_off(struct cmd *c)
{
	const char *why = boot_off(&c->sys.root);
	char text[STATUS_MAX];

	if (!why)
		return false;
	snprintf(text, sizeof(text), _("nothing is applied at this boot: %s"), why);
	service_log(SERVICE_HELD_OFF, LOG_NOTICE, NULL, text);
	return true;
}

void cmd_boot_status(const char *text)
{
	char status[STATUS_MAX + 16];
	size_t n = strlen(text);

	/* At a character: systemd takes no status that is not UTF-8. */
	if (n > STATUS_MAX)
		for (n = STATUS_MAX; n && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
			;
	snprintf(status, sizeof(status), "STATUS=%.*s", (int)n, text);
	service_notify(status);
}

void cmd_boot_tell(enum service_message message, int priority, const char *profile,
		   const char *text)
{
	const struct service_fields fields = { .profile = profile };

	service_log(message, priority, &fields, text);
	cmd_boot_status(text);
}

static int held_off(const struct boot_mark *mark)
{
	char text[2 * STATUS_MAX];

	snprintf(text, sizeof(text),
		 _("the last boot did not come to its end after %s was applied: nothing "
		   "is applied until \"boardtune enable %s\""),
		 mark->profile, mark->profile);
	cmd_boot_tell(SERVICE_HELD_OFF, LOG_ERR, mark->profile, text);
	return EXIT_NOT_AS_WANTED;
}

/* Live boards have one; a copied board that has none has no boots to tell apart. */
static bool knows_boots(const struct cmd *c)
{
	return c->sys.root.live ||
	       sysroot_exists(&c->sys.root, "/proc/sys/kernel/random/boot_id");
}

/*
 * Where no unit does it: the guard, as a process of its own that ends by itself. The
 * lock, and what the caller left open, must not stay with it.
 */
static int fork_guard(void)
{
	pid_t pid = fork();
	int null;

	if (pid != 0)
		return pid < 0 ? -errno : 0;
	setsid();
	/* no file system is kept busy */
	if (chdir("/") < 0)
		_exit(EXIT_NOT_AS_WANTED);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close_from(STDERR_FILENO + 1);
	execl("/proc/self/exe", "boardtune", "confirm", "--boot", (char *)NULL);
	_exit(EXIT_NOT_AS_WANTED);
}

/* The unit's Wants= starts it with the first apply, but not with a reload. */
static int queue_guard(void)
{
	_cleanup_(bus_closep) struct bus *bus = NULL;
	int r = bus_open(&bus);

	return r < 0 ? r : bus_unit_queue(bus, BOOT_GUARD_UNIT);
}

/* Before the first write; it waits for the lock that we hold, also if we are killed. */
static int start_guard(struct cmd *c)
{
	bool again = sysroot_exists(&c->sys.root, BOOT_APPLIED);

	if (!c->sys.root.live || (service_managed() && !again))
		return 0;
	if (service_managed() && queue_guard() == 0)
		return 0;
	return fork_guard();
}

static int no_mark(struct cmd *c, int error)
{
	char path[SYSROOT_PATH_MAX];

	if (error == -ENOMEDIUM)
		cmd_error(_("neither /var/lib/boardtune nor /etc/boardtune outlives a "
			    "crash: nothing is applied at boot without a mark there"));
	else
		cmd_error(_("%s: %s: nothing is applied at boot without that mark"),
			  lasting_path(&c->sys.root, BOOT_MARK, path), strerror(-error));
	cmd_boot_status(_("nothing is applied: no mark could be set"));
	return cmd_exit_of(error);
}

int cmd_boot_begin(struct cmd *c, const char *profile, bool *ret_marked)
{
	struct boot_mark mark;
	bool standing;
	int r;

	*ret_marked = false;
	if (!knows_boots(c))
		return 0;
	r = boot_mark_get(&c->sys.root, &mark);
	if (r == 0)
		return held_off(&mark);
	/* Of this boot: what was applied before has not proved itself yet. */
	standing = boot_mark_exists(&c->sys.root);
	if (r == -ENOENT)
		r = boot_mark_set(&c->sys.root, profile);
	if (r < 0)
		return no_mark(c, r);
	*ret_marked = !standing;
	r = start_guard(c);
	if (r == 0)
		return 0;
	cmd_error("%s: %s", BOOT_GUARD_UNIT, strerror(-r));
	if (*ret_marked)
		boot_mark_clear(&c->sys.root);
	return EXIT_NOT_AS_WANTED;
}

static int change_priority(const struct change *c)
{
	if (change_failed(c) && c->outcome != OUTCOME_MISSING)
		return LOG_ERR;
	return c->outcome == OUTCOME_MISSING ? LOG_NOTICE : LOG_INFO;
}

void cmd_boot_report(const char *profile, const struct plan *plan, int code)
{
	size_t good = 0, failed = 0, missing = 0;
	const struct change *first = NULL;
	_cleanup_free_ char *why = NULL;
	char text[4 * STATUS_MAX];

	for (size_t i = 0; i < plan->n; i++) {
		const struct change *change = &plan->changes[i];

		if (change->side)
			continue;
		good += outcome_success(change->outcome);
		missing += change->outcome == OUTCOME_MISSING;
		if (change->outcome == OUTCOME_OK || change->outcome == OUTCOME_CHANGED)
			continue;
		cmd_log_change(SERVICE_SETTING, change_priority(change), profile, change,
			       NULL, NULL);
		if (change_failed(change) && change->outcome != OUTCOME_MISSING) {
			failed++;
			first = first ? first : change;
		}
	}
	if (first)
		why = cmd_change_text(first);
	snprintf(text, sizeof(text), _("%s: %zu settings in force, %zu failed, %zu wait "
				       "for a device%s%s"),
		 profile, good, failed, missing, why ? ": " : "", why ? why : "");
	cmd_boot_tell(SERVICE_SUMMARY, code ? LOG_ERR : LOG_INFO, profile, text);
}

void cmd_boot_end(struct cmd *c, const char *profile, const struct plan *plan,
		  bool marked, int error)
{
	int r = error;

	/* Stopped by a shutdown, or no record: everything is as it was. */
	if (r == 0 && knows_boots(c))
		r = boot_applied_save(&c->sys, profile, plan, !marked);
	if (error < 0 && marked)
		boot_mark_clear(&c->sys.root);
	/* The mark stays: the guard undoes what it cannot look after. */
	if (error == 0 && r < 0)
		cmd_error("%s: %s", BOOT_APPLIED, strerror(-r));
}

void cmd_boot_add(struct cmd *c, const char *profile, const struct plan *plan)
{
	bool any = false;
	int r;

	for (size_t i = 0; i < plan->n; i++)
		any |= plan->changes[i].written;
	if (!any || !boot_mark_exists(&c->sys.root))
		return;
	r = boot_applied_save(&c->sys, profile, plan, true);
	if (r < 0)
		cmd_error("%s: %s", BOOT_APPLIED, strerror(-r));
}
