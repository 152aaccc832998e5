// SPDX-License-Identifier: GPL-2.0-or-later
// test-confine.c - what a confined process, and its child, can still write
#include "base/confine.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tap.h"

/* What was done, or the errno that it got. */
static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int read_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int truncated(const char *path)
{
	return truncate(path, 0) < 0 ? errno : 0;
}

static int renamed(const char *from, const char *to)
{
	return rename(from, to) < 0 ? errno : 0;
}

static int removed(const char *path)
{
	return unlink(path) < 0 ? errno : 0;
}

static int created_by_child(const char *path)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(create(path));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Where the kernel confines nothing, nothing may be refused. */
static void test_confined(int denied)
{
	is_int(create("ours/new"), 0, "below a directory of ours: a new file");
	is_int(create("ours/below/new"), 0, "and deeper");
	is_int(renamed("ours/new", "ours/newer"), 0, "renamed");
	is_int(removed("ours/newer"), 0, "removed");
	is_int(mkdir("ours/made", 0755), 0, "a directory");
	is_int(create("single"), 0, "a single file is written");
	is_int(create("there"), denied, "another is not");
	is_int(read_of("there"), 0, "but read");
	is_int(create("new"), denied, "nor made");
	is_int(removed("there"), denied, "nor removed");
	is_int(renamed("ours/below/new", "outside"), denied,
	       "nor moved out of ours");
	is_int(renamed("single", "other"), denied, "nor renamed");
	is_int(created_by_child("of-child"), denied, "nor made by a child");
}

/* Kernels before 6.2 confine no truncate(2). */
static void test_truncate(int denied)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);

	is_int(truncated("ours/kept"), 0, "ours is cut to nothing");
	is_int(truncated("cut"), abi < 3 ? 0 : denied, "what is not stays as it is");
}

static int test(void)
{
	const struct confine_path paths[] = { { .path = "ours", .made = true },
					      { .path = "deep/er/ours", .made = true },
					      { .path = "single" },
					      { .path = "not-there" } };
	int r, denied;

	is_int(create("single") + create("there") + create("cut"), 0,
	       "files to begin with");
	r = confine_writes(paths, ARRAY_SIZE(paths));
	ok(r == 0 || r == -EOPNOTSUPP, "confined, or this kernel cannot: %d", r);
	denied = r == 0 ? EACCES : 0;
	if (!denied)
		printf("# no landlock: nothing is confined\n");
	is_int(access("ours", F_OK) == 0, r == 0, "a directory of ours is made");
	is_int(create("deep/er/ours/new"), r == 0 ? 0 : ENOENT,
	       "with what is above it");
	mkdir("ours", 0755);
	mkdir("ours/below", 0755);
	is_int(create("ours/kept"), 0, "and written");
	test_confined(denied);
	test_truncate(denied);
	return done();
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	return remove(path);
}

int main(void)
{
	char top[] = "/tmp/boardtune-confine-XXXXXX";
	int status = -1;
	pid_t pid;

	if (!mkdtemp(top) || chdir(top) < 0)
		return 99;
	umask(022);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		return test();
	waitpid(pid, &status, 0);
	nftw(top, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
