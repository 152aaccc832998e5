// SPDX-License-Identifier: GPL-2.0-or-later
// boot.c - the boot's profile in /etc, and the unit's link that systemctl would make
#include "engine/boot.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/service.h"
#include "kernel/bus.h"
#include "profile/reader.h"
#include "profile/recommend.h"

#ifndef SYSTEMUNITDIR
#define SYSTEMUNITDIR "/usr/lib/systemd/system"
#endif

#define BOOT_LINK BOOT_WANTS "/" BOOT_UNIT

/* The lasting ones of systemd.unit(5), in its order, and where this build puts it. */
static const char *const unit_dirs[] = {
	"/etc/systemd/system",	   "/usr/local/lib/systemd/system", SYSTEMUNITDIR,
	"/usr/lib/systemd/system", "/lib/systemd/system",
};

bool boot_name_valid(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || name[0] == '.' || strchr(name, '/'))
		return false;
	return n < 4 || !streq(name + n - 4, ".ini");
}

static void check_key(const struct reader_key *key, const struct reader_key **found,
		      struct profile_errors *errors)
{
	if (!streq(key->key, "profile") || key->optional)
		profile_error_add(errors, BOOT_CONF, key->line,
				  _("unknown key \"%s\" in [boot]; expected profile"),
				  key->key);
	else if (*found)
		profile_error_add(errors, BOOT_CONF, key->line,
				  _("profile is already on line %u"), (*found)->line);
	else if (!boot_name_valid(key->value))
		profile_error_add(errors, BOOT_CONF, key->line,
				  _("\"%s\" is no profile's name; expected one that "
				    "\"boardtune list\" shows"),
				  key->value);
	else
		*found = key;
}

/* The one key of the file; everything else in it is an error. */
static const struct reader_key *find_profile(const struct reader_file *f,
					     struct profile_errors *errors)
{
	const struct reader_key *found = NULL;

	for (size_t i = 0; i < f->n_sections; i++) {
		const struct reader_section *s = &f->sections[i];

		if (!streq(s->name, "boot") || *s->label) {
			profile_error_add(errors, BOOT_CONF, s->line,
					  _("unknown section [%s]; expected [boot]"),
					  s->name);
			continue;
		}
		for (size_t k = 0; k < s->n_keys; k++)
			check_key(&s->keys[k], &found, errors);
	}
	return found;
}

int boot_configured(const struct sysroot *root, char **ret,
		    struct profile_errors *errors)
{
	_cleanup_(reader_file_clear) struct reader_file file = { 0 };
	_cleanup_free_ char *text = NULL;
	const struct reader_key *key;
	size_t before = errors->n;
	char *name;
	ssize_t n;
	int r;

	n = sysroot_read_file(root, BOOT_CONF, 0, &text);
	if (n < 0)
		return n;
	r = reader_parse(BOOT_CONF, text, n, &file, errors);
	if (r < 0)
		return r;
	key = find_profile(&file, errors);
	if (!key && errors->n == before)
		profile_error_add(errors, BOOT_CONF, 0,
				  _("names no profile; run \"boardtune enable\""));
	if (errors->n > before)
		return -EBADMSG;
	name = strdup(key->value);
	if (!name)
		return -ENOMEM;
	*ret = name;
	return 0;
}

int boot_find(const struct sysroot *root, char **ret, char **ret_broken)
{
	_cleanup_(recommend_list_clear) struct recommend_list list = { 0 };
	struct identity id;
	int r;

	identity_read(root, &id);
	r = recommend_find(&id, root, &list);
	if (r < 0)
		return r;
	if (ret_broken && list.broken) {
		char *text = str_format("%s (%s)", list.broken,
					list.error ? list.error : "?");

		if (!text)
			return -ENOMEM;
		*ret_broken = text;
	}
	if (!list.n || list.fits[0].by == RECOMMEND_GENERIC)
		return -ENODEV;
	*ret = TAKE_PTR(list.fits[0].name);
	return 0;
}

int boot_profile(const struct sysroot *root, char **ret, char **ret_broken,
		 struct profile_errors *errors)
{
	_cleanup_free_ char *name = NULL;
	int r = boot_configured(root, &name, errors);

	if (r < 0)
		return r;
	if (streq(name, BOOT_AUTO))
		return boot_find(root, ret, ret_broken);
	*ret = TAKE_PTR(name);
	return 0;
}

/* The unit's file as the link will name it. */
static int find_unit(const struct sysroot *root, char *ret, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(unit_dirs); i++) {
		char path[SYSROOT_PATH_MAX], target[SYSROOT_PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/" BOOT_UNIT, unit_dirs[i]) >=
		    (int)sizeof(path))
			return -ENAMETOOLONG;
		if (sysroot_readlink(root, path, target, sizeof(target)) == 0 &&
		    streq(target, "/dev/null"))
			return -ERFKILL;
		if (!sysroot_exists(root, path))
			continue;
		if (snprintf(ret, size, "%s", path) >= (int)size)
			return -ENAMETOOLONG;
		return 0;
	}
	return -ENOPKG;
}

