// SPDX-License-Identifier: GPL-2.0-or-later
// stats.c - means, Student's t and the interval of a paired ratio; pure functions
#include <math.h>

#include "measure/stats.h"

double stats_mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / n : NAN;
}

double stats_sd(const double *x, size_t n)
{
	double mean = stats_mean(x, n), sum = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (n - 1));
}

double stats_geometric_mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += log(x[i]);
	return n ? exp(sum / n) : NAN;
}

/* The share of t between -t and t, for t >= 0. */
static double t_central_share(double t, unsigned df)
{
	double theta = atan(t / sqrt(df));
	double cos2 = cos(theta) * cos(theta);
	double term = df % 2 ? cos(theta) : 1;
	double sum = df == 1 ? 0 : term;

	for (unsigned k = df % 2 ? 3 : 2; k < df; k += 2) {
		term *= cos2 * (k - 1) / k;
		sum += term;
	}
	if (df % 2)
		return (theta + sin(theta) * sum) * M_2_PI;
	return sin(theta) * sum;
}

double stats_t_cdf(double t, unsigned df)
{
	double share = t_central_share(fabs(t), df);

	return t < 0 ? (1 - share) / 2 : (1 + share) / 2;
}

double stats_t_quantile(double p, unsigned df)
{
	double low = 0, high = 1, upper = p < 0.5 ? 1 - p : p;

	if (!(p > 0 && p < 1) || !df)
		return NAN;
	while (stats_t_cdf(high, df) < upper && high < 1e12)
		high *= 2;
	for (unsigned i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;

		if (stats_t_cdf(middle, df) < upper)
			low = middle;
		else
			high = middle;
	}
	return p < 0.5 ? -(low + high) / 2 : (low + high) / 2;
}

int stats_ratio_interval(const double *before, const double *after, size_t n,
			 double alpha, unsigned comparisons, struct stats_interval *ret)
{
	double sum = 0, squares = 0, mean, half;

	if (n < 2)
		return -ENODATA;
	for (size_t i = 0; i < n; i++) {
		if (!(before[i] > 0 && after[i] > 0) || !isfinite(before[i]) ||
		    !isfinite(after[i]))
			return -EDOM;
		sum += log(after[i] / before[i]);
	}
	mean = sum / n;
	for (size_t i = 0; i < n; i++) {
		double d = log(after[i] / before[i]) - mean;

		squares += d * d;
	}
	half = stats_t_quantile(1 - alpha / (2 * comparisons), n - 1) *
	       sqrt(squares / (n - 1) / n);
	*ret = (struct stats_interval){
		.ratio = exp(mean),
		.low = exp(mean - half),
		.high = exp(mean + half),
		.half = sinh(half),
	};
	return 0;
}
