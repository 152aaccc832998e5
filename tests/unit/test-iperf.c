// SPDX-License-Identifier: GPL-2.0-or-later
// test-iperf.c - iperf3's documents, of its versions and of liars
#include <math.h>

#include "measure/iperf.h"
#include "tap.h"

/* Parameter documents as clients of these versions write them. */
static const struct {
	const char *version, *text;
	struct iperf_params want;
} params_good[] = {
	{ "3.1",
	  "{\"tcp\":true,\"omit\":0,\"time\":10,\"parallel\":1,\"len\":131072,"
	  "\"client_version\":\"3.1.3\"}",
	  { .streams = 1, .seconds = 10, .len = 131072 } },
	{ "3.12 -R -P 4 -O 2",
	  "{\"tcp\":true,\"omit\":2,\"time\":5,\"num\":0,\"blockcount\":0,"
	  "\"parallel\":4,\"reverse\":true,\"len\":131072,\"pacing_timer\":1000,"
	  "\"client_version\":\"3.12\"}",
	  { .reverse = true, .streams = 4, .seconds = 5, .omit = 2, .len = 131072 } },
	{ "3.18 -N -w 64K -b 10M -C cubic",
	  "{\"tcp\":true,\"omit\":0,\"time\":10,\"parallel\":1,\"nodelay\":true,"
	  "\"window\":65536,\"len\":131072,\"bandwidth\":10000000,\"pacing_timer\":1000,"
	  "\"congestion\":\"cubic\",\"congestion_used\":\"cubic\","
	  "\"client_version\":\"3.18\"}",
	  { .nodelay = true,
	    .streams = 1,
	    .seconds = 10,
	    .len = 131072,
	    .window = 65536,
	    .bandwidth = 10000000,
	    .congestion = "cubic" } },
	{ "3.20 -n 1G",
	  "{\"tcp\":true,\"omit\":0,\"num\":1073741824,\"parallel\":1,\"len\":131072,"
	  "\"mptcp\":0,\"skip_rx_copy\":0,\"client_version\":\"3.20\"}",
	  { .streams = 1, .len = 131072 } },
	{ "minimal",
	  "{\"tcp\":true,\"time\":1,\"parallel\":1}",
	  { .streams = 1, .seconds = 1, .len = IPERF_LEN_DEFAULT } },
	{ "at the limits",
	  "{\"tcp\":true,\"time\":86400,\"parallel\":128,\"len\":1048576,\"omit\":600}",
	  { .streams = 128, .seconds = 86400, .len = 1048576, .omit = 600 } },
};

static const struct {
	const char *what, *text;
	int want;
} params_bad[] = {
	{ "UDP", "{\"udp\":true,\"time\":1,\"parallel\":1}", IPERF_ERROR_UNSUPPORTED },
	{ "SCTP", "{\"sctp\":true,\"time\":1}", IPERF_ERROR_UNSUPPORTED },
	{ "bidir", "{\"tcp\":true,\"bidirectional\":true}", IPERF_ERROR_UNSUPPORTED },
	{ "no protocol", "{\"time\":1,\"parallel\":1}", -EPROTO },
	{ "no stream", "{\"tcp\":true,\"parallel\":0}", IPERF_ERROR_STREAMS },
	{ "129 streams", "{\"tcp\":true,\"parallel\":129}", IPERF_ERROR_STREAMS },
	{ "-1 streams", "{\"tcp\":true,\"parallel\":-1}", IPERF_ERROR_STREAMS },
	{ "2^64-1 streams", "{\"tcp\":true,\"parallel\":18446744073709551615}",
	  IPERF_ERROR_STREAMS },
	{ "86401 s", "{\"tcp\":true,\"time\":86401}", IPERF_ERROR_DURATION },
	{ "-1 s", "{\"tcp\":true,\"time\":-1}", IPERF_ERROR_DURATION },
	{ "len 1 MiB + 1", "{\"tcp\":true,\"len\":1048577}", IPERF_ERROR_LEN },
	{ "len -1", "{\"tcp\":true,\"len\":-1}", IPERF_ERROR_LEN },
	{ "omit 601", "{\"tcp\":true,\"omit\":601}", IPERF_ERROR_OMIT },
	{ "window 1 TB", "{\"tcp\":true,\"window\":1e12}", IPERF_ERROR_WINDOW },
	{ "congestion of 16", "{\"tcp\":true,\"congestion\":\"0123456789abcdef\"}",
	  IPERF_ERROR_CONGESTION },
	{ "congestion 5", "{\"tcp\":true,\"congestion\":5}", -EPROTO },
	{ "bandwidth -1", "{\"tcp\":true,\"bandwidth\":-1}", -EPROTO },
	{ "time as text", "{\"tcp\":true,\"time\":\"1\"}", -EPROTO },
	{ "time true", "{\"tcp\":true,\"time\":true}", -EPROTO },
	{ "time nan", "{\"tcp\":true,\"time\":nan}", -EPROTO },
	{ "time 1e999", "{\"tcp\":true,\"time\":1e999}", -EPROTO },
	{ "an array", "[1]", -EPROTO },
	{ "a number", "5", -EPROTO },
	{ "two documents", "{\"tcp\":true}{\"tcp\":true}", -EPROTO },
	{ "cut off", "{\"tcp\":true,\"time\":1", -EPROTO },
	{ "a NUL in a text", "{\"tcp\":true,\"congestion\":\"a\\u0000b\"}", -EPROTO },
	{ "no UTF-8", "{\"tcp\":true,\"title\":\"\xff\"}", -EPROTO },
	{ "nothing", "", -EPROTO },
	{ "noise", "GET / HTTP/1.1\r\n\r\n", -EPROTO },
};

