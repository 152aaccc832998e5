// SPDX-License-Identifier: GPL-2.0-or-later
// test-record.c - what a .board file may not say, and how its entries are written
#include "board/record.h"
#include "tap.h"

static const struct {
	const char *text;
	unsigned line;
	const char *says; /* part of the message */
} bad[] = {
	{ "/a = 1\nwhat\n", 2, "at the start of the line" },
	{ " /a = 1\n", 1, "at the start of the line" },
	{ "/a = 1\n/b = 1\n/a := 2\n", 3, "twice (line 1)" },
	{ "/a/b = 1\n/a -> /c\n", 1, "is a link (line 2)" },
	{ "/a = 1\n/a/b/c/\n", 2, "is a file (line 1)" },
	{ "/a\n", 1, "expected '='" },
	{ "/a <<END\nx\nEND \n", 1, "no line 'END'" },
	{ "/a <<\nx\n", 1, "a word after" },
	{ "/a = \\q\n", 1, "escape" },
	{ "/a := x\\x4\n", 1, "escape" },
	{ "/a = x\\\n", 1, "escape" },
	{ "/a/../b = 1\n", 1, "'..'" },
	{ "/a//b = 1\n", 1, "no empty part" },
	{ "/./b = 1\n", 1, "'.'" },
	{ "/a ->\n", 1, "where the link points" },
	{ "/a : 0444\n", 1, "no file or directory of this board" },
	{ "/a = 1\n/a : 0948\n", 2, "mode" },
	{ "/a = 1\n/a : 0444\n/a : 0644\n", 3, "twice" },
	{ "!nonsense /a\n", 1, "unknown rule '!nonsense'" },
	{ "!\n", 1, "name of a rule" },
	{ "!refuse a EIO\n", 1, "absolute" },
	{ "!refuse /a/../b EIO\n", 1, "'..'" },
	{ "!refuse /a EWHAT\n", 1, "name of an error" },
	{ "!refuse /a\n", 1, "!refuse PATH ERRNO" },
	{ "!refuse /a EIO now\n", 1, "'now'" },
	{ "!refuse @ethtool eth0 EIO\n", 1, "@ethtool NIC feature" },
	{ "!clamp /a sideways 1\n", 1, "sideways" },
	{ "!clamp /a up\n", 1, "too short" },
	{ "!clamp /a up 1 x\n", 1, "expected a number" },
	{ "!bitmap /a 0\n", 1, "from 1 to 8192" },
	{ "!bitmap /a 9999\n", 1, "from 1 to 8192" },
	{ "!delay /a -1\n", 1, "from 0 to 60000" },
	{ "!follow /a /b some\n", 1, "some" },
	{ "!follow /a /a mask\n", 1, "two different" },
	{ "!order /a /a EINVAL\n", 1, "two different" },
	{ "!on /a set /b\n", 1, "'set'" },
	{ "!exists /a while /b\n", 1, "too short" },
	{ "!exists /a while /b =\n", 1, "too short" },
	{ "!refuse @ethtool eth0 ring wheel EIO\n", 1, "feature|ring" },
	{ "!refuse @ethtool eth0 wheel rx EIO\n", 1, "feature|ring" },
	{ "@netlink eth0\n", 1, "@ethtool" },
	{ "@ethtool 12345678901234567 feature a = on\n", 1, "network interface" },
	{ "@ethtool eth0 wheel a = on\n", 1, "feature, ring" },
	{ "@ethtool eth0 feature tso = on\n", 1, "kernel feature" },
	{ "@ethtool eth0 feature rx-gro on\n", 1, "'='" },
	{ "@ethtool eth0 feature rx-gro = yes\n", 1, "on or off" },
	{ "@ethtool eth0 feature rx-gro = on [fixd]\n", 1, "[fixed]" },
	{ "@ethtool eth0 feature rx-gro = on [requested on\n", 1, "[requested" },
	{ "@ethtool e feature rx-gro = on\n@ethtool e feature rx-gro = off\n", 2,
	  "twice (line 1)" },
	{ "@ethtool eth0 ring rx = 9 max 8\n", 1, "above its maximum" },
	{ "@ethtool eth0 ring wheel = 9\n", 1, "ethtool(8)" },
	{ "@ethtool eth0 pause rx = 1\n", 1, "on or off" },
	{ "@ethtool eth0 channels rx = 4294967296\n", 1, "4294967296" },
};

