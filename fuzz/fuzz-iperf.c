// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-iperf.c - any bytes as iperf3's documents, and as a peer in either role
#include <fcntl.h>
#include <math.h>
#include <sys/socket.h>

#include "measure/udp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted lies within the bounds that the engine relies on. */
static void fuzz_params(const char *text, size_t size)
{
	_cleanup_free_ char *again = NULL;
	struct iperf_params params, same;

	if (iperf_params_decode(text, size, &params))
		return;
	if (params.streams < 1 || params.streams > IPERF_STREAMS_MAX || !params.len ||
	    params.len > IPERF_LEN_MAX || params.seconds > IPERF_SECONDS_MAX ||
	    params.omit > IPERF_OMIT_MAX || (params.reverse && params.bidirectional) ||
	    (params.udp &&
	     (params.len < IPERF_UDP_LEN_MIN || params.len > IPERF_UDP_LEN_MAX)))
		abort();
	if (iperf_params_encode(&params, &again) ||
	    iperf_params_decode(again, strlen(again), &same) ||
	    same.streams != params.streams || same.len != params.len ||
	    same.udp != params.udp || same.reverse != params.reverse ||
	    same.bidirectional != params.bidirectional ||
	    same.wide_counters != params.wide_counters ||
	    same.bandwidth != params.bandwidth || same.pacing != params.pacing)
		abort();
}

/* Any half of the streams may be those of one way. */
static void fuzz_sum(const struct iperf_results *results, unsigned first, unsigned n)
{
	const struct iperf_sum sum = iperf_results_sum(results, first, n);

	if (sum.bytes > 1ull << 63 || !isfinite(sum.seconds) || sum.retransmits < -1 ||
	    sum.packets > 1ull << 62 || sum.lost > 1ull << 62 ||
	    sum.omitted_packets < -1 || sum.omitted_lost < -1 || !(sum.jitter >= 0) ||
	    !isfinite(sum.jitter))
		abort();
}

static bool is_share(double number)
{
	return isnan(number) || (number >= 0 && number <= 1);
}

static void fuzz_results(const char *text, size_t size)
{
	static struct iperf_results results;
	_cleanup_free_ char *again = NULL;

	if (iperf_results_decode(text, size, &results))
		return;
	if (results.n > IPERF_STREAMS_ALL || !isfinite(results.cpu_total) ||
	    !is_share(results.extra.machine_busy) ||
	    !is_share(results.extra.busiest_cpu) || results.extra.rtt_ms < 0)
		abort();
	fuzz_sum(&results, 0, results.n);
	fuzz_sum(&results, 0, results.n / 2);
	fuzz_sum(&results, results.n / 2, results.n - results.n / 2);
	if (iperf_results_encode(&results, &again) ||
	    iperf_results_decode(again, strlen(again), &results))
		abort();
}

/* Datagrams of any size and number: the counts stay in proportion. */
static void fuzz_datagrams(const uint8_t *data, size_t size)
{
	struct udp_flow flow = {};
	uint64_t n = 0;

	for (size_t at = 0; at < size && n < 64; at += IPERF_UDP_LEN_MIN) {
		size_t rest = size - at;

		n += udp_flow_receive(&flow, (const char *)data + at,
				      rest < IPERF_UDP_LEN_MIN ? rest : IPERF_UDP_LEN_MIN,
				      size & 1, n);
	}
	if (flow.lost > flow.packets || flow.packets > flow.lost + n ||
	    !(flow.jitter >= 0) || !isfinite(flow.jitter))
		abort();
}

/* The same bytes from a connection that then ends: state, document, state. */
static void fuzz_wire(const uint8_t *data, size_t size)
{
	_cleanup_close_ int peer = -1, own = -1;
	_cleanup_free_ char *text = NULL;
	struct wire wire = { .stop_fd = -1, .timeout = 1 };
	size_t length;
	int pair[2], state;

	if (size > 100000 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
		return;
	peer = pair[0];
	own = pair[1];
	if (send(peer, data, size, MSG_NOSIGNAL) != (ssize_t)size ||
	    shutdown(peer, SHUT_WR) < 0)
		return;
	wire.fd = own;
	if (wire_read_state(&wire, &state) < 0)
		return;
	if (state < -128 || state > 127)
		abort();
	if (wire_read_document(&wire, &text, &length) < 0)
		return;
	if (!length || length > IPERF_DOCUMENT_MAX || text[length] != '\0')
		abort();
	fuzz_params(text, length);
	fuzz_results(text, length);
	wire_read_state(&wire, &state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_params((const char *)data, size);
	fuzz_results((const char *)data, size);
	fuzz_datagrams(data, size);
	fuzz_wire(data, size);
	return 0;
}
