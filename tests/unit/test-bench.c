// SPDX-License-Identifier: GPL-2.0-or-later
// test-bench.c - one cell measured on a board whose sensor and counters are files
#include <limits.h>

#include "fixture.h"
#include "measure/bench.h"
#include "peer.h"

#define ZONE "/sys/class/thermal/thermal_zone0/"
#define NET "/sys/class/net/"
#define DEVICES "/sys/devices/platform/"
#define POLICY "/sys/devices/system/cpu/cpufreq/policy0/"

/* A board with one sensor and a bridge of two ports; and the traffic to a real server. */
struct rig {
	struct fixture f;
	struct sampler *sampler;
	struct gate_ways ways;
	struct sample_nics nics;
	struct bench bench;
	unsigned ticks;
	uint64_t irqs; /* of the first CPU, at the last look */
	bool other_table;
};

static void on_sample(void *userdata, const struct sample *s, double mbps)
{
	struct rig *b = userdata;
	char text[64];

	b->ticks++;
	b->irqs = s->cpus[0].irqs;
	/* Traffic that the second port carries: more than can have been. */
	snprintf(text, sizeof(text), "%llu\n", b->ticks * 1000000000000ull);
	fixture_file(&b->f, NET "eth1/statistics/tx_bytes", text);
	/* Each tick 15 at the first clock, 5 at the second. */
	snprintf(text, sizeof(text), "600000 %u\n1200000 %u\n", 100 + b->ticks * 15,
		 b->ticks * 5);
	fixture_file(&b->f, POLICY "stats/time_in_state", text);
}

static void rig_open(struct rig *b, const struct peer *peer)
{
	*b = (struct rig){ .nics = { { "eth0", "eth1" }, 2 } };
	fixture_open(&b->f);
	fixture_file(&b->f, ZONE "type", "cpu-thermal\n");
	fixture_file(&b->f, ZONE "temp", "50000\n");
	fixture_file(&b->f, POLICY "scaling_max_freq", "1200000\n");
	fixture_file(&b->f, POLICY "scaling_cur_freq", "600000\n");
	fixture_file(&b->f, POLICY "stats/time_in_state", "600000 100\n1200000 0\n");
	for (size_t i = 0; i < b->nics.n; i++) {
		char path[128], to[128];

		snprintf(path, sizeof(path), DEVICES "%zu.mac/net/%s/mtu", i,
			 b->nics.names[i]);
		fixture_file(&b->f, path, "1500\n");
		snprintf(to, sizeof(to), "../../.." DEVICES "%zu.mac/net/%s", i,
			 b->nics.names[i]);
		snprintf(path, sizeof(path), NET "%s", b->nics.names[i]);
		fixture_link(&b->f, path, to);
		snprintf(path, sizeof(path), NET "%s/statistics/rx_bytes",
			 b->nics.names[i]);
		fixture_file(&b->f, path, "0\n");
		snprintf(path, sizeof(path), NET "%s/statistics/tx_bytes",
			 b->nics.names[i]);
		fixture_file(&b->f, path, "0\n");
		snprintf(path, sizeof(path), NET "%s/device/vendor", b->nics.names[i]);
		fixture_file(&b->f, path, "0\n");
		snprintf(path, sizeof(path), NET "%s/speed", b->nics.names[i]);
		fixture_file(&b->f, path, i ? "2500\n" : "1000\n");
	}
	if (sampler_open(&b->f.sys.root, &b->nics, &b->sampler) < 0)
		fixture_fail("sampler");
	b->ways.ipv4 = (struct gate_way){ .there = true, .local = true,
					  .length = sizeof(peer->addr) };
	memcpy(&b->ways.ipv4.address, &peer->addr, sizeof(peer->addr));
	b->bench = (struct bench){
		.root = &b->f.sys.root, .sampler = b->sampler, .nics = &b->nics,
		.ways = &b->ways, .seconds = 0.7, .limit = 90000, .stop_fd = -1,
		.progress = on_sample, .userdata = b,
	};
}

static void rig_close(struct rig *b)
{
	sampler_close(b->sampler);
	fixture_close(&b->f);
}

static int measure(struct rig *b, struct test_result *ret)
{
	struct cell_list cells = cell_list_all();
	int r = bench_measure(&b->bench, cells.cells[0], ret);

	/* The server may not have seen yet that the last client has gone. */
	for (unsigned i = 0; i < 100 && r == -EBUSY; i++) {
		usleep(5000);
		r = bench_measure(&b->bench, cells.cells[0], ret);
	}
	return r;
}

