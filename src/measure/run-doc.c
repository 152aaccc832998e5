// SPDX-License-Identifier: GPL-2.0-or-later
// run-doc.c - a saved run read back: each value of the type and in the range it must have
#include <math.h>

#include "board/redact.h"
#include "measure/run-doc.h"
#include "measure/run-file.h"
#include "measure/run-take.h"

static void take_latency(struct take *t, json_t *o, struct run_doc_latency *ret)
{
	ret->answers = take_number(t, o, "answers");
	ret->lost = take_number(t, o, "lost");
	ret->p50_ms = take_number(t, o, "p50_ms");
	ret->p95_ms = take_number(t, o, "p95_ms");
	ret->p99_ms = take_number(t, o, "p99_ms");
}

static void take_interval(struct take *t, json_t *o, struct stats_interval *ret)
{
	ret->ratio = take_number(t, o, "ratio");
	ret->low = take_number(t, o, "ci_low");
	ret->high = take_number(t, o, "ci_high");
	ret->half = NAN;
}

/* "ipv4-tx" of family and direction. */
static void take_name(struct take *t, json_t *o, char ret[static RUN_DOC_NAME_MAX])
{
	static const char *const families[] = { "ipv4", "ipv6" };
	static const char *const directions[] = { "tx", "rx", "bidir" };
	const char *family = take_text(t, o, "family");
	const char *direction = take_text(t, o, "direction");

	if (!names_have(families, ARRAY_SIZE(families), family))
		take_fail(t, "family", _("ipv4 or ipv6 expected"));
	else if (!names_have(directions, ARRAY_SIZE(directions), direction))
		take_fail(t, "direction", _("tx, rx or bidir expected"));
	else
		snprintf(ret, RUN_DOC_NAME_MAX, "%s-%s", family, direction);
}

static enum verdict take_verdict(struct take *t, json_t *o, bool trial)
{
	const char *text = take_text(t, o, "verdict");

	if (!trial)
		return VERDICT_INCONCLUSIVE;
	for (enum verdict v = VERDICT_BETTER; v <= VERDICT_INCONCLUSIVE; v++)
		if (streq(text, verdict_name(v)))
			return v;
	take_fail(t, "verdict", _("no verdict that is known"));
	return VERDICT_INCONCLUSIVE;
}

static void take_cells(struct take *t, json_t *o, struct run_doc *ret)
{
	json_t *list = take_list(t, o, "cells", RUN_DOC_CELLS_MAX);

	for (size_t i = 0; i < json_array_size(list); i++) {
		struct run_doc_cell *c = &ret->cells[i];
		json_t *item = take_item(t, list, "cells", i);

		take_name(t, item, c->name);
		c->verdict = take_verdict(t, item, ret->trial);
		c->mbps.side[TRIAL_BEFORE] =
			take_number(t, item, ret->trial ? "before_mbps" : "mbps");
		c->mbps.side[TRIAL_AFTER] = take_number(t, item, "after_mbps");
		take_interval(t, item, &c->mbps.ratio);
		take_interval(t, NULL, &c->cpu_ms_per_gb.ratio);
		c->cpu_ms_per_gb.side[0] = c->cpu_ms_per_gb.side[1] = NAN;
		take_latency(t, NULL, &c->latency[TRIAL_BEFORE]);
		take_latency(t, NULL, &c->latency[TRIAL_AFTER]);
		c->lost = take_number(t, item, "lost");
		c->jitter_ms = take_number(t, item, "jitter_ms");
		take_up(t);
	}
	ret->n_cells = json_array_size(list);
}

static struct run_doc_cell *cell_of(struct take *t, json_t *item, struct run_doc *doc)
{
	char name[RUN_DOC_NAME_MAX] = "";
	const struct run_doc_cell *c;

	take_name(t, item, name);
	c = run_doc_cell(doc, name);
	return c ? &doc->cells[c - doc->cells] : NULL;
}

