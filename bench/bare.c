// SPDX-License-Identifier: GPL-2.0-or-later
// bare.c - the least that an apply can do: the same reads and writes, and nothing else
//
// bare ROOT LIST: replays what trace.awk saw boardtune do below ROOT. Lines of LIST:
// "R PATH" read a file, "D PATH" list a directory, "W PATH VALUE" write a value,
// "T PATH VALUE" write it as a line and cut the file there,
// "U PATH LENGTH" write a record of that length, synced and renamed,
// "N NIC NAME VALUE" set a NIC's feature or channels.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bare-nic.h"

static int fail(const char *what, const char *path)
{
	fprintf(stderr, "bare: %s %s: ", what, path);
	perror("");
	return 1;
}

static int read_file(int root, const char *path)
{
	char buf[65536];
	ssize_t n;
	int fd = openat(root, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail("open", path);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		;
	close(fd);
	return n < 0 ? fail("read", path) : 0;
}

static int list_dir(int root, const char *path)
{
	int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		return fail("list", path);
	while (readdir(dir))
		;
	closedir(dir);
	return 0;
}

static int write_value(int root, const char *path, const char *value, const char *end)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s%s", value, end);
	int fd = openat(root, path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, line, n) != n || (*end && ftruncate(fd, n) < 0))
		return fail("write", path);
	close(fd);
	return 0;
}

static int write_record(int root, const char *path, size_t length)
{
	char new[8200];
	char *data = calloc(1, length);
	int fd;

	snprintf(new, sizeof(new), "%s.new", path);
	fd = openat(root, new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (!data || fd < 0 || write(fd, data, length) != (ssize_t)length ||
	    fsync(fd) < 0 || renameat(root, new, root, path) < 0)
		return fail("record", path);
	close(fd);
	free(data);
	return 0;
}

/* One line of the list: a letter and up to three words. */
static int do_line(int root, char *line)
{
	char *save, *kind = strtok_r(line, " \n", &save);
	char *path = strtok_r(NULL, " \n", &save), *value = strtok_r(NULL, " \n", &save);
	char *last = strtok_r(NULL, " \n", &save);

	if (!path)
		return 2;
	if (*kind == 'R')
		return read_file(root, path);
	if (*kind == 'D')
		return list_dir(root, path);
	if (!value)
		return 2;
	if (*kind == 'W' || *kind == 'T')
		return write_value(root, path, value, *kind == 'T' ? "\n" : "");
	if (*kind == 'U')
		return write_record(root, path, strtoul(value, NULL, 10));
	if (*kind == 'N' && last)
		return nic_set(path, value, last) < 0 ? fail(value, path) : 0;
	return 2;
}

int main(int argc, char **argv)
{
	char line[8192];
	FILE *list = argc == 3 ? fopen(argv[2], "re") : NULL;
	int root = list ? open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int r = root < 0 ? 2 : 0;

	while (!r && fgets(line, sizeof(line), list))
		r = do_line(root, line);
	return r;
}
