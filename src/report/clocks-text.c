// SPDX-License-Identifier: GPL-2.0-or-later
// clocks-text.c - the cpufreq policies for a screen of 80 columns
#include "base/text.h"
#include "report/clocks.h"
#include "report/table.h"

#define CELL 32

/* A line of its own, with what does not fit below; @text is consumed. */
static int print_line(FILE *f, char *text)
{
	if (!text)
		return -ENOMEM;
	text_wrap(f, text, 2, 4);
	free(text);
	return 0;
}

static unsigned mhz(uint32_t khz)
{
	return (khz + 500) / 1000;
}

static const char *mhz_text(uint32_t khz, char buf[static CELL])
{
	if (khz)
		snprintf(buf, CELL, "%u MHz", mhz(khz));
	else
		strcpy(buf, "-");
	return buf;
}

static int print_head(FILE *f, const struct clock *c)
{
	char cpus[CPUS_LIST_MAX], online[CPUS_LIST_MAX];
	_cleanup_free_ char *text = NULL;

	cpus_format_list(&c->cpus, cpus, sizeof(cpus));
	if (c->offline)
		text = str_format(_("policy%u: all its CPUs are offline"), c->number);
	else if (cpus_equal(&c->cpus, &c->online))
		text = str_format(_("policy%u: CPUs %s, driver %s"), c->number, cpus,
				  *c->driver ? c->driver : "?");
	else
		text = str_format(_("policy%u: CPUs %s, of which %s are online, driver "
				    "%s"),
				  c->number, cpus,
				  cpus_format_list(&c->online, online, sizeof(online)),
				  *c->driver ? c->driver : "?");
	if (!text)
		return -ENOMEM;
	text_wrap(f, text, 0, 2);
	return 0;
}

static int print_points(FILE *f, const char *label, const struct clock_points *points)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *line;

	if (!points->n)
		return 0;
	line = open_memstream(&text, &size);
	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < points->n; i++)
		fprintf(line, " %u", mhz(points->khz[i]));
	if (fclose(line) == EOF)
		return -ENOMEM;
	return print_line(f, str_format("%s:%s MHz", label, text));
}

static const char *boost_text(const struct clock *c)
{
	switch (c->boost) {
	case CLOCK_SWITCH_NONE:
		return _("not there");
	case CLOCK_SWITCH_OFF:
		return _("off");
	case CLOCK_SWITCH_ON:
		return _("on");
	}
	return "";
}

static int print_facts(FILE *f, const struct clock *c)
{
	char a[CELL], b[CELL], d[CELL], e[CELL], latency[CELL] = "-";
	int r;

	if (c->latency_ns >= 0)
		snprintf(latency, sizeof(latency), "%.0f us",
			 (double)c->latency_ns / 1000);
	r = print_line(f, str_format(_("Governor: %s; there are: %s"),
				     *c->governor ? c->governor : "-",
				     *c->governors ? c->governors : "-"));
	if (r == 0)
		r = print_line(f, str_format(_("Limits: %s to %s%s; of the hardware: %s "
					       "to %s"),
					     mhz_text(c->min_khz, a),
					     mhz_text(c->max_khz, b),
					     c->held ? _(" (held by cooling)") : "",
					     mhz_text(c->hw_min_khz, d),
					     mhz_text(c->hw_max_khz, e)));
	if (r == 0)
		r = print_points(f, _("Operating points"), &c->points);
	if (r == 0)
		r = print_points(f, _("With boost"), &c->boost_points);
	if (r == 0)
		r = print_line(f, str_format(_("Now: %s by the hardware, %s by the "
					       "kernel"),
					     mhz_text(c->hw_khz, a),
					     mhz_text(c->kernel_khz, b)));
	return r < 0 ? r
		     : print_line(f, str_format(_("Boost: %s; a transition takes: %s"),
						boost_text(c), latency));
}

static const char *share_text(double share, char buf[static CELL])
{
	if (share < 0)
		strcpy(buf, "-");
	else
		snprintf(buf, CELL, "%.1f %%", 100 * share);
	return buf;
}

static const char *count_text(int64_t count, char buf[static CELL])
{
	if (count < 0)
		strcpy(buf, "-");
	else
		snprintf(buf, CELL, "%lld", (long long)count);
	return buf;
}

/* Every clock with its share of the time, and how often the policy changed it. */
static int print_times(FILE *f, const struct clock *c)
{
	struct table t = { .columns = c->last_times.n ? 3 : 2, .right = 7 };
	char last[CELL], a[CELL], b[CELL], name[CELL];
	int r;

	if (!c->times.n)
		return 0;
	snprintf(last, sizeof(last), _("LAST %.0f s"), clock_seconds(&c->last_times));
	table_add(&t, (const char *[]) { _("  CLOCK"), _("SINCE BOOT"), last });
	for (unsigned i = 0; i < c->times.n; i++) {
		uint32_t khz = c->times.states[i].khz;

		snprintf(name, sizeof(name), "  %u MHz", mhz(khz));
		table_add(&t, (const char *[]) {
				      name, share_text(clock_share(&c->times, khz), a),
				      share_text(clock_share(&c->last_times, khz), b) });
	}
	table_add(&t, (const char *[]) { _("  changes"), count_text(c->transitions, a),
					 count_text(c->last_transitions, b) });
	r = table_print(&t, f);
	table_clear(&t);
	return r;
}

int clocks_text(const struct clock *clocks, size_t n, char **ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int r = 0;

	if (!f)
		return -ENOMEM;
	if (!n)
		fputs(_("This kernel has no cpufreq policy.\n"), f);
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (i)
			fputc('\n', f);
		r = print_head(f, &clocks[i]);
		if (r == 0 && !clocks[i].offline)
			r = print_facts(f, &clocks[i]);
		if (r == 0)
			r = print_times(f, &clocks[i]);
	}
	if (fclose(f) == EOF && r == 0)
		r = -ENOMEM;
	if (r == 0)
		*ret = TAKE_PTR(text);
	return r;
}
