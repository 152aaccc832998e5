// SPDX-License-Identifier: GPL-2.0-or-later
// test-stats.c - quantiles against printed tables, intervals worked by hand
#include <math.h>

#include "measure/stats.h"
#include "tap.h"

/* Printed in every table of Student's t, two or three decimals. */
static const struct {
	unsigned df;
	double p, t;
} t_table[] = {
	{ 1, 0.975, 12.706 },	{ 2, 0.975, 4.303 },   { 3, 0.975, 3.182 },
	{ 4, 0.975, 2.776 },	{ 5, 0.975, 2.571 },   { 7, 0.975, 2.365 },
	{ 10, 0.975, 2.228 },	{ 30, 0.975, 2.042 },  { 120, 0.975, 1.980 },
	{ 1, 0.95, 6.314 },	{ 3, 0.95, 2.353 },    { 3, 0.995, 5.841 },
	{ 2, 0.995, 9.925 },	{ 9, 0.99, 2.821 },    { 3, 0.9995, 12.924 },
	{ 1, 0.75, 1.000 },	{ 2, 0.90, 1.886 },    { 60, 0.995, 2.660 },
};

static void test_quantile(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(t_table); i++)
		is_near(stats_t_quantile(t_table[i].p, t_table[i].df), t_table[i].t, 6e-4,
			"t(%g, %u)", t_table[i].p, t_table[i].df);
	is_near(stats_t_quantile(0.025, 4), -2.776, 6e-4, "the lower tail is negative");
	is_near(stats_t_quantile(0.5, 4), 0, 1e-9, "the median is 0");
	ok(isnan(stats_t_quantile(0, 3)) && isnan(stats_t_quantile(1, 3)),
	   "no quantile at 0 and 1");
	ok(isnan(stats_t_quantile(0.9, 0)), "no quantile without freedom");
	is_near(stats_t_cdf(stats_t_quantile(0.99375, 3), 3), 0.99375, 1e-9,
		"the distribution undoes the quantile");
}

static void test_moments(void)
{
	static const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	static const double g[] = { 1, 10, 100 };

	is_near(stats_mean(x, 8), 5, 1e-12, "mean");
	is_near(stats_sd(x, 8), sqrt(32.0 / 7), 1e-12, "sd of a sample");
	is_near(stats_geometric_mean(g, 3), 10, 1e-9, "geometric mean");
	ok(isnan(stats_mean(x, 0)) && isnan(stats_sd(x, 1)), "too few values");
}

static void test_quantiles(void)
{
	double x[] = { 40, 10, 30, 20, 50 };
	double many[100];

	stats_sort(x, 5);
	ok(x[0] == 10 && x[2] == 30 && x[4] == 50, "sorted");
	is_near(stats_quantile(x, 5, 0.5), 30, 1e-12, "the median of an odd number");
	is_near(stats_quantile(x, 4, 0.5), 25, 1e-12, "of an even one");
	/* type 7: at (n - 1) * p = 3.8 */
	is_near(stats_quantile(x, 5, 0.95), 48, 1e-12, "p95 lies between two");
	ok(stats_quantile(x, 5, 0) == 10 && stats_quantile(x, 5, 1) == 50, "both ends");
	is_near(stats_quantile(x, 1, 0.99), 10, 0, "of one value");
	ok(isnan(stats_quantile(x, 0, 0.5)), "of none");
	for (int i = 0; i < 100; i++)
		many[i] = i + 1;
	is_near(stats_quantile(many, 100, 0.99), 99.01, 1e-9, "p99 of 1 to 100");
}

static void test_slope(void)
{
	static const double x[] = { 0, 1, 2, 3 }, y[] = { 1, 3, 2, 5 }, same[] = { 7, 7 };

	/* products 5.5, squares 5 */
	is_near(stats_slope(x, y, 4), 1.1, 1e-12, "least squares");
	ok(isnan(stats_slope(x, y, 1)) && isnan(stats_slope(same, y, 2)),
	   "one place has no slope");
}

