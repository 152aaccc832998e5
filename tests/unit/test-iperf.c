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
	{ "3.12 -u --bidir -b 1M",
	  "{\"udp\":true,\"omit\":0,\"time\":10,\"num\":0,\"blockcount\":0,"
	  "\"parallel\":1,\"bidirectional\":true,\"len\":1448,\"bandwidth\":1048576,"
	  "\"pacing_timer\":1000,\"client_version\":\"3.12\"}",
	  { .udp = true,
	    .bidirectional = true,
	    .streams = 1,
	    .seconds = 10,
	    .len = 1448,
	    .bandwidth = 1048576 } },
	{ "3.20 -u -R -Z --fq-rate 1G --udp-counters-64bit --skip-rx-copy",
	  "{\"udp\":true,\"omit\":0,\"time\":1,\"parallel\":1,\"reverse\":true,"
	  "\"udp_counters_64bit\":1,\"fqrate\":1000000000,\"zerocopy\":1,"
	  "\"skip_rx_copy\":1,\"client_version\":\"3.20\"}",
	  { .udp = true,
	    .reverse = true,
	    .wide_counters = true,
	    .zero_copy = true,
	    .skip_copy = true,
	    .streams = 1,
	    .seconds = 1,
	    .len = IPERF_UDP_LEN_DEFAULT,
	    .pacing = 1000000000 } },
	{ "boardtune",
	  "{\"tcp\":true,\"time\":1,\"client_version\":\"boardtune 1\"}",
	  { .ours = true, .streams = 1, .seconds = 1, .len = IPERF_LEN_DEFAULT } },
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
	{ "SCTP", "{\"sctp\":true,\"time\":1}", IPERF_ERROR_UNSUPPORTED },
	{ "both ways and reverse",
	  "{\"tcp\":true,\"bidirectional\":true,\"reverse\":true}",
	  IPERF_ERROR_REVERSE_BIDIR },
	{ "datagrams of 15", "{\"udp\":true,\"len\":15}", IPERF_ERROR_UDP_LEN },
	{ "datagrams of 65508", "{\"udp\":true,\"len\":65508}", IPERF_ERROR_UDP_LEN },
	{ "fqrate a text", "{\"udp\":true,\"fqrate\":\"1G\"}", -EPROTO },
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

static bool params_same(const struct iperf_params *a, const struct iperf_params *b)
{
	return a->udp == b->udp && a->reverse == b->reverse &&
	       a->bidirectional == b->bidirectional && a->nodelay == b->nodelay &&
	       a->wide_counters == b->wide_counters && a->zero_copy == b->zero_copy &&
	       a->skip_copy == b->skip_copy && a->ours == b->ours &&
	       a->streams == b->streams && a->seconds == b->seconds &&
	       a->omit == b->omit && a->len == b->len && a->window == b->window &&
	       a->bandwidth == b->bandwidth && a->pacing == b->pacing &&
	       streq(a->congestion, b->congestion);
}

