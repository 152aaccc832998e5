// SPDX-License-Identifier: GPL-2.0-or-later
// boot-check.c - after a boot apply: is somebody still there on the wire?
#include "engine/boot-check.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/neighbour.h>
#include <math.h>
#include <net/if.h>
#include <poll.h>
#include <time.h>

#include "engine/state.h"
#include "profile/quirk-avoid.h"

#define NET_DIR "/sys/class/net"
#define NEST_MAX 8 /* of a device on another: MAX_NEST_DEV of Linux */
#define ASK_TRIES 10 /* of a second each: the kernel asks three times, a second apart */

/* Not asked: nothing would tell the answer from what was known before. */
#define NUD_SURE (NUD_NOARP | NUD_PERMANENT)

static double now_boottime(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static bool has_carrier(struct system *sys, const char *name)
{
	unsigned long carrier;
	char path[128];

	snprintf(path, sizeof(path), NET_DIR "/%.64s/carrier", name);
	return sysroot_read_ulong(&sys->root, path, &carrier) == 0 && carrier;
}

static long count_frames(struct system *sys, const char *name)
{
	unsigned long frames = 0;
	char path[128];

	snprintf(path, sizeof(path), NET_DIR "/%.64s/statistics/rx_packets", name);
	if (sysroot_read_ulong(&sys->root, path, &frames) < 0)
		return 0;
	return frames & LONG_MAX;
}

static int write_applied(const struct sysroot *root, const struct boot_applied *applied)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!f)
		return -ENOMEM;
	fprintf(f, "%s\n%.3f\n", applied->profile, applied->at);
	for (size_t i = 0; i < applied->n; i++)
		fprintf(f, "%d %d %ld\n", applied->nics[i].ifindex,
			applied->nics[i].carrier, applied->nics[i].frames);
	if (fclose(f) == EOF)
		return -ENOMEM;
	r = sysroot_mkdir_all(root, STATE_DIR, 0755);
	return r < 0 ? r : sysroot_replace(root, BOOT_APPLIED, text, size, 0644);
}

static struct boot_nic *find_nic(const struct boot_applied *applied, int ifindex)
{
	for (size_t i = 0; i < applied->n; i++)
		if (applied->nics[i].ifindex == ifindex)
			return &applied->nics[i];
	return NULL;
}

/* A NIC that was touched before is judged by what it was after that. */
static int add_nic(struct system *sys, const struct target *t,
		   const struct quirk_avoid *avoid, struct boot_applied *ret)
{
	int r;

	if (find_nic(ret, t->ifindex))
		return 0;
	r = array_grow(&ret->nics, ret->n, sizeof(*ret->nics));
	if (r < 0)
		return r;
	ret->nics[ret->n++] = (struct boot_nic){
		.ifindex = t->ifindex,
		.carrier = has_carrier(sys, t->name),
		.frames = quirk_avoids(avoid, t->name) ? -1 : count_frames(sys, t->name),
	};
	return 0;
}

int boot_applied_save(struct system *sys, const char *profile, const struct plan *plan,
		      bool add)
{
	_cleanup_(boot_applied_clear) struct boot_applied applied = {};
	_cleanup_(quirk_avoid_clear) struct quirk_avoid avoid = { 0 };
	int r = add ? boot_applied_load(&sys->root, &applied) : 0;

	/* A broken one is written anew. */
	if (r < 0 && r != -ENOENT && r != -EBADMSG)
		return r;
	quirk_avoid_find(sys, &avoid);
	applied.at = now_boottime();
	snprintf(applied.profile, sizeof(applied.profile), "%s", profile);
	for (size_t i = 0; i < plan->n; i++) {
		const struct change *change = &plan->changes[i];

		if (!change->target.ifindex || !change->written)
			continue;
		r = add_nic(sys, &change->target, &avoid, &applied);
		if (r < 0)
			return r;
	}
	return write_applied(&sys->root, &applied);
}

int boot_applied_forget(const struct sysroot *root)
{
	_cleanup_(boot_applied_clear) struct boot_applied applied = {};
	int r = boot_applied_load(root, &applied);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	applied.n = 0;
	return write_applied(root, &applied);
}

