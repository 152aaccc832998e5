// SPDX-License-Identifier: GPL-2.0-or-later
// simulate.c - how often trials of simulated boards find what is true: a table
#include <stdlib.h>

#include "unit/trial-sim.h"

#define TRIALS 2000
#define SEED 20
#define Z95 1.959964 /* of the normal distribution, 95 % */

static const double effects[] = { 1, 1.01, 0.99, 1.05, 0.95 };

/* Wilson's interval of a share, in percent. */
static void wilson(unsigned count, unsigned n, double *ret_low, double *ret_high)
{
	double p = (double)count / n, z2 = Z95 * Z95 / n;
	double middle = (p + z2 / 2) / (1 + z2);
	double half = Z95 * sqrt(p * (1 - p) / n + z2 / n / 4) / (1 + z2);

	*ret_low = fmax(0, middle - half) * 100;
	*ret_high = fmin(1, middle + half) * 100;
}

static void print_row(const struct sim_model *m, double effect, const struct sim_tally *t)
{
	unsigned called = t->verdicts[VERDICT_BETTER] + t->verdicts[VERDICT_WORSE];
	double low, high;

	wilson(called, t->trials, &low, &high);
	printf("%-28s %+4.0f %%", m->name, (effect - 1) * 100);
	for (unsigned v = 0; v <= VERDICT_INCONCLUSIVE; v++)
		printf(" %6.2f", 100.0 * t->verdicts[v] / t->trials);
	printf("   %6.2f to %6.2f  %7.2f  %5.1f %6.1f\n", low, high,
	       100.0 * t->covered / t->trials, t->pairs, t->seconds / 60);
	fflush(stdout);
}

/* simulate [TRIALS [SEED]] */
int main(int argc, char **argv)
{
	unsigned trials = argc > 1 ? strtoul(argv[1], NULL, 10) : TRIALS;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : SEED;

	if (!trials) {
		fputs("simulate [TRIALS [SEED]]\n", stderr);
		return 2;
	}
	printf("%u trials each, seed %llu; verdicts in %%; called: better or worse, its "
	       "95 %% interval;\ncovered: all intervals of throughput hold the truth\n\n"
	       "%-28s %6s %6s %6s %6s %6s   %16s  %7s  %5s %6s\n",
	       trials, (unsigned long long)seed, "model", "truth", "better", "same",
	       "worse", "incon.", "called", "covered", "pairs", "min");
	for (size_t m = 0; m < ARRAY_SIZE(sim_models); m++)
		for (size_t e = 0; e < ARRAY_SIZE(effects); e++) {
			struct sim_tally t;

			if (sim_trials(&sim_models[m], effects[e], trials, seed, &t) < 0)
				return 1;
			print_row(&sim_models[m], effects[e], &t);
		}
	return 0;
}
