/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-view.h - what a report of a run says, in every format: sentences, lists, tables */
#ifndef BOARDTUNE_RUN_VIEW_H
#define BOARDTUNE_RUN_VIEW_H

#include "measure/run-doc.h"
#include "report/table.h"

enum run_view_list_id {
	RUN_VIEW_REASONS,
	RUN_VIEW_FLAGS,
	RUN_VIEW_NOT_MEASURED,
	RUN_VIEW_FACTS,
	RUN_VIEW_METHOD,
	RUN_VIEW_LISTS_,
};

struct run_view_item {
	char *name; /* owned; NULL: a sentence by itself */
	char *text; /* owned */
};

struct run_view_list {
	const char *title;	     /* translated; "" for none */
	struct run_view_item *items; /* owned */
	size_t n;
};

#define RUN_VIEW_TABLES_MAX 7

struct run_view_table {
	const char *title; /* translated */
	struct table table;
};

/* Everything is translated; nothing is escaped. */
struct run_view {
	char *headline, *verdict; /* owned; of measure: which way it was measured */
	struct run_view_list lists[RUN_VIEW_LISTS_];
	struct run_view_table tables[RUN_VIEW_TABLES_MAX]; /* those that have rows */
	size_t n_tables;
	int error; /* -ENOMEM once something is missing */
};

/** run_view_make - returns 0 or -ENOMEM; release with run_view_clear() */
int run_view_make(const struct run_doc *doc, struct run_view *ret);
void run_view_clear(struct run_view *view);

/** run_view_label - "IPv4 tx" for "ipv4-tx", translated; @name if there is none such */
const char *run_view_label(const char *name);

/** run_view_verdict - the word, translated */
const char *run_view_verdict(enum verdict v);

/** run_view_verdict_of - that of a run; "-" for one of measure, which has none */
const char *run_view_verdict_of(const struct run_doc *doc);

/** run_view_figure - a number by a literal format of one double; "-" for NAN */
#define RUN_VIEW_CELL 64
const char *run_view_figure(char buf[static RUN_VIEW_CELL], const char *format, double x);

/** run_view_interval - "0.981 to 1.013" */
const char *run_view_interval(char buf[static RUN_VIEW_CELL],
			      const struct stats_interval *i);

/**
 * run_view_change - what decided, short: "+24.1 %", "CPU -12.0 %"
 *
 * Of the test that the first reason names, else of the first.
 */
const char *run_view_change(char buf[static RUN_VIEW_CELL], const struct run_doc *doc);

#endif
