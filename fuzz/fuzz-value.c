// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-value.c - any text as a value of any type: what parses comes back as it is printed
#include "base/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Their printed form is one that a profile may hold; a temperature lacks its unit. */
static const enum value_type types[] = {
	VALUE_WORD, VALUE_WORDS, VALUE_FLAG,	VALUE_NUMBER, VALUE_FREQ,
	VALUE_TEMP, VALUE_CPUS,	 VALUE_FEATURE, VALUE_LINE,   VALUE_TEXT,
};

static void check(enum value_type type, const char *text)
{
	char buf[VALUE_TEXT_MAX], human[VALUE_TEXT_MAX];
	struct value v, again;

	memset(&v, 0xa5, sizeof(v));
	if (value_parse(type, text, &v) < 0)
		return;
	value_format_human(&v, human);
	value_format(&v, buf);
	if (strlen(buf) >= sizeof(buf) || v.type != type)
		abort();
	if (type == VALUE_TEMP)
		return;
	if (value_parse(type, buf, &again) < 0 || !value_equal(&v, &again))
		abort();
}

/* A set of CPUs is the same as a list and as a mask. */
static void check_cpus(const char *text)
{
	char mask[CPUS_MASK_MAX], list[CPUS_LIST_MAX], like[CPUS_MASK_MAX] = "00000000";
	struct cpus set, again;

	for (size_t i = 1; i < CPUS_MAX / 32; i++)
		strcat(like, ",00000000");
	if (cpus_parse_list(text, &set) < 0 && cpus_parse_mask(text, &set) < 0)
		return;
	if (cpus_format_mask(&set, like, mask) < 0 || cpus_parse_mask(mask, &again) < 0 ||
	    !cpus_equal(&set, &again))
		abort();
	cpus_format_list(&set, list, sizeof(list));
	if (cpus_parse_list(list, &again) < 0 || !cpus_equal(&set, &again))
		abort();
	if (cpus_count(&set) && cpus_nth(&set, cpus_count(&set) - 1) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = strndup((const char *)data, size);

	if (!text)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		check(types[i], text);
	check_cpus(text);
	return 0;
}
