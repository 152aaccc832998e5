// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-measure.c - the command measure: throughput and what it costs, as it stands
#include "cmd-measure.h"

#include <limits.h>
#include <linux/capability.h>
#include <sys/utsname.h>

#include "report/measure-text.h"

#define BUSY_STEP 1.0 /* seconds between two questions to a busy server */

/* Peers and name servers are not trusted: from here on only what binding needs. */
static int drop_capabilities(void)
{
	static const unsigned raw = CAP_NET_RAW;
	struct utsname host;

	return cmd_keep_capabilities(&raw, uname(&host) == 0 &&
						   gate_bind_needs_raw(host.release));
}

static void on_sample(void *userdata, const struct sample *sample, double mbps)
{
	struct measure_session *s = userdata;

	progress_show(&s->progress, sample, mbps);
}

static void show_test(struct measure_session *s, const struct cell *cell)
{
	char what[160];

	if (s->settings.repeat == 1)
		snprintf(what, sizeof(what), "%s", _(cell->label));
	else
		/* TRANSLATORS: round 2/4, IPv4 tx */
		snprintf(what, sizeof(what), _("round %zu/%u, %s"), s->n_legs + 1,
			 s->settings.repeat, _(cell->label));
	progress_text(&s->progress, what);
}

/* One test. Another client's test is waited for, within limits. */
static int measure_test(struct measure_session *s, const struct cell *cell,
			struct test_result *ret)
{
	double until = now_monotonic() + BENCH_BUSY_WAIT;

	for (;;) {
		int r = bench_measure(&s->bench, cell, ret);

		if (r != -EBUSY || now_monotonic() >= until)
			return r;
		r = gate_sleep(BUSY_STEP, s->c->stop_fd);
		if (r < 0)
			return r;
	}
}

/* Every test, as often as asked for. Returns 0 or what ended it. */
static int measure_all(struct measure_session *s)
{
	const struct cell_list *cells = &s->settings.cells;

	for (s->n_legs = 0; s->n_legs < s->settings.repeat; s->n_legs++) {
		struct leg *leg = &s->legs[s->n_legs];

		leg->pair = s->n_legs;
		for (; leg->n_tests < cells->n; leg->n_tests++) {
			const struct cell *cell = cells->cells[leg->n_tests];
			int r;

			show_test(s, cell);
			r = measure_test(s, cell, &leg->tests[leg->n_tests]);
			if (r < 0) {
				s->n_legs += leg->n_tests > 0;
				return r;
			}
		}
	}
	return 0;
}

static int measure_exit(struct measure_session *s, int error)
{
	int signal = cmd_signal(s->c);

	if (signal)
		return 128 + signal;
	if (!error)
		return EXIT_AS_WANTED;
	if (*s->bench.error)
		cmd_error("%s", s->bench.error);
	else
		cmd_error(_("the tests ended early: %s"), strerror(-error));
	return EXIT_INCONCLUSIVE;
}

static int print_run(struct measure_session *s, const struct run *run,
		     const struct figure *figures, json_t *doc)
{
	_cleanup_free_ char *text = NULL;

	if (s->c->json)
		return cmd_json_print(json_incref(doc)); /* says so if there is none */
	if (s->c->quiet)
		return 0;
	if (measure_text(run, s->bench.protocol == CLIENT_UDP, figures,
			 s->settings.cells.n, &text) < 0) {
		cmd_error("%s", strerror(ENOMEM));
		return EXIT_NOT_AS_WANTED;
	}
	fputs(text, stdout);
	return 0;
}

static int save_run(struct measure_session *s, const struct run *run, const json_t *doc)
{
	char path[SYSROOT_PATH_MAX];
	int r = doc ? run_save(&s->c->sys.root, run, doc, path) : -ENOMEM;

	if (r < 0) {
		cmd_error(_("the run could not be saved: %s"), strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	cmd_note(s->c, _("Saved: %s\n"), path);
	return 0;
}

static int report(struct measure_session *s, const struct run *run)
{
	struct figure figures[CELLS_MAX];
	size_t n = s->settings.cells.n;
	json_t *doc;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = figure_make(s->settings.cells.cells[i], i, s->legs, s->n_legs,
				&figures[i]);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	doc = figure_json(run, figures, n); /* NULL: the table does without */
	r = print_run(s, run, figures, doc);
	if (r == 0 && s->settings.save && s->n_legs)
		r = save_run(s, run, doc);
	json_decref(doc);
	return r ? r : run->exit_code;
}

static int measure_session(struct measure_session *s)
{
	struct judge_config config = {
		.margin = JUDGE_MARGIN,
		.max_millicelsius = INT_MIN,
		.has_sensor = sampler_zone_type(s->sampler) != NULL,
		.busy = s->busy,
	};
	struct judgement j = {};
	struct identity board;
	struct utsname host;
	struct run run = {
		.command = "measure", .profile = "", .board = &board,
		.host = uname(&host) == 0 ? host.nodename : "",
		.label = s->settings.label, .peer = s->settings.peer_text, .nic = s->nic,
		.path = "terminated", .sensor = sampler_zone_type(s->sampler),
		.started = time(NULL), .seconds = s->settings.seconds,
		.omit = s->settings.omit, .config = &config, .judgement = &j,
		.udp = s->settings.datagrams, .zero_copy = s->settings.zero_copy,
		.streams = s->settings.streams, .bitrate = s->settings.bandwidth,
		.legs = s->legs,
	};

	identity_read(&s->c->sys.root, &board);
	progress_open(s->c->quiet ? -1 : STDERR_FILENO, &s->progress);
	config.error = measure_all(s);
	progress_close(&s->progress);
	run.n_legs = s->n_legs;
	config.cells = s->settings.cells;
	/* Only for what must be known of each test: there is nothing to compare. */
	judge_legs(&config, s->legs, s->n_legs, &j);
	run.exit_code = measure_exit(s, config.error);
	if (!s->n_legs)
		return run.exit_code;
	return report(s, &run);
}

static int prepare(struct measure_session *s)
{
	int r = measure_settings_parse(s->c, &s->settings);

	if (r)
		return r;
	s->legs = calloc(s->settings.repeat, sizeof(*s->legs));
	if (!s->legs) {
		cmd_error("%s", strerror(ENOMEM));
		return EXIT_NOT_AS_WANTED;
	}
	measure_open_pings(s);
	/* Before the peer's name goes to a name server. */
	r = drop_capabilities();
	if (r)
		return r;
	r = cmd_signals(s->c);
	if (r < 0) {
		cmd_error(_("cannot watch for signals: %s"), strerror(-r));
		return EXIT_NOT_PERMITTED;
	}
	r = measure_find_peer(s);
	s->bench.progress = on_sample;
	s->bench.userdata = s;
	if (!r)
		r = measure_look(s);
	return r ? r : measure_gate_peer(s);
}

int cmd_measure(struct cmd *c, int argc, char **argv)
{
	struct measure_session s = { .c = c, .progress = PROGRESS_INIT };
	int r;

	if (argc != 1)
		return cmd_usage(c, _("measure takes no argument; to try a profile, use "
				      "trial"));
	r = prepare(&s);
	if (!r)
		r = measure_session(&s);
	if (s.legs)
		legs_free(s.legs, s.settings.repeat);
	sampler_close(s.sampler);
	ping_close(s.bench.ping4);
	ping_close(s.bench.ping6);
	return r;
}
