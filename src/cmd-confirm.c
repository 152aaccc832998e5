// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-confirm.c - an apply that waits: for how long, on the terminal, and confirm
#include <poll.h>
#include <signal.h>

#include "cmd.h"
#include "engine/ssh.h"

#define CONFIRM_SECONDS 120
#define CONFIRM_MAX 86400
#define LOCK_WAIT_MS 2000

/* Seconds that --confirm asks for; 0: not given. Negative after a usage error. */
static int confirm_option(struct cmd *c)
{
	const char *text = c->opt[OPT_CONFIRM];
	unsigned long seconds;
	char *end;

	if (!text)
		return 0;
	if (c->opt[OPT_NO_CONFIRM]) {
		cmd_usage(c, _("--confirm and --no-confirm exclude each other"));
		return -1;
	}
	if (c->opt[OPT_BOARD]) {
		cmd_usage(c, _("--confirm needs a board that stays: not with --board"));
		return -1;
	}
	if (!*text)
		return CONFIRM_SECONDS;
	errno = 0;
	seconds = strtoul(text, &end, 10);
	if (streq(end, "s"))
		end++;
	if (errno || *end || text[0] < '0' || text[0] > '9' || seconds < 1 ||
	    seconds > CONFIRM_MAX) {
		cmd_usage(c, _("--confirm=%s; expected seconds from 1 to %d"), text,
			  CONFIRM_MAX);
		return -1;
	}
	return seconds;
}

/* Whether a NIC is about to be changed through which an SSH session goes, and which. */
static bool changes_ssh_link(struct cmd *c, const struct profile *p, char *ret_name,
			     size_t size)
{
	_cleanup_(profile_errors_clear) struct profile_errors ignored = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 };
	struct ssh_links links;
	bool any;

	any = ssh_interfaces(&c->sys, &links) < 0; /* not known: it may be any of them */
	if (!any && links.n == 0)
		return false;
	if (plan_build(&c->sys, p, PLAN_ALL, &plan, &ignored) < 0)
		return false; /* apply tells what is wrong, and writes nothing */
	for (size_t i = 0; i < plan.n; i++) {
		const struct change *change = &plan.changes[i];

		if (change->target.ifindex && change_due(change) &&
		    (any || ssh_links_have(&links, change->target.ifindex))) {
			snprintf(ret_name, size, "%s", change->target.name);
			return true;
		}
	}
	return false;
}

/* Seconds to wait for a confirmation, 0 for none; negative after a usage error. */
int cmd_confirm_seconds(struct cmd *c, const struct profile *p)
{
	int seconds = confirm_option(c);
	char name[64];

	if (seconds || c->opt[OPT_NO_CONFIRM] || c->opt[OPT_BOOT] || !c->sys.root.live ||
	    !changes_ssh_link(c, p, name, sizeof(name)))
		return seconds;
	fprintf(stderr,
		_("boardtune: an SSH session goes through %s, so this has to be "
		  "confirmed "
		  "within %d s\n"),
		name, CONFIRM_SECONDS);
	return CONFIRM_SECONDS;
}

/* Undo the apply that waits; the guard is there until that is done. 0 if all is back. */
static int undo_now(struct cmd *c, struct state *st, struct guard *guard)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 };
	int r = state_lock(&c->sys, LOCK_WAIT_MS, st);

	if (r < 0)
		return r;
	r = engine_undo(&c->sys, st, UNDO_BEFORE, &plan, &errors);
	guard_cancel(&c->sys, guard);
	state_unlock(&c->sys, st);
	return r;
}

/* Ctrl-C, a kill: undone before it ends. */
static int stopped(struct cmd *c, struct state *st, struct guard *guard, int sig)
{
	int r = undo_now(c, st, guard);

	if (r == -EWOULDBLOCK) {
		cmd_error(_("another boardtune is at work; this is reverted in time"));
		return 128 + sig;
	}
	cmd_error(r ? _("not everything could be undone; see \"boardtune revert\"")
		    : _("stopped; everything is as it was"));
	return r ? EXIT_UNDO_INCOMPLETE : 128 + sig;
}

/* The guard's file is gone: somebody confirmed, or it has reverted. */
static int tell_end(struct cmd *c, struct state *st, struct guard *guard)
{
	_cleanup_(record_clear) struct record rec = { 0 };
	_cleanup_free_ char *text = NULL;

	enum guard_end end = guard_wait(guard);

	/* a guard that was killed, or could not: once more, by ourselves */
	if (end == GUARD_STUCK && undo_now(c, st, guard) == 0)
		end = GUARD_REVERTED;
	switch (end) {
	case GUARD_CONFIRMED:
		if (state_load(&c->sys, &rec, &text) == 0 && rec.plan.n == 0) {
			cmd_error(_("somebody has reverted it meanwhile"));
			return EXIT_NOT_AS_WANTED;
		}
		puts(_("Kept."));
		return EXIT_AS_WANTED;
	case GUARD_REVERTED:
		cmd_error(_("not confirmed in time; everything is as it was"));
		return EXIT_NOT_AS_WANTED;
	case GUARD_STUCK:
		break;
	}
	cmd_error(_("not confirmed in time, and not everything could be put back; see "
		    "\"boardtune revert\""));
	return EXIT_UNDO_INCOMPLETE;
}

int cmd_confirm_wait(struct cmd *c, struct state *st, struct guard *guard,
		     unsigned seconds)
{
	struct pollfd p[] = { { .fd = STDIN_FILENO, .events = POLLIN },
			      { .fd = c->stop_fd, .events = POLLIN } };
	unsigned left;
	char line[256];
	int sig;

	printf(_("Press Enter within %u s to keep this; otherwise it is reverted.\n"),
	       seconds);
	fflush(stdout);
	while (guard_pending(&c->sys, &left) > 0) {
		if (poll(p, ARRAY_SIZE(p), 500) <= 0)
			continue;
		sig = p[1].revents ? cmd_signal(c) : 0;
		if (sig == SIGHUP || (p[0].revents & (POLLHUP | POLLERR)))
			return 128 + SIGHUP; /* the guard goes on without us */
		if (sig)
			return stopped(c, st, guard, sig);
		if (!p[0].revents)
			continue;
		if (!fgets(line, sizeof(line), stdin))
			return 128 + SIGHUP;
		guard_confirm(&c->sys);
	}
	return tell_end(c, st, guard);
}

int cmd_confirm(struct cmd *c, int argc, char **argv)
{
	int r;

	if (argc != 1)
		return cmd_usage(c, _("%s takes no argument"), c->name);
	r = cmd_need_root(c);
	if (r)
		return r;
	if (c->opt[OPT_BOOT])
		return cmd_confirm_boot(c);
	r = guard_confirm(&c->sys);
	if (r <= 0) {
		cmd_error(r ? _("/run/boardtune could not be read")
			    : _("nothing waits for a confirmation"));
		return EXIT_NOT_AS_WANTED;
	}
	if (c->json)
		return cmd_json_done(c, NULL, EXIT_AS_WANTED);
	if (!c->quiet)
		puts(_("Kept."));
	return EXIT_AS_WANTED;
}
