// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-watch-tell.c - watch: what it says, to a terminal, a script or the journal
#include <poll.h>
#include <syslog.h>
#include <time.h>

#include "cmd-watch.h"

static const struct {
	const char *name; /* "event" of --json-lines */
	enum service_message message;
	int priority;
} events[] = {
	[WATCH_DRIFT] = { "drift", SERVICE_DRIFT, LOG_WARNING },
	[WATCH_BACK] = { "back", SERVICE_DRIFT, LOG_NOTICE },
	[WATCH_PUT_BACK] = { "put-back", SERVICE_DRIFT, LOG_NOTICE },
	[WATCH_REFUSED] = { "refused", SERVICE_DRIFT, LOG_WARNING },
	[WATCH_GAVE_UP] = { "gave-up", SERVICE_GAVE_UP, LOG_ERR },
};

/* Asks systemd, so only when there is something to tell. NULL: nobody is known to. */
static const struct rival_state *writer_of(struct watch_look *l, const struct change *c)
{
	int bus;

	/* without the list there is no name to give; the drift is told all the same */
	if (!l->rivals_known && rivals_find(&l->w->c->sys, &l->rivals, &bus) < 0)
		l->rivals = (struct rival_list) { 0 };
	l->rivals_known = true;
	return rivals_writer(&l->rivals, c->setting->section, change_key(c));
}

/* What was seen and may be behind it: the first that fits. */
static const struct cause {
	unsigned sight;   /* enum drift_sight */
	unsigned family;  /* of the settings it can touch; 0: any */
	bool sure;        /* it explains more than who might have been it */
	const char *name; /* "cause" of --json-lines */
	const char *text;
} causes[] = {
	{ DRIFT_CREATED, 0, true, "created", N_("the interface was created anew") },
	{ DRIFT_QUEUES, RIVAL_STEERING, true, "queues",
	  N_("its queues were created anew") },
	{ DRIFT_LINK, 0, false, "link", N_("the link went down") },
};

/* NULL: nothing was seen. */
static const struct cause *cause_of(const struct watch_look *l, const struct change *c)
{
	unsigned seen = drift_sight_of(&l->w->sights, c);
	unsigned family = rival_family_of(c->setting->section, c->setting->key);

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		if (seen & causes[i].sight &&
		    (!causes[i].family || causes[i].family == family))
			return &causes[i];
	return NULL;
}

static char *text_of(struct watch_look *l, enum watch_event event, const struct change *c,
		     const struct rival_state *writer)
{
	_cleanup_free_ char *label = drift_label(c);
	char now[VALUE_TEXT_MAX], want[VALUE_TEXT_MAX], end[RIVAL_END_MAX];
	const struct cause *cause = cause_of(l, c);

	if (!label)
		return NULL;
	value_format_human(&c->now, now);
	value_format_human(&c->want, want);
	switch (event) {
	case WATCH_DRIFT:
		if (cause && (cause->sure || !writer))
			return str_format(_("%s: %s, wanted %s; %s"), label, now, want,
					  _(cause->text));
		if (writer)
			return str_format(_("%s: %s, wanted %s; probably %s"), label, now,
					  want, writer->rival->name);
		return str_format(_("%s: %s, wanted %s"), label, now, want);
	case WATCH_BACK:
		return str_format(_("%s: %s again, as wanted"), label, now);
	case WATCH_PUT_BACK:
		return str_format(_("%s: put back to %s"), label, now);
	case WATCH_REFUSED:
		return str_format(_("%s: %s, and %s when put back to %s"), label, now,
				  outcome_name(c->outcome), want);
	case WATCH_GAVE_UP:
		break;
	}
	if (writer)
		return str_format(_("%s: %s, wanted %s; given up after %d times in %d "
				    "minutes. Probably %s writes it; this ends that: %s"),
				  label, now, want, DRIFT_FIGHTS,
				  (int)DRIFT_WINDOW / 60, writer->rival->name,
				  rival_end(writer, end));
	return str_format(_("%s: %s, wanted %s; given up after %d times in %d minutes: "
			    "somebody keeps writing it, \"boardtune doctor\" may know"),
			  label, now, want, DRIFT_FIGHTS, (int)DRIFT_WINDOW / 60);
}

