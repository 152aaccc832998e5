// SPDX-License-Identifier: GPL-2.0-or-later
// clocks-last.c - time at each clock since the last call, by a record in /run
#include <inttypes.h>

#include "engine/state.h"
#include "report/clocks.h"

/* A line for each policy: its number, transitions, then "kHz:ticks" by clock. */
#define CLOCKS_RECORD STATE_DIR "/clocks"

/* The time at one clock in a line of the record; false if it does not have it. */
static bool find_ticks(const char *line, uint32_t khz, uint64_t *ret)
{
	uint32_t at;
	int n;

	for (; sscanf(line, " %" SCNu32 ":%" SCNu64 "%n", &at, ret, &n) == 2; line += n)
		if (at == khz)
			return true;
	return false;
}

/* Counters that have become less were reset (stats/reset, 4.8): nothing is known then. */
static void compare(struct clock *c, const char *line, int64_t transitions)
{
	struct sample_clocks since = c->times;

	for (unsigned i = 0; i < since.n; i++) {
		uint64_t before;

		if (!find_ticks(line, since.states[i].khz, &before) ||
		    before > since.states[i].ticks)
			return;
		since.states[i].ticks -= before;
	}
	c->last_times = since;
	if (transitions >= 0 && c->transitions >= transitions)
		c->last_transitions = c->transitions - transitions;
}

int clocks_last(struct system *sys, struct clock *clocks, size_t n)
{
	_cleanup_free_ char *text = NULL;
	ssize_t size = sysroot_read_all(&sys->root, CLOCKS_RECORD, &text);
	char *rest = text, *line;

	if (size < 0)
		return size == -ENOMEM ? -ENOMEM : 0;
	while ((line = strsep(&rest, "\n"))) {
		int64_t transitions;
		unsigned number;
		int used;

		if (sscanf(line, "%u %" SCNd64 "%n", &number, &transitions, &used) != 2)
			continue;
		for (size_t i = 0; i < n; i++)
			if (clocks[i].number == number && clocks[i].times.n)
				compare(&clocks[i], line + used, transitions);
	}
	return 0;
}

int clocks_keep(struct system *sys, const struct clock *clocks, size_t n)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!f)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct sample_clocks *times = &clocks[i].times;

		fprintf(f, "%u %" PRId64, clocks[i].number, clocks[i].transitions);
		for (unsigned k = 0; k < times->n; k++)
			fprintf(f, " %" PRIu32 ":%" PRIu64, times->states[k].khz,
				times->states[k].ticks);
		fputc('\n', f);
	}
	if (fclose(f) == EOF)
		return -ENOMEM;
	r = sysroot_mkdir_all(&sys->root, STATE_DIR, 0755);
	return r < 0 ? r
		     : sysroot_replace(&sys->root, CLOCKS_RECORD, text, size, 0644);
}
