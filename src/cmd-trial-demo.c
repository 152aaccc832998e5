// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-trial-demo.c - trial --demo: two namespaces of this machine, joined by a veth pair
#include "cmd-trial.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kernel/veth.h"
#include "measure/server.h"

#define DEMO_NIC "bt-demo0"
#define DEMO_PEER_NIC "bt-demo1"
/* TEST-NET-1 of RFC 5737: nobody's addresses. */
#define DEMO_ADDRESS "192.0.2.1"
#define DEMO_PEER_ADDRESS "192.0.2.2"
#define DEMO_PREFIX 30
#define DEMO_DIR "/run/boardtune-demo"
#define DEMO_PROFILE "demo-offloads.ini"
#define DEMO_TIMEOUT 10.0 /* of the peer's server, for each wait */

/* As data/profiles/demo-offloads.ini: the demo works before anything is installed. */
static const char demo_profile[] = "[main]\n"
				   "summary = segmentation offloads of the demo\n"
				   "\n"
				   "[net:demo]\n"
				   "Name = bt-demo*\n"
				   "tso = on\n"
				   "gso = on\n";

/* Off at the start, so that the profile has something to turn on. */
static const char *const demo_features[] = {
	"tx-tcp-segmentation",	      "tx-tcp-ecn-segmentation",
	"tx-tcp-mangleid-segmentation", "tx-tcp6-segmentation",
	"tx-generic-segmentation",
};

/* Options of the trial; those that are not fixed yield to the user's. */
static const struct {
	enum option_id id;
	const char *value;
	bool fixed;
} demo_options[] = {
	{ OPT_PEER, DEMO_PEER_ADDRESS, true },
	{ OPT_PORT, NULL, true },
	{ OPT_NIC, DEMO_NIC, true },
	{ OPT_KEEP, "never", true }, /* it ends with the namespace anyway */
	{ OPT_YES, "", true },
	{ OPT_NO_WAIT, "", true }, /* a namespace has no NIC, and no heat of its own */
	{ OPT_CELLS, "ipv4-tx,ipv4-rx", false },
	{ OPT_PAIRS, "8", false },
	{ OPT_TIME, "2", false },
	{ OPT_OMIT, "0", false }, /* a veth pair has no slow start to speak of */
};

/* Sysctls that forbid user namespaces, and the value with which they do. */
static const struct {
	const char *path, *name;
	unsigned long forbids;
	const char *allow;
} demo_sysctls[] = {
	{ "/proc/sys/kernel/unprivileged_userns_clone",
	  "kernel.unprivileged_userns_clone", 0, "1" },
	{ "/proc/sys/user/max_user_namespaces", "user.max_user_namespaces", 0, "10000" },
	{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	  "kernel.apparmor_restrict_unprivileged_userns", 1, "0" },
};

/* The process that is the peer: it lives in a network namespace of its own. */
struct demo_peer {
	pid_t pid;
	int fd; /* of a socket pair; its end ends the peer */
};

static int forbidden(const struct cmd *c, const char *what, int error)
{
	cmd_error(_("the demo needs a namespace of its own: %s: %s"), what,
		  strerror(-error));
	for (size_t i = 0; i < ARRAY_SIZE(demo_sysctls); i++) {
		unsigned long value;

		if (sysroot_read_ulong(&c->sys.root, demo_sysctls[i].path, &value) == 0 &&
		    value == demo_sysctls[i].forbids)
			cmd_error(_("%s is %lu and forbids it to ordinary users; try "
				    "\"sudo sysctl %s=%s\", or run the demo with sudo"),
				  demo_sysctls[i].name, value, demo_sysctls[i].name,
				  demo_sysctls[i].allow);
	}
	return EXIT_NOT_PERMITTED;
}

static int write_proc(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n < 0)
		return -errno;
	return (size_t)n == strlen(text) ? 0 : -EIO;
}

/* Root of a new user namespace, which owns the other two (user_namespaces(7)). */
static int enter_as_user(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char map[64];
	int r;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) < 0)
		return -errno;
	r = write_proc("/proc/self/setgroups", "deny");
	if (r < 0 && r != -ENOENT) /* before 3.19 */
		return r;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	r = write_proc("/proc/self/uid_map", map);
	if (r < 0)
		return r;
	snprintf(map, sizeof(map), "0 %u 1", gid);
	return write_proc("/proc/self/gid_map", map);
}

static int mount_private(void)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0)
		return -errno;
	/* sysfs shows the network namespace of whoever mounts it. */
	if (mount("sysfs", "/sys", "sysfs", flags, NULL) < 0)
		return -errno;
	if (mount("tmpfs", "/run", "tmpfs", flags, "mode=0755,size=16m") < 0)
		return -errno;
	if (mount("tmpfs", "/var/lib", "tmpfs", flags, "mode=0755,size=64m") < 0)
		return -errno;
	return mkdir(DEMO_DIR, 0755) < 0 || chdir(DEMO_DIR) < 0 ? -errno : 0;
}

/* Everything below happens in namespaces that end with this process. */
static int enter(struct cmd *c)
{
	int r = 0;

	if (unshare(CLONE_NEWNS | CLONE_NEWNET) < 0)
		r = errno == EPERM ? enter_as_user() : -errno;
	if (r < 0)
		return forbidden(c, "unshare", r);
	r = mount_private();
	if (r < 0)
		return forbidden(c, "mount", r);
	/* What is open still sees the mounts of before. */
	system_close(&c->sys);
	r = board_open_live(&c->sys);
	if (r == 0)
		return 0;
	cmd_error("/: %s", strerror(-r));
	return EXIT_NOT_PERMITTED;
}

