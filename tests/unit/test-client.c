// SPDX-License-Identifier: GPL-2.0-or-later
// test-client.c - the client against our server and against scripted ones
#include "measure/stream.h"
#include "peer.h"

struct ticks {
	unsigned n;
	uint64_t bytes;
	bool grew, counting;
	int answer;
};

static int on_tick(void *userdata, bool counting, double elapsed, uint64_t bytes)
{
	struct ticks *ticks = userdata;

	ticks->n++;
	ticks->grew |= bytes > ticks->bytes;
	ticks->bytes = bytes;
	ticks->counting = counting;
	return elapsed > 0 ? ticks->answer : -EBADE;
}

static void test_good(const struct peer *server)
{
	struct client_test test = test_of(server, CLIENT_TX);
	struct client_result result = {};
	struct ticks ticks = {};

	test.tick = on_tick;
	test.tick_ms = 20;
	test.seconds = 0.5; /* for two ticks, however busy the machine is */
	test.userdata = &ticks;
	is_int(client_run(&test, &result), 0, "tx against our server");
	ok(result.bytes > 100000, "the server has received something");
	is_near(result.mbps, result.bytes * 8 / result.seconds / 1e6, 0.01, "rate");
	ok(result.local_seconds >= 0.1, "at least the time wanted");
	ok(result.retransmits >= 0, "a Linux sender knows its retransmits");
	ok(ticks.n >= 2 && ticks.grew && ticks.counting, "ticks with growing counts");

	test = test_of(server, CLIENT_RX);
	test.streams = 3;
	result = (struct client_result){};
	is_int(client_run(&test, &result), 0, "rx with three streams");
	ok(result.bytes > 100000, "we have received something");
	is_near(result.seconds, result.local_seconds, 1e-5, "the receiver's seconds");
	ok(result.retransmits >= 0, "retransmits from the server");
	ok(result.peer_cpu > 0, "the server's CPU share");
	is_str(result.error, "", "no error");

	test.streams = IPERF_STREAMS_MAX;
	is_int(client_run(&test, &result), 0, "128 streams");
}

static void test_stop(const struct peer *server)
{
	struct client_test test = test_of(server, CLIENT_TX);
	struct client_result result = { .bytes = 1234 };
	struct ticks ticks = { .answer = -ECANCELED };
	int stop[2];

	if (pipe2(stop, O_CLOEXEC) < 0 || write(stop[1], "x", 1) != 1)
		exit(99);
	test.stop_fd = stop[0];
	is_int(client_run(&test, &result), -EINTR, "stop_fd stops");
	is_int(result.bytes, 1234, "a failure leaves the result alone");
	ok(result.error[0], "but for its message");
	close(stop[0]);
	close(stop[1]);
	is_served(server, "one that was stopped");

	test = test_of(server, CLIENT_RX);
	test.seconds = 60;
	test.tick = on_tick;
	test.tick_ms = 10;
	test.userdata = &ticks;
	is_int(client_run(&test, &result), -ECANCELED, "what a tick answers");
	is_int(ticks.n, 1, "at the first tick");
	is_served(server, "one that gave up");
}

/* Scripted servers. Each plays one client and hears out what it says in the end. */

static int script_take(int listen_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	struct timeval wait = { .tv_sec = 5 };
	char cookie[IPERF_COOKIE_SIZE];

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (recv(fd, cookie, sizeof(cookie), MSG_WAITALL) != sizeof(cookie))
		_exit(98);
	return fd;
}

static void script_state(int fd, int state)
{
	signed char byte = state;

	say(fd, &byte, 1);
}

static void script_params(int fd)
{
	char text[4096];
	int size;

	script_state(fd, IPERF_PARAM_EXCHANGE);
	size = hear_number(fd);
	if (size <= 0 || size > (int)sizeof(text) ||
	    recv(fd, text, size, MSG_WAITALL) != size)
		_exit(97);
}

/* A running test; the stream too. */
static int script_running(int listen_fd, int *ret_stream)
{
	int fd = script_take(listen_fd);

	script_params(fd);
	script_state(fd, IPERF_CREATE_STREAMS);
	*ret_stream = script_take(listen_fd);
	script_state(fd, IPERF_TEST_START);
	script_state(fd, IPERF_TEST_RUNNING);
	return fd;
}

/* 0 if the client says that it gives up, and is gone. */
static int script_hears_abort(int fd)
{
	int r = hear(fd) == IPERF_CLIENT_TERMINATE && hear(fd) == 1000 ? 0 : 1;

	close(fd);
	return r;
}

