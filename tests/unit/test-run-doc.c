// SPDX-License-Identifier: GPL-2.0-or-later
// test-run-doc.c - saved runs read back: what is told arrives, what is wrong is named
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "measure/run-doc.h"
#include "measure/run-file.h"
#include "run-sim.h"
#include "tap.h"

#define TOO_MUCH "no run: a byte of 0, nested too deep, or too many values"
#define HEAD "\"schema\": 1, \"command\": \"trial\", \"verdict\": \"same\""

static char *run_text_make(bool bare)
{
	struct run_sim sim = { .seed = 3, .effect = 1.2, .noise = 0.005, .bare = bare };
	struct run_sim_names names = { .label = "x\x1b[31m\xe2\x80\xae<b>",
				       .pairs = 4,
				       .nic = "enx0015ab123456" };
	json_t *json = run_sim_document(&sim, &names);
	char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));

	json_decref(json);
	return text;
}

static void test_whole(void)
{
	_cleanup_(run_doc_clear) struct run_doc doc = { 0 };
	_cleanup_free_ char *text = run_text_make(false);
	char error[RUN_DOC_ERROR_MAX];
	const struct run_doc_cell *c;
	const struct run_doc_test *t;

	is_int(run_doc_parse(text, strlen(text), true, &doc, error), 0, "a run: %s",
	       error);
	is_str(doc.profile, "nanopi-neo2", "its profile");
	is_int(doc.verdict, VERDICT_BETTER, "its verdict");
	is_str(doc.label, "x?[31m?<b>", "what a terminal would act on is gone");
	is_int(doc.n_cells, 4, "its cells");
	c = run_doc_cell(&doc, "ipv6-rx");
	ok(c != NULL && run_doc_cell(&doc, "ipv9-rx") == NULL, "by name");
	is_near(c->mbps.ratio.ratio, 1.2, 0.02, "a ratio");
	ok(c->mbps.ratio.low < 1.2 && c->mbps.ratio.high > 1.2, "its interval");
	is_near(c->cpu_ms_per_gb.ratio.ratio, 1 / 1.2, 0.02, "the CPU cost");
	is_near(c->latency[TRIAL_AFTER].answers, 96, 0, "round-trip times of 4 tests");
	ok(c->latency[0].p50_ms < c->latency[0].p95_ms &&
		   c->latency[0].p95_ms <= c->latency[0].p99_ms,
	   "percentiles");
	is_near(doc.sides[TRIAL_AFTER].idle.lost, 1, 0, "an echo lost while idle");
	is_near(doc.sides[TRIAL_AFTER].mhz[0], 1296, 0.5, "a clock");
	is_int(doc.sides[TRIAL_AFTER].n_states[0], 2, "time at two clocks");
	is_near(doc.sides[TRIAL_AFTER].states[0][1].share, 0.9, 1e-6, "a share of it");
	is_int(doc.n_legs, 8, "every leg");
	is_int(doc.legs[1].side, TRIAL_AFTER, "with its side");
	t = &doc.legs[1].tests[2];
	is_str(t->name, "ipv6-tx", "a test");
	is_int(t->n_samples, 31, "its samples");
	is_near(t->samples[30].mbps, t->mbps, 0.01, "with the rate since the last one");
	ok(isnan(t->samples[3].mbps) && !t->samples[3].counting, "but not while omitted");
	is_near(t->samples[30].busy, 0.62, 1e-3, "the share of the CPUs");
	is_near(t->samples[10].at - t->at, 2, 0.01, "and its time in the trial");
	ok(t->at > doc.legs[0].tests[3].at + 5, "which goes on from leg to leg");
}

static void test_bare(void)
{
	_cleanup_(run_doc_clear) struct run_doc doc = { 0 };
	_cleanup_free_ char *text = run_text_make(true);
	char error[RUN_DOC_ERROR_MAX];

	is_int(run_doc_parse(text, strlen(text), true, &doc, error), 0,
	       "a bare board: %s", error);
	ok(isnan(doc.sides[0].celsius) && isnan(doc.sides[0].idle.p50_ms) &&
		   isnan(doc.cells[0].latency[0].p95_ms),
	   "what is not told is no number");
	is_str(doc.sensor, "", "nor a text");
	is_int(doc.sides[0].n_clocks, 0, "nor a clock");
}

