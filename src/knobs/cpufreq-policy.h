/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpufreq-policy.h - what the files of the cpufreq family share: policies and paths */
#ifndef BOARDTUNE_CPUFREQ_POLICY_H
#define BOARDTUNE_CPUFREQ_POLICY_H

#include "knobs/cpufreq.h"

#define CPUFREQ_PATH_MAX 256
/* An attribute is a page at most; a table of frequencies is the longest. */
#define CPUFREQ_TEXT_MAX 4097

/**
 * cpufreq_policy_number - N of "policyN" or ".../policyN"
 *
 * Returns 0, or -EINVAL if the last part of @path is no policy's name.
 */
int cpufreq_policy_number(const char *path, unsigned *ret);

/**
 * cpufreq_policy_online - whether any CPU of a policy is online
 * @path: the policy's directory
 *
 * Returns 0; -EBUSY all its CPUs are offline: the directory stays, reads fail with EBUSY
 * (6.1, 6.12), before 5.4 affected_cpus is empty and writes fail with EINVAL; -ENODEV
 * the policy is gone.
 */
int cpufreq_policy_online(const struct sysroot *root, const char *path);

/**
 * cpufreq_path - "DIR/ATTR"
 * @buf: CPUFREQ_PATH_MAX bytes
 *
 * Returns 0 or -ENAMETOOLONG.
 */
int cpufreq_path(char *buf, const char *dir, const char *attr);

/** cpufreq_read_khz - a frequency. 0, -errno, -EBADMSG: not a number, -ERANGE */
int cpufreq_read_khz(const struct sysroot *root, const char *dir, const char *attr,
		     uint32_t *ret);

/** cpufreq_related_cpus - all CPUs of a policy, offline ones too. 0 or -errno */
int cpufreq_related_cpus(const struct sysroot *root, const char *path, struct cpus *ret);

/** cpufreq_boost_on - whether the global switch, or that of the policy, reads 1 */
bool cpufreq_boost_on(const struct sysroot *root, const char *path);

/**
 * cpufreq_expect_failed - an expectation that says what a failed read means
 *
 * Returns 0.
 */
int cpufreq_expect_failed(const struct setting *s, int error, struct expectation *ret);

#endif
