// SPDX-License-Identifier: GPL-2.0-or-later
// test-profiles.c - every shipped profile against every recorded board; sources of facts
#include <ctype.h>

#include "board/board.h"
#include "board/identity.h"
#include "engine/plan.h"
#include "profile/recommend.h"
#include "tap.h"

static void fixture_fail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/* Names in a directory of the sources that end in @ending; freed by the caller. */
static char **list_sources(const char *dir, const char *ending, size_t *ret_n)
{
	_cleanup_free_ char *real = realpath(dir, NULL);
	struct sysroot root = SYSROOT_INIT;
	char **names = NULL;
	size_t n = 0;

	if (!real || sysroot_open("/", &root) < 0 ||
	    sysroot_list(&root, real, &names) < 0)
		fixture_fail(dir);
	sysroot_close(&root);
	for (char **name = names; *name; name++) {
		size_t length = strlen(*name), end = strlen(ending);

		if (length > end && streq(*name + length - end, ending))
			names[n++] = *name;
		else
			free(*name);
	}
	names[n] = NULL;
	*ret_n = n;
	return names;
}

static char *source_path(const char *dir, const char *name)
{
	const char *srcdir = getenv("srcdir");
	char *path = str_format("%s/%s%s%s", srcdir ? srcdir : ".", dir, *name ? "/" : "",
				name);

	if (!path)
		fixture_fail(dir);
	return path;
}

static void print_errors(const struct profile_errors *errors)
{
	for (size_t i = 0; i < errors->n; i++)
		printf("# %s:%u: %s\n", errors->items[i].file, errors->items[i].line,
		       errors->items[i].text);
}

static void print_failures(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (change_failed(&plan->changes[i]))
			printf("# %s:%u: %s\n", plan->changes[i].file,
			       plan->changes[i].line,
			       outcome_name(plan->changes[i].outcome));
}

/*
 * As "plan" does it. On a board that the profile names nothing is refused, whatever the
 * kernel has. On others there is a plan, or an error at a line: a CPU that is not there.
 */
static bool plans(struct system *sys, const struct profile *p, const struct identity *id)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 };
	int r = plan_build(sys, p, PLAN_ALL, &plan, &errors);
	bool named = recommend_boards(p) && recommend_names_board(p, id);

	if (!named && r == -EBADMSG)
		return errors.n > 0 && errors.items[0].line;
	print_errors(&errors);
	if (named)
		print_failures(&plan);
	return r == 0 && !errors.n && (!named || plan_failures(&plan) == 0);
}

static void test_board(const char *name, struct profile *const *profiles, size_t n)
{
	_cleanup_free_ char *path = source_path("tests/boards", name);
	struct system sys = SYSTEM_INIT;
	struct board_error error = { 0 };
	struct identity id;
	size_t good = 0;

	if (board_open_recording(path, &sys, &error) < 0)
		fixture_fail(path);
	identity_read(&sys.root, &id);
	for (size_t i = 0; i < n; i++)
		if (plans(&sys, profiles[i], &id))
			good++;
		else
			printf("# %s: %s\n", name, profiles[i]->name);
	is_int(good, n, "%s: a plan from each of %zu profiles", name, n);
	system_close(&sys);
}

/* The value of a "key = value" begins with a digit. */
static bool is_number(const char *line)
{
	const char *equals = memchr(line, '=', strcspn(line, "\n"));

	return equals && isdigit((unsigned char)equals[1 + strspn(equals + 1, " ")]);
}

/*
 * A number that somebody chose has a reason: a comment before it in sections of its kind,
 * [net:wan] and [net:lan], or right above the first of them.
 */
static bool is_explained(const char *text)
{
	bool comment = false, above = false;
	const char *kind = "";

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		if (*line == '#') {
			comment = above = true;
		} else if (*line == '[') {
			comment &= !strncmp(line, kind, strcspn(kind, ":]"));
			comment |= above;
			kind = line;
		} else if (is_number(line) && !comment) {
			return false;
		} else if (*line == '\n') {
			above = false;
		}
		if (!strchr(line, '\n'))
			break;
	}
	return true;
}

static void test_explained(const struct sysroot *root, const char *path)
{
	_cleanup_free_ char *real = realpath(path, NULL), *text = NULL;

	if (!real || sysroot_read_all(root, real, &text) < 0)
		fixture_fail(path);
	ok(is_explained(text), "%s says where its numbers are from", path);
}

static struct profile *load(const char *name)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_free_ char *path = source_path("data/profiles", name);
	struct sysroot root = SYSROOT_INIT;
	struct profile *p = NULL;

	if (sysroot_open("/", &root) < 0)
		fixture_fail("/");
	is_int(profile_load(&root, path, &p, &errors), 0, "%s loads", name);
	print_errors(&errors);
	if (!p)
		exit(1);
	ok(profile_meta(p, "main", "summary") != NULL, "%s has a summary", name);
	test_explained(&root, path);
	sysroot_close(&root);
	return p;
}

int main(void)
{
	_cleanup_free_ char *profile_dir = source_path("data/profiles", "");
	_cleanup_free_ char *board_dir = source_path("tests/boards", "");
	size_t n_profiles, n_boards;
	_cleanup_list_ char **names = list_sources(profile_dir, ".ini", &n_profiles);
	_cleanup_list_ char **boards = list_sources(board_dir, ".board", &n_boards);
	struct profile **profiles = calloc(n_profiles, sizeof(*profiles));

	ok(profiles && n_profiles > 25 && n_boards > 10, "%zu profiles, %zu boards",
	   n_profiles, n_boards);
	for (size_t i = 0; i < n_profiles; i++)
		profiles[i] = load(names[i]);
	for (size_t i = 0; i < n_boards; i++)
		test_board(boards[i], profiles, n_profiles);
	for (size_t i = 0; i < n_profiles; i++)
		profile_free(profiles[i]);
	free(profiles);
	return done();
}
