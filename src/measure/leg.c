// SPDX-License-Identifier: GPL-2.0-or-later
// leg.c - the table of cells; what the samples of a test come to
#include <limits.h>
#include <math.h>

#include "measure/leg.h"

static const struct cell cells[] = {
	{ "ipv4-tx", N_("IPv4 tx"), AF_INET, "ipv4", CLIENT_TX, "tx" },
	{ "ipv4-rx", N_("IPv4 rx"), AF_INET, "ipv4", CLIENT_RX, "rx" },
	{ "ipv6-tx", N_("IPv6 tx"), AF_INET6, "ipv6", CLIENT_TX, "tx" },
	{ "ipv6-rx", N_("IPv6 rx"), AF_INET6, "ipv6", CLIENT_RX, "rx" },
};

_Static_assert(ARRAY_SIZE(cells) == CELLS_MAX, "CELLS_MAX is the length of the table");

struct cell_list cell_list_all(void)
{
	struct cell_list all = { .n = ARRAY_SIZE(cells) };

	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		all.cells[i] = &cells[i];
	return all;
}

static bool word_is(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && strncmp(word, name, n) == 0;
}

int cell_list_parse(const char *text, struct cell_list *ret, char *ret_word, size_t size)
{
	bool wanted[CELLS_MAX] = {};
	struct cell_list list = {};

	for (const char *word = text;; word++) {
		size_t n = strcspn(word, ",");
		bool known = false;

		for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
			if (!word_is(word, n, cells[i].name) &&
			    !word_is(word, n, cells[i].family_name) &&
			    !word_is(word, n, cells[i].direction_name))
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

static void summarise_clocks(struct test_result *t)
{
	for (unsigned p = 0; p < t->n_policies; p++) {
		uint64_t sum = 0;
		unsigned n = 0;

		t->low_khz[p] = t->high_khz[p] = 0;
		for (size_t i = 0; i < t->n_samples; i++) {
			const struct sample *s = &t->samples[i].board;

			if (!t->samples[i].counting)
				continue;
			if (s->cur_khz[p]) {
				sum += s->cur_khz[p];
				n++;
			}
			if (!s->max_khz[p])
				continue;
			if (!t->low_khz[p] || s->max_khz[p] < t->low_khz[p])
				t->low_khz[p] = s->max_khz[p];
			if (s->max_khz[p] > t->high_khz[p])
				t->high_khz[p] = s->max_khz[p];
		}
		t->cur_khz[p] = n ? sum / n : 0;
	}
}

/* Bytes that a NIC carried between two looks at it. */
static uint64_t nic_bytes(const struct sample_nic *first, const struct sample_nic *last,
			  enum client_direction direction)
{
	if (direction == CLIENT_TX)
		return last->tx_bytes > first->tx_bytes ?
			       last->tx_bytes - first->tx_bytes : 0;
	return last->rx_bytes > first->rx_bytes ? last->rx_bytes - first->rx_bytes : 0;
}

/* CPU time and NIC counters, between the first counting sample and the last. */
static void summarise_counters(struct test_result *t, enum client_direction direction)
{
	const struct test_sample *first = NULL, *last = NULL;
	bool counted = false;
	uint64_t bytes;

	for (size_t i = 0; i < t->n_samples; i++) {
		if (!t->samples[i].counting)
			continue;
		if (!first)
			first = &t->samples[i];
		last = &t->samples[i];
	}
	t->cpu_ms_per_gb = NAN;
	t->carried = 0;
	t->wrong_nic = false;
	if (!first || last->bytes <= first->bytes)
		return;
	bytes = last->bytes - first->bytes;
	if (last->board.cpu_busy_us >= first->board.cpu_busy_us)
		t->cpu_ms_per_gb =
			(last->board.cpu_busy_us - first->board.cpu_busy_us) / 1e3 /
			(bytes / 1e9);
	for (size_t i = 0; i < SAMPLE_NICS_MAX; i++) {
		const struct sample_nic *from = &first->board.nics[i];
		const struct sample_nic *to = &last->board.nics[i];

		if (!from->known || !to->known)
			continue;
		counted = true;
		if (nic_bytes(from, to, direction) >= bytes / 2)
			t->carried |= 1u << i;
	}
	t->wrong_nic = counted && !t->carried;
}

void test_result_summarise(struct test_result *t, enum client_direction direction)
{
	t->millicelsius = INT_MIN;
	t->cooling = 0;
	t->n_policies = t->n_samples ? t->samples[0].board.n_policies : 0;
	for (size_t i = 0; i < t->n_samples; i++) {
		const struct sample *s = &t->samples[i].board;

		if (s->millicelsius > t->millicelsius)
			t->millicelsius = s->millicelsius;
		/* in the omitted seconds the other side's heat may still be there */
		if (t->samples[i].counting && s->cooling > t->cooling)
			t->cooling = s->cooling;
	}
	summarise_clocks(t);
	summarise_counters(t, direction);
}

void test_result_clear(struct test_result *t)
{
	free(t->samples);
	*t = (struct test_result){};
}

void legs_free(struct leg *legs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < CELLS_MAX; k++)
			free(legs[i].tests[k].samples);
	free(legs);
}
