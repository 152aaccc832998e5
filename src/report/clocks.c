// SPDX-License-Identifier: GPL-2.0-or-later
// clocks.c - the cpufreq policies as they are now
#include "report/clocks.h"

#include "knobs/cpufreq-policy.h"

/* CPUFREQ_ETERNAL: the driver does not know (cpufreq.h, 6.12). */
#define LATENCY_UNKNOWN UINT32_MAX

uint32_t clock_now(const struct clock *c)
{
	return c->hw_khz ? c->hw_khz : c->kernel_khz;
}

double clock_seconds(const struct sample_clocks *times)
{
	uint64_t ticks = 0;

	for (unsigned i = 0; i < times->n; i++)
		ticks += times->states[i].ticks;
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

double clock_share(const struct sample_clocks *times, uint32_t khz)
{
	uint64_t all = 0, there = 0;

	for (unsigned i = 0; i < times->n; i++) {
		all += times->states[i].ticks;
		there += times->states[i].khz == khz ? times->states[i].ticks : 0;
	}
	return all ? (double)there / (double)all : -1;
}

bool clock_points_have(const struct clock_points *points, uint32_t khz)
{
	for (size_t i = 0; i < points->n; i++)
		if (points->khz[i] == khz)
			return true;
	return false;
}

static void read_text(const struct sysroot *root, const char *dir, const char *attr,
		      char *buf, size_t size)
{
	char path[CPUFREQ_PATH_MAX];

	if (cpufreq_path(path, dir, attr) < 0 || sysroot_read(root, path, buf, size) < 0)
		buf[0] = '\0';
	str_chomp(buf);
}

static uint32_t khz_of(const struct sysroot *root, const char *dir, const char *attr)
{
	uint32_t khz;

	return cpufreq_read_khz(root, dir, attr, &khz) == 0 ? khz : 0;
}

static int64_t number_of(const struct sysroot *root, const char *dir, const char *attr)
{
	char text[32], *end;
	unsigned long long number;

	read_text(root, dir, attr, text, sizeof(text));
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || number > INT64_MAX)
		return -1;
	return (int64_t)number;
}

static void read_points(const struct sysroot *root, const char *dir, const char *attr,
			struct clock_points *ret)
{
	char text[CPUFREQ_TEXT_MAX], *s = text, *end;

	read_text(root, dir, attr, text, sizeof(text));
	for (; ret->n < SAMPLE_STATES_MAX; s = end) {
		unsigned long khz = strtoul(s, &end, 10);

		if (end == s || khz == 0 || khz > UINT32_MAX)
			return;
		ret->khz[ret->n++] = (uint32_t)khz;
	}
}

/* "kHz ticks" lines of stats/time_in_state (cpufreq_stats.c). */
static void read_times(const struct sysroot *root, const char *dir,
		       struct sample_clocks *ret)
{
	char text[CPUFREQ_TEXT_MAX];
	unsigned long long ticks;
	unsigned long khz;
	int n;

	read_text(root, dir, "stats/time_in_state", text, sizeof(text));
	for (char *s = text; ret->n < SAMPLE_STATES_MAX &&
			     sscanf(s, "%lu %llu%n", &khz, &ticks, &n) == 2; s += n) {
		ret->states[ret->n].khz = (uint32_t)khz;
		ret->states[ret->n++].ticks = ticks;
	}
}

static enum clock_switch read_boost(const struct sysroot *root, const char *dir)
{
	int64_t on = number_of(root, dir, "boost");

	if (on < 0)
		on = number_of(root, CPUFREQ_DIR, "boost");
	return on < 0 ? CLOCK_SWITCH_NONE : on ? CLOCK_SWITCH_ON : CLOCK_SWITCH_OFF;
}

static void read_limits(const struct sysroot *root, const char *dir, struct clock *c)
{
	/* As sampler_open(): the last one asked for may not be the one that runs. */
	c->hw_khz = khz_of(root, dir, "cpuinfo_cur_freq");
	c->kernel_khz = khz_of(root, dir, "scaling_cur_freq");
	c->set_khz = khz_of(root, dir, "scaling_setspeed");
	c->min_khz = khz_of(root, dir, "scaling_min_freq");
	c->max_khz = khz_of(root, dir, "scaling_max_freq");
	c->hw_min_khz = khz_of(root, dir, "cpuinfo_min_freq");
	c->hw_max_khz = khz_of(root, dir, "cpuinfo_max_freq");
	read_points(root, dir, "scaling_available_frequencies", &c->points);
	read_points(root, dir, "scaling_boost_frequencies", &c->boost_points);
}

static void read_clock(struct system *sys, const char *dir, struct clock *c)
{
	const struct sysroot *root = &sys->root;
	char list[CPUFREQ_TEXT_MAX];

	(void)cpufreq_related_cpus(root, dir, &c->cpus);
	c->offline = cpufreq_policy_online(root, dir) == -EBUSY;
	c->latency_ns = c->transitions = c->last_transitions = -1;
	if (c->offline)
		return;
	read_text(root, dir, "affected_cpus", list, sizeof(list));
	for (char *s = list; *s; s++)
		*s = *s == ' ' ? ',' : *s;
	(void)cpus_parse_list(list, &c->online);
	read_text(root, dir, "scaling_driver", c->driver, sizeof(c->driver));
	read_text(root, dir, "scaling_governor", c->governor, sizeof(c->governor));
	read_text(root, dir, "scaling_available_governors", c->governors,
		  sizeof(c->governors));
	read_limits(root, dir, c);
	c->boost = read_boost(root, dir);
	c->latency_ns = number_of(root, dir, "cpuinfo_transition_latency");
	if (c->latency_ns >= LATENCY_UNKNOWN)
		c->latency_ns = -1;
	c->held = cpufreq_held(sys, dir);
	read_times(root, dir, &c->times);
	c->transitions = number_of(root, dir, "stats/total_trans");
}

int clocks_read(struct system *sys, struct clock **ret, size_t *ret_n)
{
	_cleanup_list_ char **names = NULL;
	_cleanup_free_ struct clock *clocks = NULL;
	size_t n = 0;

	if (sysroot_list(&sys->root, CPUFREQ_DIR, &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; name && *name; name++) {
		char dir[CPUFREQ_PATH_MAX];
		unsigned number;

		if (cpufreq_policy_number(*name, &number) < 0 ||
		    cpufreq_path(dir, CPUFREQ_DIR, *name) < 0)
			continue;
		if (array_grow(&clocks, n, sizeof(*clocks)) < 0)
			return -ENOMEM;
		clocks[n] = (struct clock){ .number = number };
		read_clock(sys, dir, &clocks[n++]);
	}
	*ret = TAKE_PTR(clocks);
	*ret_n = n;
	return 0;
}
