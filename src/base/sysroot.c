// SPDX-License-Identifier: GPL-2.0-or-later
// sysroot.c - open, read, write and list below a root directory
#include "base/sysroot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/sysroot-path.h"

#define READ_ALL_MAX (16u << 20)

int sysroot_open(const char *dir, struct sysroot *ret)
{
	_cleanup_free_ char *prefix = NULL;
	int fd;

	prefix = dir ? realpath(dir, NULL) : strdup("");
	if (!prefix)
		return dir ? -errno : -ENOMEM;
	fd = open(dir ? dir : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret = (struct sysroot) { .fd = fd, .live = !dir, .prefix = TAKE_PTR(prefix) };
	return 0;
}

void sysroot_close(struct sysroot *root)
{
	close_fd(&root->fd);
	free(root->prefix);
	*root = (struct sysroot)SYSROOT_INIT;
}

static bool is_hidden(const struct sysroot *root, const char *real)
{
	return root->hooks && root->hooks->hidden &&
	       root->hooks->hidden(root->hooks_ctx, real);
}

int sysroot_realpath(const struct sysroot *root, const char *path, char *ret)
{
	char real[SYSROOT_PATH_MAX];
	int r = sysroot_walk(root, path, false, real);

	if (r < 0)
		return r;
	if (is_hidden(root, real))
		return -ENOENT;
	strcpy(ret, real);
	return 0;
}

int sysroot_openat(const struct sysroot *root, const char *path, int flags, mode_t mode)
{
	int fd;

	flags |= O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY); /* openat2 is strict */
	if (root->live) {
		fd = openat(root->fd, sysroot_below(path), flags, mode);
		return fd < 0 ? -errno : fd;
	}
	if (root->hooks && root->hooks->hidden && !(flags & O_CREAT)) {
		char real[SYSROOT_PATH_MAX];
		int r = sysroot_realpath(root, path, real);

		if (r < 0)
			return r;
	}
	return sysroot_open_in_root(root, path, flags, mode);
}

int sysroot_readlink(const struct sysroot *root, const char *path, char *buf, size_t size)
{
	char real[SYSROOT_PATH_MAX];
	ssize_t n;
	int r;

	if (root->live) {
		n = readlinkat(root->fd, sysroot_below(path), buf, size);
	} else {
		r = sysroot_walk(root, path, true, real);
		if (r < 0)
			return r;
		n = readlinkat(root->fd, sysroot_below(real), buf, size);
	}
	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	buf[n] = '\0';
	return 0;
}

/* Read to the end or until @size bytes are there. A short read is the end: an attribute
 * of the kernel (kernfs, single_open) comes whole, and a file does, too. */
static ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += n;
	}
	return len;
}

/* An attribute of the kernel comes whole (kernfs, single_open), a small file does, too:
 * one read is enough where room is left. */
static ssize_t read_attribute(int fd, char *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* A FIFO in a copy must not hold us up; among a kernel's files there is none. */
static int open_to_read(const struct sysroot *root, const char *path)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (root->live)
		fd = sysroot_openat(root, path, O_RDONLY, 0);
	else
		fd = sysroot_open_in_root(
			root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
	if (fd < 0 || root->live)
		return TAKE_FD(fd);
	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? TAKE_FD(fd) : -EINVAL;
}

/* The descriptor of an attribute, or what the rules say instead: 1 with @buf filled. */
static int open_attribute(const struct sysroot *root, const char *path, char *buf,
			  size_t size, int *ret_fd)
{
	char real[SYSROOT_PATH_MAX];
	int r;

	if (root->hooks && root->hooks->read) {
		r = sysroot_realpath(root, path, real);
		if (r == 0)
			r = root->hooks->read(root->hooks_ctx, real, buf, size);
		if (r)
			return r;
		path = real;
	}
	r = open_to_read(root, path);
	if (r < 0)
		return r;
	*ret_fd = r;
	return 0;
}

ssize_t sysroot_read(const struct sysroot *root, const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = -1;
	ssize_t n;

	n = open_attribute(root, path, buf, size, &fd);
	if (n == 0) {
		n = read_attribute(fd, buf, size);
		if (n == (ssize_t)size)
			n = -EFBIG;
		if (n >= 0)
			buf[n] = '\0';
	}
	if (n < 0) {
		log_trace(2, "read %s: %s", path, errno_name(n));
		return n;
	}
	str_chomp(buf);
	log_trace(2, "read %s: %s", path, buf);
	return strlen(buf);
}

static ssize_t read_to_end(int fd, char **ret)
{
	_cleanup_free_ char *buf = NULL;
	size_t len = 0, size = 0;
	ssize_t n;

	do {
		char *grown;

		size = size ? size * 2 : 4096;
		if (size > READ_ALL_MAX)
			return -EFBIG;
		grown = realloc(buf, size);
		if (!grown)
			return -ENOMEM;
		buf = grown;
		n = read_full(fd, buf + len, size - len - 1);
		if (n < 0)
			return n;
		len += n;
	} while (len == size - 1);
	buf[len] = '\0';
	*ret = TAKE_PTR(buf);
	return len;
}

ssize_t sysroot_read_all(const struct sysroot *root, const char *path, char **ret)
{
	_cleanup_close_ int fd = -1;
	char small[4096];
	ssize_t n = open_attribute(root, path, small, sizeof(small), &fd);

	if (n < 0)
		return n;
	if (n == 0)
		return read_to_end(fd, ret);
	*ret = strdup(small);
	return *ret ? (ssize_t)strlen(*ret) : -ENOMEM;
}

ssize_t sysroot_read_file(const struct sysroot *root, const char *path, int flags,
			  char **ret)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	fd = sysroot_openat(root, path, O_RDONLY | O_NONBLOCK | flags, 0);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? read_to_end(fd, ret) : -EINVAL;
}

