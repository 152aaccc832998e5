/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base.h - the few helpers that every file uses: cleanup, strings, gettext */
#ifndef BOARDTUNE_BASE_H
#define BOARDTUNE_BASE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libintl.h>

#define _(text) gettext(text)
#define N_(text) text

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define _cleanup_(f) __attribute__((cleanup(f)))
#define _printf_(fmt, args) __attribute__((format(printf, fmt, args)))

static inline void free_pointer(void *p)
{
	free(*(void **)p);
}

static inline void close_fd(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

static inline void close_file(FILE **f)
{
	if (*f)
		fclose(*f);
	*f = NULL;
}

/** close_from - every descriptor from @first on: a child keeps no pipe and no lock */
void close_from(int first);

#define _cleanup_free_ _cleanup_(free_pointer)
#define _cleanup_close_ _cleanup_(close_fd)
#define _cleanup_fclose_ _cleanup_(close_file)

/* Hand a pointer or descriptor over to the caller: the cleanup then does nothing. */
#define TAKE_PTR(p)                                                                      \
	({                                                                               \
		__typeof__(p) taken_ = (p);                                              \
		(p) = NULL;                                                              \
		taken_;                                                                  \
	})
#define TAKE_FD(fd)                                                                      \
	({                                                                               \
		int taken_ = (fd);                                                       \
		(fd) = -1;                                                               \
		taken_;                                                                  \
	})

static inline bool streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/**
 * str_after - what follows a prefix
 * @s: text
 * @prefix: what it should begin with
 *
 * Returns the rest of @s after @prefix, NULL if it does not begin with it.
 */
static inline const char *str_after(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(s, prefix, n) == 0 ? s + n : NULL;
}

/**
 * array_grow - room for one more element
 * @items: address of a malloc'd array pointer, may point to NULL
 * @n: elements in use
 * @size: bytes of one element
 *
 * The array doubles when @n is a power of two or zero, so the caller keeps no
 * capacity. Returns 0 or -ENOMEM; on failure the array is untouched.
 */
int array_grow(void *items, size_t n, size_t size);

/**
 * str_format - printf to a new string
 *
 * Returns a string that the caller frees, NULL when out of memory.
 */
char *str_format(const char *fmt, ...) _printf_(1, 2);

/**
 * str_chomp - cut trailing newlines and blanks in place
 *
 * Returns @s.
 */
char *str_chomp(char *s);

/**
 * str_distance - Damerau-Levenshtein distance, for "did you mean"
 *
 * Texts longer than 63 bytes are compared by their first 63.
 */
unsigned str_distance(const char *a, const char *b);

/** names_have - whether a word is one of @n names */
bool names_have(const char *const *names, size_t n, const char *word);

/** names_nearest - the one at most two typing errors away, NULL if there is none */
const char *names_nearest(const char *const *names, size_t n, const char *word);

/**
 * str_compare_natural - strverscmp without locale: policy2 before policy10
 */
int str_compare_natural(const char *a, const char *b);

/**
 * errno_name - "EIO" for 5 or -5
 *
 * Returns a static string; "?" for a number that the C library does not know.
 */
const char *errno_name(int err);

/** now_monotonic - CLOCK_MONOTONIC in seconds */
double now_monotonic(void);

#endif
