// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-trial-calm.c - a quiet board and the latency without load, for the command trial
#include <math.h>
#include <netinet/in.h>

#include "cmd-trial.h"
#include "measure/gate-calm.h"

#define IDLE_SECONDS 3.0

/* Where the kernel says by which interfaces it forwards: all, or one by one. */
static const char *const forwarding_dirs[] = {
	"/proc/sys/net/ipv4/conf",
	"/proc/sys/net/ipv6/conf",
};

static struct ping *ping_try(struct trial_session *s, int family)
{
	struct ping *p = NULL;
	int r = ping_open(family, &p);

	if (r < 0 && r != -EAFNOSUPPORT)
		cmd_note(s->c, _("latency is not measured: ICMP echo: %s\n"),
			 strerror(-r));
	return p;
}

void trial_pings_open(struct trial_session *s)
{
	s->bench.ping4 = ping_try(s, AF_INET);
	s->bench.ping6 = ping_try(s, AF_INET6);
}

void trial_pings_close(struct trial_session *s)
{
	ping_close(s->bench.ping4);
	ping_close(s->bench.ping6);
	for (unsigned side = 0; side < TRIAL_SIDES_; side++)
		ping_series_clear(&s->idle[side]);
}

static bool forwards_by(const struct sysroot *root, const char *dir)
{
	_cleanup_list_ char **names = NULL;
	unsigned long on = 0;

	if (sysroot_list(root, dir, &names) <= 0)
		return false;
	for (char **name = names; *name && !on; name++) {
		char path[SYSROOT_PATH_MAX];

		/* Of interfaces to come; and of the one that leads nowhere. */
		if (streq(*name, "default") || streq(*name, "lo"))
			continue;
		snprintf(path, sizeof(path), "%s/%s/forwarding", dir, *name);
		if (sysroot_read_ulong(root, path, &on) < 0)
			on = 0;
	}
	return on;
}

bool trial_forwards(const struct trial_session *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(forwarding_dirs); i++)
		if (forwards_by(&s->c->sys.root, forwarding_dirs[i]))
			return true;
	return false;
}

static void ping_forget(struct ping **p)
{
	ping_close(*p);
	*p = NULL;
}

static void ping_prepare(struct trial_session *s, struct ping **p,
			 const struct gate_way *way)
{
	int r;

	if (!*p)
		return;
	if (!way->there)
		return ping_forget(p);
	r = ping_aim(*p, &way->address, way->length, way->local ? NULL : way->ifname);
	if (r == 0)
		return;
	cmd_note(s->c, _("latency is not measured: ICMP echo: %s\n"), strerror(-r));
	ping_forget(p);
}

/* One that answers no echo, as firewalls are fond of, has no latency; it is not lost. */
static void ping_silent(struct trial_session *s, struct ping **p,
			const struct gate_way *way, const struct ping_series *idle)
{
	if (!*p || idle->n)
		return;
	cmd_note(s->c, _("latency is not measured: %s does not answer ICMP echo\n"),
		 way->text);
	ping_forget(p);
}

static void on_gate(void *userdata, const struct sample *sample,
		    const struct gate_progress *p)
{
	struct trial_session *s = userdata;

	progress_gate(&s->progress, sample, p);
}

static struct gate_calm calm_make(struct trial_session *s)
{
	struct gate_calm calm = {
		.sampler = s->sampler,
		.n_nics = s->nics.n,
		.line_mbps = gate_line_rate(&s->c->sys.root, s->nic),
		.times = GATE_TIMES_INIT,
		.ping4 = s->bench.ping4,
		.ping6 = s->bench.ping6,
		.stop_fd = s->c->stop_fd,
		.progress = on_gate,
		.userdata = s,
	};

	if (s->settings.no_wait)
		calm.times.quiet_wait = calm.times.steady_wait = 0;
	return calm;
}

static int idle_keep(struct trial_session *s, enum trial_side side,
		     struct gate_calm_result *result)
{
	int r = ping_series_append(&s->idle[side], &result->idle4);

	return r < 0 ? r : ping_series_append(&s->idle[side], &result->idle6);
}

/* What is wrong is said, and what to do about it; with --no-wait it is only said. */
static int calm_judge(struct trial_session *s, const struct gate_calm_result *result)
{
	const struct gate_look *look = &result->look;

	s->not_steady = result->unrest & GATE_NOT_STEADY;
	s->busy = result->unrest & (GATE_CPU_BUSY | GATE_NIC_BUSY);
	if (s->not_steady && isfinite(result->slope))
		cmd_note(s->c, _("the temperature is not steady: %+.1f C per minute\n"),
			 result->slope);
	if (result->unrest & GATE_CPU_BUSY)
		cmd_note(s->c, _("the CPUs are busy before any test: %.0f %% of all, "
				 "%.0f %% of one\n"), look->busy * 100,
			 fmax(look->busy, look->busiest) * 100);
	if (result->unrest & GATE_NIC_BUSY)
		cmd_note(s->c, _("%s carries %.1f Mbit/s before any test\n"), s->nic,
			 look->mbps);
	if (!s->busy || s->settings.no_wait)
		return 0;
	cmd_error(result->unrest & GATE_CPU_BUSY ?
			  _("nothing was changed, the board is busy: stop what \"top\" "
			    "shows, or measure it as it is with --no-wait") :
			  _("nothing was changed, the NIC is busy: stop that traffic, or "
			    "measure the board as it is with --no-wait"));
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

int trial_gate_calm(struct trial_session *s)
{
	struct gate_calm_result result = {};
	struct gate_calm calm;
	int r;

	ping_prepare(s, &s->bench.ping4, &s->ways.ipv4);
	ping_prepare(s, &s->bench.ping6, &s->ways.ipv6);
	calm = calm_make(s);
	r = gate_calm_wait(&calm, &result);
	progress_clear(&s->progress);
	if (r == -EINTR)
		return 128 + cmd_signal(s->c);
	if (r == 0) {
		trial_lines_gate(s, &result);
		ping_silent(s, &s->bench.ping4, &s->ways.ipv4, &result.idle4);
		ping_silent(s, &s->bench.ping6, &s->ways.ipv6, &result.idle6);
		r = idle_keep(s, TRIAL_BEFORE, &result);
	}
	if (r == 0)
		r = calm_judge(s, &result);
	else
		cmd_error("%s", strerror(-r));
	gate_calm_result_clear(&result);
	return r < 0 ? EXIT_NOT_AS_WANTED : r;
}

int trial_idle_measure(struct trial_session *s)
{
	enum trial_side side = s->applied ? TRIAL_AFTER : TRIAL_BEFORE;
	struct gate_calm_result result = {};
	struct gate_calm calm = calm_make(s);
	int r;

	if ((!calm.ping4 && !calm.ping6) || s->idle[side].n + s->idle[side].lost)
		return 0;
	progress_text(&s->progress, _("latency without load"));
	r = gate_idle_measure(&calm, IDLE_SECONDS, &result);
	if (r == 0)
		r = idle_keep(s, side, &result);
	gate_calm_result_clear(&result);
	return r;
}
