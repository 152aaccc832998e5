// SPDX-License-Identifier: GPL-2.0-or-later
// import-board.c - the operating points of a board, and what Armbian calls it
#include "knobs/cpufreq.h"
#include "profile/import-private.h"

static int add_point(struct import_policy *p, unsigned long khz)
{
	if (khz == 0 || khz > INT32_MAX)
		return 0;
	if (array_grow(&p->khz, p->n, sizeof(*p->khz)) < 0)
		return -ENOMEM;
	p->khz[p->n++] = khz;
	return 0;
}

static int add_points(const struct sysroot *root, const char *policy, const char *attr,
		      struct import_policy *p)
{
	char path[SYSROOT_PATH_MAX], text[4096];
	char *rest = text, *word;
	int r = 0;

	snprintf(path, sizeof(path), "%s/%s/%s", CPUFREQ_DIR, policy, attr);
	if (sysroot_read(root, path, text, sizeof(text)) < 0)
		return 0; /* not listed, or not to be read now: nothing is known */
	while (r == 0 && (word = strsep(&rest, " \n")))
		r = add_point(p, strtoul(word, NULL, 10));
	return r;
}

static int compare_points(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int read_points(const struct sysroot *root, const char *policy,
		       struct import_policy *p)
{
	unsigned long boost = 0;
	int r = add_points(root, policy, "scaling_available_frequencies", p);

	/* Boost rates are listed apart and count while boost is on (6.12). */
	sysroot_read_ulong(root, CPUFREQ_DIR "/boost", &boost);
	if (r == 0 && p->n && boost)
		r = add_points(root, policy, "scaling_boost_frequencies", p);
	if (r == 0 && p->n == 0) {
		p->continuous = true;
		r = add_points(root, policy, "cpuinfo_min_freq", p);
		if (r == 0)
			r = add_points(root, policy, "cpuinfo_max_freq", p);
	}
	if (r == 0 && p->n)
		qsort(p->khz, p->n, sizeof(*p->khz), compare_points);
	return r;
}

static bool is_policy(const char *name)
{
	const char *number = str_after(name, "policy");

	return number && *number && !number[strspn(number, "0123456789")] &&
	       strlen(name) < sizeof(((struct import_policy *)0)->name);
}

static int read_policies(const struct sysroot *root, struct import_board *board)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(root, CPUFREQ_DIR, &names);
	int r = 0;

	if (n == -ENOMEM)
		return n;
	for (ssize_t i = 0; r == 0 && i < n; i++) {
		struct import_policy *p;

		if (!is_policy(names[i]))
			continue;
		if (array_grow(&board->policies, board->n_policies, sizeof(*p)) < 0)
			return -ENOMEM;
		p = &board->policies[board->n_policies++];
		*p = (struct import_policy){ 0 };
		strcpy(p->name, names[i]);
		r = read_points(root, names[i], p);
		if (r == 0 && p->n == 0)
			board->n_policies--;
	}
	return r;
}

/* A file that cannot be read says nothing: what depends on it are comments. */
static int read_armbian(const struct sysroot *root, struct import_board *board)
{
	_cleanup_(profile_errors_clear) struct profile_errors unused = { 0 };
	_cleanup_(source_clear) struct source s = { 0 };
	struct shell_variables v = { 0 };
	int r = source_read_any(root, "/etc/armbian-release", false, &s, &unused);

	if (r == 0)
		r = shell_parse(s.path, s.text, s.size, &v, &unused);
	for (size_t i = 0; r == 0 && i < v.n; i++) {
		if (streq(v.items[i].name, "BOARDFAMILY"))
			snprintf(board->family, sizeof(board->family), "%s",
				 v.items[i].value);
		else if (streq(v.items[i].name, "BOARD_NAME"))
			snprintf(board->name, sizeof(board->name), "%s",
				 v.items[i].value);
	}
	shell_clear(&v);
	return r == -ENOMEM ? r : 0;
}

int import_board_read(const struct sysroot *root, struct import_board *ret)
{
	_cleanup_(import_board_clear) struct import_board board = { 0 };
	int r = read_policies(root, &board);

	if (r == 0)
		r = read_armbian(root, &board);
	if (r < 0)
		return r;
	*ret = board;
	board = (struct import_board){ 0 };
	return 0;
}

void import_board_clear(struct import_board *board)
{
	for (size_t i = 0; i < board->n_policies; i++)
		free(board->policies[i].khz);
	free(board->policies);
	*board = (struct import_board){ 0 };
}
