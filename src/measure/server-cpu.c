// SPDX-License-Identifier: GPL-2.0-or-later
// server-cpu.c - how busy the server's machine is, for clients that ask
#include "measure/server-cpu.h"

#include <inttypes.h>

/* user nice system idle iowait irq softirq steal; before 2.6.11 there is no steal. */
#define FIELDS 8
#define FIELD_IDLE 3
#define FIELD_IOWAIT 4

static bool server_cpu_parse_line(const char *rest, uint64_t *ret_busy,
				  uint64_t *ret_total)
{
	uint64_t total = 0, idle = 0;
	unsigned i;

	for (i = 0; i < FIELDS; i++) {
		char *end;
		uint64_t ticks = strtoull(rest, &end, 10);

		if (end == rest)
			break;
		rest = end;
		total += ticks;
		if (i == FIELD_IDLE || i == FIELD_IOWAIT)
			idle += ticks;
	}
	if (i <= FIELD_IDLE)
		return false;
	*ret_busy = total - idle;
	*ret_total = total;
	return true;
}

int server_cpu_parse(const char *text, struct server_cpu *ret)
{
	const char *line = text;
	unsigned n = 0;

	/* "cpu  1 2 ..." of all, then "cpu0 1 2 ..."; nothing else comes before. */
	while (line && str_after(line, "cpu") && n <= SERVER_CPUS_MAX) {
		const char *rest = str_after(line, "cpu");
		char *end;
		long number = strtol(rest, &end, 10);

		ret->cpus[n].number = *rest == ' ' ? -1 : (int)number;
		if (server_cpu_parse_line(*rest == ' ' ? rest : end, &ret->cpus[n].busy,
					  &ret->cpus[n].total))
			n++;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	ret->n = n;
	return n && ret->cpus[0].number < 0 ? 0 : -ENODATA;
}

int server_cpu_take(struct server_cpu *ret)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	_cleanup_free_ char *text = NULL;
	/* A line has at most 4 + 10 * 21 bytes. */
	size_t size = (SERVER_CPUS_MAX + 1) * 256, n;

	if (!f)
		return -errno;
	text = malloc(size);
	if (!text)
		return -ENOMEM;
	n = fread(text, 1, size - 1, f);
	text[n] = '\0';
	return server_cpu_parse(text, ret);
}

void server_cpu_fill(const struct server_cpu *from, const struct server_cpu *until,
		     struct iperf_extra *extra)
{
	double busiest = -1;
	unsigned j = 0;

	/* Both are in ascending order; a CPU may have come or gone. */
	for (unsigned i = 0; i < until->n; i++) {
		double busy, total;

		while (j < from->n && from->cpus[j].number < until->cpus[i].number)
			j++;
		if (j == from->n || from->cpus[j].number != until->cpus[i].number ||
		    until->cpus[i].total <= from->cpus[j].total)
			continue;
		busy = until->cpus[i].busy < from->cpus[j].busy ?
			       0 : until->cpus[i].busy - from->cpus[j].busy;
		total = until->cpus[i].total - from->cpus[j].total;
		/* iowait can go back (proc(5)). */
		busy = busy > total ? 1 : busy / total;
		if (until->cpus[i].number < 0)
			extra->machine_busy = busy;
		else if (busy > busiest)
			busiest = busy;
	}
	if (busiest >= 0)
		extra->busiest_cpu = busiest;
}
