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

/* A plan: only names may be cut, and no shorter than the ones of devices. */
static void test_whole(void)
{
	struct table t = { .columns = 3, .whole = ~1u, .least = 10 };
	_cleanup_free_ char *text = NULL;
	char name[71], setting[71];

	memset(name, 'n', 70);
	memset(setting, 's', 70);
	name[70] = setting[70] = '\0';
	add(&t, "TARGET", "SETTING", "OUTCOME");
	add(&t, name, "max_freq", "missing");
	text = print(&t);
	is_int(strcspn(text + strlen(text) - 81, "\n"), 80, "not cut more than needed");
	free(TAKE_PTR(text));
	t = (struct table) { .columns = 3, .whole = ~1u, .least = 10 };
	add(&t, "TARGET", "SETTING", "OUTCOME");
	add(&t, name, setting, "missing");
	text = print(&t);
	ok(strstr(text, "\nnnnnnnn...  ssss"), "the target is cut to ten letters");
	ok(strstr(text, setting), "the setting is whole, though the row is too long");
}

static void test_below(void)
{
	struct table t = { .columns = 2 };
	_cleanup_free_ char *text = NULL;

	add(&t, "A", "B");
	add(&t, "a", "red");
	t.rows[1].color = "\033[31m";
	table_below(&t, strdup("    why\n"));
	add(&t, "longer", "b");
	text = print(&t);
	is_str(text, "A       B\na       \033[31mred\033[0m\n    why\nlonger  b\n",
	       "a note between rows, a color around the last cell");
	free(TAKE_PTR(text));
	t = (struct table) { .columns = 1 };
	add(&t, "A");
	add(&t, "a");
	table_below(&t, NULL);
	is_int(t.error, -ENOMEM, "a note that could not be made is an error");
	is_int(table_print(&t, stdout), -ENOMEM, "and nothing is printed");
	table_clear(&t);
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
	/* the widest usual row, below headings of two columns a letter */
	t = (struct table) { .columns = 5, .whole = ~1u, .least = 11 };
	add(&t, "対象", "設定", "変更前", "目標の値", "結果");
	add(&t, "enp1s0/rx-0", "net.core.rps_sock_flow_entries", "schedutil", "schedutil",
	    "unsupported");
	text = print(&t);
	is_int(text_width(strchr(text, '\n') + 1), 78 + 1, "fits a screen");
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
	test_whole();
	test_below();
	test_wide_letters();
	return done();
}
