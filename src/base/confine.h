/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confine.h - this process writes below some directories only, from now on */
#ifndef BOARDTUNE_CONFINE_H
#define BOARDTUNE_CONFINE_H

#include "base/base.h"

/* One path and what is below it. */
struct confine_path {
	const char *path;
	bool made; /* a directory of our own: made with what is above it, mode 0755 */
};

/**
 * confine_writes - files are written, made, renamed and removed below these paths only
 * @paths, @n: directories or single files; what is not there is left out
 *
 * By landlock(7), for this process, its children and what they execute; it cannot be
 * taken back. Reading is as before, and so are descriptors that are open; one for each
 * path stays open until the process ends. Sets no_new_privs, which landlock asks for.
 * Costs a dozen system calls, where the mount namespace of systemd's ProtectSystem= costs
 * more than a whole apply.
 *
 * Returns 0; -EOPNOTSUPP where the kernel (5.13) or the headers have no landlock, or it
 * is switched off: nothing is confined; other -errno.
 */
int confine_writes(const struct confine_path *paths, size_t n);

#endif
