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
		{ "{\"udp\":true,\"time\":1,\"parallel\":1}", IPERF_ERROR_UNSUPPORTED },
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
	is_int(hear(wrong), IPERF_ACCESS_DENIED, "a stranger is no stream");
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
	is_int(peer_stop(&server), 0, "one server has lived through all of it");
	server = peer_start(script_server_impatient);
	test_server_slow(&server);
	is_int(peer_stop(&server), 0, "and a second one through the slow");
	test_server_stop();
	return done();
}
