/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer.h - for the tests of client and server: a peer in a process, bytes by hand */
#ifndef BOARDTUNE_TEST_PEER_H
#define BOARDTUNE_TEST_PEER_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/wait.h>

#include "measure/client.h"
#include "measure/iperf.h"
#include "measure/server.h"
#include "tap.h"

#define UNUSED __attribute__((unused))

#define PARAMS "{\"tcp\":true,\"time\":1,\"parallel\":1}"
#define COOKIE "abcdefghijklmnopqrstuvwxyz234567abcd" /* and its NUL: 37 bytes */

/* A process that serves, on a port of its own choice. */
struct peer {
	pid_t pid;
	int stop_fd;
	struct sockaddr_in addr;
};

static UNUSED int listen_loopback(struct sockaddr_in *ret_addr)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(fd, 200) < 0 || getsockname(fd, (struct sockaddr *)&addr, &len) < 0) {
		perror("listen");
		exit(99);
	}
	*ret_addr = addr;
	return fd;
}

/* @script runs in a child with the listening socket; its answer is the exit code. */
static UNUSED struct peer peer_start(int (*script)(int listen_fd, int stop_fd))
{
	struct peer peer;
	int stop[2], fd = listen_loopback(&peer.addr);

	if (pipe2(stop, O_CLOEXEC) < 0)
		exit(99);
	peer.pid = fork();
	if (peer.pid < 0)
		exit(99);
	if (peer.pid == 0) {
		int r;

		close(stop[1]);
		r = script(fd, stop[0]);
		close(fd);
		close(stop[0]);
		exit(r);
	}
	close(fd);
	close(stop[0]);
	peer.stop_fd = stop[1];
	return peer;
}

/* Returns the exit code, or -1 if a signal ended it. */
static UNUSED int peer_stop(struct peer *peer)
{
	int status;

	close(peer->stop_fd);
	waitpid(peer->pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static UNUSED struct client_test test_of(const struct peer *peer,
					 enum client_direction direction)
{
	struct client_test test = {
		.peer_len = sizeof(peer->addr),
		.direction = direction,
		.seconds = 0.1,
		.streams = 1,
		.timeout = 5,
		.stop_fd = -1,
	};

	memcpy(&test.peer, &peer->addr, sizeof(peer->addr));
	return test;
}

static UNUSED int serve(int listen_fd, int stop_fd, double timeout)
{
	struct server_config config = { .listen_fd = listen_fd,
					.stop_fd = stop_fd,
					.timeout = timeout };

	return -server_run(&config);
}

static UNUSED int script_server(int listen_fd, int stop_fd)
{
	return serve(listen_fd, stop_fd, 10);
}

/* The server may not have seen yet that the last client has gone: busy for a moment. */
static UNUSED void is_served(const struct peer *server, const char *after)
{
	struct client_test test = test_of(server, CLIENT_TX);
	struct client_result result = {};
	int r = -EBUSY;

	test.seconds = 0.02;
	for (unsigned i = 0; i < 100 && r == -EBUSY; i++) {
		r = client_run(&test, &result);
		if (r == -EBUSY)
			usleep(5000);
	}
	is_int(r, 0, "a good client is served after %s", after);
	if (result.error[0])
		printf("# %s\n", result.error);
}

static UNUSED int dial(const struct peer *peer)
{
	struct timeval wait = { .tv_sec = 5 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (connect(fd, (const struct sockaddr *)&peer->addr, sizeof(peer->addr)) < 0)
		exit(99);
	return fd;
}

static UNUSED void say(int fd, const void *data, size_t size)
{
	if (send(fd, data, size, MSG_NOSIGNAL) != (ssize_t)size)
		printf("# send: %s\n", strerror(errno));
}

static UNUSED void say_document(int fd, const char *text)
{
	uint32_t size = htonl(strlen(text));

	say(fd, &size, sizeof(size));
	say(fd, text, strlen(text));
}

/* The next state byte; 1000 at the end of the stream or when none comes. */
static UNUSED int hear(int fd)
{
	signed char byte;

	return recv(fd, &byte, 1, 0) == 1 ? byte : 1000;
}

static UNUSED int hear_number(int fd)
{
	uint32_t number;

	return recv(fd, &number, 4, MSG_WAITALL) == 4 ? (int)ntohl(number) : -1000;
}

#endif
