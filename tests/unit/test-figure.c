// SPDX-License-Identifier: GPL-2.0-or-later
// test-figure.c - what repeated tests of a cell come to, as figures, JSON and a table
#include <limits.h>
#include <math.h>

#include "measure/figure.h"
#include "report/measure-text.h"
#include "tap.h"

static double rtts[][3] = { { 4, 1, 2 }, { 9, 3, 5 } };

static struct test_result test_tcp(double mbps, unsigned repetition)
{
	return (struct test_result){
		.traffic = {
			.mbps = mbps,
			.retransmits = 3,
			.tx = { .bytes = 1000, .mbps = mbps, .rtt_ms = 7 },
		},
		.cpu_ms_per_gb = mbps,
		.millicelsius = 50000 + 1000 * (int)repetition,
		.rtt_ms = rtts[repetition],
		.n_rtt = 3,
	};
}

static struct test_result test_udp(double mbps, uint64_t lost)
{
	return (struct test_result){
		.traffic = {
			.mbps = mbps,
			.retransmits = -1,
			.tx = { .bytes = 1000, .mbps = mbps - 40, .packets = 100,
				.lost = lost, .jitter_ms = 0.5, .rtt_ms = NAN },
			.rx = { .bytes = 1000, .mbps = 40, .packets = 100,
				.jitter_ms = 0.2, .rtt_ms = NAN },
		},
		.cpu_ms_per_gb = NAN,
		.millicelsius = INT_MIN,
	};
}

static const struct cell *cell(const char *name)
{
	struct cell_list list;
	char word[32];

	if (cell_list_parse(name, &list, word, sizeof(word)) < 0)
		return NULL;
	return list.cells[0];
}

static void test_means(void)
{
	struct leg legs[3] = {
		{ .n_tests = 1, .tests = { test_tcp(100, 0) } },
		{ .n_tests = 1, .tests = { test_tcp(300, 1) } },
		{ .n_tests = 0 },
	};
	struct figure f;

	is_int(figure_make(cell("ipv4-tx"), 0, legs, 3, &f), 0, "two tests, one lost");
	is_int(f.n, 2, "two count");
	is_near(f.mbps, 200, 1e-9, "throughput is the mean");
	is_near(f.low, 100, 1e-9, "the lowest");
	is_near(f.high, 300, 1e-9, "the highest");
	is_near(f.cpu_ms_per_gb, 200, 1e-9, "cost is the mean");
	is_near(f.retransmits, 6, 1e-9, "retransmits add up");
	is_near(f.rtt_ms, 3.5, 1e-9, "the median of all echoes");
	is_int(f.millicelsius, 51000, "the highest temperature");
	ok(isnan(f.lost) && isnan(f.jitter_ms) && isnan(f.tx_mbps),
	   "nothing of datagrams, nor of ways of their own");
	legs[0].tests[0].n_rtt = legs[1].tests[0].n_rtt = 0;
	legs[1].tests[0].traffic.retransmits = -1;
	is_int(figure_make(cell("ipv4-tx"), 0, legs, 2, &f), 0, "without echoes");
	is_near(f.rtt_ms, 7, 1e-9, "TCP tells the round-trip time");
	ok(isnan(f.retransmits), "once unknown, retransmits are unknown");
	is_int(figure_make(cell("ipv4-tx"), 0, legs, 0, &f), 0, "no test");
	ok(f.n == 0 && isnan(f.mbps) && isnan(f.low) && isnan(f.retransmits),
	   "nothing is known");
}

static void test_datagrams(void)
{
	struct leg legs[] = {
		{ .n_tests = 1, .tests = { test_udp(90, 10) } },
		{ .n_tests = 1, .tests = { test_udp(110, 30) } },
		{ .n_tests = 1, .tests = { test_udp(900, 30) }, .discarded = true },
	};
	struct figure f;

	is_int(figure_make(cell("ipv6-tx"), 0, legs, 3, &f), 0, "datagrams");
	is_int(f.n, 2, "what was discarded does not count");
	is_near(f.lost, 0.1, 1e-9, "lost, of both ways");
	is_near(f.jitter_ms, 0.5, 1e-9, "the worst jitter");
	ok(isnan(f.retransmits) && isnan(f.rtt_ms) && isnan(f.cpu_ms_per_gb),
	   "what nobody told is not known");
}

static const struct identity board = { .kernel = "6.18" };

static struct run run_of(struct leg *legs, size_t n, const struct judge_config *config,
			 const struct judgement *j)
{
	return (struct run){
		.command = "measure", .profile = "", .board = &board, .host = "board",
		.label = "", .peer = "192.0.2.2", .nic = "eth0", .path = "terminated",
		.seconds = 5, .omit = 1, .config = config, .judgement = j, .legs = legs,
		.n_legs = n,
	};
}

static void test_documents(void)
{
	struct leg leg = { .n_tests = 1, .tests = { test_tcp(934.12345, 0) } };
	struct judge_config config = { .cells = { { cell("ipv4-tx") }, 1 } };
	struct judgement j = { .flags = 1u << JUDGE_NO_SENSOR };
	struct run run = run_of(&leg, 1, &config, &j);
	_cleanup_free_ char *text = NULL, *udp = NULL;
	struct figure f;
	json_t *doc, *item;

	is_int(figure_make(config.cells.cells[0], 0, &leg, 1, &f), 0, "one test");
	doc = figure_json(&run, &f, 1);
	item = json_array_get(json_object_get(doc, "cells"), 0);
	is_near(json_real_value(json_object_get(item, "mbps")), 934.123, 1e-9, "mbps");
	is_int(json_integer_value(json_object_get(item, "retransmits")), 3,
	       "retransmits");
	ok(json_is_null(json_object_get(item, "lost")), "lost is null");
	is_str(json_string_value(json_object_get(item, "nic")), "eth0", "nic");
	ok(!json_object_get(item, "before_mbps"), "nothing is compared");
	ok(doc && !json_object_get(doc, "verdict"), "nothing is judged");
	is_int(json_array_size(json_object_get(doc, "legs")), 1, "with its tests");
	item = json_array_get(json_object_get(doc, "cpu_ms_per_gb"), 0);
	is_near(json_real_value(json_object_get(item, "mean")), 934.123, 1e-9, "cost");
	json_decref(doc);

	is_int(measure_text(&run, false, &f, 1, &text), 0, "the table");
	ok(strstr(text, "eth0 to 192.0.2.2, TCP, 5 s each\n"), "says where and how");
	ok(strstr(text, "\nIPv4 tx   934.1      934.1        3    2.00  50.0\n"),
	   "the figures");
	ok(strstr(text, "\n  no-sensor: "), "what is to be known");
	ok(!strstr(text, "FROM-TO") && !strstr(text, "JITTER"), "no column without need");
	is_int(measure_text(&run, true, &f, 1, &udp), 0, "of datagrams");
	ok(strstr(udp, "UDP") && strstr(udp, "LOST %  JITTER MS") &&
		   !strstr(udp, "RETRANS"), "other columns");
	printf("# %s", text);
}

int main(void)
{
	test_means();
	test_datagrams();
	test_documents();
	return done();
}
