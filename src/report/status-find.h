/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status-find.h - the rules by which status finds something to look at */
#ifndef BOARDTUNE_STATUS_FIND_H
#define BOARDTUNE_STATUS_FIND_H

#include "engine/state.h"
#include "measure/run-doc.h"
#include "profile/profile.h"
#include "report/status.h"

struct status_rule;

struct finder {
	struct system *sys;
	struct status *st;
	struct record ours; /* what an apply has set */
	struct profile *profile; /* the one in force; NULL: none, or it cannot be read */
	struct run_doc run; /* the newest one saved */
	bool has_run;	    /* it is one of this board */
	const struct status_rule *rule;
};

/* One kind of finding. Exactly one of the functions is there, called for each thing. */
struct status_rule {
	const char *kind; /* a word for scripts */
	int (*zone)(struct finder *f, const struct status_zone *z);
	int (*clock)(struct finder *f, const struct clock *c);
	int (*nic)(struct finder *f, const struct status_nic *nic);
	int (*board)(struct finder *f);
	const char *advice; /* N_(): what to do */
};

/** finder_tell - a finding of the rule at hand: what it is, as printf; 0 or -ENOMEM */
int finder_tell(struct finder *f, const char *target, const char *fmt, ...)
	_printf_(3, 4);

/** finder_read_run - fill in the newest saved run, if there is one; 0 or -ENOMEM */
int finder_read_run(struct finder *f);

/* Each 0 or -ENOMEM. */

/* status-find-heat.c */
int find_no_reading(struct finder *f, const struct status_zone *z);
int find_no_sensor(struct finder *f);
int find_hot_idle(struct finder *f, const struct status_zone *z);
int find_fixed_trips(struct finder *f, const struct status_zone *z);
int find_no_fan(struct finder *f, const struct status_zone *z);
int find_throttled(struct finder *f);
int find_undervoltage(struct finder *f);

/* status-find-clock.c */
int find_held(struct finder *f, const struct clock *c);
int find_out_of_range(struct finder *f, const struct clock *c);
int find_not_followed(struct finder *f, const struct clock *c);
int find_pinned(struct finder *f, const struct clock *c);
int find_limits(struct finder *f, const struct clock *c);
int find_min_between(struct finder *f, const struct clock *c);
int find_single_clock(struct finder *f, const struct clock *c);

/* status-find-nic.c */
int find_one_cpu(struct finder *f);
int find_irqbalance(struct finder *f);
int find_backlog(struct finder *f);
int find_slow_usb(struct finder *f, const struct status_nic *nic);
int find_slow_link(struct finder *f, const struct status_nic *nic);
int find_half_duplex(struct finder *f, const struct status_nic *nic);
int find_drops(struct finder *f, const struct status_nic *nic);
int find_rps_useless(struct finder *f, const struct status_nic *nic);

/* status-find-run.c: of the newest saved run */
int find_sensor_stuck(struct finder *f);
int find_slow(struct finder *f);

#endif
