// SPDX-License-Identifier: GPL-2.0-or-later
// cpufreq.c - governor, its tunables, and boost
#include "knobs/cpufreq.h"

#include <inttypes.h>
#include <strings.h>

#include "knobs/cpufreq-policy.h"


/* Mainline's six, then those that vendor kernels have been seen with. */
static const char *const governors[] = {
	"performance", "powersave",   "userspace", "ondemand", "conservative",
	"schedutil",   "interactive", "walt",	   "fantasy",
};

/* Drivers that implement setpolicy: they know two governors and load no module. */
static const char *const setpolicy_drivers[] = { "intel_pstate", "amd-pstate-epp" };

static const char *const module_lists[] = { "modules.dep", "modules.builtin" };

bool cpufreq_governor_known(const char *name)
{
	return names_have(governors, ARRAY_SIZE(governors), name);
}

const char *cpufreq_governor_nearest(const char *name)
{
	return names_nearest(governors, ARRAY_SIZE(governors), name);
}

int cpufreq_governor_get(struct system *sys, const struct setting *s,
			 const struct target *t, struct value *ret)
{
	char path[CPUFREQ_PATH_MAX], word[VALUE_WORD_MAX];
	ssize_t n;
	int r;

	r = cpufreq_policy_online(&sys->root, t->path);
	if (r == 0)
		r = cpufreq_path(path, t->path, "scaling_governor");
	if (r < 0)
		return r;
	n = sysroot_read(&sys->root, path, word, sizeof(word));
	if (n < 0)
		return (int)n;
	*ret = value_word(str_chomp(word));
	return KNOB_READ;
}

int cpufreq_governor_set(struct system *sys, const struct setting *s,
			 const struct target *t, const struct value *v)
{
	char path[CPUFREQ_PATH_MAX];
	int r;

	r = cpufreq_policy_online(&sys->root, t->path);
	if (r == 0)
		r = cpufreq_path(path, t->path, "scaling_governor");
	return r < 0 ? r : sysroot_write(&sys->root, path, v->word);
}

/*
 * Find a word in a list of words, in any case as the kernel compares it. The list is
 * the kernel's: its spelling goes to @ret.
 */
static bool list_find(const char *list, const char *word, char *ret, size_t size)
{
	size_t length = strlen(word), n;

	for (const char *w = list; *w; w += n) {
		w += strspn(w, " \t\n");
		n = strcspn(w, " \t\n");
		if (n != length || n >= size || strncasecmp(w, word, n) != 0)
			continue;
		memcpy(ret, w, n);
		ret[n] = '\0';
		return true;
	}
	return false;
}

/*
 * Whether the kernel would find a module for a governor: it asks for cpufreq_NAME when
 * the name is unknown (4.x to 6.12). Compressed modules are NAME.ko.xz and the like.
 */
static bool governor_loadable(const struct sysroot *root, const char *governor)
{
	char path[CPUFREQ_PATH_MAX], release[96], needle[VALUE_WORD_MAX + 32];

	if (sysroot_read(root, "/proc/sys/kernel/osrelease", release, sizeof(release)) <=
	    0)
		return false;
	snprintf(needle, sizeof(needle), "/cpufreq_%s.ko", governor);
	for (size_t i = 0; i < ARRAY_SIZE(module_lists); i++) {
		_cleanup_free_ char *text = NULL;

		snprintf(path, sizeof(path), "/lib/modules/%s/%s", str_chomp(release),
			 module_lists[i]);
		if (sysroot_read_all(root, path, &text) > 0 && strstr(text, needle))
			return true;
	}
	return false;
}

static bool policy_loads_governors(const struct sysroot *root, const char *policy)
{
	char path[CPUFREQ_PATH_MAX], driver[64];

	if (cpufreq_path(path, policy, "scaling_driver") < 0 ||
	    sysroot_read(root, path, driver, sizeof(driver)) < 0)
		return true;
	str_chomp(driver);
	for (size_t i = 0; i < ARRAY_SIZE(setpolicy_drivers); i++)
		if (streq(driver, setpolicy_drivers[i]))
			return false;
	return true;
}

