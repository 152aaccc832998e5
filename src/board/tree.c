// SPDX-License-Identifier: GPL-2.0-or-later
// tree.c - walk and remove directories; private ones that leave nothing behind
#include "board/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/sysroot.h"

#define TEMP_PREFIX "boardtune-board."
#define TEMP_RANDOM 6 /* mkdtemp()'s X */
#define TEMP_TRIES 100

struct tree_temp {
	char *path;  /* NULL once it is removed */
	int fd;	     /* holds the lock */
	pid_t owner; /* a forked child leaves it alone */
};

struct paths {
	const char *prefix;
	char **items; /* NULL-terminated */
	size_t n;
};

static void close_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

static int open_dir(int parent_fd, const char *name, DIR **ret)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret = fdopendir(fd);
	if (!*ret) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

/* The next name but "." and ".."; NULL with errno 0 at the end. */
static const char *next_name(DIR *d)
{
	struct dirent *entry;

	while ((errno = 0, entry = readdir(d)))
		if (!streq(entry->d_name, ".") && !streq(entry->d_name, ".."))
			return entry->d_name;
	return NULL;
}

static int add_path(struct paths *p, const char *path, bool is_dir)
{
	int r = array_grow(&p->items, p->n + 1, sizeof(*p->items)); /* and the NULL */

	if (r < 0)
		return r;
	p->items[p->n + 1] = NULL;
	p->items[p->n] = str_format("%s%s", path, is_dir ? "/" : "");
	if (!p->items[p->n])
		return -ENOMEM;
	p->n++;
	return 0;
}

/* Whether a directory can hold paths with the prefix, or already has it. */
static bool is_on_way(const char *path, const char *prefix)
{
	size_t n = strlen(path);

	return str_after(path, prefix) ||
	       (strncmp(prefix, path, n) == 0 && prefix[n] == '/');
}

static int list_below(int parent_fd, const char *name, const char *dir, struct paths *p)
{
	_cleanup_(close_dir) DIR *d = NULL;
	const char *entry;
	bool empty = true;
	int r = open_dir(parent_fd, name, &d);

	if (r < 0)
		return r;
	while ((entry = next_name(d))) {
		char path[SYSROOT_PATH_MAX];
		struct stat st;

		empty = false;
		if (snprintf(path, sizeof(path), "%s/%s", dir, entry) >=
		    (int)sizeof(path))
			return -ENAMETOOLONG;
		if (fstatat(dirfd(d), entry, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -errno;
		if (S_ISDIR(st.st_mode) && is_on_way(path, p->prefix))
			r = list_below(dirfd(d), entry, path, p);
		else if (!S_ISDIR(st.st_mode) && str_after(path, p->prefix))
			r = add_path(p, path, false);
		if (r < 0)
			return r;
	}
	if (errno)
		return -errno;
	return empty && *dir && str_after(dir, p->prefix) ? add_path(p, dir, true) : 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

ssize_t tree_list(int root_fd, const char *prefix, char ***ret)
{
	struct paths p = { .prefix = prefix };
	int r = array_grow(&p.items, 0, sizeof(*p.items));

	if (r < 0)
		return r;
	p.items[0] = NULL;
	r = list_below(root_fd, ".", "", &p);
	if (r < 0) {
		sysroot_list_free(&p.items);
		return r;
	}
	qsort(p.items, p.n, sizeof(*p.items), compare_paths);
	*ret = p.items;
	return (ssize_t)p.n;
}

static int remove_contents(int fd_dir, const char *name)
{
	_cleanup_(close_dir) DIR *d = NULL;
	const char *entry;
	int r = open_dir(fd_dir, name, &d);

	if (r < 0)
		return r;
	while ((entry = next_name(d))) {
		if (unlinkat(dirfd(d), entry, 0) == 0)
			continue;
		if (errno != EISDIR && errno != EPERM)
			return -errno;
		r = tree_remove(dirfd(d), entry);
		if (r < 0)
			return r;
	}
	return errno ? -errno : 0;
}

int tree_remove(int parent_fd, const char *name)
{
	int r = remove_contents(parent_fd, name);

	if (r < 0)
		return r;
	return unlinkat(parent_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

static const char *temp_base(void)
{
	const char *dir = secure_getenv("TMPDIR");

	return dir && dir[0] == '/' ? dir : "/tmp";
}

/* A directory of this user, named as ours are, that no process holds: remove it. */
static void remove_leftover(int base_fd, const char *name)
{
	const char *random = str_after(name, TEMP_PREFIX);
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!random || strlen(random) != TEMP_RANDOM)
		return;
	fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() ||
	    (st.st_mode & 07777) != 0700 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	tree_remove(base_fd, name); /* what cannot go now is tried again next time */
}

static int remove_leftovers(const char *base)
{
	_cleanup_(close_dir) DIR *d = NULL;
	const char *entry;
	int r = open_dir(AT_FDCWD, base, &d);

	if (r == -ELOOP || r == -ENOTDIR) /* TMPDIR is a link */
		return 0;
	if (r == -EACCES) /* /tmp without read permission: nothing to be seen */
		return 0;
	if (r < 0)
		return r;
	while ((entry = next_name(d)))
		remove_leftover(dirfd(d), entry);
	return 0;
}

/*
 * Lock a directory just made. Between mkdtemp() and flock() another process may have
 * taken it for a leftover: -EAGAIN, make another.
 */
static int lock_new(const char *path, int *ret_fd)
{
	_cleanup_close_ int fd = open(path,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st, now;

	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (lstat(path, &now) < 0 || st.st_ino != now.st_ino || st.st_dev != now.st_dev)
		return -EAGAIN;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static void remove_now(struct tree_temp *t)
{
	if (t->path && t->owner == getpid())
		tree_remove(AT_FDCWD, t->path);
	free(t->path);
	t->path = NULL;
	close_fd(&t->fd);
}

static void remove_at_exit(int status, void *arg)
{
	struct tree_temp *t = arg;

	remove_now(t);
	free(t);
}

static int make_locked(struct tree_temp *t)
{
	const char *base = temp_base();
	int r = remove_leftovers(base);

	if (r < 0)
		return r;
	for (unsigned i = 0; i < TEMP_TRIES; i++) {
		_cleanup_free_ char *path = str_format("%s/" TEMP_PREFIX "XXXXXX", base);

		if (!path)
			return -ENOMEM;
		if (!mkdtemp(path))
			return -errno;
		r = lock_new(path, &t->fd);
		if (r == 0)
			t->path = TAKE_PTR(path);
		if (r != -EAGAIN)
			return r;
	}
	return r;
}

int tree_temp_make(struct tree_temp **ret)
{
	struct tree_temp *t = malloc(sizeof(*t));
	int r;

	if (!t)
		return -ENOMEM;
	*t = (struct tree_temp){ .fd = -1, .owner = getpid() };
	r = make_locked(t);
	if (r == 0 && on_exit(remove_at_exit, t) != 0)
		r = -ENOMEM;
	if (r < 0) {
		remove_now(t);
		free(t);
		return r;
	}
	*ret = t;
	return 0;
}

const char *tree_temp_path(const struct tree_temp *t)
{
	return t->path;
}

/* The exit handler frees what is left: the few bytes of @t. */
void tree_temp_remove(struct tree_temp *t)
{
	if (t)
		remove_now(t);
}
