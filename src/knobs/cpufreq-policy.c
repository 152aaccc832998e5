// SPDX-License-Identifier: GPL-2.0-or-later
// cpufreq-policy.c - which cpufreq policies there are and which of them a label names
#include "knobs/cpufreq-policy.h"

#define CPU_DIR "/sys/devices/system/cpu"
/* Of a policy that cannot be told to be big or little: all its CPUs are offline. */
#define CLASS_UNKNOWN UINT32_MAX

struct policy {
	unsigned number;
	uint32_t capacity; /* of its first CPU, scheduler units; CLASS_UNKNOWN */
	uint32_t max_khz;  /* CLASS_UNKNOWN if it cannot be read */
};

struct policy_list {
	struct policy *items;
	size_t n;
};

static void policy_list_clear(struct policy_list *list)
{
	free(list->items);
}

int cpufreq_policy_number(const char *path, unsigned *ret)
{
	const char *slash = strrchr(path, '/');
	const char *digits = str_after(slash ? slash + 1 : path, "policy");
	size_t n;

	n = digits ? strspn(digits, "0123456789") : 0;
	if (n == 0 || n > 6 || digits[n] || (n > 1 && digits[0] == '0'))
		return -EINVAL;
	*ret = (unsigned)strtoul(digits, NULL, 10);
	return 0;
}

int cpufreq_path(char *buf, const char *dir, const char *attr)
{
	int n = snprintf(buf, CPUFREQ_PATH_MAX, "%s/%s", dir, attr);

	return n < 0 || n >= CPUFREQ_PATH_MAX ? -ENAMETOOLONG : 0;
}

int cpufreq_policy_online(const struct sysroot *root, const char *path)
{
	char file[CPUFREQ_PATH_MAX], text[16];
	ssize_t n;
	int r;

	r = cpufreq_path(file, path, "affected_cpus");
	if (r < 0)
		return r;
	n = sysroot_read(root, file, text, sizeof(text));
	if (n == -EFBIG)
		return 0; /* more CPUs than fit */
	if (n == -ENOENT)
		return sysroot_exists(root, path) ? 0 : -ENODEV;
	if (n < 0)
		return (int)n;
	return *str_chomp(text) ? 0 : -EBUSY;
}

int cpufreq_read_khz(const struct sysroot *root, const char *dir, const char *attr,
		     uint32_t *ret)
{
	char file[CPUFREQ_PATH_MAX];
	unsigned long khz;
	int r;

	r = cpufreq_path(file, dir, attr);
	if (r == 0)
		r = sysroot_read_ulong(root, file, &khz);
	if (r < 0)
		return r;
	if (khz > INT32_MAX)
		return -ERANGE;
	*ret = (uint32_t)khz;
	return 0;
}

int cpufreq_related_cpus(const struct sysroot *root, const char *path, struct cpus *ret)
{
	char file[CPUFREQ_PATH_MAX], text[CPUS_LIST_MAX];
	ssize_t n;
	int r;

	r = cpufreq_path(file, path, "related_cpus");
	if (r < 0)
		return r;
	n = sysroot_read(root, file, text, sizeof(text));
	if (n < 0)
		return (int)n;
	str_chomp(text);
	for (char *s = text; (s = strchr(s, ' ')); s++)
		*s = ',';
	return cpus_parse_list(text, ret);
}

bool cpufreq_boost_on(const struct sysroot *root, const char *path)
{
	/* a policy's own switch (6.12) can be on only while the global one is */
	const char *const dirs[] = { path, CPUFREQ_DIR };
	char file[CPUFREQ_PATH_MAX];
	unsigned long on;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (cpufreq_path(file, dirs[i], "boost") == 0 &&
		    sysroot_read_ulong(root, file, &on) == 0)
			return on == 1;
	return false;
}

int cpufreq_expect_failed(const struct setting *s, int error, struct expectation *ret)
{
	ret->outcome = outcome_from_errno(s, error);
	ret->error = error;
	if (error == -EBUSY)
		snprintf(ret->note, sizeof(ret->note), "%s",
			 _("all CPUs of this policy are offline"));
	return 0;
}