int sysroot_read_long(const struct sysroot *root, const char *path, long *ret)
{
	char buf[64], *end;
	ssize_t n = sysroot_read(root, path, buf, sizeof(buf));
	long v;

	if (n < 0)
		return n == -EFBIG ? -EBADMSG : n;
	errno = 0;
	v = strtol(buf, &end, 10);
	if (errno || end == buf || *end)
		return -EBADMSG;
	*ret = v;
	return 0;
}

int sysroot_read_ulong(const struct sysroot *root, const char *path, unsigned long *ret)
{
	char buf[64], *end;
	ssize_t n = sysroot_read(root, path, buf, sizeof(buf));
	unsigned long v;

	if (n < 0)
		return n == -EFBIG ? -EBADMSG : n;
	errno = 0;
	v = strtoul(buf, &end, 10);
	if (errno || end == buf || *end || buf[0] == '-')
		return -EBADMSG;
	*ret = v;
	return 0;
}

static int mode_of(const struct sysroot *root, const char *path)
{
	char real[SYSROOT_PATH_MAX];
	struct stat st;
	int r;

	if (root->live)
		return fstatat(root->fd, sysroot_below(path), &st, 0) < 0
			       ? -errno
			       : (int)st.st_mode;
	r = sysroot_realpath(root, path, real);
	if (r < 0)
		return r;
	if (root->hooks && root->hooks->mode) {
		r = root->hooks->mode(root->hooks_ctx, real);
		if (r >= 0)
			return r;
	}
	return fstatat(root->fd, sysroot_below(real), &st, AT_SYMLINK_NOFOLLOW) < 0
		       ? -errno
		       : (int)st.st_mode;
}

/* A copied board without rules: the file then holds the text and a newline. */
static int write_plain(int fd, const char *text)
{
	char line[4096];
	int n = snprintf(line, sizeof(line), "%s\n", text);

	if (n < 0 || (size_t)n >= sizeof(line))
		return -EFBIG;
	if (pwrite(fd, line, n, 0) != n)
		return -EIO;
	return ftruncate(fd, n) < 0 ? -errno
				    : 0; /* after it: nothing is lost in between */
}

