// SPDX-License-Identifier: GPL-2.0-or-later
// test-run.c - a run as JSON, as a file and as a table
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>

#include "measure/run.h"
#include "report/trial-text.h"
#include "tap.h"

static struct identity board = { .model = "FriendlyElec NanoPi NEO2",
				 .compatible = { "friendlyarm,nanopi-neo2" },
				 .n_compatible = 1, .kernel = "6.1.53-current-sunxi64" };

static struct test_sample sample = { .board = { .time = 12.5, .millicelsius = 51234,
						.n_policies = 1, .cur_khz = { 816000 },
						.max_khz = { 1008000 }, .cooling = 0 },
				     .bytes = 1000000, .counting = true };

/* Two pairs of one cell: 600 and 900 Mbit/s, no CPU figures. */
static void legs_make(struct leg *legs)
{
	for (unsigned i = 0; i < 4; i++) {
		bool after = i == 1 || i == 2;

		legs[i] = (struct leg){ .side = after, .pair = i / 2, .n_tests = 1 };
		legs[i].tests[0] = (struct test_result){
			.traffic = { .mbps = (after ? 900 : 600) + i, .bytes = 1u << 30,
				     .seconds = 5, .retransmits = -1,
				     .peer_busiest = NAN },
			.cpu_ms_per_gb = NAN, .millicelsius = after ? 61500 : 58000,
			.n_policies = 1, .cur_khz = { after ? 1008000 : 816000 },
			.low_khz = { after ? 1008000 : 816000 },
			.high_khz = { after ? 1008000 : 816000 },
			.samples = &sample, .n_samples = 1,
		};
	}
}

static const char *text_at(const json_t *doc, const char *key)
{
	return json_string_value(json_object_get(doc, key));
}

static void test_json(const struct run *run)
{
	json_t *doc = run_json(run), *cell, *leg, *item;

	cell = json_array_get(json_object_get(doc, "cells"), 0);
	is_str(text_at(doc, "verdict"), "better", "the verdict");
	is_str(text_at(cell, "family"), "ipv4", "a cell has its family");
	is_str(text_at(cell, "direction"), "tx", "its direction");
	is_str(text_at(cell, "nic"), "eth0", "its interface");
	is_near(json_number_value(json_object_get(cell, "ratio")), 1.5, 0.01, "a ratio");
	ok(json_number_value(json_object_get(cell, "ci_low")) < 1.5 &&
		   json_number_value(json_object_get(cell, "ci_high")) > 1.5,
	   "and its interval");
	item = json_array_get(json_object_get(doc, "cpu_ms_per_gb"), 0);
	ok(json_is_null(json_object_get(item, "before")) &&
		   json_is_null(json_object_get(item, "ratio")),
	   "what is not finite is null");
	is_int(json_array_size(json_object_get(doc, "legs")), 4, "every leg");
	leg = json_array_get(json_object_get(doc, "legs"), 1);
	is_str(text_at(leg, "side"), "after", "with its side");
	item = json_array_get(json_object_get(leg, "tests"), 0);
	item = json_array_get(json_object_get(item, "samples"), 0);
	is_int(json_integer_value(json_object_get(item, "millicelsius")), 51234,
	       "a sample");
	item = json_array_get(json_object_get(doc, "not_measured"), 0);
	is_str(text_at(item, "target"), "eth1", "what the traffic did not touch");
	item = json_array_get(json_object_get(doc, "flags"), 0);
	is_str(json_string_value(item), "peer-unknown", "a flag by its name");
	item = json_array_get(json_object_get(doc, "reasons"), 0);
	is_str(text_at(item, "reason"), "throughput-better", "a reason by its name");
	is_str(text_at(item, "cell"), "ipv4-tx", "of its cell");
	ok(json_is_true(json_object_get(doc, "kept")), "kept");
	json_decref(doc);
}

static double number_at(const json_t *doc, const char *key)
{
	return json_number_value(json_object_get(doc, key));
}

