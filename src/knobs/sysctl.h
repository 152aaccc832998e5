/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysctl.h - kernel parameters below /proc/sys, by the names of sysctl.d(5) */
#ifndef BOARDTUNE_SYSCTL_H
#define BOARDTUNE_SYSCTL_H

#include "knobs/knob.h"

/**
 * sysctl_path - the file of a key
 *
 * As sysctl.d(5): where the first separator is a dot, dots become slashes and slashes
 * dots; else it is a path already. Returns 0, or -EINVAL for an empty part, "..", or a
 * leading or trailing separator.
 */
int sysctl_path(const char *key, char ret[static SYSROOT_PATH_MAX]);

/* One target: the key as written, keyed by its file, whether that is there or not. */
int sysctl_each(struct system *sys, const struct setting *s, const struct selector *sel,
		struct target_list *list);
/* Blanks between numbers are one, whatever the kernel prints (tabs). */
int sysctl_get(struct system *sys, const struct setting *s, const struct target *t,
	       struct value *ret);
int sysctl_set(struct system *sys, const struct setting *s, const struct target *t,
	       const struct value *v);
/* rps_sock_flow_entries goes up to a power of two (kernel: net/core/sysctl_net_core.c) */
int sysctl_expect(struct system *sys, const struct setting *s, const struct target *t,
		  const struct value *asked, struct expectation *ret);

#endif