static void tell_json(const struct watch_look *l, enum watch_event event,
		      const struct change *c, const struct rival_state *writer)
{
	_cleanup_free_ char *key = str_format("%s.%s", c->setting->section,
					      change_key(c));
	char now[VALUE_TEXT_MAX], want[VALUE_TEXT_MAX];
	const struct cause *cause = cause_of(l, c);

	value_format(&c->now, now);
	value_format(&c->want, want);
	/* a document that cannot be written has been told by the printer */
	(void)cmd_json_print_line(json_pack(
		"{s:s, s:I, s:s, s:s?, s:s, s:s, s:s, s:s, s:s, s:s?, s:s?}", "event",
		events[event].name, "time", (json_int_t)time(NULL), "profile",
		l->rec.profile, "key", key, "section", c->section, "target",
		c->target.name, "now", now,
		"want", want, "outcome", outcome_name(c->outcome), "cause",
		cause ? cause->name : NULL,
		"writer", writer ? writer->rival->name : NULL));
}

static void tell_terminal(const char *text)
{
	time_t now = time(NULL);
	struct tm tm;
	char clock[16] = "";

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S ", &tm);
	printf("%s%s\n", clock, text);
	fflush(stdout);
}

static void tell_line(struct watch_look *l, enum watch_event event,
		      const struct change *c)
{
	bool blame = event == WATCH_DRIFT || event == WATCH_GAVE_UP;
	const struct rival_state *writer = blame ? writer_of(l, c) : NULL;
	_cleanup_free_ char *text = NULL;

	if (l->w->lines) {
		tell_json(l, event, c, writer);
		return;
	}
	text = text_of(l, event, c, writer);
	if (!text)
		cmd_error("%s", strerror(ENOMEM));
	else if (service_managed() && !isatty(STDOUT_FILENO))
		cmd_log_change(events[event].message, events[event].priority,
			       l->rec.profile, c, writer ? writer->rival->name : NULL,
			       text);
	else
		tell_terminal(text);
}

/* A pager that waits for a key, a terminal that is held: false, a signal has come. */
static bool wait_for_reader(const struct watch *w)
{
	struct pollfd fds[] = { { .fd = STDOUT_FILENO, .events = POLLOUT },
				{ .fd = w->c->stop_fd, .events = POLLIN } };
	int n;

	do
		n = poll(fds, ARRAY_SIZE(fds), -1);
	while (n < 0 && errno == EINTR);
	return fds[0].revents;
}

void watch_tell(struct watch_look *l)
{
	for (size_t i = 0; i < l->n_lines && wait_for_reader(l->w); i++)
		tell_line(l, l->lines[i].event, l->lines[i].change);
}

void watch_tell_cut_off(struct watch *w, bool cut_off)
{
	if (cut_off && !w->cut_off)
		cmd_error(_("the last apply did not come to its end; "
			    "\"boardtune revert\" undoes it"));
	w->cut_off = cut_off;
}

void watch_tell_trouble(struct watch *w, int error, const struct profile_errors *errors)
{
	if (error == w->trouble)
		return;
	w->trouble = error;
	if (error && errors->n)
		cmd_errors(errors);
	else if (error)
		cmd_error(_("this look failed, the next may not: %s"), strerror(-error));
}

void watch_tell_status(struct watch *w)
{
	_cleanup_free_ char *state = NULL;

	if (w->trouble)
		state = str_format("STATUS=%s",
				   _("the profile in force cannot be compared"));
	else if (!w->settings)
		state = str_format("STATUS=%s", _("no profile is in force"));
	else
		state = str_format(_("STATUS=%zu settings, drifted: %zu"),
				   w->settings, w->off);
	if (!state)
		return;
	service_notify(state);
	/* On a terminal when it is another one, so at first, too. */
	if (isatty(STDOUT_FILENO) && !w->lines && !w->c->quiet &&
	    (!w->told || !streq(w->told, state)) && wait_for_reader(w)) {
		tell_terminal(state + strlen("STATUS="));
		free(w->told);
		w->told = TAKE_PTR(state);
	}
}
