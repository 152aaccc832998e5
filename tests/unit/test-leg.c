// SPDX-License-Identifier: GPL-2.0-or-later
// test-leg.c - lists of cells, and what the samples of a test come to
#include <limits.h>
#include <math.h>

#include "measure/leg.h"
#include "tap.h"

static void test_cells(void)
{
	struct cell_list list = cell_list_all();
	char word[16] = "";

	is_int(list.n, 4, "four cells");
	is_int(cell_list_parse("ipv6-rx,ipv4-tx,ipv4-tx", &list, word, sizeof(word)), 0,
	       "a list");
	ok(list.n == 2 && strcmp(list.cells[0]->name, "ipv4-tx") == 0 &&
		   strcmp(list.cells[1]->name, "ipv6-rx") == 0,
	   "has each cell once, in the order of the table");
	is_int(cell_list_parse("rx", &list, word, sizeof(word)), 0, "a direction");
	is_int(list.n, 2, "stands for both families");
	is_int(cell_list_parse("ipv4", &list, word, sizeof(word)), 0, "a family");
	is_int(list.n, 2, "stands for tx and rx, not for bidir");
	is_int(cell_list_parse("ipv6-bidir,tx", &list, word, sizeof(word)), 0, "bidir");
	ok(list.n == 3 && list.cells[2]->direction == CLIENT_BIDIR &&
		   list.cells[2]->family == AF_INET6, "is a cell where it is asked for");
	is_int(cell_list_parse("bidir", &list, word, sizeof(word)), 0, "bidir alone");
	is_int(list.n, 2, "stands for both families, too");
	is_int(cell_list_parse("ipv4-tx,ipv5", &list, word, sizeof(word)), -EINVAL,
	       "an unknown word");
	is_str(word, "ipv5", "is named");
	is_int(cell_list_parse("ipv4-tx,", &list, word, sizeof(word)), -EINVAL,
	       "nothing after a comma");
	is_int(cell_list_parse("", &list, word, sizeof(word)), -EINVAL, "nothing at all");
	is_int(list.n, 2, "leaves the list alone");
	list = cell_list_all();
	cell_list_keep_families(&list, true, false);
	ok(list.n == 2 && list.cells[1]->family == AF_INET, "a peer without IPv6");
	ok(cell_list_has_family(&list, AF_INET) && !cell_list_has_family(&list, AF_INET6),
	   "has cells of one family");
}

/* Before the count, at its begin, 2 s later: 250 MB sent by the second of two NICs. */
static struct test_result sent_make(struct test_sample s[3])
{
	s[0] = (struct test_sample){
		.board = { .time = 9, .millicelsius = 50000, .n_policies = 1,
			   .cur_khz = { 400000 }, .max_khz = { 600000 }, .cooling = 3,
			   .rpi = SAMPLE_RPI_THROTTLED, .nics = { { .tx_bytes = 10 } } },
	};
	s[1] = (struct test_sample){
		.board = { .time = 10, .millicelsius = INT_MIN, .n_policies = 1,
			   .cur_khz = { 800000 }, .max_khz = { 800000 }, .cooling = 1,
			   .cpu_busy_us = 1000000, .cpu_idle_us = 500000,
			   .softirq_us = 20000, .n_cpus = 2,
			   .cpus = { { .busy_us = 600000 }, { .busy_us = 400000 } },
			   .softnet_dropped = 7, .rpi = SAMPLE_RPI_UNDERVOLTAGE,
			   .nics = { { .tx_bytes = 1000, .known = true, .dropped = 40 },
				     { .tx_bytes = 1000, .known = true, .dropped = 5 } },
		},
		.counting = true,
	};
	s[2] = (struct test_sample){
		.board = { .time = 12, .millicelsius = 61000, .n_policies = 1,
			   .max_khz = { 1000000 },
			   .cpu_busy_us = 1500000, .cpu_idle_us = 4000000,
			   .softirq_us = 145000, .n_cpus = 2,
			   .cpus = { { .busy_us = 700000 }, { .busy_us = 2200000 } },
			   .softnet_dropped = 10, .rpi = SAMPLE_RPI_CAPPED,
			   .nics = { { .tx_bytes = 5000, .known = true, .dropped = 90 },
				     { .tx_bytes = 262001000, .rx_bytes = 6000000,
				       .known = true, .dropped = 16 } } },
		.counting = true,
		.bytes = 250000000,
	};
	return (struct test_result){ .samples = s, .n_samples = 3,
				     .traffic = { .mbps = 1000, .retransmits = -1 } };
}

