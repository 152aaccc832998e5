// SPDX-License-Identifier: GPL-2.0-or-later
// rivals.c - the table of programs that tune a board too, and which of them work here
#include "board/rivals.h"

#include "base/service.h"
#include "kernel/bus.h"

#define COMM_MAX 15 /* bytes of /proc/PID/comm: TASK_COMM_LEN less one */

static const struct rival services[] = {
	{ .name = "irqbalance", .unit = "irqbalance.service", .init = "irqbalance",
	  .comm = "irqbalance", .families = RIVAL_IRQ, .late = true,
	  .what = N_("deals interrupts to CPUs anew, every 10 seconds"),
	  .end = "systemctl disable --now irqbalance" },
	{ .name = "tuned", .unit = "tuned.service", .comm = "tuned", .late = true,
	  .families = RIVAL_CPUFREQ | RIVAL_IRQ | RIVAL_OFFLOAD | RIVAL_SYSCTL,
	  .what = N_("sets the governor, sysctls and, by profile, interrupts and ethtool "
		     "settings when it starts and when a device appears"),
	  .end = "systemctl disable --now tuned" },
	{ .name = "auto-cpufreq", .unit = "auto-cpufreq.service", .comm = "auto-cpufreq",
	  .families = RIVAL_CPUFREQ, .late = true,
	  .what = N_("sets governor and limits of the clocks, every few seconds"),
	  .end = "systemctl disable --now auto-cpufreq" },
	{ .name = "power-profiles-daemon", .unit = "power-profiles-daemon.service",
	  .comm = "power-profiles-daemon", .families = RIVAL_CPUFREQ, .late = true,
	  .activated = true,
	  .what = N_("sets governor and energy preference when it starts and when a "
		     "desktop asks; D-Bus starts it even if it is disabled"),
	  .end = "systemctl mask --now power-profiles-daemon" },
	{ .name = "TLP", .unit = "tlp.service", .init = "tlp", .families = RIVAL_CPUFREQ,
	  .late = true,
	  .what = N_("sets governor and limits of the clocks at boot and when the "
		     "power supply changes"),
	  .end = "systemctl disable --now tlp" },
	{ .name = "thermald", .unit = "thermald.service", .comm = "thermald",
	  .families = RIVAL_THERMAL | RIVAL_CPUFREQ, .late = true,
	  .what = N_("takes over trips, zone policies and limits of the clocks as long "
		     "as it runs"),
	  .end = "systemctl disable --now thermald" },
	{ .name = "ondemand", .unit = "ondemand.service", .init = "ondemand",
	  .families = RIVAL_CPUFREQ, .late = true,
	  .what = N_("sets the governor a minute after the boot"),
	  .end = "systemctl disable --now ondemand" },
	{ .name = "raspi-config", .unit = "raspi-config.service", .init = "raspi-config",
	  .families = RIVAL_CPUFREQ, .late = true,
	  .what = N_("sets the governor ondemand and its tunables at boot"),
	  .end = "systemctl disable --now raspi-config" },
	{ .name = "cpufrequtils", .unit = "cpufrequtils.service", .init = "cpufrequtils",
	  .families = RIVAL_CPUFREQ,
	  .what = N_("sets governor and limits of the clocks at boot, as "
		     "/etc/default/cpufrequtils says (\"boardtune import\" reads it)"),
	  .end = "systemctl disable --now cpufrequtils" },
	{ .name = "loadcpufreq", .unit = "loadcpufreq.service", .init = "loadcpufreq",
	  .families = RIVAL_CPUFREQ,
	  .what = N_("loads drivers and governors of the clocks at boot"),
	  .end = "systemctl disable --now loadcpufreq" },
	{ .name = "linux-cpupower", .unit = "cpupower.service",
	  .families = RIVAL_CPUFREQ, .late = true,
	  .what = N_("sets governor and limits of the clocks at boot"),
	  .end = "systemctl disable --now cpupower" },
	{ .name = "armbian-hardware-optimize",
	  .unit = "armbian-hardware-optimize.service",
	  .families = RIVAL_CPUFREQ | RIVAL_THERMAL | RIVAL_IRQ | RIVAL_STEERING,
	  .what = N_("sets governor, interrupts, rps_cpus and on some boards a trip, at "
		     "boot"),
	  .end = "systemctl disable --now armbian-hardware-optimize" },
	{ .name = "armbian-hardware-monitor", .unit = "armbian-hardware-monitor.service",
	  .families = RIVAL_IRQ, .late = true,
	  .what = N_("moves interrupts on some boards, at boot"),
	  .end = "systemctl disable --now armbian-hardware-monitor" },
};

