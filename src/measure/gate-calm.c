// SPDX-License-Identifier: GPL-2.0-or-later
// gate-calm.c - a quiet board before the first test: CPU, NIC, temperature, idle latency
#include <limits.h>
#include <math.h>

#include "measure/gate-calm.h"
#include "measure/gate.h"
#include "measure/stats.h"

/* One wait. */
struct calm_wait {
	const struct gate_calm *calm;
	struct gate_calm_result *result;
	struct gate_heat *heat;
	struct sample now;
	double until; /* what is left of the wait is said */
};

static double share(uint64_t part, uint64_t rest)
{
	return part + rest ? (double)part / (part + rest) : NAN;
}

static double busiest_of(const struct sample *from, const struct sample *to)
{
	double us = (to->time - from->time) * 1e6, busiest = NAN;

	for (unsigned i = 0; i < from->n_cpus && i < to->n_cpus; i++) {
		double x = sample_risen(from->cpus[i].busy_us, to->cpus[i].busy_us) / us;

		busiest = x < busiest ? busiest : x;
	}
	return busiest;
}

static double mbps_of(const struct sample_nic *from, const struct sample_nic *to,
		      double seconds)
{
	uint64_t before = from->rx_bytes + from->tx_bytes;
	uint64_t after = to->rx_bytes + to->tx_bytes;

	if (!from->known || !to->known)
		return NAN;
	return sample_risen(before, after) * 8 / 1e6 / seconds;
}

void gate_look_between(const struct sample *from, const struct sample *to, size_t n_nics,
		       struct gate_look *ret)
{
	double seconds = to->time - from->time;

	*ret = (struct gate_look){ NAN, NAN, NAN };
	if (seconds <= 0)
		return;
	if (to->cpu_busy_us >= from->cpu_busy_us && to->cpu_idle_us >= from->cpu_idle_us)
		ret->busy = share(to->cpu_busy_us - from->cpu_busy_us,
				  to->cpu_idle_us - from->cpu_idle_us);
	ret->busiest = busiest_of(from, to);
	for (size_t i = 0; i < n_nics && i < SAMPLE_NICS_MAX; i++) {
		double mbps = mbps_of(&from->nics[i], &to->nics[i], seconds);

		ret->mbps = fmax(ret->mbps, mbps); /* fmax() passes over NAN */
	}
}

unsigned gate_look_unrest(const struct gate_look *look, double line_mbps)
{
	unsigned unrest = 0;

	if (look->busy > GATE_BUSY_MAX || look->busiest > GATE_BUSIEST_MAX)
		unrest |= GATE_CPU_BUSY;
	if (look->mbps > fmax(GATE_FOREIGN_MBPS, line_mbps * GATE_FOREIGN_SHARE))
		unrest |= GATE_NIC_BUSY;
	return unrest;
}

void gate_heat_add(struct gate_heat *h, double time, int millicelsius, double window)
{
	size_t old = 0;

	while (old < h->n && h->times[old] < time - window)
		old++;
	if (h->n - old == GATE_READINGS_MAX)
		old++;
	h->n -= old;
	memmove(h->times, h->times + old, h->n * sizeof(h->times[0]));
	memmove(h->celsius, h->celsius + old, h->n * sizeof(h->celsius[0]));
	h->times[h->n] = time;
	h->celsius[h->n++] = millicelsius / 1e3;
}

double gate_heat_slope(const struct gate_heat *h, double least)
{
	if (h->n < 2 || h->times[h->n - 1] - h->times[0] < least)
		return NAN;
	return stats_slope(h->times, h->celsius, h->n) * 60;
}

static int pings_tick(const struct gate_calm *c)
{
	int r = c->ping4 ? ping_tick(c->ping4) : 0;

	return r < 0 || !c->ping6 ? r : ping_tick(c->ping6);
}

static void pings_begin(const struct gate_calm *c)
{
	if (c->ping4)
		ping_begin(c->ping4);
	if (c->ping6)
		ping_begin(c->ping6);
}

