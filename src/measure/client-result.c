// SPDX-License-Identifier: GPL-2.0-or-later
// client-result.c - what both sides counted, as figures for each way
#include "measure/client-private.h"

#include <math.h>

/* What is received was sent, perhaps before the omitted part was over. */
static int client_check_bytes(struct client *c, uint64_t received)
{
	uint64_t sent = 0;

	for (unsigned i = 0; i < c->test->streams; i++)
		sent += c->set->streams[i].bytes + c->set->streams[i].omitted;
	if (received <= sent)
		return 0;
	return client_fail(c, -EPROTO, "%s",
			   _("the peer counts more bytes than were sent to it"));
}

static uint64_t client_less(uint64_t a, int64_t b)
{
	return b < 0 ? a : a > (uint64_t)b ? a - b : 0;
}

/*
 * iperf3 before 3.14 does not tell what was omitted: then as many packets were as the
 * other side counted, and what is missing is what can be lost of the rest.
 */
static void client_fill_packets(struct client_flow *flow, const struct iperf_sum *sent,
				const struct iperf_sum *got, size_t len)
{
	uint64_t missing;

	flow->packets = client_less(sent->packets, sent->omitted_packets >= 0 ?
							   sent->omitted_packets :
							   got->omitted_packets);
	missing = client_less(flow->packets, got->bytes / len);
	flow->lost = client_less(got->lost, got->omitted_lost);
	/* Nothing came: the receiver has seen no number from which to tell. */
	if (!got->bytes || (got->omitted_lost < 0 && flow->lost > missing))
		flow->lost = missing;
	if (flow->lost > flow->packets)
		flow->lost = flow->packets;
	flow->jitter_ms = got->bytes ? got->jitter * 1e3 : NAN;
}

/* The streams from @first on. */
static void client_fill_flow(const struct client *c, const struct iperf_results *sender,
			     const struct iperf_results *receiver, unsigned first,
			     struct client_flow *ret)
{
	unsigned n = c->test->streams;
	const struct iperf_sum sent = iperf_results_sum(sender, first, n);
	const struct iperf_sum got = iperf_results_sum(receiver, first, n);
	bool udp = c->test->protocol == CLIENT_UDP;
	struct client_flow flow = {
		.bytes = got.bytes,
		.seconds = got.seconds > 0 ? got.seconds : c->local_seconds,
		.retransmits = udp ? -1 : sent.retransmits,
		.rtt_ms = udp ? NAN : sender->extra.rtt_ms,
		.jitter_ms = NAN,
	};

	flow.mbps = flow.bytes * 8 / flow.seconds / 1e6;
	if (udp)
		client_fill_packets(&flow, &sent, &got, c->set->options.len);
	*ret = flow;
}

static void client_fill_totals(const struct client *c, struct client_result *result)
{
	const struct client_flow *tx = &result->tx, *rx = &result->rx;

	result->bytes = tx->bytes + rx->bytes;
	switch (c->test->direction) {
	case CLIENT_TX:
		result->seconds = tx->seconds;
		result->retransmits = tx->retransmits;
		break;
	case CLIENT_RX:
		result->seconds = rx->seconds;
		result->retransmits = rx->retransmits;
		break;
	case CLIENT_BIDIR:
		result->seconds = (tx->seconds + rx->seconds) / 2;
		result->retransmits = tx->retransmits < 0 || rx->retransmits < 0 ?
					      -1 : tx->retransmits + rx->retransmits;
		break;
	}
	result->mbps = result->bytes * 8 / result->seconds / 1e6;
}

int client_result_fill(struct client *c, const struct iperf_results *own,
		       const struct iperf_results *peer, struct client_result *ret)
{
	const struct client_flow unused = {
		.retransmits = -1,
		.rtt_ms = NAN,
		.jitter_ms = NAN,
	};
	struct client_result result = {
		.tx = unused,
		.rx = unused,
		.local_seconds = c->local_seconds,
		.peer_cpu = peer->cpu_total,
		.peer_machine = peer->extra.machine_busy,
		.peer_busiest = peer->extra.busiest_cpu,
	};
	int r = 0;

	if (c->test->direction != CLIENT_RX) {
		client_fill_flow(c, own, peer, 0, &result.tx);
		r = client_check_bytes(c, result.tx.bytes);
	}
	if (c->test->direction != CLIENT_TX)
		client_fill_flow(c, peer, own, own->n - c->test->streams, &result.rx);
	if (r < 0)
		return r;
	client_fill_totals(c, &result);
	*ret = result;
	return 0;
}
