/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-doc.h - a saved run read back: a document from anywhere, checked */
#ifndef BOARDTUNE_RUN_DOC_H
#define BOARDTUNE_RUN_DOC_H

#include "measure/run.h"

#define RUN_DOC_CELLS_MAX 16
#define RUN_DOC_WORDS_MAX 64 /* flags, reasons, settings */
#define RUN_DOC_LEGS_MAX 1024
#define RUN_DOC_SAMPLES_MAX 100000 /* of a test */
#define RUN_DOC_DEPTH_MAX 16
#define RUN_DOC_LISTS_MAX 200000 /* and objects, of a whole document */
#define RUN_DOC_VALUES_MAX 1000000
#define RUN_DOC_NAME_MAX 32
#define RUN_DOC_ERROR_MAX 200

/* Every number that a document does not tell is NAN, every text "". */

struct run_doc_latency {
	double answers, lost;
	double p50_ms, p95_ms, p99_ms;
};

struct run_doc_figure {
	double side[TRIAL_SIDES_];
	struct stats_interval ratio; /* after / before; half is not told */
};

struct run_doc_cell {
	char name[RUN_DOC_NAME_MAX]; /* "ipv4-tx" */
	enum verdict verdict;
	struct run_doc_figure mbps, cpu_ms_per_gb;
	struct run_doc_latency latency[TRIAL_SIDES_];
	double lost, jitter_ms; /* of datagrams, measure only: a share; NAN by TCP */
};

struct run_doc_state {
	uint32_t khz;
	double share; /* of the time, 0 to 1 */
};

struct run_doc_side {
	double celsius; /* highest */
	bool throttled;
	unsigned n_clocks;
	double mhz[SAMPLE_POLICIES_MAX]; /* mean under load */
	double max_mhz[SAMPLE_POLICIES_MAX];
	unsigned n_states[SAMPLE_POLICIES_MAX]; /* 0: time in state is not known */
	struct run_doc_state states[SAMPLE_POLICIES_MAX][SAMPLE_STATES_MAX];
	struct run_doc_latency idle;
};

struct run_doc_sample {
	double at; /* seconds since the first test began */
	double celsius, busy, softirq;
	double mbps; /* since the sample before */
	unsigned n_clocks;
	uint32_t khz[SAMPLE_POLICIES_MAX]; /* 0 unknown */
	bool counting;
};

struct run_doc_test {
	char name[RUN_DOC_NAME_MAX];
	double at, mbps, bytes, seconds, cpu_ms_per_gb, celsius;
	double retransmits, softnet_dropped, nic_dropped, foreign_mbps;
	double busy, busiest;
	struct run_doc_latency latency;
	struct run_doc_sample *samples; /* owned */
	size_t n_samples;
};

struct run_doc_leg {
	enum trial_side side;
	unsigned pair; /* from 0 */
	bool discarded;
	struct run_doc_test *tests; /* owned */
	size_t n_tests;
};

struct run_doc_pair { /* of words */
	const char *name, *of;
};

struct run_doc {
	json_t *json; /* owned; every text points into it */
	bool trial; /* else of measure: no verdict; its figures are those of before */
	const char *version, *profile, *model, *kernel, *compatible, *host, *label,
		*started;
	const char *peer, *nic, *path, *sensor;
	enum verdict verdict;
	double seconds, omit, margin;
	bool udp, zero_copy;
	unsigned streams;
	double bitrate; /* 0: as much as goes */
	unsigned pairs;
	bool kept;
	struct run_doc_side sides[TRIAL_SIDES_];
	struct run_doc_cell cells[RUN_DOC_CELLS_MAX];
	size_t n_cells;
	const char *flags[RUN_DOC_WORDS_MAX];
	size_t n_flags;
	struct run_doc_pair reasons[RUN_DOC_WORDS_MAX]; /* of a cell */
	size_t n_reasons;
	struct run_doc_pair not_measured[RUN_DOC_WORDS_MAX]; /* key, target */
	size_t n_not_measured;
	struct run_doc_leg *legs; /* owned */
	size_t n_legs;
};

/**
 * run_doc_parse - check a document and take from it what reports show
 * @text: @size bytes and a NUL; from anywhere
 * @legs: false: leave the legs alone, for a list of runs
 * @ret: on success; release with run_doc_clear()
 * @ret_error: RUN_DOC_ERROR_MAX bytes: what is wrong and where, translated
 *
 * Control characters and those that turn the direction of writing become "?" in every
 * text. Unknown keys are kept and not looked at. Returns 0, -EBADMSG, -ENOMEM.
 */
int run_doc_parse(const char *text, size_t size, bool legs, struct run_doc *ret,
		  char *ret_error);

/**
 * run_doc_read - run_file_load() and run_doc_parse()
 *
 * Returns as these, always with @ret_error.
 */
int run_doc_read(const struct sysroot *root, const char *path, bool legs,
		 struct run_doc *ret, char *ret_error);

/**
 * run_doc_redact - take out what tells whose machine it was
 *
 * The names of this machine and of the peer, and hardware addresses in names. The label
 * stays: it is what the user wants to say. Returns 0 or -ENOMEM.
 */
int run_doc_redact(struct run_doc *doc);

/** run_doc_cell - a cell by its name, NULL if the run has none such */
const struct run_doc_cell *run_doc_cell(const struct run_doc *doc, const char *name);

/** run_doc_has_flag - whether a run has a flag of judge_flag_name() */
bool run_doc_has_flag(const struct run_doc *doc, const char *name);

void run_doc_clear(struct run_doc *doc);

#endif
