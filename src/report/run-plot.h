/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-plot.h - a plot over time as inline SVG, with its figures as a table */
#ifndef BOARDTUNE_RUN_PLOT_H
#define BOARDTUNE_RUN_PLOT_H

#include "measure/run-doc.h"

struct plot_point {
	double x, y;
};

/* One per leg: what the table tells; where there is no trace, what the plot shows. */
struct plot_mark {
	double from, to; /* seconds; finite */
	double x;	 /* where its mark stands */
	double y;	 /* NAN: nothing known */
	enum trial_side side;
	unsigned round;	 /* from 1 */
	size_t first, n; /* of the trace: the points of this leg */
};

struct run_plot {
	char *title; /* owned, translated */
	const char *unit;
	const char *format;	 /* of a figure: "%.1f", a literal */
	bool from_zero;		 /* the scale of y begins at 0 */
	struct plot_mark *marks; /* owned */
	size_t n_marks;
	struct plot_point *trace; /* owned; n_trace 0: marks are joined instead */
	size_t n_trace;
};

void run_plot_clear(struct run_plot *p);

/**
 * run_plot_svg - the plot
 * @number: makes its ids unique within the page
 *
 * Colours are of the classes "before" and "after" of the page's style sheet; the lines
 * differ in dashes and marks as well. Nothing for a plot with no point.
 */
void run_plot_svg(const struct run_plot *p, unsigned number, FILE *f);

/**
 * run_plots_make - every plot of a run that has a point
 * @ret: an array that the caller frees with run_plots_free()
 *
 * Throughput and round-trip time by kind of test, temperature, each clock. Returns their
 * number or -ENOMEM.
 */
ssize_t run_plots_make(const struct run_doc *doc, struct run_plot **ret);
void run_plots_free(struct run_plot *plots, size_t n);

/** run_plot_empty - whether there is nothing to show */
bool run_plot_empty(const struct run_plot *p);

/** html_entity - what stands for a character of markup; NULL for any other */
const char *html_entity(char c);

/** html_put - text with what is markup escaped */
void html_put(FILE *f, const char *text);

#endif
