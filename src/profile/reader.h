/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader.h - the text of one INI file, line by line, as sections of keys */
#ifndef BOARDTUNE_READER_H
#define BOARDTUNE_READER_H

#include "profile/profile.h"

#define READER_LINE_MAX 198 /* inih's default buffer of 200 bytes: with "\n" and NUL */
#define READER_SECTIONS_MAX 256
#define READER_KEYS_MAX 1024 /* of a section */
#define READER_ERRORS_MAX 100 /* of a file; then the rest is not read */

struct reader_key {
	char *key;     /* without the "-" */
	char *value;   /* not empty, without an inline comment */
	bool optional; /* "-key" */
	unsigned line;
};

struct reader_section {
	char *name;
	char *label; /* after the colon, "" without one */
	unsigned line;
	struct reader_key *keys;
	size_t n_keys;
};

struct reader_file {
	struct reader_section *sections;
	size_t n_sections;
};

/**
 * reader_parse - check and split the text of a profile
 * @file: for the errors
 * @text: @size bytes of anything; a NUL byte is an error of its line
 * @ret: what could be read, freed with reader_file_clear(); untouched on failure
 * @errors: gets every bad line
 *
 * Lines end in LF or CRLF, the last may have no end; a byte order mark is skipped. inih
 * splits keys from values and cuts inline comments (" ;"). It never sees a line that it
 * would misread (Debian's libinih 55): headers, which it skips when empty and cuts at 49
 * bytes, indented lines, which continue the value before, and lines that it would split.
 * The keys below a header that is not understood are skipped without more errors.
 *
 * Returns 0, also when lines were bad: then @errors has grown. -ENOMEM.
 */
int reader_parse(const char *file, const char *text, size_t size,
		 struct reader_file *ret, struct profile_errors *errors);
void reader_file_clear(struct reader_file *f);

#define READER_QUOTE_MAX 96

/**
 * reader_quote - text of a user's file for an error message
 * @buf: gets at most READER_QUOTE_MAX - 1 bytes: control characters and bytes that are
 *	 no UTF-8 as \xHH, "..." where it was cut
 *
 * Returns @buf.
 */
char *reader_quote(const char *text, size_t size, char buf[static READER_QUOTE_MAX]);

/** reader_utf8_length - bytes of the character at @s, 0 if it is not UTF-8 */
size_t reader_utf8_length(const char *s, size_t size);

#endif
