// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-serve.c - the command serve: be the peer of iperf3 clients and of trials
#include "cmd.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <netdb.h>

#include "base/log.h"
#include "measure/server.h"

#define SERVE_TIMEOUT 10.0	 /* of each wait for a client that has a test, seconds */
#define SERVE_QUIET_SECONDS 10.0 /* between two lines about callers sent away */
#define PRIVILEGED_PORTS 1024
#define LISTEN_FD 3 /* the first of sd_listen_fds(3) */

struct serve {
	struct cmd *c;
	bool lines;      /* one per test */
	double told_at;  /* when a caller that was sent away was told of last; 0: never */
	unsigned untold; /* since then */
};

static const struct {
	int error;
	const char *text;
} drop_reasons[] = {
	{ -ETIMEDOUT, N_("showed no iperf3 client in time") },
	{ -ECONNRESET, N_("went before its test") },
	{ -EPROTO, N_("is no iperf3 client") },
	{ -ENOBUFS, N_("made room for others") },
	{ -EBUSY, N_("heard that a test is running") },
};

/* The address as people write it: IPv4 without the prefix of a socket of both. */
static const char *address_text(const struct sockaddr_storage *address,
				char buf[static NI_MAXHOST])
{
	if (getnameinfo((const struct sockaddr *)address, sizeof(*address), buf,
			NI_MAXHOST, NULL, 0, NI_NUMERICHOST) != 0)
		return "?";
	return strncmp(buf, "::ffff:", 7) == 0 ? buf + 7 : buf;
}

/* Where others find it: the address, or any, and the port. */
static void print_listening(int fd)
{
	struct sockaddr_storage address = {};
	socklen_t len = sizeof(address);
	char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

	if (getsockname(fd, (struct sockaddr *)&address, &len) == 0)
		getnameinfo((struct sockaddr *)&address, len, host, sizeof(host), port,
			    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	printf(_("Listening on %s%s%s:%s for iperf3 clients and trials; Ctrl-C ends "
		 "it.\n"),
	       address.ss_family == AF_INET6 ? "[" : "", host,
	       address.ss_family == AF_INET6 ? "]" : "", port);
	fflush(stdout);
}

static void print_way(const char *format, uint64_t bytes, double seconds)
{
	if (bytes && seconds > 0)
		printf(format, bytes * 8 / seconds / 1e6);
}

static void on_report(void *userdata, const struct server_report *report)
{
	struct serve *s = userdata;
	char buf[NI_MAXHOST];

	if (!s->lines)
		return;
	printf("%s: ", address_text(report->peer, buf));
	if (report->error) {
		printf(_("the test ended early: %s\n"), strerror(-report->error));
	} else {
		print_way(_("received %.1f Mbit/s, "), report->received, report->seconds);
		print_way(_("sent %.1f Mbit/s, "), report->sent, report->seconds);
		printf(_("%.1f s, streams: %u\n"), report->seconds,
		       report->params->streams);
	}
	fflush(stdout);
}

static void on_dropped(void *userdata, const struct sockaddr_storage *who, int error)
{
	struct serve *s = userdata;
	double now = now_monotonic();
	char buf[NI_MAXHOST];

	if (!s->lines)
		return;
	if (s->told_at && now - s->told_at < SERVE_QUIET_SECONDS) {
		s->untold++;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(drop_reasons); i++)
		if (drop_reasons[i].error == error)
			printf("%s: %s\n", address_text(who, buf),
			       _(drop_reasons[i].text));
	if (s->untold)
		printf(_("and %u others before\n"), s->untold);
	fflush(stdout);
	s->told_at = now;
	s->untold = 0;
}

/* Whether a descriptor is a stream socket that listens. */
static bool is_listener(int fd)
{
	int type = 0, listens = 0;
	socklen_t type_len = sizeof(type), listens_len = sizeof(listens);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_len) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_len) == 0 &&
	       type == SOCK_STREAM && listens;
}

/*
 * The socket of the unit boardtune-serve.socket: a descriptor, -EBADF none, -errno. By
 * the protocol that sd_listen_fds(3) describes, which other service managers speak, too.
 */
