// SPDX-License-Identifier: GPL-2.0-or-later
// base.c - strings, arrays, clocks
#include "base/base.h"

#include <stdarg.h>
#include <time.h>

#define FDS_MAX 65536
#define NEAR_MAX 2 /* typing errors of "did you mean" */

void close_from(int first)
{
	if (close_range(first, ~0u, 0) == 0) /* Linux 5.9 */
		return;
	for (int fd = first; fd < sysconf(_SC_OPEN_MAX) && fd < FDS_MAX; fd++)
		close(fd);
}

int array_grow(void *items, size_t n, size_t size)
{
	void **array = items;
	void *grown;

	if (n & (n - 1))
		return 0;
	grown = reallocarray(*array, n ? n * 2 : 1, size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

char *str_format(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : s;
}

char *str_chomp(char *s)
{
	size_t n = strlen(s);

	while (n && strchr("\n\r\t ", s[n - 1]))
		s[--n] = '\0';
	return s;
}

unsigned str_distance(const char *a, const char *b)
{
	size_t la = strnlen(a, 63), lb = strnlen(b, 63);
	unsigned char d[64][64];

	for (size_t i = 0; i <= la; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= lb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= la; i++)
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			if (d[i - 1][j] + 1u < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1u < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1u < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	return d[la][lb];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int str_compare_natural(const char *a, const char *b)
{
	while (*a && *b) {
		if (is_digit(*a) && is_digit(*b)) {
			size_t na, nb;
			int order;

			while (*a == '0' && is_digit(a[1]))
				a++;
			while (*b == '0' && is_digit(b[1]))
				b++;
			na = strspn(a, "0123456789");
			nb = strspn(b, "0123456789");
			if (na != nb)
				return na < nb ? -1 : 1;
			order = strncmp(a, b, na);
			if (order)
				return order;
			a += na;
			b += nb;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return *a ? 1 : *b ? -1 : 0;
}

const char *errno_name(int err)
{
	const char *name = strerrorname_np(err < 0 ? -err : err);

	return name ? name : "?";
}

double now_monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

bool names_have(const char *const *names, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (streq(names[i], word))
			return true;
	return false;
}

const char *names_nearest(const char *const *names, size_t n, const char *word)
{
	unsigned best = NEAR_MAX + 1;
	const char *nearest = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned distance = str_distance(word, names[i]);

		if (distance >= best)
			continue;
		best = distance;
		nearest = names[i];
	}
	return nearest;
}
