/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample-fixture.h - a sampler on a small directory, or on a recorded board */
#ifndef BOARDTUNE_SAMPLE_FIXTURE_H
#define BOARDTUNE_SAMPLE_FIXTURE_H

#include <dirent.h>

#include "board/board.h"
#include "fixture.h"
#include "measure/sample.h"
#include "tap.h"

#define STATISTICS "/sys/class/net/eth0/statistics/"

static const struct sample_nics eth0 = { { "eth0" }, 1 };

static struct sampler *sampler_of(const struct sysroot *root,
				  const struct sample_nics *nics)
{
	struct sampler *sampler = NULL;

	if (sampler_open(root, nics, &sampler) < 0)
		fixture_fail("sampler_open");
	return sampler;
}

static struct sample taken(struct sampler *sampler)
{
	struct sample sample;

	memset(&sample, 0x55, sizeof(sample));
	sampler_take(sampler, &sample);
	return sample;
}

__attribute__((unused)) static struct sample taken_once(struct fixture *f,
							const struct sample_nics *nics)
{
	struct sampler *sampler = sampler_of(&f->sys.root, nics);
	struct sample sample = taken(sampler);

	sampler_close(sampler);
	return sample;
}

/* Descriptors of this process. */
__attribute__((unused)) static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	if (!dir)
		fixture_fail("/proc/self/fd");
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* A board of tests/boards. */
__attribute__((unused)) static void board_open_named(const char *name, struct system *ret)
{
	const char *srcdir = getenv("srcdir");
	struct board_error error = { 0 };
	char file[512];

	snprintf(file, sizeof(file), "%s/tests/boards/%s.board", srcdir ? srcdir : ".",
		 name);
	*ret = (struct system)SYSTEM_INIT;
	if (board_open_recording(file, ret, &error) < 0) {
		printf("Bail out! %s:%u: %s\n", name, error.line, error.text);
		exit(1);
	}
}

#endif
