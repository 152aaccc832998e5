/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - sections, keys and values of one profile file against the registry */
#ifndef BOARDTUNE_CHECK_H
#define BOARDTUNE_CHECK_H

#include "profile/reader.h"

/**
 * check_section - whether the registry has it, and its label is one that it takes
 * @file: for the error
 * @errors: gets what is wrong
 */
bool check_section(const struct reader_section *s, const char *file,
		   struct profile_errors *errors);

/**
 * check_key - the setting that a key stands for, and its value by type
 * @ret: untouched on failure, but for the names of unknown governors
 * @errors: gets what is wrong
 *
 * Returns the row of the registry, NULL when there is an error.
 */
const struct setting *check_key(const struct reader_section *s,
				const struct reader_key *k, const char *file,
				struct value *ret, struct profile_errors *errors);

#endif
