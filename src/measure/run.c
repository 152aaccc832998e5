// SPDX-License-Identifier: GPL-2.0-or-later
// run.c - a run as a document: what was measured, on what, and what it came to
#include "config.h"

#include <math.h>

#include "measure/run-json.h"

static json_t *losses_json(const struct judge_cell *c, enum trial_side side)
{
	return json_pack("{s:o, s:I}", "retransmits_per_gb",
			 run_json_rounded(c->retransmits_per_gb[side], 1e-3), "dropped",
			 (json_int_t)c->dropped[side]);
}

static json_t *cell_json(const struct run *run, const struct judge_cell *c)
{
	return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s,"
			 " s:{s:o, s:o}}", "family",
			 c->cell->family_name, "direction", c->cell->direction_name,
			 "nic", run_json_text(run->nic), "path", run->path, "before_mbps",
			 run_json_rounded(c->mbps[TRIAL_BEFORE], 1e-3), "after_mbps",
			 run_json_rounded(c->mbps[TRIAL_AFTER], 1e-3), "ratio",
			 run_json_rounded(c->throughput.ratio, 1e-6), "ci_low",
			 run_json_rounded(c->throughput.low, 1e-6), "ci_high",
			 run_json_rounded(c->throughput.high, 1e-6), "verdict",
			 verdict_name(c->verdict), "losses", "before",
			 losses_json(c, TRIAL_BEFORE), "after",
			 losses_json(c, TRIAL_AFTER));
}

static json_t *cell_cpu_json(const struct judge_cell *c)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "family",
			 c->cell->family_name, "direction", c->cell->direction_name,
			 "before", run_json_rounded(c->cpu_ms_per_gb[TRIAL_BEFORE], 1e-3),
			 "after", run_json_rounded(c->cpu_ms_per_gb[TRIAL_AFTER], 1e-3),
			 "ratio", run_json_rounded(c->cpu.ratio, 1e-6), "ci_low",
			 run_json_rounded(c->cpu.low, 1e-6), "ci_high",
			 run_json_rounded(c->cpu.high, 1e-6));
}

/* Add ticks to those at the same clock; more clocks than there is room for are left. */
static void clocks_add(struct sample_clocks *sum, const struct sample_clocks *clocks)
{
	for (unsigned i = 0; i < clocks->n; i++) {
		unsigned k = 0;

		while (k < sum->n && sum->states[k].khz != clocks->states[i].khz)
			k++;
		if (k == SAMPLE_STATES_MAX)
			continue;
		if (k == sum->n) {
			sum->states[k].khz = clocks->states[i].khz;
			sum->states[k].ticks = 0;
			sum->n++;
		}
		sum->states[k].ticks += clocks->states[i].ticks;
	}
}

/* Share of time at each clock over all tests of a side, by policy. */
static json_t *side_states_json(const struct run *run, enum trial_side side, unsigned n)
{
	json_t *list = json_array();

	for (unsigned p = 0; p < n; p++) {
		struct sample_clocks sum = {};

		for (size_t i = 0; i < run->n_legs; i++) {
			const struct leg *leg = &run->legs[i];

			if (leg->side != side || leg->discarded)
				continue;
			for (size_t k = 0; k < leg->n_tests; k++)
				if (leg->tests[k].clocks && p < leg->tests[k].n_policies)
					clocks_add(&sum, &leg->tests[k].clocks[p]);
		}
		json_array_append_new(list, run_json_states(&sum));
	}
	return run_json_list(list, n);
}

static json_t *side_clocks_json(const struct run *run, enum trial_side side)
{
	const struct judge_side *s = &run->judgement->sides[side];

	return json_pack(
		"{s:o, s:o, s:o, s:b, s:o}", "khz",
		run_json_khz(s->cur_khz, s->n_policies), "max_khz",
		run_json_khz(s->max_khz, s->n_policies), "states",
		side_states_json(run, side, s->n_policies), "throttled", s->throttled,
		"throttled_share", run_json_rounded(s->throttled_share, 1e-4));
}

