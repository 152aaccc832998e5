// SPDX-License-Identifier: GPL-2.0-or-later
// test-client-ways.c - both ways at once, UDP, zero-copy, at a rate, and iperf2
#include <math.h>
#include <signal.h>

#include "measure/stream.h"
#include "peer.h"

static void test_bidir(const struct peer *server)
{
	struct client_test test = test_of(server, CLIENT_BIDIR);
	struct client_result r = {};

	test.streams = 2;
	is_int(client_run(&test, &r), 0, "both ways, two streams each");
	ok(r.tx.bytes > 100000 && r.rx.bytes > 100000, "data went both ways");
	is_int(r.bytes, r.tx.bytes + r.rx.bytes, "the total is their sum");
	ok(r.tx.retransmits >= 0 && r.rx.retransmits >= 0, "retransmits of both");
	is_near(r.tx.mbps, r.tx.bytes * 8 / r.tx.seconds / 1e6, 0.01, "rate of tx");
	ok(r.tx.rtt_ms > 0 && r.tx.rtt_ms < 1000, "our round-trip time");
	ok(r.rx.rtt_ms > 0 && r.rx.rtt_ms < 1000, "and that of a server of ours");
	ok(isfinite(r.peer_machine) && r.peer_machine > 0 && r.peer_machine <= 1 &&
		   r.peer_busiest >= r.peer_machine && r.peer_busiest <= 1,
	   "its machine is busy");
	ok(!r.by_sender, "the receiver counts");
}

/* As fast as the machine goes would lose datagrams, a rate does not. */
static void test_udp(const struct peer *server)
{
	static const enum client_direction directions[] = { CLIENT_TX, CLIENT_RX,
							    CLIENT_BIDIR };
	const double seconds = 0.2, rate = 8e6;
	const unsigned len = 1000, streams = 2;

	for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
		struct client_test test = test_of(server, directions[i]);
		struct client_result r = {};
		const struct client_flow *flow = directions[i] == CLIENT_TX ? &r.tx :
									      &r.rx;

		test.protocol = CLIENT_UDP;
		test.streams = streams;
		test.seconds = seconds;
		test.bandwidth = rate;
		test.len = len;
		if (!is_int(client_run(&test, &r), 0, "UDP, direction %zu", i))
			printf("# %s\n", r.error);
		ok(flow->packets > 20 &&
			   flow->packets <= streams * rate * (seconds + 0.1) / 8 / len,
		   "no more datagrams than the rate allows");
		ok(flow->bytes % len == 0 && flow->bytes / len <= flow->packets &&
			   flow->bytes / len + flow->lost + 100 > flow->packets,
		   "each arrived, was lost, or was on its way");
		ok(flow->jitter_ms > 0 && flow->jitter_ms < 100, "jitter");
		ok(flow->retransmits == -1 && isnan(flow->rtt_ms), "nothing of TCP's");
		is_int(r.tx.bytes > 0, directions[i] != CLIENT_RX, "tx only if wanted");
		is_int(r.rx.bytes > 0, directions[i] != CLIENT_TX, "rx only if wanted");
	}
}

static void test_zero_copy(const struct peer *server)
{
	struct client_test test = test_of(server, CLIENT_BIDIR);
	struct client_result r = {};

	test.zero_copy = true;
	is_int(client_run(&test, &r), 0, "both ways, without copying");
	ok(r.tx.bytes > 100000 && r.rx.bytes > 100000, "data went both ways");
	test.protocol = CLIENT_UDP;
	test.bandwidth = 8000000;
	test.len = 800;
	is_int(client_run(&test, &r), 0, "UDP without copying");
	is_int(r.rx.bytes % 800, 0, "the length of what was not copied is known");
	ok(r.rx.bytes > 8000, "and counted");
}

static void test_paced(const struct peer *server)
{
	struct client_test test = test_of(server, CLIENT_RX);
	struct client_result r = {};

	test.bandwidth = 100000000;
	test.seconds = 0.3;
	is_int(client_run(&test, &r), 0, "TCP at a rate");
	/* Loopback is a hundred times faster. */
	ok(r.mbps > 10 && r.mbps < 400, "is about that fast: %g", r.mbps);
}

/* iperf2: takes whatever comes until the end of each connection, and says nothing. */
static int script_sink(int listen_fd, int stop_fd)
{
	static char data[1 << 18];
	int n = 0;

	fcntl(listen_fd, F_SETFL, O_NONBLOCK);
	for (;;) {
		struct pollfd fds[] = { { .fd = listen_fd, .events = POLLIN },
					{ .fd = stop_fd, .events = POLLIN } };
		int fd;

		poll(fds, 2, -1);
		if (fds[1].revents)
			return n;
		fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0 && (recv(fd, data, 4, MSG_WAITALL) != 4 ||
				memcmp(data, &(int){ 0 }, 4) != 0))
			return 100; /* flags of a header */
		while (fd >= 0 && recv(fd, data, sizeof(data), 0) > 0)
			;
		if (fd >= 0)
			close(fd);
		n++;
	}
}