/* Worked by hand: logarithms with means 0 and 0.3, variances of the means 0.0025 and
 * 0.01; Welch and Satterthwaite: 0.0125^2 / (0.0025^2 / 3 + 0.01^2 / 3) = 4.41. */
static void test_welch(void)
{
	double a[4], b[4];
	static const double unit[] = { -1.161895, -0.387298, 0.387298, 1.161895 };
	struct stats_interval i, untouched = { .ratio = 7 };

	for (size_t k = 0; k < 4; k++) {
		a[k] = 500 * exp(0.1 * unit[k]);
		b[k] = 500 * exp(0.3 + 0.2 * unit[k]);
	}
	is_int(stats_welch_interval(a, 4, b, 4, 0.05, 1, &i), 0, "two samples");
	is_near(log(i.ratio), 0.3, 1e-6, "the ratio of their geometric means");
	/* t(0.975, 4) = 2.776445 */
	is_near(log(i.high) - 0.3, 2.776445 * sqrt(0.0125), 1e-5, "the upper end");
	is_near(0.3 - log(i.low), 2.776445 * sqrt(0.0125), 1e-5, "the lower end");
	is_int(stats_welch_interval(a, 2, b, 4, 0.05, 1, &i), 0, "of different size");
	is_near(log(i.ratio), 0.3 - 0.1 * (unit[0] + unit[1]) / 2, 1e-6, "their ratio");
	a[1] = a[2] = a[3] = a[0];
	is_int(stats_welch_interval(a, 4, a, 4, 0.05, 1, &i), 0,
	       "samples without variance");
	ok(i.low == 1 && i.high == 1, "have an interval of no width");
	is_int(stats_welch_interval(a, 1, b, 4, 0.05, 1, &untouched), -ENODATA,
	       "too few");
	is_int(stats_welch_interval(a, 4, b, 1, 0.05, 1, &untouched), -ENODATA,
	       "of either");
	b[3] = -1;
	is_int(stats_welch_interval(a, 4, b, 4, 0.05, 1, &untouched), -EDOM,
	       "a rate below 0");
	is_near(untouched.ratio, 7, 0, "failure leaves the result alone");
}

static void test_interval(void)
{
	/* ln ratios 0.1, 0.2, 0.3, 0.4: mean 0.25, sd 0.129099, t(3) 3.182446 */
	static const double before[] = { 100, 100, 100, 100 };
	double after[] = { 100 * exp(0.1), 100 * exp(0.2), 100 * exp(0.3),
			   100 * exp(0.4) };
	struct stats_interval one, four, untouched = { .ratio = 7 };

	is_int(stats_ratio_interval(before, after, 4, 0.05, 1, &one), 0, "an interval");
	is_near(log(one.ratio), 0.25, 1e-9, "its middle");
	is_near(log(one.low), 0.25 - 0.2054260, 1e-6, "its lower end");
	is_near(log(one.high), 0.25 + 0.2054260, 1e-6, "its upper end");
	is_near(one.half, (one.high - one.low) / 2 / one.ratio, 1e-9, "its half-width");
	is_int(stats_ratio_interval(before, after, 4, 0.05, 4, &four), 0, "of four");
	/* t(0.99375, 3) = 5.3919 */
	is_near(log(four.high) - 0.25, 5.3919 * 0.1290994 / 2, 2e-4,
		"four comparisons widen it (Bonferroni)");
	is_int(stats_ratio_interval(before, after, 1, 0.05, 1, &untouched), -ENODATA,
	       "one pair has no interval");
	after[2] = 0;
	is_int(stats_ratio_interval(before, after, 4, 0.05, 1, &untouched), -EDOM,
	       "a rate of zero has no logarithm");
	after[2] = NAN;
	is_int(stats_ratio_interval(before, after, 4, 0.05, 1, &untouched), -EDOM,
	       "nor has NAN");
	is_near(untouched.ratio, 7, 0, "failure leaves the result alone");
}

int main(void)
{
	test_quantile();
	test_moments();
	test_quantiles();
	test_slope();
	test_interval();
	test_welch();
	return done();
}
