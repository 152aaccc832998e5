// SPDX-License-Identifier: GPL-2.0-or-later
// test-server.c - the server against scripted clients, good ones in between
#include "measure/server.h"
#include "peer.h"

/* For clients that stall. */
static int script_server_impatient(int listen_fd, int stop_fd)
{
	return serve(listen_fd, stop_fd, 0.2);
}

/* Up to the parameters of a test. The server may be busy for a moment with the last. */
static int begin(const struct peer *server, const char *params)
{
	int state = IPERF_ACCESS_DENIED, fd;

	for (unsigned i = 0; i < 100 && state == IPERF_ACCESS_DENIED; i++) {
		if (i > 0) {
			usleep(5000);
			close(fd);
		}
		fd = dial(server);
		send(fd, COOKIE, sizeof(COOKIE), MSG_NOSIGNAL);
		state = hear(fd);
	}
	is_int(state, IPERF_PARAM_EXCHANGE, "the server takes us");
	say_document(fd, params);
	return fd;
}

static void test_busy(const struct peer *server)
{
	struct client_test test = test_of(server, CLIENT_TX);
	struct client_result result = {};
	int fd = begin(server, PARAMS);
	int stream;

	is_int(hear(fd), IPERF_CREATE_STREAMS, "and wants streams");
	stream = dial(server);
	say(stream, COOKIE, sizeof(COOKIE));
	is_int(hear(fd), IPERF_TEST_START, "a stream, the test starts");
	is_int(hear(fd), IPERF_TEST_RUNNING, "and runs");
	is_int(client_run(&test, &result), -EBUSY, "a second client hears busy");
	close(stream);
	close(fd);
	is_served(server, "one that vanished while data flowed");
}

static void test_server_refuses(const struct peer *server)
{
	static const struct {
		const char *params;
		int error;
	} rows[] = {
		{ "{\"sctp\":true,\"time\":1,\"parallel\":1}", IPERF_ERROR_UNSUPPORTED },
		{ "{\"udp\":true,\"time\":1,\"len\":1}", IPERF_ERROR_UDP_LEN },
		{ "{\"tcp\":true,\"time\":1,\"parallel\":129}", IPERF_ERROR_STREAMS },
		{ "{\"tcp\":true,\"time\":99999,\"parallel\":1}", IPERF_ERROR_DURATION },
		{ "[[[[[[[[[[[[[[[[[[[[[[[[", IPERF_ERROR_PARAMS },
	};
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fd = begin(server, rows[i].params);
		is_int(hear(fd), IPERF_SERVER_ERROR, "refused: %s", rows[i].params);
		is_int(hear_number(fd), rows[i].error, "with iperf3's number");
		hear_number(fd);
		is_int(hear(fd), 1000, "and hung up");
		close(fd);
	}
	is_served(server, "refusals");
}

/* Whether the kernel has a congestion control shows on the first stream. */
static void test_server_congestion(const struct peer *server)
{
	int stranger, stream;
	int fd = begin(server, "{\"tcp\":true,\"congestion\":\"nosuch\",\"parallel\":1}");

	is_int(hear(fd), IPERF_CREATE_STREAMS, "congestion control is tried on streams");
	stranger = dial(server);
	stream = dial(server);
	say(stream, COOKIE, sizeof(COOKIE));
	is_int(hear(fd), IPERF_SERVER_ERROR, "an unknown one is refused");
	is_int(hear_number(fd), IPERF_ERROR_CONGESTION, "with its number");
	is_int(hear_number(fd), ENOENT, "and its errno");
	close(stranger);
	close(stream);
	close(fd);
	is_served(server, "an unknown congestion control");
}

static void test_server_garbage(const struct peer *server)
{
	const uint32_t huge = htonl(0x7fffffff);
	int fd;

	fd = dial(server);
	say(fd, "GET / HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\nxxxxxxxxxxxxxxxx", 57);
	is_int(hear(fd), IPERF_PARAM_EXCHANGE, "any 37 bytes are a cookie");
	is_int(hear(fd), 1000, "a length out of bounds is not waited for");
	close(fd);

	is_served(server, "noise");
	fd = dial(server);
	say(fd, COOKIE, sizeof(COOKIE));
	hear(fd);
	say(fd, &huge, sizeof(huge));
	is_int(hear(fd), 1000, "nor is one of 2 GiB");
	close(fd);
	is_served(server, "a huge length");

	close(begin(server, PARAMS));
	is_served(server, "one that vanished");
}

static void test_server_slow(const struct peer *server)
{
	int fd, stream, wrong;

	fd = dial(server);
	say(fd, COOKIE, 10);
	is_int(hear(fd), 1000, "half a cookie is dropped after the timeout");
	close(fd);
	is_served(server, "a slow one");

	fd = begin(server, PARAMS);
	is_int(hear(fd), IPERF_CREATE_STREAMS, "streams are wanted");
	wrong = dial(server);
	say(wrong, "not this cookie, surely not this one", 37);
	is_int(hear(wrong), IPERF_PARAM_EXCHANGE, "a stranger is no stream");
	stream = dial(server);
	say(stream, COOKIE, sizeof(COOKIE));
	is_int(hear(fd), IPERF_TEST_START, "the right one is");
	is_int(hear(fd), IPERF_TEST_RUNNING, "then data");
	say(stream, COOKIE, 30);
	is_int(hear(fd), 1000, "a stalled one is dropped after the timeout");
	close(stream);
	close(wrong);
	close(fd);
	is_served(server, "a stalled one");
}

