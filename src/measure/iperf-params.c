// SPDX-License-Identifier: GPL-2.0-or-later
// iperf-params.c - iperf3's parameter document: what the client asks for
#include "measure/iperf.h"
#include "measure/iperf-json.h"

/* In "client_version", where iperf3 has its own version. */
#define CLIENT_NAME "boardtune"

/* Written only when they are true, or not 0: to be there is to be true, in iperf3. */
static const struct params_flag {
	const char *key;
	size_t offset;
	bool number; /* a number that is not 0, not a boolean */
} params_flags[] = {
	{ "udp", offsetof(struct iperf_params, udp), false },
	{ "reverse", offsetof(struct iperf_params, reverse), false },
	{ "bidirectional", offsetof(struct iperf_params, bidirectional), false },
	{ "nodelay", offsetof(struct iperf_params, nodelay), false },
	{ "udp_counters_64bit", offsetof(struct iperf_params, wide_counters), true },
	{ "zerocopy", offsetof(struct iperf_params, zero_copy), true },
	{ "skip_rx_copy", offsetof(struct iperf_params, skip_copy), true },
};

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

static const struct params_rate {
	const char *key;
	size_t offset;
} params_rates[] = {
	{ "bandwidth", offsetof(struct iperf_params, bandwidth) },
	{ "fqrate", offsetof(struct iperf_params, pacing) },
};

static int params_set(json_t *json, const char *key, json_t *value)
{
	return json_object_set_new(json, key, value) ? -ENOMEM : 0;
}

static int params_encode_optional(const struct iperf_params *params, json_t *json)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(params_flags) && r == 0; i++) {
		const struct params_flag *row = &params_flags[i];

		if (*(const bool *)((const char *)params + row->offset))
			r = params_set(json, row->key,
				       row->number ? json_integer(1) : json_true());
	}
	for (size_t i = 0; i < ARRAY_SIZE(params_rates) && r == 0; i++) {
		const struct params_rate *row = &params_rates[i];
		uint64_t rate = *(const uint64_t *)((const char *)params + row->offset);

		if (rate)
			r = params_set(json, row->key, json_integer(rate));
	}
	if (params->window && r == 0)
		r = params_set(json, "window", json_integer(params->window));
	if (params->congestion[0] && r == 0)
		r = params_set(json, "congestion", json_string(params->congestion));
	if (!params->udp && r == 0)
		r = params_set(json, "tcp", json_true());
	return r;
}

int iperf_params_encode(const struct iperf_params *params, char **ret)
{
	_cleanup_json_ json_t *json = NULL;
	char *text;
	int r;

	json = json_pack("{s:i, s:i, s:i, s:i, s:s}", "omit", (int)params->omit, "time",
			 (int)params->seconds, "parallel", (int)params->streams, "len",
			 (int)params->len, "client_version", CLIENT_NAME);
	if (!json)
		return -ENOMEM;
	r = params_encode_optional(params, json);
	if (r < 0)
		return r;
	text = json_dumps(json, JSON_COMPACT);
	if (!text)
		return -ENOMEM;
	*ret = text;
	return 0;
}

static void params_decode_flags(const json_t *json, struct iperf_params *params)
{
	for (size_t i = 0; i < ARRAY_SIZE(params_flags); i++) {
		const struct params_flag *row = &params_flags[i];
		const json_t *item = json_object_get(json, row->key);

		*(bool *)((char *)params + row->offset) =
			item && (!row->number || json_is_true(item) ||
				 json_real_value(item) != 0);
	}
}

static int params_decode_numbers(const json_t *json, struct iperf_params *params)
{
	double number;
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(params_numbers); i++) {
		const struct params_number *row = &params_numbers[i];

		r = iperf_json_number(json, row->key, row->min, row->max, &number);
		if (r == -ENOENT)
			continue;
		if (r == -ERANGE)
			return row->error;
		if (r < 0)
			return r;
		*(unsigned *)((char *)params + row->offset) = number;
	}
	for (size_t i = 0; i < ARRAY_SIZE(params_rates); i++) {
		const struct params_rate *row = &params_rates[i];

		r = iperf_json_number(json, row->key, 0, 1e15, &number);
		if (r == -ENOENT)
			continue;
		if (r < 0)
			return -EPROTO;
		*(uint64_t *)((char *)params + row->offset) = number;
	}
	return 0;
}

static int params_decode_texts(const json_t *json, struct iperf_params *params)
{
	const json_t *congestion = json_object_get(json, "congestion");
	const char *client = json_string_value(json_object_get(json, "client_version"));

	params->ours = client && str_after(client, CLIENT_NAME);
	if (!congestion)
		return 0;
	if (!json_is_string(congestion))
		return -EPROTO;
	if (json_string_length(congestion) >= sizeof(params->congestion))
		return IPERF_ERROR_CONGESTION;
	strcpy(params->congestion, json_string_value(congestion));
	return 0;
}

/* What each field allows by itself may not go together. */
static int params_check(struct iperf_params *params)
{
	if (params->reverse && params->bidirectional)
		return IPERF_ERROR_REVERSE_BIDIR;
	if (!params->len)
		params->len = params->udp ? IPERF_UDP_LEN_DEFAULT : IPERF_LEN_DEFAULT;
	if (params->udp &&
	    (params->len < IPERF_UDP_LEN_MIN || params->len > IPERF_UDP_LEN_MAX))
		return IPERF_ERROR_UDP_LEN;
	return 0;
}

int iperf_params_decode(const char *text, size_t size, struct iperf_params *ret)
{
	struct iperf_params params = { .streams = 1 };
	_cleanup_json_ json_t *json = iperf_json_load(text, size);
	int r;

	if (!json)
		return -EPROTO;
	if (json_object_get(json, "sctp"))
		return IPERF_ERROR_UNSUPPORTED;
	params_decode_flags(json, &params);
	if (!params.udp && !json_object_get(json, "tcp"))
		return -EPROTO;
	r = params_decode_numbers(json, &params);
	if (r == 0)
		r = params_decode_texts(json, &params);
	if (r == 0)
		r = params_check(&params);
	if (r == 0)
		*ret = params;
	return r;
}
