// SPDX-License-Identifier: GPL-2.0-or-later
// quirk-match.c - the conditions of quirks against a board and its interfaces
#include "profile/quirk-match.h"

#include <fnmatch.h>

#include "board/identity.h"
#include "knobs/nic.h"
#include "knobs/nic-match.h"
#include "profile/quirk-range.h"
#include "profile/registry.h"

/* Without the condition everything is inside. */
static enum quirk_place place_of(const struct quirk *q, enum quirk_key key,
				 const char *text)
{
	struct quirk_ranges ranges;

	if (!q->text[key])
		return QUIRK_INSIDE;
	return quirk_ranges_parse(q->text[key], &ranges) < 0
		       ? QUIRK_OUTSIDE
		       : quirk_ranges_place(&ranges, text);
}

static bool is_inside(const struct quirk *q, enum quirk_key key, unsigned long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lu", number);
	return place_of(q, key, text) == QUIRK_INSIDE;
}

static bool is_compatible(const struct quirk *q, const struct identity *id)
{
	if (!q->text[QUIRK_COMPATIBLE])
		return true;
	for (size_t i = 0; i < id->n_compatible; i++)
		if (nic_match_list(q->text[QUIRK_COMPATIBLE], id->compatible[i]))
			return true;
	return false;
}

/* What is the same for all interfaces. */
static bool holds_here(struct system *sys, const struct quirk *q,
		       const struct identity *id, enum quirk_when when)
{
	enum quirk_place wanted = when == QUIRK_OVER ? QUIRK_PAST : QUIRK_INSIDE;
	struct cpus present;

	if (place_of(q, QUIRK_KERNEL, id->kernel) != wanted || !is_compatible(q, id))
		return false;
	present = cpus_present(&sys->root);
	return is_inside(q, QUIRK_CPUS, cpus_count(&present));
}

