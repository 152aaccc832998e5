// SPDX-License-Identifier: GPL-2.0-or-later
// import-find.c - which files set the clocks here, and which of them has the last word
#include "profile/import-private.h"

#include <ctype.h>

#include "board/rivals.h"

#define SERVICES_MAX 2

/*
 * In the order in which they are applied at boot, and by which unit or init script.
 * Armbian's unit is before basic.target, the init scripts of cpufrequtils 008 run in that
 * order in the runlevels 2 to 5, cpupower.service of Linux 6.18 in multi-user.target.
 */
static const struct place {
	const char *path;
	enum import_kind kind;
	struct rival services[SERVICES_MAX];
} places[] = {
#define CPUPOWER                                                                         \
	IMPORT_CPUPOWER,                                                                 \
	{                                                                                \
		{ .unit = "cpupower.service" }                                           \
	}
	{ "/etc/default/loadcpufreq", IMPORT_LOADCPUFREQ,
	  { { .unit = "loadcpufreq.service", .init = "loadcpufreq" } } },
	{ IMPORT_CPUFREQUTILS_FILE, IMPORT_CPUFREQUTILS,
	  { { .unit = "cpufrequtils.service", .init = "cpufrequtils" },
	    { .unit = "armbian-hardware-optimize.service" } } },
	{ "/etc/default/cpupower", CPUPOWER },	      /* Arch Linux until 6.16 */
	{ "/etc/sysconfig/cpupower", CPUPOWER },      /* Red Hat */
	{ "/etc/default/linux-cpupower", CPUPOWER },  /* Debian until 6.16 */
	{ "/etc/default/cpupower-service.conf", CPUPOWER }, /* Arch Linux */
	{ "/etc/cpupower-service.conf", CPUPOWER },   /* Linux 6.16, Debian */
	{ "/etc/config/cpufreq", IMPORT_UCI, { { .init = "cpufreq" } } },
#undef CPUPOWER
};

struct found {
	const struct place *place;
	struct import_file file;
	bool enabled, sets;
};

struct finder {
	const struct sysroot *root;
	struct found found[ARRAY_SIZE(places)];
	size_t n;
};

/* A path, and not the first part of a longer one. */
static bool mentions(const char *text, const char *path)
{
	for (const char *s = text; (s = strstr(s, path)); s++) {
		char next = s[strlen(path)];

		if (!next || (!isalnum((unsigned char)next) && !strchr("-._/", next)))
			return true;
	}
	return false;
}

/* A unit that names one of the known files does not read the others. */
static bool reads_file(const struct finder *f, const char *unit, const char *path)
{
	_cleanup_(profile_errors_clear) struct profile_errors unused = { 0 };
	_cleanup_(source_clear) struct source s = { 0 };
	bool other = false;

	if (!*unit || source_read_any(f->root, unit, false, &s, &unused) < 0 ||
	    mentions(s.text, path))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		other |= mentions(s.text, places[i].path);
	return !other;
}

static int is_enabled(const struct finder *f, const struct place *place, bool *ret)
{
	bool enabled = false;

	for (size_t i = 0; i < SERVICES_MAX; i++) {
		const struct rival *service = &place->services[i];
		_cleanup_(rival_links_clear) struct rival_links l = { 0 };
		int r;

		if (!service->unit && !service->init)
			continue;
		r = rival_links_find(f->root, service, &l);
		if (r < 0)
			return r;
		if (!l.masked && (*l.unit ? l.unit_linked || l.vendor : l.script_linked))
			enabled |= reads_file(f, l.unit, place->path);
	}
	*ret = enabled;
	return 0;
}

/* One that has errors sets something: it must not be passed over in silence. */
static int look_into(const struct finder *f, struct found *found)
{
	_cleanup_(profile_errors_clear) struct profile_errors remarks = { 0 };
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	const struct import_board none = { 0 };
	struct import im = { .file = found->file.source.path, .kind = found->file.kind,
			     .board = &none, .remarks = &remarks, .errors = &errors };
	int r = import_read(&im, found->file.source.text, found->file.source.size);

	found->sets = r == -EBADMSG;
	for (size_t i = 0; r == 0 && i < im.n; i++)
		found->sets |= im.items[i].what < IMPORT_KEYS_ && *im.items[i].value;
	if (im.disabled && !sysroot_exists(f->root, "/etc/armbian-release"))
		found->enabled = false; /* Armbian does not look at ENABLE */
	import_clear(&im);
	return r == -ENOMEM ? r : 0;
}

static int look_at_place(struct finder *f, const struct place *place,
			 struct profile_errors *errors)
{
	struct found *found = &f->found[f->n];
	int r = source_read_any(f->root, place->path, false, &found->file.source, errors);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	f->n++;
	found->place = place;
	found->file.kind = place->kind;
	r = is_enabled(f, place, &found->enabled);
	return r < 0 ? r : look_into(f, found);
}

/* Of equal ones the later. */
static struct found *choose(struct finder *f)
{
	struct found *best = NULL;

	for (size_t i = 0; i < f->n; i++) {
		struct found *x = &f->found[i];

		if (!best || 2 * x->sets + (x->sets && x->enabled) >=
				     2 * best->sets + (best->sets && best->enabled))
			best = x;
	}
	return best;
}

static void remark_others(const struct finder *f, const struct found *best,
			  struct profile_errors *remarks)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct found *x = &f->found[i];

		if (x == best)
			continue;
		if (!x->sets)
			profile_error_add(remarks, x->file.source.path, 0,
					  _("left out: it sets nothing"));
		else if (best->enabled)
			profile_error_add(remarks, x->file.source.path, 0,
					  x->enabled
						  ? _("left out: %s is applied after it")
						  : _("left out: its service is not "
						      "enabled, that of %s is"),
					  best->file.source.path);
		else
			profile_error_add(remarks, x->file.source.path, 0,
					  _("left out for %s, though the service of "
					    "neither is enabled: give the FILE that you "
					    "mean"),
					  best->file.source.path);
	}
}

static int find_file(const struct sysroot *root, struct import_file *ret,
		     struct profile_errors *remarks, struct profile_errors *errors)
{
	struct finder f = { .root = root };
	struct found *best = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(places); i++)
		r = look_at_place(&f, &places[i], errors);
	if (r == 0)
		best = choose(&f);
	if (r == 0 && !best)
		r = -ENOENT;
	if (best) {
		remark_others(&f, best, remarks);
		*ret = best->file;
		best->file = (struct import_file){ 0 };
	}
	for (size_t i = 0; i < f.n; i++)
		import_file_clear(&f.found[i].file);
	return r;
}

int import_open(const struct sysroot *root, const char *file, struct import_file *ret,
		struct profile_errors *remarks, struct profile_errors *errors)
{
	_cleanup_(import_file_clear) struct import_file f = { 0 };
	int r;

	if (!file)
		return find_file(root, ret, remarks, errors);
	r = source_read_any(root, file, true, &f.source, errors);
	if (r == 0)
		r = import_kind_of(file, f.source.text, f.source.size, &f.kind);
	if (r < 0)
		return r;
	*ret = f;
	f = (struct import_file){ 0 };
	return 0;
}

void import_file_clear(struct import_file *f)
{
	source_clear(&f->source);
}
