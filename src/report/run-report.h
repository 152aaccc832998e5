/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-report.h - a saved run as text, Markdown, CSV or a page */
#ifndef BOARDTUNE_RUN_REPORT_H
#define BOARDTUNE_RUN_REPORT_H

#include "measure/run-doc.h"

/*
 * Each writes to @f, whose errors the caller looks for at the end, and returns 0 or
 * -ENOMEM. Words are translated, numbers are not.
 */

/** run_text - for a screen of 80 columns */
int run_text(const struct run_doc *doc, FILE *f);

/** run_markdown - tables with pipes, to paste into a forum; names are escaped */
int run_markdown(const struct run_doc *doc, FILE *f);

/**
 * run_csv - a row per sample (RFC 4180), for a spreadsheet; not translated
 *
 * What is not known is an empty field.
 */
int run_csv(const struct run_doc *doc, FILE *f);

/** run_html - one page with plots: no script, nothing from elsewhere, names escaped */
int run_html(const struct run_doc *doc, FILE *f);

#endif
