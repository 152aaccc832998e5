// SPDX-License-Identifier: GPL-2.0-or-later
// nic-path.c - where an interface sits: its bus, and ID_PATH as udev's path_id gives it
#include "knobs/nic-path.h"

#include <ctype.h>

#include "knobs/nic.h"

#define DEVICES_DIR "/sys/devices"
#define SUBSYSTEM_MAX 32

/* What a device of each kind adds in front of ID_PATH (systemd 252, path_id). */
static const struct path_kind {
	const char *subsystem;
	const char *prefix; /* NULL: passed over, with its chain */
	bool after_dash;    /* only what follows the bus number: port, configuration */
	bool supported;     /* makes the whole unique */
} path_kinds[] = {
	{ "usb", "usb-0:", true, false },
	{ "pci", "pci-", false, true },
	{ "platform", "platform-", false, true },
	{ "acpi", "acpi-", false, true },
	{ "virtio", NULL, false, false },
};

/* Cut the last part of a path. False at the top of the device tree. */
static bool path_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || strlen(path) <= strlen(DEVICES_DIR))
		return false;
	*slash = '\0';
	return strlen(path) > strlen(DEVICES_DIR);
}

static const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_pci_name(const char *name)
{
	unsigned domain, bus, device, function;
	int end = 0;

	return sscanf(name, "%x:%x:%x.%x%n", &domain, &bus, &device, &function, &end) ==
		       4 &&
	       name[end] == '\0';
}

static bool is_usb_name(const char *name)
{
	size_t n = strspn(name, "0123456789");

	return n > 0 && name[n] == '-' && isdigit((unsigned char)name[n + 1]) &&
	       name[strspn(name, "0123456789-.:")] == '\0';
}

static bool has_number(const char *name, const char *prefix)
{
	const char *rest = str_after(name, prefix);

	return rest && isdigit((unsigned char)*rest);
}

/*
 * A recording need not hold the links "subsystem": the names of PCI, USB and virtio
 * devices are unmistakable, those of platform devices have a dot (ff540000.ethernet).
 */
static const char *guess_subsystem(const char *path)
{
	const char *name = path_name(path);

	if (is_pci_name(name))
		return "pci";
	if (is_usb_name(name) || has_number(name, "usb"))
		return "usb";
	if (has_number(name, "virtio"))
		return "virtio";
	if (str_after(path, DEVICES_DIR "/platform/") && strchr(name, '.') &&
	    !strchr(name, ':'))
		return "platform";
	return NULL;
}

/* The subsystem of a device. False: no device, or one that has none. */
static bool read_subsystem(const struct sysroot *root, const char *path,
			   char buf[static SUBSYSTEM_MAX])
{
	char link[SYSROOT_PATH_MAX], file[SYSROOT_PATH_MAX];
	const char *name = NULL;
	int n;

	n = snprintf(file, sizeof(file), "%s/subsystem", path);
	if (n < 0 || n >= (int)sizeof(file))
		return false;
	if (sysroot_readlink(root, file, link, sizeof(link)) == 0)
		name = path_name(link);
	else if (!root->live)
		name = guess_subsystem(path);
	if (!name || strlen(name) >= SUBSYSTEM_MAX)
		return false;
	strcpy(buf, name);
	return true;
}

/* A directory with a uevent file is a device, be it of a bus or not. */
static bool is_device(const struct sysroot *root, const char *path)
{
	char file[SYSROOT_PATH_MAX];
	int n = snprintf(file, sizeof(file), "%s/uevent", path);

	return n > 0 && n < (int)sizeof(file) && sysroot_exists(root, file);
}

/*
 * From a device up to the topmost one of an unbroken chain of the same subsystem: a chain
 * of bridges or hubs counts once.
 */
static void skip_subsystem(const struct sysroot *root, char *path, const char *subsystem)
{
	char above[SYSROOT_PATH_MAX], name[SUBSYSTEM_MAX];

	strcpy(above, path);
	while (path_up(above)) {
		if (!read_subsystem(root, above, name)) {
			if (is_device(root, above))
				return;
			continue;
		}
		if (!streq(name, subsystem))
			return;
		strcpy(path, above);
	}
}

static int prepend(char *buf, size_t size, const char *prefix, const char *name)
{
	char old[SYSROOT_PATH_MAX];
	int n;

	if (strlen(buf) >= sizeof(old))
		return -ENAMETOOLONG;
	strcpy(old, buf);
	n = snprintf(buf, size, "%s%s%s%s", prefix, name, *old ? "-" : "", old);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/*
 * One device of the way up: what it adds to ID_PATH. @path moves to the last device that
 * this covers. *supported: the result is unique enough to be given out.
 */
static int path_step(const struct sysroot *root, char *path, const char *subsystem,
		     char *buf, size_t size, bool *supported)
{
	const char *name = path_name(path);
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(path_kinds); i++) {
		const struct path_kind *kind = &path_kinds[i];

		if (!streq(kind->subsystem, subsystem))
			continue;
		if (kind->after_dash) {
			name = strchr(name, '-');
			if (!name)
				return 0; /* a root hub */
			name++;
		}
		if (kind->prefix)
			r = prepend(buf, size, kind->prefix, name);
		*supported |= kind->supported;
		skip_subsystem(root, path, subsystem);
	}
	return r;
}

int nic_id_path(const struct sysroot *root, const char *device, char *buf, size_t size)
{
	char path[SYSROOT_PATH_MAX], subsystem[SUBSYSTEM_MAX], id[SYSROOT_PATH_MAX] = "";
	bool supported = false;
	int r;

	if (strlen(device) >= sizeof(path))
		return -ENAMETOOLONG;
	strcpy(path, device);
	while (path_up(path)) {
		if (!read_subsystem(root, path, subsystem))
			continue;
		r = path_step(root, path, subsystem, id, sizeof(id), &supported);
		if (r < 0)
			return r;
	}
	if (!supported)
		return -ENOENT;
	if (strlen(id) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, id);
	return 0;
}

int nic_bus(const struct sysroot *root, const char *device, char *buf, size_t size)
{
	char path[SYSROOT_PATH_MAX], subsystem[SUBSYSTEM_MAX];

	if (strlen(device) >= sizeof(path))
		return -ENAMETOOLONG;
	strcpy(path, device);
	while (path_up(path)) {
		if (!read_subsystem(root, path, subsystem))
			continue;
		if (strlen(subsystem) >= size)
			return -ENAMETOOLONG;
		strcpy(buf, subsystem);
		return 0;
	}
	return -ENOENT;
}
