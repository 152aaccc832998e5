// SPDX-License-Identifier: GPL-2.0-or-later
// confine.c - landlock(7): writing only below some directories
#include "base/confine.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>

/* Since 5.19 and 6.2; older headers do not have them. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

#define WRITE_FILE (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define WRITE_DIR                                                                        \
	(LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |                \
	 LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |                    \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |                    \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |                  \
	 LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER)

/* What a kernel does not know is an error to ask for. */
static uint64_t known_accesses(long abi)
{
	uint64_t accesses = WRITE_FILE | WRITE_DIR;

	if (abi < 2)
		accesses &= ~(uint64_t)LANDLOCK_ACCESS_FS_REFER;
	if (abi < 3)
		accesses &= ~(uint64_t)LANDLOCK_ACCESS_FS_TRUNCATE;
	return accesses;
}

/* With what is above it, as nothing can be made there later. */
static int make_dir(const char *path)
{
	_cleanup_free_ char *part = strdup(path);

	if (!part)
		return -ENOMEM;
	for (char *s = part + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(part, 0755); /* the last one tells */
		*s = '/';
	}
	return mkdir(part, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

/*
 * A rule is about an inode, and procfs makes a new one for a directory whose dentry was
 * reclaimed, as when memory is short (seen with 6.18): so what is allowed is kept open
 * for as long as the process runs.
 */
static int allow_path(int ruleset, uint64_t accesses, const struct confine_path *path)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = accesses };
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (path->made && make_dir(path->path) < 0)
		return 0; /* whoever needs it says so */
	fd = open(path->path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		rule.allowed_access &= WRITE_FILE;
	rule.parent_fd = fd;
	if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule,
		    0) < 0)
		return -errno;
	(void)TAKE_FD(fd);
	return 0;
}

int confine_writes(const struct confine_path *paths, size_t n)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = { .handled_access_fs = known_accesses(abi) };
	_cleanup_close_ int ruleset = -1;

	if (abi < 0)
		return errno == ENOSYS || errno == EPERM ? -EOPNOTSUPP : -errno;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (ruleset < 0)
		return -errno;
	for (size_t i = 0; i < n; i++) {
		int r = allow_path(ruleset, attr.handled_access_fs, &paths[i]);

		if (r < 0)
			return r;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		return -errno;
	return 0;
}

#else

int confine_writes(const struct confine_path *paths, size_t n)
{
	(void)paths;
	(void)n;
	return -EOPNOTSUPP;
}

#endif
