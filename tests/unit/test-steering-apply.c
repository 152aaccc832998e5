// SPDX-License-Identifier: GPL-2.0-or-later
// test-steering-apply.c - steering and sysctl rows through plan, apply and undo
#include "engine-fixture.h"

#define ETH0 "/sys/devices/platform/fe300000.ethernet/net/eth0"
#define ETH1 "/sys/devices/pci0000:00/0000:00:00.0/0000:01:00.0/net/eth1"

static struct outcome_of apply_lines(struct system *sys, const char *lines)
{
	spit("lines.ini", lines);
	return apply_to(sys, "./lines.ini", (struct apply_options) { .stop_fd = -1 });
}

static const char *text_at(struct system *sys, const char *path)
{
	static char text[512];
	ssize_t n = sysroot_read(&sys->root, path, text, sizeof(text));

	return n < 0 ? errno_name(n) : text;
}

#define is_text(path, want) is_str(text_at(&sys, path), want, "%s is '%s'", path, want)

static const struct change *row_of(const struct plan *plan, const char *target,
				   const char *key)
{
	for (size_t i = 0; i < plan->n; i++)
		if (streq(plan->changes[i].target.name, target) &&
		    streq(change_key(&plan->changes[i]), key))
			return &plan->changes[i];
	ok(false, "a row %s of %s", key, target);
	return &plan->changes[0];
}

static void is_outcome(const struct plan *plan, const char *target, const char *key,
		       const char *want)
{
	is_str(outcome_name(row_of(plan, target, key)->outcome), want, "%s of %s", key,
	       target);
}

static const char all_lines[] = "[net:wan]\n"
				"Name = eth0\n"
				"threaded = on\n"
				"rps_cpus = 3-5\n"
				"rps_flow_cnt = 100\n"
				"-xps_cpus = all\n"
				"[net:lan]\n"
				"Name = eth1\n"
				"-threaded = on\n"
				"rps_cpus = big\n"
				"xps_cpus = none\n"
				"[sysctl]\n"
				"net.core.rps_sock_flow_entries = 40000\n"
				"net.ipv4.tcp_rmem = 4096 131072  8388608\n"
				"net.ipv4.ip_local_reserved_ports = 8080\n"
				"net.ipv4.conf.eth1/100.rp_filter = 1\n"
				"-net.ipv4.conf.eth7.rp_filter = 1\n"
				"-net.core.no_such_thing = 1\n"
				"-kernel.ngroups_max = 1\n"
				"net.ipv4.conf.all.rp_filter = 2\n";

static const struct {
	const char *target, *key, *outcome;
} all_outcomes[] = {
	{ "eth0", "threaded", "changed" },
	/* the mask of a recording keeps the offline CPU 5, which a kernel drops */
	{ "eth0/rx-0", "rps_cpus", "changed" },
	{ "eth0/rx-0", "rps_flow_cnt", "rounded" },
	{ "eth0/tx-0", "xps_cpus", "unsupported" },
	{ "eth1", "threaded", "unsupported" },
	{ "eth1/rx-1", "rps_cpus", "changed" },
	{ "eth1/tx-1", "xps_cpus", "changed" },
	{ "net.core.rps_sock_flow_entries", NULL, "rounded" },
	{ "net.ipv4.tcp_rmem", NULL, "changed" },
	{ "net.ipv4.conf.eth7.rp_filter", NULL, "missing" },
	{ "net.core.no_such_thing", NULL, "unsupported" },
	{ "kernel.ngroups_max", NULL, "fixed" },
	{ "net.ipv4.conf.all.rp_filter", NULL, "ok" },
};

/* As a board is saved, without what was written to it. */
static char *state_of(struct system *sys)
{
	_cleanup_free_ char *text = saved(sys);

	return without_writes(text);
}

