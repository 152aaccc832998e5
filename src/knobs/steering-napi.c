// SPDX-License-Identifier: GPL-2.0-or-later
// steering-napi.c - the CPUs of the threads that threaded NAPI runs in
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>

#include "knobs/nic.h"
#include "knobs/steering.h"

#define NET_DIR "/sys/class/net"
#define PREFIX "napi/"
#define KTHREADD "2"
/* comm has 15 bytes; from 5.17 /proc shows a kernel thread's whole name, up to 63 */
#define COMM_CUT 15
#define COMM_MAX 64
#define THREADS_MAX 256 /* of one interface */
#define STATUS_MAX 8192

struct thread {
	unsigned long id; /* of the NAPI instance; 0 where the name is cut */
	unsigned pid;
};

struct threads {
	struct thread items[THREADS_MAX]; /* in the order of the instances */
	unsigned n;
};

/*
 * The id in a thread's name "napi/IFNAME-ID". Returns -ENOENT if the thread is not of
 * this interface, 1 if its name is cut and would fit: @ret is 0 then.
 */
static int name_id(const char *comm, const char *ifname, unsigned long *ret)
{
	char head[COMM_MAX];
	size_t n = strlen(comm), length;

	length = (size_t)snprintf(head, sizeof(head), PREFIX "%s-", ifname);
	if (n != COMM_CUT) {
		if (n <= length || strncmp(comm, head, length) != 0 ||
		    comm[length + strspn(comm + length, "0123456789")])
			return -ENOENT;
		*ret = strtoul(comm + length, NULL, 10);
		return 0;
	}
	if (strncmp(comm, head, n < length ? n : length) != 0 ||
	    (n > length && comm[length + strspn(comm + length, "0123456789")]))
		return -ENOENT;
	*ret = n > length ? strtoul(comm + length, NULL, 10) : 0;
	return 1;
}

typedef int name_fn(void *ctx, const char *name);

/* Each name of a directory, without allocating; stops at what is not 0. */
static int each_name(const struct sysroot *root, const char *dir, name_fn *fn, void *ctx)
{
	_cleanup_close_ int fd = sysroot_openat(root, dir, O_RDONLY | O_DIRECTORY, 0);
	char buf[4096] __attribute__((aligned(8)));
	long n;

	if (fd < 0)
		return fd;
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(buf + at);
			int r = fn(ctx, entry->d_name);

			if (r)
				return r;
			at += entry->d_reclen;
		}
	}
	return n < 0 ? -errno : 0;
}

struct other {
	const char *comm, *ifname;
};

static int is_other(void *ctx, const char *name)
{
	const struct other *o = ctx;
	unsigned long id;

	return !streq(name, o->ifname) && name_id(o->comm, name, &id) >= 0;
}

/* A cut name may be that of another interface: then it is nobody's. */
static bool is_ambiguous(const struct sysroot *root, const char *comm, const char *ifname)
{
	struct other o = { comm, ifname };

	return each_name(root, NET_DIR, is_other, &o) != 0;
}

/* What follows "KEY:" and blanks on a line of /proc/PID/status, cut there. */
static char *status_value(char *status, const char *key)
{
	size_t n = strlen(key);

	for (char *s = status; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncmp(s, key, n) != 0 || s[n] != ':')
			continue;
		s += n + 1;
		s += strspn(s, " \t");
		s[strcspn(s, "\n")] = '\0';
		return s;
	}
	return NULL;
}

/* The value of a key of a kernel thread's status. Any process may call itself napi/... */
static int read_status(const struct sysroot *root, unsigned pid, const char *key,
		       char status[static STATUS_MAX], char **ret)
{
	char path[64], parent[32];
	const char *line;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	n = sysroot_read(root, path, status, STATUS_MAX);
	if (n < 0)
		return (int)n;
	line = strstr(status, "\nPPid:");
	if (!line || sscanf(line, "\nPPid: %31s", parent) != 1 ||
	    !streq(parent, KTHREADD))
		return -ENOENT;
	*ret = status_value(status, key);
	return *ret ? 0 : -EBADMSG;
}

