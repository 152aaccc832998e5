/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpufreq.h - governor, limits, tunables and boost, by policy (kernel: cpufreq.c) */
#ifndef BOARDTUNE_CPUFREQ_H
#define BOARDTUNE_CPUFREQ_H

#include "knobs/knob.h"

#define CPUFREQ_DIR "/sys/devices/system/cpu/cpufreq"

/* Policies by label: "" all, "policyN", "big", "little". */
int cpufreq_policy_each(struct system *sys, const struct setting *s,
			const struct selector *sel, struct target_list *list);
/* The cpufreq directory itself, for the global boost switch; else policies with one. */
int cpufreq_boost_each(struct system *sys, const struct setting *s,
		       const struct selector *sel, struct target_list *list);

int cpufreq_governor_get(struct system *sys, const struct setting *s,
			 const struct target *t, struct value *ret);
int cpufreq_governor_set(struct system *sys, const struct setting *s,
			 const struct target *t, const struct value *v);
int cpufreq_governor_expect(struct system *sys, const struct setting *s,
			    const struct target *t, const struct value *asked,
			    struct expectation *ret);

/* setting.attr: scaling_min_freq, scaling_max_freq */
int cpufreq_limit_get(struct system *sys, const struct setting *s,
		      const struct target *t, struct value *ret);
int cpufreq_limit_set(struct system *sys, const struct setting *s,
		      const struct target *t, const struct value *v);
int cpufreq_limit_expect(struct system *sys, const struct setting *s,
			 const struct target *t, const struct value *asked,
			 struct expectation *ret);

/* setting.attr: "ondemand/up_threshold"; target.path is the directory of tunables where
 * it exists now (per policy or global), else the policy's directory. */
int cpufreq_tunable_each(struct system *sys, const struct setting *s,
			 const struct selector *sel, struct target_list *list);
int cpufreq_tunable_get(struct system *sys, const struct setting *s,
			const struct target *t, struct value *ret);
int cpufreq_tunable_set(struct system *sys, const struct setting *s,
			const struct target *t, const struct value *v);

/* energy_performance_preference of intel_pstate and amd-pstate; words of
 * energy_performance_available_preferences, Intel takes 0-255 too */
int cpufreq_preference_get(struct system *sys, const struct setting *s,
			   const struct target *t, struct value *ret);
int cpufreq_preference_set(struct system *sys, const struct setting *s,
			   const struct target *t, const struct value *v);
int cpufreq_preference_expect(struct system *sys, const struct setting *s,
			      const struct target *t, const struct value *asked,
			      struct expectation *ret);

/* Which policies there are instead. */
int cpufreq_absent(struct system *sys, const struct setting *s,
		   const struct selector *sel, char *note);

int cpufreq_boost_get(struct system *sys, const struct setting *s,
		      const struct target *t, struct value *ret);
int cpufreq_boost_set(struct system *sys, const struct setting *s,
		      const struct target *t, const struct value *v);

/** cpufreq_governor_known - whether a word of a profile is a governor's name */
bool cpufreq_governor_known(const char *name);
/** cpufreq_governor_nearest - for "did you mean"; NULL if none is near */
const char *cpufreq_governor_nearest(const char *name);

/**
 * cpufreq_held - whether cooling holds a policy now
 * @path: the policy's directory
 *
 * True when a cooling device of the policy, or one that cannot be told to belong to
 * another, has cur_state above 0. Older kernels number them apart from the CPUs
 * (thermal-cpufreq-N), so any of these counts for every policy.
 */
bool cpufreq_held(struct system *sys, const char *path);

#endif