static int raise_link(struct nl *nl, const char *name, const char *address)
{
	struct in_addr in;
	int r;

	inet_pton(AF_INET, address, &in);
	r = veth_address_add(nl, name, in, DEMO_PREFIX);
	if (r == 0)
		r = veth_up(nl, name);
	return r < 0 ? r : veth_up(nl, "lo");
}

/* One byte to the other side, or from it: 0 is well, else an errno. */
static int say(int fd, int error)
{
	unsigned char byte = -error;

	return write(fd, &byte, 1) == 1 ? 0 : -errno;
}

static int hear(int fd)
{
	unsigned char byte;
	ssize_t n = read(fd, &byte, 1);

	if (n < 0)
		return -errno;
	return n == 0 ? -EPIPE : -(int)byte;
}

/* In the peer: wait for the link, then listen. Returns a descriptor or -errno. */
static int peer_listen(int fd)
{
	_cleanup_free_ struct nl *nl = malloc(sizeof(*nl));
	int r;

	if (!nl)
		return -ENOMEM;
	if (unshare(CLONE_NEWNET) < 0)
		return -errno;
	r = say(fd, 0);
	if (r == 0)
		r = hear(fd);
	if (r == 0)
		r = nl_open(NETLINK_ROUTE, nl);
	if (r < 0)
		return r;
	r = raise_link(nl, DEMO_PEER_NIC, DEMO_PEER_ADDRESS);
	nl_close(nl);
	return r < 0 ? r : server_listen(GATE_PORT);
}

_Noreturn static void peer_main(int fd, pid_t parent)
{
	struct server_config config = { .stop_fd = fd, .timeout = DEMO_TIMEOUT };

	/* Ctrl-C at the terminal is for the parent, which ends us. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	config.listen_fd = peer_listen(fd);
	if (say(fd, config.listen_fd < 0 ? config.listen_fd : 0) < 0 ||
	    config.listen_fd < 0)
		_exit(1);
	_exit(server_run(&config) < 0 ? 1 : 0);
}

static int peer_start(struct demo_peer *ret)
{
	pid_t parent = getpid(), pid;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		int error = -errno;

		close(fds[0]);
		close(fds[1]);
		return error;
	}
	if (pid == 0) {
		close(fds[0]);
		peer_main(fds[1], parent);
	}
	close(fds[1]);
	*ret = (struct demo_peer){ .pid = pid, .fd = fds[0] };
	return hear(fds[0]);
}

static void peer_stop(struct demo_peer *p)
{
	if (p->pid <= 0)
		return;
	close_fd(&p->fd);
	kill(p->pid, SIGTERM);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
}

static int links_make(struct demo_peer *p)
{
	_cleanup_free_ struct nl *nl = malloc(sizeof(*nl));
	int r;

	if (!nl)
		return -ENOMEM;
	r = nl_open(NETLINK_ROUTE, nl);
	if (r < 0)
		return r;
	r = veth_add(nl, DEMO_NIC, DEMO_PEER_NIC, p->pid);
	if (r == 0)
		r = raise_link(nl, DEMO_NIC, DEMO_ADDRESS);
	nl_close(nl);
	if (r == 0)
		r = say(p->fd, 0);
	return r < 0 ? r : hear(p->fd);
}

static int features_off(struct cmd *c)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(demo_features) && r == 0; i++) {
		r = ethtool_feature_set(&c->sys.ethtool, DEMO_NIC, demo_features[i],
					false);
		if (r == -EOPNOTSUPP) /* this kernel has no such feature */
			r = 0;
	}
	return r;
}

static int demo_prepare(struct cmd *c, struct demo_peer *p)
{
	int r;

	r = sysroot_replace(&c->sys.root, DEMO_DIR "/" DEMO_PROFILE, demo_profile,
			    strlen(demo_profile), 0644);
	if (r == 0)
		r = peer_start(p);
	if (r == 0)
		r = links_make(p);
	if (r == 0)
		r = features_off(c);
	if (r == 0)
		return 0;
	cmd_error(_("the demo's two namespaces could not be set up: %s"), strerror(-r));
	return r == -EPERM || r == -EACCES ? EXIT_NOT_PERMITTED :
					     EXIT_NOTHING_TO_DO_IT_WITH;
}

int trial_demo(struct cmd *c)
{
	struct demo_peer peer = { .fd = -1 };
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(demo_options); i++)
		if (demo_options[i].fixed ||
		    (!c->opt[demo_options[i].id] &&
		     !(demo_options[i].id == OPT_PAIRS && c->opt[OPT_QUICK])))
			c->opt[demo_options[i].id] = demo_options[i].value;
	r = enter(c);
	if (r)
		return r;
	if (!c->quiet)
		fprintf(stderr, "%s\n",
			_("A trial between two namespaces of this machine; nothing of "
			  "the machine itself\nis changed. The profile turns TSO and "
			  "GSO on."));
	r = demo_prepare(c, &peer);
	if (r == 0)
		r = trial_main(c, DEMO_PROFILE, false);
	peer_stop(&peer);
	return r;
}