static void test_redact(void)
{
	_cleanup_(run_doc_clear) struct run_doc doc = { 0 };
	_cleanup_free_ char *text = run_text_make(false), *after = NULL;
	char error[RUN_DOC_ERROR_MAX];

	run_doc_parse(text, strlen(text), true, &doc, error);
	is_int(run_doc_redact(&doc), 0, "redacted");
	after = json_dumps(doc.json, JSON_COMPACT);
	ok(strstr(text, "attic-router") && !strstr(after, "attic-router"),
	   "no host name");
	ok(strstr(text, "192.0.2.9") && !strstr(after, "192.0.2.9"), "no peer");
	ok(strstr(text, "0015ab123456") && !strstr(after, "0015ab123456"), "no address");
	is_int(doc.n_legs, 8, "all the rest is there");
	is_str(doc.profile, "nanopi-neo2", "and can be read");
}

static void refuses(const char *text, const char *want)
{
	struct run_doc doc = { .pairs = 77 };
	char error[RUN_DOC_ERROR_MAX] = "";

	is_int(run_doc_parse(text, strlen(text), true, &doc, error), -EBADMSG,
	       "refused: %s", want);
	is_str(error, want, "which is said");
	is_int(doc.pairs, 77, "and nothing is written");
}

static void test_wrong(void)
{
	static const struct {
		const char *text, *error;
	} wrong[] = {
		{ "", "line 1: no JSON" },
		{ "[]", "schema: not one that this version knows" },
		{ "{\n\"schema\": 1,\n}", "line 3: no JSON" },
		{ "{\"schema\": 1, \"schema\": 1}", "line 1: no JSON" },
		{ "{\"schema\": 2}", "schema: not one that this version knows" },
		{ "{\"schema\": \"1\"}", "schema: whole number expected" },
		{ "{\"schema\": 1}", "command: neither trial nor measure" },
		{ "{\"schema\": 1, \"command\": \"trial\"}",
		  "verdict: no verdict that is known" },
		{ "{" HEAD ", \"x\": {\"\\u001b[1m\": 1}}",
		  "a key with control characters" },
		{ "{" HEAD "}", "seconds, omit, margin: number expected" },
		{ "{" HEAD ", \"profile\": 7}", "profile: text expected" },
		{ "{" HEAD ", \"board\": []}", "board: object expected" },
		{ "{" HEAD ", \"pairs\": -1}", "pairs: whole number expected" },
		{ "{" HEAD ", \"kept\": 1}", "kept: true or false expected" },
		{ "{" HEAD ", \"seconds\": 1e300}", "seconds: number expected" },
		{ "{" HEAD ", \"cells\": {}}", "cells: list expected" },
		{ "{" HEAD ", \"cells\": [1]}", "cells[0]: object expected" },
		{ "{" HEAD ", \"cells\": [{\"family\": \"ipx\"}]}",
		  "cells[0].family: ipv4 or ipv6 expected" },
		{ "{" HEAD ", \"cells\": [{\"family\": \"ipv4\", \"direction\": 1}]}",
		  "cells[0].direction: text expected" },
		{ "{" HEAD ", \"flags\": [1]}", "flags: a list of texts expected" },
		{ "{" HEAD ", \"cells\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}",
		  "cells: too many items" },
		{ "{" HEAD ", \"clocks\": {\"before\": {\"khz\": [-1]}}}",
		  "khz: kHz expected" },
		{ "{" HEAD ", \"legs\": [{\"side\": \"middle\"}]}",
		  "legs[0].side: before or after expected" },
		{ "{" HEAD ", \"legs\": [{\"side\": \"after\", \"tests\": [{\"family\": "
		  "\"ipv4\", \"direction\": \"tx\", \"samples\": [{}, {\"khz\": 1}]}]}]}",
		  "legs[0].tests[0].samples[1].khz: list expected" },
	};
	char deep[256] = "{" HEAD ", \"x\": ";

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		refuses(wrong[i].text, wrong[i].error);
	memset(deep + strlen(deep), '[', 40);
	refuses(deep, TOO_MUCH);
	refuses("{\"a\": \"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}",
		"schema: not one that this version knows");
}

