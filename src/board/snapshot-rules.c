// SPDX-License-Identifier: GPL-2.0-or-later
// snapshot-rules.c - how the files of a board act, as far as reading them tells
#include "board/snapshot-private.h"

#define TEXT_MAX 4097 /* an attribute is a page at most */
#define CPUFREQ_DIR "/sys/devices/system/cpu/cpufreq"

/* "!accept DIR/FILE WORDS" where another file lists the words. */
static void print_accept(struct snapshot *s, const char *dir, const char *file,
			 const char *words_file)
{
	char words[TEXT_MAX];

	if (*snapshot_read(s, dir, file, words, sizeof(words)) &&
	    *snapshot_read(s, dir, words_file, words, sizeof(words)))
		fprintf(s->f, "!accept %s/%s %s\n", dir, file, words);
}

/* Whether cooling caps a policy now: cpufreq-cpuN (6.1), thermal-cpufreq-N before. */
static bool is_held(struct snapshot *s, const char *policy)
{
	char related[TEXT_MAX], path[64], type[64], cpu[16];
	_cleanup_list_ char **names = NULL;
	long state;

	snapshot_read(s, policy, "related_cpus", related, sizeof(related));
	sysroot_list(&s->sys->root, "/sys/class/thermal", &names);
	for (char **name = names; name && *name; name++) {
		const char *rest;

		snprintf(path, sizeof(path), "/sys/class/thermal/%.30s", *name);
		rest = str_after(snapshot_read(s, path, "type", type, sizeof(type)),
				 "cpufreq-cpu");
		snprintf(cpu, sizeof(cpu), "%.15s", related);
		cpu[strcspn(cpu, " ")] = '\0';
		if (!(rest && streq(rest, cpu)) && !str_after(type, "thermal-cpufreq-"))
			continue;
		strcat(path, "/cur_state");
		if (sysroot_read_long(&s->sys->root, path, &state) == 0 && state > 0)
			return true;
	}
	return false;
}

/*
 * The table of operating points, up to the highest that is allowed: the kernel rounds
 * max down and min up (freq_table.c 6.12).
 */
static void print_clamps(struct snapshot *s, const char *dir)
{
	char freqs[TEXT_MAX], number[32];
	unsigned long hw_max, cap;

	snapshot_read(s, dir, "scaling_available_frequencies", freqs, sizeof(freqs));
	hw_max =
		strtoul(snapshot_read(s, dir, "cpuinfo_max_freq", number, sizeof(number)),
			NULL, 10);
	cap = strtoul(snapshot_read(s, dir, "scaling_max_freq", number, sizeof(number)),
		      NULL, 10);
	if (!is_held(s, dir) || !cap)
		cap = hw_max;
	if (!*freqs || !cap)
		return;
	for (int max = 0; max < 2; max++) {
		fprintf(s->f, "!clamp %s/scaling_%s_freq %s", dir, max ? "max" : "min",
			max ? "down" : "up");
		for (char *end, *f = freqs; *f; f = end) {
			unsigned long khz = strtoul(f, &end, 10);

			if (end == f)
				break;
			if (khz <= (max ? cap : hw_max))
				fprintf(s->f, " %lu", khz);
		}
		fputc('\n', s->f);
	}
}

void snapshot_rules_policy(struct snapshot *s, const char *dir)
{
	unsigned major = 0, minor = 0;
	char text[TEXT_MAX];

	print_accept(s, dir, "scaling_governor", "scaling_available_governors");
	/* Intel's drivers take numbers, too. */
	if (!str_after(snapshot_read(s, dir, "scaling_driver", text, sizeof(text)),
		       "intel_"))
		print_accept(s, dir, "energy_performance_preference",
			     "energy_performance_available_preferences");
	if (!*snapshot_read(s, dir, "scaling_min_freq", text, sizeof(text)) ||
	    !*snapshot_read(s, dir, "scaling_max_freq", text, sizeof(text)))
		return;
	print_clamps(s, dir);
	sscanf(s->kernel, "%u.%u", &major, &minor);
	if (major && (major < 5 || (major == 5 && minor < 3)))
		fprintf(s->f, "!order %s/scaling_min_freq %s/scaling_max_freq EINVAL\n",
			dir, dir);
}

/* A governor's directory is there while a policy has that governor. */
void snapshot_rules_tunables(struct snapshot *s, const char *dir)
{
	const char *governor = strrchr(dir, '/') + 1,
		   *policy = str_after(dir, CPUFREQ_DIR "/");
	_cleanup_list_ char **names = NULL;
	char path[SYSROOT_PATH_MAX + 32], now[64];

	if (!policy || !str_after(policy, "policy")) {
		sysroot_list(&s->sys->root, CPUFREQ_DIR, &names);
	} else {
		int n = (int)(governor - 1 - dir);

		fprintf(s->f, "!exists %s while %.*s/scaling_governor = %s\n", dir, n,
			dir, governor);
	}
	for (char **name = names; name && *name; name++) {
		snprintf(path, sizeof(path), CPUFREQ_DIR "/%.60s", *name);
		if (str_after(*name, "policy") &&
		    *snapshot_read(s, path, "scaling_governor", now, sizeof(now)))
			fprintf(s->f, "!exists %s while %s/scaling_governor = %s\n", dir,
				path, governor);
	}
}

void snapshot_rules_zone(struct snapshot *s, const char *dir)
{
	print_accept(s, dir, "policy", "available_policies");
}

/* "!bitmap" for a mask that can be read. */
static bool print_bitmap(struct snapshot *s, const char *dir, const char *file)
{
	char mask[TEXT_MAX];

	if (!*snapshot_read(s, dir, file, mask, sizeof(mask)))
		return false;
	fprintf(s->f, "!bitmap %s/%s %u\n", dir, file, s->cpus);
	return true;
}

/* GICs, MSI and x86 take the first CPU of a mask (6.12); an empty list is not told. */
void snapshot_rules_irq(struct snapshot *s, const char *dir)
{
	char text[TEXT_MAX];

	if (print_bitmap(s, dir, "smp_affinity") &&
	    *snapshot_read(s, dir, "effective_affinity_list", text, sizeof(text)))
		fprintf(s->f,
			"!follow %s/effective_affinity_list %s/smp_affinity first\n", dir,
			dir);
}

void snapshot_rules_queue(struct snapshot *s, const char *dir)
{
	print_bitmap(s, dir, "rps_cpus");
	print_bitmap(s, dir, "xps_cpus");
}

void snapshot_rules_nic(struct snapshot *s, const char *dir)
{
	char text[64];

	if (*snapshot_read(s, dir, "threaded", text, sizeof(text)))
		fprintf(s->f, "!accept %s/threaded 0 1\n", dir);
}
