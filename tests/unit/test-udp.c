// SPDX-License-Identifier: GPL-2.0-or-later
// test-udp.c - datagrams: numbers, loss, jitter, and who may be a stream
#include "measure/udp.h"
#include "peer.h"

#define LATE 0.0005

/* A datagram sent at @sent that came @transit later. */
static bool receive(struct udp_flow *flow, bool wide, uint64_t number, double sent,
		    double transit)
{
	char buf[IPERF_UDP_LEN_MIN] = "";

	udp_header_write(buf, wide, sent, number);
	return udp_flow_receive(flow, buf, sizeof(buf), wide, sent + transit);
}

static void test_header(void)
{
	static const unsigned char want[] = { 0, 0, 0x10, 0x01, 0, 0x07, 0xa1, 0x20,
					      1, 2, 3, 4, 5, 6, 7, 8 };
	char buf[IPERF_UDP_LEN_MIN];

	udp_header_write(buf, true, 4097.5, 0x0102030405060708);
	ok(memcmp(buf, want, sizeof(want)) == 0, "seconds, microseconds, 64-bit number");
	udp_header_write(buf, false, 4097.5, 0x0102030405060708);
	ok(memcmp(buf + 8, "\5\6\7\10", 4) == 0, "a number of 32 bits");
}

static void test_loss(void)
{
	struct udp_flow flow = {};

	for (uint64_t i = 1; i <= 10; i++)
		receive(&flow, true, i, i, LATE);
	ok(flow.packets == 10 && flow.lost == 0, "ten of ten");
	receive(&flow, true, 15, 15, LATE);
	ok(flow.packets == 15 && flow.lost == 4, "four are missing");
	receive(&flow, true, 12, 12, LATE);
	ok(flow.packets == 15 && flow.lost == 3, "one of them was only late");
	udp_flow_omit(&flow);
	receive(&flow, true, 17, 17, LATE);
	ok(flow.omitted_packets == 15 && flow.omitted_lost == 3 && flow.packets == 17 &&
		   flow.lost == 4,
	   "what was omitted is remembered");
	flow = (struct udp_flow){};
	receive(&flow, false, 3, 3, LATE);
	ok(flow.packets == 3 && flow.lost == 2, "numbers of 32 bits, the first lost");
}

static void test_absurd(void)
{
	struct udp_flow flow = {};
	char buf[IPERF_UDP_LEN_MIN] = "";

	ok(!receive(&flow, true, 0, 1, LATE), "number 0 is none");
	ok(!receive(&flow, true, UINT64_MAX, 1, LATE), "nor is 2^64-1");
	ok(!udp_flow_receive(&flow, buf, sizeof(buf) - 1, true, 1), "nor a short one");
	ok(flow.packets == 0 && flow.lost == 0, "which are not counted");
}

/* RFC 3550: J += (|D| - J) / 16. */
static void test_jitter(void)
{
	struct udp_flow flow = {};

	receive(&flow, true, 1, 1.0, 0.010);
	ok(flow.jitter == 0, "one datagram has no jitter");
	receive(&flow, true, 2, 1.1, 0.010);
	is_near(flow.jitter, 0, 2e-6, "two that took the same have none");
	receive(&flow, true, 3, 1.2, 0.026);
	is_near(flow.jitter, 0.001, 2e-6, "16 ms more: 1 ms");
	receive(&flow, true, 4, 1.3, 0.010);
	is_near(flow.jitter, 0.001 + 0.015 / 16, 4e-6, "16 ms less: 15/16 ms on top");
	flow = (struct udp_flow){};
	/* The sender's clock began elsewhere. */
	receive(&flow, true, 1, 1.7e9, -1.6e9);
	receive(&flow, true, 2, 1.7e9 + 1, -1.6e9);
	is_near(flow.jitter, 0, 1e-5, "another clock does not matter");
}

