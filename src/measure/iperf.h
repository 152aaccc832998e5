/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iperf.h - iperf3's control protocol: states, parameter and result documents
 *
 * Encoding and decoding only, no sockets. Facts: iperf_api.c of iperf3 3.1 to 3.20.
 */
#ifndef BOARDTUNE_IPERF_H
#define BOARDTUNE_IPERF_H

#include "base/base.h"

#define IPERF_PORT 5201
#define IPERF_COOKIE_SIZE 37	 /* 36 characters and a NUL */
#define IPERF_DOCUMENT_MAX 65536 /* bytes of a control document */
#define IPERF_STREAMS_MAX 128		      /* each way */
#define IPERF_STREAMS_ALL (2 * IPERF_STREAMS_MAX) /* of a bidirectional test */
#define IPERF_LEN_DEFAULT 131072		      /* bytes of one read or write */
#define IPERF_LEN_MAX 1048576
#define IPERF_UDP_LEN_DEFAULT 1460
#define IPERF_UDP_LEN_MIN 16 /* what stands at the start of each datagram */
#define IPERF_UDP_LEN_MAX 65507
#define IPERF_SECONDS_MAX 86400
#define IPERF_OMIT_MAX 600
#define IPERF_CONGESTION_SIZE 16 /* TCP_CA_NAME_MAX */

/* One signed byte on the control connection. */
enum iperf_state {
	IPERF_SERVER_ERROR = -2,  /* followed by two 32-bit numbers: i_errno, errno */
	IPERF_ACCESS_DENIED = -1, /* the server is busy */
	IPERF_TEST_START = 1,
	IPERF_TEST_RUNNING = 2,
	IPERF_TEST_END = 4,
	IPERF_PARAM_EXCHANGE = 9,
	IPERF_CREATE_STREAMS = 10,
	IPERF_SERVER_TERMINATE = 11,
	IPERF_CLIENT_TERMINATE = 12,
	IPERF_EXCHANGE_RESULTS = 13,
	IPERF_DISPLAY_RESULTS = 14,
	IPERF_DONE = 16,
};

/* iperf3's own error numbers (i_errno), those that a server here gives. */
enum iperf_error {
	IPERF_ERROR_DURATION = 5,
	IPERF_ERROR_STREAMS = 6,
	IPERF_ERROR_LEN = 7,
	IPERF_ERROR_WINDOW = 8,
	IPERF_ERROR_OMIT = 12,
	IPERF_ERROR_UNSUPPORTED = 13,
	IPERF_ERROR_UDP_LEN = 20,
	IPERF_ERROR_REVERSE_BIDIR = 25,
	IPERF_ERROR_PARAMS = 114,
	IPERF_ERROR_CONGESTION = 134,
};

/* What the client asks for. A field that is 0 was not given. */
struct iperf_params {
	bool udp;
	bool reverse;	    /* the server sends */
	bool bidirectional; /* both send: twice the streams, those of the client first */
	bool nodelay;
	bool wide_counters; /* UDP: sequence numbers of 64 bits */
	bool zero_copy;	    /* who sends need not copy (iperf3 -Z) */
	bool skip_copy;	    /* who receives need not copy (iperf3 3.20 --skip-rx-copy) */
	bool ours;	    /* the client is boardtune: it reads struct iperf_extra */
	unsigned streams;   /* each way, 1 to IPERF_STREAMS_MAX */
	unsigned seconds;   /* 0: until the client says so (iperf3 -n, -k) */
	unsigned omit;	    /* seconds */
	unsigned len;	    /* bytes of one write or datagram */
	unsigned window;    /* bytes, of the socket buffers */
	uint64_t bandwidth; /* bit/s of each stream, of the sender */
	uint64_t pacing;    /* bit/s of each stream, by the kernel (iperf3 --fq-rate) */
	char congestion[IPERF_CONGESTION_SIZE];
};

struct iperf_stream {
	unsigned id;
	uint64_t bytes;
	int64_t retransmits; /* -1: not known */
	double seconds;	     /* by the clock of who wrote it, -1: not given */
	/* UDP, since the start: those sent, or the highest number received. */
	uint64_t packets, lost;
	/* Of these in the omitted part; -1: not given (before 3.14). */
	int64_t omitted_packets, omitted_lost;
	double jitter; /* UDP: seconds, of the receiver */
};

/* What a server of ours tells a client of ours besides; NAN: not known. */
struct iperf_extra {
	bool told;
	double machine_busy; /* of all CPUs in the counted part, 0 to 1 */
	double busiest_cpu;  /* of its busiest CPU */
	double rtt_ms;	     /* TCP: smoothed, mean of the streams that it sends */
};

/* What each side tells the other when the test has ended. */
struct iperf_results {
	double cpu_total, cpu_user, cpu_system; /* percent of one CPU */
	bool has_retransmits;			/* the sender can count them */
	struct iperf_extra extra;
	unsigned n;
	struct iperf_stream streams[IPERF_STREAMS_ALL];
};

/* What some streams of a result document come to. */
struct iperf_sum {
	uint64_t bytes;
	double seconds;	     /* mean, -1 if one did not say */
	int64_t retransmits; /* -1 if one could not tell */
	uint64_t packets, lost;
	int64_t omitted_packets, omitted_lost; /* -1 if one did not say */
	double jitter;			       /* mean */
};

/**
 * iperf_stream_id - iperf3's number of the n-th stream: 1, 3, 4, 5 ...
 * @n: from 0
 */
unsigned iperf_stream_id(unsigned n);

/**
 * iperf_cookie_make - a new random cookie in iperf3's alphabet (a-z, 2-7)
 *
 * Returns 0 or -errno of getrandom(2).
 */
int iperf_cookie_make(char ret[static IPERF_COOKIE_SIZE]);

/**
 * iperf_error_text - what an error number of iperf3 means
 * @error: i_errno of a server of any version
 *
 * Returns a translated text, NULL for a number that is not known.
 */
const char *iperf_error_text(int error);

/**
 * iperf_params_encode - the parameter document of a test
 * @ret: gets a string that the caller frees
 *
 * Returns 0 or -ENOMEM.
 */
int iperf_params_encode(const struct iperf_params *params, char **ret);

/**
 * iperf_params_decode - what an iperf3 client of 3.1 to 3.20 asks for
 * @text: @size bytes, no NUL needed
 *
 * Returns 0; a positive enum iperf_error for a test that is out of range or not served
 * (SCTP); -EPROTO for anything that is no parameter document.
 */
int iperf_params_decode(const char *text, size_t size, struct iperf_params *ret);

/**
 * iperf_results_encode - the result document
 * @ret: gets a string that the caller frees
 *
 * Returns 0 or -ENOMEM.
 */
int iperf_results_encode(const struct iperf_results *results, char **ret);

/**
 * iperf_results_decode - the peer's result document
 *
 * 18446744073709551615, which iperf3 before 3.14 writes for -1, is taken as -1.
 * Returns 0 or -EPROTO: no JSON, a key missing, of the wrong type or out of range,
 * nested too deep, more than IPERF_STREAMS_ALL streams; -ENOMEM.
 */
int iperf_results_decode(const char *text, size_t size, struct iperf_results *ret);

/** iperf_results_sum - totals over @n streams from the one at @first on */
struct iperf_sum iperf_results_sum(const struct iperf_results *results, unsigned first,
				   unsigned n);

#endif
