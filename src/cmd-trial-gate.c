// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-trial-gate.c - what must be so before the command trial changes anything
#include <limits.h>
#include <math.h>

#include "cmd-trial.h"

/* One family: the interface of its route, or nothing of it is measured. */
static void way_prepare(struct trial_session *s, struct gate_way *way)
{
	const char *wanted = s->settings.nic ? s->settings.nic : s->route;
	int r;

	if (!way->there)
		return;
	r = gate_route(way);
	way->there = r == 0 && (!s->route || streq(way->ifname, s->route)) &&
		     (!wanted || gate_carries(&s->c->sys.root, way->ifname, wanted));
	if (way->there)
		s->route = way->ifname;
	else if (r < 0)
		cmd_note(s->c, _("left out: %s: %s\n"), way->text, strerror(-r));
	else
		cmd_note(s->c, _("left out: %s goes through %s, not %s\n"), way->text,
			 way->ifname, wanted);
}

/* A family that no test is of plays no part: neither its probe nor its loss. */
static int ways_asked(struct trial_session *s)
{
	struct gate_ways *w = &s->ways;

	w->ipv4.there &= cell_list_has_family(&s->settings.loop.cells, AF_INET);
	w->ipv6.there &= cell_list_has_family(&s->settings.loop.cells, AF_INET6);
	if (w->ipv4.there || w->ipv6.there)
		return 0;
	cmd_error(_("the peer %s cannot be reached by the family asked for"),
		  s->settings.peer_text);
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

static int check_carrier(struct trial_session *s, const char *nic)
{
	if (gate_carrier(&s->c->sys.root, nic))
		return 0;
	cmd_error(_("%s has no carrier: is the cable plugged in?"), nic);
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

/* What is missing first: the cable, an address, the route. */
static int no_route(struct trial_session *s)
{
	const char *nic = s->settings.nic;

	if (nic && check_carrier(s, nic))
		return EXIT_NOTHING_TO_DO_IT_WITH;
	if (nic && gate_addressed(&s->c->sys.root, nic) == 0)
		cmd_error(_("%s has no address: give it one, as by DHCP"), nic);
	else
		cmd_error(_("no route to the peer %s through the interface under test: "
			    "see \"ip route get ADDRESS\""), s->settings.peer_text);
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

static int find_ways(struct trial_session *s)
{
	struct gate_ways *w = &s->ways;
	char text[GATE_TEXT_MAX];
	int r;

	r = gate_resolve(&s->settings.peer, w, text);
	if (r < 0) {
		cmd_error("%s", text);
		return r == -ENXIO ? EXIT_USAGE : EXIT_NOTHING_TO_DO_IT_WITH;
	}
	if (s->settings.nic && !if_nametoindex(s->settings.nic)) {
		cmd_error(_("no such interface: %s"), s->settings.nic);
		return EXIT_USAGE;
	}
	r = ways_asked(s);
	if (r)
		return r;
	way_prepare(s, &w->ipv4);
	way_prepare(s, &w->ipv6);
	return s->route ? check_carrier(s, s->route) : no_route(s);
}

/* The bit of a NIC that is counted; the last ones of very many are not told apart. */
static unsigned nic_bit(struct sample_nics *nics, const char *name)
{
	size_t i;

	for (i = 0; i < nics->n; i++)
		if (streq(nics->names[i], name))
			return 1u << i;
	if (i == SAMPLE_NICS_MAX)
		return (1u << i) - 1;
	snprintf(nics->names[nics->n++], IF_NAMESIZE, "%.*s", IF_NAMESIZE - 1, name);
	return 1u << i;
}

/* By which of the NICs that are counted the traffic meets a setting of @name; 0: none. */
static unsigned nics_of_setting(struct trial_session *s, const char *name)
{
	const struct sysroot *root = &s->c->sys.root;
	const char *nic = s->settings.nic;

	if (!gate_carries(root, s->route, name))
		return 0;
	if (!nic || gate_carries(root, nic, name))
		return nic_bit(&s->nics, name);
	return gate_carries(root, name, nic) ? nic_bit(&s->nics, nic) : 0;
}

static int setting_add(struct trial_session *s, const struct change *change,
		       unsigned nics)
{
	struct run_setting *item;
	int r;

	r = array_grow(&s->settings_of_nics, s->n_settings_of_nics, sizeof(*item));
	if (r < 0)
		return r;
	item = &s->settings_of_nics[s->n_settings_of_nics++];
	item->nics = nics;
	snprintf(item->key, sizeof(item->key), "%s.%s", change->setting->section,
		 change_key(change));
	snprintf(item->target, sizeof(item->target), "%s", change->target.name);
	return 0;
}

/* Whether the traffic meets what the profile changes. Returns 0, 1 for a note, -errno. */
static int sort_settings(struct trial_session *s, const struct plan *plan)
{
	bool on_path = false, elsewhere = false;
	int r;

	if (s->settings.nic)
		nic_bit(&s->nics, s->settings.nic);

	for (size_t i = 0; i < plan->n; i++) {
		const struct change *change = &plan->changes[i];
		unsigned nics;

		if (!change->target.path)
			continue;
		s->held |= change->held;
		s->settings.loop.blocks |= change->setting->drops_link &&
					   change_due(change);
		if (!change->target.ifindex) {
			s->general = true;
			continue;
		}
		nics = nics_of_setting(s, change->target.name);
		on_path |= nics != 0;
		elsewhere |= nics == 0;
		r = setting_add(s, change, nics);
		if (r < 0)
			return r;
	}
	return elsewhere && !on_path && !s->general;
}

/*
 * Where the traffic may go without making the trial void: --nic, or what the profile
 * touches; with settings of no NIC, too, anything below the route.
 */
static void find_nics(struct trial_session *s)
{
	struct sample_nics leaves;

	if (!s->nics.n || (s->general && !s->settings.nic)) {
		if (gate_leaves(&s->c->sys.root, s->route, &leaves) < 0)
			nic_bit(&s->nics, s->route);
		else
			for (size_t i = 0; i < leaves.n; i++)
				nic_bit(&s->nics, leaves.names[i]);
	}
	if (s->settings.nic)
		s->nic = s->settings.nic;
	else
		s->nic = s->nics.n == 1 ? s->nics.names[0] : s->route;
}

size_t trial_sort_settings(struct trial_session *s, const struct leg *legs, size_t n)
{
	unsigned any = 0, all = ~0u;
	bool counted = false;
	size_t first = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; !legs[i].discarded && k < legs[i].n_tests; k++) {
			const struct test_result *t = &legs[i].tests[k];

			any |= t->carried;
			all &= t->carried;
			counted |= t->carried || t->wrong_nic;
		}
	for (size_t i = s->nics.n; any && !s->settings.nic && i-- > 0;)
		if ((all ? all : any) & 1u << i)
			s->nic = s->nics.names[i];
	for (size_t i = 0; i < s->n_settings_of_nics; i++) {
		struct run_setting item = s->settings_of_nics[i];

		/* Where nothing could be counted, the way that was found has to do. */
		if (counted ? item.nics & any : item.nics)
			continue;
		s->settings_of_nics[i] = s->settings_of_nics[first];
		s->settings_of_nics[first++] = item;
	}
	return first;
}

static int plan_check(struct trial_session *s)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = {};
	_cleanup_(plan_clear) struct plan plan = {};
	int r;

	r = plan_build(&s->c->sys, s->profile, PLAN_ALL, &plan, &errors);
	if (errors.n)
		return cmd_errors(&errors);
	if (r == 0)
		r = sort_settings(s, &plan);
	if (r < 0) {
		cmd_error(_("cannot plan %s: %s"), s->profile->name, strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	if (plan_failures(&plan)) {
		cmd_print_plan(s->c, &plan, true);
		cmd_error(_("nothing was changed: the above cannot be set here; write "
			    "\"-key\" for what may fail"));
		return EXIT_NOT_AS_WANTED;
	}
	if (r == 0) {
		find_nics(s);
		return check_carrier(s, s->nic);
	}
	cmd_error(_("wrong-nic: the way to the peer %s goes through %s, which %s does "
		    "not touch"), s->settings.peer_text,
		  s->settings.nic ? s->settings.nic : s->route, s->profile->name);
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

static int find_cells(struct trial_session *s)
{
	struct cell_list *cells = &s->settings.loop.cells;
	bool ipv4 = s->ways.ipv4.there, ipv6 = s->ways.ipv6.there;
	size_t before = cells->n;

	cell_list_keep_families(cells, ipv4, ipv6);
	if (!cells->n) {
		cmd_error(_("the peer %s cannot be reached by the family asked for"),
			  s->settings.peer_text);
		return EXIT_NOTHING_TO_DO_IT_WITH;
	}
	if (cells->n < before)
		cmd_note(s->c, _("no tests by %s: the peer cannot be reached by it\n"),
			 ipv4 ? "IPv6" : "IPv4");
	return 0;
}

/* The rounds that are planned, else until the time that a trial may take is over. */
static void progress_left(struct trial_session *s)
{
	double least, most;

	trial_duration_range(&s->settings.loop, &least, &most);
	s->progress.now.left = fmax(0, s->started + most - now_monotonic());
	s->progress.now.at_most = most > least;
}

static void on_sample(void *userdata, const struct sample *sample, double mbps)
{
	struct trial_session *s = userdata;

	progress_left(s);
	progress_show(&s->progress, sample, mbps);
	trial_lines_sample(s, sample, mbps);
}

static void on_busy(void *userdata, double seconds)
{
	struct trial_session *s = userdata;

	if (s->told_busy)
		return;
	s->told_busy = true;
	progress_clear(&s->progress);
	cmd_note(s->c, _("the peer is busy with another test; waiting up to %.0f s\n"),
		 BENCH_BUSY_WAIT);
}

static int check_heat(struct trial_session *s)
{
	struct sample now;
	int limit;

	if (sampler_open(&s->c->sys.root, &s->nics, &s->sampler) < 0) {
		cmd_error("%s", strerror(ENOMEM));
		return EXIT_NOT_AS_WANTED;
	}
	limit = sampler_limit(s->sampler);
	s->bench = (struct bench){
		.root = &s->c->sys.root,
		.sampler = s->sampler,
		.nics = &s->nics,
		.ways = &s->ways,
		.seconds = s->settings.loop.seconds,
		.omit = s->settings.loop.omit,
		.streams = s->settings.streams,
		.zero_copy = s->settings.zero_copy,
		.ping4 = s->bench.ping4,
		.ping6 = s->bench.ping6,
		.limit = limit - BENCH_LIMIT_MARGIN,
		.stop_fd = -1,
		.progress = on_sample,
		.busy = on_busy,
		.userdata = s,
	};
	sampler_take(s->sampler, &now);
	if (now.millicelsius == INT_MIN || now.millicelsius < s->bench.limit)
		return 0;
	cmd_error(_("the board is at %.1f C before any load, its limit is %.1f C: let it "
		    "cool down"), now.millicelsius / 1000.0, limit / 1000.0);
	if (now.n_policies && now.max_khz[0])
		cmd_error(_("or try a lower clock first: max_freq = %uMHz"),
			  now.max_khz[0] / 1000 * 8 / 10);
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

/* The peer answers, family by family; one that does not is left out. */
int trial_gate_peer(struct trial_session *s)
{
	struct gate_way *ways[] = { &s->ways.ipv4, &s->ways.ipv6 };
	bool busy = false;
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (!ways[i]->there)
			continue;
		progress_text(&s->progress, _("does the peer answer?"));
		r = bench_probe(&s->bench, ways[i]);
		if (r == -EINTR)
			return 128 + cmd_signal(s->c);
		if (r == 0)
			continue;
		ways[i]->there = false;
		busy |= r == -EBUSY;
		progress_clear(&s->progress);
		cmd_note(s->c, "%s: %s\n", ways[i]->text,
			 *s->bench.error ? s->bench.error : strerror(-r));
	}
	progress_clear(&s->progress);
	if (s->ways.ipv4.there || s->ways.ipv6.there)
		return find_cells(s);
	if (busy) {
		cmd_error(_("the peer %s is busy: try again when its test is over, or "
			    "run \"boardtune serve --port=PORT\" there and give "
			    "--port=PORT"),
			  s->settings.peer_text);
		return EXIT_NOTHING_TO_DO_IT_WITH;
	}
	cmd_error(_("the peer %s cannot be used: run \"boardtune serve\" or "
		    "\"iperf3 -s\" there and open its port %u"),
		  s->settings.peer_text, s->settings.peer.port);
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

int trial_gate_board(struct trial_session *s)
{
	int r = find_ways(s);

	if (!r)
		r = plan_check(s);
	if (!r)
		r = find_cells(s);
	return r ? r : check_heat(s);
}
