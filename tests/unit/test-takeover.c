// SPDX-License-Identifier: GPL-2.0-or-later
// test-takeover.c - rivals disabled and given back, also when killed in between
#include "engine/takeover.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tap.h"

#include "fixture.h"

#define RECORD "/var/lib/boardtune/" TAKEOVER_RECORD

#define CONFIG "/etc/systemd/system/"
#define WANT CONFIG "multi-user.target.wants/irqbalance.service"
#define PPD "power-profiles-daemon.service"
#define UNITS "/usr/lib/systemd/system/"

/* Each link, as it is before and when taken over; NULL: none. */
static const struct {
	const char *path, *before, *taken;
} links[] = {
	{ WANT, UNITS "irqbalance.service", NULL },
	{ CONFIG "graphical.target.wants/" PPD, UNITS PPD, NULL },
	{ CONFIG PPD, NULL, "/dev/null" },
	{ "/etc/rc2.d/S01cpufrequtils", "../init.d/cpufrequtils", NULL },
	{ "/etc/rc2.d/K01cpufrequtils", NULL, "../init.d/cpufrequtils" },
	/* writes nothing that the profile sets: stays */
	{ CONFIG "multi-user.target.wants/thermald.service", UNITS "thermald.service",
	  UNITS "thermald.service" },
};

#define N_LINKS 6
#define FAMILIES (RIVAL_IRQ | RIVAL_CPUFREQ)

static void put(struct fixture *f, size_t i, bool taken)
{
	const char *target = taken ? links[i].taken : links[i].before;

	if (sysroot_unlink(&f->sys.root, links[i].path) < 0 && errno != ENOENT)
		fixture_fail(links[i].path);
	if (target)
		fixture_link(f, links[i].path, target);
}

static void are_links(struct fixture *f, bool taken, const char *what)
{
	char target[SYSROOT_PATH_MAX];
	size_t good = 0;

	for (size_t i = 0; i < N_LINKS; i++) {
		const char *want = taken ? links[i].taken : links[i].before;
		int r = sysroot_readlink(&f->sys.root, links[i].path, target,
					 sizeof(target));

		if (want ? r == 0 && streq(want, target) : r == -ENOENT)
			good++;
		else
			printf("# %s: %s\n", links[i].path, r < 0 ? "none" : target);
	}
	is_int(good, N_LINKS, "%s", what);
}

static int take(struct fixture *f, unsigned families, struct takeover_report *report)
{
	_cleanup_rivals_ struct rival_list list = { 0 };
	int bus;

	is_int(rivals_find(&f->sys, &list, &bus), 0, "rivals are looked for");
	return takeover_take(&f->sys, &list, families, report);
}

static void make_image(struct fixture *f)
{
	fixture_file(f, UNITS "irqbalance.service", "[Unit]\n");
	fixture_file(f, UNITS PPD, "[Unit]\n");
	fixture_file(f, UNITS "thermald.service", "[Unit]\n");
	fixture_file(f, "/etc/init.d/cpufrequtils", "#!/bin/sh\n");
	for (size_t i = 0; i < N_LINKS; i++)
		put(f, i, false);
}

static void test_take_give(struct fixture *f)
{
	struct takeover_report report = { 0 };

	is_int(takeover_give(&f->sys, &report), 1, "nothing to give back");
	is_int(takeover_finish(&f->sys, &report), 1, "nothing to finish");
	is_int(take(f, RIVAL_STEERING, &report), 1, "nobody writes that");
	ok(!sysroot_exists(&f->sys.root, RECORD), "then there is no record");

	is_int(take(f, RIVAL_IRQ, &report), 0, "those of one family");
	is_str(report.done, "irqbalance", "are one");
	takeover_report_clear(&report);
	is_int(takeover_has(&f->sys.root, "irqbalance"), 1, "it is in the record");
	is_int(takeover_has(&f->sys.root, "thermald"), 0, "another is not");
	is_int(take(f, RIVAL_STEERING, &report), 1, "nobody else");
	is_int(takeover_give(&f->sys, &report), 0, "give it back");
	is_str(report.done, "irqbalance", "it is the one");
	takeover_report_clear(&report);
	are_links(f, false, "every link is as it was");
	ok(!sysroot_exists(&f->sys.root, RECORD), "no record is left");
}

