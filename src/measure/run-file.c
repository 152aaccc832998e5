// SPDX-License-Identifier: GPL-2.0-or-later
// run-file.c - where runs are saved, and how one is found again
#include <fcntl.h>
#include <sys/stat.h>

#include "measure/run-file.h"

#define RUN_SAME_TIME_MAX 1000

static int run_dir(char *buf, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	if (geteuid() == 0)
		n = snprintf(buf, size, "%s", RUN_DIR);
	else if (state && *state == '/')
		n = snprintf(buf, size, "%s/boardtune/runs", state);
	else if (home && *home == '/')
		n = snprintf(buf, size, "%s/.local/state/boardtune/runs", home);
	else
		return -ENOENT;
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int run_save(const struct sysroot *root, const struct run *run, const json_t *doc,
	     char *ret_path)
{
	char dir[SYSROOT_PATH_MAX - 80], path[SYSROOT_PATH_MAX], stamp[32];
	_cleanup_free_ char *text = NULL;
	struct tm tm;
	int r;

	if (!gmtime_r(&run->started, &tm))
		return -EOVERFLOW;
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	r = run_dir(dir, sizeof(dir));
	if (r < 0)
		return r;
	text = json_dumps(doc, JSON_COMPACT | JSON_REAL_PRECISION(12));
	if (!text)
		return -ENOMEM;
	r = sysroot_mkdir_all(root, dir, 0755);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/%s-%s.json", dir, stamp, run->command);
	for (unsigned i = 2; sysroot_exists(root, path) && i < RUN_SAME_TIME_MAX; i++)
		snprintf(path, sizeof(path), "%s/%s-%s-%u.json", dir, stamp, run->command,
			 i);
	if (sysroot_exists(root, path))
		return -EEXIST;
	r = sysroot_replace(root, path, text, strlen(text), 0644);
	if (r < 0)
		return r;
	memcpy(ret_path, path, sizeof(path));
	return 0;
}

/* ---- which there are ---- */

void run_list_clear(struct run_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->entries[i]);
	free(list->entries);
	*list = (struct run_list) { 0 };
}

static size_t stem_length(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && streq(name + n - 5, ".json") ? n - 5 : 0;
}

static int compare_newest(const void *pa, const void *pb)
{
	const struct run_entry *a = *(const struct run_entry *const *)pa;
	const struct run_entry *b = *(const struct run_entry *const *)pb;
	size_t na = stem_length(a->name), nb = stem_length(b->name);
	char left[SYSROOT_PATH_MAX], right[SYSROOT_PATH_MAX];

	/* "...-trial-2.json" is newer than "...-trial.json" */
	snprintf(left, sizeof(left), "%.*s", (int)na, a->name);
	snprintf(right, sizeof(right), "%.*s", (int)nb, b->name);
	return str_compare_natural(right, left);
}

static int list_add(struct run_list *list, const char *dir, const char *name)
{
	struct run_entry *entry = calloc(1, sizeof(*entry));
	int n = entry ? snprintf(entry->path, sizeof(entry->path), "%s/%s", dir, name)
		      : -1;
	int r = n < 0 ? -ENOMEM : array_grow(&list->entries, list->n, sizeof(entry));

	if (r < 0 || (size_t)n >= sizeof(entry->path)) {
		free(entry);
		return r;
	}
	entry->name = strrchr(entry->path, '/') + 1;
	list->entries[list->n++] = entry;
	return 0;
}

static int list_add_dir(const struct sysroot *root, const char *dir,
			struct run_list *list)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(root, dir, &names);
	int r = n == -ENOMEM ? -ENOMEM : 0;

	for (ssize_t i = 0; r == 0 && i < n; i++)
		if (names[i][0] != '.' && stem_length(names[i]))
			r = list_add(list, dir, names[i]);
	return r;
}

int run_list_read(const struct sysroot *root, struct run_list *ret)
{
	struct run_list list = { 0 };
	char own[SYSROOT_PATH_MAX];
	int r = list_add_dir(root, RUN_DIR, &list);

	if (r == 0 && run_dir(own, sizeof(own)) == 0 && !streq(own, RUN_DIR))
		r = list_add_dir(root, own, &list);
	if (r < 0) {
		run_list_clear(&list);
		return r;
	}
	if (list.n)
		qsort(list.entries, list.n, sizeof(*list.entries), compare_newest);
	*ret = list;
	return 0;
}

/* ---- their text ---- */

static ssize_t read_whole(int fd, char *buf, size_t size)
{
	size_t n = 0;

	while (n < size) {
		ssize_t got = read(fd, buf + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

ssize_t run_file_load(const struct sysroot *root, const char *path, char **ret)
{
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	_cleanup_close_ int fd = root ? sysroot_openat(root, path, flags, 0)
				      : open(path, flags);
	_cleanup_free_ char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return root ? fd : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > RUN_FILE_MAX)
		return -EFBIG;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	n = read_whole(fd, text, (size_t)st.st_size);
	if (n < 0)
		return n;
	text[n] = '\0';
	*ret = TAKE_PTR(text);
	return n;
}