static void check_applied(struct system *psys)
{
	struct outcome_of o = apply_lines(psys, all_lines);
	struct system sys = *psys;

	is_int(o.result, APPLY_DONE, "applied");
	for (size_t i = 0; i < ARRAY_SIZE(all_outcomes); i++)
		is_outcome(&o.plan, all_outcomes[i].target,
			   all_outcomes[i].key ? all_outcomes[i].key
					       : all_outcomes[i].target,
			   all_outcomes[i].outcome);
	ok(row_of(&o.plan, "eth0/rx-0", "rps_cpus")->rounded.type, "to be rounded");
	ok(strstr(row_of(&o.plan, "eth1", "threaded")->note, "is down"), "says why");
	plan_clear(&o.plan);
	is_text(ETH0 "/threaded", "1");
	is_text(ETH0 "/queues/rx-0/rps_cpus", "38");
	is_text(ETH0 "/queues/rx-0/rps_flow_cnt", "128");
	is_text(ETH1 "/queues/rx-0/rps_cpus", "10");
	is_text(ETH1 "/queues/rx-2/rps_cpus", "10");
	is_text(ETH1 "/queues/tx-0/xps_cpus", "00");
	is_text("/proc/sys/net/core/rps_sock_flow_entries", "65536");
	is_text("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 8388608");
	is_text("/proc/sys/net/ipv4/conf/eth1.100/rp_filter", "1");
}

static void test_all(void)
{
	_cleanup_free_ char *before = NULL, *after = NULL;
	struct board_error error = { 0 };
	struct system sys = SYSTEM_INIT;

	is_int(board_open_recording(board_path, &sys, &error), 0, "board opens");
	before = state_of(&sys);
	check_applied(&sys);
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "undone");
	is_text("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456");
	/* a kernel prints its own blanks again; a recording keeps what was written */
	is_int(sysroot_write(&sys.root, "/proc/sys/net/ipv4/tcp_rmem",
			     "4096\t131072\t6291456"),
	       0, "as the kernel prints it");
	after = state_of(&sys);
	is_str(after, before, "every queue, flag and parameter is as before");
	system_close(&sys);
}

/* What plan knows beforehand stops before the first write. */
static void test_refused(const char *lines, const char *what)
{
	_cleanup_free_ char *before = NULL, *after = NULL;
	struct board_error error = { 0 };
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;

	is_int(board_open_recording(board_path, &sys, &error), 0, "board opens");
	before = saved(&sys);
	o = apply_lines(&sys, lines);
	ok(o.r == -EBADMSG || o.result != APPLY_DONE, "refused: %s", what);
	after = saved(&sys);
	is_str(after, before, "nothing was written: %s", what);
	plan_clear(&o.plan);
	system_close(&sys);
}

int main(void)
{
	_cleanup_free_ char *full = NULL;
	char path[400];

	in_srcdir(path, sizeof(path), "tests/boards/unit/steering.board");
	full = realpath(path, NULL);
	if (!full)
		return 99;
	sandbox_enter();
	snprintf(board_path, sizeof(board_path), "%s", full);
	test_all();
	test_refused("[net:a]\nName = eth*\nrps_cpus = 6\n", "a CPU too many");
	test_refused("[net:a]\nName = eth*\nrps_cpus = 5\n", "an offline CPU");
	test_refused("[net:a]\nName = eth0\nrps_cpus = 1\nxps_cpus = 1\n", "one queue");
	test_refused("[net:a]\nName = eth0\nrps_cpus = 1\n[net:b]\nName = eth*\n"
		     "rps_cpus = 2\n",
		     "two sections for one queue");
	test_refused("[net:a]\nName = eth0\nrps_cpus = 1\nnapi.affinity = 1\n",
		     "no threads");
	test_refused("[sysctl]\nnet.core.somaxconn = 1\nnet/core/somaxconn = 2\n",
		     "one parameter by two names");
	test_refused("[sysctl]\nnet.core.somaxconn = 1\nnet..core = 2\n", "no name");
	test_refused("[sysctl]\nnet.core.somaxconn = 1\nkernel/../../x = 2\n",
		     "out of /proc/sys");
	test_refused("[sysctl]\nnet.core.somaxconn = 1\nkernel.ngroups_max = 2\n",
		     "read-only");
	sandbox_leave();
	return done();
}
