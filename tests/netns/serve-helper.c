// SPDX-License-Identifier: GPL-2.0-or-later
// serve-helper.c - for test-serve.sh: hostile clients, and a socket handed over
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include "base/base.h"

#define CLIENTS_MAX 2000
#define STEP_MS 50

enum hostility {
	SILENT, /* connects, and no more */
	SLOW,	/* a byte now and then, as if it were a cookie and parameters */
	NOISY,	/* as much noise as goes */
	HOSTILITIES_,
};

struct client {
	int fd;
	enum hostility hostility;
	unsigned sent;
};

static struct sockaddr_in address(const char *text, const char *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(strtoul(port, NULL, 10)) };

	if (inet_pton(AF_INET, text, &in.sin_addr) != 1) {
		fprintf(stderr, "%s: no address\n", text);
		exit(2);
	}
	return in;
}

static void client_dial(struct client *c, const struct sockaddr_in *in)
{
	close_fd(&c->fd);
	c->sent = 0;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd >= 0)
		connect(c->fd, (const struct sockaddr *)in, sizeof(*in));
}

/* Returns whether the server has hung up. */
static bool client_step(struct client *c)
{
	char noise[4096], byte;

	if (recv(c->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0)
		return true;
	while (recv(c->fd, &byte, 1, MSG_DONTWAIT) == 1)
		;
	if (errno != EAGAIN && errno != ENOTCONN)
		return true;
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = rand();
	if (c->hostility == NOISY)
		send(c->fd, noise, 1 + rand() % sizeof(noise),
		     MSG_NOSIGNAL | MSG_DONTWAIT);
	if (c->hostility == SLOW && rand() % 4 == 0) {
		/* the length of a document that will take its time */
		byte = c->sent < 37 ? 'a' : c->sent < 40 ? 0 : 40;
		if (send(c->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
			c->sent++;
	}
	return false;
}

/* So many at a time, each again when it was hung up on, until killed. */
static int flood(const char *host, const char *port, size_t n)
{
	static struct client clients[CLIENTS_MAX];
	struct sockaddr_in in = address(host, port);

	if (n > CLIENTS_MAX)
		return 2;
	srand(5201);
	for (size_t i = 0; i < n; i++) {
		clients[i] = (struct client){ .fd = -1, .hostility = i % HOSTILITIES_ };
		client_dial(&clients[i], &in);
	}
	puts("flood");
	fflush(stdout);
	for (;;) {
		for (size_t i = 0; i < n; i++)
			if (clients[i].fd < 0 || client_step(&clients[i]))
				client_dial(&clients[i], &in);
		poll(NULL, 0, STEP_MS);
	}
}

/* A program with a listening socket as sd_listen_fds(3) has it. */
static int activate(const char *host, const char *port, char **argv)
{
	struct sockaddr_in in = address(host, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	char pid[16];

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&in, sizeof(in)) < 0 || listen(fd, 100) < 0 ||
	    (fd != 3 && dup2(fd, 3) < 0)) {
		perror("listen");
		return 1;
	}
	if (fd != 3)
		close(fd);
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", "1", 1);
	execv(argv[0], argv);
	perror(argv[0]);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 5 && streq(argv[1], "flood"))
		return flood(argv[2], argv[3], strtoul(argv[4], NULL, 10));
	if (argc > 4 && streq(argv[1], "activate"))
		return activate(argv[2], argv[3], argv + 4);
	fprintf(stderr,
		"usage: %s flood ADDRESS PORT N\n"
		"       %s activate ADDRESS PORT PROGRAM ...\n",
		argv[0], argv[0]);
	return 2;
}
