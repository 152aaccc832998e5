/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h - means, quantiles, Student's t and intervals of a ratio; pure functions */
#ifndef BOARDTUNE_STATS_H
#define BOARDTUNE_STATS_H

#include "base/base.h"

/* A ratio after/before with its confidence interval; 1 is no change. */
struct stats_interval {
	double ratio;
	double low;
	double high;
	double half; /* half of the width, relative to the ratio: 0.015 is 1.5 % */
};

/** stats_mean - arithmetic mean; NAN for none */
double stats_mean(const double *x, size_t n);

/** stats_sd - standard deviation of a sample (divided by n - 1); NAN below two values */
double stats_sd(const double *x, size_t n);

/** stats_geometric_mean - of positive values; NAN for none */
double stats_geometric_mean(const double *x, size_t n);

/**
 * stats_sort - in rising order; no NAN among them
 */
void stats_sort(double *x, size_t n);

/**
 * stats_quantile - the value below which a share @p of a sorted sample lies
 * @sorted: in rising order
 * @p: 0 to 1: 0.95
 *
 * Linear between the two values next to it: type 7 of Hyndman and Fan, Sample Quantiles
 * in Statistical Packages, The American Statistician 50 (1996). NAN for no values.
 */
double stats_quantile(const double *sorted, size_t n, double p);

/**
 * stats_slope - of the straight line with the least squares through the points
 *
 * Returns units of @y by unit of @x; NAN below two different values of @x.
 */
double stats_slope(const double *x, const double *y, size_t n);

/**
 * stats_t_cdf - probability that Student's t with @df degrees of freedom is below @t
 *
 * The finite series for whole degrees of freedom (Abramowitz and Stegun, 26.7.3, 26.7.4).
 */
double stats_t_cdf(double t, unsigned df);

/** stats_t_quantile - the t below which a share @p lies; NAN unless 0 < p < 1, df > 0 */
double stats_t_quantile(double p, unsigned df);

/**
 * stats_ratio_interval - interval of the ratio after/before from paired measurements
 * @before: positive values
 * @after: positive values, the i-th belongs to the i-th of @before
 * @n: number of pairs
 * @alpha: chance of missing the true ratio, over all @comparisons: 0.05
 * @comparisons: how many intervals are judged together (Bonferroni), at least 1
 *
 * The t interval of the mean of ln(after/before), so that a factor of two up and one of
 * two down weigh the same. Returns 0; -ENODATA below two pairs; -EDOM for a value that
 * is not positive and finite.
 */
int stats_ratio_interval(const double *before, const double *after, size_t n,
			 double alpha, unsigned comparisons, struct stats_interval *ret);

/**
 * stats_welch_interval - interval of the ratio b/a of two samples that are not paired
 * @a: positive values
 * @b: positive values
 * @alpha, @comparisons: as for stats_ratio_interval()
 *
 * Of the difference of the means of the logarithms, with variances of their own and the
 * degrees of freedom of Welch and Satterthwaite, rounded down. It knows what varies
 * within each sample, not what may have changed between them. Returns 0; -ENODATA below
 * two values of either; -EDOM for a value that is not positive and finite.
 */
int stats_welch_interval(const double *a, size_t na, const double *b, size_t nb,
			 double alpha, unsigned comparisons, struct stats_interval *ret);

#endif
