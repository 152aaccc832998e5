// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-watch.c - watch: what wakes it, and when it looks
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "cmd-watch.h"
#include "kernel/ethtool-event.h"
#include "kernel/rtnl-link.h"
#include "kernel/thermal-nl.h"
#include "kernel/uevent.h"

#define LOOK_SECONDS 30.0 /* what gives no event is seen so often */
#define BUSY_SECONDS 5.0  /* another boardtune is at work: ask again */
#define GATHER_SECONDS 0.25 /* events are taken together, however many come */

enum source {
	SOURCE_SIGNAL, /* the first: never left out */
	SOURCE_LINK,
	SOURCE_UEVENT,
	SOURCE_ETHTOOL,
	SOURCE_THERMAL,
	SOURCES,
};

struct loop {
	struct watch w;
	int link_fd, uevent_fd;
	struct ethtool_event ethtool;
	struct thermal_nl thermal;
	struct drift_timer timer;
	double gather; /* until then no event wakes */
	double next;   /* the look that comes without an event */
	double period; /* between those */
	bool event;    /* of those just taken, one that counts */
};

static void take_link(const struct rtnl_link *link, void *userdata)
{
	struct loop *loop = userdata;

	loop->event = true;
	if (!link->running || link->gone)
		drift_sight_note(&loop->w.sights, link->name, DRIFT_LINK);
}

static const char *const subsystems[] = { "net", "queues", "cpu", "thermal" };

static void take_uevent(const struct uevent *e, void *userdata)
{
	struct loop *loop = userdata;

	if (!names_have(subsystems, ARRAY_SIZE(subsystems), e->subsystem))
		return;
	loop->event = true;
	if (e->nic[0] && streq(e->action, "add"))
		drift_sight_note(&loop->w.sights, e->nic,
				 streq(e->subsystem, "net") ? DRIFT_CREATED
							    : DRIFT_QUEUES);
}

/* Events that were lost count as one: a look sees everything. */
static void take_events(struct loop *loop, double now)
{
	loop->event = thermal_nl_take(&loop->thermal);
	if (ethtool_event_take(&loop->ethtool))
		loop->event = true;
	if (rtnl_link_take(loop->link_fd, take_link, loop) == -ENOBUFS)
		loop->event = true;
	if (uevent_take(loop->uevent_fd, take_uevent, loop) == -ENOBUFS)
		loop->event = true;
	if (loop->event)
		drift_timer_note(&loop->timer, now);
}

static double due(const struct loop *loop)
{
	double event = drift_timer_due(&loop->timer);

	return event && event < loop->next ? event : loop->next;
}

static void look(struct loop *loop)
{
	double now = now_monotonic();
	int r = watch_look(&loop->w, now);

	now = now_monotonic();
	loop->next = now + loop->period;
	if (r == 1 && BUSY_SECONDS < loop->period)
		loop->next = now + BUSY_SECONDS;
	loop->timer = (struct drift_timer) { 0 };
	if (r <= 0)
		watch_tell_status(&loop->w);
}

/* Sleeps until something comes or a look is due. Returns 0 or -errno. */
static int wait_for_event(struct loop *loop)
{
	struct pollfd fds[SOURCES] = {
		[SOURCE_SIGNAL] = { .fd = loop->w.c->stop_fd, .events = POLLIN },
		[SOURCE_LINK] = { .fd = loop->link_fd, .events = POLLIN },
		[SOURCE_UEVENT] = { .fd = loop->uevent_fd, .events = POLLIN },
		[SOURCE_ETHTOOL] = { .fd = loop->ethtool.fd, .events = POLLIN },
		[SOURCE_THERMAL] = { .fd = loop->thermal.fd, .events = POLLIN },
	};
	double now = now_monotonic(), until = due(loop), left;
	bool gather = now < loop->gather;
	struct timespec timeout = { 0 };
	int n;

	if (gather && loop->gather < until)
		until = loop->gather;
	left = until - now;

	if (left > 0)
		timeout = (struct timespec) {
			.tv_sec = (time_t)left,
			.tv_nsec = (long)((left - (double)(time_t)left) * 1e9),
		};
	n = ppoll(fds, gather ? SOURCE_SIGNAL + 1 : SOURCES, &timeout, NULL);
	if (n < 0 && errno != EINTR)
		return -errno;
	if (n > 0 && !gather)
		loop->gather = now_monotonic() + GATHER_SECONDS;
	return 0;
}

/* SIGTERM is how a service ends. Returns -1 to go on, else the exit code. */
static int take_signal(struct loop *loop)
{
	int number = cmd_signal(loop->w.c);

	if (number == SIGHUP) {
		drift_forgive(&loop->w.drifts);
		loop->w.trouble = 0;
		loop->next = 0;
	}
	if (number == 0 || number == SIGHUP)
		return -1;
	service_notify("STOPPING=1");
	return number == SIGTERM ? EXIT_AS_WANTED : 128 + number;
}

static int run(struct loop *loop)
{
	int code = -1, r = 0;

	/* the first look may have to wait for another boardtune */
	service_notify("READY=1");
	while (code < 0 && r == 0) {
		double now;

		r = wait_for_event(loop);
		now = now_monotonic();
		take_events(loop, now);
		code = take_signal(loop);
		if (code < 0 && now >= due(loop)) {
			look(loop);
			service_notify("WATCHDOG=1");
		}
	}
	if (r < 0)
		cmd_error("%s", strerror(-r));
	return code < 0 ? EXIT_NOT_AS_WANTED : code;
}

/* Without events of ethtool (before 5.6) or thermal (5.9) the looks see it. */
static int open_sources(struct loop *loop)
{
	int r = cmd_signals(loop->w.c);

	if (r == 0)
		r = rtnl_link_open(&loop->link_fd);
	if (r == 0)
		r = uevent_open(&loop->uevent_fd);
	if (r == 0)
		r = ethtool_event_open(&loop->ethtool);
	if (r == 0 || r == -ENOENT)
		r = thermal_nl_open(&loop->thermal);
	return r == -ENOENT ? 0 : r;
}

int cmd_watch(struct cmd *c, int argc, char **argv)
{
	struct loop loop = { .w = { .c = c,
				    .enforce = c->opt[OPT_ENFORCE],
				    .lines = c->opt[OPT_JSON_LINES] },
			     .link_fd = -1,
			     .uevent_fd = -1,
			     .ethtool = ETHTOOL_EVENT_INIT,
			     .thermal = THERMAL_NL_INIT,
			     .period = LOOK_SECONDS };
	double watchdog = (double)service_watchdog() / 1e6;
	int r;

	if (argc != 1)
		return cmd_usage(c, _("%s takes no argument"), c->name);
	r = loop.w.enforce ? cmd_need_root(c) : 0;
	if (r)
		return r;
	if (watchdog > 0 && watchdog < loop.period)
		loop.period = watchdog;
	r = open_sources(&loop);
	if (r < 0)
		cmd_error("%s", strerror(-r));
	r = r < 0 ? EXIT_NOT_AS_WANTED : run(&loop);
	drift_clear(&loop.w.drifts);
	free(loop.w.told);
	thermal_nl_close(&loop.thermal);
	close_fd(&loop.ethtool.fd);
	close_fd(&loop.link_fd);
	close_fd(&loop.uevent_fd);
	return r;
}