/* What a test measured, in its document. */
static void test_measured(const json_t *test)
{
	json_t *flow = json_object_get(test, "rx"), *item;

	is_near(number_at(flow, "rtt_ms"), 1.5, 1e-6, "a flow has its round-trip time");
	is_near(number_at(flow, "lost"), 3, 0, "its losses");
	is_near(number_at(flow, "jitter_ms"), 0.25, 1e-6, "its jitter");
	is_near(number_at(flow, "retransmits"), 9, 0, "its retransmits");
	ok(json_is_null(json_object_get(test, "tx")), "a way not used is null");
	ok(json_is_null(json_object_get(test, "retransmits")), "as are unknown counts");
	is_near(number_at(test, "peer_busy"), 0.5, 1e-6, "the peer's load");
	is_near(number_at(test, "foreign_mbps"), 12.5, 1e-6, "the traffic of others");
	is_near(number_at(test, "softnet_dropped"), 7, 0, "packets dropped");
	item = json_object_get(test, "rpi");
	is_int(json_array_size(item), 2, "two bits of a Raspberry Pi");
	is_str(json_string_value(json_array_get(item, 1)), "throttled", "by name");
	item = json_array_get(json_object_get(test, "clocks"), 0);
	item = json_array_get(json_object_get(item, "states"), 1);
	is_near(number_at(item, "khz"), 1008000, 0, "a clock");
	is_near(number_at(item, "share"), 0.75, 1e-6, "its share of the time");
	item = json_object_get(test, "latency");
	is_near(number_at(item, "p50_ms"), 3, 1e-6, "the median, of any order");
	is_near(number_at(item, "p95_ms"), 4.8, 1e-6, "p95, between two values");
	is_near(number_at(item, "answers"), 5, 0, "of so many");
	is_near(number_at(item, "lost"), 2, 0, "and those without an answer");
	item = json_array_get(json_object_get(test, "cpus"), 1);
	is_near(number_at(item, "busy"), 0.5, 1e-6, "a CPU's share");
	is_near(number_at(item, "irqs"), 100, 0, "and its interrupts");
	item = json_array_get(json_object_get(test, "samples"), 1);
	is_near(number_at(item, "busy"), 0.25, 1e-6, "all CPUs between two samples");
	is_near(number_at(item, "softirq"), 0.125, 1e-6, "and interrupt work");
}

static void test_details(struct run run)
{
	struct test_sample samples[2] = { sample, sample };
	double rtt[] = { 5, 1, 3, 2, 4 };
	struct sample_clocks clocks = { 2, { { 816000, 25 }, { 1008000, 75 } } };
	struct leg legs[4];
	json_t *doc, *item;

	samples[0].board.rpi = samples[1].board.rpi = -1;
	samples[1].board.time += 2;
	samples[0].board.n_cpus = samples[1].board.n_cpus = 2;
	samples[1].board.cpu_busy_us = 1000000;
	samples[1].board.cpu_idle_us = 3000000;
	samples[1].board.softirq_us = 500000;
	samples[1].board.cpus[1] = (struct sample_cpu) { 1000000, 500000, 100 };
	memcpy(legs, run.legs, sizeof(legs));
	run.legs = legs;
	legs[1].tests[0].samples = samples;
	legs[1].tests[0].n_samples = 2;
	legs[1].tests[0].rtt_ms = rtt;
	legs[1].tests[0].n_rtt = ARRAY_SIZE(rtt);
	legs[1].tests[0].rtt_lost = 2;
	legs[1].tests[0].clocks = &clocks;
	legs[1].tests[0].rpi = SAMPLE_RPI_UNDERVOLTAGE | SAMPLE_RPI_THROTTLED;
	legs[1].tests[0].foreign_mbps = 12.5;
	legs[1].tests[0].softnet_dropped = 7;
	legs[1].tests[0].traffic.peer_machine = 0.5;
	legs[1].tests[0].traffic.rx = (struct client_flow) {
		.bytes = 1000, .retransmits = 9, .rtt_ms = 1.5, .packets = 80, .lost = 3,
		.jitter_ms = 0.25 };
	doc = run_json(&run);
	item = json_array_get(json_object_get(doc, "legs"), 1);
	test_measured(json_array_get(json_object_get(item, "tests"), 0));
	is_near(rtt[0], 5, 0, "what was measured stays in its order");
	item = json_object_get(json_object_get(doc, "clocks"), "after");
	item = json_array_get(json_array_get(json_object_get(item, "states"), 0), 0);
	is_near(number_at(item, "share"), 0.25, 1e-6, "the time at a clock, by side");
	item = json_object_get(json_object_get(doc, "latency"), "load");
	item = json_array_get(item, 0);
	ok(json_is_null(json_object_get(item, "before")), "latency of one side only");
	is_near(number_at(json_object_get(item, "after"), "p50_ms"), 3, 1e-6, "by cell");
	json_decref(doc);
}

