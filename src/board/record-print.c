// SPDX-License-Identifier: GPL-2.0-or-later
// record-print.c - entries of a .board file, and the log of writes, as text
#include "board/record.h"

int record_check_printable(const char *path)
{
	static const char *const separators[] = { " =", " :", " ->", " <<" };
	struct board_error error;

	for (size_t i = 0; i < ARRAY_SIZE(separators); i++)
		if (strstr(path, separators[i]))
			return -EINVAL;
	return record_check_path(path, 0, &error) < 0 ? -EINVAL : 0;
}

/* Bytes that stand for themselves in the text of an entry; 0x80 on: UTF-8. */
static bool is_plain(unsigned char c)
{
	return c == '\t' || (c >= ' ' && c != 0x7f);
}

void record_print_text(FILE *f, const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c == '\n')
			fputs("\\n", f);
		else if (c == '\0')
			fputs("\\0", f);
		else if (c == '\\')
			fputs("\\\\", f);
		else if (is_plain(c))
			fputc(c, f);
		else
			fprintf(f, "\\x%02x", c);
	}
}

/* Whether "<<END" can carry it: plain lines, each ended, none of them END. */
static bool is_lines(const char *data, size_t size)
{
	if (!size || data[size - 1] != '\n')
		return false;
	for (size_t i = 0, start = 0; i < size; i++) {
		if (data[i] != '\n') {
			if (!is_plain((unsigned char)data[i]))
				return false;
			continue;
		}
		if (i - start == 3 && memcmp(data + start, "END", 3) == 0)
			return false;
		start = i + 1;
	}
	return true;
}

void record_print_file(FILE *f, const char *path, const char *data, size_t size)
{
	const char *newline = size ? memchr(data, '\n', size) : NULL;

	if (newline == data && size == 1) {
		fprintf(f, "%s =\n", path);
	} else if (newline && newline == data + size - 1) {
		fprintf(f, "%s = ", path);
		record_print_text(f, data, size - 1);
		fputc('\n', f);
	} else if (is_lines(data, size)) {
		fprintf(f, "%s <<END\n", path);
		fwrite(data, 1, size, f);
		fputs("END\n", f);
	} else {
		fprintf(f, size ? "%s := " : "%s :=", path);
		record_print_text(f, data, size);
		fputc('\n', f);
	}
}

int record_log_add(struct record_log *log, const char *what, const char *value, int error)
{
	_cleanup_free_ char *line = NULL;
	size_t size, n = strlen(value);
	FILE *f = open_memstream(&line, &size);
	int r;

	if (!f)
		return -ENOMEM;
	if (n && value[n - 1] == '\n')
		n--;
	fprintf(f, "%s ", what);
	record_print_text(f, value, n);
	if (error)
		fprintf(f, " %s", errno_name(error));
	if (fclose(f) != 0)
		return -ENOMEM;
	r = array_grow(&log->lines, log->n, sizeof(*log->lines));
	if (r < 0)
		return r;
	log->lines[log->n++] = TAKE_PTR(line);
	return 0;
}

void record_log_clear(struct record_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		free(log->lines[i]);
	free(log->lines);
	*log = (struct record_log){ 0 };
}
