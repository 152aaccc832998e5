// SPDX-License-Identifier: GPL-2.0-or-later
// cpufreq-preference.c - energy_performance_preference of intel_pstate and amd-pstate
#include "knobs/cpufreq-policy.h"

#define ATTR "energy_performance_preference"
#define AVAILABLE "energy_performance_available_preferences"
#define RAW_MAX 255

/* intel_pstate.c: a raw value that is one of these reads as its name (5.10, 6.12). */
static const struct {
	const char *raw, *name;
} names[] = {
	{ "0", "performance" },
	{ "128", "balance_performance" },
	{ "192", "balance_power" },
	{ "255", "power" },
};

static const char *const raw_drivers[] = { "intel_pstate", "intel_cpufreq" };
/* Under the governor performance these refuse all but "performance": EBUSY (6.12). */
static const char *const strict_drivers[] = { "intel_pstate", "amd-pstate-epp" };
static const struct knob_need strict = { .key = "governor", .value = "performance" };

/* Whether a list with blanks between its words has one. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word), n;

	for (const char *w = list; *w; w += n) {
		w += strspn(w, " \t\n");
		n = strcspn(w, " \t\n");
		if (n && n == length && memcmp(w, word, n) == 0)
			return true;
	}
	return false;
}

/* An attribute of a policy as a word; "" if it cannot be read. */
static const char *policy_word(const struct sysroot *root, const char *policy,
			       const char *attr, char buf[static 64])
{
	char path[CPUFREQ_PATH_MAX];

	if (cpufreq_path(path, policy, attr) < 0 || sysroot_read(root, path, buf, 64) < 0)
		buf[0] = '\0';
	return buf;
}

/* Below, EBUSY is the driver's: a policy without a CPU online is -ENODEV. */
static int attr_path(const struct sysroot *root, const char *policy, const char *attr,
		     char *ret)
{
	int r = cpufreq_policy_online(root, policy);

	if (r == 0)
		r = cpufreq_path(ret, policy, attr);
	return r == -EBUSY ? -ENODEV : r;
}

int cpufreq_preference_get(struct system *sys, const struct setting *s,
			   const struct target *t, struct value *ret)
{
	char path[CPUFREQ_PATH_MAX], word[64];
	ssize_t n;
	int r = attr_path(&sys->root, t->path, ATTR, path);

	if (r < 0)
		return r;
	n = sysroot_read(&sys->root, path, word, sizeof(word));
	if (n < 0)
		return (int)n;
	*ret = value_word(word);
	return KNOB_READ;
}

int cpufreq_preference_set(struct system *sys, const struct setting *s,
			   const struct target *t, const struct value *v)
{
	char path[CPUFREQ_PATH_MAX];
	int r = attr_path(&sys->root, t->path, ATTR, path);

	return r < 0 ? r : sysroot_write(&sys->root, path, v->word);
}

/* A number in plain decimal, 0 to 255; it is written as it stands. */
static bool is_raw(const char *word)
{
	size_t n = strlen(word);

	return n && n <= 3 && word[strspn(word, "0123456789")] == '\0' &&
	       (n == 1 || word[0] != '0') && strtoul(word, NULL, 10) <= RAW_MAX;
}

/*
 * Whether a driver takes a word of the profile. "default" is in the kernel's list, but
 * reads back as what it stands for, so nobody could tell that it is in force.
 */
static bool is_taken(const char *have, const char *driver, const char *word)
{
	if (is_raw(word))
		return !*driver ||
		       names_have(raw_drivers, ARRAY_SIZE(raw_drivers), driver);
	return has_word(have, word) && !streq(word, "default");
}

/* The first choice of "a|b" that the driver takes; false if none. */
static bool choose(const char *choices, const char *have, const char *driver,
		   struct value *ret)
{
	for (const char *s = choices; *s;) {
		size_t n = strcspn(s, "|");
		struct value v = { .type = VALUE_WORD };

		snprintf(v.word, sizeof(v.word), "%.*s", (int)n, s);
		if (is_taken(have, driver, v.word)) {
			*ret = v;
			return true;
		}
		s += n + (s[n] == '|');
	}
	return false;
}

static void expect_raw(struct expectation *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (streq(ret->want.word, names[i].raw))
			ret->rounded = value_word(names[i].name);
}

int cpufreq_preference_expect(struct system *sys, const struct setting *s,
			      const struct target *t, const struct value *asked,
			      struct expectation *ret)
{
	/* amd-pstate shows this list cut to one under the governor performance (6.12) */
	const char *every = "performance balance_performance balance_power power";
	char path[CPUFREQ_PATH_MAX], have[256], driver[64], governor[64];
	bool is_strict;
	ssize_t n;
	int r;

	*ret = (struct expectation) { .want = *asked, .outcome = OUTCOME_OK };
	r = attr_path(&sys->root, t->path, AVAILABLE, path);
	if (r < 0)
		return cpufreq_expect_failed(s, r, ret);
	n = sysroot_read(&sys->root, path, have, sizeof(have));
	if (n < 0)
		return cpufreq_expect_failed(s, (int)n, ret);
	policy_word(&sys->root, t->path, "scaling_driver", driver);
	policy_word(&sys->root, t->path, "scaling_governor", governor);
	is_strict = names_have(strict_drivers, ARRAY_SIZE(strict_drivers), driver);
	if (choose(asked->word, is_strict && streq(governor, strict.value) ? every : have,
		   driver, &ret->want)) {
		expect_raw(ret);
		if (is_strict && !streq(ret->want.word, "performance") &&
		    !streq(ret->want.word, "0"))
			ret->unless = &strict;
		return 0;
	}
	if (streq(asked->word, "default")) {
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("\"default\" cannot be read back; name what it should be"));
		return -ERANGE;
	}
	ret->outcome = OUTCOME_UNSUPPORTED;
	ret->error = -EINVAL; /* what the kernel would say */
	snprintf(ret->note, sizeof(ret->note), _("this driver has: %.150s"), have);
	return 0;
}
