/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysroot.h - every file of the board is reached through here
 *
 * A sysroot is a directory descriptor: "/" on a live board, a directory that looks
 * like "/" (--sysroot), or an unpacked recording (--board). Paths are absolute as the
 * board sees them ("/sys/..."), links inside resolve below the root and never leave it.
 * The hooks are the one seam for recorded boards: they see each access by its real path.
 */
#ifndef BOARDTUNE_SYSROOT_H
#define BOARDTUNE_SYSROOT_H

#include <sys/types.h>

#include "base/base.h"

#define SYSROOT_PATH_MAX 512

/*
 * Rules of a recorded board. Each gets the real path (no link in it) below the root.
 * A hook that is NULL changes nothing.
 */
struct sysroot_hooks {
	/* Before a read: 0 to read the file, 1 if @buf was filled with text instead,
	 * -errno to fail as the kernel would. */
	int (*read)(void *ctx, const char *path, char *buf, size_t size);
	/* Instead of write(2): does the writing and what follows from it; 0 or -errno. */
	int (*write)(void *ctx, const char *path, const char *text);
	/* Whether a file or directory is there at all now (governor tunables). */
	bool (*hidden)(void *ctx, const char *path);
	/* Mode bits to report instead of those of the file, or -1. */
	int (*mode)(void *ctx, const char *path);
};

struct sysroot {
	int fd;        /* O_PATH directory, owned */
	bool live;     /* the root of the running system */
	char *prefix;  /* real path of the directory, "" when live; for messages */
	const struct sysroot_hooks *hooks;
	void *hooks_ctx;
};

#define SYSROOT_INIT { .fd = -1 }

/**
 * sysroot_open - take a directory as the root of a board
 * @dir: NULL for "/"
 * @ret: filled in; release with sysroot_close()
 *
 * Returns 0 or -errno.
 */
int sysroot_open(const char *dir, struct sysroot *ret);
void sysroot_close(struct sysroot *root);

/**
 * sysroot_openat - open a file below the root
 * @flags: as open(2); O_CLOEXEC is added; with O_NOFOLLOW the last part may not be a link
 *
 * Returns a descriptor or -errno. -ELOOP after 40 links, -ENOENT for what the hooks hide.
 * Recorded rules are not asked: for state files and profiles, not for sysfs attributes.
 */
int sysroot_openat(const struct sysroot *root, const char *path, int flags, mode_t mode);

/**
 * sysroot_realpath - the path without links, as the board sees it
 * @ret: at least SYSROOT_PATH_MAX bytes
 *
 * Returns 0 or -errno (-ENAMETOOLONG). Allocates nothing.
 */
int sysroot_realpath(const struct sysroot *root, const char *path, char *ret);

/**
 * sysroot_readlink - the text of a link, not resolved
 *
 * Returns 0 or -errno.
 */
int sysroot_readlink(const struct sysroot *root, const char *path, char *buf,
		     size_t size);

/**
 * sysroot_read - read an attribute
 * @buf: gets the text, trailing newline and NULs cut, always terminated
 * @size: room in @buf; longer contents are -EFBIG
 *
 * Returns the length or -errno of open or read. Allocates nothing.
 */
ssize_t sysroot_read(const struct sysroot *root, const char *path, char *buf,
		     size_t size);

/**
 * sysroot_read_all - read a file of any size up to 16 MiB, binary ones too
 * @ret: gets malloc'd contents, with a NUL byte after the last
 *
 * Returns the length or -errno.
 */
ssize_t sysroot_read_all(const struct sysroot *root, const char *path, char **ret);

/**
 * sysroot_read_file - read a file of ours, or of the owner: anything may be in its place
 * @flags: O_NOFOLLOW: it may be no link either
 *
 * What is no regular file is -EINVAL: a FIFO or a device does not hold us up. Otherwise
 * as sysroot_read_all(); recorded rules are not asked.
 */
ssize_t sysroot_read_file(const struct sysroot *root, const char *path, int flags,
			  char **ret);

/**
 * sysroot_read_ulong - read a decimal number
 *
 * Returns 0, -errno, or -EBADMSG if it is not one number.
 */
int sysroot_read_ulong(const struct sysroot *root, const char *path, unsigned long *ret);
int sysroot_read_long(const struct sysroot *root, const char *path, long *ret);

/**
 * sysroot_write - write an attribute with one write(2), never truncating or creating
 *
 * A newline is not added. Returns 0 or -errno (-EIO for a short write). On a live board
 * and for recorded boards alike a file without any write bit is refused with -EACCES,
 * root or not. Allocates nothing on a live board.
 */
int sysroot_write(const struct sysroot *root, const char *path, const char *text);

/** sysroot_exists - whether the path is there now (links followed) */
bool sysroot_exists(const struct sysroot *root, const char *path);

/** sysroot_writable - whether the file has a write bit (its mode, whoever asks) */
bool sysroot_writable(const struct sysroot *root, const char *path);

/**
 * sysroot_list - the names in a directory, in natural order
 * @ret: gets a NULL-terminated array, freed with sysroot_list_free(); empty if none
 *
 * Returns the number of names or -errno.
 */
ssize_t sysroot_list(const struct sysroot *root, const char *dir, char ***ret);
void sysroot_list_free(char ***names);
#define _cleanup_list_ _cleanup_(sysroot_list_free)

/**
 * sysroot_mkdir_all - make a directory and its parents
 *
 * Returns 0 (also when it is there) or -errno.
 */
int sysroot_mkdir_all(const struct sysroot *root, const char *dir, mode_t mode);

/**
 * sysroot_replace - put a whole file in place: written beside it, synced, renamed
 * @mode: of the new file
 *
 * The directory must exist. Nobody ever sees half a file; on failure the old one is
 * still there. Not for sysfs. Returns 0 or -errno.
 */
int sysroot_replace(const struct sysroot *root, const char *path, const void *data,
		    size_t size, mode_t mode);

/** sysroot_unlink - 0, or -errno (-ENOENT too) */
int sysroot_unlink(const struct sysroot *root, const char *path);
int sysroot_rmdir(const struct sysroot *root, const char *path);

#endif
