/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-json.h - values of a run's document, shared by the files that write it */
#ifndef BOARDTUNE_RUN_JSON_H
#define BOARDTUNE_RUN_JSON_H

#include "measure/run.h"

/** run_json_rounded - a multiple of @step: doubles print with 17 digits; null for NAN */
json_t *run_json_rounded(double x, double step);

/** run_json_text - any bytes; those that are no UTF-8 become "?" */
json_t *run_json_text(const char *text);

/** run_json_celsius - null for INT_MIN */
json_t *run_json_celsius(int millicelsius);

/** run_json_khz - a list of clocks; null for 0 */
json_t *run_json_khz(const uint32_t *khz, unsigned n);

/** run_json_list - @list if it has @n items, else NULL: one could not be made */
json_t *run_json_list(json_t *list, size_t n);

/** run_json_states - the share of time at each clock; null for none */
json_t *run_json_states(const struct sample_clocks *clocks);

/**
 * run_json_latency - percentiles of round-trip times
 * @rtt_ms: put in order here
 * @lost: echoes without an answer
 *
 * null if nothing was asked.
 */
json_t *run_json_latency(double *rtt_ms, size_t n, size_t lost);

/** run_json_leg - a leg with its tests and samples; times count from @start */
json_t *run_json_leg(const struct run *run, const struct leg *leg, double start);

#endif