/* Make a link in place of whatever link or file is there; nobody sees it missing, and a
 * kill leaves nothing else where there was none. */
static int replace_link(int dir, const char *name, const char *target)
{
	char beside[NAME_MAX + 1];
	int r;

	if (symlinkat(target, dir, name) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (snprintf(beside, sizeof(beside), ".%s.new", name) >= (int)sizeof(beside))
		return -ENAMETOOLONG;
	if (unlinkat(dir, beside, 0) < 0 && errno != ENOENT)
		return -errno;
	if (symlinkat(target, dir, beside) < 0)
		return -errno;
	if (renameat(dir, beside, dir, name) < 0) {
		r = -errno;
		unlinkat(dir, beside, 0);
		return r;
	}
	return 0;
}

int boot_set_link(const struct sysroot *root, const char *path, const char *target)
{
	const char *name = strrchr(path, '/') + 1;
	char parent[SYSROOT_PATH_MAX];
	_cleanup_close_ int dir = -1;
	int r;

	snprintf(parent, sizeof(parent), "%.*s", (int)(name - path - 1), path);
	r = target ? sysroot_mkdir_all(root, parent, 0755) : 0;
	if (r < 0)
		return r;
	dir = sysroot_openat(root, parent, O_RDONLY | O_DIRECTORY, 0);
	if (dir < 0)
		return dir;
	if (target)
		r = replace_link(dir, name, target);
	else if (unlinkat(dir, name, 0) < 0)
		r = -errno;
	if (r < 0)
		return r;
	return fsync(dir) < 0 ? -errno : 0;
}

static int write_link(const struct sysroot *root, const char *unit)
{
	char now[SYSROOT_PATH_MAX];

	if (sysroot_readlink(root, BOOT_LINK, now, sizeof(now)) == 0 && streq(now, unit))
		return 0;
	return boot_set_link(root, BOOT_LINK, unit);
}

static int write_conf(const struct sysroot *root, const char *name)
{
	_cleanup_free_ char *text = NULL, *now = NULL;
	int r;

	text = str_format("# Written by \"boardtune enable\": what is applied at boot.\n"
			  "[boot]\n"
			  "profile = %s\n",
			  name);
	if (!text)
		return -ENOMEM;
	if (sysroot_read_file(root, BOOT_CONF, 0, &now) >= 0 && streq(now, text))
		return 0;
	r = sysroot_mkdir_all(root, "/etc/boardtune", 0755);
	if (r < 0)
		return r;
	return sysroot_replace(root, BOOT_CONF, text, strlen(text), 0644);
}

int boot_enable(const struct sysroot *root, const char *name)
{
	char unit[SYSROOT_PATH_MAX];
	bool script;
	int r;

	if (!boot_name_valid(name))
		return -EINVAL;
	r = find_unit(root, unit, sizeof(unit));
	script = r == -ENOPKG && sysroot_exists(root, BOOT_SCRIPT);
	if (r < 0 && !script)
		return r;
	r = write_conf(root, name);
	if (r < 0)
		return r;
	if (!script)
		return write_link(root, unit);
	r = boot_script_linked(root);
	return r < 0 ? r : !r;
}

int boot_disable(const struct sysroot *root)
{
	int link, conf;

	link = sysroot_unlink(root, BOOT_LINK);
	if (link < 0 && link != -ENOENT)
		return link;
	conf = sysroot_unlink(root, BOOT_CONF);
	if (conf < 0 && conf != -ENOENT)
		return conf;
	return link < 0 && conf < 0;
}

/* What a boot is told to go without boardtune by, beside the kernel's command line. */
static const char *const off_files[] = { "/boot/boardtune.off",
					 "/boot/firmware/boardtune.off" };

static bool kernel_says_off(const struct sysroot *root)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *word;

	if (sysroot_read_all(root, "/proc/cmdline", &text) < 0)
		return false;
	rest = text;
	while ((word = strsep(&rest, " \t\n")))
		if (streq(word, BOOT_OFF_WORD))
			return true;
	return false;
}

const char *boot_off(const struct sysroot *root)
{
	for (size_t i = 0; i < ARRAY_SIZE(off_files); i++)
		if (sysroot_exists(root, off_files[i]))
			return off_files[i];
	return kernel_says_off(root) ? BOOT_OFF_WORD : NULL;
}

int boot_reload(void)
{
	_cleanup_(bus_closep) struct bus *bus = NULL;
	int r;

	if (!service_booted())
		return 1;
	r = bus_open(&bus);
	return r < 0 ? r : bus_reload(bus);
}
