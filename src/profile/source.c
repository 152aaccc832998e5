// SPDX-License-Identifier: GPL-2.0-or-later
// source.c - finds, checks and reads profile files
#include "profile/source.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char *const profile_dirs[] = { SOURCE_LOCAL_DIR, SOURCE_VENDOR_DIR };

static bool ends_in_ini(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && streq(name + n - 4, ".ini");
}

bool source_name_is_file(const char *name)
{
	return strchr(name, '/') || ends_in_ini(name);
}

bool source_name_valid(const char *name)
{
	if (!*name || *name == '.' || *name == '-' || source_name_is_file(name))
		return false;
	for (const char *s = name; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 127)
			return false;
	return true;
}

/* sudo(8) says who called it; a value that is no number counts as none. */
static bool is_sudo_caller(uid_t uid)
{
	const char *text = secure_getenv("SUDO_UID");
	struct value v;

	return text && value_parse(VALUE_NUMBER, text, &v) == 0 && v.number == uid;
}

static bool owner_trusted(const struct sysroot *root, bool caller, uid_t uid)
{
	struct stat st;

	if (uid == 0 || uid == geteuid() || is_sudo_caller(uid))
		return true;
	return !caller && !root->live && fstat(root->fd, &st) == 0 && st.st_uid == uid;
}

static const char *file_kind(mode_t mode)
{
	if (S_ISDIR(mode))
		return _("is a directory");
	if (S_ISFIFO(mode))
		return _("is a FIFO");
	if (S_ISSOCK(mode))
		return _("is a socket");
	return _("is a device");
}

static int check_file(const char *path, const struct stat *st,
		      struct profile_errors *errors)
{
	if (!S_ISREG(st->st_mode))
		profile_error_add(errors, path, 0, _("%s; expected a regular file"),
				  file_kind(st->st_mode));
	else if (st->st_size > SOURCE_SIZE_MAX)
		profile_error_add(errors, path, 0,
				  _("has %lld bytes; expected at most %d"),
				  (long long)st->st_size, SOURCE_SIZE_MAX);
	else
		return 0;
	return -EBADMSG;
}

static int check_owner(const struct sysroot *root, bool caller, const char *path,
		       const struct stat *st, struct profile_errors *errors)
{
	if (!owner_trusted(root, caller, st->st_uid))
		profile_error_add(errors, path, 0,
				  _("belongs to user %u; expected root or the caller"),
				  (unsigned)st->st_uid);
	else if (st->st_mode & (S_IWGRP | S_IWOTH))
		profile_error_add(errors, path, 0,
				  st->st_mode & S_IWOTH
					  ? _("others can write it (mode %04o); expected "
					      "only its owner to: chmod go-w")
					  : _("its group can write it (mode %04o); "
					      "expected only its owner to: chmod go-w"),
				  (unsigned)st->st_mode & 07777);
	else
		return 0;
	return -EBADMSG;
}

/* At most SOURCE_SIZE_MAX bytes, also of a file that grows meanwhile. */
static int read_text(int fd, struct source *s)
{
	_cleanup_free_ char *text = malloc(SOURCE_SIZE_MAX + 1);
	size_t size = 0;

	if (!text)
		return -ENOMEM;
	while (size <= SOURCE_SIZE_MAX) {
		ssize_t n = read(fd, text + size, SOURCE_SIZE_MAX + 1 - size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		size += n;
	}
	if (size > SOURCE_SIZE_MAX)
		return -EFBIG;
	s->text = realloc(text, size + 1);
	if (!s->text)
		return -ENOMEM;
	TAKE_PTR(text);
	s->text[size] = '\0';
	s->size = size;
	return 0;
}

/* O_NONBLOCK: a FIFO must not make us wait for its writer. */
static int open_file(const struct sysroot *root, bool caller, const char *path)
{
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, fd;

	if (!caller)
		return sysroot_openat(root, path, flags, 0);
	fd = open(path, flags);
	return fd < 0 ? -errno : fd;
}

static int read_file(const struct sysroot *root, const char *path, bool caller,
		     bool trusted, struct source *ret, struct profile_errors *errors)
{
	_cleanup_(source_clear) struct source s = { .caller = caller };
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	s.path = str_format("%s%s", caller ? "" : root->prefix, path);
	if (!s.path)
		return -ENOMEM;
	fd = open_file(root, caller, path);
	if (fd == -ENOENT || fd == -ENOMEM)
		return fd;
	/* Opening a socket is ENXIO. */
	r = fd < 0 ? fd : fstat(fd, &st) < 0 ? -errno : 0;
	if (r == 0)
		r = check_file(s.path, &st, errors);
	if (r == 0 && trusted)
		r = check_owner(root, caller, s.path, &st, errors);
	if (r == -EBADMSG)
		return r;
	if (r == 0)
		r = read_text(fd, &s);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		profile_error_add(errors, s.path, 0, _("cannot be read: %s"),
				  r == -ENXIO ? file_kind(S_IFSOCK) : strerror(-r));
		return -EBADMSG;
	}
	s.dev = st.st_dev;
	s.ino = st.st_ino;
	*ret = s;
	s = (struct source){ 0 };
	return 0;
}

int source_read(const struct sysroot *root, const char *path, bool caller,
		struct source *ret, struct profile_errors *errors)
{
	return read_file(root, path, caller, true, ret, errors);
}

