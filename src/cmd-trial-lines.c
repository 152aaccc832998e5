// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-trial-lines.c - trial --json-lines: samples and events as they come, a line each
#include <poll.h>

#include "cmd-trial.h"
#include "measure/run-json.h"

/* A pipe that poll() calls writable takes this much at once (pipe(7), PIPE_BUF). */
#define LINE_MAX_BYTES 4096

static json_t *number(double x)
{
	return run_json_rounded(x, 1e-4);
}

static bool writable(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	return poll(&pfd, 1, 0) == 1 && pfd.revents == POLLOUT;
}

/* @event is consumed; NULL: there was no memory for it. */
static void line_print(struct trial_session *s, json_t *event)
{
	_cleanup_free_ char *text = NULL;
	size_t n;

	if (event && s->started)
		json_object_set_new(event, "seconds",
				    json_real(now_monotonic() - s->started));
	if (event && s->lines.dropped)
		json_object_set_new(event, "dropped", json_integer(s->lines.dropped));
	text = event ? json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
	json_decref(event);
	n = text ? strlen(text) : 0;
	if (!n || n >= LINE_MAX_BYTES || !writable(STDOUT_FILENO)) {
		s->lines.dropped++;
		return;
	}
	s->lines.dropped = 0;
	text[n] = '\n'; /* in the place of its NUL */
	fwrite(text, 1, n + 1, stdout);
	fflush(stdout);
}

static double idle_mean(const struct ping_series *idle)
{
	return stats_mean(idle->rtt_ms, idle->n);
}

void trial_lines_gate(struct trial_session *s, const struct gate_calm_result *result)
{
	unsigned unrest = result->unrest;

	if (!s->lines.on)
		return;
	line_print(s, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b}",
				"event", "gate", "busy", number(result->look.busy),
				"busiest", number(result->look.busiest), "mbps",
				number(result->look.mbps), "slope", number(result->slope),
				"rtt4_ms", number(idle_mean(&result->idle4)), "rtt6_ms",
				number(idle_mean(&result->idle6)), "cpu_busy",
				(unrest & GATE_CPU_BUSY) != 0, "nic_busy",
				(unrest & GATE_NIC_BUSY) != 0, "not_steady",
				(unrest & GATE_NOT_STEADY) != 0));
}

void trial_lines_switch(struct trial_session *s, enum trial_side side)
{
	if (s->lines.on)
		line_print(s, json_pack("{s:s, s:s}", "event", "switch", "side",
					side == TRIAL_BEFORE ? "before" : "after"));
}

static json_t *test_event(const struct trial_session *s, const char *event)
{
	const struct trial_progress *where = s->where;

	return json_pack("{s:s, s:i, s:s, s:s, s:s}", "event", event, "pair",
			 (int)where->pair, "side",
			 where->side == TRIAL_BEFORE ? "before" : "after", "family",
			 where->cell->family_name, "direction",
			 where->cell->direction_name);
}

void trial_lines_test(struct trial_session *s, const struct trial_progress *where)
{
	if (s->lines.on)
		line_print(s, test_event(s, "test"));
}

void trial_lines_sample(struct trial_session *s, const struct sample *sample,
			double mbps)
{
	if (s->lines.on && s->where)
		line_print(s, json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:i}", "event",
					"sample", "counting", s->bench.counting, "mbps",
					number(mbps), "millicelsius",
					run_json_celsius(sample->millicelsius), "khz",
					run_json_khz(sample->cur_khz, sample->n_policies),
					"max_khz",
					run_json_khz(sample->max_khz, sample->n_policies),
					"cooling", (int)sample->cooling));
}

void trial_lines_result(struct trial_session *s, const struct test_result *t, int error)
{
	json_t *event, *more;

	if (!s->lines.on)
		return;
	event = test_event(s, "result");
	if (t)
		more = json_pack("{s:o, s:o, s:I, s:o, s:o, s:I}", "mbps",
				 number(t->traffic.mbps), "cpu_ms_per_gb",
				 number(t->cpu_ms_per_gb), "retransmits",
				 (json_int_t)t->traffic.retransmits, "millicelsius",
				 run_json_celsius(t->millicelsius), "rtt_ms",
				 number(stats_mean(t->rtt_ms, t->n_rtt)), "rtt_lost",
				 (json_int_t)t->rtt_lost);
	else
		more = json_pack("{s:s}", "error", errno_name(error));
	if (event && more)
		json_object_update(event, more);
	json_decref(more);
	line_print(s, event);
}