static void test_params(void)
{
	struct iperf_params got;

	for (size_t i = 0; i < ARRAY_SIZE(params_good); i++) {
		const struct iperf_params *want = &params_good[i].want;
		const char *text = params_good[i].text;
		int r = iperf_params_decode(text, strlen(text), &got);

		ok(r == 0 && got.reverse == want->reverse &&
			   got.nodelay == want->nodelay && got.streams == want->streams &&
			   got.seconds == want->seconds && got.omit == want->omit &&
			   got.len == want->len && got.window == want->window &&
			   got.bandwidth == want->bandwidth &&
			   streq(got.congestion, want->congestion),
		   "parameters of %s", params_good[i].version);
	}
	for (size_t i = 0; i < ARRAY_SIZE(params_bad); i++) {
		const char *text = params_bad[i].text;

		got.streams = 77;
		is_int(iperf_params_decode(text, strlen(text), &got), params_bad[i].want,
		       "parameters refused: %s", params_bad[i].what);
		if (got.streams != 77)
			ok(false, "refused parameters were written down");
	}
}

static void test_params_round(void)
{
	struct iperf_params params = { .reverse = true,
				       .nodelay = true,
				       .streams = 3,
				       .seconds = 7,
				       .omit = 1,
				       .len = 4096,
				       .window = 100000,
				       .bandwidth = 5000000000,
				       .congestion = "reno" };
	struct iperf_params got;
	_cleanup_free_ char *text = NULL;

	is_int(iperf_params_encode(&params, &text), 0, "parameters encoded");
	is_int(iperf_params_decode(text, strlen(text), &got), 0, "and decoded");
	ok(got.reverse && got.nodelay && got.streams == 3 && got.seconds == 7 &&
		   got.omit == 1 && got.len == 4096 && got.window == 100000 &&
		   got.bandwidth == 5000000000 && streq(got.congestion, "reno"),
	   "to the same");
	free(text);
	params = (struct iperf_params){ .streams = 1, .seconds = 1, .len = 131072 };
	is_int(iperf_params_encode(&params, &text), 0, "plain parameters encoded");
	/* Being there is being true: a server must not find these. */
	ok(!strstr(text, "reverse") && !strstr(text, "nodelay") &&
		   !strstr(text, "congestion") && !strstr(text, "bandwidth"),
	   "without what was not asked for");
}