/* The ticks between the first and the last or the one before. */
static void is_clocks(const struct test_result *t)
{
	const struct sample_clocks *c = t->clocks;
	unsigned n;

	if (!ok(c && t->n_policies == 1 && c->n == 2, "time at each of two clocks"))
		return;
	n = c->states[1].ticks / 5;
	ok(c->states[0].khz == 600000 && c->states[0].ticks == 15 * n &&
		   c->states[1].khz == 1200000 && c->states[1].ticks == 5 * n,
	   "as the board counted it (%llu, %llu)", (unsigned long long)c->states[0].ticks,
	   (unsigned long long)c->states[1].ticks);
	ok(n >= t->n_samples - 2 && n < t->n_samples, "over the test (%u of %zu ticks)",
	   n, t->n_samples);
}

/* A table that someone reset or that has changed says nothing. */
static void on_reset(void *userdata, const struct sample *s, double mbps)
{
	struct rig *b = userdata;

	b->ticks++;
	fixture_file(&b->f, POLICY "stats/time_in_state",
		     b->other_table ? "600000 200\n1000000 300\n"
				    : "600000 1\n1200000 2\n");
}

static void test_clocks(struct rig *b)
{
	struct test_result result = {};

	b->bench.progress = on_reset;
	b->bench.seconds = 1.5; /* room for late ticks */
	for (unsigned i = 0; i < 2; i++) {
		b->other_table = i;
		fixture_file(&b->f, POLICY "stats/time_in_state",
			     "600000 100\n1200000 0\n");
		is_int(measure(b, &result), 0, "a test");
		ok(result.clocks && result.clocks[0].n == 0, "%s: no time at a clock",
		   i ? "other clocks" : "counted from 0 again");
		test_result_clear(&result);
	}
	b->bench.progress = on_sample;
	b->bench.seconds = 0.7;
}

/* Echoes to the server, where a socket for them is to be had. */
static void test_latency(struct rig *b)
{
	struct gate_way *way = &b->ways.ipv4;
	struct test_result result = {};
	int r = ping_open(AF_INET, &b->bench.ping4);

	if (r < 0) {
		ok(true, "latency # SKIP %s", strerror(-r));
		return;
	}
	is_int(ping_aim(b->bench.ping4, &way->address, way->length, NULL), 0, "echoes");
	b->bench.omit = 0;
	is_int(measure(b, &result), 0, "a test");
	ok(result.n_rtt + result.rtt_lost >= 2 && result.n_rtt <= result.n_samples,
	   "latency at each tick (%zu of %zu)", result.n_rtt, result.n_samples);
	ok(result.rtt_ms && result.rtt_ms[0] > 0 && result.rtt_ms[0] < 1000,
	   "in milliseconds (%g)", result.rtt_ms ? result.rtt_ms[0] : 0);
	test_result_clear(&result);
	ping_close(b->bench.ping4);
	b->bench.ping4 = NULL;
}

/* As after a switch that drops the link: the lines that were open have gone. */
static void test_irqs(struct rig *b)
{
	static const char *const tables[] = {
		"           CPU0\n 35:          7     GICv3  44 Level     eth0\n",
		"           CPU0\n 99:       1234     GICv3  45 Level     eth0\n",
	};
	static const uint64_t counts[] = { 7, 1234 };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		struct test_result result = {};

		fixture_file(&b->f, "/proc/interrupts", tables[i]);
		is_int(measure(b, &result), 0, "a test");
		is_int(b->irqs, counts[i], "counts the lines that there are");
		test_result_clear(&result);
	}
	fixture_remove(&b->f, "/proc/interrupts");
}

static void test_good(struct rig *b)
{
	struct test_result result = {};

	b->bench.seconds = 2;
	is_int(measure(b, &result), 0, "a test");
	is_int(result.millicelsius, 50000, "with the temperature meanwhile");
	ok(result.n_samples >= 2 && result.n_samples == b->ticks, "a look at each tick");
	ok(result.carried == 2 && !result.wrong_nic, "the second port carried it");
	is_near(result.line_mbps, 2500, 0, "and its speed counts");
	is_str(b->bench.error, "", "no error");
	is_clocks(&result);
	ok(!result.rtt_ms && !result.n_rtt, "no latency where nobody asks for it");
	test_result_clear(&result);

	b->bench.seconds = 1;
	b->bench.progress = NULL; /* no counter moves any more */
	is_int(measure(b, &result), 0, "a test that no port carries");
	ok(result.wrong_nic && !result.carried, "is of a wrong NIC");
	is_near(result.line_mbps, 0, 0, "and of no known link");
	test_result_clear(&result);
	b->bench.progress = on_sample;
	b->bench.seconds = 0.7;
}