static void test_params(void)
{
	struct iperf_params got;

	for (size_t i = 0; i < ARRAY_SIZE(params_good); i++) {
		const struct iperf_params *want = &params_good[i].want;
		const char *text = params_good[i].text;
		int r = iperf_params_decode(text, strlen(text), &got);

		ok(r == 0 && params_same(&got, want),
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
	struct iperf_params params = { .udp = true,
				       .reverse = true,
				       .nodelay = true,
				       .wide_counters = true,
				       .zero_copy = true,
				       .skip_copy = true,
				       .ours = true,
				       .streams = 3,
				       .seconds = 7,
				       .omit = 1,
				       .len = 4096,
				       .window = 100000,
				       .bandwidth = 5000000000,
				       .pacing = 6000000000,
				       .congestion = "reno" };
	struct iperf_params got;
	_cleanup_free_ char *text = NULL;

	is_int(iperf_params_encode(&params, &text), 0, "parameters encoded");
	is_int(iperf_params_decode(text, strlen(text), &got), 0, "and decoded");
	ok(params_same(&got, &params), "to the same");
	ok(!strstr(text, "tcp"), "UDP is not TCP too");
	free(text);
	params = (struct iperf_params){ .streams = 1, .seconds = 1, .len = 131072 };
	is_int(iperf_params_encode(&params, &text), 0, "plain parameters encoded");
	/* Being there is being true: a server must not find these. */
	ok(!strstr(text, "reverse") && !strstr(text, "nodelay") &&
		   !strstr(text, "congestion") && !strstr(text, "bandwidth") &&
		   !strstr(text, "udp") && !strstr(text, "bidirectional"),
	   "without what was not asked for");
}

static void test_results(void)
{
	static struct iperf_results got;
	struct iperf_sum sum;
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
	sum = iperf_results_sum(&got, 0, 2);
	is_int(sum.bytes, 30, "sum of bytes");
	is_int(sum.retransmits, 7, "sum of retransmits");
	ok(sum.seconds == -1, "no seconds given");
	is_int(sum.omitted_packets, -1, "nor omitted packets");
	ok(!got.extra.told && isnan(got.extra.machine_busy), "nor about its machine");
	sum = iperf_results_sum(&got, 1, 1);
	ok(sum.bytes == 20 && sum.retransmits == 4, "the second stream alone");

	/* A sender of 3.20. */
	text = "{\"cpu_util_total\":2.5,\"cpu_util_user\":0.5,\"cpu_util_system\":2,"
	       "\"sender_has_retransmits\":1,\"congestion_used\":\"cubic\","
	       "\"streams\":[{\"id\":1,\"bytes\":100,\"retransmits\":0,\"jitter\":0,"
	       "\"errors\":0,\"omitted_errors\":0,\"packets\":0,\"omitted_packets\":0,"
	       "\"start_time\":0,\"end_time\":2}]}";
	is_int(iperf_results_decode(text, strlen(text), &got), 0, "results of 3.20");
	sum = iperf_results_sum(&got, 0, 1);
	ok(sum.bytes == 100 && sum.retransmits == 0 && sum.seconds == 2, "and their sum");
}

/* UDP, received: of 3.12, which does not tell what was omitted, and of 3.16. */
static void test_results_udp(void)
{
	static struct iperf_results got;
	struct iperf_sum sum;
	const char *text;

	text = "{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":1,"
	       "\"sender_has_retransmits\":18446744073709551615,\"streams\":[{\"id\":1,"
	       "\"bytes\":131768,\"retransmits\":18446744073709551615,"
	       "\"jitter\":1.25e-05,\"errors\":9,\"packets\":100,\"start_time\":0,"
	       "\"end_time\":1.5}]}";
	is_int(iperf_results_decode(text, strlen(text), &got), 0, "UDP results of 3.12");
	sum = iperf_results_sum(&got, 0, 1);
	ok(sum.packets == 100 && sum.lost == 9 && sum.omitted_packets == -1 &&
		   sum.omitted_lost == -1 && sum.bytes == 131768,
	   "packets and those lost");
	is_near(sum.jitter, 1.25e-5, 1e-12, "jitter");
	text = "{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":1,"
	       "\"sender_has_retransmits\":-1,\"streams\":[{\"id\":1,\"bytes\":1,"
	       "\"retransmits\":-1,\"jitter\":0.002,\"errors\":9,"
	       "\"omitted_errors\":4,\"packets\":100,\"omitted_packets\":10},"
	       "{\"id\":3,\"bytes\":1,\"retransmits\":-1,\"jitter\":0.004,"
	       "\"errors\":1,\"omitted_errors\":0,\"packets\":50,"
	       "\"omitted_packets\":5}]}";
	is_int(iperf_results_decode(text, strlen(text), &got), 0, "UDP results of 3.16");
	sum = iperf_results_sum(&got, 0, 2);
	ok(sum.packets == 150 && sum.lost == 10 && sum.omitted_packets == 15 &&
		   sum.omitted_lost == 4,
	   "of all streams, and what was omitted");
	is_near(sum.jitter, 0.003, 1e-12, "the mean jitter");
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
		{ "jitter below 0",
		  RESULTS(STREAM(",\"bytes\":1,\"jitter\":-0.5")) },
		{ "2^60 packets", RESULTS(STREAM(",\"bytes\":1,\"packets\":1e18")) },
		{ "omitted a text",
		  RESULTS(STREAM(",\"bytes\":1,\"omitted_packets\":\"1\"")) },
		{ "2^60 omitted",
		  RESULTS(STREAM(",\"bytes\":1,\"omitted_errors\":1e18")) },
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

/* 257 streams, then documents that are too long and too deep. */
static void test_results_hostile(void)
{
	static struct iperf_results got;
	static char text[IPERF_DOCUMENT_MAX + 64];
	size_t n;

	n = sprintf(text, "{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":"
			  "1,\"sender_has_retransmits\":1,\"streams\":[");
	for (unsigned i = 0; i < 257; i++)
		n += sprintf(text + n, "%s{\"id\":%u,\"bytes\":1,\"retransmits\":0}",
			     i ? "," : "", iperf_stream_id(i));
	strcpy(text + n, "]}");
	is_int(iperf_results_decode(text, n + 2, &got), -EPROTO, "257 streams");
	*strrchr(text, '{') = ' ';
	n = strrchr(text, ',') - text;
	while (text[n] != '}')
		n--;
	strcpy(text + n + 1, "]}");
	is_int(iperf_results_decode(text, n + 3, &got), 0, "256 streams");

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
			       .seconds = 1.5,
			       .omitted_packets = -1,
			       .omitted_lost = -1 },
			     { .id = 3,
			       .bytes = 7,
			       .retransmits = -1,
			       .seconds = 2.5,
			       .packets = 1ull << 41,
			       .lost = 77,
			       .omitted_packets = 6,
			       .omitted_lost = 5,
			       .jitter = 0.25 } },
		.extra = { .told = true, .machine_busy = 0.5, .rtt_ms = 0.75 },
	};
	static struct iperf_results got;
	_cleanup_free_ char *text = NULL;
	const struct iperf_stream *s = got.streams;
	struct iperf_sum sum;

	results.extra.busiest_cpu = NAN;
	is_int(iperf_results_encode(&results, &text), 0, "results encoded");
	ok(strstr(text, "\"jitter\":0") && strstr(text, "\"errors\":0") &&
		   strstr(text, "\"packets\":0"),
	   "with the keys that all versions want");
	ok(strstr(text, "\"bytes\":1099511627776") != NULL, "bytes are an integer");
	is_int(iperf_results_decode(text, strlen(text), &got), 0, "and decoded");
	ok(got.n == 2 && s[0].bytes == 1ull << 40 && s[1].id == 3 &&
		   s[0].retransmits == 5 && s[1].retransmits == -1 &&
		   got.has_retransmits && got.cpu_user == 2.5 && got.cpu_system == 10,
	   "to the same");
	ok(s[1].packets == 1ull << 41 && s[1].lost == 77 && s[1].omitted_packets == 6 &&
		   s[1].omitted_lost == 5 && s[1].jitter == 0.25,
	   "with what is UDP's");
	is_int(s[0].omitted_packets, -1, "nothing is said of what is not known");
	ok(got.extra.told && got.extra.machine_busy == 0.5 && got.extra.rtt_ms == 0.75 &&
		   isnan(got.extra.busiest_cpu),
	   "and what only boardtune tells");
	sum = iperf_results_sum(&got, 0, 2);
	is_int(sum.bytes, (1ll << 40) + 7, "sum of bytes");
	is_near(sum.seconds, 2.0, 1e-9, "mean of seconds");
	is_int(sum.retransmits, -1, "one that cannot tell: none known");
	results.extra.told = false;
	free(text);
	is_int(iperf_results_encode(&results, &text), 0, "results for anybody");
	ok(!strstr(text, "boardtune"), "have no object of ours");
}

static void test_errors(void)
{
	ok(strstr(iperf_error_text(IPERF_ERROR_DURATION), "too long") != NULL,
	   "iperf3's error 5");
	ok(strstr(iperf_error_text(142), "password") != NULL, "iperf3's error 142");
	ok(!iperf_error_text(99999) && !iperf_error_text(-1), "numbers that are none");
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
	test_results_udp();
	test_results_bad();
	test_results_hostile();
	test_results_round();
	test_names();
	test_errors();
	return done();
}
