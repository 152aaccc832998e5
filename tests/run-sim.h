/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-sim.h - a whole trial over a simulated board: real loop, judge and document */
#ifndef BOARDTUNE_RUN_SIM_H
#define BOARDTUNE_RUN_SIM_H

#include <limits.h>
#include <math.h>

#include "measure/figure.h"
#include "measure/trial.h"

#define RUN_SIM_HZ 5
#define RUN_SIM_IDLE 40

/* A board with two clock domains, 35 C cool; the profile raises clocks and throughput. */
struct run_sim {
	uint64_t seed;
	double effect; /* throughput after / before */
	double noise;  /* spread of a test */
	double now, celsius;
	enum trial_side side;
	bool bare; /* no sensor, no clocks, no echo */
	uint64_t busy_us, idle_us, softirq_us, dropped;
};

static double run_sim_uniform(struct run_sim *s)
{
	s->seed = s->seed * 6364136223846793005ull + 1442695040888963407ull;
	return ((s->seed >> 33) + 0.5) / (1ul << 31);
}

static double run_sim_normal(struct run_sim *s)
{
	double u = run_sim_uniform(s), v = run_sim_uniform(s);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void run_sim_sample(struct run_sim *s, double mbps, double elapsed,
			   const struct trial_config *config, struct test_sample *ret)
{
	uint32_t max = s->side == TRIAL_AFTER ? 1296000 : 1008000;
	double target = s->side == TRIAL_AFTER ? 66 : 58, busy = 0.62;

	s->celsius += (target - s->celsius) * 0.004 + 0.05 * run_sim_normal(s);
	s->busy_us += 4 * 200000 * busy;
	s->idle_us += 4 * 200000 * (1 - busy);
	s->softirq_us += 4 * 200000 * 0.21;
	*ret = (struct test_sample) {
		.board = { .time = s->now,
			   .millicelsius = s->celsius * 1000,
			   .n_policies = 2,
			   .cur_khz = { max, 816000 },
			   .max_khz = { max, 1800000 },
			   .cpu_busy_us = s->busy_us,
			   .cpu_idle_us = s->idle_us,
			   .softirq_us = s->softirq_us,
			   .n_cpus = 4,
			   .rpi = -1 },
		.counting = elapsed >= config->omit,
	};
	if (s->bare) {
		ret->board.millicelsius = INT_MIN;
		ret->board.n_policies = 0;
	}
	if (ret->counting)
		ret->bytes = (elapsed - config->omit) * mbps * 1e6 / 8;
	for (unsigned c = 0; c < 4; c++)
		ret->board.cpus[c] =
			(struct sample_cpu) { .busy_us = s->busy_us / 4,
					      .softirq_us = s->softirq_us / 4,
					      .irqs = c == 1 ? s->busy_us / 100 : 7 };
}

static int run_sim_extras(struct run_sim *s, struct test_result *t)
{
	t->line_mbps = 1000;
	t->foreign_mbps = 0.4;
	t->busy = 0.62;
	t->busiest = 0.97;
	t->softirq_ms_per_gb = t->cpu_ms_per_gb / 3;
	t->softnet_dropped = s->side == TRIAL_BEFORE ? 12 : 0;
	t->rpi = -1;
	if (s->bare)
		return 0;
	t->clocks = calloc(2, sizeof(*t->clocks));
	t->n_rtt = 24;
	t->rtt_ms = calloc(t->n_rtt, sizeof(*t->rtt_ms));
	if (!t->clocks || !t->rtt_ms)
		return -ENOMEM;
	t->clocks[0] = (struct sample_clocks) { 2, { { 816000, 60 }, { 0, 0 } } };
	t->clocks[0].states[1].khz = s->side == TRIAL_AFTER ? 1296000 : 1008000;
	t->clocks[0].states[1].ticks = 540;
	for (size_t i = 0; i < t->n_rtt; i++)
		t->rtt_ms[i] = 1.8 * exp(0.3 * run_sim_normal(s));
	t->rtt_lost = 1;
	return 0;
}

static int run_sim_measure(void *userdata, const struct trial_progress *where,
			   struct test_result *ret, const struct trial_config *config)
{
	struct run_sim *s = userdata;
	struct test_result t = {};
	size_t n = (config->seconds + config->omit) * RUN_SIM_HZ + 1;
	double mbps = (where->cell->direction == CLIENT_TX ? 512 : 604) *
		      (s->side == TRIAL_AFTER ? s->effect : 1) *
		      exp(s->noise * run_sim_normal(s));

	t.samples = calloc(n, sizeof(*t.samples));
	if (!t.samples)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		run_sim_sample(s, mbps, (double)i / RUN_SIM_HZ, config, &t.samples[i]);
		s->now += 1.0 / RUN_SIM_HZ;
	}
	t.n_samples = n;
	t.traffic = (struct client_result) {
		.mbps = mbps,
		.seconds = config->seconds,
		.retransmits = 3,
		.bytes = mbps * 1e6 / 8 * config->seconds,
		.peer_cpu = 41.5,
		.local_seconds = config->seconds,
		.peer_machine = NAN,
		.peer_busiest = NAN,
	};
	t.traffic.tx = (struct client_flow) { .bytes = t.traffic.bytes,
					      .seconds = config->seconds,
					      .mbps = mbps,
					      .retransmits = 3,
					      .rtt_ms = 2.1,
					      .jitter_ms = NAN };
	test_result_summarise(&t, where->cell->direction);
	if (run_sim_extras(s, &t) < 0) {
		test_result_clear(&t);
		return -ENOMEM;
	}
	*ret = t;
	return 0;
}