static void write_state(struct fixture *f, const char *state)
{
	_cleanup_free_ char *text = NULL;
	json_t *doc;

	if (sysroot_read_all(&f->sys.root, RECORD, &text) < 0)
		fixture_fail(RECORD);
	doc = json_loads(text, 0, NULL);
	json_object_set_new(doc, "state", json_string(state));
	free(text);
	text = json_dumps(doc, 0);
	json_decref(doc);
	fixture_file(f, RECORD, text);
}

/* Killed after k of the links: with the record, the next command ends it. */
static void test_killed(struct fixture *f)
{
	struct takeover_report report = { 0 };

	/* thermald writes clocks, too: left alone here */
	put(f, 5, false);
	for (size_t k = 0; k < N_LINKS; k++) {
		for (size_t i = k; i < N_LINKS; i++)
			put(f, i, false);
		write_state(f, "taking");
		is_int(takeover_finish(&f->sys, &report), 0, "finish to take");
		takeover_report_clear(&report);
		are_links(f, true, "all is taken");
		is_int(takeover_finish(&f->sys, &report), 1, "nothing more to finish");
	}
	for (size_t k = 0; k < N_LINKS; k++) {
		_cleanup_free_ char *text = NULL;
		ssize_t n = sysroot_read_all(&f->sys.root, RECORD, &text);

		for (size_t i = 0; i < k; i++)
			put(f, i, false);
		write_state(f, "giving");
		is_int(takeover_finish(&f->sys, &report), 0, "finish to give");
		takeover_report_clear(&report);
		are_links(f, false, "all is given back");
		ok(n > 0 && !sysroot_exists(&f->sys.root, RECORD), "no record");
		for (size_t i = 0; i < N_LINKS; i++)
			put(f, i, true);
		fixture_data(f, RECORD, text, n);
	}
}

/* ---- kill -9 before the k-th system call that changes something, for each of them */

/* Links that are not as wanted, quietly. */
static size_t count_wrong(struct fixture *f, bool taken)
{
	char target[SYSROOT_PATH_MAX];
	size_t wrong = 0;

	for (size_t i = 0; i < N_LINKS; i++) {
		const char *want = taken ? links[i].taken : links[i].before;
		int r = sysroot_readlink(&f->sys.root, links[i].path, target,
					 sizeof(target));

		wrong += want ? r < 0 || !streq(want, target) : r != -ENOENT;
	}
	return wrong;
}

static int quiet_take(struct fixture *f, struct takeover_report *report)
{
	_cleanup_rivals_ struct rival_list list = { 0 };
	int bus, r = rivals_find(&f->sys, &list, &bus);

	return r < 0 ? r : takeover_take(&f->sys, &list, FAMILIES, report);
}

static void child(struct fixture *f, bool give)
{
	struct takeover_report report = { 0 };
	int r;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(77);
	raise(SIGSTOP);
	r = give ? takeover_give(&f->sys, &report) : quiet_take(f, &report);
	_exit(r == 0 ? 0 : 1);
}

/* Whether a stopped process is about to change something; negative: not known here. */
static int changes(pid_t pid)
{
	static const unsigned long calls[] = { SYS_renameat,
#ifdef SYS_renameat2
					       SYS_renameat2,
#endif
					       SYS_unlinkat, SYS_symlinkat, SYS_mkdirat,
					       SYS_write, SYS_fsync };
	struct __ptrace_syscall_info info = { 0 };

	/* without it the kernel does not tell what the stop is for */
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD);
	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == calls[i])
			return 1;
	return 0;
}

/* Returns 1 if killed before its k-th change, 0 if it came to its end, -1 no ptrace. */
static int kill_at(struct fixture *f, bool give, size_t k)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		child(f, give);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		int change = changes(pid);

		if (change < 0 || (change && k-- == 0)) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return change;
		}
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) == 77)
		return -1;
	if (WEXITSTATUS(status))
		fixture_fail("child");
	return 0;
}

