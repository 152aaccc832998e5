// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-measure-gate.c - options of the command measure, and the way to its peer

#include "cmd-measure.h"
#include "measure/gate-calm.h"

#define LOOK_SECONDS 1.0 /* at the board, before the first test */
#define REPEAT_MAX 100
#define SECONDS 5.0
#define OMIT 1.0
#define RATE_MAX 1e12
#define RATE_DATAGRAMS 1e6 /* as iperf3 */

static int parse_peer(const struct cmd *c, struct measure_settings *s)
{
	double port = GATE_PORT;
	int r = options_number(c, OPT_PORT, 1, UINT16_MAX, true, &port);

	if (r)
		return r;
	s->peer_text = c->opt[OPT_PEER];
	if (!s->peer_text) {
		cmd_error(_("no peer to measure against: run \"boardtune serve\" or "
			    "\"iperf3 -s\" on another host of this network and give "
			    "--peer=HOST"));
		return EXIT_NOTHING_TO_DO_IT_WITH;
	}
	if (gate_peer_parse(s->peer_text, port, &s->peer) < 0)
		return cmd_usage(c, _("--peer: \"%s\" is not HOST[:PORT]"), s->peer_text);
	return 0;
}

static int parse_traffic(const struct cmd *c, struct measure_settings *s)
{
	double repeat = 1, rate = s->datagrams ? RATE_DATAGRAMS : 0;
	int r;

	r = options_number(c, OPT_TIME, 1, 3600, false, &s->seconds);
	if (!r)
		r = options_number(c, OPT_OMIT, 0, 60, false, &s->omit);
	if (!r)
		r = options_streams(c, &s->streams);
	if (!r)
		r = options_number(c, OPT_REPEAT, 1, REPEAT_MAX, true, &repeat);
	if (!r)
		r = options_rate(c, OPT_BITRATE, 1000, RATE_MAX, &rate);
	if (r)
		return r;
	s->repeat = repeat;
	s->bandwidth = rate;
	return 0;
}

int measure_settings_parse(const struct cmd *c, struct measure_settings *ret)
{
	struct measure_settings s = {
		.nic = c->opt[OPT_NIC],
		.cells = cell_list_all(),
		.seconds = SECONDS,
		.omit = OMIT,
		.datagrams = c->opt[OPT_UDP],
		.zero_copy = c->opt[OPT_ZERO_COPY],
		.save = c->opt[OPT_SAVE],
	};
	int r;

	r = options_label(c, &s.label);
	if (!r)
		r = options_cells(c, &s.cells);
	if (!r)
		r = parse_traffic(c, &s);
	if (!r)
		r = parse_peer(c, &s);
	if (!r)
		*ret = s;
	return r;
}

void measure_open_pings(struct measure_session *s)
{
	int r4 = ping_open(AF_INET, &s->bench.ping4);
	int r6 = ping_open(AF_INET6, &s->bench.ping6);

	if (r4 < 0 && r6 < 0)
		cmd_note(s->c, _("no ICMP echo (%s): round-trip times are those of "
				 "TCP\n"), strerror(-r4));
}

/* One family: by the interface of the route, or nothing of it is measured. */
static void way_prepare(struct measure_session *s, int family, struct gate_way *way,
			struct ping **ping)
{
	const char *wanted = s->settings.nic ? s->settings.nic : s->nic;
	int r = 0;

	if (way->there && cell_list_has_family(&s->settings.cells, family)) {
		r = gate_route(way);
		way->there = r == 0 && (!wanted || gate_carries(&s->c->sys.root,
								way->ifname, wanted));
		if (r < 0)
			cmd_note(s->c, _("left out: %s: %s\n"), way->text, strerror(-r));
		else if (!way->there)
			cmd_note(s->c, _("left out: %s goes through %s, not %s\n"),
				 way->text, way->ifname, wanted);
	} else {
		way->there = false;
	}
	if (way->there && !s->nic)
		s->nic = way->ifname;
	if (*ping && (!way->there || ping_aim(*ping, &way->address, way->length,
					      way->local ? NULL : way->ifname) < 0)) {
		ping_close(*ping);
		*ping = NULL;
	}
}

/* Where the bytes may go by: --nic, else what is below the route. */
static void find_nics(struct measure_session *s)
{
	const char *nic = s->settings.nic ? s->settings.nic : s->nic;

	if (streq(nic, "lo"))
		return; /* it counts each byte as sent and as received: of no use */
	if (!s->settings.nic && gate_leaves(&s->c->sys.root, nic, &s->nics) == 0)
		return;
	s->nics.n = 1;
	snprintf(s->nics.names[0], IF_NAMESIZE, "%.*s", IF_NAMESIZE - 1, nic);
}

