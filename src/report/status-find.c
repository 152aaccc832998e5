// SPDX-License-Identifier: GPL-2.0-or-later
// status-find.c - what to look at on a board: the table of rules
#include "report/status-find.h"

#include <stdarg.h>

static const struct status_rule rules[] = {
	{ .kind = "no-reading", .zone = find_no_reading,
	  .advice = N_("a newer kernel or device tree may repair it") },
	{ .kind = "no-sensor", .board = find_no_sensor,
	  .advice = N_("trials do not see heat; load the driver of a sensor") },
	{ .kind = "sensor-stuck", .board = find_sensor_stuck,
	  .advice = N_("do not trust it; a newer kernel or device tree may repair it") },
	{ .kind = "hot-idle", .zone = find_hot_idle,
	  .advice = N_("improve the cooling, or lower max_freq") },
	{ .kind = "fixed-trips", .zone = find_fixed_trips,
	  .advice = N_("Linux 6.12 can, older ones with CONFIG_THERMAL_WRITABLE_TRIPS") },
	{ .kind = "no-fan", .zone = find_no_fan,
	  .advice = N_("load the driver of the fan, such as pwm-fan, or take a device "
		       "tree that has it") },
	{ .kind = "undervoltage", .board = find_undervoltage,
	  .advice = N_("use a stronger power supply and a short, thick cable") },
	{ .kind = "throttled", .board = find_throttled,
	  .advice = N_("improve the cooling and the power supply, or lower max_freq") },

	{ .kind = "held", .clock = find_held,
	  .advice = N_("improve the cooling, or lower max_freq") },
	{ .kind = "out-of-range", .clock = find_out_of_range,
	  .advice = N_("the firmware or the cooling does that; see to power supply and "
		       "heat") },
	{ .kind = "not-followed", .clock = find_not_followed,
	  .advice = N_("the firmware or the driver does not follow; see to power supply "
		       "and heat, then the kernel") },
	{ .kind = "pinned", .clock = find_pinned,
	  .advice = N_("try the governor schedutil, or a higher up_threshold") },
	{ .kind = "limits", .clock = find_limits,
	  .advice = N_("max_freq = hw-max in a profile lifts the limit") },
	{ .kind = "min-between", .clock = find_min_between,
	  .advice = N_("the kernel rounds it up; name one of \"boardtune status "
		       "--clocks\"") },
	{ .kind = "single-clock", .clock = find_single_clock,
	  .advice = N_("lower min_freq or raise max_freq; without other operating points "
		       "only another kernel or device tree helps") },

	{ .kind = "one-cpu", .board = find_one_cpu,
	  .advice = N_("spread them with irq.affinity") },
	{ .kind = "irqbalance", .board = find_irqbalance,
	  .advice = N_("\"boardtune doctor\" tells how to end it") },
	{ .kind = "slow-usb", .nic = find_slow_usb,
	  .advice = N_("try a USB 3 port if the board has one, or another cable") },
	{ .kind = "slow-link", .nic = find_slow_link,
	  .advice = N_("look at the cable, all its eight wires, and at the other end") },
	{ .kind = "half-duplex", .nic = find_half_duplex,
	  .advice = N_("have both ends negotiate, and look at the cable") },
	{ .kind = "drops", .nic = find_drops,
	  .advice = N_("try larger rings with ring.rx, or more CPUs with rps_cpus") },
	{ .kind = "rps-useless", .nic = find_rps_useless,
	  .advice = N_("name other CPUs in rps_cpus, or none") },
	{ .kind = "backlog", .board = find_backlog,
	  .advice = N_("raise net.core.netdev_max_backlog, or spread packets with "
		       "rps_cpus") },
	{ .kind = "slow", .board = find_slow,
	  .advice = N_("look at its flags with \"boardtune report\", then try another "
		       "cable and peer") },
};

int status_add_finding(struct status *st, const char *kind, const char *target,
		       const char *fmt, ...)
{
	struct status_finding f = { .kind = kind };
	va_list ap;
	int n, r = array_grow(&st->findings, st->n_findings, sizeof(*st->findings));

	if (r < 0)
		return r;
	va_start(ap, fmt);
	n = vasprintf(&f.text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	snprintf(f.target, sizeof(f.target), "%s", target);
	st->findings[st->n_findings++] = f;
	return 0;
}

int finder_tell(struct finder *f, const char *target, const char *fmt, ...)
{
	_cleanup_free_ char *what = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&what, fmt, ap);
	va_end(ap);
	return n < 0 ? -ENOMEM
		     : status_add_finding(f->st, f->rule->kind, target, "%s: %s", what,
					  _(f->rule->advice));
}

static int find_by_rule(struct finder *f)
{
	const struct status *st = f->st;
	const struct status_rule *rule = f->rule;
	int r = rule->board ? rule->board(f) : 0;

	for (size_t i = 0; rule->zone && r == 0 && i < st->n_zones; i++)
		r = rule->zone(f, &st->zones[i]);
	for (size_t i = 0; rule->clock && r == 0 && i < st->n_clocks; i++)
		if (!st->clocks[i].offline)
			r = rule->clock(f, &st->clocks[i]);
	for (size_t i = 0; rule->nic && r == 0 && i < st->n_nics; i++)
		if (st->nics[i].physical)
			r = rule->nic(f, &st->nics[i]);
	return r;
}

/* What is wrong with it is told with the profile in force. */
static int read_profile(struct finder *f)
{
	_cleanup_(profile_errors_clear) struct profile_errors unused = { 0 };
	int r = 0;

	if (f->ours.profile && *f->ours.profile)
		r = profile_load(&f->sys->root, f->ours.profile, &f->profile, &unused);
	return r == -ENOMEM ? r : 0;
}

int status_find(struct system *sys, struct status *st)
{
	_cleanup_free_ char *text = NULL;
	struct finder f = { .sys = sys, .st = st };
	int r = state_load(sys, &f.ours, &text);

	if (r < 0 && r != -ENOMEM)
		r = 0; /* one that cannot be read is told with the profile in force */
	if (r == 0)
		r = read_profile(&f);
	if (r == 0)
		r = finder_read_run(&f);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(rules); i++) {
		f.rule = &rules[i];
		r = find_by_rule(&f);
	}
	record_clear(&f.ours);
	profile_free(f.profile);
	run_doc_clear(&f.run);
	return r;
}
