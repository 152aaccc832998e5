// SPDX-License-Identifier: GPL-2.0-or-later
// test-recommend.c - the shipped profile for each recorded board; order and reasons
#include <dirent.h>

#include "board/board.h"
#include "profile-fixture.h"
#include "profile/recommend.h"

/* Recorded boards whose profile has another name than they have; NULL: none fits. */
static const struct {
	const char *board, *profile;
} others[] = {
	{ "unknown-arm", "generic-arm" },
	{ "x86-minipc", "generic-x86" },
};

/* The profiles of the source as those of the vendor below a root. */
static void ship_profiles(struct fixture *f)
{
	const char *srcdir = getenv("srcdir");
	_cleanup_free_ char *dir = str_format("%s/data/profiles", srcdir ? srcdir : ".");
	struct sysroot source = SYSROOT_INIT;
	_cleanup_list_ char **names = NULL;
	ssize_t n;

	if (sysroot_open(dir, &source) < 0) {
		printf("Bail out! %s\n", dir);
		exit(1);
	}
	n = sysroot_list(&source, "/", &names);
	for (ssize_t i = 0; i < n; i++) {
		_cleanup_free_ char *from = str_format("/%s", names[i]), *text = NULL;
		_cleanup_free_ char *to = str_format(VENDOR "%s", names[i]);
		ssize_t size = sysroot_read_all(&source, from, &text);

		if (size >= 0)
			put_bytes(f, to, text, size);
	}
	sysroot_close(&source);
}

static void identify(const char *board, struct identity *ret)
{
	const char *srcdir = getenv("srcdir");
	_cleanup_free_ char *file = str_format("%s/tests/boards/%s.board",
					       srcdir ? srcdir : ".", board);
	struct system sys = SYSTEM_INIT;
	struct board_error error = { 0 };

	if (board_open_recording(file, &sys, &error) < 0) {
		printf("Bail out! %s:%u: %s\n", file, error.line, error.text);
		exit(1);
	}
	identity_read(&sys.root, ret);
	system_close(&sys);
}

static const char *best(const struct recommend_list *list)
{
	return list->n ? list->fits[0].name : "none";
}

static const char *expected(const char *board)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (streq(others[i].board, board))
			return others[i].profile ? others[i].profile : "none";
	return board;
}

static void test_board(struct fixture *f, const char *board)
{
	_cleanup_(recommend_list_clear) struct recommend_list list = { 0 };
	struct identity id;

	identify(board, &id);
	is_int(recommend_find(&id, &f->root, &list), 0, "%s", board);
	is_str(best(&list), expected(board), "%s gets %s", board, expected(board));
	ok(!list.broken, "and every profile could be read");
}

static void test_boards(struct fixture *f)
{
	const char *srcdir = getenv("srcdir");
	_cleanup_free_ char *path = str_format("%s/tests/boards", srcdir ? srcdir : ".");
	DIR *dir = opendir(path);
	struct dirent *e;
	size_t n = 0;

	ship_profiles(f);
	while (dir && (e = readdir(dir))) {
		char *dot = strrchr(e->d_name, '.');

		if (!dot || !streq(dot, ".board"))
			continue;
		*dot = '\0';
		test_board(f, e->d_name);
		n++;
	}
	if (dir)
		closedir(dir);
	ok(n >= 11, "%zu recorded boards", n);
}

/* The names in their order, with what else there is to say of each. */
static char *order(struct fixture *f, const struct identity *id)
{
	static const char reasons[] = { 'c', 'd', 'g' };
	_cleanup_(recommend_list_clear) struct recommend_list list = { 0 };
	char *text = strdup("");

	if (recommend_find(id, &f->root, &list) < 0)
		return text;
	for (size_t i = 0; i < list.n; i++) {
		const struct recommend_fit *fit = &list.fits[i];
		char *more = str_format("%s%s%s:%c%zu%s", text, i ? " " : "", fit->name,
					reasons[fit->by], fit->rank,
					fit->variant ? "v" : "");

		free(text);
		text = more;
	}
	return text;
}

