// SPDX-License-Identifier: GPL-2.0-or-later
// run-leg.c - a leg in a run's document: its tests, what they came to, their samples
#include <math.h>

#include "measure/run-json.h"

/* Share of @part in @part + @rest between two readings; NAN where nothing passed. */
static double share_of(uint64_t part_from, uint64_t part_to, uint64_t rest_from,
		       uint64_t rest_to)
{
	double part = (double)part_to - part_from, rest = (double)rest_to - rest_from;

	return part >= 0 && rest >= 0 && part + rest > 0 ? part / (part + rest) : NAN;
}

/* CPU shares are of the time since the sample before. */
static json_t *sample_json(const struct test_result *t, size_t i)
{
	const struct test_sample *s = &t->samples[i];
	const struct sample *board = &s->board, *first = &t->samples[0].board;
	const struct sample *last = &t->samples[i ? i - 1 : 0].board;
	double busy = share_of(last->cpu_busy_us, board->cpu_busy_us, last->cpu_idle_us,
			       board->cpu_idle_us);
	double spent = (double)board->cpu_busy_us - last->cpu_busy_us +
		       (double)board->cpu_idle_us - last->cpu_idle_us;
	double softirq = sample_risen(last->softirq_us, board->softirq_us);

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:I, s:o, s:b, s:I, s:b}", "seconds",
		run_json_rounded(board->time - first->time, 1e-3), "millicelsius",
		run_json_celsius(board->millicelsius), "khz",
		run_json_khz(board->cur_khz, board->n_policies), "max_khz",
		run_json_khz(board->max_khz, board->n_policies), "cooling",
		(int)board->cooling, "busy", run_json_rounded(busy, 1e-4), "softirq",
		run_json_rounded(spent > 0 ? softirq / spent : NAN, 1e-4),
		"softnet_dropped",
		(json_int_t)sample_risen(first->softnet_dropped, board->softnet_dropped),
		"rpi", board->rpi < 0 ? json_null() : json_integer(board->rpi), "event",
		board->event, "bytes", (json_int_t)s->bytes, "counting", s->counting);
}

static json_t *samples_json(const struct test_result *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->n_samples; i++)
		json_array_append_new(list, sample_json(t, i));
	return run_json_list(list, t->n_samples);
}

/* What each CPU did while it counted, and how the NICs' interrupts were spread. */
static json_t *cpus_json(const struct test_result *t)
{
	const struct sample *first = NULL, *last = NULL;
	json_t *list = json_array();
	unsigned n;

	for (size_t i = 0; i < t->n_samples; i++) {
		if (!t->samples[i].counting)
			continue;
		first = first ? first : &t->samples[i].board;
		last = &t->samples[i].board;
	}
	n = first && last != first ? first->n_cpus : 0;
	for (unsigned c = 0; c < n; c++) {
		const struct sample_cpu *from = &first->cpus[c], *to = &last->cpus[c];
		double us = (last->time - first->time) * 1e6;
		uint64_t busy = sample_risen(from->busy_us, to->busy_us);
		uint64_t softirq = sample_risen(from->softirq_us, to->softirq_us);

		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:I}", "busy",
				  run_json_rounded(busy / us, 1e-4), "softirq",
				  run_json_rounded(softirq / us, 1e-4), "irqs",
				  (json_int_t)sample_risen(from->irqs, to->irqs)));
	}
	return run_json_list(list, n);
}

static json_t *count_json(int64_t n)
{
	return n < 0 ? json_null() : json_integer(n);
}

static json_t *flow_json(const struct client_flow *f)
{
	if (!f->bytes)
		return json_null();
	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "bytes", (json_int_t)f->bytes,
		"seconds", run_json_rounded(f->seconds, 1e-6), "mbps",
		run_json_rounded(f->mbps, 1e-3), "retransmits",
		count_json(f->retransmits), "rtt_ms", run_json_rounded(f->rtt_ms, 1e-4),
		"packets", (json_int_t)f->packets, "lost", (json_int_t)f->lost,
		"jitter_ms", run_json_rounded(f->jitter_ms, 1e-4));
}

