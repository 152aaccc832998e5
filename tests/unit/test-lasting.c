// SPDX-License-Identifier: GPL-2.0-or-later
// test-lasting.c - files that outlive a crash: where they are, and what is in their place
#include "engine/lasting.h"

#include "fixture.h"
#include "tap.h"

#define VAR "/var/lib/boardtune/"
#define ETC "/etc/boardtune/"

/* What is read, "-ENOENT" or the like if nothing is. */
static const char *text_of(struct fixture *f, char **text)
{
	ssize_t n;

	free(*text);
	*text = NULL;
	n = lasting_read(&f->sys.root, "mark", text);
	if (n < 0)
		*text = str_format("-%s", errno_name((int)n));
	return *text;
}

static void test_disk(struct fixture *f)
{
	const struct sysroot *root = &f->sys.root;
	_cleanup_free_ char *text = NULL;
	char path[SYSROOT_PATH_MAX];

	is_str(text_of(f, &text), "-ENOENT", "nothing yet");
	is_str(lasting_path(root, "mark", path), VAR "mark", "it will be in /var");
	is_int(lasting_remove(root, "mark"), 0, "nothing to remove is no error");
	is_int(lasting_write(root, "mark", "one"), 0, "written");
	is_str(fixture_text(f, VAR "mark"), "one", "it is in /var");
	ok(!sysroot_exists(root, ETC "mark"), "and there only");
	ok(lasting_exists(root, "mark"), "it is there");
	is_int(lasting_remove(root, "mark"), 0, "removed");
	ok(!lasting_exists(root, "mark"), "and gone");
}

/* It was in memory when the file was written, and is on a disk now. */
static void test_moved(struct fixture *f)
{
	const struct sysroot *root = &f->sys.root;
	_cleanup_free_ char *text = NULL;
	char path[SYSROOT_PATH_MAX];

	fixture_file(f, ETC "mark", "two");
	is_str(text_of(f, &text), "two", "found in /etc as well");
	is_str(lasting_path(root, "mark", path), ETC "mark", "that is where it is");
	is_int(lasting_write(root, "mark", "three"), 0, "written anew");
	is_str(fixture_text(f, VAR "mark"), "three", "to /var");
	ok(!sysroot_exists(root, ETC "mark"), "and not kept twice");
	fixture_file(f, ETC "mark", "two");
	is_int(lasting_remove(root, "mark"), 0, "removed");
	ok(!sysroot_exists(root, ETC "mark") && !sysroot_exists(root, VAR "mark"),
	   "from both");
}

static void test_no_file(struct fixture *f)
{
	_cleanup_free_ char *text = NULL;
	char path[SYSROOT_PATH_MAX];

	fixture_path(f, VAR "mark", path, sizeof(path));
	is_int(mkfifo(path, 0644), 0, "a FIFO");
	is_str(text_of(f, &text), "-EINVAL", "is not waited for");
	fixture_remove(f, VAR "mark");
	fixture_file(f, VAR "other", "four");
	fixture_link(f, VAR "mark", "other");
	is_str(text_of(f, &text), "-ELOOP", "a link is not followed");
	is_int(lasting_remove(&f->sys.root, "mark"), 0, "it is removed");
	is_str(fixture_text(f, VAR "other"), "four", "and not what it leads to");
	fixture_link(f, VAR "mark", "nowhere");
	is_int(lasting_remove(&f->sys.root, "mark"), 0, "one that leads nowhere, too");
	is_str(text_of(f, &text), "-ENOENT", "is gone");
}

/* As on OpenWrt: /var is a link to /tmp. Others had it written before. */
static void test_memory(struct fixture *f)
{
	const struct sysroot *root = &f->sys.root;
	_cleanup_free_ char *text = NULL;

	fixture_remove(f, "/var");
	fixture_file(f, "/tmp/lib/boardtune/mark", "planted");
	fixture_link(f, "/var", "tmp");
	is_str(text_of(f, &text), "-ENOENT", "what is in memory does not count");
	is_int(lasting_write(root, "mark", "five"), 0, "written");
	is_str(fixture_text(f, ETC "mark"), "five", "to /etc");
	is_str(text_of(f, &text), "five", "and read");
	fixture_remove(f, "/etc");
	fixture_link(f, "/etc", "run/etc");
	fixture_file(f, "/run/etc/empty", "");
	is_str(text_of(f, &text), "-ENOENT", "neither lasts");
	is_int(lasting_write(root, "mark", "six"), -ENOMEDIUM, "nothing is written");
	ok(!sysroot_exists(root, ETC "mark"), "anywhere");
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_disk(&f);
	test_moved(&f);
	test_no_file(&f);
	test_memory(&f);
	fixture_close(&f);
	return done();
}
