// SPDX-License-Identifier: GPL-2.0-or-later
// iperf.c - iperf3's control documents, encoded and decoded
#include "measure/iperf.h"

#include <jansson.h>
#include <math.h>
#include <sys/random.h>

#define DEPTH_MAX 16

static void json_release(json_t **json)
{
	json_decref(*json);
}

#define _cleanup_json_ _cleanup_(json_release)

unsigned iperf_stream_id(unsigned n)
{
	return n ? n + 2 : 1;
}

int iperf_cookie_make(char ret[static IPERF_COOKIE_SIZE])
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char bytes[IPERF_COOKIE_SIZE - 1];

	/* Up to 256 bytes come whole. */
	if (getrandom(bytes, sizeof(bytes), 0) < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(bytes); i++)
		ret[i] = alphabet[bytes[i] % 32];
	ret[IPERF_COOKIE_SIZE - 1] = '\0';
	return 0;
}

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
static json_t *document_load(const char *text, size_t size)
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

/*
 * A number from min to max. Returns 0, -ENOENT if the key is not there, -EPROTO if it is
 * no finite number, -ERANGE if it lies outside.
 */
static int number_get(const json_t *json, const char *key, double min, double max,
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

int iperf_params_encode(const struct iperf_params *params, char **ret)
{
	_cleanup_json_ json_t *json = NULL;
	char *text;

	json = json_pack("{s:b, s:i, s:i, s:i, s:i, s:s}", "tcp", 1, "omit",
			 (int)params->omit, "time", (int)params->seconds, "parallel",
			 (int)params->streams, "len", (int)params->len, "client_version",
			 "boardtune");
	if (!json)
		return -ENOMEM;
	if (params->reverse && json_object_set_new(json, "reverse", json_true()))
		return -ENOMEM;
	if (params->nodelay && json_object_set_new(json, "nodelay", json_true()))
		return -ENOMEM;
	if (params->window &&
	    json_object_set_new(json, "window", json_integer(params->window)))
		return -ENOMEM;
	if (params->bandwidth &&
	    json_object_set_new(json, "bandwidth", json_integer(params->bandwidth)))
		return -ENOMEM;
	if (params->congestion[0] &&
	    json_object_set_new(json, "congestion", json_string(params->congestion)))
		return -ENOMEM;
	text = json_dumps(json, JSON_COMPACT);
	if (!text)
		return -ENOMEM;
	*ret = text;
	return 0;
}

/* The numbers of a parameter document. */
static const struct params_number {
	const char *key;
	double min, max;
	size_t offset;
	enum iperf_error error; /* when out of range */
} params_numbers[] = {
	{ "parallel", 1, IPERF_STREAMS_MAX, offsetof(struct iperf_params, streams),
	  IPERF_ERROR_STREAMS },
	{ "time", 0, IPERF_SECONDS_MAX, offsetof(struct iperf_params, seconds),
	  IPERF_ERROR_DURATION },
	{ "omit", 0, IPERF_OMIT_MAX, offsetof(struct iperf_params, omit),
	  IPERF_ERROR_OMIT },
	{ "len", 0, IPERF_LEN_MAX, offsetof(struct iperf_params, len), IPERF_ERROR_LEN },
	{ "window", 0, 512 << 20, offsetof(struct iperf_params, window),
	  IPERF_ERROR_WINDOW },
};

static int params_decode_numbers(const json_t *json, struct iperf_params *params)
{
	double number;
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(params_numbers); i++) {
		const struct params_number *row = &params_numbers[i];

		r = number_get(json, row->key, row->min, row->max, &number);
		if (r == -ENOENT)
			continue;
		if (r == -ERANGE)
			return row->error;
		if (r < 0)
			return r;
		*(unsigned *)((char *)params + row->offset) = number;
	}
	r = number_get(json, "bandwidth", 0, 1e15, &number);
	if (r == -ERANGE)
		return -EPROTO;
	if (r < 0 && r != -ENOENT)
		return r;
	if (r == 0)
		params->bandwidth = number;
	return 0;
}

int iperf_params_decode(const char *text, size_t size, struct iperf_params *ret)
{
	/* Booleans that count as true when they are there, as in iperf3. */
	static const char *const refused[] = { "udp", "sctp", "bidirectional" };
	struct iperf_params params = { .streams = 1, .len = IPERF_LEN_DEFAULT };
	_cleanup_json_ json_t *json = document_load(text, size);
	const json_t *congestion;
	int r;

	if (!json)
		return -EPROTO;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (json_object_get(json, refused[i]))
			return IPERF_ERROR_UNSUPPORTED;
	if (!json_object_get(json, "tcp"))
		return -EPROTO;
	params.reverse = json_object_get(json, "reverse");
	params.nodelay = json_object_get(json, "nodelay");
	r = params_decode_numbers(json, &params);
	if (r)
		return r;
	if (!params.len)
		params.len = IPERF_LEN_DEFAULT;
	congestion = json_object_get(json, "congestion");
	if (congestion) {
		if (!json_is_string(congestion))
			return -EPROTO;
		if (json_string_length(congestion) >= sizeof(params.congestion))
			return IPERF_ERROR_CONGESTION;
		strcpy(params.congestion, json_string_value(congestion));
	}
	*ret = params;
	return 0;
}

