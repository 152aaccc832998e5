// SPDX-License-Identifier: GPL-2.0-or-later
// test-hotplug.c - the rows of one interface: which they are, applied, undone
#include "engine-fixture.h"

static const char lines[] = "[cpufreq]\n"
			    "governor = performance\n"
			    "[thermal:soc-thermal]\n"
			    "policy = fair_share\n"
			    "[net:wan]\n"
			    "Name = eth0\n"
			    "ring.rx = 1024\n"
			    "gro = off\n"
			    "irq.affinity = 1\n"
			    "rps_cpus = 2-3\n"
			    "threaded = on\n"
			    "[net:lan]\n"
			    "Name = eth1\n"
			    "gro = off\n"
			    "irq.affinity = 2\n"
			    "rps_cpus = 1\n"
			    "[net:none]\n"
			    "Name = eth7\n"
			    "gro = off\n"
			    "[sysctl]\n"
			    "net.core.somaxconn = 1000\n";

static struct plan_part nic_of(struct system *sys, const char *name)
{
	struct plan_part nic = { 0 };

	is_int(plan_part_nic(sys, name, &nic), 0, "%s is there", name);
	return nic;
}

static struct outcome_of apply_nic(struct system *sys, const char *name)
{
	struct plan_part nic = nic_of(sys, name);

	return apply_to(sys, "./lines.ini",
			(struct apply_options) { .boot = true, .part = &nic });
}

static size_t count_outcome(const struct plan *plan, enum outcome o)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++)
		n += plan->changes[i].outcome == o;
	return n;
}

static bool has_row(const struct plan *plan, const char *section, const char *key)
{
	for (size_t i = 0; i < plan->n; i++)
		if (streq(plan->changes[i].section, section) &&
		    streq(change_key(&plan->changes[i]), key))
			return true;
	return false;
}

static void is_about(const struct plan *plan, const char *section)
{
	for (size_t i = 0; i < plan->n; i++)
		is_str(plan->changes[i].section, section, "row %zu: %s of %s", i,
		       change_key(&plan->changes[i]), plan->changes[i].target.name);
}

static void test_rows(void)
{
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;

	open_board("", &sys);
	_cleanup_free_ char *before = saved(&sys);
	o = apply_nic(&sys, "eth0");
	is_int(o.r, 0, "applied");
	is_int(o.result, APPLY_DONE, "done: what eth1 and eth7 are does not count");
	is_about(&o.plan, "net:wan");
	/* also those that are looked up again after the rings */
	is_int(count_outcome(&o.plan, OUTCOME_CHANGED), 5, "five rows, all changed");
	is_int(o.plan.n, 5, "and no other");
	ok(has_row(&o.plan, "net:wan", "irq.affinity"), "its interrupt is one of them");
	ok(has_row(&o.plan, "net:wan", "rps_cpus"), "its queue");
	plan_clear(&o.plan);

	_cleanup_free_ char *record = NULL, *again = NULL;
	sysroot_read_all(&sys.root, STATE_DIR "/undo.json", &record);
	o = apply_nic(&sys, "eth0");
	is_int(o.result, APPLY_DONE, "again");
	is_int(count_outcome(&o.plan, OUTCOME_OK), 5, "five rows, all ok");
	plan_clear(&o.plan);
	sysroot_read_all(&sys.root, STATE_DIR "/undo.json", &again);
	is_str(again ? again : "", record ? record : "none", "the same record");

	o = apply_nic(&sys, "eth1");
	is_about(&o.plan, "net:lan");
	ok(o.plan.n >= 3, "eth1 has its own");
	plan_clear(&o.plan);

	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "undone");
	_cleanup_free_ char *after = saved(&sys);
	_cleanup_free_ char *is = without_writes(after), *was = without_writes(before);
	ok(streq(is, was), "both are as before");
	system_close(&sys);
}

static void test_clocks(void)
{
	static const struct plan_part clocks = { .name = "clocks" };
	struct system sys = SYSTEM_INIT;
	struct outcome_of o;

	open_board("", &sys);
	o = apply_to(&sys, "./lines.ini",
		     (struct apply_options) { .boot = true, .part = &clocks });
	is_int(o.result, APPLY_DONE, "clocks and zones");
	is_int(o.plan.n, 2, "two rows");
	ok(has_row(&o.plan, "cpufreq", "governor"), "the governor is one of them");
	ok(has_row(&o.plan, "thermal:soc-thermal", "policy"), "the zone's policy, too");
	is_int(count_outcome(&o.plan, OUTCOME_CHANGED), 2, "both are changed");
	plan_clear(&o.plan);
	system_close(&sys);
}

/* A row of an interface that went stays in no record. */
static void test_gone(void)
{
	struct plan_part gone = { .ifindex = 99, .name = "eth0" }, there;
	struct system sys = SYSTEM_INIT;
	struct plan plan = { 0 };

	open_board("", &sys);
	there = nic_of(&sys, "eth0");
	for (int i = 0; i < 3; i++) {
		struct change *c = plan_add(&plan);

		c->target.name = strdup("eth0/rx-0");
		c->target.ifindex = i == 0 ? 99 : i == 1 ? there.ifindex : 0;
	}
	plan_forget_gone(&sys, &plan);
	ok(plan.changes[0].drop, "another index: gone");
	ok(!plan.changes[1].drop, "there: kept");
	ok(!plan.changes[2].drop, "no interface: kept");
	plan_clear(&plan);
	is_int(plan_part_nic(&sys, "eth7", &gone), -ENODEV, "no such interface");
	is_int(gone.ifindex, 99, "and untouched");
	system_close(&sys);
}