/* What a kill has left beside links and record. */
static size_t count_leftovers(struct fixture *f)
{
	static const char *const dirs[] = { CONFIG, CONFIG "multi-user.target.wants",
					    CONFIG "graphical.target.wants",
					    "/etc/rc2.d" };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		_cleanup_list_ char **names = NULL;

		sysroot_list(&f->sys.root, dirs[i], &names);
		for (char **name = names; name && *name; name++)
			n += **name == '.';
	}
	return n;
}

/* Give back, whatever a kill has left; what is wrong after it. */
static size_t wrong_after_give(struct fixture *f)
{
	struct takeover_report report = { 0 };
	int r = takeover_give(&f->sys, &report);
	size_t wrong = r < 0 || (r == 0 && *report.kept);

	takeover_report_clear(&report);
	return wrong + count_wrong(f, false) + count_leftovers(f) +
	       sysroot_exists(&f->sys.root, RECORD);
}

/* The next enable: all is taken or, had nothing been begun, nothing. */
static size_t wrong_after_finish(struct fixture *f)
{
	struct takeover_report report = { 0 };
	int r = takeover_finish(&f->sys, &report);
	size_t wrong = r < 0 || (r == 0 && (*report.kept || *report.enabled));
	bool taken = sysroot_exists(&f->sys.root, RECORD);

	takeover_report_clear(&report);
	return wrong + count_wrong(f, taken);
}

static void test_each_kill(struct fixture *f, bool give, bool finish)
{
	struct takeover_report report = { 0 };
	size_t k = 0, wrong = 0;
	int r;

	for (;; k++) {
		if (give && quiet_take(f, &report) != 0)
			fixture_fail("take");
		takeover_report_clear(&report);
		r = kill_at(f, give, k);
		if (r < 0) {
			ok(true, "kills # SKIP no ptrace here");
			wrong_after_give(f);
			return;
		}
		if (finish)
			wrong += wrong_after_finish(f);
		wrong += wrong_after_give(f);
		if (r == 0)
			break;
	}
	ok(k > 9 && wrong == 0,
	   "%s killed before each of %zu changes, then %s: as it was",
	   give ? "give" : "take", k, finish ? "finished" : "given");
}

static void test_kills(struct fixture *f)
{
	const char *preload = getenv("LD_PRELOAD");

	if (preload && strstr(preload, "vgpreload")) {
		printf("# no kills: the system calls are valgrind's own\n");
		return;
	}
	/* only those that the families name: thermald is put aside */
	if (sysroot_unlink(&f->sys.root, links[5].path) < 0 ||
	    sysroot_unlink(&f->sys.root, UNITS "thermald.service") < 0)
		fixture_fail(links[5].path);
	put(f, 5, false);
	for (int i = 0; i < 4; i++)
		test_each_kill(f, i & 1, i & 2);
}

/* ---- a unit file of the owner that the vendor has started */

static void test_owned(struct fixture *f)
{
	_cleanup_rivals_ struct rival_list list = { 0 };
	struct takeover_report report = { 0 };
	char end[RIVAL_END_MAX];
	const struct rival_state *s;
	int bus;

	fixture_file(f, CONFIG "tuned.service", "[Unit]\n");
	fixture_link(f, UNITS "multi-user.target.wants/tuned.service",
		     "../tuned.service");
	is_int(rivals_find(&f->sys, &list, &bus), 0, "rivals are looked for");
	s = rivals_writer(&list, "sysctl", "net.core.somaxconn");
	ok(s && streq(s->rival->name, "tuned"),
	   "one with a unit file of the owner works");
	ok(s && !takeover_can(s), "it cannot be disabled by links");
	is_str(s ? rival_end(s, end) : NULL,
	       "cd /etc/systemd/system && mv tuned.service tuned.service.off && "
	       "systemctl mask --now tuned.service", "but by this command");
	is_int(takeover_take(&f->sys, &list, RIVAL_SYSCTL, &report), 1,
	       "it is not claimed to be taken over");
	is_int(rival_starts(&f->sys.root, "tuned"), 1, "as it still starts");
	sysroot_unlink(&f->sys.root, UNITS "multi-user.target.wants/tuned.service");
	sysroot_unlink(&f->sys.root, CONFIG "tuned.service");
}