static void test_summary(void)
{
	struct test_sample s[3];
	struct test_result t = sent_make(s);

	test_result_summarise(&t, CLIENT_TX);
	is_near(t.cpu_ms_per_gb, 2000, 1e-6, "CPU time of the counted part per GB");
	is_near(t.softirq_ms_per_gb, 500, 1e-6, "that of soft interrupts");
	is_near(t.busy, 0.125, 1e-9, "the busy share of all CPUs");
	is_near(t.busiest, 0.9, 1e-9, "and of the busiest");
	is_int(t.millicelsius, 61000, "the highest temperature");
	ok(t.cooling == 1 && t.low_khz[0] == 800000 && t.high_khz[0] == 1000000,
	   "cooling and limits, without the omitted part");
	is_int(t.rpi, SAMPLE_RPI_UNDERVOLTAGE | SAMPLE_RPI_CAPPED,
	       "the firmware's bits, too");
	is_int(t.cur_khz[0], 800000, "the mean clock of what could be read");
	is_int(t.softnet_dropped, 3, "packets that the kernel dropped");
	is_int(t.nic_dropped, 11, "and the NIC that the traffic went by");
	ok(!t.wrong_nic && t.carried == 2, "the second NIC sent the bytes");
	s[1].board.rpi = s[2].board.rpi = -1;
	s[2].board.cpus[1].busy_us = 2500000;
	test_result_summarise(&t, CLIENT_TX);
	ok(t.rpi == -1 && t.busiest == 1, "no Raspberry Pi; ticks beyond the time");
	s[2].board.cpu_busy_us = 0;
	test_result_summarise(&t, CLIENT_TX);
	ok(isnan(t.cpu_ms_per_gb), "a counter that began anew says nothing");
	t.n_samples = 2;
	test_result_summarise(&t, CLIENT_TX);
	ok(isnan(t.cpu_ms_per_gb) && isnan(t.busy) && isnan(t.busiest) &&
		   isnan(t.foreign_mbps) && !t.wrong_nic && !t.nic_dropped,
	   "nothing counted");
	t.n_samples = 0;
	test_result_summarise(&t, CLIENT_TX);
	ok(t.millicelsius == INT_MIN && t.rpi == -1, "no sample");
}

/* An hour at 5 Hz, a second omitted: bounded, and nothing of what counts is lost. */
static void test_long(void)
{
	struct test_result t = {};
	size_t looks = 0, n = 18005, peaks = 0;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		struct test_sample s = {
			.board = { .time = i * 0.2, .millicelsius = i == 777 ? 90000 :
									       60000,
				   .n_policies = 1, .cur_khz = { 1000000 },
				   .max_khz = { 1000000 }, .cooling = i == 7001,
				   .cpu_busy_us = i * 1000, .cpu_idle_us = i * 3000,
				   .rpi = i == 9000 ? SAMPLE_RPI_CAPPED : -1,
				   .event = i == 12345 },
			.bytes = i > 5 ? (i - 5) * 1000000 : 0,
			.counting = i >= 5,
			.looks = 1,
		};

		r = test_result_add(&t, &s);
	}
	is_int(r, 0, "every look is taken");
	ok(t.n_samples > TEST_SAMPLES_MAX / 3 && t.n_samples <= TEST_SAMPLES_MAX,
	   "in so many samples (%zu)", t.n_samples);
	for (size_t i = 0; i < t.n_samples; i++) {
		looks += t.samples[i].looks;
		peaks += t.samples[i].board.event;
	}
	ok(looks == n && peaks == 1, "that stand for all of them");
	test_result_summarise(&t, CLIENT_TX);
	ok(t.millicelsius == 90000 && t.cooling == 1 && t.rpi == SAMPLE_RPI_CAPPED,
	   "a moment of heat, of cooling and of a weak supply are seen");
	is_near(t.cpu_ms_per_gb, 1000, 1e-9, "the counted part has both of its ends");
	is_near(t.samples[t.n_samples - 1].board.time, (n - 1) * 0.2, 1e-9, "the last");
	test_result_clear(&t);
}