static json_t *traffic_json(const struct client_result *r)
{
	return json_pack("{s:o, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "mbps", run_json_rounded(r->mbps, 1e-3), "bytes",
			 (json_int_t)r->bytes, "by_sender", r->by_sender, "seconds",
			 run_json_rounded(r->seconds, 1e-6), "local_seconds",
			 run_json_rounded(r->local_seconds, 1e-6), "retransmits",
			 count_json(r->retransmits), "tx", flow_json(&r->tx), "rx",
			 flow_json(&r->rx), "peer_cpu_percent",
			 run_json_rounded(r->peer_cpu, 1e-2), "peer_busy",
			 run_json_rounded(r->peer_machine, 1e-4), "peer_busiest",
			 run_json_rounded(r->peer_busiest, 1e-4));
}

static json_t *khz_json(uint32_t khz)
{
	return khz ? json_integer(khz) : json_null();
}

static json_t *clocks_json(const struct test_result *t)
{
	json_t *list = json_array();

	for (unsigned p = 0; p < t->n_policies; p++)
		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:o, s:o}", "khz",
						khz_json(t->cur_khz[p]), "low_max_khz",
						khz_json(t->low_khz[p]), "high_max_khz",
						khz_json(t->high_khz[p]), "states",
						t->clocks ? run_json_states(&t->clocks[p])
							  : json_null()));
	return run_json_list(list, t->n_policies);
}

static json_t *rpi_json(int bits)
{
	static const char *const names[] = { "under-voltage", "capped", "throttled",
					     "soft-limit" };
	json_t *list = bits < 0 ? json_null() : json_array();

	for (unsigned i = 0; bits > 0 && i < ARRAY_SIZE(names); i++)
		if (bits & 1 << i)
			json_array_append_new(list, json_string(names[i]));
	return list;
}

static json_t *board_load_json(const struct test_result *t)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:b, s:o, s:o, s:I,"
		" s:I, s:o}",
		"cpu_ms_per_gb", run_json_rounded(t->cpu_ms_per_gb, 1e-3),
		"softirq_ms_per_gb", run_json_rounded(t->softirq_ms_per_gb, 1e-3), "busy",
		run_json_rounded(t->busy, 1e-4), "busiest",
		run_json_rounded(t->busiest, 1e-4), "cpus", cpus_json(t), "millicelsius",
		run_json_celsius(t->millicelsius), "cooling", (int)t->cooling, "clocks",
		clocks_json(t), "wrong_nic", t->wrong_nic, "line_mbps",
		run_json_rounded(t->line_mbps > 0 ? t->line_mbps : NAN, 1),
		"foreign_mbps", run_json_rounded(t->foreign_mbps, 1e-3),
		"softnet_dropped", (json_int_t)t->softnet_dropped, "nic_dropped",
		(json_int_t)t->nic_dropped, "rpi", rpi_json(t->rpi));
}

static json_t *test_latency_json(const struct test_result *t)
{
	_cleanup_free_ double *sorted = calloc(t->n_rtt + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	if (t->n_rtt)
		memcpy(sorted, t->rtt_ms, t->n_rtt * sizeof(*sorted));
	return run_json_latency(sorted, t->n_rtt, t->rtt_lost);
}

static json_t *test_json(const struct cell *cell, const struct test_result *t,
			 double start)
{
	double at = t->n_samples ? t->samples[0].board.time - start : NAN;
	json_t *traffic = traffic_json(&t->traffic), *load = board_load_json(t);
	json_t *doc = json_pack("{s:s, s:s, s:o, s:o}", "family", cell->family_name,
				"direction", cell->direction_name, "at",
				run_json_rounded(at, 1e-3), "latency",
				test_latency_json(t));
	int r = doc && traffic && load ? 0 : -1;

	if (r == 0)
		r |= json_object_update(doc, traffic) | json_object_update(doc, load) |
		     json_object_set_new(doc, "samples", samples_json(t));
	json_decref(traffic);
	json_decref(load);
	if (r == 0)
		return doc;
	json_decref(doc);
	return NULL;
}

json_t *run_json_leg(const struct run *run, const struct leg *leg, double start)
{
	json_t *tests = json_array();

	for (size_t i = 0; i < leg->n_tests; i++)
		json_array_append_new(tests, test_json(run->config->cells.cells[i],
						       &leg->tests[i], start));
	return json_pack("{s:s, s:i, s:b, s:b, s:o}", "side",
			 leg->side == TRIAL_BEFORE ? "before" : "after", "pair",
			 (int)leg->pair, "discarded", leg->discarded, "busy", leg->busy,
			 "tests", run_json_list(tests, leg->n_tests));
}