static void take_costs(struct take *t, json_t *o, struct run_doc *ret)
{
	json_t *list = take_list(t, o, "cpu_ms_per_gb", RUN_DOC_CELLS_MAX);

	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *item = take_item(t, list, "cpu_ms_per_gb", i);
		struct run_doc_cell *c = cell_of(t, item, ret);

		if (c) {
			c->cpu_ms_per_gb.side[TRIAL_BEFORE] =
				take_number(t, item, ret->trial ? "before" : "mean");
			c->cpu_ms_per_gb.side[TRIAL_AFTER] = take_number(t, item,
									 "after");
			take_interval(t, item, &c->cpu_ms_per_gb.ratio);
		}
		take_up(t);
	}
}

static void take_latencies(struct take *t, json_t *o, struct run_doc *ret)
{
	json_t *latency = take_object(t, o, "latency");
	json_t *idle = take_object(t, latency, "idle");
	json_t *list = take_list(t, latency, "load", RUN_DOC_CELLS_MAX);

	take_latency(t, take_object(t, idle, "before"), &ret->sides[TRIAL_BEFORE].idle);
	take_latency(t, take_object(t, idle, "after"), &ret->sides[TRIAL_AFTER].idle);
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *item = take_item(t, list, "latency.load", i);
		struct run_doc_cell *c = cell_of(t, item, ret);

		if (c) {
			take_latency(t, take_object(t, item, "before"),
				     &c->latency[TRIAL_BEFORE]);
			take_latency(t, take_object(t, item, "after"),
				     &c->latency[TRIAL_AFTER]);
		}
		take_up(t);
	}
}

static void take_mhz(struct take *t, json_t *o, const char *key,
		     double ret[static SAMPLE_POLICIES_MAX], unsigned *ret_n)
{
	uint32_t khz[SAMPLE_POLICIES_MAX];

	*ret_n = take_clocks(t, o, key, khz);
	for (unsigned i = 0; i < *ret_n; i++)
		ret[i] = khz[i] ? khz[i] / 1000.0 : NAN;
}

/* By policy: how long it was at each of its clocks. */
static void take_states(struct take *t, json_t *clocks, struct run_doc_side *ret)
{
	json_t *policies = take_list(t, clocks, "states", SAMPLE_POLICIES_MAX);

	for (size_t p = 0; p < json_array_size(policies); p++) {
		json_t *list = json_array_get(policies, p);

		if (json_is_null(list))
			continue;
		if (!json_is_array(list) || json_array_size(list) > SAMPLE_STATES_MAX) {
			take_fail(t, "states", _("list expected"));
			return;
		}
		for (size_t i = 0; i < json_array_size(list); i++) {
			json_t *item = take_item(t, list, "states", i);

			ret->states[p][i].khz = take_khz(t, item, "khz");
			ret->states[p][i].share = take_number(t, item, "share");
			take_up(t);
		}
		ret->n_states[p] = json_array_size(list);
	}
}

static void take_side(struct take *t, json_t *o, const char *key,
		      struct run_doc_side *ret)
{
	json_t *clocks = take_object(t, take_object(t, o, "clocks"), key);
	unsigned n;

	ret->celsius = take_number(t, take_object(t, o, "temperature"), key) / 1000;
	ret->throttled = take_bool(t, clocks, "throttled");
	take_mhz(t, clocks, "khz", ret->mhz, &ret->n_clocks);
	for (unsigned i = 0; i < SAMPLE_POLICIES_MAX; i++)
		ret->max_mhz[i] = NAN;
	take_mhz(t, clocks, "max_khz", ret->max_mhz, &n);
	take_states(t, clocks, ret);
}

static size_t take_pairs(struct take *t, json_t *o, const char *key, const char *name,
			 const char *of, struct run_doc_pair *ret)
{
	json_t *list = take_list(t, o, key, RUN_DOC_WORDS_MAX);

	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *item = take_item(t, list, key, i);

		ret[i].name = take_text(t, item, name);
		ret[i].of = take_text(t, item, of);
		take_up(t);
	}
	return json_array_size(list);
}

