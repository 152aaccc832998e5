// SPDX-License-Identifier: GPL-2.0-or-later
// steering.c - RPS, XPS, flow counts, threaded NAPI
#include "knobs/steering.h"

#include <inttypes.h>

#include "knobs/nic.h"

#define NET_DIR "/sys/class/net"
#define CPU_DIR "/sys/devices/system/cpu"
#define LIST_SHORT 64 /* of a list of CPUs in a note */
/* store_rps_dev_flow_table_cnt(): the mask has 32 bits, above it is EINVAL (4.4, 6.12) */
#define FLOWS_MAX ((uint64_t)1 << 32)

/* "rx-" of "rx/rps_cpus". */
static void queue_prefix(const struct setting *s, char ret[static 8])
{
	snprintf(ret, 8, "%.*s-", (int)strcspn(s->attr, "/"), s->attr);
}

static int add_queue(const struct target *nic, const char *queue, unsigned index,
		     unsigned siblings, struct target_list *list)
{
	char name[IF_NAMESIZE + 32], path[SYSROOT_PATH_MAX];
	int r;

	snprintf(name, sizeof(name), "%s/%s", nic->name, queue);
	if (snprintf(path, sizeof(path), "%s/queues/%s", nic->path, queue) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	r = target_add(list, name, path, index, nic->ifindex);
	if (r == 0) {
		list->targets[list->n - 1].index = index;
		list->targets[list->n - 1].siblings = siblings;
	}
	return r;
}

/* One whose kernel has no such queues gets a row that says so: its file is not there. */
static int add_queues(const struct sysroot *root, const struct setting *s,
		      const struct target *nic, struct target_list *list)
{
	char dir[SYSROOT_PATH_MAX], prefix[8], first[16];
	_cleanup_list_ char **names = NULL;
	unsigned queues = 0, index = 0;
	int r = 0;

	queue_prefix(s, prefix);
	snprintf(dir, sizeof(dir), "%s/queues", nic->path);
	if (sysroot_list(root, dir, &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; name && *name; name++)
		queues += str_after(*name, prefix) != NULL;
	for (char **name = names; name && *name && r == 0; name++)
		if (str_after(*name, prefix))
			r = add_queue(nic, *name, index++, queues, list);
	if (queues == 0) {
		snprintf(first, sizeof(first), "%s0", prefix);
		r = add_queue(nic, first, 0, 0, list);
	}
	return r;
}

int steering_queue_each(struct system *sys, const struct setting *s,
			const struct selector *sel, struct target_list *list)
{
	struct target_list nics = { 0 };
	int r = nic_each(sys, s, sel, &nics);

	for (size_t i = 0; i < nics.n && r == 0; i++)
		r = add_queues(&sys->root, s, &nics.targets[i], list);
	target_list_clear(&nics);
	return r;
}

const char *steering_below_nic(const char *path)
{
	const char *below = path + strlen(path);

	for (const char *s = path; (s = strchr(s, '/')); s++)
		if (str_after(s, "/queues/") || str_after(s, "/napi/") ||
		    streq(s, "/napi"))
			below = s;
	return below;
}

int steering_ifname(struct system *sys, const struct target *t,
		    char ret[static IF_NAMESIZE], const char **ret_rest)
{
	struct target nic = { .ifindex = t->ifindex };
	char name[IF_NAMESIZE];
	const char *rest = steering_below_nic(t->path), *start;
	int r;

	if (!*rest)
		return -ENODEV;
	for (start = rest; start > t->path && start[-1] != '/'; start--)
		;
	if (start == rest || (size_t)(rest - start) >= sizeof(name))
		return -ENODEV;
	memcpy(name, start, rest - start);
	name[rest - start] = '\0';
	nic.name = name;
	r = nic_name_now(sys, &nic, ret);
	if (r == 0)
		*ret_rest = rest;
	return r;
}

/* The file of a setting of a queue, by the name that its interface has now. */
static int queue_path(struct system *sys, const struct setting *s,
		      const struct target *t, char ret[static SYSROOT_PATH_MAX])
{
	char ifname[IF_NAMESIZE];
	const char *rest;
	int r = steering_ifname(sys, t, ifname, &rest);

	if (r < 0)
		return r;
	return snprintf(ret, SYSROOT_PATH_MAX, NET_DIR "/%s%s%s", ifname, rest,
			strchr(s->attr, '/')) >= SYSROOT_PATH_MAX
		       ? -ENAMETOOLONG
		       : 0;
}

int steering_cpus_get(struct system *sys, const struct setting *s, const struct target *t,
		      struct value *ret)
{
	char path[SYSROOT_PATH_MAX];
	struct cpus set;
	int r = queue_path(sys, s, t, path);

	if (r == 0)
		r = cpus_read_mask(&sys->root, path, &set);
	if (r < 0)
		return r;
	*ret = value_cpus(&set);
	return KNOB_READ;
}

int steering_cpus_set(struct system *sys, const struct setting *s, const struct target *t,
		      const struct value *v)
{
	char path[SYSROOT_PATH_MAX], like[2 * CPUS_MASK_MAX], mask[CPUS_MASK_MAX];
	ssize_t n;
	int r = queue_path(sys, s, t, path);

	if (r < 0)
		return r;
	n = sysroot_read(&sys->root, path, like, sizeof(like));
	if (n < 0)
		return (int)n;
	r = cpus_format_mask(&v->cpus.set, like, mask);
	return r < 0 ? r : sysroot_write(&sys->root, path, mask);
}

/* rps_cpumask_housekeeping(), 5.9 to 6.18; kernels before that keep these CPUs. */
static void read_isolated(const struct sysroot *root, struct cpus *set)
{
	static const char *const files[] = { CPU_DIR "/isolated", CPU_DIR "/nohz_full" };
	unsigned major, minor;
	char release[96];
	struct cpus cpus;

	if (sysroot_read(root, "/proc/sys/kernel/osrelease", release, sizeof(release)) >
		    0 &&
	    sscanf(release, "%u.%u", &major, &minor) == 2 &&
	    (major < 5 || (major == 5 && minor < 9)))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (cpus_read_list(root, files[i], &cpus) == 0)
			cpus_add_all(set, &cpus);
}

static const struct cpus *isolated_cpus(struct system *sys)
{
	if (!sys->cpus.isolated_known) {
		sys->cpus.isolated = (struct cpus) { 0 };
		read_isolated(&sys->root, &sys->cpus.isolated);
		sys->cpus.isolated_known = true;
	}
	return &sys->cpus.isolated;
}

/* What the kernel makes of a set without a word: some CPUs are dropped. */
static void expect_dropped(struct system *sys, const struct setting *s,
			   const struct cpus *asked, struct expectation *ret)
{
	struct cpus online = knob_cpus(sys)->online, kept = *asked, dropped = *asked;
	char list[LIST_SHORT];

	if (streq(s->attr, "rx/rps_cpus"))
		cpus_take_away(&kept, isolated_cpus(sys));
	if (cpus_empty(&kept) && !cpus_empty(asked)) {
		ret->outcome = OUTCOME_REFUSED;
		ret->error = -EINVAL;
		snprintf(ret->note, sizeof(ret->note),
			 _("these CPUs are isolated (isolcpus, nohz_full)"));
		return;
	}
	kept = cpus_and(&kept, &online);
	cpus_take_away(&dropped, &kept);
	if (cpus_empty(&dropped))
		return;
	cpus_format_list(&dropped, list, sizeof(list));
	if (cpus_empty(&kept)) {
		/* the kernel would switch steering off instead */
		ret->outcome = OUTCOME_MISSING;
		ret->error = -ENODEV;
		snprintf(ret->note, sizeof(ret->note), _("not online: CPU %s"), list);
		return;
	}
	ret->rounded = value_cpus(&kept);
	snprintf(ret->note, sizeof(ret->note),
		 _("the kernel leaves out what is offline or isolated: CPU %s"), list);
}

int steering_cpus_expect(struct system *sys, const struct setting *s,
			 const struct target *t, const struct value *asked,
			 struct expectation *ret)
{
	char path[SYSROOT_PATH_MAX];
	struct cpus set;
	struct value now;
	int r;

	*ret = (struct expectation) { .want = *asked, .outcome = OUTCOME_OK };
	r = steering_resolve(sys, asked, &set, ret->note);
	if (r < 0)
		return r;
	ret->want = value_cpus(&set);
	r = steering_cpus_get(sys, s, t, &now);
	if (r == 0)
		expect_dropped(sys, s, &set, ret);
	else if (r == -ENOENT && queue_path(sys, s, t, path) == 0 &&
		 sysroot_exists(&sys->root, path)) {
		/* xps_cpus_show(): the file is there, but ENOENT with one queue (6.18) */
		ret->outcome = OUTCOME_UNSUPPORTED;
		ret->error = -ENOENT;
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("the interface has one transmit queue, there is nothing to "
			   "choose"));
	}
	return 0;
}

int steering_flows_get(struct system *sys, const struct setting *s,
		       const struct target *t, struct value *ret)
{
	char path[SYSROOT_PATH_MAX];
	unsigned long flows;
	int r = queue_path(sys, s, t, path);

	if (r == 0)
		r = sysroot_read_ulong(&sys->root, path, &flows);
	if (r < 0)
		return r;
	*ret = value_number(flows);
	return KNOB_READ;
}

int steering_flows_set(struct system *sys, const struct setting *s,
		       const struct target *t, const struct value *v)
{
	char path[SYSROOT_PATH_MAX], text[24];
	int r = queue_path(sys, s, t, path);

	snprintf(text, sizeof(text), "%" PRIu64, v->number);
	return r < 0 ? r : sysroot_write(&sys->root, path, text);
}

int steering_flows_expect(struct system *sys, const struct setting *s,
			  const struct target *t, const struct value *asked,
			  struct expectation *ret)
{
	uint64_t flows = 1;

	*ret = (struct expectation) { .want = *asked, .outcome = OUTCOME_OK };
	if (asked->number > FLOWS_MAX) {
		snprintf(ret->note, sizeof(ret->note), _("at most %llu flows"),
			 (unsigned long long)FLOWS_MAX);
		return -ERANGE;
	}
	while (flows < asked->number)
		flows *= 2;
	if (asked->number && flows != asked->number) {
		ret->rounded = value_number(flows);
		snprintf(ret->note, sizeof(ret->note), _("the kernel uses %llu"),
			 (unsigned long long)flows);
	}
	return 0;
}

static int threaded_path(struct system *sys, const struct target *t,
			 const char *attr, char ret[static SYSROOT_PATH_MAX])
{
	char ifname[IF_NAMESIZE];
	int r = nic_name_now(sys, t, ifname);

	if (r == 0)
		snprintf(ret, SYSROOT_PATH_MAX, NET_DIR "/%s/%s", ifname, attr);
	return r;
}

int steering_threaded_get(struct system *sys, const struct setting *s,
			  const struct target *t, struct value *ret)
{
	char path[SYSROOT_PATH_MAX];
	unsigned long on;
	int r = threaded_path(sys, t, "threaded", path);

	if (r == 0)
		r = sysroot_read_ulong(&sys->root, path, &on);
	if (r < 0)
		return r;
	if (on >
	    1) /* a way of polling that is neither on nor off; none in 5.12 to 6.12 */
		return -EOPNOTSUPP;
	*ret = value_flag(on);
	return KNOB_READ;
}

int steering_threaded_set(struct system *sys, const struct setting *s,
			  const struct target *t, const struct value *v)
{
	char path[SYSROOT_PATH_MAX];
	int r = threaded_path(sys, t, "threaded", path);

	return r < 0 ? r : sysroot_write(&sys->root, path, v->flag ? "1" : "0");
}

int steering_threaded_expect(struct system *sys, const struct setting *s,
			     const struct target *t, const struct value *asked,
			     struct expectation *ret)
{
	char path[SYSROOT_PATH_MAX], flags[32];
	struct value now;

	*ret = (struct expectation) { .want = *asked, .outcome = OUTCOME_OK };
	/* whether a driver has its NAPI instances while it is down cannot be seen */
	if (steering_threaded_get(sys, s, t, &now) == 0 && now.flag != asked->flag &&
	    threaded_path(sys, t, "flags", path) == 0 &&
	    sysroot_read(&sys->root, path, flags, sizeof(flags)) > 0 &&
	    !(strtoul(flags, NULL, 16) & IFF_UP))
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("the interface is down; with many drivers this works only "
			   "while it is up"));
	return 0;
}
