// SPDX-License-Identifier: GPL-2.0-or-later
// run.c - a run as a document: what was measured, on what, and what it came to
#include <limits.h>
#include <math.h>

#include "measure/run.h"

#define RUN_SAME_TIME_MAX 1000

/* JSON has no NAN and no infinity: null. */
static json_t *json_number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

/* Megabits with as many digits as mean something; doubles print with 17. */
static json_t *json_rounded(double x, double step)
{
	return json_number(isfinite(x) ? round(x / step) * step : x);
}

/* Bytes of the UTF-8 character at @s (RFC 3629); 0 for what is none. */
static size_t utf8_length(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80 ? 1 :
		   s[0] < 0xc0 ? 0 :
		   s[0] < 0xe0 ? 2 :
		   s[0] < 0xf0 ? 3 :
				 4;
	uint32_t code = s[0] & (0x7f >> n);

	if (n <= 1)
		return n;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (s[0] > 0xf4 || code < least[n] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return n;
}

bool run_text_valid(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	for (; *s; s += n) {
		n = utf8_length(s);
		if (!n)
			return false;
	}
	return true;
}

/* Names come from everywhere: what is no UTF-8 must not cost the document. */
static json_t *json_text(const char *text)
{
	_cleanup_free_ char *safe = strdup(text);
	size_t n;

	if (!safe)
		return NULL;
	for (unsigned char *s = (unsigned char *)safe; *s; s += n ? n : 1) {
		n = utf8_length(s);
		if (!n)
			*s = '?';
	}
	return json_string(safe);
}

static json_t *json_celsius(int millicelsius)
{
	return millicelsius == INT_MIN ? json_null() : json_integer(millicelsius);
}

/* A list of @n items, NULL if one of them could not be made. */
static json_t *json_whole(json_t *list, size_t n)
{
	if (json_array_size(list) == n)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *json_clocks(const uint32_t *khz, unsigned n)
{
	json_t *list = json_array();

	for (unsigned p = 0; p < n; p++)
		json_array_append_new(list, khz[p] ? json_integer(khz[p]) : json_null());
	return json_whole(list, n);
}

static json_t *cell_json(const struct run *run, const struct judge_cell *c)
{
	return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "family",
			 c->cell->family_name, "direction", c->cell->direction_name,
			 "nic", json_text(run->nic), "path", run->path, "before_mbps",
			 json_rounded(c->mbps[TRIAL_BEFORE], 1e-3), "after_mbps",
			 json_rounded(c->mbps[TRIAL_AFTER], 1e-3), "ratio",
			 json_rounded(c->throughput.ratio, 1e-6), "ci_low",
			 json_rounded(c->throughput.low, 1e-6), "ci_high",
			 json_rounded(c->throughput.high, 1e-6), "verdict",
			 verdict_name(c->verdict));
}

static json_t *cell_cpu_json(const struct judge_cell *c)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "family",
			 c->cell->family_name, "direction", c->cell->direction_name,
			 "before", json_rounded(c->cpu_ms_per_gb[TRIAL_BEFORE], 1e-3),
			 "after", json_rounded(c->cpu_ms_per_gb[TRIAL_AFTER], 1e-3),
			 "ratio", json_rounded(c->cpu.ratio, 1e-6), "ci_low",
			 json_rounded(c->cpu.low, 1e-6), "ci_high",
			 json_rounded(c->cpu.high, 1e-6));
}

static json_t *side_clocks_json(const struct judge_side *s)
{
	return json_pack("{s:o, s:o, s:b}", "khz", json_clocks(s->cur_khz, s->n_policies),
			 "max_khz", json_clocks(s->max_khz, s->n_policies), "throttled",
			 s->throttled);
}

static json_t *sample_json(const struct test_sample *s, double start)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:i, s:I, s:b}", "seconds",
			 json_rounded(s->board.time - start, 1e-3), "millicelsius",
			 json_celsius(s->board.millicelsius), "khz",
			 json_clocks(s->board.cur_khz, s->board.n_policies), "max_khz",
			 json_clocks(s->board.max_khz, s->board.n_policies), "cooling",
			 (int)s->board.cooling, "bytes", (json_int_t)s->bytes, "counting",
			 s->counting);
}

static json_t *test_json(const struct cell *cell, const struct test_result *t)
{
	json_t *samples = json_array();

	for (size_t i = 0; i < t->n_samples; i++)
		json_array_append_new(samples, sample_json(&t->samples[i],
							   t->samples[0].board.time));
	return json_pack("{s:s, s:s, s:o, s:I, s:o, s:I, s:o, s:o, s:b, s:o}", "family",
			 cell->family_name, "direction", cell->direction_name, "mbps",
			 json_rounded(t->traffic.mbps, 1e-3), "bytes",
			 (json_int_t)t->traffic.bytes, "seconds",
			 json_rounded(t->traffic.seconds, 1e-6), "retransmits",
			 (json_int_t)t->traffic.retransmits, "cpu_ms_per_gb",
			 json_rounded(t->cpu_ms_per_gb, 1e-3), "millicelsius",
			 json_celsius(t->millicelsius), "wrong_nic", t->wrong_nic,
			 "samples", json_whole(samples, t->n_samples));
}

static json_t *leg_json(const struct run *run, const struct leg *leg)
{
	json_t *tests = json_array();

	for (size_t i = 0; i < leg->n_tests; i++)
		json_array_append_new(
			tests, test_json(run->config->cells.cells[i], &leg->tests[i]));
	return json_pack("{s:s, s:i, s:b, s:o}", "side",
			 leg->side == TRIAL_BEFORE ? "before" : "after", "pair",
			 (int)leg->pair, "discarded", leg->discarded, "tests",
			 json_whole(tests, leg->n_tests));
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
		json_array_append_new(compatible, json_text(board->compatible[i]));
	return json_pack("{s:o, s:o, s:o}", "model", json_text(board->model),
			 "compatible", json_whole(compatible, board->n_compatible),
			 "kernel", json_text(board->kernel));
}

