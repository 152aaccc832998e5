// SPDX-License-Identifier: GPL-2.0-or-later
// server.c - the peer: an iperf3-compatible server, one test at a time
#include "measure/server-private.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/tcp.h>


/* iperf3 gives a client so long beyond its own time before the server gives up (3.7). */
#define GRACE_SECONDS 40

/* A client that has vanished without a word is missed after these seconds. */
#define KEEPALIVE_IDLE 10
#define KEEPALIVE_INTERVAL 5
#define KEEPALIVE_PROBES 4

int server_listen(unsigned port)
{
	return listen_any(port, NULL);
}

int server_refuse_test(struct server_test *t, enum iperf_error error, int err)
{
	uint32_t codes[2] = { htonl(error), htonl(err) };

	if (wire_write_state(&t->wire, IPERF_SERVER_ERROR) == 0)
		wire_write(&t->wire, codes, sizeof(codes));
	return -EPROTO;
}

/* The longest test, with what it omits. */
static double server_max_seconds(const struct server_test *t)
{
	return t->config->max_seconds > 0 ? t->config->max_seconds :
					    IPERF_SECONDS_MAX + IPERF_OMIT_MAX;
}

static int server_decode_params(struct server_test *t)
{
	struct iperf_params *p = &t->params;
	int r = iperf_params_decode(t->client->params, t->client->params_size, p);

	if (r < 0)
		return server_refuse_test(t, IPERF_ERROR_PARAMS, -r);
	if (r)
		return server_refuse_test(t, r, 0);
	if (p->seconds + p->omit > server_max_seconds(t))
		return server_refuse_test(t, IPERF_ERROR_DURATION, 0);
	if (p->ours)
		t->cpu = calloc(1, sizeof(*t->cpu));
	return p->ours && !t->cpu ? -ENOMEM : 0;
}

/* The counted part begins. */
static void server_count(struct server_test *t)
{
	stream_set_reset(t->set);
	if (t->cpu && server_cpu_take(t->cpu) < 0)
		t->cpu->n = 0;
}

/* Data until the client says that the test has ended. */
static int server_flow(struct server_test *t)
{
	const struct iperf_params *p = &t->params;
	double start, omit_end, limit;
	int state, r;

	r = wire_write_state(&t->wire, IPERF_TEST_START);
	if (r == 0)
		r = wire_write_state(&t->wire, IPERF_TEST_RUNNING);
	if (r < 0)
		return r;
	stream_set_start(t->set);
	start = t->set->counted_from;
	omit_end = start + p->omit;
	limit = GRACE_SECONDS + (p->seconds ? omit_end + p->seconds :
					      start + server_max_seconds(t));
	for (;;) {
		double now = now_monotonic();

		if (now >= limit)
			return -ETIMEDOUT;
		if (now >= omit_end) {
			server_count(t);
			omit_end = INFINITY;
		}
		r = stream_set_step(t->set, &t->wire, fmin(limit, omit_end));
		if (r < 0)
			return r;
		if (r == 1)
			break;
	}
	r = wire_read_state(&t->wire, &state);
	if (r < 0)
		return r;
	return state == IPERF_TEST_END ? 0 : -ECONNRESET;
}

/* What the test came to: the receiver's count. */
static void server_note_bytes(struct server_test *t, const struct iperf_results *own,
			      const struct iperf_results *peer)
{
	const struct iperf_params *p = &t->params;
	struct server_report *report = &t->report;

	if (!p->reverse)
		report->received = iperf_results_sum(own, 0, p->streams).bytes;
	if (p->reverse || p->bidirectional)
		report->sent = iperf_results_sum(peer, own->n - p->streams,
						 p->streams).bytes;
	report->seconds = own->streams[0].seconds;
}