/* As iperf3 does: without reading the cookie. */
static int script_busy(int listen_fd, int stop_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

	script_state(fd, IPERF_ACCESS_DENIED);
	close(fd);
	return 0;
}

static int script_ssh(int listen_fd, int stop_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

	say(fd, "SSH-2.0-OpenSSH_9.2\r\n", 21);
	while (hear(fd) != 1000)
		;
	close(fd);
	return 0;
}

static int script_silent(int listen_fd, int stop_fd)
{
	return script_hears_abort(script_take(listen_fd));
}

static int script_hangup(int listen_fd, int stop_fd)
{
	close(script_take(listen_fd));
	return 0;
}

static int script_error(int listen_fd, int stop_fd)
{
	const uint32_t codes[2] = { htonl(13), htonl(0) };
	int fd = script_take(listen_fd);

	script_params(fd);
	script_state(fd, IPERF_SERVER_ERROR);
	say(fd, codes, sizeof(codes));
	return script_hears_abort(fd);
}

static int script_order(int listen_fd, int stop_fd)
{
	int fd = script_take(listen_fd);

	script_params(fd);
	script_state(fd, IPERF_DISPLAY_RESULTS);
	return script_hears_abort(fd);
}

static int script_vanish(int listen_fd, int stop_fd)
{
	int stream, fd = script_running(listen_fd, &stream);

	recv(stream, &(char[4096]){}, 4096, 0);
	close(stream);
	close(fd);
	return 0;
}

static int script_terminate(int listen_fd, int stop_fd)
{
	int stream, fd = script_running(listen_fd, &stream);

	script_state(fd, IPERF_SERVER_TERMINATE);
	close(stream);
	return script_hears_abort(fd);
}

/* Nothing is read, so that the client can send no more. */
static int script_stall(int listen_fd, int stop_fd)
{
	int stream, fd = script_running(listen_fd, &stream);
	int r = script_hears_abort(fd);

	close(stream);
	return r;
}

static int script_end(int listen_fd, const char *results)
{
	int stream, size, fd = script_running(listen_fd, &stream);
	char text[4096];

	while (recv(fd, text, 1, MSG_DONTWAIT) != 1)
		recv(stream, text, sizeof(text), MSG_DONTWAIT);
	close(stream);
	script_state(fd, IPERF_EXCHANGE_RESULTS);
	size = hear_number(fd);
	if (text[0] != IPERF_TEST_END || size <= 0 || size > (int)sizeof(text) ||
	    recv(fd, text, size, MSG_WAITALL) != size)
		_exit(96);
	if (!results) {
		const uint32_t huge = htonl(IPERF_DOCUMENT_MAX + 1);

		say(fd, &huge, sizeof(huge));
		return script_hears_abort(fd);
	}
	say_document(fd, results);
	return script_hears_abort(fd);
}

/* Goes on sending after the end, and says nothing. 0 if the client leaves it. */
static int script_flood(int listen_fd, int stop_fd)
{
	static char data[1 << 18];
	int stream, fd = script_running(listen_fd, &stream);
	double until = now_monotonic() + 20;

	while (now_monotonic() < until)
		if (send(stream, data, sizeof(data), MSG_NOSIGNAL) < 0)
			break;
	close(stream);
	close(fd);
	return now_monotonic() < until ? 0 : 1;
}

static int script_results_huge(int listen_fd, int stop_fd)
{
	return script_end(listen_fd, NULL);
}

#define RESULTS(streams)                                                                 \
	"{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":1,"               \
	"\"sender_has_retransmits\":-1,\"streams\":[" streams "]}"

static int script_results_none(int listen_fd, int stop_fd)
{
	return script_end(listen_fd, RESULTS(""));
}

static int script_results_nan(int listen_fd, int stop_fd)
{
	return script_end(listen_fd,
			  RESULTS("{\"id\":1,\"bytes\":nan,\"retransmits\":0}"));
}

static int script_results_impossible(int listen_fd, int stop_fd)
{
	return script_end(listen_fd, RESULTS("{\"id\":1,\"bytes\":18014398509481984,"
					     "\"retransmits\":0,\"jitter\":0,"
					     "\"errors\":0,\"packets\":0}"));
}

