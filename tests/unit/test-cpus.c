// SPDX-License-Identifier: GPL-2.0-or-later
// test-cpus.c - sets of CPUs as lists and masks
#include "base/cpus.h"
#include "fixture.h"
#include "tap.h"

#define ONLINE "/sys/devices/system/cpu/online"
#define PRESENT "/sys/devices/system/cpu/present"

static struct cpus set_of(const char *list)
{
	struct cpus set = { 0 };

	if (cpus_parse_list(list, &set) < 0)
		ok(false, "'%s' is a list", list);
	return set;
}

/* The list as it is printed again, or the errno. */
static const char *list_of(const char *text)
{
	static char list[CPUS_LIST_MAX];
	struct cpus set;
	int r = cpus_parse_list(text, &set);

	return r < 0 ? errno_name(r) : cpus_format_list(&set, list, sizeof(list));
}

static const char *list_of_mask(const char *text)
{
	static char list[CPUS_LIST_MAX];
	struct cpus set;
	int r = cpus_parse_mask(text, &set);

	return r < 0 ? errno_name(r) : cpus_format_list(&set, list, sizeof(list));
}

static const char *mask_of(const char *list, const char *like)
{
	static char mask[CPUS_MASK_MAX];
	struct cpus set = set_of(list);
	int r = cpus_format_mask(&set, like, mask);

	return r < 0 ? errno_name(r) : mask;
}

