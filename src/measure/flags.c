// SPDX-License-Identifier: GPL-2.0-or-later
// flags.c - what a reader must know about a run beside its verdict: one row per flag
#include <limits.h>
#include <math.h>

#include "measure/judge-private.h"

/* A sensor of whole degrees may well stay for a moment. */
#define STUCK_SAMPLES 100

/* What a run shows of a flag. */
enum found {
	FOUND_NOT,
	FOUND_TELL,
	FOUND_VOID, /* no figure of the run can be trusted */
};

struct look {
	const struct judge_config *config;
	const struct leg *legs;
	size_t n;
	const struct judgement *j;
};

static bool test_of_wrong_nic(const struct test_result *t)
{
	return t->wrong_nic;
}

static bool test_knows_peer(const struct test_result *t)
{
	return isfinite(t->traffic.peer_busiest);
}

/* How many tests are so; of the legs that count. */
static size_t tests_count(const struct look *l, bool (*is)(const struct test_result *t))
{
	size_t count = 0;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; !l->legs[i].discarded && k < l->legs[i].n_tests; k++)
			count += is(&l->legs[i].tests[k]);
	return count;
}

static enum found find_line_rate(const struct look *l)
{
	for (size_t i = 0; i < l->j->n_cells; i++)
		if (l->j->cells[i].line_rate)
			return FOUND_TELL;
	return FOUND_NOT;
}

static enum found find_peer_limited(const struct look *l)
{
	for (size_t i = 0; i < l->j->n_cells; i++)
		if (l->j->cells[i].peer_limited)
			return FOUND_TELL;
	return FOUND_NOT;
}

static enum found find_peer_unknown(const struct look *l)
{
	return tests_count(l, test_knows_peer) ? FOUND_NOT : FOUND_TELL;
}

static enum found find_cpu_bound(const struct look *l)
{
	for (size_t i = 0; i < l->j->n_cells; i++)
		if (l->j->cells[i].cpu_bound)
			return FOUND_TELL;
	return FOUND_NOT;
}

static enum found find_throttled(const struct look *l)
{
	return l->j->sides[TRIAL_BEFORE].throttled || l->j->sides[TRIAL_AFTER].throttled ?
		       FOUND_TELL : FOUND_NOT;
}

static enum found find_held(const struct look *l)
{
	return l->config->held ? FOUND_TELL : FOUND_NOT;
}

static enum found find_wrong_nic(const struct look *l)
{
	return l->config->untouched || tests_count(l, test_of_wrong_nic) ? FOUND_VOID :
									   FOUND_NOT;
}

/* Rounds that were repeated for it are only told. */
static enum found find_foreign_traffic(const struct look *l)
{
	if (tests_count(l, test_result_disturbed))
		return FOUND_VOID;
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->legs[i].n_tests; k++)
			if (test_result_disturbed(&l->legs[i].tests[k]))
				return FOUND_TELL;
	return FOUND_NOT;
}

/* Only where the peer receives are its seconds told; it hears of the end as late as the
 * way there takes. */
static bool test_of_sending(const struct test_result *t)
{
	return t->traffic.tx.seconds > 0 && t->traffic.local_seconds > 0;
}

static bool test_of_skew(const struct test_result *t)
{
	const struct client_flow *tx = &t->traffic.tx;
	double late = isfinite(tx->rtt_ms) ? 2 * tx->rtt_ms / 1e3 : 0;

	return test_of_sending(t) &&
	       fabs(tx->seconds - t->traffic.local_seconds) >
		       t->traffic.local_seconds * JUDGE_SKEW_SHARE + JUDGE_SKEW_SECONDS +
			       late;
}

static enum found find_clock_skew(const struct look *l)
{
	return tests_count(l, test_of_skew) * 2 > tests_count(l, test_of_sending) ?
		       FOUND_VOID : FOUND_NOT;
}

/* Tested without a single usable reading. */
static bool side_unread(const struct judge_side *s)
{
	return s->tested && s->millicelsius == INT_MIN;
}

static enum found find_no_sensor(const struct look *l)
{
	return !l->config->has_sensor || side_unread(&l->j->sides[TRIAL_BEFORE]) ||
			       side_unread(&l->j->sides[TRIAL_AFTER]) ?
		       FOUND_TELL : FOUND_NOT;
}

static enum found find_sensor_stuck(const struct look *l)
{
	int first = INT_MIN;
	size_t same = 0;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->legs[i].n_tests; k++) {
			const struct test_result *t = &l->legs[i].tests[k];

			for (size_t s = 0; s < t->n_samples; s++) {
				int now = t->samples[s].board.millicelsius;

				if (now == INT_MIN)
					continue;
				if (same && now != first)
					return FOUND_NOT;
				first = now;
				same++;
			}
		}
	return same >= STUCK_SAMPLES ? FOUND_TELL : FOUND_NOT;
}