static const struct scripted {
	const char *what;
	int (*script)(int listen_fd, int stop_fd);
	int want;
	double timeout;
	const char *says; /* part of the message */
} scripted[] = {
	{ "busy", script_busy, -EBUSY, 5, "busy" },
	{ "an SSH server", script_ssh, -EPROTO, 5, "is it an iperf3 server" },
	{ "silence", script_silent, -ETIMEDOUT, 0.05, "did not answer within 0.05 s" },
	{ "a hang-up", script_hangup, -ECONNRESET, 5, "closed the connection" },
	{ "an error document", script_error, -EPROTO, 5, "implement" },
	{ "states out of order", script_order, -EPROTO, 5, "answered 14" },
	{ "a server that vanishes", script_vanish, -ECONNRESET, 5, "closed" },
	{ "a server that is stopped", script_terminate, -ECONNRESET, 5, "stopped" },
	{ "a server that reads nothing", script_stall, -ETIMEDOUT, 0.1, "no data moved" },
	{ "results of 64 KiB and more", script_results_huge, -EPROTO, 5, "document" },
	{ "results without streams", script_results_none, -EPROTO, 5, "document" },
	{ "more bytes than were sent", script_results_impossible, -EPROTO, 5,
	  "more bytes than were sent" },
	{ "results with nan", script_results_nan, -EPROTO, 5, "document" },
};

static void test_scripted(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(scripted); i++) {
		const struct scripted *row = &scripted[i];
		struct peer peer = peer_start(row->script);
		struct client_test test = test_of(&peer, CLIENT_TX);
		struct client_result result = {};

		test.timeout = row->timeout;
		/* Those that break off while data flows do so in the middle. */
		test.seconds = 0.02;
		if (row->want == -ECONNRESET || row->want == -ETIMEDOUT)
			test.seconds = 10;
		is_int(client_run(&test, &result), row->want, "client against %s",
		       row->what);
		if (!ok(strstr(result.error, row->says), "and says so"))
			printf("# '%s'\n", result.error);
		is_int(peer_stop(&peer), 0, "which %s", "has heard all it should");
	}
}

static void test_flood(void)
{
	struct peer peer = peer_start(script_flood);
	struct client_test test = test_of(&peer, CLIENT_RX);
	struct client_result result = {};

	test.timeout = 0.3;
	is_int(client_run(&test, &result), -ETIMEDOUT, "a peer floods after the end");
	ok(strstr(result.error, "did not answer"), "has not answered");
	is_int(peer_stop(&peer), 0, "and is left in time");
}

/* The end has come, and there is always something to read: no instant is quiet. */
static void test_deadline(void)
{
	const struct stream_options options = { .len = 4096 };
	struct stream_set *set = NULL;
	struct wire wire = { .fd = -1, .stop_fd = -1 };
	char data[4096] = "";
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0 ||
	    stream_set_new(&options, &set) < 0)
		exit(99);
	stream_set_add(set, fds[0], false);
	stream_set_start(set);
	say(fds[1], data, sizeof(data));
	is_int(stream_set_drain(set, &wire, now_monotonic() + 5), 0, "data is drained");
	say(fds[1], data, sizeof(data));
	is_int(stream_set_drain(set, &wire, now_monotonic() - 1), -ETIMEDOUT,
	       "but when the time is over it stays");
	stream_set_free(&set);
	close(fds[1]);
}

static void test_connect(void)
{
	struct peer nobody = {};
	struct client_test test;
	struct client_result result = {};
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(5201) };

	/* A port that was free a moment ago. */
	close(listen_loopback(&nobody.addr));
	test = test_of(&nobody, CLIENT_TX);
	is_int(client_run(&test, &result), -ECONNREFUSED, "nobody listens");
	ok(strstr(result.error, "127.0.0.1"), "the address is named");
	test.ifname = "nosuch0";
	is_int(client_run(&test, &result), -ENODEV, "no such interface");
	ok(strstr(result.error, "nosuch0"), "which is named");
	test.ifname = NULL;
	test.streams = 129;
	is_int(client_run(&test, &result), -EINVAL, "129 streams");
	test.streams = 1;
	inet_pton(AF_INET6, "fe80::1", &in6.sin6_addr);
	memcpy(&test.peer, &in6, sizeof(in6));
	test.peer_len = sizeof(in6);
	is_int(client_run(&test, &result), -EINVAL, "link-local without an interface");
	ok(strstr(result.error, "link-local"), "is explained");
}

int main(void)
{
	struct peer server = peer_start(script_server);

	test_good(&server);
	test_stop(&server);
	is_int(peer_stop(&server), 0, "the server stops when told to");
	test_scripted();
	test_flood();
	test_deadline();
	test_connect();
	return done();
}
