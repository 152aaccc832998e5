// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-hotplug.c - apply --boot --nic or --late: something has come while the system runs
#include <poll.h>
#include <syslog.h>

#include "cmd.h"
#include "engine/boot-mark.h"
#include "engine/boot.h"

#define LOCK_WAIT_MS 30000
/* udev renames, usb_modeswitch turns one device into another: until that is over */
#define STEADY_MS 1000
#define STEADY_STEP_MS 100
/*
 * systemd adds an event of a unit that still runs to that run (job_install() of 252), so
 * what came meanwhile is looked for at the end, so often at most
 */
#define LOOKS_MAX 3

/* What one call works on. */
struct hotplug {
	struct cmd *c;
	char *name; /* of the boot profile */
	struct profile *profile;
	struct plan_part part;
	bool confined;
	bool waited;      /* until it was steady: */
	int steady;       /* the interface of this index */
	struct plan plan; /* of the last look that had something to do */
	size_t changed;   /* by all of them */
};

static void hotplug_clear(struct hotplug *h)
{
	free(h->name);
	profile_free(h->profile);
	plan_clear(&h->plan);
}

/* Wait. 0, or the exit code of a signal. */
static int pause_ms(struct cmd *c, int ms)
{
	struct pollfd p = { .fd = c->stop_fd, .events = POLLIN };

	return poll(&p, 1, ms) > 0 ? 128 + cmd_signal(c) : 0;
}

static bool is_there(struct hotplug *h)
{
	struct plan_part now;

	if (!h->part.ifindex) /* clocks: what is there is looked up by the plan */
		return true;
	return plan_part_nic(&h->c->sys, h->part.name, &now) == 0 &&
	       now.ifindex == h->part.ifindex;
}

/* Until it has kept its name and index for a while: 0; -ENODEV gone; >0 exit code. */
static int wait_steady(struct hotplug *h)
{
	int r = 0;

	/* of a copied board nothing changes by itself */
	for (int ms = 0; ms < STEADY_MS && h->c->sys.root.live; ms += STEADY_STEP_MS) {
		r = pause_ms(h->c, STEADY_STEP_MS);
		if (r || !is_there(h))
			break;
	}
	return r ? r : is_there(h) ? 0 : -ENODEV;
}

/* The lock, once no apply waits for its confirmation: 0 or an exit code. */
static int lock_settled(struct cmd *c, struct state *ret)
{
	unsigned left;
	int r = cmd_lock(c, LOCK_WAIT_MS, ret);

	while (r == 0 && guard_pending(&c->sys, &left) > 0) {
		state_unlock(&c->sys, ret);
		r = pause_ms(c, 1000);
		if (r == 0)
			r = cmd_lock(c, LOCK_WAIT_MS, ret);
	}
	return r;
}

/*
 * Whether the profile of the boot is in force: applied since the boot, also where nothing
 * was to change, and not reverted or held off. Nor cut off: that is undone by the guard,
 * from which a whole apply of a part would hide it. Returns 1, 0 or an exit code negated.
 */
static int is_in_force(struct hotplug *h)
{
	_cleanup_(record_clear) struct record rec = { 0 };
	_cleanup_free_ char *text = NULL;
	int r = state_load(&h->c->sys, &rec, &text);

	if (r == 0 && rec.applying && boot_mark_exists(&h->c->sys.root))
		return 0;
	if (r == 0)
		return rec.profile && streq(rec.profile, h->name);
	cmd_error("undo.json: %s", text ? text : strerror(-r));
	return -EXIT_NOT_AS_WANTED;
}

/* The boot profile, and that it is about this interface. 1, 0 or an exit code negated. */
static int load_wanted(struct hotplug *h)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	int r = h->profile ? 1 : boot_profile(&h->c->sys.root, &h->name, NULL,
						  &errors);

	if (errors.n)
		return -cmd_errors(&errors);
	if (r == -ENOENT || r == -ENODEV)
		return 0;
	if (r == 0) {
		r = cmd_load_profile(h->c, h->name, &h->profile);
		if (r == 0)
			r = cmd_check_board(h->c, h->profile);
		if (r)
			return -r;
	}
	if (r >= 0)
		r = plan_part_wanted(&h->c->sys, h->profile, &h->part);
	if (r >= 0)
		return r;
	cmd_error("%s: %s", BOOT_CONF, strerror(-r));
	return -EXIT_NOT_AS_WANTED;
}

/* One that was pulled out meanwhile is no failure. */
static bool has_failed(const struct change *ch)
{
	return change_failed(ch) && ch->outcome != OUTCOME_MISSING;
}

static size_t count_rows(const struct plan *plan, bool (*is)(const struct change *))
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++)
		n += is(&plan->changes[i]);
	return n;
}

/* A line for each setting that could not be as wanted. */
static void log_failures(const struct hotplug *h)
{
	for (size_t i = 0; i < h->plan.n; i++) {
		const struct change *ch = &h->plan.changes[i];

		if (has_failed(ch))
			cmd_log_change(SERVICE_SETTING, LOG_ERR, h->name, ch, NULL, NULL);
	}
}