/* A link that somebody changed in between is left, and that it still starts is told. */
static void test_read_back(struct fixture *f)
{
	struct takeover_report report = { 0 };

	is_int(take(f, RIVAL_IRQ, &report), 0, "take");
	takeover_report_clear(&report);
	write_state(f, "taking");
	fixture_link(f, WANT, "/opt/irqbalance.service");
	is_int(takeover_finish(&f->sys, &report), 0, "finish what was killed");
	is_str(report.kept, WANT, "a link that somebody made is left");
	is_str(report.enabled, "irqbalance", "that it still starts is told");
	is_str(report.done, "", "it is not claimed to be taken over");
	takeover_report_clear(&report);
	sysroot_unlink(&f->sys.root, WANT);
	is_int(takeover_give(&f->sys, &report), 0, "give it back");
	takeover_report_clear(&report);
	are_links(f, false, "every link is as it was");
}

static void test_all(struct fixture *f)
{
	struct takeover_report report = { 0 };

	sysroot_unlink(&f->sys.root, links[5].path);
	is_int(take(f, FAMILIES, &report), 0, "take all that write these");
	is_str(report.done, "irqbalance power-profiles-daemon cpufrequtils",
	       "those that are enabled");
	is_str(report.running, "", "nothing runs in a directory");
	takeover_report_clear(&report);
	put(f, 5, true);
	are_links(f, true, "every link is as it should be");
	is_int(take(f, RIVAL_IRQ, &report), 1, "again: nothing works any more");
}

/* What somebody does after us is not undone. */
static void test_changed(struct fixture *f)
{
	struct takeover_report report = { 0 };

	fixture_link(f, WANT, "/opt/irqbalance.service");
	is_int(takeover_give(&f->sys, &report), 0, "give back");
	is_str(report.kept, WANT, "a link that somebody changed is named");
	is_str(fixture_text(f, "/etc/rc2.d/K01cpufrequtils"), "", "the others are back");
	takeover_report_clear(&report);
	put(f, 0, false);
	are_links(f, false, "and as they were");
}

static void test_hostile(struct fixture *f)
{
	static const char *const bad[] = {
		"", "[]", "{\"schema\": 1}",
		"{\"schema\": 2, \"state\": \"taken\", \"rivals\": []}",
		"{\"schema\": 1, \"state\": \"held\", \"rivals\": []}",
		"{\"schema\": 1, \"state\": \"taken\", \"rivals\": [1]}",
		"{\"schema\": 1, \"state\": \"taken\", \"rivals\": [{\"name\": \"x\", "
		"\"unit\": null, \"active\": false, \"links\": [{\"path\": "
		"\"/etc/shadow\", \"from\": \"x\", \"to\": null}]}]}",
		"{\"schema\": 1, \"state\": \"taken\", \"rivals\": [{\"name\": \"x\", "
		"\"unit\": null, \"active\": false, \"links\": [{\"path\": "
		"\"/etc/systemd/system/../../shadow\", \"from\": \"x\", \"to\": "
		"null}]}]}",
		"{\"schema\": 1, \"state\": \"taken\", \"rivals\": [{\"name\": \"x\", "
		"\"unit\": null, \"active\": false, \"links\": [{\"path\": "
		"\"/etc/rc2.d/S01x\", \"from\": 7, \"to\": null}]}]}",
	};
	struct takeover_report report = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		fixture_file(f, RECORD, bad[i]);
		is_int(takeover_give(&f->sys, &report), -EBADMSG, "no record: %.60s",
		       bad[i]);
		is_int(take(f, FAMILIES, &report), -EBADMSG, "nor to take by");
	}
	are_links(f, false, "and nothing has changed");
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	make_image(&f);
	test_take_give(&f);
	test_owned(&f);
	test_read_back(&f);
	test_all(&f);
	test_killed(&f);
	test_changed(&f);
	test_hostile(&f);
	sysroot_unlink(&f.sys.root, RECORD);
	test_kills(&f);
	fixture_close(&f);
	return done();
}