/* An attribute of a device, or of an interface. Not there: false. */
static bool read_attr(const struct sysroot *root, const char *dir, const char *attr,
		      char ret[static 16])
{
	char path[SYSROOT_PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", dir, attr) < (int)sizeof(path) &&
	       sysroot_read(root, path, ret, 16) > 0;
}

/* "0bda:8153" of the nearest USB device above an interface; false if it has none. */
static bool read_usb_id(const struct sysroot *root, const char *nic, char ret[static 40])
{
	char device[SYSROOT_PATH_MAX], vendor[16], product[16];
	_cleanup_free_ char *link = str_format("/sys/class/net/%s/device", nic);

	if (!link || sysroot_realpath(root, link, device) < 0)
		return false;
	for (; str_after(device, "/sys/devices/"); *strrchr(device, '/') = '\0') {
		if (!read_attr(root, device, "idVendor", vendor))
			continue;
		if (!read_attr(root, device, "idProduct", product))
			return false;
		snprintf(ret, 40, "%s:%s", vendor, product);
		return true;
	}
	return false;
}

static bool has_usb_id(struct system *sys, const struct quirk *q, const char *nic)
{
	char id[40];

	return !q->text[QUIRK_USB_ID] ||
	       (read_usb_id(&sys->root, nic, id) &&
		nic_match_list(q->text[QUIRK_USB_ID], id));
}

/* One glob: the text has blanks itself. */
static bool has_firmware(struct system *sys, const struct quirk *q, const char *nic)
{
	char version[ETHTOOL_FIRMWARE_MAX];

	return !q->text[QUIRK_FIRMWARE] ||
	       (ethtool_firmware_get(&sys->ethtool, nic, version) == 0 &&
		fnmatch(q->text[QUIRK_FIRMWARE], version, 0) == 0);
}

static bool has_mtu(struct system *sys, const struct quirk *q, const char *nic)
{
	char path[SYSROOT_PATH_MAX];
	unsigned long mtu;

	if (!q->text[QUIRK_MTU])
		return true;
	return snprintf(path, sizeof(path), "/sys/class/net/%s/mtu", nic) <
		       (int)sizeof(path) &&
	       sysroot_read_ulong(&sys->root, path, &mtu) == 0 &&
	       is_inside(q, QUIRK_MTU, mtu);
}

/* The name as a glob that matches nothing else; a name may hold any of these. */
static char *glob_of(const char *name)
{
	char *glob = malloc(2 * strlen(name) + 1), *to = glob;

	for (const char *s = name; glob && *s; s++) {
		if (strchr("*?[]\\!", *s))
			*to++ = '\\';
		*to++ = *s;
	}
	if (glob)
		*to = '\0';
	return glob;
}

/* @nic: NULL for a quirk about none. */
static int add_hold(struct quirk_holds *holds, const struct quirk *q, const char *nic)
{
	struct quirk_hold *h;
	struct profile_section *s;

	if (array_grow(&holds->holds, holds->n, sizeof(*h)) < 0)
		return -ENOMEM;
	h = &holds->holds[holds->n++];
	*h = (struct quirk_hold) { .quirk = q, .nic = nic ? strdup(nic) : NULL };
	s = &h->section;
	s->name = strdup(quirk_section(q));
	s->label = strdup("");
	s->file = q->file;
	s->line = q->line;
	if (!s->name || !s->label || (nic && !h->nic))
		return -ENOMEM;
	if (!nic)
		return 0;
	s->match_keys = calloc(1, sizeof(*s->match_keys));
	s->match_patterns = calloc(1, sizeof(*s->match_patterns));
	if (!s->match_keys || !s->match_patterns)
		return -ENOMEM;
	s->n_matches = 1;
	s->match_keys[0] = strdup("Name");
	s->match_patterns[0] = glob_of(nic);
	return s->match_keys[0] && s->match_patterns[0] ? 0 : -ENOMEM;
}

/* The interfaces that a quirk is about: by its match keys, all of them without. */
static int find_nics(struct system *sys, const struct quirk *q, struct quirk_holds *holds)
{
	static const char *const any_key[] = { "Name" }, *const any[] = { "*" };
	const struct selector sel = {
		.label = "",
		.match_keys = q->n_matches ? q->match_keys : any_key,
		.match_patterns = q->n_matches ? (const char *const *)q->match_patterns
					       : any,
		.n_matches = q->n_matches ? q->n_matches : 1,
	};
	struct target_list list = { 0 };
	int r = nic_each(sys, registry_find("net", "rx"), &sel, &list);

	for (size_t i = 0; i < list.n && r == 0; i++) {
		const char *nic = list.targets[i].name;

		if (has_usb_id(sys, q, nic) && has_mtu(sys, q, nic) &&
		    has_firmware(sys, q, nic))
			r = add_hold(holds, q, nic);
	}
	target_list_clear(&list);
	return r;
}

int quirks_find(struct system *sys, const struct quirk_list *list, enum quirk_when when,
		struct quirk_holds *ret)
{
	_cleanup_(quirk_holds_clear) struct quirk_holds holds = { 0 };
	struct identity id;
	int r = 0;

	identity_read(&sys->root, &id);
	for (size_t i = 0; list && i < list->n && r == 0; i++) {
		const struct quirk *q = &list->quirks[i];

		if (!holds_here(sys, q, &id, when))
			continue;
		r = streq(quirk_section(q), "net") ? find_nics(sys, q, &holds)
						   : add_hold(&holds, q, NULL);
	}
	if (r < 0)
		return r;
	*ret = holds;
	holds = (struct quirk_holds) { 0 };
	return 0;
}

void quirk_holds_clear(struct quirk_holds *holds)
{
	for (size_t i = 0; i < holds->n; i++) {
		struct profile_section *s = &holds->holds[i].section;

		for (size_t k = 0; k < s->n_matches; k++) {
			free(s->match_keys[k]);
			free(s->match_patterns[k]);
		}
		free(s->match_keys);
		free(s->match_patterns);
		free(s->name);
		free(s->label);
		free(holds->holds[i].nic);
	}
	free(holds->holds);
	*holds = (struct quirk_holds) { 0 };
}

struct assignment quirk_assignment(struct quirk_hold *hold, size_t i)
{
	struct assignment a = hold->quirk->assignments[i];

	a.section = &hold->section;
	return a;
}
