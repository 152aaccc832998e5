// SPDX-License-Identifier: GPL-2.0-or-later
// cpus.c - sets of CPUs: lists and masks as the kernel reads and prints them
#include "base/cpus.h"

bool cpus_test(const struct cpus *set, unsigned cpu)
{
	return cpu < CPUS_MAX && set->bits[cpu / 64] >> cpu % 64 & 1;
}

void cpus_add(struct cpus *set, unsigned cpu)
{
	if (cpu < CPUS_MAX)
		set->bits[cpu / 64] |= 1ull << cpu % 64;
}

bool cpus_empty(const struct cpus *set)
{
	for (size_t i = 0; i < ARRAY_SIZE(set->bits); i++)
		if (set->bits[i])
			return false;
	return true;
}

bool cpus_equal(const struct cpus *a, const struct cpus *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool cpus_subset(const struct cpus *a, const struct cpus *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->bits); i++)
		if (a->bits[i] & ~b->bits[i])
			return false;
	return true;
}

struct cpus cpus_and(const struct cpus *a, const struct cpus *b)
{
	struct cpus set = *a;

	for (size_t i = 0; i < ARRAY_SIZE(set.bits); i++)
		set.bits[i] &= b->bits[i];
	return set;
}

void cpus_add_all(struct cpus *set, const struct cpus *more)
{
	for (size_t i = 0; i < ARRAY_SIZE(set->bits); i++)
		set->bits[i] |= more->bits[i];
}

void cpus_take_away(struct cpus *set, const struct cpus *less)
{
	for (size_t i = 0; i < ARRAY_SIZE(set->bits); i++)
		set->bits[i] &= ~less->bits[i];
}

unsigned cpus_count(const struct cpus *set)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(set->bits); i++)
		n += __builtin_popcountll(set->bits[i]);
	return n;
}

/* The first CPU of the set from @cpu on; CPUS_MAX if there is none. */
static unsigned next_cpu(const struct cpus *set, unsigned cpu)
{
	while (cpu < CPUS_MAX) {
		uint64_t rest = set->bits[cpu / 64] >> cpu % 64;

		if (rest)
			return cpu + (unsigned)__builtin_ctzll(rest);
		cpu += 64 - cpu % 64;
	}
	return CPUS_MAX;
}

int cpus_nth(const struct cpus *set, unsigned n)
{
	unsigned cpu = next_cpu(set, 0);

	while (cpu < CPUS_MAX && n--)
		cpu = next_cpu(set, cpu + 1);
	return cpu < CPUS_MAX ? (int)cpu : -1;
}

static int parse_cpu(const char **text, unsigned *ret)
{
	unsigned cpu = 0;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
		cpu = cpu * 10 + (unsigned)(**text - '0');
		if (cpu >= CPUS_MAX)
			return -ERANGE;
	}
	*ret = cpu;
	return 0;
}

int cpus_parse_list(const char *text, struct cpus *ret)
{
	struct cpus set = { 0 };

	while (*text) {
		unsigned from, to;
		int r = parse_cpu(&text, &from);

		to = from;
		if (r == 0 && *text == '-') {
			text++;
			r = parse_cpu(&text, &to);
		}
		if (r < 0)
			return r;
		if (to < from || (*text && *text != ',') || (*text == ',' && !text[1]))
			return -EINVAL;
		for (unsigned cpu = from; cpu <= to; cpu++)
			cpus_add(&set, cpu);
		text += *text == ',';
	}
	*ret = set;
	return 0;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int cpus_parse_mask(const char *text, struct cpus *ret)
{
	size_t end = strlen(text);
	struct cpus set = { 0 };
	unsigned group = 0;

	if (end == 0)
		return -EINVAL;
	for (unsigned digits = 0; end; end--) {
		char c = text[end - 1];
		unsigned cpu;
		int v;

		if (c == ',') {
			if (digits == 0)
				return -EINVAL;
			digits = 0;
			group++;
			continue;
		}
		v = hex_value(c);
		if (v < 0 || digits == 8)
			return -EINVAL;
		cpu = group * 32 + digits++ * 4;
		if (v && cpu >= CPUS_MAX)
			return -ERANGE;
		if (v)
			set.bits[cpu / 64] |= (uint64_t)v << cpu % 64;
	}
	if (text[0] == ',')
		return -EINVAL;
	*ret = set;
	return 0;
}

char *cpus_format_list(const struct cpus *set, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned cpu = next_cpu(set, 0); cpu < CPUS_MAX; cpu = next_cpu(set, cpu)) {
		unsigned last = cpu;
		char range[16];
		size_t n;

		while (cpus_test(set, last + 1))
			last++;
		n = (size_t)snprintf(range, sizeof(range),
				     last > cpu ? "%s%u-%u" : "%s%u", used ? "," : "",
				     cpu, last);
		if (used + n + sizeof("...") > size) {
			strcpy(buf + used, "...");
			break;
		}
		strcpy(buf + used, range);
		used += n;
		cpu = last + 1;
	}
	return buf;
}

int cpus_format_mask(const struct cpus *set, const char *like,
		     char buf[static CPUS_MASK_MAX])
{
	unsigned groups = 1;
	int digits = (int)strcspn(like, ",\n"); /* of the first group */
	size_t used = 0;

	for (const char *s = like; (s = strchr(s, ',')); s++)
		groups++;
	if (next_cpu(set, groups * 32) < CPUS_MAX)
		return -EOVERFLOW;
	if (groups > CPUS_MAX / 32) {
		groups = CPUS_MAX / 32;
		digits = 8;
	}
	while (groups--) {
		uint32_t bits = (uint32_t)(set->bits[groups / 2] >> groups % 2 * 32);

		used += (size_t)snprintf(buf + used, CPUS_MASK_MAX - used,
					 groups ? "%0*x," : "%0*x",
					 digits < 8 ? digits : 8, bits);
		digits = 8;
	}
	return 0;
}

int cpus_read_list(const struct sysroot *root, const char *path, struct cpus *ret)
{
	char text[CPUS_LIST_MAX];
	ssize_t n = sysroot_read(root, path, text, sizeof(text));

	return n < 0 ? (int)n : cpus_parse_list(text, ret);
}

int cpus_read_mask(const struct sysroot *root, const char *path, struct cpus *ret)
{
	char text[CPUS_MASK_MAX + 256]; /* a kernel for more CPUs shows leading zeros */
	ssize_t n = sysroot_read(root, path, text, sizeof(text));

	return n < 0 ? (int)n : cpus_parse_mask(text, ret);
}

struct cpus cpus_online(const struct sysroot *root)
{
	struct cpus set;

	if (cpus_read_list(root, "/sys/devices/system/cpu/online", &set) < 0 ||
	    cpus_empty(&set))
		set = (struct cpus) { .bits = { 1 } };
	return set;
}

struct cpus cpus_present(const struct sysroot *root)
{
	struct cpus set;

	if (cpus_read_list(root, "/sys/devices/system/cpu/present", &set) < 0 ||
	    cpus_empty(&set))
		set = cpus_online(root);
	return set;
}
