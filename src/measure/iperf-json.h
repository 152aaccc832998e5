/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iperf-json.h - a peer's JSON document within bounds, and the numbers in it */
#ifndef BOARDTUNE_IPERF_JSON_H
#define BOARDTUNE_IPERF_JSON_H

#include <jansson.h>

#include "base/base.h"

static inline void json_release(json_t **json)
{
	json_decref(*json);
}

#define _cleanup_json_ _cleanup_(json_release)

/**
 * iperf_json_load - an object of at most IPERF_DOCUMENT_MAX bytes and 16 levels
 *
 * Integers become reals: iperf3 3.12 writes ones that do not fit in 64 signed bits.
 * Returns NULL for anything else.
 */
json_t *iperf_json_load(const char *text, size_t size);

/**
 * iperf_json_number - a number from @min to @max
 *
 * Returns 0, -ENOENT if the key is not there, -EPROTO if it is no finite number, -ERANGE
 * if it lies outside.
 */
int iperf_json_number(const json_t *json, const char *key, double min, double max,
		      double *ret);

/**
 * iperf_json_count - a count where 2^64-1, or a negative number, stands for "not known"
 *
 * Returns 0, -ENOENT if the key is not there, -EPROTO.
 */
int iperf_json_count(const json_t *json, const char *key, int64_t *ret);

#endif
