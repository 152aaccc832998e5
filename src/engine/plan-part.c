// SPDX-License-Identifier: GPL-2.0-or-later
// plan-part.c - the part of a plan that is about what has come while the system runs
#include "engine/plan-part.h"

#include <ctype.h>

#include "knobs/nic.h"
#include "profile/quirk-match.h"

/* What dev_valid_name() of net/core/dev.c (6.1, 6.18) lets through, and no more. */
static bool is_valid_name(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n < IF_NAMESIZE && !streq(name, ".") && !streq(name, "..") &&
	       !strpbrk(name, "/: \t\n\v\f\r");
}

/*
 * "a\x2bb" is "a+b" in the name of a unit (do_escape_mangle() of systemd 252). A "-" is
 * left: there it may be itself or a "/", which no interface has.
 */
static bool unescape(const char *text, char ret[static IF_NAMESIZE])
{
	size_t n = 0;

	while (*text && n < IF_NAMESIZE - 1) {
		unsigned byte = (unsigned char)*text;
		int used = 1;

		if (text[0] == '\\' && text[1] == 'x' &&
		    isxdigit((unsigned char)text[2]) && isxdigit((unsigned char)text[3]))
			sscanf(text, "\\x%2x%n", &byte, &used);
		ret[n++] = (char)byte;
		text += used;
	}
	ret[n] = '\0';
	return !*text;
}

static int find_nic(struct system *sys, const char *name, struct plan_part *ret)
{
	char path[SYSROOT_PATH_MAX];
	unsigned long ifindex;

	if (!is_valid_name(name))
		return -EINVAL;
	snprintf(path, sizeof(path), "/sys/class/net/%s/ifindex", name);
	if (sysroot_read_ulong(&sys->root, path, &ifindex) < 0 || ifindex == 0 ||
	    ifindex > INT32_MAX)
		return -ENODEV;
	ret->ifindex = (int)ifindex;
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	return 0;
}

int plan_part_nic(struct system *sys, const char *name, struct plan_part *ret)
{
	char unescaped[IF_NAMESIZE];
	int r = find_nic(sys, name, ret);

	if (r < 0 && strstr(name, "\\x") && unescape(name, unescaped))
		r = find_nic(sys, unescaped, ret);
	return r;
}

/* The sections that are about the part, whatever targets they have. */
static bool is_section(const char *section, const struct plan_part *part)
{
	if (part->ifindex)
		return streq(section, "net");
	return streq(section, "cpufreq") || streq(section, "thermal");
}

static bool has_target(const struct target_list *list, const struct plan_part *part)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->targets[i].ifindex == part->ifindex)
			return true;
	return false;
}

/* Whether a quirk that holds is about the part. 1, 0 or -errno. */
static int has_quirk(struct system *sys, const struct profile *p,
		     const struct plan_part *part)
{
	struct quirk_holds holds = { 0 };
	int r = quirks_find(sys, p->quirks, QUIRK_NOW, &holds);

	for (size_t i = 0; i < holds.n && r == 0; i++) {
		const char *nic = holds.holds[i].nic;

		if (holds.holds[i].quirk->n_assignments)
			r = nic ? part->ifindex && streq(nic, part->name)
				: !part->ifindex;
	}
	quirk_holds_clear(&holds);
	return r;
}

int plan_part_wanted(struct system *sys, const struct profile *p,
		     const struct plan_part *part)
{
	const struct profile_section *last = NULL;
	int found = 0;

	for (size_t i = 0; i < p->n_assignments && found == 0; i++) {
		const struct assignment *a = &p->assignments[i];
		struct selector sel = profile_selector(a);
		struct target_list list = { 0 };
		int r;

		if (a->section == last || !is_section(a->section->name, part))
			continue;
		if (!part->ifindex)
			return 1;
		last = a->section;
		r = nic_each(sys, a->setting, &sel, &list);
		found = r < 0 ? r : has_target(&list, part);
		target_list_clear(&list);
	}
	return found ? found : has_quirk(sys, p, part);
}

/* An interrupt has no index of an interface, but the name of the one it was found for. */
bool plan_part_pick(const struct change *c, const void *part)
{
	const struct plan_part *p = part;

	if (!p->ifindex)
		return is_section(c->setting->section, p);
	return c->target.ifindex ? c->target.ifindex == p->ifindex
				 : streq(c->target.device, p->name);
}

/* Whether the interface of a target, its queue or its thread is still the same one. */
static bool is_gone(struct system *sys, const struct target *t)
{
	char name[IF_NAMESIZE], now[IF_NAMESIZE];
	struct target nic = { .name = name, .ifindex = t->ifindex };

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(t->name, "/"), t->name);
	return nic_name_now(sys, &nic, now) == -ENODEV;
}

void plan_forget_gone(struct system *sys, struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->changes[i].target.ifindex &&
		    is_gone(sys, &plan->changes[i].target))
			plan->changes[i].drop = true;
}