/* By section, then by what the key begins with; the first that fits. */
static const struct {
	const char *section, *prefix;
	unsigned family;
} keys[] = {
	{ "cpufreq", "", RIVAL_CPUFREQ },	{ "thermal", "", RIVAL_THERMAL },
	{ "irq", "", RIVAL_IRQ },		{ "sysctl", "", RIVAL_SYSCTL },
	{ "flowtable", "", RIVAL_FLOWTABLE },	{ "net", "irq.", RIVAL_IRQ },
	{ "net", "rps_", RIVAL_STEERING },	{ "net", "xps_", RIVAL_STEERING },
	{ "net", "threaded", RIVAL_STEERING },	{ "net", "napi", RIVAL_STEERING },
	{ "net", "gro_flush", RIVAL_STEERING }, { "net", "", RIVAL_OFFLOAD },
};

unsigned rival_family_of(const char *section, const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (streq(keys[i].section, section) && str_after(key, keys[i].prefix))
			return keys[i].family;
	return 0;
}

/* What ethtool sets, by what the key of a profile begins with; the rest: features. */
static const char *const ethtool_keys[] = { "ring.", "channels.", "coalesce.", "pause.",
					    "eee" };

unsigned rival_ethtool_of(const char *key)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(ethtool_keys) && !str_after(key, ethtool_keys[i]))
		i++;
	return 1u << i;
}

bool rival_writes(const struct rival_state *s, const char *section, const char *key)
{
	unsigned family = rival_family_of(section, key) & s->families;

	if (family == RIVAL_OFFLOAD && s->ethtool)
		return s->ethtool & rival_ethtool_of(key);
	return family;
}

const char *rival_family_name(unsigned k)
{
	static const char *const names[] = { "cpufreq",	 "thermal",   "irq",   "steering",
					     "ethtool", "flowtable", "sysctl" };

	return k < ARRAY_SIZE(names) ? names[k] : NULL;
}

/* Who asks systemd, and the processes: once for all of them. */
struct search {
	struct system *sys;
	struct bus *bus; /* NULL: none, or it has failed */
	int bus_error;	 /* as ret_bus of rivals_find() */
	enum rival_init init;
	bool running[ARRAY_SIZE(services)];
};

/* Processes by their names, as they are cut by the kernel. */
static int find_processes(struct search *s)
{
	_cleanup_list_ char **pids = NULL;
	char path[64], name[COMM_MAX + 2];

	if (sysroot_list(&s->sys->root, "/proc", &pids) == -ENOMEM)
		return -ENOMEM;
	for (char **pid = pids; pid && *pid; pid++) {
		if (pid[0][strspn(*pid, "0123456789")] || strlen(*pid) > 10)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", *pid);
		if (sysroot_read(&s->sys->root, path, name, sizeof(name)) <= 0)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(services); i++)
			s->running[i] |= services[i].comm &&
					 strncmp(name, services[i].comm, COMM_MAX) == 0;
	}
	return 0;
}

static bool is_active(struct search *s, size_t i)
{
	int r = 0;

	if (s->bus && services[i].unit) {
		r = bus_unit_active(s->bus, services[i].unit);
		if (r < 0) {
			s->bus_error = r;
			bus_closep(&s->bus);
		}
	}
	return r > 0 || s->running[i];
}

/* A unit of its own hides the init script from systemd. */
static bool is_enabled(enum rival_init init, const struct rival_links *l)
{
	if (*l->unit && init == RIVAL_SYSTEMD)
		return !l->masked && (l->unit_linked || l->vendor);
	return !l->masked && l->script_linked;
}

static int add_service(struct search *s, size_t i, struct rival_list *list)
{
	const struct rival *rival = &services[i];
	_cleanup_(rival_links_clear) struct rival_links links = { 0 };
	struct rival_state state = { .rival = rival, .families = rival->families,
				     .init = s->init };
	int r = rival_links_find(&s->sys->root, rival, &links);

	if (r < 0)
		return r;
	state.installed = *links.unit || links.script;
	state.enabled = is_enabled(s->init, &links);
	state.active = is_active(s, i);
	state.mask = *links.unit && (links.vendor || rival->activated);
	state.owned = state.mask && links.owned && s->init == RIVAL_SYSTEMD;
	if (!state.installed && !state.active)
		return 0;
	if (state.enabled && links.n)
		snprintf(state.detail, sizeof(state.detail), "%.159s",
			 links.paths[0]);
	else if (*links.unit)
		snprintf(state.detail, sizeof(state.detail), "%.159s", links.unit);
	else if (links.script)
		snprintf(state.detail, sizeof(state.detail), "/etc/init.d/%s",
			 rival->init);
	r = array_grow(&list->states, list->n, sizeof(*list->states));
	if (r == 0)
		list->states[list->n++] = state;
	return r;
}

static int weight(const struct rival_state *s)
{
	return 4 * s->active + 2 * s->enabled + (s->rival->late && rival_works(s));
}

/* Few of them; their order in the table stays among equals. */
static void sort_states(struct rival_list *list)
{
	for (size_t i = 1; i < list->n; i++) {
		struct rival_state s = list->states[i];
		size_t k = i;

		for (; k > 0 && weight(&list->states[k - 1]) < weight(&s); k--)
			list->states[k] = list->states[k - 1];
		list->states[k] = s;
	}
}

