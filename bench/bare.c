// SPDX-License-Identifier: GPL-2.0-or-later
// bare.c - the least that an apply can do: the same reads and writes, and nothing else
//
// bare ROOT LIST: replays what bench/apply.sh saw boardtune do below ROOT. Lines of LIST:
// "R PATH" read a file, "D PATH" list a directory, "W PATH VALUE" write a value,
// "U PATH LENGTH" write a record of that length, synced and renamed. bench/apply.sh links
// it with boardtune's libraries, so that loading them costs the same.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int write_value(int root, const char *path, const char *value)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s\n", value);
	int fd = openat(root, path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, line, n) != n || ftruncate(fd, n) < 0)
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

int main(int argc, char **argv)
{
	char line[8192], *path, *rest;
	FILE *list = argc == 3 ? fopen(argv[2], "re") : NULL;
	int root = list ? open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int r = root < 0 ? 2 : 0;

	while (!r && fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		path = line + 2;
		rest = strchr(path, ' ');
		if (rest)
			*rest++ = '\0';
		if (line[0] == 'R')
			r = read_file(root, path);
		else if (line[0] == 'D')
			r = list_dir(root, path);
		else if (line[0] == 'W' && rest)
			r = write_value(root, path, rest);
		else if (line[0] == 'U' && rest)
			r = write_record(root, path, strtoul(rest, NULL, 10));
		else
			r = 2;
	}
	return r;
}