static void test_server_results(const struct peer *server)
{
	int fd = begin(server, PARAMS), stream;
	signed char end = IPERF_TEST_END;

	is_int(hear(fd), IPERF_CREATE_STREAMS, "streams are wanted");
	stream = dial(server);
	say(stream, COOKIE, sizeof(COOKIE));
	is_int(hear(fd), IPERF_TEST_START, "start");
	is_int(hear(fd), IPERF_TEST_RUNNING, "running");
	say(fd, &end, 1);
	is_int(hear(fd), IPERF_EXCHANGE_RESULTS, "the end is understood");
	say_document(fd, "{\"streams\":\"none\"}");
	is_int(hear(fd), 1000, "broken results end it");
	close(stream);
	close(fd);
	is_served(server, "broken results");
}

/* The client's greeting must come from where its control connection does. */
static void test_server_udp(const struct peer *server)
{
	int fd = begin(server, "{\"udp\":true,\"time\":1,\"reverse\":true,\"len\":100}");
	struct sockaddr_in other = { .sin_family = AF_INET };
	struct timeval wait = { .tv_usec = 100000 };
	int stranger = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int stream = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char buf[200];

	inet_pton(AF_INET, "127.0.0.9", &other.sin_addr);
	if (bind(stranger, (struct sockaddr *)&other, sizeof(other)) < 0 ||
	    connect(stranger, (const void *)&server->addr, sizeof(server->addr)) < 0 ||
	    connect(stream, (const void *)&server->addr, sizeof(server->addr)) < 0 ||
	    setsockopt(stranger, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0)
		exit(99);
	is_int(hear(fd), IPERF_CREATE_STREAMS, "a UDP stream is wanted");
	say(stranger, "9876", 4);
	is_int(recv(stranger, buf, sizeof(buf), 0), -1, "a stranger gets nothing");
	say(stream, "9876", 4);
	is_int(hear(fd), IPERF_TEST_START, "the client's own is taken");
	is_int(recv(stream, buf, sizeof(buf), 0), 4, "and answered");
	is_int(recv(stream, buf, sizeof(buf), 0), 100, "then data comes");
	is_int(recv(stranger, buf, sizeof(buf), 0), -1, "to nobody else");
	close(stranger);
	close(stream);
	close(fd);
	is_served(server, "one that vanished from UDP");
}

/* The limit of a test, and what is told of each. */
static void on_report(void *userdata, const struct server_report *report)
{
	unsigned *n = userdata;

	if (*n == 0 && report->error == -EPROTO && report->params->seconds == 3 &&
	    report->params->omit == 1)
		*n = 1;
	else if (*n == 1 && report->error == 0 && report->received == 5000 &&
		 report->sent == 0 && report->seconds > 0)
		*n = 2;
}

static int script_one(int listen_fd, int stop_fd)
{
	unsigned n = 0;
	struct server_config config = { .listen_fd = listen_fd,
					.stop_fd = stop_fd,
					.timeout = 5,
					.max_seconds = 3,
					.once = true,
					.report = on_report,
					.userdata = &n };
	int r = server_run(&config);

	return r < 0 || n != 2 ? 10 + n : 0;
}

static void test_server_one(void)
{
	struct peer server = peer_start(script_one);
	signed char end = IPERF_TEST_END, last = IPERF_DONE;
	int fd = begin(&server, "{\"tcp\":true,\"time\":3,\"omit\":1}"), stream, size;
	char data[5000] = "";

	is_int(hear(fd), IPERF_SERVER_ERROR, "a test longer than this server's limit");
	is_int(hear_number(fd), IPERF_ERROR_DURATION, "is refused with its number");
	close(fd);
	fd = begin(&server, PARAMS);
	is_int(hear(fd), IPERF_CREATE_STREAMS, "a shorter one is not");
	stream = dial(&server);
	say(stream, COOKIE, sizeof(COOKIE));
	is_int(hear(fd), IPERF_TEST_START, "start");
	is_int(hear(fd), IPERF_TEST_RUNNING, "running");
	say(stream, data, sizeof(data));
	usleep(50000);
	say(fd, &end, 1);
	is_int(hear(fd), IPERF_EXCHANGE_RESULTS, "the end is understood");
	say_document(fd, "{\"cpu_util_total\":1,\"cpu_util_user\":0,"
			 "\"cpu_util_system\":1,\"sender_has_retransmits\":1,"
			 "\"streams\":[{\"id\":1,"
			 "\"bytes\":5000,\"retransmits\":0}]}");
	size = hear_number(fd);
	ok(size > 0 && size < (int)sizeof(data) &&
		   recv(fd, data, size, MSG_WAITALL) == size,
	   "results come back");
	ok(strstr(data, "\"bytes\":5000") && !strstr(data, "boardtune"),
	   "of what was received, nothing else to a client that did not ask");
	is_int(hear(fd), IPERF_DISPLAY_RESULTS, "and that was all");
	say(fd, &last, 1);
	is_int(peer_stop(&server), 0, "the caller is told the same");
	close(stream);
	close(fd);
}

/* A server that is told to stop ends the test that runs, and says so. */
static void test_server_stop(void)
{
	struct peer server = peer_start(script_server);
	int fd = begin(&server, PARAMS);

	is_int(hear(fd), IPERF_CREATE_STREAMS, "a test has begun");
	is_int(peer_stop(&server), 0, "the server stops");
	is_int(hear(fd), IPERF_SERVER_TERMINATE, "and has told its client");
	close(fd);
}

int main(void)
{
	struct peer server = peer_start(script_server);

	test_busy(&server);
	test_server_refuses(&server);
	test_server_congestion(&server);
	test_server_garbage(&server);
	test_server_results(&server);
	test_server_udp(&server);
	is_int(peer_stop(&server), 0, "one server has lived through all of it");
	server = peer_start(script_server_impatient);
	test_server_slow(&server);
	is_int(peer_stop(&server), 0, "and a second one through the slow");
	test_server_one();
	test_server_stop();
	return done();
}