static void test_names(void)
{
	static const char *const bad[] = { "", ".", "..", "a/b", "../x", "a b", "a:b",
					   "sixteen-letters-" };
	struct system sys = SYSTEM_INIT;
	struct plan_part nic;

	open_board("", &sys);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		is_int(plan_part_nic(&sys, bad[i], &nic), -EINVAL, "'%s' is no name",
		       bad[i]);
	system_close(&sys);
}

/* As the instance of boardtune-nic@.service has them: systemd-escape --mangle. */
static void test_escaped(void)
{
	static const struct {
		const char *instance, *name;
	} names[] = {
		{ "a-b", "a-b" },
		{ "a\\x2db", "a-b" },
		{ "a\\x2bb", "a+b" },
		{ "a@b", "a@b" },
		{ "\\xc3\\xbcber0", "\xc3\xbc" "ber0" },
		{ "\\x2b2345678901234\\x2b", "+2345678901234+" },
		{ "q\\xz1", "q\\xz1" },
		{ "r\\x2", "r\\x2" },
		{ "s\\x25", "s\\x25" }, /* there is one whose name that is */
	};
	static const char *const bad[] = { "\\x2e\\x2e", "a\\x2fb", "a\\x00b", "\\x20",
					   "sixteen-letters\\x2d" };
	struct system sys = SYSTEM_INIT;
	struct plan_part nic;
	char path[SYSROOT_PATH_MAX];

	open_board("", &sys);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char index[8];

		snprintf(path, sizeof(path), "/sys/class/net/%s", names[i].name);
		is_int(sysroot_mkdir_all(&sys.root, path, 0755), 0, "%s", path);
		strcat(path, "/ifindex");
		snprintf(index, sizeof(index), "%zu\n", 100 + i);
		is_int(sysroot_replace(&sys.root, path, index, strlen(index), 0644), 0,
		       "%s", path);
		is_int(plan_part_nic(&sys, names[i].instance, &nic), 0, "%s",
		       names[i].instance);
		is_str(nic.name, names[i].name, "its name");
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(plan_part_nic(&sys, bad[i], &nic) < 0, "'%s' is none", bad[i]);
	system_close(&sys);
}

static void test_wanted(void)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	struct system sys = SYSTEM_INIT;
	struct plan_part nic;

	open_board("", &sys);
	is_int(profile_load(&sys.root, "./lines.ini", &p, &errors), 0, "profile");
	nic = nic_of(&sys, "eth1");
	is_int(plan_part_wanted(&sys, p, &nic), 1, "eth1 is wanted");
	nic = nic_of(&sys, "lo");
	is_int(plan_part_wanted(&sys, p, &nic), 0, "lo is not");
	nic = (struct plan_part) { .ifindex = 0 };
	is_int(plan_part_wanted(&sys, p, &nic), 1, "clocks are");
	system_close(&sys);
}

/* eth1 is an r8152; a quirk is about it, nothing of the profile is. */
static void test_quirks(void)
{
	static const char board[] = "/etc/boardtune/quirks/a.ini <<END\n"
				    "[quirk:a]\nDriver = r8152\nreason = r\n"
				    "source = s\ngro = off\n"
				    "END\n";
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	struct system sys = SYSTEM_INIT;
	struct plan_part nic;
	struct outcome_of o;

	open_board(board, &sys);
	spit("lines.ini", "[main]\nquirks = yes\n");
	is_int(profile_load(&sys.root, "./lines.ini", &p, &errors), 0, "profile");
	nic = nic_of(&sys, "eth1");
	is_int(plan_part_wanted(&sys, p, &nic), 1, "eth1 is wanted for its quirk");
	nic = nic_of(&sys, "eth0");
	is_int(plan_part_wanted(&sys, p, &nic), 0, "eth0 is not");
	nic = (struct plan_part) { .ifindex = 0 };
	is_int(plan_part_wanted(&sys, p, &nic), 0, "clocks are not");
	o = apply_nic(&sys, "eth0");
	is_int(o.plan.n, 0, "no row of eth0");
	plan_clear(&o.plan);
	o = apply_nic(&sys, "eth1");
	is_int(count_outcome(&o.plan, OUTCOME_CHANGED), 1, "one of eth1");
	is_about(&o.plan, "quirk:a");
	plan_clear(&o.plan);
	_cleanup_free_ char *after = saved(&sys);
	ok(strstr(after, "@ethtool eth1 feature rx-gro = off"), "it is written");
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "undone");
	system_close(&sys);
}

int main(void)
{
	_cleanup_free_ char *full = NULL;
	char path[400];

	in_srcdir(path, sizeof(path), "tests/boards/nanopi-r2s.board");
	full = realpath(path, NULL);
	if (!full)
		return 99;
	sandbox_enter();
	snprintf(board_path, sizeof(board_path), "%s", full);
	spit("lines.ini", lines);
	test_rows();
	test_clocks();
	test_gone();
	test_names();
	test_escaped();
	test_wanted();
	test_quirks();
	sandbox_leave();
	return done();
}
