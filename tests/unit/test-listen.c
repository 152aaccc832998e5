// SPDX-License-Identifier: GPL-2.0-or-later
// test-listen.c - who calls a server: good, late, hostile and far too many
#include "measure/listen.h"
#include "measure/wire.h"
#include "peer.h"

#include <netinet/tcp.h>
#include <sys/resource.h>

#define OTHER "abcdefghijklmnopqrstuvwxyz234567abce"

/* A listener with its address, and who was sent away. */
struct hall {
	struct peer self;
	int listen_fd;
	struct listener *listener;
	unsigned dropped;
	int error; /* of the last one */
};

static void on_dropped(void *userdata, const struct sockaddr_storage *who, int error)
{
	struct hall *h = userdata;

	h->dropped++;
	h->error = who->ss_family == AF_INET ? error : -EINVAL;
}

static void hall_open(struct hall *h, double patience)
{
	struct listener_config config = { .patience = patience,
					  .dropped = on_dropped,
					  .userdata = h };

	*h = (struct hall){};
	h->listen_fd = config.listen_fd = listen_loopback(&h->self.addr);
	if (listen(h->listen_fd, 600) < 0 || listener_new(&config, &h->listener) < 0)
		exit(99);
}

static void hall_close(struct hall *h)
{
	listener_free(&h->listener);
	close(h->listen_fd);
}

/* Until nothing is ready any more; on loopback that is all that was sent. */
static void hall_work(struct hall *h)
{
	struct pollfd ready = { .fd = listener_fd(h->listener), .events = POLLIN };

	do {
		if (listener_step(h->listener) < 0)
			exit(99);
	} while (poll(&ready, 1, 0) == 1);
}

/* Whatever is sent is there at once. */
static int hall_dial(struct hall *h)
{
	int fd = dial(&h->self), one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

/* Whether anything, or the end, is there to be read: never waits. */
static int heard(int fd)
{
	signed char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT);

	return n == 1 ? byte : n == 0 || errno != EAGAIN ? 1000 : 2000;
}

/* Up to the parameters. */
static int hall_handshake(struct hall *h, const char *cookie)
{
	int fd = hall_dial(h);

	say(fd, cookie, IPERF_COOKIE_SIZE);
	hall_work(h);
	is_int(heard(fd), IPERF_PARAM_EXCHANGE, "a cookie: parameters are asked for");
	say_document(fd, PARAMS);
	return fd;
}

static int hall_wait(struct hall *h, struct listener_client *ret)
{
	static int stop[2];

	/* It stands from the start: a client that is not there yet would not come. */
	if (!stop[1] && (pipe2(stop, O_CLOEXEC) < 0 || close(stop[1]) < 0))
		exit(99);
	hall_work(h);
	return listener_wait(h->listener, stop[0], ret);
}

static void test_client(void)
{
	struct listener_client client = LISTENER_CLIENT_INIT;
	struct hall h;
	int fd, late;

	hall_open(&h, 5);
	is_int(hall_wait(&h, &client), -EINTR, "nobody calls");
	fd = hall_handshake(&h, COOKIE);
	late = hall_handshake(&h, OTHER);
	is_int(hall_wait(&h, &client), 0, "the first that is complete");
	ok(streq(client.params, PARAMS) && client.params_size == strlen(PARAMS),
	   "with its parameters");
	ok(streq(client.cookie, COOKIE), "and its cookie");
	is_int(client.address.ss_family, AF_INET, "and its address");
	hall_work(&h);
	is_int(heard(late), 2000, "another waits while that one's test only begins");
	listener_client_clear(&client);
	is_int(hall_wait(&h, &client), 0, "and is next when nothing comes of it");
	ok(streq(client.cookie, OTHER), "that one");
	listener_client_clear(&client);
	is_int(h.dropped, 0, "nobody was sent away");
	hall_close(&h);
	close(fd);
	close(late);
}