static int udp_socket(const char *from, const struct sockaddr_in *to)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	inet_pton(AF_INET, from, &own.sin_addr);
	if (bind(fd, (struct sockaddr *)&own, sizeof(own)) < 0 ||
	    connect(fd, (const struct sockaddr *)to, sizeof(*to)) < 0)
		exit(99);
	return fd;
}

static void test_streams(void)
{
	struct peer self = {};
	int listen_fd = listen_loopback(&self.addr), control = dial(&self);
	int own = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	int first = udp_listen(own), second;
	int client = udp_socket("127.0.0.1", &self.addr);
	int stranger = udp_socket("127.0.0.2", &self.addr);
	struct sockaddr_in at;
	socklen_t len = sizeof(at);
	char buf[8];

	ok(first >= 0 && getsockname(first, (struct sockaddr *)&at, &len) == 0 &&
		   at.sin_port == self.addr.sin_port &&
		   at.sin_addr.s_addr == self.addr.sin_addr.s_addr,
	   "a stream is awaited at the control connection's own address");
	is_int(udp_accept(first, own), 0, "nobody is there");
	send(stranger, "9876", 4, 0);
	is_int(udp_accept(first, own), 0, "a stranger's greeting is not taken");
	send(client, "more than a greeting", 20, 0);
	is_int(udp_accept(first, own), 0, "nor is anything but a greeting");
	send(client, "9876", 4, 0);
	send(stranger, "stale", 5, 0);
	is_int(udp_accept(first, own), 1, "the client's is");
	is_int(recv(first, buf, sizeof(buf), 0), -1, "what a stranger sent is gone");
	second = udp_listen(own);
	ok(second >= 0, "the next stream is awaited at the same port");
	is_int(udp_answer(first), 0, "the client hears that it may go on");
	is_int(recv(client, buf, sizeof(buf), 0), 4, "in four bytes");
	ok(memcmp(buf, "6789", 4) == 0, "which iperf3 knows");
	is_int(recv(stranger, buf, sizeof(buf), 0), -1, "and a stranger hears nothing");
	send(client, "x", 1, 0);
	is_int(recv(first, buf, sizeof(buf), 0), 1, "data comes to its own stream");
	is_int(udp_accept(second, own), 0, "not to the next");
	close(first);
	close(second);
	close(client);
	close(stranger);
	close(own);
	close(control);
	close(listen_fd);
}

/* A client that greets: answered, answered by data, by nobody, while control speaks. */
static void test_greet(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int server, client, pair[2];
	struct wire wire = { .stop_fd = -1, .timeout = 0.02 };
	char buf[64];

	inet_pton(AF_INET, "127.0.0.1", &at.sin_addr);
	server = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bind(server, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    getsockname(server, (struct sockaddr *)&at, &len) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		exit(99);
	client = udp_socket("127.0.0.1", &at);
	wire.fd = pair[0];
	is_int(udp_greet(&wire, client), -ETIMEDOUT, "nobody answers");
	is_int(recv(server, buf, sizeof(buf), 0), 4, "to a greeting of four bytes");
	len = sizeof(at);
	getsockname(client, (struct sockaddr *)&at, &len);
	sendto(server, "6789", 4, 0, (struct sockaddr *)&at, len);
	is_int(udp_greet(&wire, client), 0, "an answer");
	is_int(recv(client, buf, sizeof(buf), 0), -1, "is taken out of the way");
	sendto(server, "0123456789abcdefgh", 18, 0, (struct sockaddr *)&at, len);
	is_int(udp_greet(&wire, client), 0, "data is an answer too");
	is_int(recv(client, buf, sizeof(buf), 0), 18, "and stays");
	say(pair[1], "x", 1);
	is_int(udp_greet(&wire, client), 0, "the control connection goes first");
	close(server);
	while (recv(client, buf, sizeof(buf), 0) >= 0)
		;
	recv(pair[0], buf, 1, 0);
	is_int(udp_greet(&wire, client), -ECONNREFUSED, "a closed port");
	close(client);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	test_header();
	test_loss();
	test_absurd();
	test_jitter();
	test_streams();
	test_greet();
	return done();
}
