// SPDX-License-Identifier: GPL-2.0-or-later
// snapshot-entry.c - places of a board as entries of a .board file: links, files, modes
#include <fcntl.h>
#include <fnmatch.h>

#include "board/snapshot-private.h"

#define LINKS_MAX 40

static size_t hash(const char *s)
{
	size_t h = 5381;

	while (*s)
		h = h * 33 + (unsigned char)*s++;
	return h;
}

static char **slot_of(char **table, size_t size, const char *path)
{
	size_t i = hash(path) & (size - 1);

	while (table[i] && !streq(table[i], path))
		i = (i + 1) & (size - 1);
	return &table[i];
}

static int grow_seen(struct snapshot *s)
{
	size_t size = s->seen_size ? 2 * s->seen_size : 256;
	char **table = calloc(size, sizeof(*table));

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < s->seen_size; i++)
		if (s->seen[i])
			*slot_of(table, size, s->seen[i]) = s->seen[i];
	free(s->seen);
	s->seen = table;
	s->seen_size = size;
	return 0;
}

/* True for the first time that a path comes along, if the format can say it. */
static bool is_new(struct snapshot *s, const char *path)
{
	char **slot;

	if (record_check_printable(path) < 0)
		return false;
	if (2 * s->n_seen >= s->seen_size && grow_seen(s) < 0) {
		s->error = -ENOMEM;
		return false;
	}
	slot = slot_of(s->seen, s->seen_size, path);
	if (*slot)
		return false;
	*slot = strdup(path);
	if (!*slot) {
		s->error = -ENOMEM;
		return false;
	}
	s->n_seen++;
	return true;
}

static int join(char *buf, const char *dir, const char *name)
{
	int n = snprintf(buf, SYSROOT_PATH_MAX, "%s%s%s", dir, *name ? "/" : "", name);

	return n < 0 || n >= SYSROOT_PATH_MAX ? -ENAMETOOLONG : 0;
}

static void print_link(struct snapshot *s, const char *path, const char *target)
{
	if (*target && !strchr(target, '\n') && is_new(s, path))
		fprintf(s->f, "%s -> %s\n", path, target);
}

/* Cut the first part off @rest; "" when there is none left. */
static void take_part(char *rest, char *ret)
{
	char *part = rest + strspn(rest, "/");
	size_t n = strcspn(part, "/");

	memcpy(ret, part, n);
	ret[n] = '\0';
	memmove(rest, part + n, strlen(part + n) + 1);
}

int snapshot_reach(struct snapshot *s, const char *path, char *ret)
{
	char done[SYSROOT_PATH_MAX] = "", rest[SYSROOT_PATH_MAX], part[SYSROOT_PATH_MAX];
	char next[SYSROOT_PATH_MAX], target[SYSROOT_PATH_MAX];
	int links = 0, n;

	if (join(rest, path, "") < 0)
		return -ENAMETOOLONG;
	while (take_part(rest, part), *part) {
		if (streq(part, "."))
			continue;
		if (streq(part, "..")) {
			*(strrchr(done, '/') ?: done) = '\0';
			continue;
		}
		if (join(next, done, part) < 0)
			return -ENAMETOOLONG;
		/* A link to self, which is another process in the copy. */
		if (streq(next, "/proc/net") ||
		    sysroot_readlink(&s->sys->root, next, target, sizeof(target)) < 0) {
			strcpy(done, next);
			continue;
		}
		print_link(s, next, target);
		if (++links > LINKS_MAX)
			return -ELOOP;
		n = snprintf(next, sizeof(next), "%s%s", target, rest);
		if (n < 0 || (size_t)n >= sizeof(next))
			return -ENAMETOOLONG;
		strcpy(rest, next);
		if (target[0] == '/')
			done[0] = '\0';
	}
	strcpy(ret, *done ? done : "/");
	return sysroot_exists(&s->sys->root, ret) ? 0 : -ENOENT;
}

const char *snapshot_read(struct snapshot *s, const char *dir, const char *name,
			  char *buf, size_t size)
{
	char path[SYSROOT_PATH_MAX];

	if (join(path, dir, name) < 0 || sysroot_read(&s->sys->root, path, buf, size) < 0)
		buf[0] = '\0';
	return buf;
}

/* Leave only the lines of @text that begin with one of @keep; returns what is left. */
static size_t filter_lines(char *text, const char *keep)
{
	size_t left = 0;

	for (char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		bool wanted = false;

		n += line[n] == '\n';
		for (const char *k = keep; *k && !wanted; k += strspn(k, " ")) {
			size_t length = strcspn(k, " ");

			wanted = strncmp(line, k, length) == 0;
			k += length;
		}
		if (wanted) {
			memmove(text + left, line, n);
			left += n;
		}
		line += n;
	}
	return left;
}

