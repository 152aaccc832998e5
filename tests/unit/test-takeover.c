// SPDX-License-Identifier: GPL-2.0-or-later
// test-takeover.c - rivals disabled and given back, also when killed in between
#include "engine/takeover.h"

#include "tap.h"

#include "fixture.h"

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
	ok(!sysroot_exists(&f->sys.root, TAKEOVER_RECORD), "then there is no record");

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
	ok(!sysroot_exists(&f->sys.root, TAKEOVER_RECORD), "no record is left");
}

static void write_state(struct fixture *f, const char *state)
{
	_cleanup_free_ char *text = NULL;
	json_t *doc;

	if (sysroot_read_all(&f->sys.root, TAKEOVER_RECORD, &text) < 0)
		fixture_fail(TAKEOVER_RECORD);
	doc = json_loads(text, 0, NULL);
	json_object_set_new(doc, "state", json_string(state));
	free(text);
	text = json_dumps(doc, 0);
	json_decref(doc);
	fixture_file(f, TAKEOVER_RECORD, text);
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
		ssize_t n = sysroot_read_all(&f->sys.root, TAKEOVER_RECORD, &text);

		for (size_t i = 0; i < k; i++)
			put(f, i, false);
		write_state(f, "giving");
		is_int(takeover_finish(&f->sys, &report), 0, "finish to give");
		takeover_report_clear(&report);
		are_links(f, false, "all is given back");
		ok(n > 0 && !sysroot_exists(&f->sys.root, TAKEOVER_RECORD), "no record");
		for (size_t i = 0; i < N_LINKS; i++)
			put(f, i, true);
		fixture_data(f, TAKEOVER_RECORD, text, n);
	}
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
		fixture_file(f, TAKEOVER_RECORD, bad[i]);
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
	test_all(&f);
	test_killed(&f);
	test_changed(&f);
	test_hostile(&f);
	fixture_close(&f);
	return done();
}