static int inherited_socket(void)
{
	const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
	char own_pid[16];
	bool ours, one;

	snprintf(own_pid, sizeof(own_pid), "%d", getpid());
	ours = pid && n && streq(pid, own_pid) && !streq(n, "0");
	one = ours && streq(n, "1");
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!ours)
		return -EBADF;
	if (!one || !is_listener(LISTEN_FD))
		return -EINVAL;
	return fcntl(LISTEN_FD, F_SETFD, FD_CLOEXEC) < 0 ? -errno : LISTEN_FD;
}

/* An address of this host, or an interface. Returns as listen_any(). */
static int listen_bound(const char *where, unsigned port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	struct addrinfo *found;
	char service[16];
	int fd;

	if (if_nametoindex(where))
		return listen_any(port, where);
	snprintf(service, sizeof(service), "%u", port);
	if (getaddrinfo(where, service, &hints, &found) != 0)
		return -ENODEV;
	fd = listen_at(found->ai_addr, found->ai_addrlen, NULL);
	freeaddrinfo(found);
	return fd;
}

static int listen_failed(const struct cmd *c, int error, unsigned port)
{
	const char *where = c->opt[OPT_BIND];

	switch (-error) {
	case EADDRINUSE:
		cmd_error(_("port %u is taken; \"ss -ltnp 'sport = :%u'\" shows by whom, "
			    "or take another one with --port"),
			  port, port);
		return EXIT_NOT_AS_WANTED;
	case EACCES:
	case EPERM:
		cmd_error(_("port %u: %s; ports from %u on need no root"), port,
			  strerror(-error), PRIVILEGED_PORTS);
		return EXIT_NOT_PERMITTED;
	case ENODEV:
		return cmd_usage(c, _("--bind: \"%s\" is no interface and no address"),
				 where);
	case EADDRNOTAVAIL:
		return cmd_usage(c, _("--bind: %s is no address of this host"), where);
	}
	cmd_error(_("cannot listen on port %u: %s"), port, strerror(-error));
	return EXIT_NOT_AS_WANTED;
}

/* Returns 0 or an exit code. */
static int serve_listen(const struct cmd *c, unsigned *ret_port, int *ret_fd)
{
	double port = IPERF_PORT;
	int fd, r;

	r = options_number(c, OPT_PORT, 1, UINT16_MAX, true, &port);
	if (r)
		return r;
	fd = inherited_socket();
	if (fd == -EINVAL)
		return cmd_usage(c, _("LISTEN_FDS: one listening socket, no more"));
	if (fd >= 0 && (c->opt[OPT_PORT] || c->opt[OPT_BIND]))
		return cmd_usage(c, _("the socket is given: no --port and no --bind"));
	if (fd == -EBADF)
		fd = c->opt[OPT_BIND] ? listen_bound(c->opt[OPT_BIND], port) :
					listen_any(port, NULL);
	if (fd < 0)
		return listen_failed(c, fd, port);
	*ret_port = port;
	*ret_fd = fd;
	return 0;
}

/* Who calls is not trusted. Datagrams to a low port are bound in each test. */
static int drop_capabilities(unsigned port)
{
	static const unsigned low_port = CAP_NET_BIND_SERVICE;

	return cmd_keep_capabilities(&low_port, port < PRIVILEGED_PORTS);
}

int cmd_serve(struct cmd *c, int argc, char **argv)
{
	struct serve s = { .c = c, .lines = !c->quiet && (isatty(STDOUT_FILENO) ||
							  log_level() > 0) };
	struct server_config config = {
		.timeout = SERVE_TIMEOUT,
		.once = c->opt[OPT_ONCE],
		.report = on_report,
		.dropped = on_dropped,
		.userdata = &s,
	};
	_cleanup_close_ int fd = -1;
	unsigned port = IPERF_PORT;
	int r, signal;

	if (argc != 1)
		return cmd_usage(c, _("serve takes no argument"));
	r = serve_listen(c, &port, &fd);
	if (!r)
		r = drop_capabilities(port);
	if (r)
		return r;
	r = cmd_signals(c);
	if (r < 0) {
		cmd_error(_("cannot watch for signals: %s"), strerror(-r));
		return EXIT_NOT_PERMITTED;
	}
	if (s.lines)
		print_listening(fd);
	config.listen_fd = fd;
	config.stop_fd = c->stop_fd;
	r = server_run(&config);
	signal = cmd_signal(c);
	if (signal)
		return 128 + signal;
	if (r == 0)
		return EXIT_AS_WANTED;
	cmd_error(_("the listening socket failed: %s"), strerror(-r));
	return EXIT_NOT_AS_WANTED;
}