static void test_lists(void)
{
	static const char *const good[][2] = {
		{ "", "" },	      { "0", "0" },
		{ "0,2-3", "0,2-3" }, { "3,2,0", "0,2-3" },
		{ "0-1,1-2", "0-2" }, { "0,1", "0-1" },
		{ "5-5", "5" },	      { "63-64", "63-64" },
		{ "00,03", "0,3" },   { "0-1023", "0-1023" },
		{ "1023", "1023" },
	};
	static const char *const bad[][2] = {
		{ "1024", "ERANGE" },	    { "0-1024", "ERANGE" },
		{ "4294967296", "ERANGE" }, { "99999999999999999999", "ERANGE" },
		{ "a", "EINVAL" },	    { "-1", "EINVAL" },
		{ "1-", "EINVAL" },	    { "3-2", "EINVAL" },
		{ "1,", "EINVAL" },	    { ",1", "EINVAL" },
		{ "1,,2", "EINVAL" },	    { "1 2", "EINVAL" },
		{ "1-2-3", "EINVAL" },	    { "0x3", "EINVAL" },
		{ " 1", "EINVAL" },	    { "0-7:2/4", "EINVAL" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		is_str(list_of(good[i][0]), good[i][1], "list '%s'", good[i][0]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		is_str(list_of(bad[i][0]), bad[i][1], "no list: '%s'", bad[i][0]);
}

static void test_masks(void)
{
	static const char *const good[][2] = {
		{ "0", "" },
		{ "f", "0-3" },
		{ "F", "0-3" },
		{ "0d", "0,2-3" },
		{ "00000003", "0-1" },
		{ "80000000", "31" },
		{ "1,00000000", "32" },
		{ "1,0", "32" },
		{ "80000000,00000000,00000001", "0,95" },
	};
	static const char *const bad[][2] = {
		{ "", "EINVAL" },    { "0x3", "EINVAL" },	{ "g", "EINVAL" },
		{ ",1", "EINVAL" },  { "1,", "EINVAL" },	{ "1,,1", "EINVAL" },
		{ "1 1", "EINVAL" }, { "100000000", "EINVAL" }, { "-1", "EINVAL" },
	};
	char high[33 * 9 + 1] = "";

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		is_str(list_of_mask(good[i][0]), good[i][1], "mask '%s'", good[i][0]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		is_str(list_of_mask(bad[i][0]), bad[i][1], "no mask: '%s'", bad[i][0]);
	for (unsigned i = 0; i < 33; i++)
		strcat(high, i ? ",00000000" : "00000000");
	is_str(list_of_mask(high), "", "more groups than we take, all empty");
	high[7] = '1';
	is_str(list_of_mask(high), "ERANGE", "CPU 1024");
	memcpy(high, "00000000,80000000", 17);
	is_str(list_of_mask(high), "1023", "CPU 1023");
}

/* lib/bitmap-str.c: a group more than the file has is EOVERFLOW. */
static void test_format_mask(void)
{
	char wide[33 * 9 + 1] = "";
	struct cpus every = set_of("0-1023"), back;
	char mask[CPUS_MASK_MAX];

	is_str(mask_of("0-1", "0"), "3", "as many digits as the file");
	is_str(mask_of("0-1", "00"), "03", "two");
	is_str(mask_of("", "ff"), "00", "none");
	is_str(mask_of("0-7", "0"), "ff", "as many as the set needs");
	is_str(mask_of("0,2-3", "00000000"), "0000000d", "a whole group");
	is_str(mask_of("0", "0,00000000"), "0,00000001", "two groups");
	is_str(mask_of("33", "00,00000000"), "02,00000000", "the higher one");
	is_str(mask_of("31", "0"), "80000000", "the last of a group");
	is_str(mask_of("32", "ffffffff"), "EOVERFLOW", "a group too many");
	is_str(mask_of("0,64", "0,00000000"), "EOVERFLOW", "of three");
	is_str(mask_of("1", ""), "2", "an empty file");
	is_str(mask_of("1", "000000000"), "00000002", "never more than a group's digits");
	for (unsigned i = 0; i < 33; i++)
		strcat(wide, i ? ",00000000" : "0");
	is_int(cpus_format_mask(&every, wide, mask), 0, "all, in a file for more");
	is_int(cpus_parse_mask(mask, &back), 0, "and back");
	ok(cpus_equal(&every, &back), "the same");
	is_int(strlen(mask), 32 * 9 - 1, "32 groups");
}

static void test_sets(void)
{
	struct cpus a = set_of("0,2-3,700"), b = set_of("2-3"), none = { 0 }, both;
	char list[12];

	ok(cpus_test(&a, 700) && !cpus_test(&a, 701), "test");
	ok(!cpus_test(&a, CPUS_MAX) && !cpus_test(&a, ~0u), "beyond the end");
	cpus_add(&none, CPUS_MAX);
	ok(cpus_empty(&none) && !cpus_empty(&b), "empty");
	cpus_add(&none, 1023);
	ok(!cpus_empty(&none), "the last");
	none = (struct cpus) { 0 };
	ok(cpus_subset(&b, &a) && !cpus_subset(&a, &b), "subset");
	ok(cpus_subset(&none, &b) && cpus_subset(&a, &a), "of none, of itself");
	both = cpus_and(&a, &b);
	ok(cpus_equal(&both, &b) && !cpus_equal(&a, &b), "and");
	is_int(cpus_count(&a), 4, "count");
	is_int(cpus_count(&none), 0, "none");
	is_int(cpus_nth(&a, 0), 0, "first");
	is_int(cpus_nth(&a, 2), 3, "third");
	is_int(cpus_nth(&a, 3), 700, "last");
	is_int(cpus_nth(&a, 4), -1, "one more");
	is_int(cpus_nth(&none, 0), -1, "of none");
	a = set_of("0,2,4,6,8");
	is_str(cpus_format_list(&a, list, sizeof(list)), "0,2,4,6...", "cut");
	is_str(cpus_format_list(&b, list, sizeof(list)), "2-3", "not cut");
}

static void test_files(void)
{
	char list[64];
	struct cpus set;
	struct fixture f;

	fixture_open(&f);
	set = cpus_online(&f.sys.root);
	is_str(cpus_format_list(&set, list, sizeof(list)), "0", "online: not known");
	set = cpus_present(&f.sys.root);
	is_str(cpus_format_list(&set, list, sizeof(list)), "0", "present: not known");
	fixture_file(&f, ONLINE, "0,2\n");
	set = cpus_online(&f.sys.root);
	is_str(cpus_format_list(&set, list, sizeof(list)), "0,2", "online");
	set = cpus_present(&f.sys.root);
	is_str(cpus_format_list(&set, list, sizeof(list)), "0,2", "at least these");
	fixture_file(&f, PRESENT, "0-3\n");
	set = cpus_present(&f.sys.root);
	is_str(cpus_format_list(&set, list, sizeof(list)), "0-3", "present");
	fixture_file(&f, ONLINE, "\n");
	set = cpus_online(&f.sys.root);
	is_str(cpus_format_list(&set, list, sizeof(list)), "0", "empty: one runs this");
	is_int(cpus_read_list(&f.sys.root, "/none", &set), -ENOENT, "no file");
	is_int(cpus_read_mask(&f.sys.root, "/none", &set), -ENOENT, "no file");
	fixture_file(&f, "/mask", "00000000,0000000c\n");
	is_int(cpus_read_mask(&f.sys.root, "/mask", &set), 0, "a mask");
	is_str(cpus_format_list(&set, list, sizeof(list)), "2-3", "its CPUs");
	is_int(cpus_read_list(&f.sys.root, "/mask", &set), -EINVAL, "no list");
	is_str(cpus_format_list(&set, list, sizeof(list)), "2-3", "untouched");
	fixture_close(&f);
}

int main(void)
{
	test_lists();
	test_masks();
	test_format_mask();
	test_sets();
	test_files();
	return done();
}
