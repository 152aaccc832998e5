/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import-fixture.h - what the tests of import share */
#ifndef BOARDTUNE_IMPORT_FIXTURE_H
#define BOARDTUNE_IMPORT_FIXTURE_H

#include "profile/import.h"
#include "profile/reader.h"
#include "tap.h"

struct result {
	int r;
	char *profile;
	struct profile_errors remarks, errors;
};

static void result_clear(struct result *res)
{
	free(res->profile);
	profile_errors_clear(&res->remarks);
	profile_errors_clear(&res->errors);
}

static struct result import_as(enum import_kind kind, const char *name, const char *text,
			       size_t size, const struct import_board *board)
{
	const struct import_file file = {
		.source = { .path = (char *)name, .text = (char *)text, .size = size },
		.kind = kind,
	};
	struct result res = { 0 };

	res.r = import_translate(&file, board, false, &res.profile, &res.remarks,
				 &res.errors);
	return res;
}

static bool has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (const char *s = text; s && (s = strstr(s, line)); s += n)
		if ((s == text || s[-1] == '\n') && (s[n] == '\n' || !s[n]))
			return true;
	return false;
}

/* "LINE: text" of a remark or error */
static bool has_error(const struct profile_errors *errors, unsigned line,
		      const char *text)
{
	for (size_t i = 0; i < errors->n; i++)
		if (errors->items[i].line == line && streq(errors->items[i].text, text))
			return true;
	return false;
}

/* A text of several lines as one, for the name of a test. */
static const char *quote(const char *text)
{
	static char quoted[READER_QUOTE_MAX];

	return reader_quote(text, strlen(text), quoted);
}

static void dump(const struct result *res)
{
	for (size_t i = 0; i < res->remarks.n; i++)
		printf("# remark %u: %s\n", res->remarks.items[i].line,
		       res->remarks.items[i].text);
	for (size_t i = 0; i < res->errors.n; i++)
		printf("# error %u: %s\n", res->errors.items[i].line,
		       res->errors.items[i].text);
	printf("# profile: %s\n", quote(res->profile ? res->profile : "none"));
}

#endif