static void test_results(void)
{
	static struct iperf_results got;
	uint64_t bytes;
	int64_t retransmits;
	double seconds;
	const char *text;

	/* A receiving server of 3.12: -1 as an unsigned number. */
	text = "{\"cpu_util_total\":9.8,\"cpu_util_user\":0.4,\"cpu_util_system\":9.4,"
	       "\"sender_has_retransmits\":18446744073709551615,"
	       "\"streams\":[{\"id\":1,\"bytes\":6248464384,"
	       "\"retransmits\":18446744073709551615,\"jitter\":0,\"errors\":0,"
	       "\"packets\":0,\"start_time\":0,\"end_time\":5.000185}]}";
	is_int(iperf_results_decode(text, strlen(text), &got), 0, "results of 3.12");
	is_int(got.n, 1, "one stream");
	is_int(got.streams[0].bytes, 6248464384, "its bytes");
	is_int(got.streams[0].retransmits, -1, "2^64-1 retransmits are -1");
	ok(!got.has_retransmits, "2^64-1 is no yes");
	is_near(got.streams[0].seconds, 5.000185, 1e-9, "its seconds");
	is_near(got.cpu_total, 9.8, 1e-9, "its CPU share");

	/* 3.1: neither times nor anything else that came later. */
	text = "{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":1,"
	       "\"sender_has_retransmits\":1,\"streams\":[{\"id\":1,\"bytes\":10,"
	       "\"retransmits\":3,\"jitter\":0,\"errors\":0,\"packets\":0},{\"id\":3,"
	       "\"bytes\":20,\"retransmits\":4,\"jitter\":0,\"errors\":0,"
	       "\"packets\":0}]}";
	is_int(iperf_results_decode(text, strlen(text), &got), 0, "results of 3.1");
	iperf_results_sum(&got, &bytes, &seconds, &retransmits);
	is_int(bytes, 30, "sum of bytes");
	is_int(retransmits, 7, "sum of retransmits");
	ok(seconds == -1, "no seconds given");

	/* A sender of 3.20. */
	text = "{\"cpu_util_total\":2.5,\"cpu_util_user\":0.5,\"cpu_util_system\":2,"
	       "\"sender_has_retransmits\":1,\"congestion_used\":\"cubic\","
	       "\"streams\":[{\"id\":1,\"bytes\":100,\"retransmits\":0,\"jitter\":0,"
	       "\"errors\":0,\"omitted_errors\":0,\"packets\":0,\"omitted_packets\":0,"
	       "\"start_time\":0,\"end_time\":2}]}";
	is_int(iperf_results_decode(text, strlen(text), &got), 0, "results of 3.20");
	iperf_results_sum(&got, &bytes, &seconds, &retransmits);
	ok(bytes == 100 && retransmits == 0 && seconds == 2, "and their sum");
}

#define RESULTS(streams)                                                                 \
	"{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":1,"               \
	"\"sender_has_retransmits\":1,\"streams\":" streams "}"
#define STREAM(rest) "[{\"id\":1,\"retransmits\":0" rest "}]"

static void test_results_bad(void)
{
	static const struct {
		const char *what, *text;
	} bad[] = {
		{ "no streams", "{\"cpu_util_total\":1,\"cpu_util_user\":0,"
				"\"cpu_util_system\":1,\"sender_has_retransmits\":1}" },
		{ "no CPU share", "{\"sender_has_retransmits\":1,\"streams\":[]}" },
		{ "streams an object", RESULTS("{}") },
		{ "streams of numbers", RESULTS("[1,2]") },
		{ "no bytes", RESULTS(STREAM("")) },
		{ "bytes below 0", RESULTS(STREAM(",\"bytes\":-1")) },
		{ "bytes 2^64-1", RESULTS(STREAM(",\"bytes\":18446744073709551615")) },
		{ "bytes a text", RESULTS(STREAM(",\"bytes\":\"5\"")) },
		{ "bytes null", RESULTS(STREAM(",\"bytes\":null")) },
		{ "bytes nan", RESULTS(STREAM(",\"bytes\":-nan")) },
		{ "bytes 1e400", RESULTS(STREAM(",\"bytes\":1e400")) },
		{ "end before start",
		  RESULTS(STREAM(",\"bytes\":1,\"start_time\":5,\"end_time\":1")) },
		{ "end without start", RESULTS(STREAM(",\"bytes\":1,\"end_time\":1")) },
		{ "id 0", RESULTS("[{\"id\":0,\"bytes\":1,\"retransmits\":0}]") },
		{ "retransmits -2^60", RESULTS("[{\"id\":1,\"bytes\":1,"
					       "\"retransmits\":-1e18}]") },
	};
	struct iperf_results *got = calloc(1, sizeof(*got));

	if (!got)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		got->n = 99;
		is_int(iperf_results_decode(bad[i].text, strlen(bad[i].text), got),
		       -EPROTO, "results refused: %s", bad[i].what);
		if (got->n != 99)
			ok(false, "refused results were written down");
	}
	free(got);
}

