// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-clocks.c - status --clocks: the cpufreq policies, and their time at each clock
#include "cmd.h"
#include "report/clocks.h"

static json_t *text_json(const char *s)
{
	return *s ? json_string(s) : json_null();
}

static json_t *khz_json(uint32_t khz)
{
	return khz ? json_integer(khz) : json_null();
}

static json_t *count_json(int64_t count)
{
	return count < 0 ? json_null() : json_integer(count);
}

static json_t *share_json(double share)
{
	return share < 0 ? json_null() : json_real(share);
}

static json_t *cpus_json(const struct cpus *set)
{
	char list[CPUS_LIST_MAX];

	return cpus_empty(set) ? json_null()
			       : json_string(cpus_format_list(set, list, sizeof(list)));
}

static json_t *points_json(const struct clock_points *points)
{
	json_t *array = json_array();

	for (size_t i = 0; i < points->n; i++)
		json_array_append_new(array, json_integer(points->khz[i]));
	return array;
}

static json_t *words_json(const char *words)
{
	json_t *array = json_array();

	while (*words) {
		size_t n = strcspn(words, " ");

		if (n)
			json_array_append_new(array, json_stringn(words, n));
		words += n + (words[n] == ' ');
	}
	return array;
}

static json_t *boost_json(enum clock_switch boost)
{
	switch (boost) {
	case CLOCK_SWITCH_NONE:
		return json_null();
	case CLOCK_SWITCH_OFF:
		return json_false();
	case CLOCK_SWITCH_ON:
		return json_true();
	}
	return NULL;
}

static json_t *times_json(const struct clock *c)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < c->times.n; i++) {
		uint32_t khz = c->times.states[i].khz;

		json_array_append_new(
			array, json_pack("{s:I, s:o, s:o}", "khz", (json_int_t)khz,
					 "boot", share_json(clock_share(&c->times, khz)),
					 "last",
					 share_json(clock_share(&c->last_times, khz))));
	}
	return array;
}

static json_t *clock_json(const struct clock *c)
{
	char name[32];

	snprintf(name, sizeof(name), "policy%u", c->number);
	return json_pack(
		"{s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, "
		"s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"policy", name, "cpus", cpus_json(&c->cpus), "affected_cpus",
		cpus_json(&c->online), "online", !c->offline, "driver",
		text_json(c->driver), "governor", text_json(c->governor), "governors",
		words_json(c->governors), "hw_khz", khz_json(c->hw_khz), "kernel_khz",
		khz_json(c->kernel_khz), "min_khz", khz_json(c->min_khz), "max_khz",
		khz_json(c->max_khz), "hw_min_khz", khz_json(c->hw_min_khz),
		"hw_max_khz", khz_json(c->hw_max_khz), "held", c->held, "points_khz",
		points_json(&c->points), "boost_points_khz",
		points_json(&c->boost_points), "boost", boost_json(c->boost),
		"latency_ns", count_json(c->latency_ns), "transitions",
		count_json(c->transitions), "last_transitions",
		count_json(c->last_transitions), "last_seconds",
		c->last_times.n ? json_real(clock_seconds(&c->last_times)) : json_null(),
		"times", times_json(c));
}

static int print_json(struct cmd *c, const struct clock *clocks, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, clock_json(&clocks[i]));
	return cmd_json_print(json_pack("{s:i, s:s, s:o, s:o, s:i}", "schema", 1,
					"command", c->name, "board", cmd_json_board(c),
					"clocks", array, "exit", EXIT_AS_WANTED));
}

int cmd_status_clocks(struct cmd *c)
{
	_cleanup_free_ struct clock *clocks = NULL;
	_cleanup_free_ char *text = NULL;
	size_t n = 0;
	int r = clocks_read(&c->sys, &clocks, &n), kept = 0;

	if (r == 0)
		r = clocks_last(&c->sys, clocks, n);
	if (r == 0)
		r = clocks_text(clocks, n, &text);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	if (n)
		kept = clocks_keep(&c->sys, clocks, n);
	if (c->json)
		return print_json(c, clocks, n);
	if (c->quiet)
		return EXIT_AS_WANTED;
	fputs(text, stdout);
	if (kept < 0)
		printf(_("\nThe next call will not know of this one: %s\n"),
		       strerror(-kept));
	return EXIT_AS_WANTED;
}