int source_read_any(const struct sysroot *root, const char *path, bool caller,
		    struct source *ret, struct profile_errors *errors)
{
	return read_file(root, path, caller, false, ret, errors);
}

void source_clear(struct source *s)
{
	free(s->path);
	free(s->text);
	*s = (struct source){ 0 };
}

int source_find(const struct sysroot *root, const char *name, struct source *ret,
		struct profile_errors *errors)
{
	for (size_t i = 0; i < ARRAY_SIZE(profile_dirs); i++) {
		_cleanup_free_ char *path =
			str_format("%s/%s.ini", profile_dirs[i], name);
		int r;

		if (!path)
			return -ENOMEM;
		r = source_read(root, path, false, ret, errors);
		if (r != -ENOENT)
			return r;
	}
	return -ENOENT;
}

int source_beside(const char *path, const char *name, struct source *ret,
		  struct profile_errors *errors)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *file =
		str_format("%.*s%s.ini", slash ? (int)(slash - path + 1) : 0, path, name);

	return file ? source_read(NULL, file, true, ret, errors) : -ENOMEM;
}

static const char *last_part(const char *path)
{
	return strrchr(path, '/') + 1;
}

static int compare_last_part(const void *a, const void *b)
{
	return strcmp(last_part(*(char *const *)a), last_part(*(char *const *)b));
}

/* The names in a directory below the root, or of the caller (@root NULL). */
static ssize_t list_names(const struct sysroot *root, const char *dir, char ***ret)
{
	struct sysroot own = SYSROOT_INIT;
	ssize_t n;

	if (root)
		return sysroot_list(root, dir, ret);
	n = sysroot_open(dir, &own);
	if (n == 0)
		n = sysroot_list(&own, "/", ret);
	sysroot_close(&own);
	return n;
}

/* Append the *.ini of a directory whose names are not there yet. */
static int add_files(const struct sysroot *root, const char *dir, char ***paths,
		     size_t *n_paths, struct profile_errors *errors)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n = list_names(root, dir, &names);
	size_t hidden_by = *n_paths;

	if (n == -ENOENT)
		return 0;
	if (n == -ENOMEM)
		return n;
	if (n < 0) {
		_cleanup_free_ char *path =
			str_format("%s%s", root ? root->prefix : "", dir);

		profile_error_add(errors, path ? path : dir, 0, _("cannot be read: %s"),
				  strerror(-n));
		return -EBADMSG;
	}
	for (ssize_t i = 0; i < n; i++) {
		bool hidden = false;

		for (size_t k = 0; k < hidden_by; k++)
			hidden = hidden || streq(last_part((*paths)[k]), names[i]);
		if (hidden || names[i][0] == '.' || !ends_in_ini(names[i]))
			continue;
		if (array_grow(paths, *n_paths, sizeof(**paths)) < 0)
			return -ENOMEM;
		(*paths)[*n_paths] = str_format("%s/%s", dir, names[i]);
		if (!(*paths)[(*n_paths)++])
			return -ENOMEM;
	}
	return 0;
}

/* The *.ini of two directories, by file name; those of the first hide the other's. */
static ssize_t list_files(const struct sysroot *root, const char *const dirs[2],
			  char ***ret, struct profile_errors *errors)
{
	char **paths = NULL;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2 && dirs[i]; i++)
		r = add_files(root, dirs[i], &paths, &n, errors);
	if (r == 0)
		r = array_grow(&paths, n, sizeof(*paths));
	if (r < 0) {
		for (size_t i = 0; i < n; i++)
			free(paths[i]);
		free(paths);
		return r;
	}
	paths[n] = NULL;
	qsort(paths, n, sizeof(*paths), compare_last_part);
	*ret = paths;
	return n;
}

ssize_t source_list_dropins(const struct sysroot *root, const char *name, char ***ret,
			    struct profile_errors *errors)
{
	_cleanup_free_ char *local = str_format("%s/%s.d", SOURCE_LOCAL_DIR, name);
	_cleanup_free_ char *vendor = str_format("%s/%s.d", SOURCE_VENDOR_DIR, name);
	const char *const dirs[] = { local, vendor };

	return local && vendor ? list_files(root, dirs, ret, errors) : -ENOMEM;
}

/* "data/quirks" of "data/profiles/mine.ini"; "" if its directory has another name. */
static char *quirks_beside(const char *profile)
{
	static const char own[] = "profiles";
	const char *slash = strrchr(profile, '/');
	size_t n = slash ? (size_t)(slash - profile) : 0, rest;

	if (n < strlen(own) || strncmp(slash - strlen(own), own, strlen(own)) != 0)
		return strdup("");
	rest = n - strlen(own);
	if (rest && profile[rest - 1] != '/')
		return strdup("");
	return str_format("%.*squirks", (int)rest, profile);
}

ssize_t source_list_quirks(const struct sysroot *root, const char *profile, char ***ret,
			   bool *ret_caller, struct profile_errors *errors)
{
	static const char *const dirs[] = { SOURCE_LOCAL_QUIRKS, SOURCE_VENDOR_QUIRKS };
	_cleanup_free_ char *beside = quirks_beside(profile ? profile : "");
	const char *const own[] = { beside, NULL };
	bool caller;
	ssize_t n;

	if (!beside)
		return -ENOMEM;
	caller = *beside && access(beside, F_OK) == 0;
	n = list_files(caller ? NULL : root, caller ? own : dirs, ret, errors);
	if (n >= 0)
		*ret_caller = caller;
	return n;
}