static void test_streams(void)
{
	struct listener_client client = LISTENER_CLIENT_INIT;
	int fd, queued, streams[3], other, got;
	struct hall h;

	hall_open(&h, 5);
	fd = hall_handshake(&h, COOKIE);
	is_int(hall_wait(&h, &client), 0, "a client");
	queued = hall_handshake(&h, OTHER);
	listener_expect(h.listener, client.cookie, 2);
	is_int(listener_take_stream(h.listener), -EAGAIN, "no stream yet");
	other = hall_dial(&h);
	say(other, COOKIE, 20);
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		streams[i] = hall_dial(&h);
		say(streams[i], COOKIE "\0data", IPERF_COOKIE_SIZE + (i < 2 ? 4 : 0));
	}
	hall_work(&h);
	for (unsigned i = 0; i < 2; i++) {
		char data[8];

		got = listener_take_stream(h.listener);
		is_int(recv(got, data, sizeof(data), 0), 4, "a stream, its data unread");
		close(got);
	}
	is_int(listener_take_stream(h.listener), -EAGAIN, "no more than were expected");
	is_int(heard(streams[2]), IPERF_PARAM_EXCHANGE, "one more is a client like any");
	listener_busy(h.listener);
	is_int(heard(queued), IPERF_ACCESS_DENIED, "who waited hears that a test runs");
	is_int(h.error, -EBUSY, "as busy");
	say_document(streams[2], PARAMS);
	say(other, COOKIE + 20, 17);
	hall_work(&h);
	is_int(heard(streams[2]), IPERF_ACCESS_DENIED, "and who is late with parameters");
	is_int(heard(other), IPERF_ACCESS_DENIED, "and who is late with its cookie");
	is_int(heard(other), 1000, "and is hung up on");
	listener_done(h.listener);
	listener_client_clear(&client);
	close(hall_handshake(&h, OTHER));
	is_int(hall_wait(&h, &client), 0, "after the test the next is served");
	listener_client_clear(&client);
	hall_close(&h);
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
		close(streams[i]);
	close(fd);
	close(queued);
	close(other);
}

static void test_queue(void)
{
	struct listener_client client = LISTENER_CLIENT_INIT;
	int fds[LISTENER_QUEUE_MAX + 1], n = ARRAY_SIZE(fds);
	struct hall h;

	hall_open(&h, 5);
	for (int i = 0; i < n; i++)
		fds[i] = hall_handshake(&h, OTHER);
	hall_work(&h);
	is_int(heard(fds[n - 2]), 2000, "so many wait");
	is_int(heard(fds[n - 1]), IPERF_ACCESS_DENIED, "and no more");
	is_int(hall_wait(&h, &client), 0, "the first one is next");
	listener_client_clear(&client);
	for (int i = 0; i < n; i++)
		close(fds[i]);
	hall_close(&h);
}

static void test_garbage(void)
{
	static const struct {
		const char *name;
		uint32_t length;
	} rows[] = {
		{ "of nothing", 0 },
		{ "of 8193 bytes", LISTENER_PARAMS_MAX + 1 },
		{ "of 4 GiB", UINT32_MAX },
	};
	struct hall h;
	int fd;

	hall_open(&h, 0.05);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t length = htonl(rows[i].length);

		fd = hall_dial(&h);
		say(fd, COOKIE, sizeof(COOKIE));
		say(fd, &length, sizeof(length));
		hall_work(&h);
		is_int(h.error, -EPROTO, "a document %s is none", rows[i].name);
		is_int(heard(fd), IPERF_PARAM_EXCHANGE, "it was asked for");
		is_int(heard(fd), 1000, "and is hung up on");
		close(fd);
	}
	is_int(h.dropped, 3, "each is told of once");
	fd = hall_dial(&h);
	say(fd, COOKIE, 36);
	hall_work(&h);
	close(fd);
	hall_work(&h);
	is_int(h.error, -ECONNRESET, "one that goes is forgotten");
	fd = hall_dial(&h);
	say(fd, COOKIE, 36);
	hall_work(&h);
	is_int(heard(fd), 2000, "one that is slow may be");
	usleep(60000);
	hall_work(&h);
	is_int(h.error, -ETIMEDOUT, "for so long");
	is_int(heard(fd), 1000, "and is hung up on");
	close(fd);
	hall_close(&h);
}