static void test_heat(struct rig *b)
{
	struct test_result result = {};

	fixture_file(&b->f, ZONE "temp", "89999\n");
	is_int(measure(b, &result), 0, "below the limit");
	test_result_clear(&result);
	b->ticks = 0;
	fixture_file(&b->f, ZONE "temp", "90000\n");
	is_int(measure(b, &result), -EOVERFLOW, "at the limit it stops");
	is_int(b->ticks, 1, "at the first look");
	fixture_file(&b->f, ZONE "temp", "50000\n");
}

/* Tests that are far shorter than the 5 s notice the loss all the same. */
static void test_lost(struct rig *b)
{
	struct test_result result = {};
	double since;

	fixture_file(&b->f, ZONE "temp", "0\n");
	is_int(measure(b, &result), 0, "a sensor lost for less than 5 s");
	since = b->bench.lost_since;
	ok(since > 0, "is remembered");
	is_int(result.millicelsius, INT_MIN, "and gave nothing");
	test_result_clear(&result);
	is_int(measure(b, &result), 0, "in the next test it");
	is_near(b->bench.lost_since, since, 0, "is lost since then");
	test_result_clear(&result);
	b->bench.lost_since -= BENCH_SENSOR_LOST;
	is_int(measure(b, &result), -ENODATA, "until the 5 s are over");
	fixture_file(&b->f, ZONE "temp", "50000\n");
	is_int(measure(b, &result), 0, "one reading");
	is_near(b->bench.lost_since, 0, 0, "begins anew");
	test_result_clear(&result);
}

static void test_blind(const struct peer *peer)
{
	struct test_result result = {};
	struct rig b;

	rig_open(&b, peer);
	sampler_close(b.sampler);
	fixture_file(&b.f, ZONE "temp", "0\n");
	if (sampler_open(&b.f.sys.root, NULL, &b.sampler) < 0)
		fixture_fail("sampler");
	b.bench.sampler = b.sampler;
	b.bench.lost_since = now_monotonic() - 2 * BENCH_SENSOR_LOST;
	is_int(measure(&b, &result), 0, "a board without sensor has none to lose");
	ok(!result.carried && !result.wrong_nic, "nor counters that say anything");
	test_result_clear(&result);
	rig_close(&b);
}

/* Nobody listens at first, as between two tests of iperf3. */
static int script_late(int listen_fd, int stop_fd)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd, one = 1;

	getsockname(listen_fd, (struct sockaddr *)&addr, &len);
	close(listen_fd);
	usleep(700000);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&addr, len) < 0 || listen(fd, 5) < 0)
		return 97;
	return serve(fd, stop_fd, 5);
}

static void test_gap(void)
{
	struct test_result result = {};
	struct peer nobody = {};
	struct peer late = peer_start(script_late);
	struct rig b;
	double start;

	usleep(200000); /* the child has closed it */
	rig_open(&b, &late);
	is_int(measure(&b, &result), 0, "a server that does not listen for a moment");
	test_result_clear(&result);
	is_int(peer_stop(&late), 0, "is waited for");
	rig_close(&b);

	close(listen_loopback(&nobody.addr));
	rig_open(&b, &nobody);
	start = now_monotonic();
	is_int(measure(&b, &result), -ECONNREFUSED, "one that never listens");
	ok(now_monotonic() - start >= BENCH_GAP, "is tried for as long as that may take");
	ok(strstr(b.bench.error, "127.0.0.1"), "and named (%s)", b.bench.error);
	is_int(bench_probe(&b.bench, &b.ways.ipv4), -ECONNREFUSED, "by the probe, too");
	rig_close(&b);
}

int main(void)
{
	struct peer server = peer_start(script_server);
	struct rig b;

	rig_open(&b, &server);
	test_good(&b);
	test_clocks(&b);
	test_irqs(&b);
	test_latency(&b);
	test_heat(&b);
	test_lost(&b);
	test_blind(&server);
	is_int(bench_probe(&b.bench, &b.ways.ipv4), 0, "a probe");
	rig_close(&b);
	is_int(peer_stop(&server), 0, "the server has lived through all of it");
	test_gap();
	return done();
}