/* The next word of "a|b", NULL at the end. */
static const char *next_choice(const char **list, char word[static VALUE_WORD_MAX])
{
	const char *s = *list;
	size_t n = strcspn(s, "|");

	if (!*s)
		return NULL;
	*list = s + n + (s[n] == '|');
	snprintf(word, VALUE_WORD_MAX, "%.*s", (int)n, s);
	return word;
}

int cpufreq_governor_expect(struct system *sys, const struct setting *s,
			    const struct target *t, const struct value *asked,
			    struct expectation *ret)
{
	char path[CPUFREQ_PATH_MAX], word[VALUE_WORD_MAX], have[CPUFREQ_TEXT_MAX];
	const char *list = asked->word;
	char governor[VALUE_WORD_MAX];
	ssize_t n;
	int r;

	*ret = (struct expectation) { .outcome = OUTCOME_OK };
	ret->want = value_word(next_choice(&list, word) ? word : "");
	r = cpufreq_policy_online(&sys->root, t->path);
	if (r == 0)
		r = cpufreq_path(path, t->path, "scaling_available_governors");
	if (r < 0)
		return cpufreq_expect_failed(s, r, ret);
	n = sysroot_read(&sys->root, path, have, sizeof(have));
	if (n < 0)
		return cpufreq_expect_failed(s, (int)n, ret);
	for (list = asked->word; next_choice(&list, word);)
		if (list_find(have, word, governor, sizeof(governor))) {
			ret->want = value_word(governor);
			return 0;
		}
	list = policy_loads_governors(&sys->root, t->path) ? asked->word : "";
	while (next_choice(&list, word))
		if (governor_loadable(&sys->root, word)) {
			ret->want = value_word(word);
			snprintf(ret->note, sizeof(ret->note),
				 _("the kernel loads the module cpufreq_%.100s"), word);
			return 0;
		}
	ret->outcome = OUTCOME_UNSUPPORTED;
	ret->error = -EINVAL; /* what the kernel would say */
	snprintf(ret->note, sizeof(ret->note), _("this kernel has: %.150s"),
		 str_chomp(have));
	return 0;
}

/* Of "ondemand/up_threshold". Returns 0 or -EINVAL for a row of the table that is not. */
static int tunable_split(const char *attr, char governor[static 32],
			 const char **ret_file)
{
	const char *slash = strchr(attr, '/');

	if (!slash || slash == attr || slash - attr >= 32 || !slash[1])
		return -EINVAL;
	memcpy(governor, attr, (size_t)(slash - attr));
	governor[slash - attr] = '\0';
	*ret_file = slash + 1;
	return 0;
}

/*
 * Where a governor's tunables are now: below the policy with drivers that set
 * CPUFREQ_HAVE_GOVERNOR_PER_POLICY, else global; both vanish with the governor's last
 * user. Returns 0, -ENOENT, -ENAMETOOLONG.
 */
static int tunable_dir(const struct sysroot *root, const char *policy,
		       const char *governor, char *buf)
{
	const char *const dirs[] = { policy, CPUFREQ_DIR };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		int r = cpufreq_path(buf, dirs[i], governor);

		if (r < 0)
			return r;
		if (sysroot_exists(root, buf))
			return 0;
	}
	return -ENOENT;
}

/* Where it will be once the governor is in force: beside those of the one that is. */
static int tunable_dir_later(const struct sysroot *root, const char *policy,
			     const char *governor, char *buf)
{
	char path[CPUFREQ_PATH_MAX], now[32];
	int r;

	r = cpufreq_path(path, policy, "scaling_governor");
	if (r < 0 || sysroot_read(root, path, now, sizeof(now)) < 0)
		return -ENOENT;
	r = cpufreq_path(path, CPUFREQ_DIR, now);
	if (r < 0 || !sysroot_exists(root, path))
		return -ENOENT; /* per policy, or not known */
	return cpufreq_path(buf, CPUFREQ_DIR, governor);
}

