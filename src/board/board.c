// SPDX-License-Identifier: GPL-2.0-or-later
// board.c - open a live, a copied or a recorded board
#include "board/board.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "board/board-private.h"

static void board_free(struct board *b)
{
	if (!b)
		return;
	nics_close(&b->nics);
	rules_close(&b->rules);
	record_log_clear(&b->log);
	record_free(b->record);
	tree_temp_remove(b->temp);
	free(b);
}

static void board_freep(struct board **b)
{
	board_free(*b);
}

void system_close(struct system *sys)
{
	close_fd(&sys->netdevice_fd);
	ethtool_close(&sys->ethtool);
	sysroot_close(&sys->root);
	board_free(sys->board);
	*sys = (struct system)SYSTEM_INIT;
}

int board_open_live(struct system *ret)
{
	_cleanup_(system_close) struct system sys = SYSTEM_INIT;
	int r = sysroot_open(NULL, &sys.root);

	if (r == 0)
		r = ethtool_open(&sys.ethtool);
	if (r < 0)
		return r;
	*ret = sys;
	sys = (struct system)SYSTEM_INIT;
	return 0;
}

/* The whole of a file of the caller; a pipe will do. */
static ssize_t read_file(const char *file, char **ret)
{
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	_cleanup_free_ char *buf = NULL;
	size_t len = 0, size = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	do {
		len += (size_t)n;
		if (len == size) {
			char *grown;

			if (size > RECORD_SIZE_MAX)
				return -EFBIG;
			size = size ? size * 2 : 65536;
			grown = realloc(buf, size);
			if (!grown)
				return -ENOMEM;
			buf = grown;
		}
		do {
			n = read(fd, buf + len, size - len);
		} while (n < 0 && errno == EINTR);
	} while (n > 0);
	if (n < 0)
		return -errno;
	*ret = TAKE_PTR(buf);
	return (ssize_t)len;
}

static int make_parents(int root_fd, const char *path)
{
	char dir[SYSROOT_PATH_MAX];

	strcpy(dir, path);
	for (char *s = strchr(dir + 1, '/'); s; s = strchr(s + 1, '/')) {
		*s = '\0';
		if (mkdirat(root_fd, dir + 1, 0755) < 0 && errno != EEXIST)
			return -errno;
		*s = '/';
	}
	return 0;
}

static int unpack_file(int root_fd, const struct record_line *line)
{
	_cleanup_close_ int fd =
		openat(root_fd, line->path + 1,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (done < line->size) {
		ssize_t n = write(fd, line->data + done, line->size - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n < 0 ? 0 : (size_t)n;
	}
	return 0;
}

static int unpack_line(int root_fd, const struct record_line *line)
{
	int r = 0;

	switch (line->kind) {
	case RECORD_FILE:
	case RECORD_DIR:
	case RECORD_LINK:
		r = make_parents(root_fd, line->path);
		break;
	case RECORD_NOTE:
	case RECORD_MODE:
	case RECORD_RULE:
	case RECORD_NIC:
		return 0;
	}
	if (r < 0)
		return r;
	if (line->kind == RECORD_FILE)
		return unpack_file(root_fd, line);
	if (line->kind == RECORD_LINK)
		return symlinkat(line->data, root_fd, line->path + 1) < 0 ? -errno : 0;
	return mkdirat(root_fd, line->path + 1, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

/* The parser has seen to it that no parent of an entry is a link. */
static int unpack(const struct record *record, const char *dir)
{
	_cleanup_close_ int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return -errno;
	for (size_t i = 0; r == 0 && i < record->n_lines; i++)
		r = unpack_line(fd, &record->lines[i]);
	return r;
}

/* Rules and NICs, over files that are there; @root and @board go to @ret. */
static int finish(struct sysroot *root, struct board **board, struct system *ret,
		  struct board_error *ret_error)
{
	struct board *b = *board;
	int r = rules_open(&b->rules, b->record, root, b->recording, &b->log, ret_error);

	if (r == 0)
		r = nics_open(&b->nics, b->record, &b->rules, &b->log, !b->recording);
	if (r < 0)
		return r;
	root->hooks = b->record->n_rules ? &rules_hooks : &rules_hooks_none;
	root->hooks_ctx = &b->rules;
	*ret = (struct system){
		.netdevice_fd = -1,
		.root = *root,
		.ethtool = { .ops = &nics_ops, .ctx = &b->nics },
		.board = TAKE_PTR(*board),
	};
	*root = (struct sysroot)SYSROOT_INIT;
	return 0;
}

int board_open_dir(const char *dir, struct system *ret, struct board_error *ret_error)
{
	_cleanup_(board_freep) struct board *b = calloc(1, sizeof(*b));
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_INIT;
	_cleanup_free_ char *text = NULL;
	ssize_t n;
	int r;

	if (!b)
		return -ENOMEM;
	r = sysroot_open(dir, &root);
	if (r < 0)
		return r;
	n = sysroot_read_all(&root, "/.board", &text);
	if (n < 0 && n != -ENOENT)
		return (int)n;
	r = record_parse(text, n < 0 ? 0 : (size_t)n, true, &b->record, ret_error);
	return r < 0 ? r : finish(&root, &b, ret, ret_error);
}

int board_open_recording(const char *file, struct system *ret,
			 struct board_error *ret_error)
{
	_cleanup_(board_freep) struct board *b = calloc(1, sizeof(*b));
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_INIT;
	_cleanup_free_ char *text = NULL;
	ssize_t n;
	int r;

	if (!b)
		return -ENOMEM;
	b->recording = true;
	n = read_file(file, &text);
	if (n < 0)
		return (int)n;
	r = record_parse(text, (size_t)n, false, &b->record, ret_error);
	if (r == 0) {
		r = tree_temp_make(&b->temp);
		if (r < 0)
			snprintf(ret_error->text, sizeof(ret_error->text),
				 _("no directory to be had below $TMPDIR or /tmp: %s"),
				 strerror(-r));
	}
	if (r == 0)
		r = unpack(b->record, tree_temp_path(b->temp));
	if (r == 0)
		r = sysroot_open(tree_temp_path(b->temp), &root);
	/* where it is unpacked concerns nobody: files are called as the board has them */
	if (r == 0)
		root.prefix[0] = '\0';
	return r < 0 ? r : finish(&root, &b, ret, ret_error);
}