static int parse_nics(const char *text, struct boot_applied *ret)
{
	while (*text) {
		int ifindex, carrier, n = 0;
		long frames;
		int r;

		if (sscanf(text, "%d %d %ld\n%n", &ifindex, &carrier, &frames, &n) !=
			    3 ||
		    !n || ifindex <= 0)
			return -EBADMSG;
		r = array_grow(&ret->nics, ret->n, sizeof(*ret->nics));
		if (r < 0)
			return r;
		ret->nics[ret->n++] = (struct boot_nic){
			.ifindex = ifindex,
			.carrier = carrier != 0,
			.frames = frames,
		};
		text += n;
	}
	return 0;
}

int boot_applied_load(const struct sysroot *root, struct boot_applied *ret)
{
	_cleanup_(boot_applied_clear) struct boot_applied applied = {};
	_cleanup_free_ char *text = NULL;
	ssize_t size = sysroot_read_file(root, BOOT_APPLIED, O_NOFOLLOW, &text);
	int n = 0, r;

	if (size < 0)
		return size;
	if (sscanf(text, "%255[^\n]\n%lf\n%n", applied.profile, &applied.at, &n) != 2 ||
	    !n || !isfinite(applied.at))
		return -EBADMSG;
	if (applied.at > now_boottime())
		return -ENOENT; /* of another boot: /run has stayed */
	r = parse_nics(text + n, &applied);
	if (r < 0)
		return r;
	*ret = applied;
	applied = (struct boot_applied){};
	return 0;
}

void boot_applied_clear(struct boot_applied *applied)
{
	free(applied->nics);
	*applied = (struct boot_applied){};
}

enum boot_check boot_check_decide(const struct boot_applied *applied,
				  const struct rtnl_neighbours *neighbours,
				  const bool *carries)
{
	bool carrier = false, received = false, known = false;

	for (size_t i = 0; i < applied->n; i++) {
		carrier |= applied->nics[i].carrier;
		received |= applied->nics[i].received;
	}
	if (!carrier)
		return BOOT_CHECK_NOTHING;
	for (size_t k = 0; k < neighbours->n; k++) {
		if (!carries[k] || neighbours->items[k].state & NUD_SURE)
			continue;
		if (neighbours->items[k].state & NUD_REACHABLE)
			return BOOT_CHECK_REACHABLE;
		known = true;
	}
	/* PPPoE, ports without an address: nobody to ask, but a link that lives. */
	return received && !known ? BOOT_CHECK_NOTHING : BOOT_CHECK_LOST;
}

/* Of an interface that goes: its attributes fail before their directory does (6.18). */
static int unless_gone(int error)
{
	return error == -ENOENT || error == -ENODEV || error == -EINVAL ? 0 : error;
}

/* Whether one of the NICs is the interface itself or below it. Returns 1, 0 or -errno. */
static int is_carried(struct system *sys, const struct boot_applied *applied,
		      const char *name, int depth)
{
	_cleanup_list_ char **entries = NULL;
	char path[sizeof(NET_DIR) + 2 * IF_NAMESIZE];
	unsigned long ifindex;
	ssize_t n;
	int r;

	snprintf(path, sizeof(path), NET_DIR "/%.16s/ifindex", name);
	r = sysroot_read_ulong(&sys->root, path, &ifindex);
	if (r < 0)
		return unless_gone(r);
	if (find_nic(applied, (int)ifindex))
		return 1;
	snprintf(path, sizeof(path), NET_DIR "/%.16s", name);
	n = sysroot_list(&sys->root, path, &entries);
	if (n < 0)
		return unless_gone((int)n);
	for (ssize_t i = 0; i < n && r == 0 && depth < NEST_MAX; i++) {
		const char *lower = str_after(entries[i], "lower_");

		if (lower)
			r = is_carried(sys, applied, lower, depth + 1);
	}
	return r;
}

