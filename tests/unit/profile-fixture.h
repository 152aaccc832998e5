/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile-fixture.h - profiles below a root directory of a test's own */
#ifndef BOARDTUNE_PROFILE_FIXTURE_H
#define BOARDTUNE_PROFILE_FIXTURE_H

#include <ftw.h>
#include <sys/stat.h>

#include "profile/profile.h"
#include "profile/source.h"
#include "tap.h"

#define LOCAL "/etc/boardtune/profiles/"
#define VENDOR SOURCE_VENDOR_DIR "/"

/* A root of its own, with the profile directories below it. */
struct fixture {
	char dir[32];
	struct sysroot root;
	struct profile *profile;
	struct profile_errors errors;
};

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	return remove(path);
}

static void fixture_open(struct fixture *f)
{
	*f = (struct fixture){ .dir = "/tmp/test-profile-XXXXXX", .root = SYSROOT_INIT };
	if (!mkdtemp(f->dir) || sysroot_open(f->dir, &f->root) < 0 ||
	    sysroot_mkdir_all(&f->root, "/etc/boardtune/profiles", 0755) < 0 ||
	    sysroot_mkdir_all(&f->root, SOURCE_VENDOR_DIR, 0755) < 0)
		puts("Bail out! cannot make a directory below /tmp");
}

static void forget(struct fixture *f)
{
	profile_free(f->profile);
	f->profile = NULL;
	profile_errors_clear(&f->errors);
}

static void fixture_close(struct fixture *f)
{
	forget(f);
	sysroot_close(&f->root);
	nftw(f->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void put_bytes(struct fixture *f, const char *path, const void *data, size_t size)
{
	char dir[SYSROOT_PATH_MAX];

	snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	if (sysroot_mkdir_all(&f->root, dir, 0755) < 0 ||
	    sysroot_replace(&f->root, path, data, size, 0644) < 0)
		printf("Bail out! cannot write %s\n", path);
}

static void put(struct fixture *f, const char *path, const char *text)
{
	put_bytes(f, path, text, strlen(text));
}

static int load(struct fixture *f, const char *name)
{
	forget(f);
	return profile_load(&f->root, name, &f->profile, &f->errors);
}

/* "FILE:LINE: text" of an error, FILE without its directory. */
__attribute__((unused)) static const char *error_text(const struct fixture *f, size_t i,
						       char buf[static 512])
{
	const struct profile_error *e = &f->errors.items[i];
	const char *slash;

	if (i >= f->errors.n)
		return "none";
	slash = strrchr(e->file, '/');
	snprintf(buf, 512, "%s:%u: %s", slash ? slash + 1 : e->file, e->line, e->text);
	return buf;
}

#endif
