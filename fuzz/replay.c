// SPDX-License-Identifier: GPL-2.0-or-later
// replay.c - a fuzz target without a fuzzer: each seed, then fixed mutations of it
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define SIZE_MAX_ (256u << 10)
#define MUTATIONS 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	return *state ^= *state << 5;
}

/* In place: flip, overwrite, cut or double a piece. Returns the new size. */
static size_t mutate(uint8_t *data, size_t size, uint32_t *state)
{
	size_t at = size ? next_random(state) % size : 0, n = next_random(state) % 16;

	if (size == 0)
		return 0;
	if (n > size - at)
		n = size - at;
	switch (next_random(state) % 4) {
	case 0:
		data[at] ^= 1u << next_random(state) % 8;
		return size;
	case 1:
		data[at] = next_random(state);
		return size;
	case 2:
		memmove(data + at, data + at + n, size - at - n);
		return size - n;
	}
	if (size + n > SIZE_MAX_)
		return size;
	memmove(data + at + n, data + at, size - at);
	return size + n;
}

/* Each input is copied to a block of just its size, so that ASan sees an overrun. */
static void one_input(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(99);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static size_t replay(const char *path, uint8_t *seed, uint8_t *work)
{
	FILE *f = fopen(path, "re");
	uint32_t state = 2463534242u;
	size_t size, n = 0;

	if (!f)
		return 0;
	size = fread(seed, 1, SIZE_MAX_, f);
	fclose(f);
	one_input(seed, size);
	for (n = 1; n <= MUTATIONS; n++) {
		size_t now = size;

		memcpy(work, seed, size);
		for (unsigned k = 0; k <= n % 8; k++)
			now = mutate(work, now, &state);
		one_input(work, now);
	}
	return n;
}

int main(int argc, char **argv)
{
	uint8_t *seed = malloc(SIZE_MAX_), *work = malloc(SIZE_MAX_ + 16);

	if (!seed || !work)
		return 99;
	for (int i = 1; i < argc; i++)
		is_int(replay(argv[i], seed, work), MUTATIONS + 1, "%s",
		       strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i]);
	ok(argc > 1, "there were seeds");
	free(seed);
	free(work);
	return done();
}