/* What the judge finds beside the verdict's own figures. */
static void test_judged(struct run run)
{
	struct judgement j = *run.judgement;
	struct leg legs[4];
	json_t *doc, *item;

	memcpy(legs, run.legs, sizeof(legs));
	legs[2].busy = legs[2].discarded = true;
	legs[3].tests[0].traffic.by_sender = true;
	j.cells[0].dropped[TRIAL_BEFORE] = 7;
	j.cells[0].retransmits_per_gb[TRIAL_AFTER] = 12.5;
	j.cells[0].latency_p95 = (struct stats_interval) { 1.6, 1.2, 2.1, 0.3 };
	j.sides[TRIAL_AFTER].slope = 1.5;
	j.sides[TRIAL_AFTER].throttled_share = 0.25;
	run.legs = legs;
	run.judgement = &j;
	doc = run_json(&run);
	item = json_array_get(json_object_get(doc, "cells"), 0);
	item = json_object_get(item, "losses");
	is_near(number_at(json_object_get(item, "before"), "dropped"), 7, 0, "drops");
	is_near(number_at(json_object_get(item, "after"), "retransmits_per_gb"), 12.5,
		1e-6, "retransmits");
	item = json_object_get(json_object_get(doc, "latency"), "load");
	is_near(number_at(json_array_get(item, 0), "ci_high"), 2.1, 1e-6,
		"the interval of latency");
	item = json_object_get(json_object_get(doc, "temperature"), "slope");
	is_near(number_at(item, "after"), 1.5, 1e-6, "the slope of the temperature");
	item = json_object_get(json_object_get(doc, "clocks"), "after");
	is_near(number_at(item, "throttled_share"), 0.25, 1e-6, "how long throttled");
	item = json_array_get(json_object_get(doc, "legs"), 2);
	ok(json_is_true(json_object_get(item, "busy")), "why a leg was discarded");
	item = json_array_get(json_object_get(doc, "legs"), 3);
	item = json_array_get(json_object_get(item, "tests"), 0);
	ok(json_is_true(json_object_get(item, "by_sender")), "whose count it is");
	json_decref(doc);
}

static void test_save(const struct sysroot *root, const struct run *run)
{
	char first[SYSROOT_PATH_MAX] = "", second[SYSROOT_PATH_MAX] = "";
	_cleanup_free_ char *text = NULL;
	json_t *doc = run_json(run), *again;

	is_int(run_save(root, run, doc, first), 0, "saved");
	is_int(run_save(root, run, doc, second), 0, "another of the same second");
	ok(strcmp(first, second) != 0 && strstr(first, "20170710T"),
	   "has another name (%s, %s)", first, second);
	ok(sysroot_read_all(root, first, &text) > 0, "the file can be read");
	again = json_loads(text ? text : "", JSON_REJECT_DUPLICATES, NULL);
	is_str(text_at(again, "profile"), "nanopi-neo2", "and is the document");
	json_decref(again);
	json_decref(doc);
}

static void test_text(const struct run *run)
{
	_cleanup_free_ char *text = NULL;
	size_t widest = 0;

	is_int(trial_text(run, &text), 0, "a table");
	for (const char *line = text; line && *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > widest)
			widest = strcspn(line, "\n");
	ok(widest > 40 && widest <= 80, "within 80 columns (%zu)", widest);
	ok(strstr(text, "IPv4 tx            601.5      901.5   1.499"),
	   "before, after and ratio in a row");
	ok(strstr(text, "58.0 C     61.5 C"), "temperatures");
	ok(strstr(text, "816 MHz   1008 MHz"), "clocks");
	ok(strstr(text, "Verdict: better (eth0 to 192.0.2.9, margin 2 %)"), "verdict");
	ok(strstr(text, "eth1 net.tx"), "what was not measured");
	ok(strstr(text, "The profile is in force."), "what is in force");
}

