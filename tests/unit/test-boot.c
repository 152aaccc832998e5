// SPDX-License-Identifier: GPL-2.0-or-later
// test-boot.c - enabling and disabling at boot, below a root directory of its own
#include "engine/boot.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "tap.h"

#define LINK BOOT_WANTS "/" BOOT_UNIT

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	return remove(path);
}

/* Write a file below the root, with its directories. */
static void put(const struct sysroot *root, const char *path, const char *text)
{
	char dir[SYSROOT_PATH_MAX];

	snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	if (sysroot_mkdir_all(root, dir, 0755) < 0 ||
	    sysroot_replace(root, path, text, strlen(text), 0644) < 0)
		printf("Bail out! cannot write %s\n", path);
}

static void put_link(const struct sysroot *root, const char *dir, const char *name,
		     const char *target)
{
	_cleanup_close_ int fd = -1;

	sysroot_mkdir_all(root, dir, 0755);
	fd = sysroot_openat(root, dir, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0 || symlinkat(target, fd, name) < 0)
		printf("Bail out! cannot link %s/%s\n", dir, name);
}

static const char *link_of(const struct sysroot *root, char buf[static SYSROOT_PATH_MAX])
{
	return sysroot_readlink(root, LINK, buf, SYSROOT_PATH_MAX) == 0 ? buf : "none";
}

static const char *profile_of(const struct sysroot *root, char **text)
{
	struct profile_errors errors = { 0 };

	free(*text);
	*text = NULL;
	boot_profile(root, text, NULL, &errors);
	profile_errors_clear(&errors);
	return *text ? *text : "none";
}

static void test_enable(const struct sysroot *root)
{
	_cleanup_free_ char *name = NULL;
	char target[SYSROOT_PATH_MAX];

	is_int(boot_enable(root, "r2s"), -ENOPKG, "no unit below the root");
	ok(!sysroot_exists(root, BOOT_CONF), "then nothing is written");
	is_int(boot_disable(root), 1, "nothing to disable");
	is_str(profile_of(root, &name), "none", "no profile yet");

	put(root, "/usr/lib/systemd/system/boardtune.service", "[Unit]\n");
	is_int(boot_enable(root, "r2s"), 0, "enable");
	is_str(link_of(root, target), "/usr/lib/systemd/system/boardtune.service",
	       "the link is absolute, as systemctl makes it");
	is_str(profile_of(root, &name), "r2s", "the file names the profile");
	is_int(boot_enable(root, "r2s"), 0, "enable twice");
	is_str(profile_of(root, &name), "r2s", "is the same");
	is_int(boot_enable(root, "r4s"), 0, "enable another");
	is_str(profile_of(root, &name), "r4s", "the other is in the file");

	put(root, "/etc/systemd/system/boardtune.service", "[Unit]\n");
	is_int(boot_enable(root, "r4s"), 0, "with a unit of the administrator");
	is_str(link_of(root, target), "/etc/systemd/system/boardtune.service",
	       "the link moves to it");
	is_int(boot_disable(root), 0, "disable");
	is_str(link_of(root, target), "none", "the link is gone");
	ok(!sysroot_exists(root, BOOT_CONF), "so is the file");
	is_int(boot_disable(root), 1, "disable twice");
}

static void test_names(const struct sysroot *root)
{
	static const char *const bad[] = { "",	     ".",   "../r2s",
					   "/tmp/x", "a/b", "r2s.ini" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		is_int(boot_enable(root, bad[i]), -EINVAL, "\"%s\" is no name", bad[i]);
	ok(!sysroot_exists(root, BOOT_CONF), "nothing was written");
}

static void test_masked(const struct sysroot *root)
{
	sysroot_unlink(root, "/etc/systemd/system/boardtune.service");
	put_link(root, "/etc/systemd/system", BOOT_UNIT, "/dev/null");
	is_int(boot_enable(root, "r2s"), -ERFKILL, "a masked unit");
	ok(!sysroot_exists(root, BOOT_CONF), "nothing was written");
	sysroot_unlink(root, "/etc/systemd/system/boardtune.service");
}

/* An image whose links are absolute: they mean the image, not this machine. */
static void test_absolute_links(const struct sysroot *root, const char *dir)
{
	_cleanup_free_ char *name = NULL;
	char target[SYSROOT_PATH_MAX], path[SYSROOT_PATH_MAX];
	struct stat st;

	sysroot_mkdir_all(root, "/data/wants", 0755);
	sysroot_rmdir(root, BOOT_WANTS);
	put_link(root, "/etc/systemd/system", "multi-user.target.wants", "/data/wants");
	is_int(boot_enable(root, "r2s"), 0, "enable where the directory is a link");
	is_str(link_of(root, target), "/usr/lib/systemd/system/boardtune.service",
	       "the link is there");
	snprintf(path, sizeof(path), "%s/data/wants/" BOOT_UNIT, dir);
	ok(lstat(path, &st) == 0, "inside the image");
	is_str(profile_of(root, &name), "r2s", "the file names the profile");
	is_int(boot_disable(root), 0, "disable");
	ok(lstat(path, &st) < 0, "the link is gone");
}

static void test_broken_conf(const struct sysroot *root)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *what;
	} bad[] = {
		{ "", 0, "an empty file" },
		{ "[boot]\n", 0, "no key" },
		{ "[boot]\nprofile =\n", 2, "no value" },
		{ "profile = x\n", 1, "no section" },
		{ "[boot]\n\nprofil = x\n", 3, "an unknown key" },
		{ "[boot]\nprofile = x\n[other]\n", 3, "an unknown section" },
		{ "[boot]\nprofile = x\nprofile = y\n", 3, "the key twice" },
		{ "[boot]\nprofile = ../x\n", 2, "a path" },
		{ "[boot]\n profile = x\n", 2, "an indented line" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct profile_errors errors = { 0 };
		char *name = NULL;

		put(root, BOOT_CONF, bad[i].text);
		is_int(boot_profile(root, &name, NULL, &errors), -EBADMSG, "%s",
		       bad[i].what);
		ok(errors.n >= 1 && errors.items[0].line == bad[i].line,
		   "%s: on line %u", bad[i].what, bad[i].line);
		ok(!name, "%s: no profile", bad[i].what);
		profile_errors_clear(&errors);
	}
	sysroot_unlink(root, BOOT_CONF);
}

static void test_good_conf(const struct sysroot *root)
{
	_cleanup_free_ char *name = NULL;

	put(root, BOOT_CONF, "; by hand\r\n[boot]\r\nprofile=nanopi-neo2 ; why\r\n");
	is_str(profile_of(root, &name), "nanopi-neo2", "a file written by hand");
	sysroot_unlink(root, BOOT_CONF);
}

int main(void)
{
	char dir[] = "/tmp/boardtune-test-boot.XXXXXX";
	struct sysroot root = SYSROOT_INIT;

	if (!mkdtemp(dir) || sysroot_open(dir, &root) < 0) {
		puts("Bail out! no temporary directory");
		return 1;
	}
	test_enable(&root);
	test_names(&root);
	test_masked(&root);
	test_absolute_links(&root, dir);
	test_broken_conf(&root);
	test_good_conf(&root);
	sysroot_close(&root);
	nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return done();
}
