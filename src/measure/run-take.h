/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-take.h - values out of a document from anywhere; the first error is kept */
#ifndef BOARDTUNE_RUN_TAKE_H
#define BOARDTUNE_RUN_TAKE_H

#include "measure/run-doc.h"

#define TAKE_DEPTH 4

/* What is wrong so far, and which list items are open. */
struct take {
	int error;  /* 0 so far */
	char *text; /* RUN_DOC_ERROR_MAX bytes: "legs[3].pair: number expected" */
	struct {
		const char *list;
		size_t i;
	} open[TAKE_DEPTH];
	size_t depth;
};

/** take_fail - note what is wrong with @key, unless something was before */
void take_fail(struct take *t, const char *key, const char *what);

/*
 * A key that is absent or null counts as not told; so does every key of a NULL object.
 * One of another type or out of range is an error.
 */

/** take_number - finite and below 1e15 either way; NAN if not told */
double take_number(struct take *t, json_t *o, const char *key);
/** take_count - a whole number from 0 to a million; 0 if not told */
unsigned take_count(struct take *t, json_t *o, const char *key);
/** take_text - "" if not told */
const char *take_text(struct take *t, json_t *o, const char *key);
bool take_bool(struct take *t, json_t *o, const char *key);
json_t *take_object(struct take *t, json_t *o, const char *key);
/** take_list - at most @max items; NULL after an error, too */
json_t *take_list(struct take *t, json_t *o, const char *key, size_t max);
/** take_khz - 0 if not told */
uint32_t take_khz(struct take *t, json_t *o, const char *key);
/** take_clocks - kHz, 0 where not told; returns how many */
unsigned take_clocks(struct take *t, json_t *o, const char *key,
		     uint32_t ret[static SAMPLE_POLICIES_MAX]);

/** take_item - the i-th of a list, an object; errors in it name it until take_up() */
json_t *take_item(struct take *t, json_t *list, const char *key, size_t i);
void take_up(struct take *t);

/**
 * take_clean - "?" for what a terminal or a page would act on, in every text
 *
 * Returns 0; -EBADMSG for a key with such characters; -ENOMEM.
 */
int take_clean(json_t *value);

#endif
