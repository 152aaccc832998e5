// SPDX-License-Identifier: GPL-2.0-or-later
// test-gate-calm.c - busy CPUs, foreign traffic, slopes; a board that gets quiet, or not
#include <limits.h>
#include <math.h>

#include "fixture.h"
#include "measure/gate-calm.h"
#include "measure/gate.h"
#include "tap.h"

#define TICK 0.2
#define ZONE "/sys/class/thermal/thermal_zone0/"
#define COUNTERS "/sys/class/net/eth0/statistics/"

static void test_look(void)
{
	struct sample from = { .time = 10, .cpu_busy_us = 1000000, .cpu_idle_us = 5000000,
			       .n_cpus = 2, .cpus = { { .busy_us = 600000 },
						      { .busy_us = 400000 } },
			       .nics = { { .rx_bytes = 1000000, .tx_bytes = 500000,
					   .known = true } } };
	struct sample to = { .time = 12, .cpu_busy_us = 2000000, .cpu_idle_us = 8000000,
			     .n_cpus = 2, .cpus = { { .busy_us = 700000 },
						    { .busy_us = 1300000 } },
			     .nics = { { .rx_bytes = 1250000, .tx_bytes = 1000000,
					 .known = true },
				       { .rx_bytes = 1u << 31, .known = true } } };
	struct gate_look look;

	gate_look_between(&from, &to, 2, &look);
	is_near(look.busy, 0.25, 1e-9, "busy share of all CPUs");
	is_near(look.busiest, 0.45, 1e-9, "of the busiest");
	is_near(look.mbps, 3, 1e-9, "traffic both ways, of NICs seen twice only");
	gate_look_between(&from, &to, 0, &look);
	ok(isnan(look.mbps), "no NIC is counted");
	to.nics[0].rx_bytes = 0;
	to.nics[0].tx_bytes = 0;
	gate_look_between(&from, &to, 1, &look);
	is_near(look.mbps, 0, 0, "counters that began anew");
	to.cpu_busy_us = 0;
	to.n_cpus = 0;
	gate_look_between(&from, &to, 1, &look);
	ok(isnan(look.busy) && isnan(look.busiest), "CPU time that is not known");
	gate_look_between(&from, &from, 1, &look);
	ok(isnan(look.busy) && isnan(look.mbps), "no time between the samples");
}

static const struct {
	struct gate_look look;
	double line_mbps;
	unsigned unrest;
	const char *what;
} looks[] = {
	{ { 0.02, 0.08, 0.1 }, 1000, 0, "a quiet board" },
	{ { NAN, NAN, NAN }, 1000, 0, "nothing known" },
	{ { 0.11, 0.3, 0 }, 0, GATE_CPU_BUSY, "CPUs busy here and there" },
	{ { 0.07, 0.51, 0 }, 0, GATE_CPU_BUSY, "one CPU busy" },
	{ { 0, 0, 1.1 }, 0, GATE_NIC_BUSY, "1.1 Mbit/s by an unknown link" },
	{ { 0, 0, 1.1 }, 100, GATE_NIC_BUSY, "by one of 100 Mbit/s" },
	{ { 0, 0, 4.9 }, 1000, 0, "4.9 Mbit/s by one of 1000" },
	{ { 0, 0, 5.1 }, 1000, GATE_NIC_BUSY, "5.1 Mbit/s by one of 1000" },
	{ { 1, 1, 99 }, 1000, GATE_CPU_BUSY | GATE_NIC_BUSY, "both" },
};

static void test_unrest(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
		is_int(gate_look_unrest(&looks[i].look, looks[i].line_mbps),
		       looks[i].unrest, "%s", looks[i].what);
}

/* @minutes of readings that rise by @slope, from a sensor with steps of @step. */
static double slope_of(double minutes, double slope, double step)
{
	struct gate_heat heat = {};

	for (double t = 0; t <= minutes * 60; t += TICK) {
		double c = floor((60.3 + slope * t / 60) / step) * step;

		gate_heat_add(&heat, 1000 + t, lround(c * 1000), 60);
	}
	return gate_heat_slope(&heat, 20);
}

static void test_slope(void)
{
	struct gate_heat heat = {};
	bool small = true;

	is_near(slope_of(1, 0.9, 0.001), 0.9, 0.01, "0.9 C per minute");
	is_near(slope_of(1, -2, 0.001), -2, 0.01, "a board that cools down");
	is_near(slope_of(10, 3, 0.001), 3, 0.01, "the last minute of ten");
	is_near(slope_of(3, 3, 1), 3, 0.7, "a sensor in steps of 1 C");
	ok(isnan(slope_of(0.3, 3, 0.001)), "18 s tell nothing");
	for (unsigned i = 0; i < 2000; i++) {
		gate_heat_add(&heat, i * 0.2, i % 7 < 3 ? 63000 : 64000, 60);
		if (i > 100)
			small &= fabs(gate_heat_slope(&heat, 20)) < 0.5;
	}
	ok(small, "a sensor between two values is steady");
	ok(heat.n == GATE_READINGS_MAX && heat.times[0] >= 1999 * 0.2 - 60,
	   "old readings go");
	for (unsigned i = 0; i < 1000; i++)
		gate_heat_add(&heat, 400 + i * 0.001, 64000, 60);
	is_int(heat.n, GATE_READINGS_MAX, "and when there are too many");
}

/* A board that does as the test says. */
struct rig {
	struct fixture f;
	struct gate_calm calm;
	unsigned ticks;
	unsigned busy_until, traffic_until, heat_until; /* ticks */
	unsigned long busy, idle, bytes;
	int millicelsius;
	unsigned waits_for; /* bits that were waited for */
	double most_left;
};

