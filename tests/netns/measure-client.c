// SPDX-License-Identifier: GPL-2.0-or-later
// measure-client.c - the measuring engine from a shell: one test, or a server
#include <netdb.h>
#include <signal.h>

#include "measure/client.h"
#include "measure/server.h"

static int serve(const char *port)
{
	struct server_config config = { .stop_fd = -1, .timeout = 10 };

	config.listen_fd = server_listen(atoi(port));
	return config.listen_fd < 0 ? -config.listen_fd : -server_run(&config);
}

/* Lines of NAME=VALUE, for grep. */
static void print_flow(const char *name, const struct client_flow *flow)
{
	printf("%s=%.0f\n%s_bytes=%llu\n%s_seconds=%.6f\n%s_retransmits=%lld\n"
	       "%s_rtt_ms=%.3f\n%s_packets=%llu\n%s_lost=%llu\n%s_jitter_ms=%.4f\n",
	       name, flow->mbps * 1e6, name, (unsigned long long)flow->bytes, name,
	       flow->seconds, name, (long long)flow->retransmits, name, flow->rtt_ms,
	       name, (unsigned long long)flow->packets, name,
	       (unsigned long long)flow->lost, name, flow->jitter_ms);
}

static int measure(struct client_test *test, const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *info;
	struct client_result result = {};
	int r = getaddrinfo(host, port, &hints, &info);

	if (r) {
		fprintf(stderr, "%s: %s\n", host, gai_strerror(r));
		return 2;
	}
	memcpy(&test->peer, info->ai_addr, info->ai_addrlen);
	test->peer_len = info->ai_addrlen;
	freeaddrinfo(info);
	r = client_run(test, &result);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", errno_name(r), result.error);
		return 1;
	}
	printf("all=%.0f\nbytes=%llu\nseconds=%.6f\nlocal_seconds=%.6f\n"
	       "peer_cpu=%.2f\npeer_machine=%.3f\npeer_busiest=%.3f\nby_sender=%d\n",
	       result.mbps * 1e6, (unsigned long long)result.bytes, result.seconds,
	       result.local_seconds, result.peer_cpu, result.peer_machine,
	       result.peer_busiest, result.by_sender);
	print_flow("tx", &result.tx);
	print_flow("rx", &result.rx);
	return 0;
}

static int usage(const char *name)
{
	fprintf(stderr,
		"usage: %s serve PORT\n"
		"       %s [-uz] [-b BIT/S] [-l LEN] [-I INTERFACE] [-t SECONDS] "
		"[-O OMIT] [-P STREAMS] ADDRESS PORT tx|rx|bidir\n",
		name, name);
	return 2;
}

int main(int argc, char **argv)
{
	struct client_test test = {
		.seconds = 1, .streams = 1, .timeout = 5, .stop_fd = -1
	};
	int option;

	signal(SIGPIPE, SIG_IGN);
	if (argc == 3 && streq(argv[1], "serve"))
		return serve(argv[2]);
	while ((option = getopt(argc, argv, "uzb:l:I:t:O:P:")) != -1)
		switch (option) {
		case 'u':
			test.protocol = CLIENT_UDP;
			break;
		case 'z':
			test.zero_copy = true;
			break;
		case 'b':
			test.bandwidth = strtoull(optarg, NULL, 10);
			break;
		case 'l':
			test.len = strtoul(optarg, NULL, 10);
			break;
		case 'I':
			test.ifname = optarg;
			break;
		case 't':
			test.seconds = strtod(optarg, NULL);
			break;
		case 'O':
			test.omit = strtod(optarg, NULL);
			break;
		case 'P':
			test.streams = strtoul(optarg, NULL, 10);
			break;
		default:
			return usage(argv[0]);
		}
	if (argc != optind + 3)
		return usage(argv[0]);
	test.direction = streq(argv[optind + 2], "rx") ? CLIENT_RX :
			 streq(argv[optind + 2], "tx") ? CLIENT_TX : CLIENT_BIDIR;
	return measure(&test, argv[optind], argv[optind + 1]);
}
