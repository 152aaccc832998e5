// SPDX-License-Identifier: GPL-2.0-or-later
// stats.c - means, quantiles, Student's t and intervals of a ratio; pure functions
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

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void stats_sort(double *x, size_t n)
{
	if (n)
		qsort(x, n, sizeof(*x), compare_doubles);
}

double stats_quantile(const double *sorted, size_t n, double p)
{
	double at = n ? (n - 1) * p : 0;
	size_t below = at;

	if (!n)
		return NAN;
	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

double stats_slope(const double *x, const double *y, size_t n)
{
	double mean_x = stats_mean(x, n), mean_y = stats_mean(y, n);
	double products = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		products += (x[i] - mean_x) * (y[i] - mean_y);
		squares += (x[i] - mean_x) * (x[i] - mean_x);
	}
	return squares > 0 ? products / squares : NAN;
}

/* The share of t between -t and t, for t >= 0. */
static double t_central_share(double t, unsigned df)
{
	/* theta is atan(t / sqrt(df)) */
	double cos2 = df / (df + t * t);
	double sine = t / sqrt(df + t * t);
	double term = df % 2 ? sqrt(cos2) : 1;
	double sum = df == 1 ? 0 : term;

	for (unsigned k = df % 2 ? 3 : 2; k < df; k += 2) {
		term *= cos2 * (k - 1) / k;
		sum += term;
	}
	if (df % 2)
		return (atan(t / sqrt(df)) + sine * sum) * M_2_PI;
	return sine * sum;
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
	while (stats_t_cdf(high, df) < upper && high < 1e12) {
		low = high;
		high *= 2;
	}
	for (unsigned i = 0; i < 200 && high - low > 1e-10 * high; i++) {
		double middle = (low + high) / 2;

		if (stats_t_cdf(middle, df) < upper)
			low = middle;
		else
			high = middle;
	}
	return p < 0.5 ? -(low + high) / 2 : (low + high) / 2;
}

/* Around the mean of logarithms, as a ratio. */
static struct stats_interval interval_make(double mean, double half)
{
	return (struct stats_interval){
		.ratio = exp(mean),
		.low = exp(mean - half),
		.high = exp(mean + half),
		.half = sinh(half),
	};
}

int stats_ratio_interval(const double *before, const double *after, size_t n,
			 double alpha, unsigned comparisons, struct stats_interval *ret)
{
	double sum = 0, squares = 0, mean, t;

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
	t = stats_t_quantile(1 - alpha / (2 * comparisons), n - 1);
	*ret = interval_make(mean, t * sqrt(squares / (n - 1) / n));
	return 0;
}

/* The mean of the logarithms of a sample, and the variance of that mean. */
static int log_mean(const double *x, size_t n, double *ret_mean, double *ret_variance)
{
	double sum = 0, squares = 0, mean;

	if (n < 2)
		return -ENODATA;
	for (size_t i = 0; i < n; i++) {
		if (!(x[i] > 0) || !isfinite(x[i]))
			return -EDOM;
		sum += log(x[i]);
	}
	mean = sum / n;
	for (size_t i = 0; i < n; i++)
		squares += (log(x[i]) - mean) * (log(x[i]) - mean);
	*ret_mean = mean;
	*ret_variance = squares / (n - 1) / n;
	return 0;
}

int stats_welch_interval(const double *a, size_t na, const double *b, size_t nb,
			 double alpha, unsigned comparisons, struct stats_interval *ret)
{
	double mean_a, mean_b, va, vb, df = 1, t;
	int r;

	r = log_mean(a, na, &mean_a, &va);
	if (r == 0)
		r = log_mean(b, nb, &mean_b, &vb);
	if (r < 0)
		return r;
	/* Without any variance every number of degrees gives the same. */
	if (va + vb > 0)
		df = (va + vb) * (va + vb) /
		     (va * va / (na - 1) + vb * vb / (nb - 1));
	/* From the lesser of na - 1 and nb - 1 to the sum of both; less a rounding. */
	t = stats_t_quantile(1 - alpha / (2 * comparisons),
			     (unsigned)(df * (1 + 1e-12)));
	*ret = interval_make(mean_b - mean_a, t * sqrt(va + vb));
	return 0;
}
