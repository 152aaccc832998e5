/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fixture.h - a small directory that looks like "/", made by a unit test, gone with it */
#ifndef BOARDTUNE_FIXTURE_H
#define BOARDTUNE_FIXTURE_H

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "kernel/system.h"

struct fixture {
	char dir[64];
	struct system sys;
};

static void fixture_fail(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static void fixture_open(struct fixture *f)
{
	*f = (struct fixture){ .dir = "/tmp/boardtune-test-XXXXXX", .sys = SYSTEM_INIT };
	if (!mkdtemp(f->dir))
		fixture_fail("mkdtemp");
	errno = -sysroot_open(f->dir, &f->sys.root);
	if (errno)
		fixture_fail("sysroot_open");
}

__attribute__((unused)) static int fixture_unlink(const char *path, const struct stat *st,
						  int type, struct FTW *ftw)
{
	return remove(path);
}

static void fixture_close(struct fixture *f)
{
	sysroot_close(&f->sys.root);
	if (nftw(f->dir, fixture_unlink, 16, FTW_DEPTH | FTW_PHYS) < 0)
		fixture_fail(f->dir);
}

static void fixture_path(struct fixture *f, const char *path, char *ret, size_t size)
{
	snprintf(ret, size, "%s%s", f->dir, path);
	for (char *s = ret + strlen(f->dir) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		if (mkdir(ret, 0755) < 0 && errno != EEXIST)
			fixture_fail(ret);
		*s = '/';
	}
}

static void fixture_data(struct fixture *f, const char *path, const char *data,
			 size_t size)
{
	_cleanup_close_ int fd = -1;
	char real[512];

	fixture_path(f, path, real, sizeof(real));
	fd = open(real, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		fixture_fail(path);
}

__attribute__((unused)) static void fixture_file(struct fixture *f, const char *path,
						 const char *text)
{
	fixture_data(f, path, text, strlen(text));
}

__attribute__((unused)) static void fixture_link(struct fixture *f, const char *path,
						 const char *to)
{
	char real[512];

	fixture_path(f, path, real, sizeof(real));
	if (symlink(to, real) < 0)
		fixture_fail(path);
}

__attribute__((unused)) static void fixture_remove(struct fixture *f, const char *path)
{
	char real[512];

	snprintf(real, sizeof(real), "%s%s", f->dir, path);
	if (nftw(real, fixture_unlink, 16, FTW_DEPTH | FTW_PHYS) < 0)
		fixture_fail(path);
}

/* The text of a file, without its last newline; "" if there is none. */
__attribute__((unused)) static const char *fixture_text(struct fixture *f,
							const char *path)
{
	static char text[512];

	if (sysroot_read(&f->sys.root, path, text, sizeof(text)) < 0)
		text[0] = '\0';
	return text;
}

#endif
