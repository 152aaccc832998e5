// SPDX-License-Identifier: GPL-2.0-or-later
// run-take.c - values out of a document from anywhere; the first error is kept
#include <math.h>

#include "measure/run-take.h"

#define NUMBER_MAX 1e15
#define COUNT_MAX 1000000

void take_fail(struct take *t, const char *key, const char *what)
{
	size_t n = 0;

	if (t->error)
		return;
	t->error = -EBADMSG;
	for (size_t i = 0; i < t->depth && n < RUN_DOC_ERROR_MAX; i++)
		n += (size_t)snprintf(t->text + n, RUN_DOC_ERROR_MAX - n, "%s%s[%zu]",
				      i ? "." : "", t->open[i].list, t->open[i].i);
	if (n < RUN_DOC_ERROR_MAX)
		snprintf(t->text + n, RUN_DOC_ERROR_MAX - n, "%s%s: %s",
			 t->depth && *key ? "." : "", key, what);
}

/* NULL if it is not told. */
static json_t *value_at(json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	return json_is_null(v) ? NULL : v;
}

double take_number(struct take *t, json_t *o, const char *key)
{
	json_t *v = value_at(o, key);

	if (!v)
		return NAN;
	if (json_is_number(v) && fabs(json_number_value(v)) < NUMBER_MAX)
		return json_number_value(v);
	take_fail(t, key, _("number expected"));
	return NAN;
}

unsigned take_count(struct take *t, json_t *o, const char *key)
{
	json_t *v = value_at(o, key);
	json_int_t n = json_integer_value(v);

	if (!v || (json_is_integer(v) && n >= 0 && n <= COUNT_MAX))
		return (unsigned)n;
	take_fail(t, key, _("whole number expected"));
	return 0;
}

const char *take_text(struct take *t, json_t *o, const char *key)
{
	json_t *v = value_at(o, key);

	if (v && !json_is_string(v))
		take_fail(t, key, _("text expected"));
	return json_is_string(v) ? json_string_value(v) : "";
}

bool take_bool(struct take *t, json_t *o, const char *key)
{
	json_t *v = value_at(o, key);

	if (v && !json_is_boolean(v))
		take_fail(t, key, _("true or false expected"));
	return json_is_true(v);
}

json_t *take_object(struct take *t, json_t *o, const char *key)
{
	json_t *v = value_at(o, key);

	if (!v || json_is_object(v))
		return v;
	take_fail(t, key, _("object expected"));
	return NULL;
}

json_t *take_list(struct take *t, json_t *o, const char *key, size_t max)
{
	json_t *v = value_at(o, key);

	if (!v)
		return NULL;
	if (json_is_array(v) && json_array_size(v) <= max)
		return v;
	take_fail(t, key, json_is_array(v) ? _("too many items") : _("list expected"));
	return NULL;
}

/* 0 for null and for what is an error. */
static uint32_t khz_of(struct take *t, json_t *v, const char *key)
{
	json_int_t khz = json_integer_value(v);

	if (json_is_integer(v) && khz >= 0 && khz <= UINT32_MAX)
		return (uint32_t)khz;
	if (!json_is_null(v))
		take_fail(t, key, _("kHz expected"));
	return 0;
}

uint32_t take_khz(struct take *t, json_t *o, const char *key)
{
	json_t *v = value_at(o, key);

	return v ? khz_of(t, v, key) : 0;
}

unsigned take_clocks(struct take *t, json_t *o, const char *key,
		     uint32_t ret[static SAMPLE_POLICIES_MAX])
{
	json_t *list = take_list(t, o, key, SAMPLE_POLICIES_MAX);

	for (size_t i = 0; i < json_array_size(list); i++)
		ret[i] = khz_of(t, json_array_get(list, i), key);
	return (unsigned)json_array_size(list);
}

json_t *take_item(struct take *t, json_t *list, const char *key, size_t i)
{
	json_t *v = json_array_get(list, i);

	t->open[t->depth].list = key;
	t->open[t->depth++].i = i;
	if (json_is_object(v))
		return v;
	take_fail(t, "", _("object expected"));
	return NULL;
}

void take_up(struct take *t)
{
	t->depth--;
}

/*
 * Bytes of a character at @s that must not reach a terminal, 0 for others: C0, DEL, C1,
 * and what turns the direction (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).
 */
static size_t harmful_length(const unsigned char *s)
{
	if (s[0] < 0x20 || s[0] == 0x7f)
		return 1;
	if (s[0] == 0xc2 && s[1] < 0xa0)
		return 2;
	if (s[0] != 0xe2)
		return 0;
	if (s[1] == 0x80 &&
	    (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xaa && s[2] <= 0xae)))
		return 3;
	return s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9 ? 3 : 0;
}

static bool is_harmful(const char *s)
{
	for (; *s; s++)
		if (harmful_length((const unsigned char *)s))
			return true;
	return false;
}

static int clean_text(json_t *text)
{
	_cleanup_free_ char *copy = NULL;
	char *to;

	if (!is_harmful(json_string_value(text)))
		return 0;
	copy = strdup(json_string_value(text));
	if (!copy)
		return -ENOMEM;
	to = copy;
	for (const char *from = copy; *from;) {
		size_t n = harmful_length((const unsigned char *)from);

		*to++ = n ? '?' : *from;
		from += n ? n : 1;
	}
	*to = '\0';
	return json_string_set(text, copy) < 0 ? -ENOMEM : 0;
}

int take_clean(json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;
	int r = 0;

	if (json_is_string(value))
		return clean_text(value);
	json_array_foreach(value, i, item) {
		if (r == 0)
			r = take_clean(item);
	}
	json_object_foreach(value, key, item) {
		if (r == 0)
			r = is_harmful(key) ? -EBADMSG : take_clean(item);
	}
	return r;
}
