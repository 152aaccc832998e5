// SPDX-License-Identifier: GPL-2.0-or-later
// iperf2.c - a TCP test against an iperf2 server, which only ever receives
#include "measure/client-private.h"

#include <math.h>

/* How long to wait at most for a server that still has to read what is on its way. */
#define PART_SECONDS 1.0

/* The first bytes of a connection are a header: as zeros they ask for nothing. */
static int iperf2_open(struct client *c)
{
	const struct stream_options options = {
		.zero_copy = c->test->zero_copy,
		.zeros = true,
		.len = client_len(c),
		.bandwidth = c->test->bandwidth,
	};
	int r;

	r = stream_set_new(&options, &c->set);
	if (r < 0)
		return client_fail_io(c, r);
	for (unsigned i = 0; i < c->test->streams; i++) {
		int fd = -1;

		r = client_connect(c, &fd);
		if (r < 0)
			return r;
		r = stream_set_add(c->set, fd, true);
		if (r < 0)
			return client_fail_io(c, r);
	}
	return 0;
}

/* Nothing more comes; a server that closes has counted it all. */
static void iperf2_part(struct client *c)
{
	double until = now_monotonic() + fmin(c->wire.timeout, PART_SECONDS);
	bool open = true;

	for (unsigned i = 0; i < c->set->n; i++)
		shutdown(c->set->streams[i].fd, SHUT_WR);
	while (open && stream_set_drain(c->set, &c->wire, until) == 0) {
		open = false;
		for (unsigned i = 0; i < c->set->n; i++)
			open |= c->set->streams[i].fd >= 0;
	}
}

int iperf2_run(struct client *c, struct client_result *ret)
{
	_cleanup_free_ struct iperf_results *own = calloc(1, sizeof(*own));
	struct client_result result = {};
	uint64_t unsent;
	int r;

	if (!own)
		return client_fail_io(c, -ENOMEM);
	r = iperf2_open(c);
	if (r == 0)
		r = client_flow(c);
	if (r < 0)
		return r;
	unsent = stream_set_unsent(c->set);
	stream_set_results(c->set, c->local_seconds, own);
	/* Of one who counts for both sides: what is acknowledged has been received. */
	own->streams[0].bytes += c->set->unsent;
	own->streams[0].bytes -= unsent;
	own->extra.machine_busy = own->extra.busiest_cpu = NAN;
	r = client_result_fill(c, own, own, &result);
	if (r < 0)
		return r;
	result.by_sender = true;
	result.peer_cpu = NAN;
	*ret = result;
	iperf2_part(c);
	return 0;
}