/* A small file must not become hundreds of megabytes of lists. */
static void test_many(void)
{
	static const char *const pieces[] = { "[],", "1,", "{}," };

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		size_t n = 1100000, length = strlen(pieces[i]);
		_cleanup_free_ char *text = malloc(n * length + 128);
		char *to = stpcpy(text, "{" HEAD ", \"x\": [");

		for (size_t k = 0; k < n; k++)
			to = stpcpy(to, pieces[i]);
		strcpy(to, "0]}");
		refuses(text, TOO_MUCH);
	}
}

/* Every prefix, and every byte turned over: an answer each time, and no crash. */
static void test_damaged(void)
{
	_cleanup_free_ char *text = NULL, *copy = NULL;
	struct run_sim sim = { .seed = 3, .effect = 1, .noise = 0.01 };
	struct run_sim_names names = { .pairs = 1, .cells = "ipv4-tx" };
	json_t *json = run_sim_document(&sim, &names);
	size_t refused = 0, n, tried = 0;

	text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(json);
	n = strlen(text);
	for (size_t i = 0; i < n; i += 151, tried += 2) {
		struct run_doc doc = { 0 };
		char error[RUN_DOC_ERROR_MAX];

		copy = strndup(text, i);
		refused += run_doc_parse(copy, i, true, &doc, error) == -EBADMSG;
		free(TAKE_PTR(copy));
		copy = strdup(text);
		copy[i] ^= 0x11;
		if (run_doc_parse(copy, n, true, &doc, error) < 0)
			refused++;
		else
			run_doc_clear(&doc);
		free(TAKE_PTR(copy));
	}
	ok(refused > tried / 2 && tried > 100, "%zu of %zu damaged ones refused", refused,
	   tried);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static void test_files(void)
{
	char dir[] = "/tmp/test-run-doc-XXXXXX";
	static const char *const names[] = { "20170710T161320Z-trial.json",
					     "20170710T161320Z-trial-2.json",
					     "20170710T161320Z-trial-10.json",
					     "20190101T000000Z-trial.json", "notes.txt" };
	_cleanup_(run_list_clear) struct run_list list = { 0 };
	struct sysroot root = SYSROOT_INIT;
	_cleanup_free_ char *text = NULL;
	char path[SYSROOT_PATH_MAX];

	if (!mkdtemp(dir) || sysroot_open(dir, &root) < 0)
		return (void)ok(false, "a directory");
	sysroot_mkdir_all(&root, RUN_DIR, 0755);
	is_int(run_list_read(&root, &list), 0, "an empty list");
	is_int(list.n, 0, "has nothing");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), RUN_DIR "/%s", names[i]);
		sysroot_replace(&root, path, "{}", 2, 0644);
	}
	is_int(run_list_read(&root, &list), 0, "a list");
	is_int(list.n, 4, "of what is a run");
	is_str(list.entries[0]->name, names[3], "the newest first");
	is_str(list.entries[1]->name, names[2], "the last of a second before");
	is_str(list.entries[2]->name, names[1], "the second of it");
	is_str(list.entries[3]->name, names[0], "and the first");
	is_int(run_file_load(&root, list.entries[0]->path, &text), 2, "its text");
	is_int(run_file_load(&root, RUN_DIR, &text), -EINVAL, "a directory is none");
	is_int(run_file_load(&root, RUN_DIR "/none", &text), -ENOENT,
	       "nor what is absent");
	snprintf(path, sizeof(path), "%s" RUN_DIR "/big.json", dir);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	ok(truncate(path, RUN_FILE_MAX + 1) == 0, "a large file");
	is_int(run_file_load(NULL, path, &text), -EFBIG, "is refused");
	snprintf(path, sizeof(path), "%s/fifo", dir);
	ok(mkfifo(path, 0644) == 0, "a FIFO");
	is_int(run_file_load(NULL, path, &text), -EINVAL, "is refused without waiting");
	sysroot_close(&root);
	is_int(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0, "cleaned up");
}

int main(void)
{
	unsetenv("XDG_STATE_HOME");
	unsetenv("HOME");
	test_whole();
	test_bare();
	test_redact();
	test_wrong();
	test_many();
	test_damaged();
	test_files();
	return done();
}