static enum rival_init find_init(const struct sysroot *root)
{
	if (sysroot_exists(root, "/etc/openwrt_release"))
		return RIVAL_PROCD;
	if (root->live)
		return service_booted() ? RIVAL_SYSTEMD : RIVAL_RC;
	return sysroot_exists(root, "/usr/sbin/update-rc.d") &&
			       !sysroot_exists(root, "/usr/lib/systemd/system") &&
			       !sysroot_exists(root, "/lib/systemd/system")
		       ? RIVAL_RC
		       : RIVAL_SYSTEMD;
}

int rival_starts(const struct sysroot *root, const char *name)
{
	_cleanup_(rival_links_clear) struct rival_links links = { 0 };
	size_t i = 0;
	int r;

	while (i < ARRAY_SIZE(services) && !streq(services[i].name, name))
		i++;
	if (i == ARRAY_SIZE(services))
		return 0;
	r = rival_links_find(root, &services[i], &links);
	if (r < 0)
		return r;
	return is_enabled(find_init(root), &links) ||
	       (services[i].activated && *links.unit && !links.masked);
}

static int find_services(struct search *s, struct rival_list *list)
{
	int r = s->sys->root.live ? find_processes(s) : 0;

	if (r == 0 && s->sys->root.live && service_booted())
		s->bus_error = bus_open(&s->bus);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(services); i++)
		r = add_service(s, i, list);
	bus_closep(&s->bus);
	return r;
}

int rivals_find(struct system *sys, struct rival_list *ret, int *ret_bus)
{
	_cleanup_rivals_ struct rival_list list = { 0 };
	struct search search = { .sys = sys, .bus_error = 1,
				 .init = find_init(&sys->root) };
	int r = find_services(&search, &list);

	if (r == 0)
		r = rivals_find_files(&sys->root, &list);
	if (r < 0)
		return r;
	sort_states(&list);
	*ret = list;
	*ret_bus = search.bus_error;
	list = (struct rival_list){ 0 };
	return 0;
}

void rival_list_clear(struct rival_list *list)
{
	free(list->states);
	*list = (struct rival_list){ 0 };
}

const struct rival_state *rivals_writer(const struct rival_list *list,
					const char *section, const char *key)
{
	const struct rival_state *enabled = NULL;

	for (size_t i = 0; i < list->n; i++) {
		const struct rival_state *s = &list->states[i];

		if (!rival_writes(s, section, key))
			continue;
		if (s->active)
			return s;
		if (s->enabled && !enabled)
			enabled = s;
	}
	return enabled;
}

/* A command for a shell: a name that has an apostrophe stays what it is. */
static size_t append_quoted(char *buf, size_t n, const char *s)
{
	bool plain = !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789/._-+@%,")];

	if (!plain)
		buf[n++] = '\'';
	for (; *s && n < RIVAL_END_MAX - 8; s++) {
		if (*s == '\'' && !plain) {
			memcpy(buf + n, "'\\'", 3);
			n += 3;
		}
		buf[n++] = *s;
	}
	if (!plain)
		buf[n++] = '\'';
	buf[n] = '\0';
	return n;
}

/* Lines that become comments: all the files here take "#" for one. */
static void end_lines(const struct rival_state *s, char buf[static RIVAL_END_MAX])
{
	size_t n = snprintf(buf, RIVAL_END_MAX, "sed -i '");

	for (size_t i = 0; i < s->n_lines; i++)
		n += snprintf(buf + n, RIVAL_END_MAX - n, "%s%us/^/#/", i ? ";" : "",
			      s->lines[i]);
	n += snprintf(buf + n, RIVAL_END_MAX - n, "' ");
	n = append_quoted(buf, n, s->file);
	if (s->rival->end)
		snprintf(buf + n, RIVAL_END_MAX - n, " && %s", s->rival->end);
}

const char *rival_end(const struct rival_state *s, char buf[static RIVAL_END_MAX])
{
	const char *init = s->rival->init;

	if (s->n_lines)
		end_lines(s, buf);
	else if (init && s->init == RIVAL_PROCD)
		snprintf(buf, RIVAL_END_MAX, "service %s stop; service %s disable", init,
			 init);
	else if (init && s->init == RIVAL_RC)
		snprintf(buf, RIVAL_END_MAX, "service %s stop; update-rc.d %s disable",
			 init, init);
	else if (s->owned)
		snprintf(buf, RIVAL_END_MAX,
			 "cd /etc/systemd/system && mv %s %s.off && systemctl mask --now "
			 "%s",
			 s->rival->unit, s->rival->unit, s->rival->unit);
	else if (s->mask)
		snprintf(buf, RIVAL_END_MAX, "systemctl mask --now %s", s->rival->unit);
	else
		snprintf(buf, RIVAL_END_MAX, "%s", s->rival->end);
	return buf;
}
