// SPDX-License-Identifier: GPL-2.0-or-later
// boot-mark.c - a mark that stands while a boot apply has not proved itself
#include "engine/boot-mark.h"

#include <fcntl.h>

#define DIR_MODE 0755

static int read_boot_id(const struct sysroot *root, char *ret, size_t size)
{
	ssize_t n = sysroot_read(root, "/proc/sys/kernel/random/boot_id", ret, size);

	return n < 0 ? (int)n : 0;
}

int boot_mark_set(const struct sysroot *root, const char *profile)
{
	_cleanup_free_ char *text = NULL;
	char id[sizeof(((struct boot_mark *)NULL)->boot_id)];
	int r;

	r = read_boot_id(root, id, sizeof(id));
	if (r < 0)
		return r;
	text = str_format("%s\n%s\n", id, profile);
	if (!text)
		return -ENOMEM;
	r = sysroot_mkdir_all(root, "/var/lib/boardtune", DIR_MODE);
	if (r < 0)
		return r;
	return sysroot_replace(root, BOOT_MARK, text, strlen(text), 0644);
}

/* "BOOT-ID\nPROFILE\n". What cannot be read that way is of a boot that was cut off. */
static void mark_parse(const char *text, struct boot_mark *ret)
{
	size_t n = strcspn(text, "\n");

	snprintf(ret->boot_id, sizeof(ret->boot_id), "%.*s", (int)n, text);
	text += n + (text[n] == '\n');
	snprintf(ret->profile, sizeof(ret->profile), "%.*s", (int)strcspn(text, "\n"),
		 text);
}

int boot_mark_get(const struct sysroot *root, struct boot_mark *ret)
{
	_cleanup_free_ char *text = NULL;
	struct boot_mark mark = {};
	char id[sizeof(mark.boot_id)];
	ssize_t n = sysroot_read_all(root, BOOT_MARK, &text);
	int r;

	if (n < 0)
		return n;
	r = read_boot_id(root, id, sizeof(id));
	if (r < 0)
		return r;
	mark_parse(text, &mark);
	if (streq(mark.boot_id, id))
		return -ENOENT;
	*ret = mark;
	return 0;
}

int boot_mark_clear(const struct sysroot *root)
{
	_cleanup_close_ int dir = -1;
	int r = sysroot_unlink(root, BOOT_MARK);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	/* Else a plug that is pulled now brings it back. */
	dir = sysroot_openat(root, "/var/lib/boardtune", O_RDONLY | O_DIRECTORY, 0);
	if (dir < 0)
		return dir;
	return fsync(dir) < 0 ? -errno : 0;
}