static int open_sampler(struct measure_session *s)
{
	struct sample now;
	int limit;

	if (sampler_open(&s->c->sys.root, &s->nics, &s->sampler) < 0) {
		cmd_error("%s", strerror(ENOMEM));
		return EXIT_NOT_AS_WANTED;
	}
	limit = sampler_limit(s->sampler);
	s->bench.root = &s->c->sys.root;
	s->bench.sampler = s->sampler;
	s->bench.nics = &s->nics;
	s->bench.ways = &s->ways;
	s->bench.seconds = s->settings.seconds;
	s->bench.omit = s->settings.omit;
	s->bench.protocol = s->settings.datagrams ? CLIENT_UDP : CLIENT_TCP;
	s->bench.zero_copy = s->settings.zero_copy;
	s->bench.streams = s->settings.streams;
	s->bench.bandwidth = s->settings.bandwidth;
	s->bench.limit = limit - BENCH_LIMIT_MARGIN;
	s->bench.stop_fd = s->c->stop_fd;
	sampler_take(s->sampler, &now);
	if (now.millicelsius < s->bench.limit)
		return 0;
	cmd_error(_("the board is at %.1f C before any load, its limit is %.1f C: let it "
		    "cool down"), now.millicelsius / 1000.0, limit / 1000.0);
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

int measure_find_peer(struct measure_session *s)
{
	char text[GATE_TEXT_MAX];
	int r;

	if (s->settings.nic && !if_nametoindex(s->settings.nic)) {
		cmd_error(_("no such interface: %s"), s->settings.nic);
		return EXIT_USAGE;
	}
	r = gate_resolve(&s->settings.peer, &s->ways, text);
	if (r < 0) {
		cmd_error("%s", text);
		return r == -ENXIO ? EXIT_USAGE : EXIT_NOTHING_TO_DO_IT_WITH;
	}
	way_prepare(s, AF_INET, &s->ways.ipv4, &s->bench.ping4);
	way_prepare(s, AF_INET6, &s->ways.ipv6, &s->bench.ping6);
	if (!s->nic) {
		cmd_error(_("no route to the peer %s by what is to be measured"),
			  s->settings.peer_text);
		return EXIT_NOTHING_TO_DO_IT_WITH;
	}
	if (!gate_carrier(&s->c->sys.root, s->nic)) {
		cmd_error(_("%s has no carrier: is the cable plugged in?"), s->nic);
		return EXIT_NOTHING_TO_DO_IT_WITH;
	}
	find_nics(s);
	if (s->settings.nic || s->nics.n == 1)
		s->nic = s->nics.names[0];
	return open_sampler(s);
}

int measure_look(struct measure_session *s)
{
	struct gate_calm calm = {
		.sampler = s->sampler,
		.n_nics = s->nics.n,
		.line_mbps = gate_line_rate(&s->c->sys.root, s->nic),
		.times = GATE_TIMES_INIT,
		.stop_fd = s->c->stop_fd,
	};
	struct gate_calm_result result = {};
	int r;

	calm.times.window = LOOK_SECONDS;
	calm.times.quiet_wait = calm.times.steady_wait = 0;
	r = gate_calm_wait(&calm, &result);
	if (r == -EINTR)
		return 128 + cmd_signal(s->c);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	s->busy = result.unrest & (GATE_CPU_BUSY | GATE_NIC_BUSY);
	gate_calm_result_clear(&result);
	return 0;
}

int measure_gate_peer(struct measure_session *s)
{
	struct gate_way *ways[] = { &s->ways.ipv4, &s->ways.ipv6 };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		int r = ways[i]->there ? bench_probe(&s->bench, ways[i]) : 0;

		if (r == -EINTR)
			return 128 + cmd_signal(s->c);
		if (r == 0)
			continue;
		ways[i]->there = false;
		cmd_note(s->c, "%s: %s\n", ways[i]->text,
			 *s->bench.error ? s->bench.error : strerror(-r));
	}
	cell_list_keep_families(&s->settings.cells, s->ways.ipv4.there,
				s->ways.ipv6.there);
	if (s->settings.cells.n)
		return 0;
	cmd_error(_("the peer %s cannot be used: run \"boardtune serve\" or "
		    "\"iperf3 -s\" there and open its port %u"),
		  s->settings.peer_text, s->settings.peer.port);
	return EXIT_NOTHING_TO_DO_IT_WITH;
}
