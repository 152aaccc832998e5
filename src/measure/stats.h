/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h - means, Student's t and the interval of a paired ratio; pure functions */
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

#endif