static void test_nics(void)
{
	struct test_sample s[3];
	struct test_result t = sent_make(s);

	test_result_summarise(&t, CLIENT_RX);
	ok(t.wrong_nic && !t.carried && isnan(t.foreign_mbps), "none received any");
	s[2].board.nics[1].tx_bytes = 1000 + 1000000;
	test_result_summarise(&t, CLIENT_TX);
	ok(t.wrong_nic, "the NIC sent nearly nothing");
	s[1].board.nics[0].tx_bytes = s[2].board.nics[0].tx_bytes = 0;
	test_result_summarise(&t, CLIENT_TX);
	ok(t.wrong_nic, "nor is one that never counted anything the way");
	s[2].board.nics[0].known = s[1].board.nics[1].known = false;
	test_result_summarise(&t, CLIENT_TX);
	ok(!t.wrong_nic, "a NIC without counters says nothing");
}

static void test_foreign(void)
{
	struct test_sample s[3];
	struct test_result t = sent_make(s);
	struct sample_nic *nic = &s[2].board.nics[1];

	test_result_summarise(&t, CLIENT_TX);
	is_near(t.foreign_mbps, 0, 0, "headers and acknowledgements are the test's own");
	ok(!test_result_disturbed(&t), "and disturb nothing");
	nic->tx_bytes += 75000000; /* 300 Mbit/s */
	test_result_summarise(&t, CLIENT_TX);
	is_near(t.foreign_mbps, 300, 40, "a second flow the same way");
	ok(test_result_disturbed(&t), "disturbs");
	t.traffic.retransmits = 50000;
	test_result_summarise(&t, CLIENT_TX);
	ok(!test_result_disturbed(&t), "what is sent again is the test's own");
	t.traffic.retransmits = -1;
	nic->tx_bytes -= 75000000;
	nic->rx_bytes += 75000000;
	test_result_summarise(&t, CLIENT_TX);
	is_near(t.foreign_mbps, 300, 80, "one the other way");
	ok(test_result_disturbed(&t), "disturbs, too");
	t.traffic.mbps = 1e9;
	ok(!test_result_disturbed(&t), "one that is small beside the test does not");

	t = sent_make(s);
	nic->tx_bytes = 250000000 * 1.9;
	t.traffic.tx.packets = 250000000 / 64;
	test_result_summarise(&t, CLIENT_TX);
	ok(t.foreign_mbps == 0, "small datagrams have many headers");

	t = sent_make(s);
	nic->rx_bytes = nic->tx_bytes = 125000000 * 1.12;
	test_result_summarise(&t, CLIENT_BIDIR);
	ok(t.carried == 2 && t.foreign_mbps == 0, "both ways at once, each with ACKs");
	nic->rx_bytes += 75000000;
	test_result_summarise(&t, CLIENT_BIDIR);
	ok(test_result_disturbed(&t), "and something beside them");
	t.foreign_mbps = NAN;
	ok(!test_result_disturbed(&t), "what cannot be known disturbs nothing");
}

int main(void)
{
	test_cells();
	test_summary();
	test_long();
	test_nics();
	test_foreign();
	return done();
}
