// SPDX-License-Identifier: GPL-2.0-or-later
// measure-client.c - the measuring engine from a shell: one test, or a server
#include <netdb.h>

#include "measure/client.h"
#include "measure/server.h"

static int serve(const char *port)
{
	struct server_config config = { .stop_fd = -1, .timeout = 10 };

	config.listen_fd = server_listen(atoi(port));
	return config.listen_fd < 0 ? -config.listen_fd : -server_run(&config);
}

/* Prints: bit/s, bytes, seconds of the receiver, seconds of our clock. */
static int measure(char **argv)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *info;
	struct client_test test = {
		.direction = streq(argv[3], "rx") ? CLIENT_RX : CLIENT_TX,
		.seconds = atof(argv[4]),
		.omit = atof(argv[5]),
		.streams = atoi(argv[6]),
		.timeout = 5,
		.stop_fd = -1,
		.ifname = argv[7],
	};
	struct client_result result = {};
	int r = getaddrinfo(argv[1], argv[2], &hints, &info);

	if (r) {
		fprintf(stderr, "%s: %s\n", argv[1], gai_strerror(r));
		return 2;
	}
	memcpy(&test.peer, info->ai_addr, info->ai_addrlen);
	test.peer_len = info->ai_addrlen;
	freeaddrinfo(info);
	r = client_run(&test, &result);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", errno_name(r), result.error);
		return 1;
	}
	printf("%.0f %llu %.6f %.6f\n", result.mbps * 1e6,
	       (unsigned long long)result.bytes, result.seconds, result.local_seconds);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && streq(argv[1], "serve"))
		return serve(argv[2]);
	if (argc == 7 || argc == 8)
		return measure(argv);
	fprintf(stderr,
		"usage: %s serve PORT\n"
		"       %s ADDRESS PORT tx|rx SECONDS OMIT STREAMS [INTERFACE]\n",
		argv[0], argv[0]);
	return 2;
}
