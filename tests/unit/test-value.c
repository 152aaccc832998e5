// SPDX-License-Identifier: GPL-2.0-or-later
// test-value.c - values: parse, compare, print; strings
#include <locale.h>

#include "base/text.h"
#include "base/value.h"
#include "tap.h"

static const struct {
	enum value_type type;
	const char *text;
	int result;
	const char *printed; /* NULL when it is an error */
} cases[] = {
	{ VALUE_FREQ, "408000", 0, "408000" },
	{ VALUE_FREQ, "408MHz", 0, "408000" },
	{ VALUE_FREQ, "408mhz", 0, "408000" },
	{ VALUE_FREQ, "1.2GHz", 0, "1200000" },
	{ VALUE_FREQ, "1.2 GHz", 0, "1200000" },
	{ VALUE_FREQ, "2.61GHz", 0, "2610000" },
	{ VALUE_FREQ, "408000000Hz", 0, "408000" },
	{ VALUE_FREQ, "1.0001kHz", -EINVAL, NULL },
	{ VALUE_FREQ, "1.5kHz", -EINVAL, NULL },
	{ VALUE_FREQ, "0", -ERANGE, NULL },
	{ VALUE_FREQ, "2147483648", -ERANGE, NULL },
	{ VALUE_FREQ, "2147483647", 0, "2147483647" },
	{ VALUE_FREQ, "99999999999999999999999999GHz", -ERANGE, NULL },
	{ VALUE_FREQ, "-1", -EINVAL, NULL },
	{ VALUE_FREQ, "0x66000", -EINVAL, NULL },
	{ VALUE_FREQ, "408MHzz", -EINVAL, NULL },
	{ VALUE_FREQ, "408THz", -EINVAL, NULL },
	{ VALUE_FREQ, "1.", -EINVAL, NULL },
	{ VALUE_FREQ, ".5GHz", -EINVAL, NULL },
	{ VALUE_FREQ, "1.2.3GHz", -EINVAL, NULL },
	{ VALUE_FREQ, "", -EINVAL, NULL },
	{ VALUE_TEMP, "75C", 0, "75000" },
	{ VALUE_TEMP, "62.5C", 0, "62500" },
	{ VALUE_TEMP, "-5 c", 0, "-5000" },
	{ VALUE_TEMP, "75", -EINVAL, NULL },
	{ VALUE_TEMP, "75000", -EINVAL, NULL },
	{ VALUE_TEMP, "75F", -EINVAL, NULL },
	{ VALUE_TEMP, "9999999C", -ERANGE, NULL },
	{ VALUE_FLAG, "on", 0, "on" },
	{ VALUE_FLAG, "YES", 0, "on" },
	{ VALUE_FLAG, "0", 0, "off" },
	{ VALUE_FLAG, "2", -EINVAL, NULL },
	{ VALUE_FEATURE, "off", 0, "off" },
	{ VALUE_FEATURE, "maybe", -EINVAL, NULL },
	{ VALUE_NUMBER, "18446744073709551615", 0, "18446744073709551615" },
	{ VALUE_NUMBER, "18446744073709551616", -ERANGE, NULL },
	{ VALUE_NUMBER, "010", 0, "10" },
	{ VALUE_NUMBER, "1e3", -EINVAL, NULL },
	{ VALUE_NUMBER, "-1", -EINVAL, NULL },
	{ VALUE_WORDS, "schedutil|ondemand", 0, "schedutil|ondemand" },
	{ VALUE_WORDS, "schedutil | ondemand", 0, "schedutil|ondemand" },
	{ VALUE_WORDS, "schedutil ondemand", -EINVAL, NULL },
	{ VALUE_WORDS, "|ondemand", -EINVAL, NULL },
	{ VALUE_WORDS, "a||b", -EINVAL, NULL },
	{ VALUE_WORD, "a|b", -EINVAL, NULL },
	{ VALUE_WORD, "step_wise", 0, "step_wise" },
	{ VALUE_NONE, "x", -EINVAL, NULL },
};

