// SPDX-License-Identifier: GPL-2.0-or-later
// test-board.c - boards are saved as they are; private directories go; --sysroot stays
#include <sys/stat.h>
#include <sys/wait.h>

#include "board-fixture.h"

/* What a saved board has after the text that it was made from. */
static const char *saved(struct fixture *f, struct system *sys)
{
	const char *text, *rest;
	char file[128];

	in_dir(f, "saved.board", file);
	if (!is_int(board_save(sys, file), 0, "saved"))
		return "";
	text = file_text(file);
	rest = str_after(text, board_text);
	return rest ? rest : text;
}

static void test_save(struct fixture *f)
{
	struct system sys;

	open_text(f, board_text, &sys);
	is_str(saved(f, &sys), "", "an untouched board is saved byte for byte");
	is_write("/word", "on", 0);
	is_write("/word", "off\n", 0);
	is_write("/word", "a\nb", -EINVAL);
	is_write("/no", "2", -EIO);
	is_set("rx-checksum", false, 0);
	is_set("rx-checksum", true, 0);
	is_set("rx-gro", true, -EOPNOTSUPP);
	is_int(sysroot_mkdir_all(&sys.root, "/run/boardtune", 0755), 0,
	       "a new directory");
	is_int(sysroot_replace(&sys.root, "/run/boardtune/undo.json", "{\n}\n", 4, 0644),
	       0, "a new file");
	is_int(sysroot_mkdir_all(&sys.root, "/run/a", 0755), 0, "an empty directory");
	is_str(saved(f, &sys),
	       "\n/run/a/\n"
	       "/run/boardtune/undo.json <<END\n{\n}\nEND\n"
	       "#! write /word on\n"
	       "#! write /word off\n"
	       "#! write /word a\\nb EINVAL\n"
	       "#! write /no 2 EIO\n"
	       "#! write @ethtool eth0 feature rx-checksum off\n"
	       "#! write @ethtool eth0 feature rx-checksum on\n"
	       "#! write @ethtool eth0 feature rx-gro on EOPNOTSUPP\n",
	       "put back: only what is new is added, and every write");
	system_close(&sys);
}

static void test_save_changes(struct fixture *f)
{
	static const char before[] =
		"/a = 1\n/b := x\n# note\n/c <<EOT\n1\n2\nEOT\n/d = 4\n"
		"/sys/class/net/eth0/ifindex = 2\n"
		"@ethtool eth0 feature tx-scatter-gather = on\n"
		"@ethtool eth0 feature tx-generic-segmentation = on";
	static const char after[] =
		"/a = 2\\\\\n/b = y\n# note\n"
		"/sys/class/net/eth0/ifindex = 2\n"
		"@ethtool eth0 feature tx-scatter-gather = off\n"
		"@ethtool eth0 feature tx-generic-segmentation = off "
		"[requested on]\n"
		"#! write /a 2\\\\\n#! write /b y\n"
		"#! write @ethtool eth0 feature tx-scatter-gather off\n";
	struct system sys;

	open_text(f, before, &sys);
	is_write("/a", "2\\", 0);
	is_write("/b", "y", 0);
	is_set("tx-scatter-gather", false, 0);
	is_int(sysroot_unlink(&sys.root, "/c"), 0, "removed");
	is_int(sysroot_unlink(&sys.root, "/d"), 0, "removed");
	is_str(saved(f, &sys), after, "changed and removed entries");
	system_close(&sys);
	open_text(f, after, &sys);
	is_text("/a", "2\\");
	is_feature("tx-generic-segmentation", "- W");
	is_set("tx-scatter-gather", true, 0);
	is_feature("tx-generic-segmentation", "A W");
	system_close(&sys);
}

/* A tunable that is hidden will come back as the file says: so it is saved. */
static void test_save_hidden(struct fixture *f)
{
	static const char text[] =
		"/t/x = 1\n/g = a\n!exists /t/ while /g = a\n!exists /t while /g = b\n";
	struct system sys;

	open_text(f, text, &sys);
	is_write("/t/x", "2", 0);
	is_str(saved(f, &sys),
	       "/t/x = 2\n/g = a\n!exists /t/ while /g = a\n"
	       "!exists /t while /g = b\n#! write /t/x 2\n",
	       "there: as it is");
	is_write("/g", "b", 0);
	is_text("/t/x", "2");
	is_write("/g", "c", 0);
	is_text("/t/x", "ENOENT");
	is_str(saved(f, &sys),
	       "/t/x = 1\n/g = c\n!exists /t/ while /g = a\n"
	       "!exists /t while /g = b\n#! write /t/x 2\n"
	       "#! write /g b\n#! write /g c\n",
	       "hidden: as the file says");
	system_close(&sys);
}

static void in_child(struct fixture *f, bool open)
{
	pid_t pid;
	int status = -1;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct system sys;

		if (open)
			open_text(f, board_text, &sys);
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		fixture_fail("child");
}

static int count_boards(const struct fixture *f)
{
	_cleanup_list_ char **names = NULL;
	int n = 0;

	if (sysroot_list(&f->sys.root, "/", &names) < 0)
		return -1;
	for (char **name = names; *name; name++)
		n += !!str_after(*name, "boardtune-board.");
	return n;
}

