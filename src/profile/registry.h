/* SPDX-License-Identifier: GPL-2.0-or-later */
/* registry.h - the table of every key that a profile can hold */
#ifndef BOARDTUNE_REGISTRY_H
#define BOARDTUNE_REGISTRY_H

#include "knobs/knob.h"

/** registry_all - the rows, in the order of the manual; *ret_n of them */
const struct setting *registry_all(size_t *ret_n);

/** registry_find - by section and key or alias; NULL if there is none */
const struct setting *registry_find(const char *section, const char *key);

/** registry_has_section - whether any row has this section */
bool registry_has_section(const char *section);

/**
 * registry_section_of - the section that has a key, NULL if none; for a key that stands
 * in a wrong one
 */
const char *registry_section_of(const char *key);

/**
 * registry_nearest_key - the key most like a mistyped one, NULL if none is near
 *
 * Without regard to case, and also by what follows rx- or tx-: gro-hw is near rx-gro-hw.
 */
const char *registry_nearest_key(const char *section, const char *key);
const char *registry_nearest_section(const char *section);

#endif
