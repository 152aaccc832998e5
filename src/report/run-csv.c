// SPDX-License-Identifier: GPL-2.0-or-later
// run-csv.c - the samples of a saved run as CSV, a row each (RFC 4180)
#include <math.h>

#include "report/run-report.h"

static unsigned clocks_of(const struct run_doc *doc)
{
	unsigned most = 0;

	for (size_t i = 0; i < doc->n_legs; i++)
		for (size_t k = 0; k < doc->legs[i].n_tests; k++) {
			const struct run_doc_test *t = &doc->legs[i].tests[k];

			for (size_t s = 0; s < t->n_samples; s++)
				if (t->samples[s].n_clocks > most)
					most = t->samples[s].n_clocks;
		}
	return most;
}

/* A field, empty where nothing is known. */
static void put_number(FILE *f, const char *format, double x)
{
	if (isfinite(x))
		fprintf(f, format, x);
}

/* Every text in a row is a word of ours: nothing has to be quoted. */
static void put_sample(FILE *f, const struct run_doc_leg *leg,
		       const struct run_doc_test *t, const struct run_doc_sample *s,
		       unsigned clocks)
{
	put_number(f, "%.3f", s->at);
	fprintf(f, ",%s,%u,%s,%d,%d,", leg->side == TRIAL_BEFORE ? "before" : "after",
		leg->pair + 1, t->name, s->counting, leg->discarded);
	put_number(f, "%.3f", s->mbps);
	fputc(',', f);
	put_number(f, "%.3f", s->celsius);
	fputc(',', f);
	put_number(f, "%.4f", s->busy);
	fputc(',', f);
	put_number(f, "%.4f", s->softirq);
	for (unsigned p = 0; p < clocks; p++) {
		fputc(',', f);
		put_number(f, "%.3f",
			   p < s->n_clocks && s->khz[p] ? s->khz[p] / 1000.0 : NAN);
	}
	fputs("\r\n", f);
}

int run_csv(const struct run_doc *doc, FILE *f)
{
	unsigned clocks = clocks_of(doc);

	fputs("seconds,side,round,test,counting,discarded,mbps,celsius,busy,softirq", f);
	for (unsigned p = 0; p < clocks; p++)
		fprintf(f, ",clock%u_mhz", p);
	fputs("\r\n", f);
	for (size_t i = 0; i < doc->n_legs; i++) {
		const struct run_doc_leg *leg = &doc->legs[i];

		for (size_t k = 0; k < leg->n_tests; k++)
			for (size_t s = 0; s < leg->tests[k].n_samples; s++)
				put_sample(f, leg, &leg->tests[k],
					   &leg->tests[k].samples[s], clocks);
	}
	return 0;
}
