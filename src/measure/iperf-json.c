// SPDX-License-Identifier: GPL-2.0-or-later
// iperf-json.c - a peer's JSON document within bounds, and the numbers in it
#include "measure/iperf-json.h"

#include <math.h>

#include "measure/iperf.h"

#define DEPTH_MAX 16

/* jansson alone would recurse 2048 levels. */
static bool is_nested_too_deep(const char *text, size_t size)
{
	bool in_string = false;
	unsigned depth = 0;

	for (size_t i = 0; i < size; i++) {
		char c = text[i];

		if (in_string && c == '\\')
			i++;
		else if (c == '"')
			in_string = !in_string;
		else if (!in_string && (c == '{' || c == '['))
			depth++;
		else if (!in_string && (c == '}' || c == ']') && depth)
			depth--;
		if (depth > DEPTH_MAX)
			return true;
	}
	return false;
}

/* Integers as reals: iperf3 3.12 writes ones that do not fit in 64 signed bits. */
json_t *iperf_json_load(const char *text, size_t size)
{
	json_error_t error;
	json_t *json;

	if (size > IPERF_DOCUMENT_MAX || is_nested_too_deep(text, size))
		return NULL;
	json = json_loadb(text, size, JSON_DECODE_INT_AS_REAL, &error);
	if (json && !json_is_object(json)) {
		json_decref(json);
		return NULL;
	}
	return json;
}

int iperf_json_number(const json_t *json, const char *key, double min, double max,
		      double *ret)
{
	const json_t *item = json_object_get(json, key);
	double number;

	if (!item)
		return -ENOENT;
	if (!json_is_real(item))
		return -EPROTO;
	number = json_real_value(item);
	if (!isfinite(number))
		return -EPROTO;
	if (number < min || number > max)
		return -ERANGE;
	*ret = number;
	return 0;
}

int iperf_json_count(const json_t *json, const char *key, int64_t *ret)
{
	double number;
	int r = iperf_json_number(json, key, -1, 0x1p64, &number);

	if (r == -ENOENT)
		return r;
	if (r < 0)
		return -EPROTO;
	if (number >= 0 && number < 0x1p63)
		*ret = number;
	else if (number < 0 || number == 0x1p64)
		*ret = -1;
	else
		return -EPROTO;
	return 0;
}
