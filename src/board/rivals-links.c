// SPDX-License-Identifier: GPL-2.0-or-later
// rivals-links.c - unit files and init scripts, and the links that have them started
#include "board/rivals.h"

#define UNIT_CONFIG "/etc/systemd/system"

/* Lasting ones of systemd.unit(5), in its order; the first is the administrator's. */
static const char *const unit_dirs[] = {
	UNIT_CONFIG,
	"/usr/local/lib/systemd/system",
	"/usr/lib/systemd/system",
	"/lib/systemd/system",
};

/* Of Debian's insserv and of OpenWrt's procd. */
static const char *const rc_dirs[] = { "/etc/rcS.d", "/etc/rc2.d", "/etc/rc3.d",
				       "/etc/rc4.d", "/etc/rc5.d", "/etc/rc.d" };

static bool ends_in(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n > k && streq(s + n - k, tail);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int add_path(struct rival_links *l, const char *path)
{
	int r = array_grow(&l->paths, l->n, sizeof(*l->paths));

	if (r < 0)
		return r;
	l->paths[l->n] = strdup(path);
	if (!l->paths[l->n])
		return -ENOMEM;
	l->n++;
	return 0;
}

/* An entry of a unit directory: one of .wants with the unit in it, or an alias. */
static int look_at_entry(const struct sysroot *root, const char *dir, const char *name,
			 const char *unit, struct rival_links *l)
{
	bool pulls = ends_in(name, ".wants") || ends_in(name, ".requires");
	char path[SYSROOT_PATH_MAX], target[SYSROOT_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s%s%s", dir, name, pulls ? "/" : "",
			 pulls ? unit : "");

	if (n >= (int)sizeof(path) || streq(name, unit) ||
	    sysroot_readlink(root, path, target, sizeof(target)) < 0)
		return 0;
	if (!pulls && !streq(base_of(target), unit))
		return 0;
	if (!streq(dir, UNIT_CONFIG)) {
		l->vendor |= pulls;
		return 0;
	}
	l->unit_linked = true;
	return add_path(l, path);
}

static int look_at_dir(const struct sysroot *root, const char *dir, const char *unit,
		       struct rival_links *l)
{
	char path[SYSROOT_PATH_MAX], target[SYSROOT_PATH_MAX];
	_cleanup_list_ char **names = NULL;
	int r = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, unit);
	if (streq(dir, UNIT_CONFIG) &&
	    sysroot_readlink(root, path, target, sizeof(target)) == 0 &&
	    streq(target, "/dev/null")) {
		l->masked = true;
	} else if (!*l->unit && sysroot_exists(root, path)) {
		snprintf(l->unit, sizeof(l->unit), "%s", path);
		l->owned = streq(dir, UNIT_CONFIG);
	}
	if (sysroot_list(root, dir, &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; r == 0 && name && *name; name++)
		r = look_at_entry(root, dir, *name, unit, l);
	return r;
}

/* S01cpufrequtils in one of them. */
static int look_at_rc(const struct sysroot *root, const char *dir, const char *init,
		      struct rival_links *l)
{
	_cleanup_list_ char **names = NULL;
	char path[SYSROOT_PATH_MAX], target[SYSROOT_PATH_MAX];
	int r = 0;

	if (sysroot_list(root, dir, &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; r == 0 && name && *name; name++) {
		if (name[0][0] != 'S' || strspn(*name + 1, "0123456789") != 2 ||
		    !streq(*name + 3, init))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, *name);
		if (sysroot_readlink(root, path, target, sizeof(target)) < 0)
			continue;
		l->script_linked = true;
		r = add_path(l, path);
	}
	return r;
}

int rival_links_find(const struct sysroot *root, const struct rival *rival,
		     struct rival_links *ret)
{
	_cleanup_(rival_links_clear) struct rival_links l = { 0 };
	char path[SYSROOT_PATH_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && rival->unit && i < ARRAY_SIZE(unit_dirs); i++)
		r = look_at_dir(root, unit_dirs[i], rival->unit, &l);
	if (rival->init) {
		snprintf(path, sizeof(path), "/etc/init.d/%s", rival->init);
		l.script = sysroot_exists(root, path);
	}
	for (size_t i = 0; r == 0 && rival->init && i < ARRAY_SIZE(rc_dirs); i++)
		r = look_at_rc(root, rc_dirs[i], rival->init, &l);
	if (r < 0)
		return r;
	*ret = l;
	l = (struct rival_links){ 0 };
	return 0;
}

void rival_links_clear(struct rival_links *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->paths[i]);
	free(l->paths);
	*l = (struct rival_links){ 0 };
}