/* Round-trip times of a side's tests of one cell, taken together. */
static json_t *cell_side_latency(const struct run *run, size_t cell, enum trial_side side)
{
	_cleanup_free_ double *all = NULL;
	size_t n = 0, lost = 0, room = 1;

	for (size_t i = 0; i < run->n_legs; i++)
		if (cell < run->legs[i].n_tests)
			room += run->legs[i].tests[cell].n_rtt;
	all = calloc(room, sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < run->n_legs; i++) {
		const struct leg *leg = &run->legs[i];
		const struct test_result *t = &leg->tests[cell];

		if (leg->side != side || leg->discarded || cell >= leg->n_tests)
			continue;
		for (size_t k = 0; k < t->n_rtt; k++)
			all[n++] = t->rtt_ms[k];
		lost += t->rtt_lost;
	}
	return run_json_latency(all, n, lost);
}

static json_t *idle_latency(const struct run_idle *idle)
{
	_cleanup_free_ double *sorted = calloc(idle->n + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	if (idle->n)
		memcpy(sorted, idle->rtt_ms, idle->n * sizeof(*sorted));
	return run_json_latency(sorted, idle->n, idle->lost);
}

static json_t *latency_json(const struct run *run)
{
	const struct judgement *j = run->judgement;
	json_t *load = json_array();

	for (size_t i = 0; i < j->n_cells; i++) {
		const struct judge_cell *c = &j->cells[i];

		json_array_append_new(
			load,
			json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "family",
				  c->cell->family_name, "direction",
				  c->cell->direction_name, "before",
				  cell_side_latency(run, i, TRIAL_BEFORE), "after",
				  cell_side_latency(run, i, TRIAL_AFTER), "ratio",
				  run_json_rounded(c->latency_p95.ratio, 1e-6), "ci_low",
				  run_json_rounded(c->latency_p95.low, 1e-6), "ci_high",
				  run_json_rounded(c->latency_p95.high, 1e-6)));
	}
	return json_pack("{s:{s:o, s:o}, s:o}", "idle", "before",
			 idle_latency(&run->idle[TRIAL_BEFORE]), "after",
			 idle_latency(&run->idle[TRIAL_AFTER]), "load",
			 run_json_list(load, j->n_cells));
}

static json_t *reason_json(const struct judge_reason *r)
{
	return json_pack("{s:s, s:s?}", "reason", judge_reason_name(r->kind), "cell",
			 r->cell ? r->cell->name : NULL);
}

static json_t *board_json(const struct identity *board)
{
	json_t *compatible = json_array();

	for (size_t i = 0; i < board->n_compatible; i++)
		json_array_append_new(compatible, run_json_text(board->compatible[i]));
	return json_pack("{s:o, s:o, s:o}", "model", run_json_text(board->model),
			 "compatible", run_json_list(compatible, board->n_compatible),
			 "kernel", run_json_text(board->kernel));
}

static json_t *flags_json(unsigned flags)
{
	json_t *list = json_array();

	for (unsigned f = 0; f < JUDGE_FLAGS_; f++)
		if (flags & 1u << f)
			json_array_append_new(list, json_string(judge_flag_name(f)));
	return list;
}

/* When the first test began, by its samples. */
static double run_start(const struct run *run)
{
	for (size_t i = 0; i < run->n_legs; i++)
		for (size_t k = 0; k < run->legs[i].n_tests; k++)
			if (run->legs[i].tests[k].n_samples)
				return run->legs[i].tests[k].samples[0].board.time;
	return NAN;
}