/* Nothing, when all was as wanted: links come and go often. */
static void log_outcome(const struct hotplug *h)
{
	size_t failures = count_rows(&h->plan, has_failed);
	struct service_fields fields = { .profile = h->name, .target = h->part.name };
	_cleanup_free_ char *text = NULL;

	if (h->changed == 0 && failures == 0)
		return;
	log_failures(h);
	text = str_format(_("%s: %zu changed, %zu failed (profile %s)"), h->part.name,
			  h->changed, failures, h->name);
	service_log(SERVICE_SUMMARY, failures ? LOG_WARNING : LOG_INFO, &fields,
		    text ? text : h->part.name);
}

static int report(struct hotplug *h, enum apply_result result, int error)
{
	int code = result == APPLY_DONE	   ? EXIT_AS_WANTED
		   : result == APPLY_STUCK ? EXIT_UNDO_INCOMPLETE
					   : EXIT_NOT_AS_WANTED;

	if (error == -EINTR && code != EXIT_UNDO_INCOMPLETE)
		code = 128 + cmd_signal(h->c);
	else if (error < 0 && error != -EINTR)
		cmd_error("%s: %s", h->part.name, strerror(-error));
	return code;
}

static bool was_refused(const struct change *ch)
{
	return ch->written && !outcome_success(ch->outcome);
}

/*
 * What a look did is told, not that all was as wanted after it. Returns whether another
 * one has to follow: after what was written, and once after what could not be, which may
 * have been made anew.
 */
static bool note_look(struct hotplug *h, struct plan *plan)
{
	size_t changed = count_rows(plan, change_due);
	bool first = !h->plan.n;
	bool again = changed || (first && count_rows(plan, was_refused));

	if (first || changed || count_rows(plan, has_failed) ||
	    count_rows(&h->plan, has_failed)) {
		plan_clear(&h->plan);
		h->plan = *plan;
		*plan = (struct plan) { 0 };
	}
	h->changed += changed;
	return again;
}

static int apply_locked(struct hotplug *h, struct state *st, bool *again)
{
	_cleanup_(plan_clear) struct plan plan = { 0 };
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	struct apply_options opts = { .boot = true,
				      .stop_fd = h->c->stop_fd,
				      .part = &h->part };
	enum apply_result result = APPLY_UNTOUCHED;
	int r = is_in_force(h);

	if (r <= 0)
		return -r;
	*again = !is_there(h);
	if (*again)
		return EXIT_AS_WANTED;
	if (!h->confined)
		cmd_confine(h->c);
	h->confined = true;
	r = engine_apply(&h->c->sys, st, h->profile, &opts, &plan, &result, NULL,
			 &errors);
	cmd_boot_add(h->c, h->name, &plan);
	*again = note_look(h, &plan) && r == 0;
	if (errors.n)
		return cmd_errors(&errors);
	return report(h, result, r);
}

/* Exit code; @again: another look is due, if the part is still there. */
static int look_once(struct hotplug *h, bool *again)
{
	struct state st = STATE_INIT;
	int r;

	*again = false;
	r = load_wanted(h);
	if (r <= 0)
		return -r;
	r = cmd_need_root(h->c);
	if (r)
		return r;
	r = h->c->stop_fd < 0 ? cmd_signals(h->c) : 0;
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	if (!h->waited || h->steady != h->part.ifindex)
		r = wait_steady(h);
	*again = r < 0; /* another one may have its name by now */
	if (r)
		return r < 0 ? EXIT_AS_WANTED : r;
	h->waited = true;
	h->steady = h->part.ifindex;
	r = lock_settled(h->c, &st);
	if (r)
		return r;
	r = apply_locked(h, &st, again);
	state_unlock(&h->c->sys, &st);
	return r;
}

/* @name: of an interface, NULL: clocks. */
static int hotplug_apply(struct hotplug *h, const char *name)
{
	int code = EXIT_AS_WANTED;
	bool again = true;

	for (int i = 0; i < LOOKS_MAX && again; i++) {
		/* one that came and went, or has another name by now, is no failure */
		if (name && plan_part_nic(&h->c->sys, name, &h->part) < 0)
			break;
		code = look_once(h, &again);
	}
	if (!h->c->json && h->name)
		log_outcome(h);
	return code;
}

static int finish(struct hotplug *h, int code)
{
	if (h->c->json && code != EXIT_USAGE &&
	    cmd_json_plan(h->c, h->name, &h->plan, code))
		return EXIT_NOT_AS_WANTED;
	return code;
}

int cmd_apply_nic(struct cmd *c, const char *name)
{
	_cleanup_(hotplug_clear) struct hotplug h = { .c = c };
	int r = plan_part_nic(&c->sys, name, &h.part);

	if (r == -EINVAL)
		return cmd_usage(c, _("--nic: \"%s\" is no name of an interface"), name);
	return finish(&h, hotplug_apply(&h, name));
}

int cmd_apply_late(struct cmd *c)
{
	_cleanup_(hotplug_clear) struct hotplug h = { .c = c, .part.name = "clocks" };

	return finish(&h, hotplug_apply(&h, NULL));
}