static void test_temporary(struct fixture *f)
{
	struct system sys, second;
	struct stat st;
	char prefix[256], leftover[128], other[128], proc[64];
	ssize_t n;

	in_dir(f, "boardtune-board.abcdef", leftover);
	in_dir(f, "boardtune-board.other", other);
	setenv("TMPDIR", f->dir, 1);
	if (mkdir(leftover, 0700) < 0 || mkdir(other, 0700) < 0)
		fixture_fail(leftover);
	open_text(f, board_text, &sys);
	is_str(sys.root.prefix, "", "where it is concerns nobody");
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", sys.root.fd);
	n = readlink(proc, prefix, sizeof(prefix) - 1);
	prefix[n > 0 ? n : 0] = '\0';
	ok(str_after(prefix, f->dir), "below $TMPDIR");
	ok(stat(prefix, &st) == 0 && (st.st_mode & 07777) == 0700, "private");
	ok(stat(leftover, &st) < 0, "what a killed process left is removed");
	ok(stat(other, &st) == 0, "a directory of another name is not");
	open_text(f, board_text, &second);
	ok(stat(prefix, &st) == 0, "one in use is not taken for a leftover");
	system_close(&second);
	in_child(f, false);
	ok(stat(prefix, &st) == 0, "a child that ends leaves its parent's board alone");
	system_close(&sys);
	ok(stat(prefix, &st) < 0, "gone when closed");
	in_child(f, true);
	is_int(count_boards(f), 1, "gone at exit, too: only the other name is left");
	unsetenv("TMPDIR");
}

static void open_copy(struct fixture *f, struct system *ret)
{
	struct board_error error = { 0 };

	*ret = (struct system)SYSTEM_INIT;
	if (board_open_dir(f->dir, ret, &error) < 0) {
		printf("Bail out! %s/.board:%u: %s\n", f->dir, error.line, error.text);
		exit(1);
	}
}

static void test_sysroot(void)
{
	static const char rules[] = "# rules\n"
				    "@ethtool eth0 feature tx-scatter-gather =   on\n"
				    "@ethtool  eth0 feature tx-tcp-segmentation = on\n"
				    "!clamp /f down 1 5\n"
				    "!exists /t while /f = 5";
	struct system sys;
	struct fixture f;
	char board[128];

	fixture_open(&f);
	in_dir(&f, ".board", board);
	fixture_file(&f, "/.board", rules);
	fixture_file(&f, "/sys/class/net/eth0/ifindex", "2\n");
	fixture_file(&f, "/f", "1\n");
	fixture_file(&f, "/t/x", "7\n");
	open_copy(&f, &sys);
	is_text("/t/x", "ENOENT");
	is_write("/f", "9", 0);
	is_text("/f", "5");
	is_str(fixture_text(&f, "/f"), "5", "on disk too");
	is_write("/t/x", "8", 0);
	is_write("/f", "1", 0);
	is_write("/f", "5", 0);
	is_text("/t/x", "7");
	is_set("tx-scatter-gather", false, 0);
	system_close(&sys);
	is_str(file_text(board),
	       "# rules\n"
	       "@ethtool eth0 feature tx-scatter-gather =   off\n"
	       "@ethtool  eth0 feature tx-tcp-segmentation = off [requested on]\n"
	       "!clamp /f down 1 5\n"
	       "!exists /t while /f = 5",
	       "features are kept in DIR/.board");
	open_copy(&f, &sys);
	is_feature("tx-tcp-segmentation", "- W");
	is_set("tx-scatter-gather", true, 0);
	system_close(&sys);
	is_str(file_text(board), rules, "set back: byte for byte");
	fixture_close(&f);
}

static void test_sysroot_save(void)
{
	static const char rules[] = "!refuse /f EIO";
	struct board_error error = { 0 };
	struct system sys;
	struct fixture f;
	char file[] = "/tmp/boardtune-saved-XXXXXX";
	int fd = mkstemp(file);

	if (fd < 0)
		fixture_fail(file);
	close(fd);
	fixture_open(&f);
	fixture_file(&f, "/.board", rules);
	fixture_file(&f, "/f", "1\n");
	fixture_file(&f, "/a/b", "x\ny");
	fixture_link(&f, "/a/l", "../f");
	open_copy(&f, &sys);
	is_write("/a/l", "2", -EIO);
	is_int(board_save(&sys, file), 0, "saved");
	is_str(file_text(file),
	       "/a/b := x\\ny\n/a/l -> ../f\n/f = 1\n!refuse /f EIO\n"
	       "#! write /f 2 EIO\n",
	       "the directory and its rules as one file");
	system_close(&sys);
	fixture_file(&f, "/.board", "/f = 1\n");
	is_int(board_open_dir(f.dir, &sys, &error), -EBADMSG, "no entries in DIR/.board");
	is_int(error.line, 1, "line 1");
	fixture_remove(&f, "/.board");
	open_copy(&f, &sys);
	is_write("/f", "3", 0);
	is_text("/f", "3");
	system_close(&sys);
	unlink(file);
	fixture_close(&f);
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_save(&f);
	test_save_changes(&f);
	test_save_hidden(&f);
	test_temporary(&f);
	test_sysroot();
	test_sysroot_save();
	fixture_close(&f);
	return done();
}
