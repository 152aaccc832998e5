// SPDX-License-Identifier: GPL-2.0-or-later
// test-table.c - columns that line up on a terminal and fit a screen
#include "report/table.h"

#include <locale.h>

#include "base/text.h"
#include "tap.h"

static char *print(struct table *t)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f || table_print(t, f) < 0)
		printf("Bail out! no memory\n");
	fclose(f);
	table_clear(t);
	return text;
}

#define add(t, ...) table_add(t, (const char *[]) { __VA_ARGS__ })

static void test_plain(void)
{
	struct table t = { .columns = 3, .right = 1 << 1 };
	_cleanup_free_ char *text = NULL;

	add(&t, "NAME", "COUNT", "NOTE");
	add(&t, "a", "10", "");
	add(&t, "longer", "9", "x");
	text = print(&t);
	is_str(text,
	       "NAME    COUNT  NOTE\n"
	       "a          10\n"
	       "longer      9  x\n",
	       "numbers at their right edge, nothing trails");
}

static void test_heading_only(void)
{
	struct table t = { .columns = 1 };
	_cleanup_free_ char *text = NULL;

	add(&t, "NAME");
	text = print(&t);
	is_str(text, "", "no rows: no heading");
}

/* The widest column gives way, the others stay. */
static void test_cut(void)
{
	static const char wide[] = "0123456789012345678901234567890123456789"
				   "0123456789012345678901234567890123456789";
	struct table t = { .columns = 2 };
	_cleanup_free_ char *text = NULL;

	add(&t, "A", "B");
	add(&t, wide, "short");
	text = print(&t);
	ok(strstr(text, "\n0123456789"), "it begins as it did");
	ok(strstr(text, "789...  short\n"), "and ends in dots");
	is_int(strlen(strchr(text, '\n') + 1), TEXT_SCREEN_WIDTH + 1, "80 columns");
}

/* Letters of two columns; cut between letters, never within. */
static void test_wide_letters(void)
{
	struct table t = { .columns = 2 };
	_cleanup_free_ char *text = NULL, *line = NULL;
	char wide[200] = "";

	if (!setlocale(LC_ALL, "C.UTF-8")) {
		ok(true, "# SKIP no locale C.UTF-8");
		return;
	}
	add(&t, "温度", "b");
	add(&t, "abcde", "c");
	text = print(&t);
	is_str(text, "温度   b\nabcde  c\n", "two columns each");
	free(TAKE_PTR(text));
	t = (struct table) { .columns = 1 };
	for (size_t i = 0; i < 50; i++)
		strcat(wide, "温");
	add(&t, "A");
	add(&t, wide);
	text = print(&t);
	line = strdup(text + 2);
	is_int(text_width(str_chomp(line)), 79, "cut to a whole letter");
	ok(strstr(line, "...") != NULL, "with dots");
}

int main(void)
{
	test_plain();
	test_heading_only();
	test_cut();
	test_wide_letters();
	return done();
}