/* A file that is there and gives an error instead of its contents. */
static void print_unreadable(struct snapshot *s, const char *path, int error,
			     bool setting)
{
	fprintf(s->f, "%s :=\n!unreadable %s %s\n", path, path, errno_name(error));
	s->count.unreadable++;
	if (error == -EACCES || error == -EPERM)
		s->count.denied++;
	else if (setting)
		fprintf(s->f, "!refuse %s %s\n", path, errno_name(error));
}

/* A link to a directory or into nowhere, or a file, if there is one. */
static void print_file(struct snapshot *s, const char *path, const char *keep,
		       bool setting)
{
	_cleanup_free_ char *data = NULL;
	ssize_t size = sysroot_read_all(&s->sys->root, path, &data);
	char target[SYSROOT_PATH_MAX];

	if (size == -ENOMEM)
		s->error = -ENOMEM;
	if ((size == -EISDIR || size == -ENOENT) &&
	    sysroot_readlink(&s->sys->root, path, target, sizeof(target)) == 0) {
		print_link(s, path, target);
		return;
	}
	if (size == -ENOMEM || size == -EISDIR || size == -EFBIG ||
	    (size < 0 && !sysroot_exists(&s->sys->root, path)))
		return;
	if (size >= 0 && keep) {
		size = (ssize_t)filter_lines(data, keep);
		if (!size)
			return;
	}
	if (!is_new(s, path))
		return;
	if (size < 0) {
		print_unreadable(s, path, (int)size, setting);
	} else {
		record_print_file(s->f, path, data, (size_t)size);
		s->count.files++;
	}
	if (setting && !sysroot_writable(&s->sys->root, path))
		fprintf(s->f, "%s : 0444\n", path);
}

static void print_dir(struct snapshot *s, const char *path)
{
	_cleanup_close_ int fd = sysroot_openat(&s->sys->root, path,
						O_RDONLY | O_DIRECTORY, 0);

	if (fd >= 0 && is_new(s, path))
		fprintf(s->f, "%s/\n", path);
}

static void print_entry(struct snapshot *s, const struct snapshot_place *place,
			const char *dir, const char *name, bool setting, bool as_dir)
{
	char path[SYSROOT_PATH_MAX];

	if (join(path, dir, name) < 0)
		return;
	if (as_dir)
		print_dir(s, path);
	else
		print_file(s, path, place->keep, setting);
}

/* The entries of a directory that one glob names. */
static void print_glob(struct snapshot *s, const struct snapshot_place *place,
		       const char *dir, char *glob, bool setting)
{
	_cleanup_list_ char **names = NULL;
	size_t n = strlen(glob);
	bool as_dir = glob[n - 1] == '/';

	if (as_dir)
		glob[n - 1] = '\0';
	if (!strpbrk(glob, "*?[")) {
		print_entry(s, place, dir, glob, setting, as_dir);
		return;
	}
	if (sysroot_list(&s->sys->root, dir, &names) == -ENOMEM)
		s->error = -ENOMEM;
	for (char **name = names; name && *name; name++)
		if (fnmatch(glob, *name, 0) == 0)
			print_entry(s, place, dir, *name, setting, as_dir);
}

static void print_globs(struct snapshot *s, const struct snapshot_place *place,
			const char *dir, const char *globs, bool setting)
{
	char glob[64];

	while (globs && *globs) {
		size_t n = strcspn(globs, " ");

		snprintf(glob, sizeof(glob), "%.*s", (int)n, globs);
		print_glob(s, place, dir, glob, setting);
		globs += n + strspn(globs + n, " ");
	}
}

static void print_place(struct snapshot *s, const struct snapshot_place *place,
			const char *path)
{
	char real[SYSROOT_PATH_MAX];

	if (snapshot_reach(s, path, real) < 0)
		return;
	print_globs(s, place, real, place->facts, false);
	print_globs(s, place, real, place->settings, true);
	if (place->after)
		place->after(s, real);
}

/* Follow the parts of @rest, each of which may be a glob, from the directory @done. */
static void expand(struct snapshot *s, const struct snapshot_place *place,
		   const char *done, const char *rest)
{
	char part[64], path[SYSROOT_PATH_MAX];
	_cleanup_list_ char **names = NULL;
	size_t n;

	rest += strspn(rest, "/");
	n = strcspn(rest, "/");
	if (!n) {
		print_place(s, place, done);
		return;
	}
	snprintf(part, sizeof(part), "%.*s", (int)n, rest);
	if (!strpbrk(part, "*?[")) {
		if (join(path, done, part) == 0)
			expand(s, place, path, rest + n);
		return;
	}
	if (sysroot_list(&s->sys->root, done, &names) == -ENOMEM)
		s->error = -ENOMEM;
	for (char **name = names; name && *name; name++)
		if (fnmatch(part, *name, 0) == 0 && join(path, done, *name) == 0)
			expand(s, place, path, rest + n);
}

void snapshot_places(struct snapshot *s, const char *base,
		     const struct snapshot_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		expand(s, &places[i], base, places[i].dir);
}