static int write_attribute(const struct sysroot *root, const char *path, const char *text)
{
	_cleanup_close_ int fd = -1;
	size_t n = strlen(text);
	char real[SYSROOT_PATH_MAX];
	ssize_t r;

	r = mode_of(root, path);
	if (r < 0)
		return r;
	if (!(r & 0222))
		return -EACCES;
	if (root->hooks && root->hooks->write) {
		r = sysroot_realpath(root, path, real);
		return r < 0 ? r : root->hooks->write(root->hooks_ctx, real, text);
	}
	fd = sysroot_openat(root, path, O_WRONLY | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	if (!root->live)
		return write_plain(fd, text);
	/* An empty text still has to reach the kernel: a lone newline clears a mask. */
	r = n ? write(fd, text, n) : write(fd, "\n", n = 1);
	if (r < 0)
		return -errno;
	return (size_t)r == n ? 0 : -EIO;
}

int sysroot_write(const struct sysroot *root, const char *path, const char *text)
{
	int r = write_attribute(root, path, text);

	log_trace(1, "write %s: %s%s%s", path, text, r < 0 ? ": " : "",
		  r < 0 ? errno_name(r) : "");
	return r;
}

bool sysroot_exists(const struct sysroot *root, const char *path)
{
	return mode_of(root, path) >= 0;
}

bool sysroot_writable(const struct sysroot *root, const char *path)
{
	int mode = mode_of(root, path);

	return mode >= 0 && mode & 0222;
}

static int compare_names(const void *a, const void *b)
{
	return str_compare_natural(*(char *const *)a, *(char *const *)b);
}

void sysroot_list_free(char ***names)
{
	for (char **name = *names; name && *name; name++)
		free(*name);
	free(*names);
	*names = NULL;
}

static bool name_hidden(const struct sysroot *root, const char *dir, const char *name)
{
	char path[SYSROOT_PATH_MAX], real[SYSROOT_PATH_MAX];

	if (!root->hooks || !root->hooks->hidden)
		return false;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return false;
	return sysroot_walk(root, path, true, real) == 0 && is_hidden(root, real);
}

ssize_t sysroot_list(const struct sysroot *root, const char *dir, char ***ret)
{
	_cleanup_list_ char **names = NULL;
	struct dirent *entry;
	size_t n = 0;
	DIR *d;
	int fd, r;

	fd = sysroot_openat(root, dir, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return fd;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	r = array_grow(&names, 0, sizeof(*names));
	if (r == 0)
		names[0] = NULL;
	while (r == 0 && (errno = 0, entry = readdir(d))) {
		if (streq(entry->d_name, ".") || streq(entry->d_name, "..") ||
		    name_hidden(root, dir, entry->d_name))
			continue;
		r = array_grow(&names, n + 1, sizeof(*names)); /* room for the NULL too */
		if (r < 0)
			break;
		names[n + 1] = NULL;
		names[n] = strdup(entry->d_name);
		r = names[n] ? 0 : -ENOMEM;
		n += r == 0;
	}
	if (r == 0 && errno)
		r = -errno;
	closedir(d);
	if (r < 0)
		return r;
	qsort(names, n, sizeof(*names), compare_names);
	*ret = TAKE_PTR(names);
	return n;
}

/* The directory of @path as a descriptor, and its last part. */
static int open_parent(const struct sysroot *root, const char *path,
		       const char **ret_name)
{
	char dir[SYSROOT_PATH_MAX];
	const char *slash = strrchr(path, '/');

	if (!slash || !slash[1] || (size_t)(slash - path) >= sizeof(dir))
		return -EINVAL;
	memcpy(dir, path, slash - path);
	dir[slash - path] = '\0';
	*ret_name = slash + 1;
	return sysroot_openat(root, *dir ? dir : "/", O_RDONLY | O_DIRECTORY, 0);
}

int sysroot_mkdir_all(const struct sysroot *root, const char *dir, mode_t mode)
{
	char path[SYSROOT_PATH_MAX];

	if (strlen(dir) >= sizeof(path))
		return -ENAMETOOLONG;
	strcpy(path, dir);
	for (char *s = path + 1;; s++) {
		_cleanup_close_ int parent = -1;
		const char *name;
		bool last = *s == '\0';

		if (*s != '/' && !last)
			continue;
		*s = '\0';
		if (!sysroot_exists(root, path)) {
			parent = open_parent(root, path, &name);
			if (parent < 0)
				return parent;
			if (mkdirat(parent, name, mode) < 0 && errno != EEXIST)
				return -errno;
		}
		if (last)
			return 0;
		*s = '/';
	}
}

static int write_and_sync(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int sysroot_replace(const struct sysroot *root, const char *path, const void *data,
		    size_t size, mode_t mode)
{
	_cleanup_close_ int dir = -1, fd = -1;
	char beside[SYSROOT_PATH_MAX];
	const char *name;
	int r;

	dir = open_parent(root, path, &name);
	if (dir < 0)
		return dir;
	if (snprintf(beside, sizeof(beside), ".%s.new", name) >= (int)sizeof(beside))
		return -ENAMETOOLONG;
	/* What a killed writer left: the directory is ours alone. */
	if (unlinkat(dir, beside, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(dir, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    mode);
	if (fd < 0)
		return -errno;
	r = write_and_sync(fd, data, size);
	if (r == 0 && renameat(dir, beside, dir, name) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(dir, beside, 0);
		return r;
	}
	return fsync(dir) < 0 ? -errno : 0;
}

static int unlink_sysroot_below(const struct sysroot *root, const char *path, int flags)
{
	_cleanup_close_ int dir = -1;
	const char *name;

	dir = open_parent(root, path, &name);
	if (dir < 0)
		return dir;
	return unlinkat(dir, name, flags) < 0 ? -errno : 0;
}

int sysroot_unlink(const struct sysroot *root, const char *path)
{
	return unlink_sysroot_below(root, path, 0);
}

int sysroot_rmdir(const struct sysroot *root, const char *path)
{
	return unlink_sysroot_below(root, path, AT_REMOVEDIR);
}