static enum found find_busy_server(const struct look *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->legs[i].busy)
			return FOUND_TELL;
	return FOUND_NOT;
}

static enum found find_not_forwarded(const struct look *l)
{
	return l->config->forwarding ? FOUND_TELL : FOUND_NOT;
}

static enum found find_not_steady(const struct look *l)
{
	bool steady = !l->config->not_steady;

	for (size_t s = 0; s < TRIAL_SIDES_; s++)
		if (fabs(l->j->sides[s].slope) > JUDGE_STEADY)
			steady = false;
	return steady ? FOUND_NOT : FOUND_TELL;
}

static enum found find_busy_board(const struct look *l)
{
	return l->config->busy ? FOUND_TELL : FOUND_NOT;
}

static enum found find_short(const struct look *l)
{
	return l->config->shortened ? FOUND_TELL : FOUND_NOT;
}

static const struct {
	const char *name, *meaning;
	enum found (*find)(const struct look *l);
	enum judge_reason_kind reason; /* of a run that is void; else not used */
} flags[] = {
	[JUDGE_LINE_RATE] = { "line-rate",
		N_("the link is full: the CPU cost per byte decides"),
		find_line_rate },
	[JUDGE_PEER_LIMITED] = { "peer-limited",
		N_("a CPU of the peer had no time left: the board may be faster than "
		   "that"),
		find_peer_limited },
	[JUDGE_PEER_UNKNOWN] = { "peer-unknown",
		N_("the load of the peer is not known; it may be the limit"),
		find_peer_unknown },
	[JUDGE_CPU_BOUND] = { "cpu-bound",
		N_("a CPU of this board had no time left: it is the limit"),
		find_cpu_bound },
	[JUDGE_THROTTLED] = { "throttled",
		N_("cooling or a weak supply held the clocks down during the tests"),
		find_throttled },
	[JUDGE_HELD] = { "held",
		N_("cooling held a setting of the profile back"),
		find_held },
	[JUDGE_WRONG_NIC] = { "wrong-nic",
		N_("the traffic did not go through the interface under test"),
		find_wrong_nic, REASON_WRONG_NIC },
	[JUDGE_FOREIGN_TRAFFIC] = { "foreign-traffic",
		N_("other traffic went through the interface during the tests"),
		find_foreign_traffic, REASON_FOREIGN_TRAFFIC },
	[JUDGE_CLOCK_SKEW] = { "clock-skew",
		N_("this machine and the peer do not agree on how long the tests took"),
		find_clock_skew, REASON_CLOCK_SKEW },
	[JUDGE_NO_SENSOR] = { "no-sensor",
		N_("no usable temperature sensor: heat and throttling are not judged"),
		find_no_sensor },
	[JUDGE_SENSOR_STUCK] = { "sensor-stuck",
		N_("the temperature never changed: the sensor may not work"),
		find_sensor_stuck },
	[JUDGE_BUSY_SERVER] = { "busy-server",
		N_("the server was busy with another client; rounds were repeated"),
		find_busy_server },
	[JUDGE_NOT_FORWARDED] = { "not-forwarded",
		N_("the board forwards packets, but only traffic that ends on it was "
		   "measured"),
		find_not_forwarded },
	[JUDGE_NOT_STEADY] = { "not-steady",
		N_("the temperature was still changing: it is not final"),
		find_not_steady },
	[JUDGE_BUSY_BOARD] = { "busy-board",
		N_("CPUs or the interface were busy before the first test"),
		find_busy_board },
	[JUDGE_SHORT] = { "short",
		N_("fewer, shorter or other tests than a full trial"),
		find_short },
};
_Static_assert(ARRAY_SIZE(flags) == JUDGE_FLAGS_, "one row per flag");

const char *judge_flag_name(enum judge_flag f)
{
	return flags[f].name;
}

const char *judge_flag_meaning(enum judge_flag f)
{
	return _(flags[f].meaning);
}

enum judge_reason_kind judge_reason_of_flag(enum judge_flag f)
{
	return flags[f].reason;
}

unsigned judge_flags_find(const struct judge_config *config, const struct leg *legs,
			  size_t n, const struct judgement *j, unsigned *ret_void)
{
	struct look l = { config, legs, n, j };
	unsigned all = 0, voids = 0;

	for (unsigned f = 0; f < JUDGE_FLAGS_; f++) {
		enum found found = flags[f].find(&l);

		all |= found != FOUND_NOT ? 1u << f : 0;
		voids |= found == FOUND_VOID ? 1u << f : 0;
	}
	*ret_void = voids;
	return all;
}
