// SPDX-License-Identifier: GPL-2.0-or-later
// test-run-compare.c - Welch's interval of a ratio, and two saved runs side by side
#include "measure/run-compare.h"
#include "run-sim.h"
#include "tap.h"

/* Two series whose logarithms are 0, 1, 2 and 1, 3, 5, 7, by hand: the means are 1 and 4,
 * the variances of the means 1/3 and 5/3, so that df = 4 / (1/18 + 25/27) = 4.075 -> 4,
 * t(0.975, 4) = 2.776445, half = 2.776445 * sqrt(2) = 3.926486. */
static void test_by_hand(void)
{
	const double a[] = { 1, exp(1), exp(2) };
	const double b[] = { exp(1), exp(3), exp(5), exp(7) };
	struct stats_interval i = { 9, 9, 9, 9 };

	is_int(stats_welch_interval(a, 3, b, 4, 0.05, 1, &i), 0, "an interval");
	is_near(log(i.ratio), 3, 1e-9, "the ratio is that of the geometric means");
	is_near(log(i.low), 3 - 3.926486, 1e-5, "its lower end");
	is_near(log(i.high), 3 + 3.926486, 1e-5, "its upper end");
	is_near(i.half, sinh(3.926486), 1e-3, "half of its width");
	stats_welch_interval(a, 3, b, 4, 0.05, 4, &i);
	ok(log(i.high) > 3 + 3.926486, "four at once are wider");
	stats_welch_interval(b, 4, a, 3, 0.05, 1, &i);
	is_near(log(i.high), -3 + 3.926486, 1e-5, "the other way round it is mirrored");
}

static void test_edges(void)
{
	const double same[] = { 5, 5, 5 }, bad[] = { 5, 0, 5 }, nan[] = { 5, NAN, 5 };
	struct stats_interval i = { 9, 9, 9, 9 };

	is_int(stats_welch_interval(same, 1, same, 3, 0.05, 1, &i), -ENODATA,
	       "one value");
	is_int(stats_welch_interval(same, 3, same, 1, 0.05, 1, &i), -ENODATA,
	       "of either");
	is_int(stats_welch_interval(same, 3, bad, 3, 0.05, 1, &i), -EDOM, "a zero");
	is_int(stats_welch_interval(nan, 3, same, 3, 0.05, 1, &i), -EDOM, "no number");
	is_near(i.ratio, 9, 0, "a failure leaves the result alone");
	is_int(stats_welch_interval(same, 3, same, 3, 0.05, 1, &i), 0, "no spread");
	ok(i.low == 1 && i.high == 1, "is an interval of one point");
}

/* The same mean in both, many times: the interval holds it in about 95 %. */
static void test_coverage(void)
{
	struct run_sim sim = { .seed = 11 };
	unsigned inside = 0, trials = 4000;

	for (unsigned k = 0; k < trials; k++) {
		struct stats_interval i = { 0 };
		double a[4], b[8];

		for (size_t n = 0; n < 4; n++)
			a[n] = 600 * exp(0.03 * run_sim_normal(&sim));
		for (size_t n = 0; n < 8; n++)
			b[n] = 600 * exp(0.01 * run_sim_normal(&sim));
		stats_welch_interval(a, 4, b, 8, 0.05, 1, &i);
		inside += i.low <= 1 && i.high >= 1;
	}
	ok(inside >= trials * 94 / 100 && inside <= trials * 975 / 1000,
	   "unequal spreads and numbers: %u of %u hold the truth", inside, trials);
}

static struct run_doc doc_make(struct run_sim sim, struct run_sim_names names)
{
	json_t *json = run_sim_document(&sim, &names);
	_cleanup_free_ char *text = json_dumps(json, JSON_COMPACT);
	struct run_doc doc = { 0 };
	char error[RUN_DOC_ERROR_MAX] = "no memory";

	json_decref(json);
	if (!text || run_doc_parse(text, strlen(text), true, &doc, error) < 0)
		ok(false, "a document: %s", error);
	return doc;
}

static void test_runs(void)
{
	struct run_sim slow = { .seed = 1, .effect = 1, .noise = 0.005 };
	struct run_sim fast = { .seed = 2, .effect = 1.2, .noise = 0.005 };
	struct run_sim bare = { .seed = 2, .effect = 1.2, .noise = 0.005, .bare = true };
	struct run_sim_names four = { .pairs = 4 };
	struct run_sim_names one = { .pairs = 4, .cells = "ipv4-tx" };
	struct run_sim_names other = { .pairs = 4, .model = "Another board" };
	struct run_doc a = doc_make(slow, four), b = doc_make(fast, four);
	struct run_doc c = doc_make(fast, one), d = doc_make(bare, other);
	struct run_compared got;

	is_int(run_compare_differences(&a, &b), 0, "the same board and tests");
	is_int(run_compare_differences(&b, &c), RUN_DIFFERS_TESTS, "fewer tests");
	is_int(run_compare_differences(&c, &b), RUN_DIFFERS_TESTS, "more tests");
	is_int(run_compare_differences(&a, &d), RUN_DIFFERS_BOARD, "another board");
	b.seconds = 10;
	is_int(run_compare_differences(&a, &b), RUN_DIFFERS_TESTS, "longer tests");
	b.seconds = a.seconds;
	b.udp = true;
	is_int(run_compare_differences(&a, &b), RUN_DIFFERS_TESTS, "datagrams");
	b.udp = false;
	b.bitrate = 1e8;
	is_int(run_compare_differences(&a, &b), RUN_DIFFERS_TESTS, "at a rate");
	b.bitrate = 0;
	b.streams++;
	is_int(run_compare_differences(&a, &b), RUN_DIFFERS_TESTS, "more streams");
	b.streams--;
	is_int(run_compare_differences(&a, &b), 0, "and again the same");
	b.seconds = 10;

	is_int(run_compare_cell(&a, &b, "ipv4-tx", TRIAL_AFTER, RUN_COMPARE_MBPS, 4,
				&got),
	       0, "after against after");
	is_near(got.ratio.ratio, 1.2, 0.02, "the effect is found");
	ok(got.ratio.low < 1.2 && got.ratio.high > 1.2 && got.ratio.low > 1.15,
	   "with its interval");
	run_compare_cell(&a, &b, "ipv4-tx", TRIAL_BEFORE, RUN_COMPARE_MBPS, 4, &got);
	ok(got.ratio.low < 1 && got.ratio.high > 1, "before against before: none");
	run_compare_cell(&a, &b, "ipv4-tx", TRIAL_AFTER, RUN_COMPARE_CPU, 4, &got);
	is_near(got.ratio.ratio, 1 / 1.2, 0.02, "the CPU cost falls as much");
	run_compare_cell(&a, &c, "ipv6-rx", TRIAL_AFTER, RUN_COMPARE_MBPS, 4, &got);
	ok(isfinite(got.a) && isnan(got.b) && isnan(got.ratio.low),
	   "what one run lacks has no ratio");
	for (size_t i = 0; i < b.n_legs; i++)
		b.legs[i].discarded = true;
	run_compare_cell(&a, &b, "ipv4-tx", TRIAL_AFTER, RUN_COMPARE_MBPS, 4, &got);
	ok(isnan(got.b), "rounds that were discarded do not count");
	run_doc_clear(&a);
	run_doc_clear(&b);
	run_doc_clear(&c);
	run_doc_clear(&d);
}

int main(void)
{
	test_by_hand();
	test_edges();
	test_coverage();
	test_runs();
	return done();
}
