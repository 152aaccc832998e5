// SPDX-License-Identifier: GPL-2.0-or-later
// sysroot-path.c - links that resolve below a root and never leave it
#include "base/sysroot-path.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#define LINKS_MAX 40

const char *sysroot_below(const char *path)
{
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

/* Put a link's text in front of what is left to walk. */
static int push_link(const char *target, size_t n, char *rest)
{
	size_t tail = strlen(rest);

	if (n + 1 + tail + 1 > SYSROOT_PATH_MAX)
		return -ENAMETOOLONG;
	memmove(rest + n + 1, rest, tail + 1);
	memcpy(rest, target, n);
	rest[n] = '/';
	return 0;
}

/* Absolute, without an empty part, "." or "..", so that it is its own real path if no
 * part of it is a link. */
static bool is_plain(const char *path)
{
	for (const char *s = path; *s == '/'; s += 1 + strcspn(s + 1, "/")) {
		size_t n = strcspn(s + 1, "/");

		if (n == 0 || (s[1] == '.' && (n == 1 || (n == 2 && s[2] == '.'))))
			return false;
		if (!s[1 + n])
			return true;
	}
	return false;
}

/* One look at a path without links: 0, -ENOENT, -ENOTDIR; 1 where it has to be walked. */
static int look(const struct sysroot *root, const char *path, bool keep_last)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (keep_last ? O_NOFOLLOW : 0),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
	};
	_cleanup_close_ int fd = syscall(SYS_openat2, root->fd, sysroot_below(path), &how,
					 sizeof(how));

	if (fd >= 0)
		return 0;
	return errno == ENOENT || errno == ENOTDIR ? -errno : 1;
}

int sysroot_walk(const struct sysroot *root, const char *path, bool keep_last, char *ret)
{
	char rest[SYSROOT_PATH_MAX], link[SYSROOT_PATH_MAX];
	size_t len = 0;
	int links = 0;

	if (strlen(path) >= sizeof(rest))
		return -ENAMETOOLONG;
	if (is_plain(path)) {
		int r = look(root, path, keep_last);

		if (r <= 0)
			return r < 0 ? r : (strcpy(ret, path), 0);
	}
	strcpy(rest, path);
	ret[0] = '\0';
	for (;;) {
		size_t skip = strspn(rest, "/"), n = strcspn(rest + skip, "/");
		char *part = rest + skip;
		bool last = part[n + strspn(part + n, "/")] == '\0';
		ssize_t got;

		if (n == 0)
			return len ? 0 : (strcpy(ret, "/"), 0);
		if (n == 2 && memcmp(part, "..", 2) == 0) {
			while (len && ret[--len] != '/')
				;
			ret[len] = '\0';
		} else if (!(n == 1 && part[0] == '.')) {
			size_t before = len;

			if (len + 1 + n >= SYSROOT_PATH_MAX)
				return -ENAMETOOLONG;
			ret[len] = '/';
			memcpy(ret + len + 1, part, n);
			len += 1 + n;
			ret[len] = '\0';
			got = readlinkat(root->fd, sysroot_below(ret), link,
					 sizeof(link));
			if (got < 0 && errno != EINVAL)
				return -errno;
			if (got >= (ssize_t)sizeof(link))
				return -ENAMETOOLONG;
			if (got >= 0 && !(last && keep_last)) {
				if (++links > LINKS_MAX)
					return -ELOOP;
				len = link[0] == '/' ? 0 : before;
				ret[len] = '\0';
				memmove(rest, part + n, strlen(part + n) + 1);
				got = push_link(link, got, rest);
				if (got < 0)
					return got;
				continue;
			}
		}
		memmove(rest, part + n, strlen(part + n) + 1);
	}
}

/* Where a file is, or with O_CREAT where it is going to be. */
static int walk_to_open(const struct sysroot *root, const char *path, int flags,
			char *ret)
{
	char dir[SYSROOT_PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t n;
	int r;

	r = sysroot_walk(root, path, flags & O_NOFOLLOW, ret);
	if (r != -ENOENT || !(flags & O_CREAT) || !slash || !slash[1] ||
	    strlen(path) >= sizeof(dir))
		return r;
	memcpy(dir, path, slash - path);
	dir[slash - path] = '\0';
	r = sysroot_walk(root, *dir ? dir : "/", false, ret);
	n = strlen(ret);
	if (r < 0 || n + strlen(slash) >= SYSROOT_PATH_MAX)
		return r < 0 ? r : -ENAMETOOLONG;
	strcpy(ret + n, slash);
	return 0;
}

int sysroot_open_in_root(const struct sysroot *root, const char *path, int flags,
			 mode_t mode)
{
	struct open_how how = {
		.flags = (unsigned)flags,
		.mode = flags & (O_CREAT | __O_TMPFILE) ? mode : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char real[SYSROOT_PATH_MAX];
	int fd, r;

	fd = syscall(SYS_openat2, root->fd, sysroot_below(path), &how, sizeof(how));
	/* EAGAIN: anything on this machine was renamed or mounted while a ".." of a link
	 * was followed (fs/namei.c handle_dots() 5.6 to 6.18) */
	if (fd >= 0 || (errno != ENOSYS && errno != EAGAIN))
		return fd < 0 ? -errno : fd;
	r = walk_to_open(root, path, flags, real);
	if (r < 0)
		return r;
	fd = openat(root->fd, sysroot_below(real), flags | O_NOFOLLOW, mode);
	return fd < 0 ? -errno : fd;
}