static json_t *stream_encode(const struct iperf_stream *stream)
{
	json_t *json;

	json = json_pack("{s:i, s:I, s:I, s:i, s:i, s:i}", "id", (int)stream->id, "bytes",
			 (json_int_t)stream->bytes, "retransmits",
			 (json_int_t)stream->retransmits, "jitter", 0, "errors", 0,
			 "packets", 0);
	if (json && stream->seconds >= 0 &&
	    (json_object_set_new(json, "start_time", json_integer(0)) ||
	     json_object_set_new(json, "end_time", json_real(stream->seconds)))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

int iperf_results_encode(const struct iperf_results *results, char **ret)
{
	_cleanup_json_ json_t *json = NULL;
	json_t *streams;
	char *text;

	json = json_pack("{s:f, s:f, s:f, s:i, s:[]}", "cpu_util_total",
			 results->cpu_total, "cpu_util_user", results->cpu_user,
			 "cpu_util_system", results->cpu_system, "sender_has_retransmits",
			 results->has_retransmits ? 1 : -1, "streams");
	if (!json)
		return -ENOMEM;
	streams = json_object_get(json, "streams");
	for (unsigned i = 0; i < results->n; i++)
		if (json_array_append_new(streams, stream_encode(&results->streams[i])))
			return -ENOMEM;
	text = json_dumps(json, JSON_COMPACT);
	if (!text)
		return -ENOMEM;
	*ret = text;
	return 0;
}

/* A count where 2^64-1, or any negative number, stands for "not known". */
static int count_get(const json_t *json, const char *key, int64_t *ret)
{
	double number;
	int r = number_get(json, key, -1, 0x1p64, &number);

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

static int stream_decode(const json_t *json, struct iperf_stream *ret)
{
	struct iperf_stream stream = { .seconds = -1 };
	double id, bytes, start, end;
	int r, r2;

	if (!json_is_object(json))
		return -EPROTO;
	if (number_get(json, "id", 1, IPERF_STREAMS_MAX * 2 + 1, &id) < 0 ||
	    number_get(json, "bytes", 0, 0x1p55, &bytes) < 0 ||
	    count_get(json, "retransmits", &stream.retransmits) < 0)
		return -EPROTO;
	stream.id = id;
	stream.bytes = bytes;
	/* Since 3.2, both. */
	r = number_get(json, "start_time", 0, IPERF_SECONDS_MAX * 2, &start);
	r2 = number_get(json, "end_time", 0, IPERF_SECONDS_MAX * 2, &end);
	if (r == 0 && r2 == 0) {
		if (end < start)
			return -EPROTO;
		stream.seconds = end - start;
	} else if (r != -ENOENT || r2 != -ENOENT) {
		return -EPROTO;
	}
	*ret = stream;
	return 0;
}

int iperf_results_decode(const char *text, size_t size, struct iperf_results *ret)
{
	_cleanup_json_ json_t *json = document_load(text, size);
	_cleanup_free_ struct iperf_results *results = NULL;
	const json_t *streams;
	int64_t has;
	size_t i, n;

	if (!json)
		return -EPROTO;
	results = calloc(1, sizeof(*results));
	if (!results)
		return -ENOMEM;
	streams = json_object_get(json, "streams");
	n = json_array_size(streams);
	if (!json_is_array(streams) || n > IPERF_STREAMS_MAX ||
	    number_get(json, "cpu_util_total", -1e6, 1e6, &results->cpu_total) < 0 ||
	    number_get(json, "cpu_util_user", -1e6, 1e6, &results->cpu_user) < 0 ||
	    number_get(json, "cpu_util_system", -1e6, 1e6, &results->cpu_system) < 0 ||
	    count_get(json, "sender_has_retransmits", &has) < 0)
		return -EPROTO;
	results->has_retransmits = has > 0;
	for (i = 0; i < n; i++)
		if (stream_decode(json_array_get(streams, i), &results->streams[i]) < 0)
			return -EPROTO;
	results->n = n;
	*ret = *results;
	return 0;
}

void iperf_results_sum(const struct iperf_results *results, uint64_t *ret_bytes,
		       double *ret_seconds, int64_t *ret_retransmits)
{
	int64_t retransmits = results->has_retransmits ? 0 : -1;
	double seconds = results->n ? 0 : -1;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < results->n; i++) {
		const struct iperf_stream *s = &results->streams[i];

		bytes += s->bytes;
		seconds = seconds < 0 || s->seconds < 0 ? -1 : seconds + s->seconds;
		retransmits = retransmits < 0 || s->retransmits < 0
				      ? -1
				      : retransmits + s->retransmits;
	}
	*ret_bytes = bytes;
	*ret_seconds = seconds < 0 ? -1 : seconds / results->n;
	*ret_retransmits = retransmits;
}
