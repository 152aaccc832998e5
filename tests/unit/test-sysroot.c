// SPDX-License-Identifier: GPL-2.0-or-later
// test-sysroot.c - paths below a root: links inside, nothing outside
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/sysroot.h"
#include "tap.h"

static char top[] = "/tmp/boardtune-test-XXXXXX";

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	return remove(path);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		ok(false, "fixture %s", path);
	close(fd);
}

static void make_tree(void)
{
	if (!mkdtemp(top) || chdir(top) < 0)
		exit(99);
	mkdir("root", 0755);
	mkdir("root/sys", 0755);
	mkdir("root/sys/devices", 0755);
	mkdir("root/sys/class", 0755);
	put("secret", "outside\n");
	put("root/sys/devices/file", "inside\n");
	put("root/sys/devices/number", "-5\n");
	put("root/sys/devices/readonly", "1\n");
	chmod("root/sys/devices/readonly", 0444);
	symlink("../devices", "root/sys/class/relative");
	symlink("/sys/devices", "root/sys/class/absolute");
	symlink("/secret", "root/sys/class/out-absolute");
	symlink("../../../secret", "root/sys/class/out-relative");
	symlink("loop", "root/sys/class/loop");
}

static void test_read(const struct sysroot *root)
{
	char buf[64], small[4], real[SYSROOT_PATH_MAX];
	long number = 0;

	is_int(sysroot_read(root, "/sys/devices/file", buf, sizeof(buf)), 6, "read");
	is_str(buf, "inside", "newline cut");
	is_int(sysroot_read(root, "/sys/class/relative/file", buf, sizeof(buf)), 6,
	       "through a relative link");
	is_int(sysroot_read(root, "/sys/class/absolute/file", buf, sizeof(buf)), 6,
	       "an absolute link stays inside");
	is_int(sysroot_read(root, "/sys/class/out-absolute", buf, sizeof(buf)), -ENOENT,
	       "absolute link to outside");
	is_int(sysroot_read(root, "/sys/class/out-relative", buf, sizeof(buf)), -ENOENT,
	       "relative link to outside");
	is_int(sysroot_read(root, "/../secret", buf, sizeof(buf)), -ENOENT, "dot dot");
	is_int(sysroot_read(root, "/sys/class/loop", buf, sizeof(buf)), -ELOOP, "a loop");
	is_int(sysroot_read(root, "/sys/devices", buf, sizeof(buf)), -EISDIR,
	       "a directory");
	is_int(sysroot_read(root, "/sys/devices/file", small, sizeof(small)), -EFBIG,
	       "more than there is room for");
	is_int(sysroot_read_long(root, "/sys/devices/number", &number), 0, "a number");
	is_int(number, -5, "its value");
	is_int(sysroot_read_long(root, "/sys/devices/file", &number), -EBADMSG,
	       "no number");
	is_int(sysroot_realpath(root, "/sys/class/absolute/../devices/file", real), 0,
	       "a real path");
	is_str(real, "/sys/devices/file", "without links");
	is_int(sysroot_realpath(root, "/sys/class/out-relative", real), -ENOENT,
	       "the walk stays inside too");
	is_int(sysroot_realpath(root, "/sys/class/loop", real), -ELOOP, "and ends");
	is_int(sysroot_readlink(root, "/sys/class/absolute", buf, sizeof(buf)), 0,
	       "the text of a link");
	is_str(buf, "/sys/devices", "as it stands");
}

static void test_write(const struct sysroot *root)
{
	char buf[64];

	is_int(sysroot_write(root, "/sys/class/absolute/file", "408"), 0, "write");
	sysroot_read(root, "/sys/devices/file", buf, sizeof(buf));
	is_str(buf, "408", "nothing of the longer text remains");
	is_int(sysroot_write(root, "/sys/devices/readonly", "0"), -EACCES,
	       "0444 is refused for root too");
	is_int(sysroot_write(root, "/sys/devices/none", "0"), -ENOENT, "never created");
	ok(sysroot_writable(root, "/sys/devices/file"), "writable");
	ok(!sysroot_writable(root, "/sys/devices/readonly"), "not writable");
}

static void test_list(const struct sysroot *root)
{
	_cleanup_list_ char **names = NULL;

	put("root/sys/devices/policy10", "");
	put("root/sys/devices/policy2", "");
	is_int(sysroot_list(root, "/sys/class/relative", &names), 5, "five names");
	is_str(names[2], "policy2", "in natural order");
	is_str(names[3], "policy10", "10 after 2");
}

static void test_replace(const struct sysroot *root)
{
	_cleanup_free_ char *text = NULL;

	is_int(sysroot_mkdir_all(root, "/run/boardtune/deep", 0755), 0, "mkdir -p");
	is_int(sysroot_mkdir_all(root, "/run/boardtune/deep", 0755), 0, "twice");
	is_int(sysroot_replace(root, "/run/boardtune/a", "one", 3, 0600), 0, "new file");
	put("root/run/boardtune/.a.new", "left by a killed writer");
	is_int(sysroot_replace(root, "/run/boardtune/a", "two", 3, 0600), 0, "again");
	is_int(sysroot_read_all(root, "/run/boardtune/a", &text), 3, "read whole");
	is_str(text, "two", "the new text");
	is_int(access("root/run/boardtune/.a.new", F_OK), -1, "nothing beside it");
	is_int(sysroot_replace(root, "/none/a", "x", 1, 0600), -ENOENT, "no directory");
	is_int(sysroot_unlink(root, "/run/boardtune/a"), 0, "unlink");
	is_int(sysroot_rmdir(root, "/run/boardtune/deep"), 0, "rmdir");
	is_int(sysroot_rmdir(root, "/run/boardtune/deep"), -ENOENT, "gone");
}

/* openat2() is EAGAIN when anything on the machine is renamed while it follows "..". */
static void test_renames(const struct sysroot *root)
{
	unsigned failed = 0;
	int status = 0;
	char buf[64];
	pid_t pid;

	put("a", "");
	pid = fork();
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (bool there = false; pid == 0; there = !there)
		if (rename(there ? "b" : "a", there ? "a" : "b") < 0)
			_exit(1);
	for (int i = 0; i < 20000; i++)
		failed += sysroot_read(root, "/sys/class/relative/file", buf,
				       sizeof(buf)) != 6;
	is_int(failed, 0, "reads while another process renames files");
	ok(pid > 0 && kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid &&
		   WIFSIGNALED(status),
	   "it did so to the end");
}

int main(void)
{
	struct sysroot root = SYSROOT_INIT;

	make_tree();
	is_int(sysroot_open("root", &root), 0, "open");
	test_read(&root);
	test_renames(&root);
	test_write(&root);
	test_list(&root);
	test_replace(&root);
	sysroot_close(&root);
	is_int(sysroot_open("none", &root), -ENOENT, "no such root");
	if (chdir("/") == 0)
		nftw(top, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return done();
}
