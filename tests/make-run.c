// SPDX-License-Identifier: GPL-2.0-or-later
// make-run.c - write the run of a simulated trial: make-run [KEY=VALUE...] >FILE
#include "run-sim.h"

static const char *value_of(int argc, char **argv, const char *key)
{
	for (int i = 1; i < argc; i++) {
		const char *rest = str_after(argv[i], key);

		if (rest && *rest == '=')
			return rest + 1;
	}
	return NULL;
}

static double number_of(int argc, char **argv, const char *key, double usual)
{
	const char *text = value_of(argc, argv, key);

	return text ? strtod(text, NULL) : usual;
}

int main(int argc, char **argv)
{
	struct run_sim sim = { .seed = number_of(argc, argv, "seed", 7),
			       .effect = number_of(argc, argv, "effect", 1.24),
			       .noise = number_of(argc, argv, "noise", 0.006),
			       .bare = value_of(argc, argv, "bare") != NULL };
	struct run_sim_names names = {
		.label = value_of(argc, argv, "label"),
		.profile = value_of(argc, argv, "profile"),
		.model = value_of(argc, argv, "model"),
		.nic = value_of(argc, argv, "nic"),
		.peer = value_of(argc, argv, "peer"),
		.cells = value_of(argc, argv, "cells"),
		.measure = value_of(argc, argv, "measure") != NULL,
		.started = number_of(argc, argv, "started", 1499703200),
		.pairs = number_of(argc, argv, "pairs", 4),
	};
	json_t *doc = run_sim_document(&sim, &names);
	int r = doc ? json_dumpf(doc, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12))
		    : -1;

	json_decref(doc);
	return r < 0 || fflush(stdout) == EOF ? 1 : 0;
}
