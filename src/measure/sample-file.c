// SPDX-License-Identifier: GPL-2.0-or-later
// sample-file.c - files of the kernel that are read again and again
#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "measure/sample-private.h"

void sample_file_set(struct sample_file *f, const char *fmt, ...)
{
	va_list ap;

	f->fd = -1;
	va_start(ap, fmt);
	if (vsnprintf(f->path, sizeof(f->path), fmt, ap) >= (int)sizeof(f->path))
		f->path[0] = '\0'; /* no name that we know is so long */
	va_end(ap);
}

void sample_file_close(struct sample_file *f)
{
	if (f->path[0])
		close_fd(&f->fd);
	f->path[0] = '\0';
}

/* A device in a copied board must not hold us up. */
static int open_file(const struct sysroot *root, const char *path)
{
	return sysroot_openat(root, path, O_RDONLY | (root->live ? 0 : O_NONBLOCK), 0);
}

/* A removed file of sysfs says ENODEV (kernfs 6.1); that of a copy has no name left. */
static ssize_t read_at(const struct sysroot *root, int fd, off_t offset, char *buf,
		       size_t size)
{
	struct stat st;
	ssize_t n;

	if (!root->live && (fstat(fd, &st) < 0 || st.st_nlink == 0))
		return -ENODEV;
	do
		n = pread(fd, buf, size - 1, offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return n;
}

/* What the rules make of a file comes whole; one too long for @buf they leave alone. */
static ssize_t read_by_rules(const struct sysroot *root, const char *path, off_t offset,
			     char *buf, size_t size)
{
	_cleanup_close_ int fd = -1;
	ssize_t n = sysroot_read(root, path, buf, size);

	if (n != -EFBIG)
		return n > 0 && offset ? 0 : n;
	fd = open_file(root, path);
	return fd < 0 ? fd : read_at(root, fd, offset, buf, size);
}

ssize_t sample_file_read(const struct sysroot *root, struct sample_file *f, off_t offset,
			 char *buf, size_t size)
{
	ssize_t n;

	if (!f->path[0])
		return -ENOENT;
	if (root->hooks)
		return read_by_rules(root, f->path, offset, buf, size);
	n = f->fd < 0 ? -ENODEV : read_at(root, f->fd, offset, buf, size);
	if (n != -ENODEV)
		return n;
	close_fd(&f->fd);
	f->fd = open_file(root, f->path);
	return f->fd < 0 ? f->fd : read_at(root, f->fd, offset, buf, size);
}

/* The text of a number, which is short. */
static int read_number(const struct sysroot *root, struct sample_file *f,
		       char buf[static 32])
{
	ssize_t n = sample_file_read(root, f, 0, buf, 32);

	if (n < 0)
		return (int)n;
	str_chomp(buf);
	return n == 31 || !buf[0] ? -EBADMSG : 0;
}

int sample_file_long(const struct sysroot *root, struct sample_file *f, long *ret)
{
	char buf[32], *end;
	int r = read_number(root, f, buf);
	long number;

	if (r < 0)
		return r;
	errno = 0;
	number = strtol(buf, &end, 10);
	if (errno || *end)
		return -EBADMSG;
	*ret = number;
	return 0;
}

int sample_file_u64(const struct sysroot *root, struct sample_file *f, int base,
		    uint64_t *ret)
{
	char buf[32], *end;
	int r = read_number(root, f, buf);
	unsigned long long number;

	if (r < 0)
		return r;
	errno = 0;
	number = strtoull(buf, &end, base);
	if (errno || *end || !isxdigit((unsigned char)buf[0]))
		return -EBADMSG;
	*ret = number;
	return 0;
}

void sample_lines_begin(struct sample_lines *lines, const struct sysroot *root,
			struct sample_file *file)
{
	lines->root = root;
	lines->file = file;
	lines->offset = 0;
	lines->from = lines->used = 0;
}

int sample_lines_next(struct sample_lines *lines, char **ret)
{
	for (;;) {
		char *line = lines->buf + lines->from;
		char *end = memchr(line, '\n', lines->used - lines->from);
		ssize_t n;

		if (end) {
			*end = '\0';
			lines->from = (size_t)(end - lines->buf) + 1;
			*ret = line;
			return 1;
		}
		memmove(lines->buf, line, lines->used - lines->from);
		lines->used -= lines->from;
		lines->from = 0;
		if (lines->used == sizeof(lines->buf) - 1)
			return -EFBIG;
		n = sample_file_read(lines->root, lines->file, lines->offset,
				     lines->buf + lines->used,
				     sizeof(lines->buf) - lines->used);
		if (n < 0)
			return (int)n;
		lines->offset += n;
		lines->used += (size_t)n;
		if (n == 0 && lines->used == 0)
			return 0;
		if (n == 0) /* a last line without newline; there is room for one */
			lines->buf[lines->used++] = '\n';
	}
}
