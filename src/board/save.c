// SPDX-License-Identifier: GPL-2.0-or-later
// save.c - write a board as it is now to a .board file
#include "board/board.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "board/board-private.h"

struct saver {
	const struct board *board;
	const struct sysroot *raw;
	FILE *f; /* a memory stream: */
	char *text;
	size_t size;
};

static void print_original(const struct saver *s, const struct record_line *line)
{
	fwrite(s->board->record->text + line->start, 1, line->length, s->f);
}

/* The type of what is at a path now: S_IFREG ...; 0 if nothing is. */
static mode_t type_of(const struct saver *s, const char *path, mode_t *ret_mode)
{
	struct stat st;

	if (fstatat(s->raw->fd, path + 1, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	*ret_mode = st.st_mode & 07777;
	return st.st_mode & S_IFMT;
}

static int print_link(const struct saver *s, const char *path)
{
	char target[SYSROOT_PATH_MAX];
	int r = sysroot_readlink(s->raw, path, target, sizeof(target));

	if (r < 0)
		return r;
	if (strchr(target, '\n'))
		return -EINVAL;
	fprintf(s->f, "%s -> %s\n", path, target);
	return 0;
}

/* What is added to a file whose last line has no newline begins a new one. */
static void start_line(const struct saver *s)
{
	if (fflush(s->f) == 0 && s->size && s->text[s->size - 1] != '\n')
		fputc('\n', s->f);
}

/* A path that is new, or the whole of a copied board; "DIR/" is an empty directory. */
static int print_path(const struct saver *s, char *path)
{
	size_t n = strlen(path);
	_cleanup_free_ char *data = NULL;
	mode_t mode = 0, type;
	ssize_t size;
	int r;

	if (path[n - 1] == '/')
		path[n - 1] = '\0';
	r = record_check_printable(path);
	if (r < 0)
		return r;
	type = type_of(s, path, &mode);
	if (type == S_IFDIR) {
		fprintf(s->f, "%s/\n", path);
		return 0;
	}
	if (type == S_IFLNK)
		return print_link(s, path);
	if (type != S_IFREG)
		return type ? -EOPNOTSUPP : -ENOENT;
	size = sysroot_read_all(s->raw, path, &data);
	if (size < 0)
		return (int)size;
	record_print_file(s->f, path, data, (size_t)size);
	if (!(mode & 0222) || !(mode & 0444))
		fprintf(s->f, "%s : %04o\n", path, (unsigned)mode & 0777);
	return 0;
}

static int save_file(const struct saver *s, const struct record_line *line)
{
	_cleanup_free_ char *data = NULL;
	ssize_t size = sysroot_read_all(s->raw, line->path, &data);

	if (size < 0)
		return (int)size;
	if ((size_t)size == line->size && memcmp(data, line->data, line->size) == 0)
		print_original(s, line);
	else
		record_print_file(s->f, line->path, data, (size_t)size);
	return 0;
}

static int save_link(const struct saver *s, const struct record_line *line)
{
	char target[SYSROOT_PATH_MAX];

	if (sysroot_readlink(s->raw, line->path, target, sizeof(target)) < 0 ||
	    !streq(target, line->data))
		return print_link(s, line->path);
	print_original(s, line);
	return 0;
}

/*
 * An entry of the recording as it is now, nothing if it was removed. What a rule hides
 * is as the file says once it comes back.
 */
static int save_entry(const struct saver *s, const struct record_line *line)
{
	mode_t mode, type = type_of(s, line->path, &mode);

	if (!type)
		return 0;
	if (rules_hidden(&s->board->rules, line->path)) {
		print_original(s, line);
		return 0;
	}
	if (line->kind == RECORD_FILE && type == S_IFREG)
		return save_file(s, line);
	if (line->kind == RECORD_LINK && type == S_IFLNK)
		return save_link(s, line);
	if (line->kind == RECORD_DIR && type != S_IFDIR)
		return print_path(s, line->path);
	if (line->kind == RECORD_FILE || line->kind == RECORD_LINK)
		return type == S_IFDIR ? 0 : print_path(s, line->path);
	print_original(s, line); /* a mode, or a directory that is there */
	return 0;
}

static int save_lines(const struct saver *s)
{
	const struct record *record = s->board->record;
	int r = 0;

	for (size_t i = 0; r == 0 && i < record->n_lines; i++) {
		const struct record_line *line = &record->lines[i];

		switch (line->kind) {
		case RECORD_NOTE:
		case RECORD_RULE:
			print_original(s, line);
			break;
		case RECORD_NIC:
			nics_print_line(&s->board->nics, s->f, line);
			break;
		case RECORD_FILE:
		case RECORD_DIR:
		case RECORD_LINK:
		case RECORD_MODE:
			r = save_entry(s, line);
			break;
		}
	}
	return r;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Paths that the recording has: entries, and all their parents. */
static int known_paths(const struct record *record, char ***ret, size_t *ret_n)
{
	char **names = NULL;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < record->n_lines; i++) {
		const struct record_line *line = &record->lines[i];
		size_t length = line->path ? strlen(line->path) : 0;

		for (; r == 0 && length; length--) {
			if (line->path[length] && line->path[length] != '/')
				continue;
			r = array_grow(&names, n, sizeof(*names));
			if (r == 0 && !(names[n] = strndup(line->path, length)))
				r = -ENOMEM;
			n += r == 0;
		}
	}
	if (names)
		qsort(names, n, sizeof(*names), compare_names);
	*ret = names;
	*ret_n = n;
	return r;
}

static bool is_known(char **known, size_t n, const char *path)
{
	size_t length = strlen(path);
	char plain[SYSROOT_PATH_MAX];
	const char *key = plain;

	if (length >= sizeof(plain))
		return false;
	strcpy(plain, path);
	if (plain[length - 1] == '/')
		plain[length - 1] = '\0';
	return known && bsearch(&key, known, n, sizeof(*known), compare_names);
}

static int save_new(const struct saver *s)
{
	_cleanup_list_ char **paths = NULL;
	char **known = NULL;
	size_t n_known = 0;
	ssize_t n = tree_list(s->raw->fd, "/", &paths);
	int r = n < 0 ? (int)n : 0;

	if (r == 0 && s->board->recording)
		r = known_paths(s->board->record, &known, &n_known);
	for (ssize_t i = 0; r == 0 && i < n; i++) {
		if (!s->board->recording && streq(paths[i], "/.board"))
			continue;
		if (is_known(known, n_known, paths[i]))
			continue;
		start_line(s);
		r = print_path(s, paths[i]);
	}
	for (size_t i = 0; i < n_known; i++)
		free(known[i]);
	free(known);
	return r;
}

static int print_board(const struct saver *s)
{
	int r;

	if (s->board->recording) {
		r = save_lines(s);
		if (r == 0)
			r = save_new(s);
	} else {
		r = save_new(s);
		if (r == 0)
			r = save_lines(s);
	}
	for (size_t i = 0; r == 0 && i < s->board->log.n; i++) {
		start_line(s);
		fprintf(s->f, "#! write %s\n", s->board->log.lines[i]);
	}
	return r;
}

static int write_file(const char *file, const char *text, size_t size)
{
	_cleanup_close_ int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				      0666);
	int taken;

	if (fd < 0)
		return -errno;
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		size -= (size_t)n;
	}
	taken = TAKE_FD(fd);
	return close(taken) < 0 ? -errno : 0;
}

int board_save(struct system *sys, const char *file)
{
	struct saver s = { .board = sys->board };
	int r;

	if (!sys->board)
		return -EOPNOTSUPP;
	s.raw = &sys->board->rules.raw;
	s.f = open_memstream(&s.text, &s.size);
	if (!s.f)
		return -ENOMEM;
	r = print_board(&s);
	if (fclose(s.f) != 0 && r == 0)
		r = -ENOMEM;
	if (r == 0)
		r = write_file(file, s.text, s.size);
	free(s.text);
	return r;
}