static void test_parse(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct value v = { .type = VALUE_TEXT, .word = "untouched" };
		char text[VALUE_TEXT_MAX];
		int r = value_parse(cases[i].type, cases[i].text, &v);

		is_int(r, cases[i].result, "'%s' gives %d", cases[i].text,
		       cases[i].result);
		is_str(value_format(&v, text),
		       cases[i].printed ? cases[i].printed : "untouched",
		       "'%s' prints, or leaves the result alone", cases[i].text);
	}
}

static void test_symbols(void)
{
	char text[VALUE_TEXT_MAX], long_word[VALUE_WORD_MAX + 10];
	struct value v;

	is_int(value_parse(VALUE_FREQ, "hw-min", &v), 0, "hw-min parses");
	is_int(v.khz, FREQ_HW_MIN, "as its symbol");
	is_int(value_parse(VALUE_FREQ, "HW-MAX", &v), 0, "hw-max parses");
	ok(v.khz == FREQ_HW_MAX, "as its symbol");
	memset(long_word, 'a', sizeof(long_word));
	long_word[sizeof(long_word) - 1] = '\0';
	is_int(value_parse(VALUE_WORDS, long_word, &v), -ERANGE, "an endless word");
	is_int(value_parse(VALUE_TEXT, long_word, &v), -ERANGE, "an endless text");
	v = value_freq(1296000);
	is_str(value_format_human(&v, text), "1296 MHz", "for people");
	v = value_freq(1296500);
	is_str(value_format_human(&v, text), "1296500 kHz", "not rounded for people");
	v = value_temp(62500);
	is_str(value_format_human(&v, text), "62.5 C", "a temperature for people");
}

static void test_equal(void)
{
	struct value a = value_feature(true, true), b = value_feature(true, false);
	struct value n = value_number(5), f = value_freq(5);

	ok(value_equal(&a, &a), "a feature equals itself");
	ok(!value_equal(&a, &b), "what was asked for counts too");
	ok(!value_equal(&n, &f), "the type counts");
	ok(value_equal(&n, &(struct value) { .type = VALUE_NUMBER, .number = 5 }),
	   "numbers by value");
}

static void test_strings(void)
{
	ok(str_compare_natural("policy2", "policy10") < 0, "policy2 before policy10");
	ok(str_compare_natural("policy10", "policy2") > 0, "and the other way round");
	ok(str_compare_natural("eth0", "eth0") == 0, "equal");
	ok(str_compare_natural("a", "a1") < 0, "the shorter first");
	is_int(str_distance("max_frq", "max_freq"), 1, "one letter missing");
	is_int(str_distance("gro", "gor"), 1, "two letters swapped");
	is_int(str_distance("", "abc"), 3, "from nothing");
	is_str(errno_name(-EIO), "EIO", "errno by name");
}

/* @text in lines, with two blanks before the first and four before the others. */
static char *wrapped(const char *text)
{
	char *lines = NULL;
	size_t size;
	FILE *f = open_memstream(&lines, &size);

	if (!f)
		return NULL;
	text_wrap(f, text, 2, 4);
	fclose(f);
	return lines;
}

static void wraps(const char *text, const char *want, const char *what)
{
	_cleanup_free_ char *lines = wrapped(text);

	is_str(lines ? lines : "", want, what);
}

#define WORDS4 "1234567890 1234567890 1234567890 1234567890 "
#define KANA8 "ああああああああ"
#define KANA9 KANA8 "あ"
#define KANA10 KANA9 "あ"

static void test_wrap(void)
{
	wraps("short", "  short\n", "a short line");
	wraps(WORDS4 WORDS4 "next", "  " WORDS4 "1234567890 1234567890 1234567890\n"
				    "    1234567890 next\n",
	      "broken at a blank");
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return;
	wraps(KANA10 KANA10 KANA10 KANA10,
	      "  " KANA10 KANA10 KANA10 KANA9 "\n    あ\n",
	      "letters of two columns: between any two");
	wraps(KANA10 KANA10 KANA10 KANA9 "。",
	      "  " KANA10 KANA10 KANA10 KANA8 "\n    あ。\n",
	      "never before a full stop");
}

int main(void)
{
	test_parse();
	test_symbols();
	test_equal();
	test_strings();
	test_wrap();
	return done();
}