/* What trial_run() gets: the simulated board and the loop's settings. */
struct run_sim_session {
	struct run_sim *sim;
	const struct trial_config *config;
};

static int run_sim_op_measure(void *userdata, const struct trial_progress *where,
			      struct test_result *ret)
{
	struct run_sim_session *session = userdata;

	return run_sim_measure(session->sim, where, ret, session->config);
}

static int run_sim_op_switch(void *userdata, enum trial_side side)
{
	struct run_sim_session *session = userdata;

	session->sim->side = side;
	session->sim->now += 0.3;
	return 0;
}

static int run_sim_op_ready(void *userdata, double seconds)
{
	return 0;
}

static int run_sim_op_sleep(void *userdata, double seconds)
{
	struct run_sim_session *session = userdata;

	session->sim->now += seconds;
	return 0;
}

static double run_sim_op_now(void *userdata)
{
	struct run_sim_session *session = userdata;

	return session->sim->now;
}

/* What of a run a test may want otherwise; NULL and 0: as it is usual. */
struct run_sim_names {
	const char *label, *profile, *model, *nic, *peer;
	time_t started;
	unsigned pairs;
	const char *cells;
	bool measure; /* the same tests, but of measure: there is no before and after */
};

static const char *run_sim_name(const char *wanted, const char *usual)
{
	return wanted ? wanted : usual;
}

static json_t *run_sim_figures(const struct run *run)
{
	struct figure figures[CELLS_MAX];
	const struct cell_list *cells = &run->config->cells;

	for (size_t i = 0; i < cells->n; i++)
		if (figure_make(cells->cells[i], i, run->legs, run->n_legs,
				&figures[i]) < 0)
			return NULL;
	return figure_json(run, figures, cells->n);
}

/* The document of a whole trial; NULL when out of memory. */
static json_t *run_sim_document(struct run_sim *sim, const struct run_sim_names *names)
{
	static const struct trial_ops ops = { run_sim_op_measure, run_sim_op_switch,
					      run_sim_op_ready, run_sim_op_sleep,
					      run_sim_op_now };
	struct trial_config config = { .cells = cell_list_all(),
				       .pairs = names->pairs,
				       .seconds = 5, .omit = 1,
				       .budget = 900 };
	struct run_sim_session session = { sim, &config };
	struct trial_result result = {};
	struct judge_config judge = { .cells = config.cells,
				      .margin = JUDGE_MARGIN,
				      .max_millicelsius = INT_MIN,
				      .has_sensor = !sim->bare };
	static struct identity board = { .compatible = { "friendlyarm,nanopi-neo2" },
					 .n_compatible = 1,
					 .kernel = "6.12.1" };
	static const struct run_setting untouched = { "net.tx", "eth1", 0 };
	double idle[RUN_SIM_IDLE];
	struct judgement j;
	char word[32];
	json_t *doc;

	if (names->cells)
		cell_list_parse(names->cells, &config.cells, word, sizeof(word));
	judge.cells = config.cells;
	for (size_t i = 0; i < RUN_SIM_IDLE; i++)
		idle[i] = 0.4 * exp(0.2 * run_sim_normal(sim));
	sim->celsius = 46;
	trial_run(&config, &ops, &session, &result);
	for (size_t i = 0; names->measure && i < result.n_legs; i++)
		result.legs[i].side = TRIAL_BEFORE;
	judge_legs(&judge, result.legs, result.n_legs, &j);
	snprintf(board.model, sizeof(board.model), "%s",
		 run_sim_name(names->model, "FriendlyElec NanoPi NEO2"));
	doc = (names->measure ? run_sim_figures : run_json)(
		&(struct run) { .command = names->measure ? "measure" : "trial",
				.profile = run_sim_name(names->profile, "nanopi-neo2"),
				.board = &board,
				.host = "attic-router",
				.path = "terminated",
				.label = run_sim_name(names->label, ""),
				.started = names->started,
				.peer = run_sim_name(names->peer, "192.0.2.9"),
				.nic = run_sim_name(names->nic, "eth0"),
				.sensor = sim->bare ? NULL : "cpu-thermal",
				.seconds = 5,
				.omit = 1,
				.config = &judge,
				.judgement = &j,
				.legs = result.legs,
				.n_legs = result.n_legs,
				.not_measured = &untouched,
				.n_not_measured = 1,
				.idle = { { idle, sim->bare ? 0 : RUN_SIM_IDLE, 0 },
					  { idle, sim->bare ? 0 : RUN_SIM_IDLE, 1 } },
				.kept = true });
	trial_result_clear(&result);
	return doc;
}

#endif