static int read_comm(const struct sysroot *root, unsigned pid, char ret[static COMM_MAX])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	n = sysroot_read(root, path, ret, COMM_MAX);
	if (n < 0)
		return (int)n;
	return str_after(ret, PREFIX) ? 0 : -ENOENT;
}

struct scan {
	const struct sysroot *root;
	const char *ifname;
	struct threads *threads;
};

static void insert(struct threads *threads, struct thread t)
{
	unsigned i = threads->n++;

	for (; i; i--) {
		const struct thread *before = &threads->items[i - 1];

		if (before->id < t.id || (before->id == t.id && before->pid < t.pid))
			break;
		threads->items[i] = *before;
	}
	threads->items[i] = t;
}

static int look_at(void *ctx, const char *name)
{
	char comm[COMM_MAX], status[STATUS_MAX], *cpus;
	struct scan *scan = ctx;
	struct thread t = { 0 };
	int r;

	if (name[strspn(name, "0123456789")] || strlen(name) > 9)
		return 0;
	t.pid = (unsigned)strtoul(name, NULL, 10);
	if (read_comm(scan->root, t.pid, comm) < 0)
		return 0;
	r = name_id(comm, scan->ifname, &t.id);
	if (r < 0 || (r == 1 && is_ambiguous(scan->root, comm, scan->ifname)) ||
	    read_status(scan->root, t.pid, "Cpus_allowed_list", status, &cpus) < 0 ||
	    scan->threads->n == THREADS_MAX)
		return 0;
	insert(scan->threads, t);
	return 0;
}

static int find_threads(const struct sysroot *root, const char *ifname,
			struct threads *ret)
{
	struct scan scan = { root, ifname, ret };
	int r;

	ret->n = 0;
	r = each_name(root, "/proc", look_at, &scan);
	return r == -ENOENT ? 0 : r;
}

/* The K-th thread of the target's interface; target.order may be its process id. */
static int find_thread(struct system *sys, const struct target *t, unsigned *ret)
{
	char ifname[IF_NAMESIZE], comm[COMM_MAX];
	struct threads threads;
	const char *rest, *digits;
	unsigned long k;
	int r;

	r = steering_ifname(sys, t, ifname, &rest);
	if (r < 0)
		return r;
	digits = str_after(rest, "/napi/");
	if (!digits || !*digits)
		return -ENOENT; /* it has no threads now */
	if (t->order && read_comm(&sys->root, t->order, comm) == 0 &&
	    streq(comm, t->name)) {
		*ret = t->order;
		return 0;
	}
	k = strtoul(digits, NULL, 10);
	r = find_threads(&sys->root, ifname, &threads);
	if (r < 0)
		return r;
	if (k >= threads.n)
		return -ENOENT;
	*ret = threads.items[k].pid;
	return 0;
}

/* Whether another thread's name is cut to the same. */
static bool is_twin(const struct threads *threads, unsigned k)
{
	const struct thread *t = &threads->items[k];

	return (k && t[-1].id == t->id) || (k + 1 < threads->n && t[1].id == t->id);
}

