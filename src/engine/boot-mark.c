// SPDX-License-Identifier: GPL-2.0-or-later
// boot-mark.c - a mark that stands while a boot apply has not proved itself
#include "engine/boot-mark.h"

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
	return lasting_write(root, BOOT_MARK, text);
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
	ssize_t n = lasting_read(root, BOOT_MARK, &text);
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
	return lasting_remove(root, BOOT_MARK);
}