/* What was measured, as lists. */
static int run_json_lists(const struct run *run, json_t *doc)
{
	const struct judgement *j = run->judgement;
	json_t *cells = json_array(), *cpu = json_array(), *reasons = json_array();
	json_t *not_measured = json_array(), *legs = json_array();
	double start = run_start(run);
	int r = 0;

	for (size_t i = 0; i < j->n_cells; i++) {
		json_array_append_new(cells, cell_json(run, &j->cells[i]));
		json_array_append_new(cpu, cell_cpu_json(&j->cells[i]));
	}
	for (size_t i = 0; i < j->n_reasons; i++)
		json_array_append_new(reasons, reason_json(&j->reasons[i]));
	for (size_t i = 0; i < run->n_not_measured; i++)
		json_array_append_new(
			not_measured,
			json_pack("{s:o, s:o}", "key",
				  run_json_text(run->not_measured[i].key), "target",
				  run_json_text(run->not_measured[i].target)));
	for (size_t i = 0; i < run->n_legs; i++)
		json_array_append_new(legs, run_json_leg(run, &run->legs[i], start));
	/* Each takes its list over, also when it fails; NULL is a failure. */
	r |= json_object_set_new(doc, "cells", run_json_list(cells, j->n_cells));
	r |= json_object_set_new(doc, "cpu_ms_per_gb", run_json_list(cpu, j->n_cells));
	r |= json_object_set_new(doc, "reasons", run_json_list(reasons, j->n_reasons));
	r |= json_object_set_new(doc, "not_measured",
				 run_json_list(not_measured, run->n_not_measured));
	r |= json_object_set_new(doc, "legs", run_json_list(legs, run->n_legs));
	return r ? -ENOMEM : 0;
}

/* What the run came to. */
static json_t *run_json_outcome(const struct run *run)
{
	const struct judgement *j = run->judgement;
	const struct judge_side *before = &j->sides[TRIAL_BEFORE];
	const struct judge_side *after = &j->sides[TRIAL_AFTER];

	return json_pack("{s:o, s:{s:o, s:o, s:o, s:{s:o, s:o}}, s:{s:o, s:o}, s:o, s:s,"
			 " s:i, s:f, s:b, s:i}",
			 "latency", latency_json(run), "temperature", "sensor",
			 run->sensor ? run_json_text(run->sensor) : json_null(), "before",
			 run_json_celsius(before->millicelsius), "after",
			 run_json_celsius(after->millicelsius), "slope", "before",
			 run_json_rounded(before->slope, 1e-3), "after",
			 run_json_rounded(after->slope, 1e-3), "clocks", "before",
			 side_clocks_json(run, TRIAL_BEFORE), "after",
			 side_clocks_json(run, TRIAL_AFTER), "flags",
			 flags_json(j->flags), "verdict", verdict_name(j->verdict),
			 "pairs", (int)j->pairs, "margin", run->config->margin, "kept",
			 run->kept, "exit", run->exit_code);
}

json_t *run_json(const struct run *run)
{
	json_t *doc, *outcome = run_json_outcome(run);
	char started[32] = "";
	struct tm tm;
	int r;

	if (gmtime_r(&run->started, &tm))
		strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	doc = json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:s, s:f,"
			" s:f, s:s, s:i, s:o, s:b}",
			"schema", RUN_SCHEMA, "version", PACKAGE_VERSION, "command",
			run->command, "profile", run_json_text(run->profile), "board",
			board_json(run->board), "host", run_json_text(run->host), "label",
			run_json_text(run->label), "started", started, "peer",
			run_json_text(run->peer), "nic", run_json_text(run->nic), "path",
			run->path, "seconds", run->seconds, "omit", run->omit,
			"protocol", run->udp ? "udp" : "tcp", "streams",
			(int)run->streams, "bitrate",
			run->bitrate > 0 ? json_real(run->bitrate) : json_null(),
			"zero_copy", (int)run->zero_copy);
	r = doc && outcome ? run_json_lists(run, doc) : -ENOMEM;
	if (r == 0)
		r = json_object_update(doc, outcome);
	json_decref(outcome);
	if (r == 0)
		return doc;
	json_decref(doc);
	return NULL;
}