/* More silent ones than there is room for, and two that are not. */
static void test_flood(void)
{
	enum { EXTRA = 40 };
	struct listener_client client = LISTENER_CLIENT_INIT;
	static int fds[LISTENER_CALLERS_MAX + EXTRA];
	struct rlimit limit;
	struct hall h;
	int good, slow;

	/* both ends are ours */
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 2 * ARRAY_SIZE(fds) + 64;
	setrlimit(RLIMIT_NOFILE, &limit);
	hall_open(&h, 60);
	slow = hall_dial(&h);
	say(slow, COOKIE, sizeof(COOKIE));
	hall_work(&h);
	is_int(heard(slow), IPERF_PARAM_EXCHANGE, "one that has shown its cookie");
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = hall_dial(&h);
		if (i % 64 == 63)
			hall_work(&h);
	}
	hall_work(&h);
	is_int(h.dropped, EXTRA + 1, "as many are sent away as are too many");
	is_int(h.error, -ENOBUFS, "to make room");
	is_int(heard(fds[EXTRA]), 1000, "those that are here longest");
	is_int(heard(fds[EXTRA + 1]), 2000, "not the others");
	is_int(heard(slow), 2000, "nor who has shown more than they, and came first");
	good = hall_handshake(&h, OTHER);
	is_int(hall_wait(&h, &client), 0, "a good one is served all the same");
	ok(streq(client.cookie, OTHER), "that one");
	listener_client_clear(&client);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
	close(good);
	close(slow);
	hall_close(&h);
}

/* No descriptor is left: who is here makes room; if nobody is, nothing spins. */
static void test_no_descriptors(void)
{
	struct pollfd ready = { .events = POLLIN };
	struct rlimit all, few;
	int fds[5], probe;
	struct hall h;

	hall_open(&h, 60);
	ready.fd = listener_fd(h.listener);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = hall_dial(&h);
	probe = dup(0);
	close(probe);
	getrlimit(RLIMIT_NOFILE, &all);
	few = (struct rlimit){ .rlim_cur = probe, .rlim_max = all.rlim_max };
	setrlimit(RLIMIT_NOFILE, &few);
	is_int(listener_step(h.listener), 0, "no descriptor for a caller is no failure");
	is_int(poll(&ready, 1, 0), 0, "and nothing is ready over and over");
	usleep(120000);
	is_int(listener_step(h.listener), 0, "it is tried again later");
	few.rlim_cur++;
	setrlimit(RLIMIT_NOFILE, &few);
	usleep(120000);
	hall_work(&h);
	/* valgrind has the limit of its own: it takes a caller, then refuses it. */
	ok(h.dropped > 0, "with one descriptor each makes room for the next");
	setrlimit(RLIMIT_NOFILE, &all);
	is_int(heard(fds[4]), 2000, "and the last one stays");
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
	hall_close(&h);
}

/* Strangers who call without end, in a wait of a test. */
static void test_wait(void)
{
	struct pollfd fds[WIRE_FIRST] = {}, ready = { .events = POLLIN };
	struct wire wire = { .fd = -1, .stop_fd = -1 };
	int callers[40];
	struct hall h;

	hall_open(&h, 60);
	wire.listener = h.listener;
	ready.fd = listener_fd(h.listener);
	listener_busy(h.listener);
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
		callers[i] = hall_dial(&h);
	is_int(wire_poll(&wire, fds, WIRE_FIRST, now_monotonic() - 1), 0,
	       "callers do not put off the end of a wait");
	is_int(poll(&ready, 1, 0), 1, "some wait for the next");
	say(callers[0], COOKIE, sizeof(COOKIE));
	is_int(wire_poll(&wire, fds, WIRE_FIRST, now_monotonic() + 0.05), 0,
	       "nor do they end one");
	is_int(heard(callers[0]), IPERF_ACCESS_DENIED, "they are told meanwhile");
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
		close(callers[i]);
	hall_close(&h);
}

static void test_bind(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(any);
	int fd = listen_at((struct sockaddr *)&any, sizeof(any), NULL);

	ok(fd >= 0, "listens on one address");
	getsockname(fd, (struct sockaddr *)&any, &length);
	is_int(listen_any(ntohs(any.sin_port), NULL), -EADDRINUSE, "one port is taken");
	is_int(listen_any(65536, NULL), -EINVAL, "a port that is none");
	is_int(listen_any(0, "nosuch0"), -ENODEV, "an interface that is none");
	close(fd);
}

int main(void)
{
	test_client();
	test_streams();
	test_queue();
	test_garbage();
	test_flood();
	test_no_descriptors();
	test_wait();
	test_bind();
	return done();
}
