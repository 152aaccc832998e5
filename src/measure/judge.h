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

/* What a reader must know about a run beside its verdict: flags.c. */
enum judge_flag {
	JUDGE_LINE_RATE,
	JUDGE_PEER_LIMITED,
	JUDGE_PEER_UNKNOWN,
	JUDGE_CPU_BOUND,
	JUDGE_THROTTLED,
	JUDGE_HELD,
	JUDGE_WRONG_NIC,
	JUDGE_FOREIGN_TRAFFIC,
	JUDGE_CLOCK_SKEW,
	JUDGE_NO_SENSOR,
	JUDGE_SENSOR_STUCK,
	JUDGE_BUSY_SERVER,
	JUDGE_NOT_FORWARDED,
	JUDGE_NOT_STEADY,
	JUDGE_BUSY_BOARD,
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
	REASON_PEER_LIMITED,      /* what was measured is the peer */
	REASON_LATENCY_WORSE,
	REASON_THROTTLED_AFTER,   /* of the run, as all below */
	REASON_THROTTLED_ONCE,
	REASON_TOO_HOT,
	REASON_WRONG_NIC,
	REASON_FOREIGN_TRAFFIC,
	REASON_CLOCK_SKEW,
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

#define JUDGE_REASONS_MAX (2 * CELLS_MAX + 8)

/* Round-trip times under load. */
struct judge_latency {
	double p50, p95, p99; /* milliseconds; NAN unknown */
	size_t n, lost;       /* answers, and requests without one */
};

struct judge_cell {
	const struct cell *cell;
	double mbps[TRIAL_SIDES_];          /* geometric means; NAN for no pair */
	struct stats_interval throughput;   /* after / before; NAN below two pairs */
	double cpu_ms_per_gb[TRIAL_SIDES_]; /* NAN if unknown */
	struct stats_interval cpu;          /* after / before; NAN if unknown */
	struct judge_latency latency[TRIAL_SIDES_];
	struct stats_interval latency_p95;  /* of the pairs' own, 99 %; NAN if unknown */
	double retransmits_per_gb[TRIAL_SIDES_]; /* NAN if unknown */
	uint64_t dropped[TRIAL_SIDES_];     /* packets, by NICs and by the kernel */
	bool line_rate;                     /* both fill the link: CPU cost decides */
	bool peer_limited;                  /* a CPU of the peer had no time left */
	bool cpu_bound;                     /* one of this board's */
	bool no_data;                       /* neither side moved any */
	enum verdict verdict;               /* by throughput or CPU cost */
};

struct judge_side {
	int millicelsius;  /* highest of the side; INT_MIN unknown */
	double slope;      /* C per minute, second half of the trial; NAN unknown */
	bool throttled;
	unsigned legs, throttled_legs;
	double throttled_share; /* of the time under load; NAN unknown */
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
	bool shortened;       /* by --cells, --time, --omit, --pairs */
	bool held;            /* cooling held a setting of the profile back */
	bool forwarding;      /* the board forwards; this traffic was not forwarded */
	bool busy;            /* CPUs or NIC were, before the first test */
	bool not_steady;      /* the temperature had not settled when it began */
	int error;            /* 0, or the -errno of trial_run() that ended the trial */
};

#define JUDGE_ALPHA 0.05
#define JUDGE_MARGIN 0.02
#define JUDGE_MARGIN_QUICK 0.10
#define JUDGE_MARGIN_CPU 0.05
/* TCP payload of a full link: 94 % by IPv4, 93 % by IPv6 at MTU 1500; less 2 %. */
#define JUDGE_LINE_SHARE 0.91
/* Both ways at once, of twice the link: there are acknowledgements, too. */
#define JUDGE_LINE_SHARE_BIDIR 0.88
/* A CPU that is busy for so much of the time has none left. */
#define JUDGE_PINNED 0.95
/* Latency that counts: p95 up by half, and by so many milliseconds. */
#define JUDGE_LATENCY_RATIO 1.5
#define JUDGE_LATENCY_MS 2.0
/* Latency varies more than throughput: the chance of a rise that is none, all cells. */
#define JUDGE_ALPHA_LATENCY 0.01
/* Hotter is what a sensor of whole degrees can tell. */
#define JUDGE_HOTTER 1000
/* Degrees per minute that are not steady. */
#define JUDGE_STEADY 1.0
/* Our seconds of a test and the peer's may differ by so much, by a share and always. */
#define JUDGE_SKEW_SHARE 0.02
#define JUDGE_SKEW_SECONDS 0.05

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
 * sides fill a physical link the CPU cost per byte decides instead, with a margin of
 * JUDGE_MARGIN_CPU at least. A cell in which nothing arrived on either side says nothing;
 * one that the peer limits can only be better.
 *
 * Worse, too: latency up by JUDGE_LATENCY_RATIO and JUDGE_LATENCY_MS, and in the pairs'
 * own ratios beyond chance; throttled in most legs after and in none before; hotter than
 * the limit and than before. Throttled in fewer legs, only after: not better.
 *
 * A run that cannot be trusted is inconclusive, never worse: traffic that went elsewhere
 * or was not alone, clocks that differ, a trial that ended early, fewer than two pairs.
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