/* The series of the window before is forgotten. */
static int pings_end(const struct gate_calm *c, struct gate_calm_result *ret)
{
	int r = 0;

	gate_calm_result_clear(ret);
	if (c->ping4)
		r = ping_end(c->ping4, &ret->idle4);
	return r < 0 || !c->ping6 ? r : ping_end(c->ping6, &ret->idle6);
}

static int calm_tick(struct calm_wait *w, unsigned waits_for)
{
	const struct gate_calm *c = w->calm;
	struct gate_progress p;
	int r = gate_sleep(c->times.tick, c->stop_fd);

	if (r < 0)
		return r;
	sampler_take(c->sampler, &w->now);
	if (w->now.millicelsius != INT_MIN)
		gate_heat_add(w->heat, w->now.time, w->now.millicelsius,
			      c->times.slope_window);
	w->result->slope = gate_heat_slope(w->heat, c->times.slope_least);
	p = (struct gate_progress){ .waits_for = waits_for, .look = w->result->look,
				    .slope = w->result->slope,
				    .left = fmax(0, w->until - w->now.time) };
	if (c->progress)
		c->progress(c->userdata, &w->now, &p);
	return 0;
}

static int calm_window(struct calm_wait *w, unsigned waits_for)
{
	const struct gate_calm *c = w->calm;
	struct sample from = w->now;
	int r = 0;

	pings_begin(c);
	while (r == 0 && w->now.time < from.time + c->times.window) {
		r = pings_tick(c);
		if (r == 0)
			r = calm_tick(w, waits_for);
	}
	if (r == 0)
		r = pings_end(c, w->result);
	gate_look_between(&from, &w->now, c->n_nics, &w->result->look);
	return r;
}

static int calm_quiet(struct calm_wait *w)
{
	const struct gate_calm *c = w->calm;
	unsigned unrest = 0;
	int r;

	w->until = w->now.time + c->times.quiet_wait;
	do {
		r = calm_window(w, unrest);
		unrest = gate_look_unrest(&w->result->look, c->line_mbps);
	} while (r == 0 && unrest && w->now.time + c->times.window <= w->until);
	w->result->unrest = unrest;
	return r;
}

static bool is_steady(double slope)
{
	return fabs(slope) <= GATE_SLOPE_MAX; /* not for NAN */
}

static int calm_steady(struct calm_wait *w)
{
	int r = 0;

	w->until = w->now.time + w->calm->times.steady_wait;
	while (r == 0 && !is_steady(w->result->slope) && w->now.time < w->until)
		r = calm_tick(w, GATE_NOT_STEADY);
	if (!is_steady(w->result->slope))
		w->result->unrest |= GATE_NOT_STEADY;
	return r;
}

int gate_calm_wait(const struct gate_calm *c, struct gate_calm_result *ret)
{
	_cleanup_free_ struct gate_heat *heat = calloc(1, sizeof(*heat));
	struct gate_calm_result result = { .look = { NAN, NAN, NAN }, .slope = NAN };
	struct calm_wait w = { .calm = c, .result = &result, .heat = heat };
	int r;

	if (!heat)
		return -ENOMEM;
	sampler_take(c->sampler, &w.now);
	r = calm_quiet(&w);
	if (r == 0 && sampler_zone_type(c->sampler))
		r = calm_steady(&w);
	if (r < 0) {
		gate_calm_result_clear(&result);
		return r;
	}
	*ret = result;
	return 0;
}

int gate_idle_measure(const struct gate_calm *c, double seconds,
		      struct gate_calm_result *ret)
{
	double until = now_monotonic() + seconds;
	int r = 0;

	pings_begin(c);
	while (r == 0 && now_monotonic() < until) {
		r = pings_tick(c);
		if (r == 0)
			r = gate_sleep(c->times.tick, c->stop_fd);
	}
	return r < 0 ? r : pings_end(c, ret);
}

void gate_calm_result_clear(struct gate_calm_result *r)
{
	ping_series_clear(&r->idle4);
	ping_series_clear(&r->idle6);
}
