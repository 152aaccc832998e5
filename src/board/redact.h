/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redact.h - hardware addresses in a text, replaced by others one for one */
#ifndef BOARDTUNE_REDACT_H
#define BOARDTUNE_REDACT_H

#include "base/base.h"

#define REDACT_DIGITS 12

/* The addresses met so far; the k-th becomes 02:00:00 and k in six decimal digits. */
struct redact {
	char (*keys)[REDACT_DIGITS + 1]; /* hex digits in lower case */
	size_t n;
};

void redact_clear(struct redact *r);

/**
 * redact_print - write a text with its addresses replaced
 * @f: NULL only to learn them, which fixes their order
 *
 * 02:15:... or 02-15-...; names of interfaces such as enx0215...; ids of 1-wire devices,
 * 28-0316.... Of a name that is cut, "enx0215", as much of the first that begins so, if
 * one does. All zeros and all ones stay. Of longer addresses (InfiniBand) the first
 * bytes become 00. What was replaced once stays as it is. Returns 0 or -ENOMEM.
 */
int redact_print(struct redact *r, FILE *f, const char *text, size_t size);

#endif
