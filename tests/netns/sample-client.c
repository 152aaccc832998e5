// SPDX-License-Identifier: GPL-2.0-or-later
// sample-client.c - the sampler from a shell: a sample per line of input, or its cost
#include <sys/resource.h>

#include "measure/sample.h"

/* "known rx_packets tx_packets" or "unknown" of each NIC, then the busy microseconds. */
static void print_sample(struct sampler *sampler, const struct sample_nics *nics)
{
	struct sample s;

	sampler_take(sampler, &s);
	for (size_t i = 0; i < nics->n; i++) {
		if (s.nics[i].known)
			printf("known %llu %llu ",
			       (unsigned long long)s.nics[i].rx_packets,
			       (unsigned long long)s.nics[i].tx_packets);
		else
			printf("unknown ");
	}
	printf("%llu\n", (unsigned long long)s.cpu_busy_us);
	fflush(stdout);
}

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Microseconds of CPU time for one of @n samples. */
static void print_cost(struct sampler *sampler, unsigned n)
{
	double start = cpu_seconds();
	struct sample s;

	for (unsigned i = 0; i < n; i++)
		sampler_take(sampler, &s);
	printf("%.1f\n", (cpu_seconds() - start) * 1e6 / n);
}

int main(int argc, char **argv)
{
	struct sysroot root = SYSROOT_INIT;
	struct sample_nics nics = { 0 };
	struct sampler *sampler;
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	char line[16];
	int r;

	if (argc < 2 || argc > 2 + SAMPLE_NICS_MAX) {
		fprintf(stderr, "usage: %s COUNT|0 [INTERFACE...]\n", argv[0]);
		return 2;
	}
	for (int i = 2; i < argc; i++)
		snprintf(nics.names[nics.n++], IF_NAMESIZE, "%s", argv[i]);
	r = sysroot_open(NULL, &root);
	if (r == 0)
		r = sampler_open(&root, &nics, &sampler);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], errno_name(r));
		return 1;
	}
	if (n)
		print_cost(sampler, n);
	while (!n && fgets(line, sizeof(line), stdin))
		print_sample(sampler, &nics);
	sampler_close(sampler);
	sysroot_close(&root);
	return 0;
}
