// SPDX-License-Identifier: GPL-2.0-or-later
// steering-cpus.c - what a profile's "all", "big", "little" and CPU lists are on a board
#include "knobs/cpufreq-policy.h"
#include "knobs/steering.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define LIST_SHORT 64 /* of a list of CPUs in a note */

/* By cpufreq's policies: what [cpufreq:big] means, so that both say the same. */
static int class_by_policy(struct system *sys, const char *label, struct cpus *ret)
{
	const struct selector sel = { .label = label };
	struct target_list list = { 0 };
	int r = cpufreq_policy_each(sys, NULL, &sel, &list);

	for (size_t i = 0; i < list.n && r == 0; i++) {
		struct cpus cpus;

		/* EBUSY: all its CPUs are offline (6.1) */
		if (cpufreq_related_cpus(&sys->root, list.targets[i].path, &cpus) == 0)
			cpus_add_all(ret, &cpus);
	}
	target_list_clear(&list);
	return r;
}

/* Without cpufreq: all above the lowest cpu_capacity are big. */
static void class_by_capacity(const struct sysroot *root, bool big, struct cpus *ret)
{
	struct cpus present = cpus_present(root), low = { 0 }, high = { 0 };
	unsigned long lowest = 0, capacity;

	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
		char path[64];

		if (!cpus_test(&present, cpu))
			continue;
		snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpu_capacity", cpu);
		if (sysroot_read_ulong(root, path, &capacity) < 0)
			return;
		if (!cpus_empty(&low) && capacity < lowest) {
			cpus_add_all(&high, &low);
			low = (struct cpus) { 0 };
		}
		if (cpus_empty(&low))
			lowest = capacity;
		cpus_add(capacity > lowest ? &high : &low, cpu);
	}
	if (!cpus_empty(&high))
		*ret = big ? high : low;
}

static int resolve_class(struct system *sys, bool big, struct cpus *ret, char *note)
{
	struct cpus online = knob_cpus(sys)->online, set = { 0 };
	int r = class_by_policy(sys, big ? "big" : "little", &set);

	if (r < 0)
		return r;
	if (cpus_empty(&set))
		class_by_capacity(&sys->root, big, &set);
	if (cpus_empty(&set)) {
		snprintf(note, KNOB_NOTE_MAX, "%s",
			 _("neither big nor little here: the CPUs are all alike"));
		return -ERANGE;
	}
	set = cpus_and(&set, &online);
	if (cpus_empty(&set)) {
		snprintf(note, KNOB_NOTE_MAX,
			 big ? _("no big CPU is online") : _("no little CPU is online"));
		return -ERANGE;
	}
	*ret = set;
	return 0;
}

static int resolve_listed(struct system *sys, const struct cpus *asked, struct cpus *ret,
			  char *note)
{
	const struct cpus *present = &knob_cpus(sys)->present;
	struct cpus absent = *asked;
	char list[LIST_SHORT];

	cpus_take_away(&absent, present);
	if (!cpus_empty(&absent)) {
		snprintf(note, KNOB_NOTE_MAX, _("this board has no CPU %d; it has %s"),
			 cpus_nth(&absent, 0),
			 cpus_format_list(present, list, sizeof(list)));
		return -ERANGE;
	}
	*ret = *asked;
	return 0;
}

int steering_resolve(struct system *sys, const struct value *asked, struct cpus *ret,
		     char *note)
{
	switch (asked->cpus.name) {
	case CPUS_LISTED:
		return resolve_listed(sys, &asked->cpus.set, ret, note);
	case CPUS_ALL:
		*ret = knob_cpus(sys)->online;
		return 0;
	case CPUS_BIG:
	case CPUS_LITTLE:
		return resolve_class(sys, asked->cpus.name == CPUS_BIG, ret, note);
	}
	return -EINVAL;
}
