// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-profile.c - any bytes as a profile, as quirks and as a file to import
#include "profile/check.h"
#include "profile/import-private.h"
#include "profile/quirk.h"
#include "profile/quirk-range.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the reader lets through holds its promises, and every key can be checked. */
static void fuzz_profile(const char *text, size_t size)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(reader_file_clear) struct reader_file file = { 0 };

	if (reader_parse("fuzz", text, size, &file, &errors) < 0)
		return;
	for (size_t i = 0; i < file.n_sections; i++) {
		const struct reader_section *s = &file.sections[i];

		check_section(s, "fuzz", &errors);
		for (size_t k = 0; k < s->n_keys; k++) {
			struct value v;

			if (!*s->keys[k].key || !*s->keys[k].value ||
			    strlen(s->keys[k].value) > READER_LINE_MAX)
				abort();
			check_key(s, &s->keys[k], "fuzz", &v, &errors);
		}
	}
}

/* A quirk has what it must have, and ranges that can be compared. */
static void fuzz_quirks(const char *text, size_t size)
{
	static const enum quirk_key ranged[] = { QUIRK_KERNEL, QUIRK_MTU, QUIRK_CPUS };
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	struct quirk_list *list = calloc(1, sizeof(*list));
	struct quirk_ranges ranges;

	if (!list)
		return;
	if (quirks_add(list, "fuzz", text, size, &errors) == 0 && errors.n && list->n)
		abort();
	for (size_t i = 0; i < list->n; i++) {
		const struct quirk *q = &list->quirks[i];

		if (!q->text[QUIRK_REASON] || !q->text[QUIRK_SOURCE] ||
		    (!q->text[QUIRK_ADVICE] && !q->n_assignments))
			abort();
		for (size_t k = 0; k < ARRAY_SIZE(ranged); k++)
			if (q->text[ranged[k]] &&
			    quirk_ranges_parse(q->text[ranged[k]], &ranges) < 0)
				abort();
	}
	quirks_free(list);
}

/* What import writes is a profile that loads without an error. */
static void fuzz_import(const char *text, size_t size, enum import_kind kind)
{
	_cleanup_(profile_errors_clear) struct profile_errors remarks = { 0 };
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *loaded = NULL;
	const struct sysroot nowhere = SYSROOT_INIT;
	uint32_t points[] = { 408000, 648000, 816000, 1008000 };
	struct import_policy policy = { .name = "policy0", .khz = points, .n = 4 };
	const struct import_board board = { .policies = &policy, .n_policies = 1,
					    .family = "rockchip64" };
	const struct import_file file = {
		.source = { .path = "fuzz", .text = (char *)text, .size = size },
		.kind = kind,
	};
	_cleanup_free_ char *profile = NULL;

	if (import_translate(&file, &board, true, &profile, &remarks, &errors) < 0)
		return;
	if (profile_load_text(&nowhere, "import", profile, strlen(profile), &loaded,
			      &errors) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum import_kind kind;

	fuzz_profile((const char *)data, size);
	fuzz_quirks((const char *)data, size);
	if (import_kind_of("fuzz", (const char *)data, size, &kind) < 0)
		abort();
	for (enum import_kind i = 0; i < IMPORT_KINDS_; i++)
		fuzz_import((const char *)data, size, i);
	return 0;
}