static void test_iperf2(void)
{
	struct peer peer = { .addr = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(0x7f00aa01),
				       .sin_port = htons(5001) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), stop[2];
	struct client_test test;
	struct client_result r = {};

	/* An address of its own on lo: whoever else uses the port is not in the way. */
	if (bind(fd, (struct sockaddr *)&peer.addr, sizeof(peer.addr)) < 0 ||
	    listen(fd, 10) < 0 || pipe2(stop, O_CLOEXEC) < 0)
		exit(99);
	peer.pid = fork();
	if (peer.pid == 0) {
		close(stop[1]);
		exit(script_sink(fd, stop[0]));
	}
	close(fd);
	close(stop[0]);
	peer.stop_fd = stop[1];
	test = test_of(&peer, CLIENT_RX);
	test.timeout = 0.2;
	is_int(client_run(&test, &r), -ETIMEDOUT, "iperf2 sends nothing");
	ok(strstr(r.error, "iperf2"), "and the message says so");
	test.direction = CLIENT_TX;
	is_int(client_run(&test, &r), 0, "iperf2 is sent to");
	ok(r.by_sender && isnan(r.peer_cpu) && isnan(r.peer_machine), "by our own count");
	ok(r.bytes > 100000 && r.bytes == r.tx.bytes, "of what was acknowledged");
	ok(r.retransmits >= 0 && r.tx.rtt_ms > 0, "with TCP's figures");
	is_int(peer_stop(&peer), 3, "the sink has had three connections");
}

/* Both ends of a TCP connection, non-blocking. */
static void connect_pair(int *ret_sender, int *ret_receiver)
{
	struct sockaddr_in addr;
	int fd = listen_loopback(&addr);

	*ret_sender = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(*ret_sender, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		exit(99);
	*ret_receiver = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	close(fd);
	if (*ret_receiver < 0 || fcntl(*ret_sender, F_SETFL, O_NONBLOCK) < 0)
		exit(99);
}

/* For @seconds send as much as goes, or @some bytes each 10 ms. Returns the bytes. */
static uint64_t feed(struct stream_set *set, const struct wire *wire, int sender,
		     double seconds, size_t some)
{
	static char data[64 << 10];
	double end = now_monotonic() + seconds;
	uint64_t sent = 0;

	while (now_monotonic() < end) {
		ssize_t n;

		do {
			n = send(sender, data, some ? some : sizeof(data), MSG_NOSIGNAL);
			sent += n > 0 ? n : 0;
		} while (n > 0 && !some);
		if (stream_set_step(set, wire, now_monotonic() + 10e-3) < 0)
			exit(99);
		if (some)
			usleep(10000);
	}
	return sent;
}

static int low_water(int fd)
{
	int bytes = -1;

	getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, &(socklen_t){ sizeof(bytes) });
	return bytes;
}

/* Woken seldom while much comes, but never kept waiting when little does. */
static void test_wake(bool skip_copy)
{
	const struct stream_options options = { .len = 128 << 10,
						.skip_copy = skip_copy };
	const struct wire wire = { .fd = -1, .stop_fd = -1, .timeout = 1 };
	const char *how = skip_copy ? "without copying" : "copying";
	_cleanup_stream_set_ struct stream_set *set = NULL;
	uint64_t sent;
	int sender, fd;

	connect_pair(&sender, &fd);
	is_int(low_water(fd), 1, "a socket wakes its reader for each byte");
	if (stream_set_new(&options, &set) < 0 || stream_set_add(set, fd, false) < 0)
		exit(99);
	stream_set_start(set);
	sent = feed(set, &wire, sender, 0.3, 0);
	ok(sent > 100000, "%s: much came", how);
	ok(skip_copy ? low_water(fd) >= 16 << 10 : low_water(fd) == 1,
	   "%s: the reader is woken for %d bytes", how, low_water(fd));
	sent += feed(set, &wire, sender, 0.5, 100);
	is_int(low_water(fd), 1, "%s: when little comes, for each byte", how);
	/* The last of it may still be on its way. */
	for (int i = 0; i < 100 && stream_set_bytes(set) < sent; i++)
		stream_set_step(set, &wire, now_monotonic() + 10e-3);
	is_int(stream_set_bytes(set), sent, "%s: nothing is left unread", how);
	close(sender);
}

int main(void)
{
	struct peer server;

	/* sendfile(2) raises it; the server below has it from here. */
	signal(SIGPIPE, SIG_IGN);
	server = peer_start(script_server);
	test_bidir(&server);
	test_udp(&server);
	test_zero_copy(&server);
	test_paced(&server);
	is_int(peer_stop(&server), 0, "the server stops when told to");
	test_iperf2();
	test_wake(false);
	test_wake(true);
	return done();
}
