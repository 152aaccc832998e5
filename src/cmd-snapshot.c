// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-snapshot.c - snapshot: this board as a file that --board takes
#include "board/snapshot.h"
#include "cmd.h"

static int write_text(const char *file, const char *text, size_t size)
{
	bool to_stdout = !file || streq(file, "-");
	_cleanup_fclose_ FILE *f = to_stdout ? NULL : fopen(file, "we");
	FILE *out = to_stdout ? stdout : f, *taken;

	if (!out)
		return -errno;
	if (fwrite(text, 1, size, out) != size || fflush(out) == EOF)
		return -errno;
	taken = TAKE_PTR(f);
	return taken && fclose(taken) == EOF ? -errno : 0;
}

/* On stderr: stdout may be the snapshot. */
static void print_done(const struct cmd *c, const char *file,
		       const struct snapshot_count *count)
{
	if (file && !c->quiet)
		fprintf(stderr,
			_("%s: %zu files. Look through it before you pass it on; then:\n"
			  "\"boardtune status --board %s\".\n"),
			file, count->files, file);
	if (count->denied && !c->quiet)
		fprintf(stderr,
			ngettext("%zu file only root may read; \"sudo boardtune "
				 "snapshot\" has it as well.\n",
				 "%zu files only root may read; \"sudo boardtune "
				 "snapshot\" has them as well.\n",
				 count->denied),
			count->denied);
}

int cmd_snapshot(struct cmd *c, int argc, char **argv)
{
	const char *file = argc == 2 ? argv[1] : NULL;
	_cleanup_free_ char *text = NULL;
	struct snapshot_count count = { 0 };
	ssize_t size;
	int r;

	if (argc > 2)
		return cmd_usage(c, _("%s takes one file"), c->name);
	size = snapshot_take(&c->sys, &text, &count);
	if (size < 0) {
		cmd_error("%s", strerror((int)-size));
		return EXIT_NOT_AS_WANTED;
	}
	r = write_text(file, text, (size_t)size);
	if (r < 0) {
		cmd_error("%s: %s", file ? file : "stdout", strerror(-r));
		return cmd_exit_of(r);
	}
	print_done(c, file, &count);
	return EXIT_AS_WANTED;
}