/* Neighbours come by interface: looked up once for those in a row. */
static int find_carries(struct system *sys, const struct boot_applied *applied,
			const struct rtnl_neighbours *list, bool **ret)
{
	_cleanup_free_ bool *carries = calloc(list->n + 1, sizeof(*carries));
	char name[IF_NAMESIZE];
	int r;

	if (!carries)
		return -ENOMEM;
	for (size_t k = 0; k < list->n; k++) {
		int ifindex = list->items[k].ifindex;

		if (k && list->items[k - 1].ifindex == ifindex) {
			carries[k] = carries[k - 1];
			continue;
		}
		if (!if_indextoname((unsigned)ifindex, name))
			continue;
		r = is_carried(sys, applied, name, 0);
		if (r < 0)
			return r;
		carries[k] = r > 0;
	}
	*ret = TAKE_PTR(carries);
	return 0;
}

/* Who does not answer, or may not be asked, is no error: somebody else may be there. */
static int ask_all(struct system *sys, struct nl *nl, const struct boot_applied *applied,
		   const struct rtnl_neighbours *list)
{
	_cleanup_free_ bool *carries = NULL;
	int r = find_carries(sys, applied, list, &carries);

	if (r < 0)
		return r;
	for (size_t k = 0; k < list->n; k++)
		if (carries[k] && !(list->items[k].state & (NUD_SURE | NUD_REACHABLE)))
			rtnl_neighbour_ask(nl, &list->items[k]);
	return 0;
}

/* Returns an enum boot_check or -errno. */
static int look(struct system *sys, struct nl *nl, const struct boot_applied *applied)
{
	_cleanup_(rtnl_neighbours_clear) struct rtnl_neighbours list = {};
	_cleanup_free_ bool *carries = NULL;
	int r = rtnl_neighbours_get(nl, &list);

	if (r == 0)
		r = find_carries(sys, applied, &list, &carries);
	return r < 0 ? r : (int)boot_check_decide(applied, &list, carries);
}

static int ask(struct system *sys, struct nl *nl, const struct boot_applied *applied)
{
	_cleanup_(rtnl_neighbours_clear) struct rtnl_neighbours list = {}, gateways = {};
	int r = rtnl_neighbours_get(nl, &list);

	if (r == 0)
		r = rtnl_gateways_get(nl, &gateways);
	/* One that is a neighbour already is probed as such: not asked twice. */
	for (size_t i = 0; r == 0 && i < gateways.n; i++)
		for (size_t k = 0; k < list.n; k++)
			if (list.items[k].ifindex == gateways.items[i].ifindex &&
			    list.items[k].family == gateways.items[i].family &&
			    memcmp(list.items[k].bytes, gateways.items[i].bytes, 16) == 0)
				gateways.items[i].ifindex = 0;
	if (r == 0)
		r = ask_all(sys, nl, applied, &list);
	return r == 0 ? ask_all(sys, nl, applied, &gateways) : r;
}

static int check(struct system *sys, struct nl *nl, const struct boot_applied *applied,
		 int stop_fd)
{
	struct pollfd stop = { .fd = stop_fd, .events = POLLIN };
	int r = BOOT_CHECK_LOST;

	/* Each time anew: a NIC may get its address meanwhile. */
	for (int i = 0; r == BOOT_CHECK_LOST && i < ASK_TRIES; i++) {
		r = ask(sys, nl, applied);
		if (r < 0)
			return r;
		if (poll(&stop, 1, 1000) > 0)
			return -EINTR;
		r = look(sys, nl, applied);
	}
	return r;
}

/* A link that came up after the apply counts, too: a boot does not wait for it. */
static void look_at_nics(struct system *sys, struct boot_applied *applied)
{
	char name[IF_NAMESIZE];

	for (size_t i = 0; i < applied->n; i++) {
		struct boot_nic *nic = &applied->nics[i];

		if (!if_indextoname((unsigned)nic->ifindex, name))
			continue;
		nic->carrier |= has_carrier(sys, name);
		nic->received = nic->frames < 0 || count_frames(sys, name) != nic->frames;
	}
}

int boot_check_run(struct system *sys, struct boot_applied *applied, int stop_fd)
{
	struct nl nl;
	int r;

	if (!applied->n)
		return BOOT_CHECK_NOTHING;
	look_at_nics(sys, applied);
	r = nl_open(NETLINK_ROUTE, &nl);
	if (r < 0)
		return r;
	r = check(sys, &nl, applied, stop_fd);
	nl_close(&nl);
	return r;
}
