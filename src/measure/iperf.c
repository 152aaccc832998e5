// SPDX-License-Identifier: GPL-2.0-or-later
// iperf.c - iperf3's numbers: of streams, of a test (the cookie), of errors
#include "measure/iperf.h"

#include <sys/random.h>

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

/* i_errno of 3.1 to 3.20: what a server can say of a test that it does not run. */
static const struct error_text {
	int error;
	const char *text;
} error_texts[] = {
	{ IPERF_ERROR_DURATION, N_("the test would last too long for this server") },
	{ IPERF_ERROR_STREAMS, N_("too many streams") },
	{ IPERF_ERROR_LEN, N_("the length of a write is out of range") },
	{ IPERF_ERROR_WINDOW, N_("the socket buffer is too large") },
	{ 10, N_("the segment size is too large") },
	{ 11, N_("its system has no sendfile") },
	{ IPERF_ERROR_OMIT, N_("the omitted seconds are out of range") },
	{ IPERF_ERROR_UNSUPPORTED, N_("it does not implement such a test") },
	{ IPERF_ERROR_UDP_LEN, N_("the length of a datagram is out of range") },
	{ 23, N_("the server is not set up for users and passwords") },
	{ IPERF_ERROR_REVERSE_BIDIR, N_("reverse and bidirectional exclude each other") },
	{ 27, N_("the bandwidth is above the server's limit") },
	{ 103, N_("it could not open a connection") },
	{ 104, N_("it could not accept a connection") },
	{ 106, N_("it could not read the cookie") },
	{ 107, N_("it could not write to the control connection") },
	{ 108, N_("it could not read from the control connection") },
	{ 109, N_("the control connection was closed") },
	{ 110, N_("it did not expect our message") },
	{ IPERF_ERROR_PARAMS, N_("it could not read the parameters of the test") },
	{ 116, N_("it could not send its results") },
	{ 117, N_("it could not read our results") },
	{ 119, N_("the client was stopped") },
	{ 120, N_("the server was stopped") },
	{ 121, N_("the server is busy with another test") },
	{ 122, N_("it could not set TCP_NODELAY") },
	{ 123, N_("it could not set the segment size") },
	{ 124, N_("it could not set the socket buffer") },
	{ 130, N_("it could not set the socket buffer") },
	{ 131, N_("it does not know this protocol") },
	{ IPERF_ERROR_CONGESTION, N_("it does not have this congestion control") },
	{ 140, N_("it could not set the pacing rate") },
	{ 141, N_("its system limits the socket buffer") },
	{ 142, N_("it wants a user and a password") },
	{ 144, N_("no data reached it") },
	{ 200, N_("it could not create a stream") },
	{ 201, N_("it could not set up a stream") },
	{ 202, N_("it could not listen for streams") },
	{ 203, N_("it could not connect a stream") },
	{ 204, N_("it could not accept a stream") },
	{ 205, N_("it could not write to a stream") },
	{ 206, N_("it could not read from a stream") },
	{ 207, N_("a stream was closed") },
};

const char *iperf_error_text(int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(error_texts); i++)
		if (error_texts[i].error == error)
			return _(error_texts[i].text);
	return NULL;
}
