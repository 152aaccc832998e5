// SPDX-License-Identifier: GPL-2.0-or-later
// iperf-results.c - iperf3's result document: what each side counted
#include "measure/iperf.h"
#include "measure/iperf-json.h"

#include <math.h>

/* More packets than any test sends, and exact as a real number. */
#define PACKETS_MAX 0x1p52

/* The object of ours among iperf3's keys. */
#define EXTRA_KEY "boardtune"

static const struct extra_number {
	const char *key;
	double max;
	size_t offset;
} extra_numbers[] = {
	{ "machine_busy", 1, offsetof(struct iperf_extra, machine_busy) },
	{ "busiest_cpu", 1, offsetof(struct iperf_extra, busiest_cpu) },
	{ "rtt_ms", 1e6, offsetof(struct iperf_extra, rtt_ms) },
};

static json_t *stream_encode(const struct iperf_stream *stream)
{
	_cleanup_json_ json_t *json = NULL;

	json = json_pack("{s:i, s:I, s:I, s:f, s:I, s:I}", "id", (int)stream->id, "bytes",
			 (json_int_t)stream->bytes, "retransmits",
			 (json_int_t)stream->retransmits, "jitter", stream->jitter,
			 "errors", (json_int_t)stream->lost, "packets",
			 (json_int_t)stream->packets);
	if (!json)
		return NULL;
	/* iperf3 takes both or none. */
	if (stream->omitted_packets >= 0 && stream->omitted_lost >= 0 &&
	    (json_object_set_new(json, "omitted_errors",
				 json_integer(stream->omitted_lost)) ||
	     json_object_set_new(json, "omitted_packets",
				 json_integer(stream->omitted_packets))))
		return NULL;
	if (stream->seconds >= 0 &&
	    (json_object_set_new(json, "start_time", json_integer(0)) ||
	     json_object_set_new(json, "end_time", json_real(stream->seconds))))
		return NULL;
	return TAKE_PTR(json);
}

static int extra_encode(const struct iperf_extra *extra, json_t *json)
{
	json_t *object = json_object();

	if (json_object_set_new(json, EXTRA_KEY, object))
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(extra_numbers); i++) {
		const struct extra_number *row = &extra_numbers[i];
		double number = *(const double *)((const char *)extra + row->offset);

		if (isfinite(number) &&
		    json_object_set_new(object, row->key, json_real(number)))
			return -ENOMEM;
	}
	return 0;
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
	if (results->extra.told && extra_encode(&results->extra, json) < 0)
		return -ENOMEM;
	text = json_dumps(json, JSON_COMPACT);
	if (!text)
		return -ENOMEM;
	*ret = text;
	return 0;
}

/* A count of packets that every version writes; 0 where it is not there all the same. */
static int packets_get(const json_t *json, const char *key, uint64_t *ret)
{
	double number = 0;
	int r = iperf_json_number(json, key, -1, PACKETS_MAX, &number);

	if (r < 0 && r != -ENOENT)
		return -EPROTO;
	*ret = number > 0 ? number : 0;
	return 0;
}

static int omitted_get(const json_t *json, const char *key, int64_t *ret)
{
	int64_t count = -1;
	int r = iperf_json_count(json, key, &count);

	if ((r < 0 && r != -ENOENT) || count > PACKETS_MAX)
		return -EPROTO;
	*ret = count;
	return 0;
}

static int packets_decode(const json_t *json, struct iperf_stream *ret)
{
	int r;

	r = iperf_json_number(json, "jitter", 0, 1e6, &ret->jitter);
	if (r < 0 && r != -ENOENT)
		return -EPROTO;
	r = packets_get(json, "packets", &ret->packets);
	if (r == 0)
		r = packets_get(json, "errors", &ret->lost);
	if (r == 0)
		r = omitted_get(json, "omitted_packets", &ret->omitted_packets);
	if (r == 0)
		r = omitted_get(json, "omitted_errors", &ret->omitted_lost);
	return r;
}