static void test_bad(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct board_error error = { 0 };
		struct record *r = NULL;
		int err = record_parse(bad[i].text, strlen(bad[i].text), false, &r,
				       &error);

		ok(err == -EBADMSG && !r && error.line == bad[i].line &&
			   strstr(error.text, bad[i].says),
		   "bad board %zu: line %u: %s", i, error.line, error.text);
	}
}

static void test_rules_only(void)
{
	static const char entry[] = "# rules\n/a = 1\n";
	static const char rules[] =
		"!refuse /a EIO\r\n\n \t\n@ethtool eth0 eee enabled = on";
	struct board_error error = { 0 };
	struct record *r = NULL;

	is_int(record_parse(entry, strlen(entry), true, &r, &error), -EBADMSG,
	       "no entry among the rules of a directory");
	is_int(error.line, 2, "line 2");
	is_int(record_parse(rules, strlen(rules), true, &r, &error), 0,
	       "rules and NICs; CRLF, blank lines, no newline at the end");
	is_int(r->n_rules, 1, "one rule");
	is_int(r->rules[0].error, EIO, "EIO");
	is_int(r->n_nics, 1, "one NIC line");
	ok(r->nics[0].kind == NIC_EEE && r->nics[0].on, "eee enabled");
	record_free(r);
	is_int(record_parse(NULL, 0, true, &r, &error), 0, "an empty file");
	is_int(r->n_lines, 0, "has no lines");
	record_free(r);
}

static void test_size(void)
{
	struct board_error error = { 0 };
	struct record *r = NULL;
	size_t size = RECORD_SIZE_MAX + 1;
	char *text = calloc(1, size);

	is_int(record_parse(text, size, false, &r, &error), -EFBIG, "too large");
	is_int(record_parse("/a = \0\n", 7, false, &r, &error), -EBADMSG, "a NUL byte");
	is_int(error.line, 1, "line 1");
	free(text);
}

/* What is printed and read again is the same bytes. */
static void test_print(void)
{
	static const struct {
		const char *data;
		size_t size;
		const char *text;
	} files[] = {
		{ "", 0, "/f :=\n" },
		{ "\n", 1, "/f =\n" },
		{ "\n\n", 2, "/f <<END\n\n\nEND\n" },
		{ "a b \n", 5, "/f = a b \n" },
		{ "a\\n\n", 4, "/f = a\\\\n\n" },
		{ "a", 1, "/f := a\n" },
		{ "a\0b\0", 4, "/f := a\\0b\\0\n" },
		{ "\x1b\xc3\xa4\n", 4, "/f = \\x1b\xc3\xa4\n" },
		{ "1\n2\n", 4, "/f <<END\n1\n2\nEND\n" },
		{ "1\nEND\n", 6, "/f := 1\\nEND\\n\n" },
		{ "1\n2", 3, "/f := 1\\n2\n" },
		{ " 1\n", 3, "/f =  1\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(record_freep) struct record *r = NULL;
		_cleanup_free_ char *text = NULL;
		struct board_error error = { 0 };
		size_t size;
		FILE *f = open_memstream(&text, &size);

		if (!f)
			exit(1);
		record_print_file(f, "/f", files[i].data, files[i].size);
		fclose(f);
		is_str(text, files[i].text, "file %zu as text", i);
		ok(record_parse(text, size, false, &r, &error) == 0 && r->n_lines == 1 &&
			   r->lines[0].size == files[i].size &&
			   memcmp(r->lines[0].data, files[i].data, files[i].size) == 0,
		   "and back");
	}
}

int main(void)
{
	test_bad();
	test_rules_only();
	test_size();
	test_print();
	return done();
}