static void take_flags(struct take *t, json_t *o, struct run_doc *ret)
{
	json_t *list = take_list(t, o, "flags", RUN_DOC_WORDS_MAX);

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (!text)
			take_fail(t, "flags", _("a list of texts expected"));
		else
			ret->flags[ret->n_flags++] = text;
	}
}

/* Runs of before these were told are of TCP, as fast as it goes. */
static void take_traffic(struct take *t, json_t *o, struct run_doc *ret)
{
	const char *protocol = take_text(t, o, "protocol");
	double bitrate = take_number(t, o, "bitrate");

	if (*protocol && !streq(protocol, "tcp") && !streq(protocol, "udp"))
		take_fail(t, "protocol", _("neither tcp nor udp"));
	ret->udp = streq(protocol, "udp");
	ret->zero_copy = take_bool(t, o, "zero_copy");
	ret->streams = take_count(t, o, "streams");
	if (!ret->streams)
		ret->streams = 1;
	ret->bitrate = isfinite(bitrate) ? bitrate : 0;
}

static void take_head(struct take *t, json_t *o, struct run_doc *ret)
{
	json_t *board = take_object(t, o, "board");
	json_t *compatible = take_list(t, board, "compatible", IDENTITY_COMPATIBLE_MAX);
	const char *first = json_string_value(json_array_get(compatible, 0));

	ret->version = take_text(t, o, "version");
	ret->profile = take_text(t, o, "profile");
	ret->model = take_text(t, board, "model");
	ret->kernel = take_text(t, board, "kernel");
	ret->compatible = first ? first : "";
	ret->host = take_text(t, o, "host");
	ret->label = take_text(t, o, "label");
	ret->started = take_text(t, o, "started");
	ret->peer = take_text(t, o, "peer");
	ret->nic = take_text(t, o, "nic");
	ret->path = take_text(t, o, "path");
	ret->sensor = take_text(t, take_object(t, o, "temperature"), "sensor");
	take_traffic(t, o, ret);
	ret->seconds = take_number(t, o, "seconds");
	ret->omit = take_number(t, o, "omit");
	ret->margin = take_number(t, o, "margin");
	ret->pairs = take_count(t, o, "pairs");
	ret->kept = take_bool(t, o, "kept");
	ret->verdict = take_verdict(t, o, ret->trial);
}

/* ---- legs ---- */

static void take_sample(struct take *t, json_t *o, double start,
			struct run_doc_sample *ret)
{
	ret->at = start + take_number(t, o, "seconds");
	ret->celsius = take_number(t, o, "millicelsius") / 1000;
	ret->busy = take_number(t, o, "busy");
	ret->softirq = take_number(t, o, "softirq");
	ret->counting = take_bool(t, o, "counting");
	ret->n_clocks = take_clocks(t, o, "khz", ret->khz);
	ret->mbps = NAN;
}

static void take_samples(struct take *t, json_t *o, struct run_doc_test *ret)
{
	json_t *list = take_list(t, o, "samples", RUN_DOC_SAMPLES_MAX);
	double last = NAN, bytes;

	ret->samples = calloc(json_array_size(list) + 1, sizeof(*ret->samples));
	if (!ret->samples) {
		t->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < json_array_size(list); i++, last = bytes) {
		struct run_doc_sample *s = &ret->samples[i];
		json_t *item = take_item(t, list, "samples", i);

		take_sample(t, item, isfinite(ret->at) ? ret->at : 0, s);
		bytes = take_number(t, item, "bytes");
		take_up(t);
		/* nothing is counted before the omitted part is over */
		if (i && s[-1].counting && s->counting && s->at > s[-1].at &&
		    bytes >= last)
			s->mbps = (bytes - last) * 8 / (s->at - s[-1].at) / 1e6;
	}
	ret->n_samples = json_array_size(list);
}

