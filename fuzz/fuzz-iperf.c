// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-iperf.c - any bytes as iperf3's documents, and as a peer in either role
#include <fcntl.h>
#include <math.h>
#include <sys/socket.h>

#include "measure/wire.h"

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
	    params.omit > IPERF_OMIT_MAX)
		abort();
	if (iperf_params_encode(&params, &again) ||
	    iperf_params_decode(again, strlen(again), &same) ||
	    same.streams != params.streams || same.len != params.len ||
	    same.reverse != params.reverse || same.bandwidth != params.bandwidth)
		abort();
}

static void fuzz_results(const char *text, size_t size)
{
	static struct iperf_results results;
	_cleanup_free_ char *again = NULL;
	int64_t retransmits;
	uint64_t bytes;
	double seconds;

	if (iperf_results_decode(text, size, &results))
		return;
	iperf_results_sum(&results, &bytes, &seconds, &retransmits);
	if (results.n > IPERF_STREAMS_MAX || bytes > 1ull << 62 || !isfinite(seconds) ||
	    !isfinite(results.cpu_total) || retransmits < -1)
		abort();
	if (iperf_results_encode(&results, &again) ||
	    iperf_results_decode(again, strlen(again), &results))
		abort();
}

/* The same bytes from a connection that then ends: state, document, state. */
static void fuzz_wire(const uint8_t *data, size_t size)
{
	_cleanup_close_ int peer = -1, own = -1;
	_cleanup_free_ char *text = NULL;
	struct wire wire = { .stop_fd = -1, .listen_fd = -1, .timeout = 1 };
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
	fuzz_wire(data, size);
	return 0;
}
