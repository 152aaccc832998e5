// SPDX-License-Identifier: GPL-2.0-or-later
// test-quirk-range.c - ranges of kernel releases: read, refused, compared
#include "profile/quirk-range.h"

#include "tap.h"

static void test_places(void)
{
	static const struct {
		const char *range, *text;
		enum quirk_place place;
	} cases[] = {
		{ "<5.7", "5.6.19", QUIRK_INSIDE },
		{ "<5.7", "5.7.0-rc1", QUIRK_PAST },
		{ "<5.7", "5.10.1", QUIRK_PAST },
		{ "<5.10", "5.9.16-sunxi", QUIRK_INSIDE },
		{ "<=5.7", "5.7.19", QUIRK_INSIDE },
		{ "<=5.7", "5.8", QUIRK_PAST },
		{ ">5.9", "5.9.16", QUIRK_OUTSIDE },
		{ ">5.9", "5.10.0-28-amd64", QUIRK_INSIDE },
		{ ">6.9", "6.10", QUIRK_INSIDE },
		{ ">=6.1.160", "6.1.160-foo", QUIRK_INSIDE },
		{ ">=6.1.160", "6.1.159", QUIRK_OUTSIDE },
		{ ">=6.1.160", "6.1", QUIRK_OUTSIDE },
		{ ">=6.1.160", "6.6.0", QUIRK_INSIDE },
		{ "5.4-5.9", "5.3.18", QUIRK_OUTSIDE },
		{ "5.4-5.9", "5.4", QUIRK_INSIDE },
		{ "5.4 - 5.9", "5.9.16", QUIRK_INSIDE },
		{ "5.4-5.9", "5.10", QUIRK_PAST },
		{ "6.1.160-6.1.190, 6.6", "6.1.190", QUIRK_INSIDE },
		{ "6.1.160-6.1.190, 6.6", "6.1.191", QUIRK_OUTSIDE },
		{ "6.1.160-6.1.190, 6.6", "6.6.63-current-sunxi", QUIRK_INSIDE },
		{ "6.1.160-6.1.190, 6.6", "6.7", QUIRK_PAST },
		{ "6.6,<5", "5.15", QUIRK_OUTSIDE },
		{ "6.6", "6.6.0-rc7", QUIRK_INSIDE },
		{ "6.6", "6.60", QUIRK_PAST },
		{ "6", "6.18.2+rpt-rpi-2712", QUIRK_INSIDE },
		{ ">1498", "1500", QUIRK_INSIDE },
		{ ">1498", "1498", QUIRK_OUTSIDE },
		{ ">1", "4", QUIRK_INSIDE },
		{ "<5.7", "", QUIRK_OUTSIDE },
		{ "<5.7", "next-20260101", QUIRK_OUTSIDE },
		{ "<5.7", "99999999999", QUIRK_OUTSIDE },
	};
	struct quirk_ranges r;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		is_int(quirk_ranges_parse(cases[i].range, &r), 0, "%s", cases[i].range);
		is_int(quirk_ranges_place(&r, cases[i].text), cases[i].place, "%s: %s",
		       cases[i].range, cases[i].text);
	}
}

static void test_refused(void)
{
	static const char *const cases[] = {
		"",	  " ",	     "<",	 "5.",	      "5.7.1.2",    "a",
		"=5.7",	  "<>5.7",   "5.7,",	 ",5.7",      "5.9-5.4",    "5.4-",
		"-5.4",	  "<5.4-5.9", "5.4-<5.9", "5.7 5.8",  "6.1-rc1",    "1234567890",
		"5.4--5", "!5.4",    "1,2,3,4,5,6,7,8,9",
	};
	struct quirk_ranges r = { .n = 77 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_int(quirk_ranges_parse(cases[i], &r), -EINVAL, "\"%s\" is refused",
		       cases[i]);
	is_int(r.n, 77, "nothing came of them");
	is_int(quirk_ranges_parse("1,2,3,4,5,6,7,8", &r), 0, "eight ranges");
}

int main(void)
{
	test_places();
	test_refused();
	return done();
}