/* Exactly one sentence tells what is in force. */
static void test_end(struct run run, bool kept, bool stuck, const char *want)
{
	static const char *const ends[] = { "The profile is in force.",
					    "The settings are as before.",
					    "Some settings could not be put back" };
	_cleanup_free_ char *text = NULL;
	unsigned n = 0;

	run.kept = kept;
	run.stuck = stuck;
	if (trial_text(&run, &text) < 0)
		return (void)ok(false, "a table");
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		n += strstr(text, ends[i]) != NULL;
	ok(n == 1 && strstr(text, want), "kept %d, stuck %d: %s", kept, stuck, want);
}

static void test_utf8(struct run run)
{
	static const char *const bad[] = {
		"\xff",	    "\x80",		"a\xc3",
		"\xc0\xaf",	    "\xed\xa0\x80",	"\xf4\x90\x80\x80",
		"\xe3\x81",	    "\xf8\x88\x80\x80\x80",
	};
	static const char *const good[] = { "", "plain", "\xc3\xbc", "\xe3\x81\xaf",
					    "\xf0\x9f\x90\xa7", "\xf4\x8f\xbf\xbf" };
	struct run_setting odd = { "net.tx", "e\xfft", 0 };
	struct identity id = board;
	_cleanup_free_ char *text = NULL;
	json_t *doc;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(!run_text_valid(bad[i]), "bad UTF-8 %zu", i);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		ok(run_text_valid(good[i]), "good UTF-8 %zu", i);
	snprintf(id.model, sizeof(id.model), "Z\xe9ro");
	run.board = &id;
	run.host = run.label = run.peer = run.nic = run.sensor = "b\xff-\xc3\xbc";
	run.profile = "\xfe";
	run.not_measured = &odd;
	doc = run_json(&run);
	is_str(text_at(doc, "host"), "b?-\xc3\xbc", "a name that is no UTF-8 is no loss");
	is_str(text_at(doc, "profile"), "?", "of the profile");
	is_str(text_at(json_object_get(doc, "board"), "model"), "Z?ro", "of the board");
	json_decref(doc);
	is_int(trial_text(&run, &text), 0, "nor of the table");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

int main(void)
{
	char dir[] = "/tmp/test-run-XXXXXX", word[8];
	static const struct run_setting elsewhere = { "net.tx", "eth1", 0 };
	struct judge_config config = { .margin = JUDGE_MARGIN, .has_sensor = true,
				       .max_millicelsius = INT_MIN };
	struct judgement judgement;
	struct leg legs[4];
	struct run run = { .command = "trial", .profile = "nanopi-neo2", .board = &board,
			   .host = "neo2", .label = "", .peer = "192.0.2.9",
			   .nic = "eth0", .path = "terminated", .sensor = "cpu-thermal",
			   .started = 1499700000, .seconds = 5, .omit = 1,
			   .config = &config, .judgement = &judgement, .legs = legs,
			   .n_legs = 4, .not_measured = &elsewhere, .n_not_measured = 1,
			   .kept = true };
	struct sysroot root = SYSROOT_INIT;

	legs_make(legs);
	cell_list_parse("ipv4-tx", &config.cells, word, sizeof(word));
	judge_legs(&config, legs, 4, &judgement);
	test_json(&run);
	test_details(run);
	test_judged(run);
	test_text(&run);
	test_end(run, true, false, "The profile is in force.");
	test_end(run, false, false, "The settings are as before.");
	test_end(run, false, true, "Some settings could not be put back");
	test_utf8(run);
	setenv("XDG_STATE_HOME", "/state", 1);
	if (!mkdtemp(dir) || sysroot_open(dir, &root) < 0)
		return ok(false, "a directory"), done();
	test_save(&root, &run);
	sysroot_close(&root);
	is_int(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0, "cleaned up");
	return done();
}
