/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h - from the legs of a trial to a verdict with its reasons; pure functions */
#ifndef BOARDTUNE_JUDGE_H
#define BOARDTUNE_JUDGE_H

#include "measure/leg.h"
#include "measure/stats.h"

enum verdict {
	VERDICT_BETTER,
	VERDICT_SAME,
	VERDICT_WORSE,
	VERDICT_INCONCLUSIVE,
};

/* What a reader must know about a run beside its verdict. */
enum judge_flag {
	JUDGE_THROTTLED,
	JUDGE_WRONG_NIC,
	JUDGE_NO_SENSOR,
	JUDGE_BUSY_SERVER,
	JUDGE_LINE_RATE,
	JUDGE_PEER_UNKNOWN,
	JUDGE_SHORT,
	JUDGE_FLAGS_,
};

enum judge_reason_kind {
	REASON_THROUGHPUT_BETTER, /* of a cell */
	REASON_THROUGHPUT_WORSE,
	REASON_THROUGHPUT_SAME,
	REASON_CPU_BETTER,        /* of a cell at line rate */
	REASON_CPU_WORSE,
	REASON_CPU_SAME,
	REASON_WIDE,              /* the cell's interval does not decide */
	REASON_CPU_UNKNOWN,       /* at line rate, and nothing else could decide */
	REASON_NO_DATA,           /* neither side moved any */
	REASON_THROTTLED_AFTER,   /* of the run, as all below */
	REASON_TOO_HOT,
	REASON_WRONG_NIC,
	REASON_FEW_PAIRS,
	REASON_PEER_LOST,
	REASON_PEER_BUSY,
	REASON_STOPPED,
	REASON_OVERHEATED,
	REASON_SENSOR_LOST,
	REASON_FAILED,
	JUDGE_REASONS_,
};

struct judge_reason {
	enum judge_reason_kind kind;
	const struct cell *cell; /* NULL: of the run as a whole */
};

#define JUDGE_REASONS_MAX (CELLS_MAX + 8)

struct judge_cell {
	const struct cell *cell;
	double mbps[TRIAL_SIDES_];          /* geometric means; NAN for no pair */
	struct stats_interval throughput;   /* after / before; NAN below two pairs */
	double cpu_ms_per_gb[TRIAL_SIDES_]; /* NAN if unknown */
	struct stats_interval cpu;          /* after / before; NAN if unknown */
	bool line_rate;                     /* both fill the link: CPU cost decides */
	bool no_data;                       /* neither side moved any */
	enum verdict verdict;
};

struct judge_side {
	int millicelsius;  /* highest of the side; INT_MIN unknown */
	bool throttled;
	bool tested;       /* there is any test of it */
	unsigned n_policies;
	uint32_t cur_khz[SAMPLE_POLICIES_MAX]; /* mean under load; 0 unknown */
	uint32_t max_khz[SAMPLE_POLICIES_MAX]; /* highest scaling_max_freq; 0 unknown */
};

struct judge_config {
	struct cell_list cells;
	double margin;        /* of throughput: JUDGE_MARGIN, JUDGE_MARGIN_QUICK */
	int max_millicelsius; /* the user's limit, INT_MIN for none */
	bool has_sensor;
	bool untouched;       /* the traffic met no setting of the profile */
	bool peer_known;      /* the peer reports its machine's CPU */
	bool shortened;       /* by --cells, --time, --omit, --pairs */
	int error;            /* 0, or the -errno of trial_run() that ended the trial */
};

#define JUDGE_ALPHA 0.05
#define JUDGE_MARGIN 0.02
#define JUDGE_MARGIN_QUICK 0.10
#define JUDGE_MARGIN_CPU 0.05
/* TCP payload of a full link: 94 % by IPv4, 93 % by IPv6 at MTU 1500; less 2 %. */
#define JUDGE_LINE_SHARE 0.91

struct judgement {
	enum verdict verdict;
	unsigned flags;  /* bits 1 << enum judge_flag */
	unsigned pairs;  /* whole ones, without those discarded */
	struct judge_cell cells[CELLS_MAX];
	size_t n_cells;
	struct judge_side sides[TRIAL_SIDES_];
	struct judge_reason reasons[JUDGE_REASONS_MAX];
	size_t n_reasons;
};

/**
 * judge_legs - the verdict
 * @legs: in any order; those discarded are only counted as a flag
 *
 * Throughput by cell: worse if an interval lies wholly below 1 - margin, else better if
 * one lies wholly above 1 + margin, same if all lie within, else inconclusive. Where both
 * sides fill a physical link the CPU cost per byte decides instead. A cell in which
 * nothing arrived on either side says nothing. Worse, too: throttled
 * only after; hotter than the limit and than before. Traffic that went elsewhere, a trial
 * that ended early or fewer than two pairs are inconclusive.
 */
void judge_legs(const struct judge_config *config, const struct leg *legs, size_t n,
		struct judgement *ret);

/**
 * judge_half_width - the widest of the intervals that decide, relative to its ratio
 *
 * What decides whether more pairs are needed. At line rate that is the interval of the
 * CPU cost, scaled so that it compares with those of throughput: by the ratio of their
 * margins. INFINITY for fewer than two pairs.
 */
double judge_half_width(const struct cell_list *cells, const struct leg *legs, size_t n);

/** verdict_name - "better", as JSON has it */
const char *verdict_name(enum verdict v);
/** judge_flag_name - "wrong-nic", as JSON has it */
const char *judge_flag_name(enum judge_flag f);
/** judge_flag_meaning - one translated sentence */
const char *judge_flag_meaning(enum judge_flag f);
/** judge_reason_name - "throughput-worse", as JSON has it */
const char *judge_reason_name(enum judge_reason_kind k);
/** judge_reason_meaning - one translated sentence, of the cell if it has one */
const char *judge_reason_meaning(enum judge_reason_kind k);

#endif