static void rig_write(struct rig *b)
{
	char text[128];

	snprintf(text, sizeof(text), "cpu  %lu 0 0 %lu 0 0 0 0 0 0\n", b->busy, b->idle);
	fixture_file(&b->f, "/proc/stat", text);
	snprintf(text, sizeof(text), "%lu\n", b->bytes);
	fixture_file(&b->f, COUNTERS "rx_bytes", text);
	snprintf(text, sizeof(text), "%d\n", b->millicelsius);
	fixture_file(&b->f, ZONE "temp", text);
}

static void on_tick(void *userdata, const struct sample *s, const struct gate_progress *p)
{
	struct rig *b = userdata;

	b->ticks++;
	b->waits_for |= p->waits_for;
	b->most_left = fmax(b->most_left, p->left);
	*(b->ticks < b->busy_until ? &b->busy : &b->idle) += 20;
	b->bytes += b->ticks < b->traffic_until ? 1000000 : 10;
	b->millicelsius += b->ticks < b->heat_until ? 100 : 0;
	rig_write(b);
}

static void rig_open(struct rig *b)
{
	struct sample_nics nics = { { "eth0" }, 1 };

	*b = (struct rig){ .millicelsius = 85000 };
	fixture_open(&b->f);
	fixture_file(&b->f, ZONE "type", "cpu-thermal\n");
	fixture_file(&b->f, COUNTERS "tx_bytes", "0\n");
	rig_write(b);
	b->calm = (struct gate_calm){
		.n_nics = 1,
		.times = { .tick = 0.03, .window = 0.1, .quiet_wait = 0.6,
			   .slope_least = 0.04, .slope_window = 0.15,
			   .steady_wait = 0.4 },
		.stop_fd = -1, .progress = on_tick, .userdata = b,
	};
	if (sampler_open(&b->f.sys.root, &nics, &b->calm.sampler) < 0)
		fixture_fail("sampler");
}

static void rig_close(struct rig *b)
{
	sampler_close(b->calm.sampler);
	fixture_close(&b->f);
}

/* @end: ticks after which what the board does ends; 1000: never. */
static const struct {
	unsigned busy, traffic, heat;
	unsigned unrest;
	unsigned waits_for;
	const char *what;
} boards[] = {
	{ 0, 0, 0, 0, 0, "a quiet board, hot and steady" },
	{ 2, 0, 0, 0, GATE_CPU_BUSY, "a CPU that comes to rest" },
	{ 0, 2, 0, 0, GATE_NIC_BUSY, "traffic that ends" },
	{ 0, 0, 4, 0, GATE_NOT_STEADY, "heat that stays where it is" },
	{ 1000, 0, 0, GATE_CPU_BUSY, GATE_CPU_BUSY, "a CPU that stays busy" },
	{ 0, 1000, 0, GATE_NIC_BUSY, GATE_NIC_BUSY, "traffic that goes on" },
	{ 0, 0, 1000, GATE_NOT_STEADY, GATE_NOT_STEADY, "heat that goes on rising" },
};

static void test_boards(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(boards); i++) {
		struct gate_calm_result result = {};
		struct rig b;

		rig_open(&b);
		b.busy_until = boards[i].busy;
		b.traffic_until = boards[i].traffic;
		b.heat_until = boards[i].heat;
		is_int(gate_calm_wait(&b.calm, &result), 0, "%s", boards[i].what);
		is_int(result.unrest, boards[i].unrest, "comes to what it should");
		/* With few ticks in its window a steady one is waited for, too. */
		ok((b.waits_for | GATE_NOT_STEADY) ==
			   (boards[i].waits_for | GATE_NOT_STEADY) &&
			   !(boards[i].waits_for & ~b.waits_for),
		   "after this wait (%u)", b.waits_for);
		ok(b.most_left <= 0.6, "with its end in sight (%g s)", b.most_left);
		gate_calm_result_clear(&result);
		rig_close(&b);
	}
}

static void test_at_once(void)
{
	struct gate_calm_result result = {};
	struct rig b;
	int fds[2];

	rig_open(&b);
	b.busy_until = b.heat_until = 1000;
	b.calm.times.quiet_wait = b.calm.times.steady_wait = 0;
	is_int(gate_calm_wait(&b.calm, &result), 0, "who does not wait");
	ok(b.ticks <= 4, "looks once (%u ticks)", b.ticks);
	is_int(result.unrest, GATE_CPU_BUSY | GATE_NOT_STEADY, "and knows");

	if (pipe2(fds, O_CLOEXEC) < 0 || write(fds[1], "x", 1) != 1)
		fixture_fail("pipe");
	b.calm.stop_fd = fds[0];
	is_int(gate_calm_wait(&b.calm, &result), -EINTR, "a signal ends it");
	is_int(gate_idle_measure(&b.calm, 60, &result), -EINTR, "and a look at latency");
	close(fds[0]);
	close(fds[1]);
	rig_close(&b);

	rig_open(&b);
	sampler_close(b.calm.sampler);
	fixture_file(&b.f, ZONE "temp", "-273200\n");
	if (sampler_open(&b.f.sys.root, NULL, &b.calm.sampler) < 0)
		fixture_fail("sampler");
	is_int(gate_calm_wait(&b.calm, &result), 0, "without a sensor");
	ok(!result.unrest && isnan(result.slope), "nothing is said about its slope");
	rig_close(&b);
}

int main(void)
{
	test_look();
	test_unrest();
	test_slope();
	test_boards();
	test_at_once();
	return done();
}
