// SPDX-License-Identifier: GPL-2.0-or-later
// boot-script.c - whether sysvinit, OpenWrt or OpenRC starts the init script at boot
#include "engine/boot.h"

/* Where they have their links, and whether the names carry an order, as in S20name. */
static const struct {
	const char *dir;
	bool ordered;
} link_dirs[] = {
	{ "/etc/rc.d", true },	{ "/etc/rcS.d", true }, { "/etc/rc2.d", true },
	{ "/etc/rc3.d", true }, { "/etc/rc4.d", true }, { "/etc/rc5.d", true },
	{ "/etc/runlevels/boot", false }, { "/etc/runlevels/default", false },
};

static bool is_link_name(const char *name, bool ordered)
{
	if (!ordered)
		return streq(name, "boardtune");
	return name[0] == 'S' && name[1] >= '0' && name[1] <= '9' && name[2] >= '0' &&
	       name[2] <= '9' && streq(name + 3, "boardtune");
}

/* Returns 1, 0 or -ENOMEM; a directory that is not there has no links. */
static int is_linked_in(const struct sysroot *root, const char *dir, bool ordered)
{
	_cleanup_(sysroot_list_free) char **names = NULL;
	ssize_t n = sysroot_list(root, dir, &names);

	if (n == -ENOMEM)
		return -ENOMEM;
	for (ssize_t i = 0; i < n; i++)
		if (is_link_name(names[i], ordered))
			return 1;
	return 0;
}

int boot_script_linked(const struct sysroot *root)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(link_dirs) && r == 0; i++)
		r = is_linked_in(root, link_dirs[i].dir, link_dirs[i].ordered);
	return r;
}