static int add_thread(struct system *sys, const struct target *nic,
		      const struct threads *threads, unsigned k, struct target_list *list)
{
	const struct thread *thread = &threads->items[k];
	char path[SYSROOT_PATH_MAX], name[COMM_MAX];
	struct target *t;
	int r;

	if (is_twin(threads, k) || read_comm(&sys->root, thread->pid, name) < 0)
		snprintf(name, sizeof(name), PREFIX "%.15s-?%u", nic->name, k);
	if (snprintf(path, sizeof(path), "%s/napi/%u", nic->path, k) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	r = target_add(list, name, path, thread->pid, nic->ifindex);
	if (r < 0)
		return r;
	t = &list->targets[list->n - 1];
	t->index = k;
	t->siblings = threads->n;
	return 0;
}

static bool is_threaded(struct system *sys, const struct target *nic)
{
	struct value v;

	return steering_threaded_get(sys, NULL, nic, &v) == 0 && v.flag;
}

static int add_threads(struct system *sys, const struct target *nic,
		       struct target_list *list)
{
	char path[SYSROOT_PATH_MAX], name[COMM_MAX];
	struct threads threads = { .n = 0 };
	int r = 0;

	if (is_threaded(sys, nic))
		r = find_threads(&sys->root, nic->name, &threads);
	for (unsigned k = 0; k < threads.n && r == 0; k++)
		r = add_thread(sys, nic, &threads, k, list);
	if (r < 0 || threads.n)
		return r;
	/* it may have them once "threaded" is written: a row that stands for them */
	snprintf(name, sizeof(name), PREFIX "%.15s", nic->name);
	if (snprintf(path, sizeof(path), "%s/napi", nic->path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return target_add(list, name, path, 0, nic->ifindex);
}

int steering_napi_each(struct system *sys, const struct setting *s,
		       const struct selector *sel, struct target_list *list)
{
	struct target_list nics = { 0 };
	int r = nic_each(sys, s, sel, &nics);

	for (size_t i = 0; i < nics.n && r == 0; i++)
		r = add_threads(sys, &nics.targets[i], list);
	target_list_clear(&nics);
	return r;
}

/*
 * What was asked for, offline CPUs too. sched_getaffinity() shows only those online:
 * putting that back would keep the thread off the others for good.
 */
int steering_napi_get(struct system *sys, const struct setting *s, const struct target *t,
		      struct value *ret)
{
	char status[STATUS_MAX], *list;
	struct cpus set;
	unsigned pid;
	int r = find_thread(sys, t, &pid);

	if (r == 0)
		r = read_status(&sys->root, pid, "Cpus_allowed_list", status, &list);
	if (r == 0)
		r = cpus_parse_list(list, &set);
	if (r < 0)
		return r;
	*ret = value_cpus(&set);
	return KNOB_READ;
}

int steering_napi_set(struct system *sys, const struct setting *s, const struct target *t,
		      const struct value *v)
{
	char status[STATUS_MAX], *list;
	cpu_set_t set;
	unsigned pid;
	int r;

	if (!sys->root.live)
		return -EOPNOTSUPP;
	r = find_thread(sys, t, &pid);
	if (r == 0)
		r = read_status(&sys->root, pid, "Cpus_allowed_list", status, &list);
	if (r < 0)
		return r;
	CPU_ZERO(&set);
	for (unsigned cpu = 0; cpu < CPUS_MAX && cpu < CPU_SETSIZE; cpu++)
		if (cpus_test(&v->cpus.set, cpu))
			CPU_SET(cpu, &set);
	return sched_setaffinity((pid_t)pid, sizeof(set), &set) < 0 ? -errno : 0;
}

int steering_napi_expect(struct system *sys, const struct setting *s,
			 const struct target *t, const struct value *asked,
			 struct expectation *ret)
{
	struct value now = { 0 };
	struct cpus set, online;
	int r;

	*ret = (struct expectation) { .want = *asked, .outcome = OUTCOME_OK };
	r = steering_resolve(sys, asked, &set, ret->note);
	if (r < 0)
		return r;
	if (cpus_empty(&set)) {
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("a thread needs a CPU to run on"));
		return -ERANGE;
	}
	ret->want = value_cpus(&set);
	online = knob_cpus(sys)->online;
	online = cpus_and(&set, &online);
	r = steering_napi_get(sys, s, t, &now);
	if (cpus_empty(&online)) {
		/* sched_setaffinity(): EINVAL without a CPU that is online */
		ret->outcome = OUTCOME_MISSING;
		ret->error = -ENODEV;
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("none of these CPUs is online"));
	} else if (!sys->root.live && r != -ENODEV && !value_equal(&now, &ret->want)) {
		ret->outcome = OUTCOME_UNSUPPORTED;
		ret->error = -EOPNOTSUPP;
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("not on a recorded board"));
	} else if (r == -ENOENT) {
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("it has no NAPI threads now; they come with threaded = on"));
	}
	return 0;
}
