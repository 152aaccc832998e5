/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leg.h - cells (family and direction) and the legs of a trial, as data */
#ifndef BOARDTUNE_LEG_H
#define BOARDTUNE_LEG_H

#include "measure/client.h"
#include "measure/sample.h"

#define CELLS_MAX 6

/* What the counters of the NICs may have more than the test's own bytes, relative to
 * these: frames with an MTU of 1280 and IPv6, and an acknowledgement for each. */
#define LEG_HEADERS 0.08
#define LEG_ACKS 0.08
/* Other traffic that spoils a test: relative to the test's own, and at least. */
#define LEG_FOREIGN_SHARE 0.05
#define LEG_FOREIGN_MBPS 1.0

enum trial_side {
	TRIAL_BEFORE,
	TRIAL_AFTER,
	TRIAL_SIDES_,
};

/* One kind of traffic that a leg measures. */
struct cell {
	const char *name;      /* "ipv4-tx": options and JSON */
	const char *label;     /* N_(): "IPv4 tx", on screen */
	int family;            /* AF_INET, AF_INET6 */
	const char *family_name; /* JSON: "ipv4" */
	enum client_direction direction;
	const char *direction_name; /* JSON: "tx" */
};

/* Which rows of the table of cells are measured, in its order. */
struct cell_list {
	const struct cell *cells[CELLS_MAX];
	size_t n;
};

/** cell_list_all - those of a full trial: both families, tx and rx */
struct cell_list cell_list_all(void);

/**
 * cell_list_parse - "ipv4-tx,ipv6-rx"; "ipv4" and "tx" stand for all of their kind
 *
 * What goes both ways at once is measured only where "bidir" or "ipv4-bidir" asks for it.
 *
 * Returns 0, or -EINVAL with the offending word at @ret_word (@size bytes).
 */
int cell_list_parse(const char *text, struct cell_list *ret, char *ret_word, size_t size);

/** cell_list_has_family - whether any cell is of this family (AF_INET, AF_INET6) */
bool cell_list_has_family(const struct cell_list *list, int family);

/** cell_list_keep_families - drop the cells of a family that the peer does not have */
void cell_list_keep_families(struct cell_list *list, bool ipv4, bool ipv6);

/* However long a test is: 300 KB, and a document that can be read again. */
#define TEST_SAMPLES_MAX 128

/* A look at the board during a test, and the traffic until then. */
struct test_sample {
	struct sample board;
	uint64_t bytes;
	bool counting; /* the omitted seconds are over */
	unsigned looks; /* that it stands for: test_result_add() */
};

/* One test: one cell measured once. */
struct test_result {
	struct client_result traffic;
	double cpu_ms_per_gb;  /* of the whole machine; NAN if unknown */
	int millicelsius;      /* highest; INT_MIN without a usable reading */
	unsigned cooling;      /* highest sum of cooling states */
	unsigned n_policies;
	uint32_t cur_khz[SAMPLE_POLICIES_MAX];  /* mean, 0 unknown */
	uint32_t low_khz[SAMPLE_POLICIES_MAX];  /* lowest scaling_max_freq seen */
	uint32_t high_khz[SAMPLE_POLICIES_MAX]; /* highest scaling_max_freq seen */
	unsigned carried;      /* bits of the NICs that at least half of it went by */
	bool wrong_nic;        /* none of those that can be counted did */
	double line_mbps;      /* of the link that did; 0 unknown or virtual */
	double foreign_mbps;   /* by those NICs beside the test's own; NAN unknown */
	double busy;           /* share of all CPUs, 0 to 1; NAN unknown */
	double busiest;        /* of the busiest CPU; NAN unknown */
	double softirq_ms_per_gb; /* of the whole machine; NAN unknown */
	uint64_t softnet_dropped, nic_dropped; /* packets, during the test */
	int rpi;               /* SAMPLE_RPI_* seen meanwhile; -1: no Raspberry Pi */
	struct sample_clocks *clocks; /* owned, n_policies: ticks meanwhile; or NULL */
	double *rtt_ms;        /* owned: ICMP echo to the peer under this load */
	size_t n_rtt, rtt_lost;
	struct test_sample *samples; /* owned */
	size_t n_samples;
	unsigned looks; /* that a sample stands for at most; 0 as 1 */
};

/* Every cell once, with one side's settings. */
struct leg {
	enum trial_side side;
	unsigned pair;   /* from 0; one leg of each side, or two before and one after */
	bool discarded;  /* it was measured again: the server was busy, other traffic */
	bool busy;       /* the server had another client: the leg was cut short */
	size_t n_tests;  /* fewer than the cells if the leg was cut short */
	struct test_result tests[CELLS_MAX];
};

/**
 * test_result_add - one more look
 * @s: copied
 *
 * Of a test of more than TEST_SAMPLES_MAX, a sample stands for several that follow each
 * other: it is the last of them, with the highest temperature and cooling, every bit of a
 * Raspberry Pi and any event. The first of a test, and of its counted part, stay as they
 * are. Returns 0 or -ENOMEM.
 */
int test_result_add(struct test_result *t, const struct test_sample *s);

/**
 * test_result_summarise - fill in what follows from samples and traffic
 *
 * Not @line_mbps, @clocks and @rtt_ms. Counts are differences between the first sample of
 * the counted part and the last.
 */
void test_result_summarise(struct test_result *t, enum client_direction direction);

/** test_result_disturbed - whether other traffic on the NIC makes the figures void */
bool test_result_disturbed(const struct test_result *t);

void test_result_clear(struct test_result *t);
void legs_free(struct leg *legs, size_t n);

#endif