/* Since 3.2, both. */
static int seconds_decode(const json_t *json, double *ret)
{
	double start, end;
	int r, r2;

	r = iperf_json_number(json, "start_time", 0, IPERF_SECONDS_MAX * 2, &start);
	r2 = iperf_json_number(json, "end_time", 0, IPERF_SECONDS_MAX * 2, &end);
	if (r == -ENOENT && r2 == -ENOENT)
		return 0;
	if (r < 0 || r2 < 0 || end < start)
		return -EPROTO;
	*ret = end - start;
	return 0;
}

static int stream_decode(const json_t *json, struct iperf_stream *ret)
{
	struct iperf_stream stream = { .seconds = -1 };
	double id, bytes;
	int r;

	if (!json_is_object(json) ||
	    iperf_json_number(json, "id", 1, IPERF_STREAMS_ALL + 1, &id) < 0 ||
	    iperf_json_number(json, "bytes", 0, 0x1p55, &bytes) < 0 ||
	    iperf_json_count(json, "retransmits", &stream.retransmits) < 0)
		return -EPROTO;
	stream.id = id;
	stream.bytes = bytes;
	r = packets_decode(json, &stream);
	if (r == 0)
		r = seconds_decode(json, &stream.seconds);
	if (r == 0)
		*ret = stream;
	return r;
}

/* What is out of bounds is as good as not told. */
static void extra_decode(const json_t *json, struct iperf_extra *ret)
{
	const json_t *object = json_object_get(json, EXTRA_KEY);

	ret->told = json_is_object(object);
	for (size_t i = 0; i < ARRAY_SIZE(extra_numbers); i++) {
		const struct extra_number *row = &extra_numbers[i];
		double number;

		if (iperf_json_number(object, row->key, 0, row->max, &number) < 0)
			number = NAN;
		*(double *)((char *)ret + row->offset) = number;
	}
}

int iperf_results_decode(const char *text, size_t size, struct iperf_results *ret)
{
	_cleanup_json_ json_t *json = iperf_json_load(text, size);
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
	if (!json_is_array(streams) || n > IPERF_STREAMS_ALL ||
	    iperf_json_number(json, "cpu_util_total", -1e6, 1e6,
			      &results->cpu_total) < 0 ||
	    iperf_json_number(json, "cpu_util_user", -1e6, 1e6, &results->cpu_user) < 0 ||
	    iperf_json_number(json, "cpu_util_system", -1e6, 1e6,
			      &results->cpu_system) < 0 ||
	    iperf_json_count(json, "sender_has_retransmits", &has) < 0)
		return -EPROTO;
	results->has_retransmits = has > 0;
	for (i = 0; i < n; i++)
		if (stream_decode(json_array_get(streams, i), &results->streams[i]) < 0)
			return -EPROTO;
	results->n = n;
	extra_decode(json, &results->extra);
	*ret = *results;
	return 0;
}

/* Once one of them is not known the sum is not. */
static int64_t sum_known(int64_t sum, int64_t count)
{
	return sum < 0 || count < 0 ? -1 : sum + count;
}

struct iperf_sum iperf_results_sum(const struct iperf_results *results, unsigned first,
				   unsigned n)
{
	struct iperf_sum sum = { .retransmits = results->has_retransmits ? 0 : -1 };

	if (!n)
		sum.seconds = -1;
	for (unsigned i = first; i < first + n; i++) {
		const struct iperf_stream *s = &results->streams[i];

		sum.bytes += s->bytes;
		sum.seconds = sum.seconds < 0 || s->seconds < 0 ?
				      -1 : sum.seconds + s->seconds / n;
		sum.retransmits = sum_known(sum.retransmits, s->retransmits);
		sum.packets += s->packets;
		sum.lost += s->lost;
		sum.omitted_packets = sum_known(sum.omitted_packets, s->omitted_packets);
		sum.omitted_lost = sum_known(sum.omitted_lost, s->omitted_lost);
		sum.jitter += s->jitter / n;
	}
	return sum;
}