static void test_order(struct fixture *f)
{
	const struct identity board = { .compatible = { "a,x-plus", "a,x", "soc" },
					.n_compatible = 3 };
	const struct identity other = { .compatible = { "b,y" }, .n_compatible = 1 };
	_cleanup_free_ char *text = NULL;

	put(f, VENDOR "x.ini", "[board]\ncompatible = a,y a,x\n[cpufreq]\nboost = on\n");
	put(f, VENDOR "x-big.ini", "[main]\ninclude = x\n");
	put(f, LOCAL "x-little.ini", "[main]\ninclude = x\n");
	put(f, LOCAL "zz.ini", "[main]\ninclude = x\n");
	put(f, VENDOR "soc.ini", "[board]\ncompatible = soc\n[cpufreq]\nboost = on\n");
	put(f, VENDOR "part.ini", "[board]\ncompatible = a,x-\n[cpufreq]\nboost = on\n");
	put(f, VENDOR "all.ini", "[cpufreq]\nboost = on\n");
	put(f, VENDOR "generic-arm.ini", "[cpufreq]\nboost = on\n");
	put(f, VENDOR "generic-x86.ini", "[cpufreq]\nboost = on\n");
	put(f, LOCAL "bad.ini", "[board]\ncompatible = a,x-plus\nnonsense = 1\n");
	text = order(f, &board);
	is_str(text, "zz:c1 x:c1 x-little:c1v x-big:c1v soc:c2 generic-arm:g0",
	       "specific first, variants behind, the generic one last");
	free(text);
	text = order(f, &other);
	is_str(text, "generic-arm:g0", "another board has only the generic one");
	put(f, VENDOR "x-plus.ini", "[board]\ncompatible = a,x-plus\n");
	free(text);
	text = order(f, &board);
	ok(str_after(text, "x-plus:c0 zz:c1"), "the most specific string wins (%s)",
	   text);
	put(f, LOCAL "x-plus.ini", "nonsense\n");
	free(text);
	text = order(f, &board);
	ok(str_after(text, "zz:c1"), "not by one that is broken (%s)", text);
}

static void test_broken(struct fixture *f)
{
	const struct identity board = { .compatible = { "a,x" }, .n_compatible = 1 };
	_cleanup_(recommend_list_clear) struct recommend_list list = { 0 };

	is_int(recommend_find(&board, &f->root, &list), 0, "broken ones are no failure");
	is_str(list.broken, "bad x-plus", "and are named");
}

static void test_dmi(struct fixture *f)
{
	struct identity pc = { .dmi = "PC Engines:apu2:apu2", .x86 = true };
	_cleanup_free_ char *text = NULL;

	put(f, VENDOR "apu.ini", "[board]\ndmi = *:nuc:* PC?Engines:apu[1-4]:*\n");
	text = order(f, &pc);
	is_str(text, "apu:d0 generic-x86:g0", "DMI, then the generic one of x86");
	snprintf(pc.dmi, sizeof(pc.dmi), "PC Engines:apu5:");
	free(text);
	text = order(f, &pc);
	is_str(text, "generic-x86:g0", "a glob that does not match");
	pc = (struct identity){ 0 };
	free(text);
	text = order(f, &pc);
	is_str(text, "", "a machine that says nothing of itself gets nothing");
}

static void test_names_board(struct fixture *f)
{
	const struct identity x = { .compatible = { "a,x" }, .n_compatible = 1 };
	const struct identity pc = { .dmi = "PC Engines:apu2:apu2", .x86 = true };

	load(f, "x");
	ok(recommend_names_board(f->profile, &x), "x is for a,x");
	ok(!recommend_names_board(f->profile, &pc), "and not for a PC");
	is_str(recommend_boards(f->profile), "a,y a,x", "as it says");
	load(f, "apu");
	ok(recommend_names_board(f->profile, &pc), "apu is for this PC");
	ok(!recommend_names_board(f->profile, &x), "and not for a,x");
	load(f, "all");
	ok(recommend_names_board(f->profile, &x), "one that names none is for all");
	ok(!recommend_boards(f->profile), "and says so");
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_boards(&f);
	fixture_close(&f);
	fixture_open(&f);
	test_order(&f);
	test_broken(&f);
	test_dmi(&f);
	test_names_board(&f);
	fixture_close(&f);
	return done();
}