static void take_test(struct take *t, json_t *o, struct run_doc_test *ret)
{
	take_name(t, o, ret->name);
	ret->at = take_number(t, o, "at");
	ret->mbps = take_number(t, o, "mbps");
	ret->bytes = take_number(t, o, "bytes");
	ret->seconds = take_number(t, o, "seconds");
	ret->cpu_ms_per_gb = take_number(t, o, "cpu_ms_per_gb");
	ret->celsius = take_number(t, o, "millicelsius") / 1000;
	ret->retransmits = take_number(t, o, "retransmits");
	ret->softnet_dropped = take_number(t, o, "softnet_dropped");
	ret->nic_dropped = take_number(t, o, "nic_dropped");
	ret->foreign_mbps = take_number(t, o, "foreign_mbps");
	ret->busy = take_number(t, o, "busy");
	ret->busiest = take_number(t, o, "busiest");
	take_latency(t, take_object(t, o, "latency"), &ret->latency);
	take_samples(t, o, ret);
}

static void take_leg(struct take *t, json_t *o, struct run_doc_leg *ret)
{
	json_t *list = take_list(t, o, "tests", RUN_DOC_CELLS_MAX);
	const char *side = take_text(t, o, "side");

	if (!streq(side, "before") && !streq(side, "after"))
		take_fail(t, "side", _("before or after expected"));
	ret->side = streq(side, "after") ? TRIAL_AFTER : TRIAL_BEFORE;
	ret->pair = take_count(t, o, "pair");
	ret->discarded = take_bool(t, o, "discarded");
	ret->tests = calloc(json_array_size(list) + 1, sizeof(*ret->tests));
	if (!ret->tests) {
		t->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < json_array_size(list) && !t->error; i++) {
		ret->n_tests = i + 1;
		take_test(t, take_item(t, list, "tests", i), &ret->tests[i]);
		take_up(t);
	}
}

static void take_legs(struct take *t, json_t *o, struct run_doc *ret)
{
	json_t *list = take_list(t, o, "legs", RUN_DOC_LEGS_MAX);

	ret->legs = calloc(json_array_size(list) + 1, sizeof(*ret->legs));
	if (!ret->legs) {
		t->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < json_array_size(list) && !t->error; i++) {
		ret->n_legs = i + 1;
		take_leg(t, take_item(t, list, "legs", i), &ret->legs[i]);
		take_up(t);
	}
}

/* ---- the whole ---- */

/*
 * What jansson makes of a text takes up to a hundred times its room, and it goes as deep
 * as thousands: counted beforehand, outside of texts. A trial of a hundred rounds has
 * less than half as many lists, objects and values.
 */
static bool is_bounded(const char *s)
{
	size_t opened = 0, closed = 0, values = 0;
	bool quoted = false;

	for (; *s; s++) {
		if (quoted && *s == '\\' && s[1])
			s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted && *s == ',')
			values++;
		else if (!quoted && (*s == '[' || *s == '{'))
			opened++;
		else if (!quoted && (*s == ']' || *s == '}'))
			closed++;
		if (opened > closed + RUN_DOC_DEPTH_MAX || opened > RUN_DOC_LISTS_MAX ||
		    values > RUN_DOC_VALUES_MAX)
			return false;
	}
	return true;
}

static void take_all(struct take *t, bool legs, struct run_doc *ret)
{
	json_t *o = ret->json;
	const char *command = take_text(t, o, "command");

	ret->trial = streq(command, "trial");
	if (take_count(t, o, "schema") != RUN_SCHEMA)
		take_fail(t, "schema", _("not one that this version knows"));
	else if (!ret->trial && !streq(command, "measure"))
		take_fail(t, "command", _("neither trial nor measure"));
	if (t->error)
		return;
	take_head(t, o, ret);
	take_cells(t, o, ret);
	take_costs(t, o, ret);
	take_latencies(t, o, ret);
	take_side(t, o, "before", &ret->sides[TRIAL_BEFORE]);
	take_side(t, o, "after", &ret->sides[TRIAL_AFTER]);
	take_flags(t, o, ret);
	ret->n_reasons = take_pairs(t, o, "reasons", "reason", "cell", ret->reasons);
	ret->n_not_measured = take_pairs(t, o, "not_measured", "key", "target",
					 ret->not_measured);
	if (legs)
		take_legs(t, o, ret);
	if (!isfinite(ret->seconds) || !isfinite(ret->omit) ||
	    (ret->trial && !isfinite(ret->margin)))
		take_fail(t, "seconds, omit, margin", _("number expected"));
}

