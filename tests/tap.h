/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tap.h - Test Anything Protocol for the unit tests: ok(), is_int(), is_str(), done() */
#ifndef BOARDTUNE_TAP_H
#define BOARDTUNE_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static bool ok(bool pass,
							       const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", pass ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	tap_failed += !pass;
	return pass;
}

#define is_int(got, want, ...)                                                           \
	({                                                                               \
		long long got_ = (got), want_ = (want);                                  \
		bool pass_ = ok(got_ == want_, __VA_ARGS__);                             \
		if (!pass_)                                                              \
			printf("# got %lld, want %lld (%s:%d)\n", got_, want_, __FILE__, \
			       __LINE__);                                                \
		pass_;                                                                   \
	})

#define is_str(got, want, ...)                                                           \
	({                                                                               \
		const char *got_ = (got), *want_ = (want);                               \
		bool pass_ = ok(got_ && want_ && strcmp(got_, want_) == 0, __VA_ARGS__); \
		if (!pass_)                                                              \
			printf("# got '%s', want '%s' (%s:%d)\n", got_ ? got_ : "NULL",  \
			       want_ ? want_ : "NULL", __FILE__, __LINE__);              \
		pass_;                                                                   \
	})

#define is_near(got, want, tolerance, ...)                                               \
	({                                                                               \
		double got_ = (got), want_ = (want);                                     \
		bool pass_ = ok(got_ >= want_ - (tolerance) &&                           \
					got_ <= want_ + (tolerance),                     \
				__VA_ARGS__);                                            \
		if (!pass_)                                                              \
			printf("# got %g, want %g (%s:%d)\n", got_, want_, __FILE__,     \
			       __LINE__);                                                \
		pass_;                                                                   \
	})

__attribute__((unused)) static int done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