static int server_exchange(struct server_test *t, const struct iperf_results *own)
{
	_cleanup_free_ struct iperf_results *peer = calloc(1, sizeof(*peer));
	_cleanup_free_ char *text = NULL, *answer = NULL;
	size_t size;
	int r, state;

	if (!peer)
		return -ENOMEM;
	r = iperf_results_encode(own, &text);
	if (r == 0)
		r = wire_write_state(&t->wire, IPERF_EXCHANGE_RESULTS);
	if (r == 0)
		r = wire_read_document(&t->wire, &answer, &size);
	if (r == 0)
		r = iperf_results_decode(answer, size, peer);
	if (r == 0 && peer->n != own->n)
		r = -EPROTO;
	if (r == 0)
		r = wire_write_document(&t->wire, text);
	if (r == 0)
		r = wire_write_state(&t->wire, IPERF_DISPLAY_RESULTS);
	if (r < 0)
		return r;
	server_note_bytes(t, own, peer);
	/* Both have what they need: how the client takes its leave is no matter. */
	wire_read_state(&t->wire, &state);
	return 0;
}

/* What this side has counted, and for a client of ours what the machine was at. */
static int server_count_results(struct server_test *t, double seconds,
				struct iperf_results *ret)
{
	_cleanup_free_ struct server_cpu *now = NULL;

	stream_set_results(t->set, seconds, ret);
	ret->extra.told = t->params.ours;
	if (!t->cpu)
		return 0;
	now = calloc(1, sizeof(*now));
	if (!now)
		return -ENOMEM;
	if (server_cpu_take(now) == 0)
		server_cpu_fill(t->cpu, now, &ret->extra);
	return 0;
}

static int server_test(struct server_test *t)
{
	_cleanup_free_ struct iperf_results *own = calloc(1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	r = server_decode_params(t);
	if (r == 0)
		r = server_accept_streams(t);
	if (r == 0)
		r = server_flow(t);
	if (r == 0)
		r = server_count_results(t, now_monotonic() - t->set->counted_from, own);
	if (r < 0)
		return r;
	/* The client takes the end of the streams as part of the end of the test. */
	stream_set_free(&t->set);
	return server_exchange(t, own);
}

/* Control bytes go singly. Who holds a test without data is asked whether it lives. */
static void server_tune_control(int fd)
{
	static const struct {
		int level, option, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE },
		{ IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL },
		{ IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		setsockopt(fd, options[i].level, options[i].option, &options[i].value,
			   sizeof(options[i].value));
}

/* Returns 0 after a whole test, else what ended it. */
static int server_serve(const struct server_config *config, struct listener *listener,
			const struct listener_client *client)
{
	struct server_test t = {
		.config = config,
		.client = client,
		.wire = {
			.fd = client->fd,
			.stop_fd = config->stop_fd,
			.listener = listener,
			.timeout = config->timeout,
		},
		.report = { .peer = &client->address, .params = &t.params },
	};
	int r;

	server_tune_control(client->fd);
	r = server_test(&t);
	/* First: the client takes the end of a stream for a failure. */
	if (r == -EINTR) {
		signed char byte = IPERF_SERVER_TERMINATE;

		send(client->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	stream_set_free(&t.set);
	free(t.cpu);
	t.report.error = r;
	if (config->report)
		config->report(config->userdata, &t.report);
	return r;
}

int server_run(const struct server_config *config)
{
	const struct listener_config listen = {
		.listen_fd = config->listen_fd,
		.patience = fmin(config->timeout, LISTENER_PATIENCE),
		.dropped = config->dropped,
		.userdata = config->userdata,
	};
	_cleanup_listener_ struct listener *listener = NULL;
	bool served = false;
	int r;

	r = listener_new(&listen, &listener);
	while (r == 0 && !(served && config->once)) {
		_cleanup_(listener_client_clear) struct listener_client client =
			LISTENER_CLIENT_INIT;

		r = listener_wait(listener, config->stop_fd, &client);
		if (r < 0)
			break;
		served = server_serve(config, listener, &client) == 0;
		listener_done(listener);
	}
	return r == -EINTR ? 0 : r;
}