int cpufreq_tunable_each(struct system *sys, const struct setting *s,
			 const struct selector *sel, struct target_list *list)
{
	char governor[32], dir[CPUFREQ_PATH_MAX];
	size_t first = list->n;
	const char *file;
	int r;

	r = tunable_split(s->attr, governor, &file);
	if (r == 0)
		r = cpufreq_policy_each(sys, s, sel, list);
	if (r < 0)
		return r;
	for (size_t i = first; i < list->n; i++) {
		struct target *t = &list->targets[i];
		char *path;

		r = tunable_dir(&sys->root, t->path, governor, dir);
		if (r == -ENOENT)
			r = tunable_dir_later(&sys->root, t->path, governor, dir);
		if (r == -ENOENT)
			continue;
		path = r < 0 ? NULL : strdup(dir);
		if (!path)
			return r < 0 ? r : -ENOMEM;
		free(t->path);
		t->path = path;
	}
	return 0;
}

/* The file of a tunable as it is now: a change of governor may have moved or made it. */
static int tunable_path(struct system *sys, const struct setting *s,
			const struct target *t, char *buf)
{
	char policy[CPUFREQ_PATH_MAX], dir[CPUFREQ_PATH_MAX], governor[32];
	const char *file;
	int r;

	r = tunable_split(s->attr, governor, &file);
	if (r == 0)
		r = cpufreq_path(policy, CPUFREQ_DIR, t->name);
	if (r == 0)
		r = cpufreq_policy_online(&sys->root, policy);
	if (r == 0)
		r = tunable_dir(&sys->root, policy, governor, dir);
	return r < 0 ? r : cpufreq_path(buf, dir, file);
}

int cpufreq_tunable_get(struct system *sys, const struct setting *s,
			const struct target *t, struct value *ret)
{
	char path[CPUFREQ_PATH_MAX];
	unsigned long number;
	int r;

	r = tunable_path(sys, s, t, path);
	if (r == 0)
		r = sysroot_read_ulong(&sys->root, path, &number);
	if (r < 0)
		return r;
	*ret = s->type == VALUE_FLAG ? value_flag(number != 0) : value_number(number);
	return KNOB_READ;
}

int cpufreq_tunable_set(struct system *sys, const struct setting *s,
			const struct target *t, const struct value *v)
{
	char path[CPUFREQ_PATH_MAX], text[32];
	uint64_t number = v->type == VALUE_FLAG ? v->flag : v->number;
	int r;

	r = tunable_path(sys, s, t, path);
	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "%" PRIu64, number);
	return sysroot_write(&sys->root, path, text);
}

int cpufreq_boost_each(struct system *sys, const struct setting *s,
		       const struct selector *sel, struct target_list *list)
{
	struct target_list policies = { 0 };
	char path[CPUFREQ_PATH_MAX];
	size_t n = 0;
	int r;

	r = cpufreq_policy_each(sys, s, sel, &policies);
	for (size_t i = 0; r == 0 && i < policies.n; i++) {
		const struct target *t = &policies.targets[i];

		r = cpufreq_path(path, t->path, "boost");
		if (r < 0 || !sysroot_exists(&sys->root, path))
			continue;
		/* the one switch for all, unless single policies are meant and can be */
		if (!*sel->label && sysroot_exists(&sys->root, CPUFREQ_DIR "/boost"))
			continue;
		r = target_add(list, t->name, t->path, t->order, 0);
		n++;
	}
	/* without any switch the global one is what this kernel does not have */
	if (r == 0 && n == 0 && policies.n > 0)
		r = target_add(list, "cpufreq", CPUFREQ_DIR, 0, 0);
	target_list_clear(&policies);
	return r;
}

int cpufreq_boost_get(struct system *sys, const struct setting *s, const struct target *t,
		      struct value *ret)
{
	char path[CPUFREQ_PATH_MAX];
	unsigned long on;
	int r;

	r = cpufreq_path(path, t->path, "boost");
	if (r == 0)
		r = sysroot_read_ulong(&sys->root, path, &on);
	if (r < 0)
		return r;
	if (on > 1)
		return -EBADMSG;
	*ret = value_flag(on == 1);
	return KNOB_READ;
}

int cpufreq_boost_set(struct system *sys, const struct setting *s, const struct target *t,
		      const struct value *v)
{
	char path[CPUFREQ_PATH_MAX];
	int r;

	r = cpufreq_path(path, t->path, "boost");
	return r < 0 ? r : sysroot_write(&sys->root, path, v->flag ? "1" : "0");
}
