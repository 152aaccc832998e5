// SPDX-License-Identifier: GPL-2.0-or-later
// leg-summary.c - what the samples and the traffic of a test come to
#include <limits.h>
#include <math.h>

#include "measure/leg.h"

/* A segment that is sent again, and what was in the sending socket's buffer before. */
#define FRAME_BYTES 1538
#define BUFFER_BYTES (1 << 20)
#define DATAGRAM_HEADERS 66 /* Ethernet with FCS, IPv6, UDP */

/* The counted part of a test: its ends, and the test's bytes and the seconds between. */
struct span {
	const struct sample *first, *last;
	uint64_t bytes;
	double seconds;
};

static bool span_find(const struct test_result *t, struct span *ret)
{
	const struct test_sample *first = NULL, *last = NULL;

	for (size_t i = 0; i < t->n_samples; i++) {
		if (!t->samples[i].counting)
			continue;
		if (!first)
			first = &t->samples[i];
		last = &t->samples[i];
	}
	if (!first || last->bytes <= first->bytes)
		return false;
	*ret = (struct span){
		.first = &first->board,
		.last = &last->board,
		.bytes = last->bytes - first->bytes,
		.seconds = last->board.time - first->board.time,
	};
	return true;
}

static void summarise_clocks(struct test_result *t)
{
	for (unsigned p = 0; p < t->n_policies; p++) {
		uint64_t sum = 0;
		unsigned n = 0;

		t->low_khz[p] = t->high_khz[p] = 0;
		for (size_t i = 0; i < t->n_samples; i++) {
			const struct sample *s = &t->samples[i].board;

			if (!t->samples[i].counting)
				continue;
			if (s->cur_khz[p]) {
				sum += s->cur_khz[p];
				n++;
			}
			if (!s->max_khz[p])
				continue;
			if (!t->low_khz[p] || s->max_khz[p] < t->low_khz[p])
				t->low_khz[p] = s->max_khz[p];
			if (s->max_khz[p] > t->high_khz[p])
				t->high_khz[p] = s->max_khz[p];
		}
		t->cur_khz[p] = n ? sum / n : 0;
	}
}

/* In the omitted seconds the other side's heat may still be there: only the temperature
 * counts. */
static void summarise_heat(struct test_result *t)
{
	t->millicelsius = INT_MIN;
	t->cooling = 0;
	t->rpi = -1;
	for (size_t i = 0; i < t->n_samples; i++) {
		const struct sample *s = &t->samples[i].board;

		if (s->millicelsius > t->millicelsius)
			t->millicelsius = s->millicelsius;
		if (!t->samples[i].counting)
			continue;
		if (s->cooling > t->cooling)
			t->cooling = s->cooling;
		if (s->rpi >= 0)
			t->rpi = (t->rpi < 0 ? 0 : t->rpi) | s->rpi;
	}
}

static void summarise_cpus(struct test_result *t, const struct span *s)
{
	uint64_t busy = sample_risen(s->first->cpu_busy_us, s->last->cpu_busy_us);
	uint64_t idle = sample_risen(s->first->cpu_idle_us, s->last->cpu_idle_us);
	uint64_t softirq = sample_risen(s->first->softirq_us, s->last->softirq_us);
	double gigabytes = s->bytes / 1e9, most = 0;

	if (s->last->cpu_busy_us >= s->first->cpu_busy_us) {
		t->cpu_ms_per_gb = busy / 1e3 / gigabytes;
		t->softirq_ms_per_gb = softirq / 1e3 / gigabytes;
	}
	if (busy + idle)
		t->busy = (double)busy / (busy + idle);
	for (unsigned i = 0; i < s->first->n_cpus && i < s->last->n_cpus; i++) {
		double share = sample_risen(s->first->cpus[i].busy_us,
					    s->last->cpus[i].busy_us) / 1e6 / s->seconds;

		most = share > most ? share : most;
	}
	/* Ticks of 10 ms may make it more than there was. */
	if (s->first->n_cpus && s->seconds > 0)
		t->busiest = most < 1 ? most : 1;
}

/* Bytes that a NIC carried the test's way between two looks at it, and the other way. */
static uint64_t nic_bytes(const struct sample_nic *first, const struct sample_nic *last,
			  enum client_direction direction, uint64_t *ret_back)
{
	uint64_t rx = sample_risen(first->rx_bytes, last->rx_bytes);
	uint64_t tx = sample_risen(first->tx_bytes, last->tx_bytes);

	*ret_back = direction == CLIENT_TX ? rx : direction == CLIENT_RX ? tx : 0;
	return rx + tx - *ret_back;
}

/* Without what the test itself may have put there. */
static double foreign_bytes(const struct test_result *t, const struct span *s,
			    enum client_direction direction, uint64_t there,
			    uint64_t back)
{
	double resent = t->traffic.retransmits > 0 ?
				(double)t->traffic.retransmits * FRAME_BYTES : 0;
	double datagrams = t->traffic.tx.packets + t->traffic.rx.packets;
	double headers = fmax(s->bytes * LEG_HEADERS, datagrams * DATAGRAM_HEADERS);
	double own = s->bytes + headers + resent + BUFFER_BYTES;
	double acks = s->bytes * LEG_ACKS;

	if (direction == CLIENT_BIDIR)
		own += acks;
	return (there > own ? there - own : 0) + (back > acks ? back - acks : 0);
}

static void summarise_nics(struct test_result *t, const struct span *s,
			   enum client_direction direction)
{
	uint64_t there = 0, back = 0;
	bool counted = false;

	for (size_t i = 0; i < SAMPLE_NICS_MAX; i++) {
		const struct sample_nic *from = &s->first->nics[i];
		const struct sample_nic *to = &s->last->nics[i];
		uint64_t nic_there, nic_back;

		if (!from->known || !to->known)
			continue;
		counted = true;
		nic_there = nic_bytes(from, to, direction, &nic_back);
		if (nic_there < s->bytes / 2)
			continue;
		t->carried |= 1u << i;
		t->nic_dropped += sample_risen(from->dropped, to->dropped);
		/* Of a bridge and its port, say, both count the same bytes. */
		there = nic_there > there ? nic_there : there;
		back = nic_back > back ? nic_back : back;
	}
	t->wrong_nic = counted && !t->carried;
	if (t->carried && s->seconds > 0)
		t->foreign_mbps = foreign_bytes(t, s, direction, there, back) * 8 / 1e6 /
				  s->seconds;
}

void test_result_summarise(struct test_result *t, enum client_direction direction)
{
	struct span span;

	t->n_policies = t->n_samples ? t->samples[0].board.n_policies : 0;
	t->carried = 0;
	t->wrong_nic = false;
	t->cpu_ms_per_gb = t->softirq_ms_per_gb = t->busy = t->busiest = NAN;
	t->foreign_mbps = NAN;
	t->softnet_dropped = t->nic_dropped = 0;
	summarise_heat(t);
	summarise_clocks(t);
	if (!span_find(t, &span))
		return;
	t->softnet_dropped = sample_risen(span.first->softnet_dropped,
					  span.last->softnet_dropped);
	summarise_cpus(t, &span);
	summarise_nics(t, &span, direction);
}

bool test_result_disturbed(const struct test_result *t)
{
	double least = t->traffic.mbps * LEG_FOREIGN_SHARE;

	return t->foreign_mbps > (least > LEG_FOREIGN_MBPS ? least : LEG_FOREIGN_MBPS);
}