int run_doc_parse(const char *text, size_t size, bool legs, struct run_doc *ret,
		  char *ret_error)
{
	struct run_doc doc = { 0 };
	struct take t = { .text = ret_error };
	json_error_t error;

	ret_error[0] = '\0';
	if (strlen(text) != size || !is_bounded(text)) {
		snprintf(ret_error, RUN_DOC_ERROR_MAX, "%s",
			 _("no run: a byte of 0, nested too deep, or too many values"));
		return -EBADMSG;
	}
	doc.json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!doc.json) {
		snprintf(ret_error, RUN_DOC_ERROR_MAX, _("line %d: no JSON"), error.line);
		return -EBADMSG;
	}
	t.error = take_clean(doc.json);
	if (t.error == -EBADMSG)
		snprintf(ret_error, RUN_DOC_ERROR_MAX, "%s",
			 _("a key with control characters"));
	if (t.error == 0)
		take_all(&t, legs, &doc);
	if (t.error == 0) {
		*ret = doc;
		return 0;
	}
	if (!ret_error[0])
		snprintf(ret_error, RUN_DOC_ERROR_MAX, "%s", strerror(-t.error));
	run_doc_clear(&doc);
	return t.error;
}

int run_doc_read(const struct sysroot *root, const char *path, bool legs,
		 struct run_doc *ret, char *ret_error)
{
	_cleanup_free_ char *text = NULL;
	ssize_t n = run_file_load(root, path, &text);

	if (n >= 0)
		return run_doc_parse(text, (size_t)n, legs, ret, ret_error);
	snprintf(ret_error, RUN_DOC_ERROR_MAX, "%s",
		 n == -EINVAL ? _("not a regular file") : strerror((int)-n));
	return (int)n;
}

const struct run_doc_cell *run_doc_cell(const struct run_doc *doc, const char *name)
{
	for (size_t i = 0; i < doc->n_cells; i++)
		if (streq(doc->cells[i].name, name))
			return &doc->cells[i];
	return NULL;
}

bool run_doc_has_flag(const struct run_doc *doc, const char *name)
{
	for (size_t i = 0; i < doc->n_flags; i++)
		if (streq(doc->flags[i], name))
			return true;
	return false;
}

void run_doc_clear(struct run_doc *doc)
{
	for (size_t i = 0; i < doc->n_legs; i++) {
		for (size_t k = 0; k < doc->legs[i].n_tests; k++)
			free(doc->legs[i].tests[k].samples);
		free(doc->legs[i].tests);
	}
	free(doc->legs);
	json_decref(doc->json);
	*doc = (struct run_doc) { 0 };
}

int run_doc_redact(struct run_doc *doc)
{
	_cleanup_(redact_clear) struct redact redact = { 0 };
	_cleanup_free_ char *text = NULL, *clean = NULL;
	char error[RUN_DOC_ERROR_MAX];
	struct run_doc again;
	size_t size = 0;
	FILE *f;
	int r;

	if (json_object_set_new(doc->json, "host", json_string("")) < 0 ||
	    json_object_set_new(doc->json, "peer", json_string("peer")) < 0)
		return -ENOMEM;
	text = json_dumps(doc->json, JSON_COMPACT | JSON_REAL_PRECISION(12));
	f = text ? open_memstream(&clean, &size) : NULL;
	if (!f)
		return -ENOMEM;
	r = redact_print(&redact, f, text, strlen(text));
	if (fclose(f) != 0 || r < 0)
		return -ENOMEM;
	r = run_doc_parse(clean, size, doc->legs != NULL, &again, error);
	if (r < 0)
		return r;
	run_doc_clear(doc);
	*doc = again;
	return 0;
}
