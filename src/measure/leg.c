// SPDX-License-Identifier: GPL-2.0-or-later
// leg.c - the table of cells, lists of them, and the memory of legs
#include "measure/leg.h"

/* First those of a full trial. */
static const struct cell cells[] = {
	{ "ipv4-tx", N_("IPv4 tx"), AF_INET, "ipv4", CLIENT_TX, "tx" },
	{ "ipv4-rx", N_("IPv4 rx"), AF_INET, "ipv4", CLIENT_RX, "rx" },
	{ "ipv6-tx", N_("IPv6 tx"), AF_INET6, "ipv6", CLIENT_TX, "tx" },
	{ "ipv6-rx", N_("IPv6 rx"), AF_INET6, "ipv6", CLIENT_RX, "rx" },
	{ "ipv4-bidir", N_("IPv4 bidir"), AF_INET, "ipv4", CLIENT_BIDIR, "bidir" },
	{ "ipv6-bidir", N_("IPv6 bidir"), AF_INET6, "ipv6", CLIENT_BIDIR, "bidir" },
};

_Static_assert(ARRAY_SIZE(cells) == CELLS_MAX, "CELLS_MAX is the length of the table");

struct cell_list cell_list_all(void)
{
	struct cell_list all = {};

	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		if (cells[i].direction != CLIENT_BIDIR)
			all.cells[all.n++] = &cells[i];
	return all;
}

static bool word_is(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && strncmp(word, name, n) == 0;
}

static bool word_asks_for(const char *word, size_t n, const struct cell *cell)
{
	if (word_is(word, n, cell->name) || word_is(word, n, cell->direction_name))
		return true;
	return word_is(word, n, cell->family_name) && cell->direction != CLIENT_BIDIR;
}

int cell_list_parse(const char *text, struct cell_list *ret, char *ret_word, size_t size)
{
	bool wanted[CELLS_MAX] = {};
	struct cell_list list = {};

	for (const char *word = text;; word++) {
		size_t n = strcspn(word, ",");
		bool known = false;

		for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
			if (!word_asks_for(word, n, &cells[i]))
				continue;
			wanted[i] = known = true;
		}
		if (!known) {
			snprintf(ret_word, size, "%.*s", (int)(n > 100 ? 100 : n), word);
			return -EINVAL;
		}
		word += n;
		if (!*word)
			break;
	}
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		if (wanted[i])
			list.cells[list.n++] = &cells[i];
	*ret = list;
	return 0;
}

bool cell_list_has_family(const struct cell_list *list, int family)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->cells[i]->family == family)
			return true;
	return false;
}

void cell_list_keep_families(struct cell_list *list, bool ipv4, bool ipv6)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->cells[i]->family == AF_INET ? ipv4 : ipv6)
			list->cells[n++] = list->cells[i];
	list->n = n;
}

static void sample_merge(struct test_sample *to, const struct test_sample *s)
{
	struct test_sample merged = *s;
	const struct sample *before = &to->board;
	struct sample *board = &merged.board;

	merged.looks += to->looks;
	if (before->millicelsius > board->millicelsius)
		board->millicelsius = before->millicelsius;
	if (before->cooling > board->cooling)
		board->cooling = before->cooling;
	if (before->rpi >= 0)
		board->rpi = before->rpi | (board->rpi >= 0 ? board->rpi : 0);
	board->event |= before->event;
	*to = merged;
}

/* Append @s to @n samples, or let the last of them stand for it too. Returns their
 * number. */
static size_t sample_put(struct test_sample *samples, size_t n,
			 const struct test_sample *s, unsigned looks)
{
	struct test_sample *last = n ? &samples[n - 1] : NULL;

	if (n >= 2 && last[-1].counting == s->counting &&
	    last->counting == s->counting && last->looks + s->looks <= looks) {
		sample_merge(last, s);
		return n;
	}
	samples[n] = *s;
	return n + 1;
}

int test_result_add(struct test_result *t, const struct test_sample *s)
{
	size_t n = 0;
	int r;

	if (t->n_samples == TEST_SAMPLES_MAX) {
		t->looks = t->looks ? 2 * t->looks : 2;
		for (size_t i = 0; i < t->n_samples; i++) {
			const struct test_sample sample = t->samples[i];

			n = sample_put(t->samples, n, &sample, t->looks);
		}
		t->n_samples = n;
	}
	r = array_grow(&t->samples, t->n_samples, sizeof(*t->samples));
	if (r == 0)
		t->n_samples = sample_put(t->samples, t->n_samples, s, t->looks);
	return r;
}

void test_result_clear(struct test_result *t)
{
	free(t->samples);
	free(t->clocks);
	free(t->rtt_ms);
	*t = (struct test_result){};
}

void legs_free(struct leg *legs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < CELLS_MAX; k++)
			test_result_clear(&legs[i].tests[k]);
	free(legs);
}