static json_t *flags_json(unsigned flags)
{
	json_t *list = json_array();

	for (unsigned f = 0; f < JUDGE_FLAGS_; f++)
		if (flags & 1u << f)
			json_array_append_new(list, json_string(judge_flag_name(f)));
	return list;
}

/* What was measured, as lists. */
static int run_json_lists(const struct run *run, json_t *doc)
{
	const struct judgement *j = run->judgement;
	json_t *cells = json_array(), *cpu = json_array(), *reasons = json_array();
	json_t *not_measured = json_array(), *legs = json_array();
	int r = 0;

	for (size_t i = 0; i < j->n_cells; i++) {
		json_array_append_new(cells, cell_json(run, &j->cells[i]));
		json_array_append_new(cpu, cell_cpu_json(&j->cells[i]));
	}
	for (size_t i = 0; i < j->n_reasons; i++)
		json_array_append_new(reasons, reason_json(&j->reasons[i]));
	for (size_t i = 0; i < run->n_not_measured; i++)
		json_array_append_new(not_measured,
				      json_pack("{s:o, s:o}", "key",
						json_text(run->not_measured[i].key),
						"target",
						json_text(run->not_measured[i].target)));
	for (size_t i = 0; i < run->n_legs; i++)
		json_array_append_new(legs, leg_json(run, &run->legs[i]));
	/* Each takes its list over, also when it fails; NULL is a failure. */
	r |= json_object_set_new(doc, "cells", json_whole(cells, j->n_cells));
	r |= json_object_set_new(doc, "cpu_ms_per_gb", json_whole(cpu, j->n_cells));
	r |= json_object_set_new(doc, "reasons", json_whole(reasons, j->n_reasons));
	r |= json_object_set_new(doc, "not_measured",
				 json_whole(not_measured, run->n_not_measured));
	r |= json_object_set_new(doc, "legs", json_whole(legs, run->n_legs));
	return r ? -ENOMEM : 0;
}

/* What the run came to. */
static json_t *run_json_outcome(const struct run *run)
{
	const struct judgement *j = run->judgement;
	const struct judge_side *before = &j->sides[TRIAL_BEFORE];
	const struct judge_side *after = &j->sides[TRIAL_AFTER];

	return json_pack("{s:n, s:{s:o, s:o, s:o}, s:{s:o, s:o}, s:o, s:s, s:i, s:f,"
			 " s:b, s:i}",
			 "latency", "temperature", "sensor",
			 run->sensor ? json_text(run->sensor) : json_null(), "before",
			 json_celsius(before->millicelsius), "after",
			 json_celsius(after->millicelsius), "clocks", "before",
			 side_clocks_json(before), "after", side_clocks_json(after),
			 "flags", flags_json(j->flags), "verdict",
			 verdict_name(j->verdict), "pairs", (int)j->pairs, "margin",
			 run->config->margin, "kept", run->kept, "exit", run->exit_code);
}

json_t *run_json(const struct run *run)
{
	json_t *doc, *outcome = run_json_outcome(run);
	char started[32] = "";
	struct tm tm;
	int r;

	if (gmtime_r(&run->started, &tm))
		strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	doc = json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:s, s:f, s:f}",
			"schema", RUN_SCHEMA, "command", run->command, "profile",
			json_text(run->profile), "board", board_json(run->board), "host",
			json_text(run->host), "label", json_text(run->label), "started",
			started, "peer", json_text(run->peer), "nic", json_text(run->nic),
			"path", run->path, "seconds", run->seconds, "omit", run->omit);
	r = doc && outcome ? run_json_lists(run, doc) : -ENOMEM;
	if (r == 0)
		r = json_object_update(doc, outcome);
	json_decref(outcome);
	if (r == 0)
		return doc;
	json_decref(doc);
	return NULL;
}

static int run_dir(char *buf, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	if (geteuid() == 0)
		n = snprintf(buf, size, "%s", RUN_DIR);
	else if (state && *state == '/')
		n = snprintf(buf, size, "%s/boardtune/runs", state);
	else if (home && *home == '/')
		n = snprintf(buf, size, "%s/.local/state/boardtune/runs", home);
	else
		return -ENOENT;
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int run_save(const struct sysroot *root, const struct run *run, const json_t *doc,
	     char *ret_path)
{
	char dir[SYSROOT_PATH_MAX - 80], path[SYSROOT_PATH_MAX], stamp[32];
	_cleanup_free_ char *text = NULL;
	struct tm tm;
	int r;

	if (!gmtime_r(&run->started, &tm))
		return -EOVERFLOW;
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	r = run_dir(dir, sizeof(dir));
	if (r < 0)
		return r;
	text = json_dumps(doc, JSON_COMPACT | JSON_REAL_PRECISION(12));
	if (!text)
		return -ENOMEM;
	r = sysroot_mkdir_all(root, dir, 0755);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/%s-%s.json", dir, stamp, run->command);
	for (unsigned i = 2; sysroot_exists(root, path) && i < RUN_SAME_TIME_MAX; i++)
		snprintf(path, sizeof(path), "%s/%s-%s-%u.json", dir, stamp, run->command,
			 i);
	if (sysroot_exists(root, path))
		return -EEXIST;
	r = sysroot_replace(root, path, text, strlen(text), 0644);
	if (r < 0)
		return r;
	memcpy(ret_path, path, sizeof(path));
	return 0;
}
