/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sandbox.h - a scratch directory for tests, with the engine's board as a directory */
#ifndef BOARDTUNE_SANDBOX_H
#define BOARDTUNE_SANDBOX_H

#include <ftw.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "board/board.h"
#include "tap.h"

static char top[] = "/tmp/boardtune-test-XXXXXX";
static char board_path[512], profile_path[512];

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	return remove(path);
}

static void in_srcdir(char *ret, size_t size, const char *path)
{
	const char *srcdir = getenv("srcdir");

	snprintf(ret, size, "%s/%s", srcdir ? srcdir : ".", path);
}

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!f || getdelim(&text, &size, '\0', f) < 0) {
		printf("# cannot read %s\n", path);
		free(text);
		text = strdup("");
	}
	if (f)
		fclose(f);
	return text;
}

static void spit(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) == EOF)
		ok(false, "fixture %s", path);
	if (f)
		fclose(f);
}

/* A command that has to end well: cp, rm; diff, which finds nothing. */
static void run(char *const *argv)
{
	pid_t pid;
	int status = -1;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
	    waitpid(pid, &status, 0) < 0 || status)
		ok(false, "%s", argv[0]);
	else if (streq(argv[0], "diff"))
		ok(true, "diff finds nothing");
}

/* The fixture as a directory with .board holding its rules. */
__attribute__((unused)) static void make_sysroot(void)
{
	_cleanup_free_ char *text = slurp(board_path),
			    *rules = calloc(1, strlen(text) + 1);
	struct board_error error = { 0 };
	struct system sys = SYSTEM_INIT;
	char *out = rules, *full, proc[64];

	is_int(board_open_recording(board_path, &sys, &error), 0, "board opens");
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", sys.root.fd);
	full = realpath(proc, NULL);
	run((char *[]) { "cp", "-a", full ? full : "", "pristine", NULL });
	free(full);
	system_close(&sys);
	for (char *s = text; *s;) {
		size_t n = strcspn(s, "\n") + 1;

		if (*s == '!' || *s == '@') {
			memcpy(out, s, n);
			out += n;
		}
		s += n;
	}
	spit("pristine/.board", rules);
	chmod("pristine", 0755);
}

/* Go to a scratch directory; the fixtures' paths stay good. */
static void sandbox_enter(void)
{
	char *full;

	in_srcdir(board_path, sizeof(board_path), "tests/boards/unit/engine.board");
	in_srcdir(profile_path, sizeof(profile_path), "tests/boards/unit/engine.ini");
	full = realpath(board_path, NULL);
	strcpy(board_path, full ? full : "");
	free(full);
	full = realpath(profile_path, NULL);
	strcpy(profile_path, full ? full : "");
	free(full);
	if (!mkdtemp(top) || chdir(top) < 0)
		exit(99);
	umask(022);
}

static void sandbox_leave(void)
{
	if (chdir("/") == 0)
		nftw(top, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
