// SPDX-License-Identifier: GPL-2.0-or-later
// lasting.c - the directory whose files outlive a crash, and what is kept there
#include "engine/lasting.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#define FIRST "/var/lib/boardtune"

static const char *const dirs[] = { FIRST, "/etc/boardtune" };

/* Cleared at each boot, whatever they are on. */
static const char *const cleared[] = { "/tmp", "/run", "/dev/shm" };

static bool is_cleared(const char *real)
{
	for (size_t i = 0; i < ARRAY_SIZE(cleared); i++) {
		const char *below = str_after(real, cleared[i]);

		if (below && (*below == '/' || !*below))
			return true;
	}
	return false;
}

/*
 * The directory, or the nearest above it that is there: what is missing would be made in
 * that one. Returns a descriptor or -errno.
 */
static int open_nearest(const struct sysroot *root, const char *dir, char *ret_real)
{
	char path[SYSROOT_PATH_MAX];

	snprintf(path, sizeof(path), "%s", dir);
	for (;;) {
		const char *at = *path ? path : "/";
		int fd = sysroot_openat(root, at, O_PATH | O_DIRECTORY, 0);
		int r = fd < 0 ? fd : sysroot_realpath(root, at, ret_real);

		if (r == 0)
			return fd;
		if (fd >= 0)
			close(fd);
		if (r != -ENOENT || !*path)
			return r;
		*strrchr(path, '/') = '\0';
	}
}

static bool in_memory(const struct statfs *fs)
{
	uint32_t type = fs->f_type; /* a long, which is negative for some on 32 bits */

	return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}

/* An option as mountinfo has it: up to a comma, with blanks and the like in octal. */
static int copy_option(const char *from, char ret[static SYSROOT_PATH_MAX])
{
	size_t n = 0;

	while (*from && *from != ',' && *from != ' ') {
		unsigned octal;

		if (n + 1 == SYSROOT_PATH_MAX)
			return -ENAMETOOLONG;
		if (*from == '\\' && sscanf(from + 1, "%3o", &octal) == 1) {
			ret[n++] = (char)octal;
			from += strnlen(from, 4);
		} else {
			ret[n++] = *from++;
		}
	}
	ret[n] = '\0';
	return 0;
}

/* "36 25 0:31 / / rw - overlay NAME rw,lowerdir=...,upperdir=...": of this device? */
static const char *find_upper(char *line, dev_t dev)
{
	const char *options = strstr(line, " - overlay ");
	unsigned ma, mi;

	if (!options || sscanf(line, "%*u %*u %u:%u", &ma, &mi) != 2 ||
	    ma != major(dev) || mi != minor(dev))
		return NULL;
	options = strstr(options, ",upperdir=");
	return options ? options + strlen(",upperdir=") : NULL;
}

/* What is written to an overlay goes to its upper directory. */
static int upper_lasts(const struct sysroot *root, dev_t dev)
{
	char upper[SYSROOT_PATH_MAX], *rest, *line;
	_cleanup_free_ char *mounts = NULL;
	_cleanup_close_ int fd = -1;
	const char *found = NULL;
	struct statfs fs;
	ssize_t n = sysroot_read_all(root, "/proc/self/mountinfo", &mounts);

	if (n < 0)
		return n;
	rest = mounts;
	while (!found && (line = strsep(&rest, "\n")))
		found = find_upper(line, dev);
	if (!found || copy_option(found, upper) < 0 || *upper != '/')
		return 0;
	fd = sysroot_openat(root, upper, O_PATH | O_DIRECTORY, 0);
	if (fd < 0)
		return 0; /* hidden when the root was changed: not known */
	if (fstatfs(fd, &fs) < 0)
		return -errno;
	return !in_memory(&fs) && (uint32_t)fs.f_type != OVERLAYFS_SUPER_MAGIC;
}

/* Whether what is in it outlives a crash: 1, 0 or -errno. */
static int dir_lasts(const struct sysroot *root, const char *dir)
{
	char real[SYSROOT_PATH_MAX];
	_cleanup_close_ int fd = open_nearest(root, dir, real);
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return fd;
	if (is_cleared(real))
		return 0;
	if (!root->live)
		return 1;
	if (fstatfs(fd, &fs) < 0 || fstat(fd, &st) < 0)
		return -errno;
	if ((uint32_t)fs.f_type == OVERLAYFS_SUPER_MAGIC)
		return upper_lasts(root, st.st_dev);
	return !in_memory(&fs);
}

static void path_in(const char *dir, const char *name, char *ret)
{
	snprintf(ret, SYSROOT_PATH_MAX, "%s/%s", dir, name);
}

ssize_t lasting_read(const struct sysroot *root, const char *name, char **ret)
{
	char path[SYSROOT_PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		ssize_t n = dir_lasts(root, dirs[i]);

		path_in(dirs[i], name, path);
		if (n > 0)
			n = sysroot_read_file(root, path, O_NOFOLLOW, ret);
		else if (n == 0)
			continue;
		if (n != -ENOENT)
			return n;
	}
	return -ENOENT;
}

static int remove_from(const struct sysroot *root, const char *dir, const char *name)
{
	char path[SYSROOT_PATH_MAX], target[2];
	_cleanup_close_ int fd = -1;
	int r;

	path_in(dir, name, path);
	/* looked at before: where nothing may be written ENOENT is not told */
	if (!sysroot_exists(root, path) &&
	    sysroot_readlink(root, path, target, sizeof(target)) == -ENOENT)
		return 0;
	r = sysroot_unlink(root, path);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	/* Else a plug that is pulled now brings it back. */
	fd = sysroot_openat(root, dir, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return fd;
	return fsync(fd) < 0 ? -errno : 0;
}

/* All but in the first @from that last. */
static int remove_all(const struct sysroot *root, const char *name, size_t from)
{
	for (size_t i = from; i < ARRAY_SIZE(dirs); i++) {
		int r = dir_lasts(root, dirs[i]);

		if (r > 0)
			r = remove_from(root, dirs[i], name);
		if (r < 0)
			return r;
	}
	return 0;
}

int lasting_write(const struct sysroot *root, const char *name, const char *text)
{
	char path[SYSROOT_PATH_MAX];
	size_t i = 0;
	int r = 0;

	while (i < ARRAY_SIZE(dirs) && (r = dir_lasts(root, dirs[i])) == 0)
		i++;
	if (r <= 0)
		return r < 0 ? r : -ENOMEDIUM;
	r = sysroot_mkdir_all(root, dirs[i], 0755);
	if (r < 0)
		return r;
	path_in(dirs[i], name, path);
	r = sysroot_replace(root, path, text, strlen(text), 0644);
	return r < 0 ? r : remove_all(root, name, i + 1);
}

int lasting_remove(const struct sysroot *root, const char *name)
{
	return remove_all(root, name, 0);
}

bool lasting_exists(const struct sysroot *root, const char *name)
{
	char path[SYSROOT_PATH_MAX];

	return sysroot_exists(root, lasting_path(root, name, path));
}

const char *lasting_path(const struct sysroot *root, const char *name,
			 char buf[static SYSROOT_PATH_MAX])
{
	const char *place = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (dir_lasts(root, dirs[i]) <= 0)
			continue;
		place = place ? place : dirs[i];
		path_in(dirs[i], name, buf);
		if (sysroot_exists(root, buf))
			return buf;
	}
	path_in(place ? place : FIRST, name, buf);
	return buf;
}
