// SPDX-License-Identifier: GPL-2.0-or-later
// figure.c - what the tests of a cell come to where there is no before and after
#include "measure/figure.h"

#include <limits.h>
#include <math.h>

#include "measure/run-json.h"

/* A mean of what is known. */
struct mean {
	double sum;
	size_t n;
};

/* Sums on the way to a figure. */
struct figure_sums {
	struct mean mbps, tx, rx, cpu, tcp_rtt;
	uint64_t packets, lost;
	double *rtt; /* by ICMP echo, of all tests; owned */
	size_t n_rtt;
};

static void mean_add(struct mean *m, double x)
{
	if (!isfinite(x))
		return;
	m->sum += x;
	m->n++;
}

static double mean_of(const struct mean *m)
{
	return m->n ? m->sum / m->n : NAN;
}

/* One way of a test; retransmits are those of whole tests. */
static void add_flow(struct figure *f, struct figure_sums *sums,
		     const struct client_flow *flow)
{
	if (!flow->bytes && !flow->packets)
		return;
	sums->packets += flow->packets;
	sums->lost += flow->lost;
	if (flow->packets)
		f->jitter_ms = fmax(f->jitter_ms, flow->jitter_ms);
	else
		mean_add(&sums->tcp_rtt, flow->rtt_ms);
}

static void add_test(struct figure *f, struct figure_sums *sums,
		     const struct test_result *t)
{
	const struct client_result *traffic = &t->traffic;

	f->n++;
	mean_add(&sums->mbps, traffic->mbps);
	f->low = fmin(f->low, traffic->mbps);
	f->high = fmax(f->high, traffic->mbps);
	if (f->cell->direction == CLIENT_BIDIR) {
		mean_add(&sums->tx, traffic->tx.mbps);
		mean_add(&sums->rx, traffic->rx.mbps);
	}
	mean_add(&sums->cpu, t->cpu_ms_per_gb);
	add_flow(f, sums, &traffic->tx);
	add_flow(f, sums, &traffic->rx);
	/* once unknown, never known again */
	f->retransmits += traffic->retransmits < 0 ? NAN : traffic->retransmits;
	if (t->millicelsius > f->millicelsius)
		f->millicelsius = t->millicelsius;
	if (t->n_rtt)
		memcpy(&sums->rtt[sums->n_rtt], t->rtt_ms, t->n_rtt * sizeof(*t->rtt_ms));
	sums->n_rtt += t->n_rtt;
}

int figure_make(const struct cell *cell, size_t index, const struct leg *legs, size_t n,
		struct figure *ret)
{
	struct figure f = { .cell = cell, .low = NAN, .high = NAN, .jitter_ms = NAN,
			    .millicelsius = INT_MIN };
	_cleanup_free_ double *rtt = NULL;
	struct figure_sums sums = {};
	size_t room = 1;

	for (size_t i = 0; i < n; i++)
		if (index < legs[i].n_tests)
			room += legs[i].tests[index].n_rtt;
	rtt = sums.rtt = calloc(room, sizeof(*rtt));
	if (!rtt)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (index < legs[i].n_tests && !legs[i].discarded)
			add_test(&f, &sums, &legs[i].tests[index]);
	f.mbps = mean_of(&sums.mbps);
	f.tx_mbps = mean_of(&sums.tx);
	f.rx_mbps = mean_of(&sums.rx);
	f.cpu_ms_per_gb = mean_of(&sums.cpu);
	f.lost = sums.packets ? (double)sums.lost / sums.packets : NAN;
	if (!f.n || sums.packets)
		f.retransmits = NAN;
	stats_sort(rtt, sums.n_rtt);
	f.rtt_ms = sums.n_rtt ? stats_quantile(rtt, sums.n_rtt, 0.5) :
				mean_of(&sums.tcp_rtt);
	*ret = f;
	return 0;
}

static json_t *count(double x)
{
	return isfinite(x) ? json_integer((json_int_t)x) : json_null();
}

/* @nic: borrowed */
static json_t *cell_json(const struct run *run, json_t *nic, const struct figure *f)
{
	return json_pack(
		"{s:s, s:s, s:O, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"family", f->cell->family_name, "direction", f->cell->direction_name,
		"nic", nic, "path", run->path, "tests", (int)f->n, "mbps",
		run_json_rounded(f->mbps, 1e-3), "low_mbps",
		run_json_rounded(f->low, 1e-3), "high_mbps",
		run_json_rounded(f->high, 1e-3), "tx_mbps",
		run_json_rounded(f->tx_mbps, 1e-3), "rx_mbps",
		run_json_rounded(f->rx_mbps, 1e-3), "retransmits", count(f->retransmits),
		"lost", run_json_rounded(f->lost, 1e-6), "jitter_ms",
		run_json_rounded(f->jitter_ms, 1e-4), "rtt_ms",
		run_json_rounded(f->rtt_ms, 1e-4));
}

static json_t *cost_json(const struct figure *f)
{
	return json_pack("{s:s, s:s, s:o}", "family", f->cell->family_name, "direction",
			 f->cell->direction_name, "mean",
			 run_json_rounded(f->cpu_ms_per_gb, 1e-3));
}

json_t *figure_json(const struct run *run, const struct figure *figures, size_t n)
{
	static const char *const compared[] = { "profile", "verdict", "reasons", "pairs",
						"margin",  "kept",    "not_measured" };
	json_t *doc = run_json(run), *cells = json_array(), *costs = json_array();
	json_t *nic = json_object_get(doc, "nic");
	int r = doc ? 0 : -ENOMEM;

	for (size_t i = 0; i < n; i++) {
		r |= json_array_append_new(cells, cell_json(run, nic, &figures[i]));
		r |= json_array_append_new(costs, cost_json(&figures[i]));
	}
	for (size_t i = 0; doc && i < ARRAY_SIZE(compared); i++)
		json_object_del(doc, compared[i]);
	/* Each takes its list over, also when it fails; NULL is a failure. */
	r |= json_object_set_new(doc, "cells", cells);
	r |= json_object_set_new(doc, "cpu_ms_per_gb", costs);
	if (r == 0)
		return doc;
	json_decref(doc);
	return NULL;
}