static void policy_read(const struct sysroot *root, unsigned number, struct policy *ret)
{
	struct policy p = { number, CLASS_UNKNOWN, CLASS_UNKNOWN };
	char path[CPUFREQ_PATH_MAX];
	unsigned long capacity;

	/* a policy bears the number of its first CPU, offline ones counted */
	snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpu_capacity", number);
	if (sysroot_read_ulong(root, path, &capacity) == 0 && capacity < CLASS_UNKNOWN)
		p.capacity = (uint32_t)capacity;
	snprintf(path, sizeof(path), CPUFREQ_DIR "/policy%u", number);
	(void)cpufreq_read_khz(root, path, "cpuinfo_max_freq", &p.max_khz);
	*ret = p;
}

static int policies_read(const struct sysroot *root, struct policy_list *list)
{
	_cleanup_list_ char **names = NULL;
	unsigned number;
	ssize_t n;
	int r;

	n = sysroot_list(root, CPUFREQ_DIR, &names);
	if (n < 0)
		return n == -ENOENT ? 0 : (int)n; /* a kernel or board without cpufreq */
	for (ssize_t i = 0; i < n; i++) {
		if (cpufreq_policy_number(names[i], &number) < 0)
			continue;
		r = array_grow(&list->items, list->n, sizeof(*list->items));
		if (r < 0)
			return r;
		policy_read(root, number, &list->items[list->n++]);
	}
	return 0;
}

static uint32_t policy_class(const struct policy *p, bool by_capacity)
{
	return by_capacity ? p->capacity : p->max_khz;
}

/*
 * The lowest class, by capacity if every policy that tells anything tells it, else by
 * the highest clock. CLASS_UNKNOWN: there is only one class.
 */
static uint32_t policies_little(const struct policy_list *list, bool *ret_by_capacity)
{
	uint32_t low = CLASS_UNKNOWN, high = 0;
	bool by_capacity = true;

	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].capacity == CLASS_UNKNOWN &&
		    list->items[i].max_khz != CLASS_UNKNOWN)
			by_capacity = false;
	for (size_t i = 0; i < list->n; i++) {
		uint32_t class = policy_class(&list->items[i], by_capacity);

		if (class == CLASS_UNKNOWN)
			continue;
		low = class < low ? class : low;
		high = class > high ? class : high;
	}
	*ret_by_capacity = by_capacity;
	return low < high ? low : CLASS_UNKNOWN;
}

static bool policy_matches(const struct policy *p, const char *label, uint32_t little,
			   bool by_capacity)
{
	uint32_t class = policy_class(p, by_capacity);
	unsigned number;

	if (!*label)
		return true;
	if (cpufreq_policy_number(label, &number) == 0)
		return p->number == number;
	if (little == CLASS_UNKNOWN || class == CLASS_UNKNOWN)
		return false;
	return (streq(label, "little") && class == little) ||
	       (streq(label, "big") && class != little);
}

int cpufreq_policy_each(struct system *sys, const struct setting *s,
			const struct selector *sel, struct target_list *list)
{
	_cleanup_(policy_list_clear) struct policy_list policies = { 0 };
	char name[32], path[CPUFREQ_PATH_MAX];
	bool by_capacity;
	uint32_t little;
	int r;

	r = policies_read(&sys->root, &policies);
	if (r < 0)
		return r;
	little = policies_little(&policies, &by_capacity);
	for (size_t i = 0; i < policies.n; i++) {
		const struct policy *p = &policies.items[i];

		if (!policy_matches(p, sel->label, little, by_capacity))
			continue;
		snprintf(name, sizeof(name), "policy%u", p->number);
		snprintf(path, sizeof(path), CPUFREQ_DIR "/%s", name);
		r = target_add(list, name, path, p->number, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Which policies there are instead: "policy0, policy4". */
int cpufreq_absent(struct system *sys, const struct setting *s,
		   const struct selector *sel, char *note)
{
	const struct selector every = { .label = "" };
	struct target_list list = { 0 };
	char names[KNOB_NOTE_MAX / 2] = "";
	size_t used = 0;
	int r = cpufreq_policy_each(sys, s, &every, &list);

	for (size_t i = 0; i < list.n && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 i ? ", " : "", list.targets[i].name);
	if (list.n == 0)
		snprintf(note, KNOB_NOTE_MAX, "%s",
			 _("no such cpufreq policy here: this kernel or board has none, "
			   "or its driver is not loaded yet"));
	else if (str_after(sel->label, "policy"))
		snprintf(note, KNOB_NOTE_MAX, _("this board has %s only"), names);
	else
		snprintf(note, KNOB_NOTE_MAX,
			 _("neither big nor little here: the policies are all alike "
			   "(%s)"),
			 names);
	target_list_clear(&list);
	return r;
}