/* 129 streams, then documents that are too long and too deep. */
static void test_results_hostile(void)
{
	static struct iperf_results got;
	static char text[IPERF_DOCUMENT_MAX + 64];
	size_t n;

	n = sprintf(text, "{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":"
			  "1,\"sender_has_retransmits\":1,\"streams\":[");
	for (unsigned i = 0; i < 129; i++)
		n += sprintf(text + n, "%s{\"id\":%u,\"bytes\":1,\"retransmits\":0}",
			     i ? "," : "", iperf_stream_id(i));
	strcpy(text + n, "]}");
	is_int(iperf_results_decode(text, n + 2, &got), -EPROTO, "129 streams");
	*strrchr(text, '{') = ' ';
	n = strrchr(text, ',') - text;
	while (text[n] != '}')
		n--;
	strcpy(text + n + 1, "]}");
	is_int(iperf_results_decode(text, n + 3, &got), 0, "128 streams");

	memset(text, '[', sizeof(text));
	is_int(iperf_results_decode(text, 60000, &got), -EPROTO, "60000 levels");
	n = sprintf(text, "{\"tcp\":true,\"title\":\"[[[[[[[[[[[[[[[[[[[[[[\\\"[[\"}");
	is_int(iperf_params_decode(text, n, &(struct iperf_params){}), 0,
	       "brackets in a text are no levels");
	n = sprintf(text, "{\"tcp\":true,\"x\":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]}");
	is_int(iperf_params_decode(text, n, &(struct iperf_params){}), -EPROTO,
	       "17 levels");

	n = sprintf(text, "{\"tcp\":true}");
	memset(text + n, ' ', sizeof(text) - n);
	is_int(iperf_params_decode(text, IPERF_DOCUMENT_MAX, &(struct iperf_params){}), 0,
	       "64 KiB");
	is_int(iperf_params_decode(text, IPERF_DOCUMENT_MAX + 1,
				   &(struct iperf_params){}),
	       -EPROTO, "64 KiB and one byte");
}

static void test_results_round(void)
{
	static struct iperf_results results = {
		.cpu_total = 12.5,
		.cpu_user = 2.5,
		.cpu_system = 10,
		.has_retransmits = true,
		.n = 2,
		.streams = { { .id = 1,
			       .bytes = 1ull << 40,
			       .retransmits = 5,
			       .seconds = 1.5 },
			     { .id = 3, .bytes = 7, .retransmits = -1, .seconds = 2.5 } },
	};
	static struct iperf_results got;
	_cleanup_free_ char *text = NULL;
	int64_t retransmits;
	uint64_t bytes;
	double seconds;

	is_int(iperf_results_encode(&results, &text), 0, "results encoded");
	ok(strstr(text, "\"jitter\":0") && strstr(text, "\"errors\":0") &&
		   strstr(text, "\"packets\":0"),
	   "with the keys that all versions want");
	ok(strstr(text, "\"bytes\":1099511627776") != NULL, "bytes are an integer");
	is_int(iperf_results_decode(text, strlen(text), &got), 0, "and decoded");
	ok(got.n == 2 && got.streams[0].bytes == 1ull << 40 && got.streams[1].id == 3 &&
		   got.streams[0].retransmits == 5 && got.streams[1].retransmits == -1 &&
		   got.has_retransmits && got.cpu_user == 2.5 && got.cpu_system == 10,
	   "to the same");
	iperf_results_sum(&got, &bytes, &seconds, &retransmits);
	is_int(bytes, (1ll << 40) + 7, "sum of bytes");
	is_near(seconds, 2.0, 1e-9, "mean of seconds");
	is_int(retransmits, -1, "one that cannot tell: none known");
}

static void test_names(void)
{
	char a[IPERF_COOKIE_SIZE], b[IPERF_COOKIE_SIZE];

	is_int(iperf_stream_id(0), 1, "first stream");
	is_int(iperf_stream_id(1), 3, "second stream");
	is_int(iperf_stream_id(2), 4, "third stream");
	is_int(iperf_cookie_make(a), 0, "a cookie");
	is_int(iperf_cookie_make(b), 0, "another cookie");
	is_int(strspn(a, "abcdefghijklmnopqrstuvwxyz234567"), 36, "of 36 letters");
	is_int(strlen(a), 36, "and no more");
	ok(!streq(a, b), "not the same again");
}

int main(void)
{
	test_params();
	test_params_round();
	test_results();
	test_results_bad();
	test_results_hostile();
	test_results_round();
	test_names();
	return done();
}
