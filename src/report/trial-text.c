// SPDX-License-Identifier: GPL-2.0-or-later
// trial-text.c - the result of a trial as a table for a screen of 80 columns
#include <limits.h>
#include <math.h>

#include "base/text.h"
#include "report/run-view.h"
#include "report/trial-text.h"

/* Where columns begin or, for figures, end. */
enum {
	COLUMN_BEFORE = 26,
	COLUMN_AFTER = 37,
	COLUMN_RATIO = 45,
	COLUMN_INTERVAL = 48,
	COLUMN_VERDICT = 65,
};

/* A line under construction. */
struct line {
	FILE *f;
	int column;
};

static void line_put(struct line *l, const char *text)
{
	fputs(text, l->f);
	l->column += text_width(text);
}

/* Go on at a column, at least one blank further. */
static void line_left(struct line *l, int column, const char *text)
{
	do
		line_put(l, " ");
	while (l->column < column);
	line_put(l, text);
}

static void line_right(struct line *l, int column, const char *text)
{
	line_left(l, column - text_width(text), text);
}

static void line_end(struct line *l)
{
	fputc('\n', l->f);
	l->column = 0;
}

static void line_figure(struct line *l, int column, const char *format, double x)
{
	char text[32] = "-";

	if (isfinite(x))
		/* every format below is a literal with one double */
		snprintf(text, sizeof(text), format, x);
	line_right(l, column, text);
}

static void print_sides(struct line *l, const char *what)
{
	line_put(l, "  ");
	line_put(l, what);
	line_right(l, COLUMN_BEFORE, _("before"));
	line_right(l, COLUMN_AFTER, _("after"));
}

static void print_head(struct line *l, const char *what)
{
	print_sides(l, what);
	line_right(l, COLUMN_RATIO, _("ratio"));
	/* xgettext:no-c-format */
	line_left(l, COLUMN_INTERVAL, _("95 % interval"));
}

static void print_figures(struct line *l, const char *name, const char *format,
			  const double x[TRIAL_SIDES_], const struct stats_interval *i)
{
	char interval[RUN_VIEW_CELL];

	line_put(l, "  ");
	line_put(l, name);
	line_figure(l, COLUMN_BEFORE, format, x[TRIAL_BEFORE]);
	line_figure(l, COLUMN_AFTER, format, x[TRIAL_AFTER]);
	line_figure(l, COLUMN_RATIO, "%.3f", i->ratio);
	line_left(l, COLUMN_INTERVAL, run_view_interval(interval, i));
}

static void print_pair(struct line *l, const char *name, const char *format,
		       double before, double after, const char *note)
{
	line_put(l, "  ");
	line_put(l, name);
	line_figure(l, COLUMN_BEFORE, format, before);
	line_figure(l, COLUMN_AFTER, format, after);
	if (*note)
		line_left(l, COLUMN_AFTER + 2, note);
	line_end(l);
}

/* The p95 of round-trip times; NAN for none. */
static double idle_p95(const struct run_idle *idle)
{
	_cleanup_free_ double *sorted = calloc(idle->n + 1, sizeof(*sorted));

	if (!sorted || !idle->n)
		return NAN;
	memcpy(sorted, idle->rtt_ms, idle->n * sizeof(*sorted));
	stats_sort(sorted, idle->n);
	return stats_quantile(sorted, idle->n, 0.95);
}

static void print_latency(struct line *l, const struct run *run)
{
	const struct stats_interval unknown = { NAN, NAN, NAN, NAN };
	const double idle[TRIAL_SIDES_] = { idle_p95(&run->idle[TRIAL_BEFORE]),
					    idle_p95(&run->idle[TRIAL_AFTER]) };
	const struct judgement *j = run->judgement;
	size_t answers = 0;

	for (size_t i = 0; i < j->n_cells; i++)
		answers += j->cells[i].latency[TRIAL_BEFORE].n +
			   j->cells[i].latency[TRIAL_AFTER].n;
	if (!answers)
		return;
	/* TRANSLATORS: the time that 95 % of the answers take at most */
	print_head(l, _("latency ms (p95)"));
	line_end(l);
	print_figures(l, _("without load"), "%.2f", idle, &unknown);
	line_end(l);
	for (size_t i = 0; i < j->n_cells; i++) {
		const struct judge_cell *c = &j->cells[i];
		const double p95[TRIAL_SIDES_] = { c->latency[TRIAL_BEFORE].p95,
						   c->latency[TRIAL_AFTER].p95 };

		print_figures(l, _(c->cell->label), "%.2f", p95, &c->latency_p95);
		line_end(l);
	}
	line_end(l);
}

/* What got lost on the way; nothing where nothing did. */
static void print_losses(struct line *l, const struct judgement *j)
{
	bool any = false;

	for (size_t i = 0; i < j->n_cells; i++) {
		const struct judge_cell *c = &j->cells[i];
		const double *again = c->retransmits_per_gb;
		char name[96];

		if (!(again[TRIAL_BEFORE] > 0) && !(again[TRIAL_AFTER] > 0) &&
		    !c->dropped[TRIAL_BEFORE] && !c->dropped[TRIAL_AFTER])
			continue;
		if (!any)
			print_sides(l, _("retransmits per GB"));
		if (!any)
			line_end(l);
		any = true;
		print_pair(l, _(c->cell->label), "%.1f", again[TRIAL_BEFORE],
			   again[TRIAL_AFTER], "");
		if (!c->dropped[TRIAL_BEFORE] && !c->dropped[TRIAL_AFTER])
			continue;
		/* TRANSLATORS: IPv4 tx, dropped packets */
		snprintf(name, sizeof(name), _("%s, dropped"), _(c->cell->label));
		print_pair(l, name, "%.0f", c->dropped[TRIAL_BEFORE],
			   c->dropped[TRIAL_AFTER], _("packets in all"));
	}
	if (any)
		line_end(l);
}

static void print_cells(struct line *l, const struct judgement *j)
{
	print_head(l, _("Mbit/s"));
	line_left(l, COLUMN_VERDICT, _("verdict"));
	line_end(l);
	for (size_t i = 0; i < j->n_cells; i++) {
		const struct judge_cell *c = &j->cells[i];

		print_figures(l, _(c->cell->label), "%.1f", c->mbps, &c->throughput);
		line_left(l, COLUMN_VERDICT, run_view_verdict(c->verdict));
		line_end(l);
	}
	line_end(l);
	print_head(l, _("CPU ms per GB"));
	line_end(l);
	for (size_t i = 0; i < j->n_cells; i++) {
		const struct judge_cell *c = &j->cells[i];

		print_figures(l, _(c->cell->label), "%.1f", c->cpu_ms_per_gb,
			      &c->cpu);
		line_end(l);
	}
	line_end(l);
}

static double celsius(int millicelsius)
{
	return millicelsius == INT_MIN ? NAN : millicelsius / 1000.0;
}

static double megahertz(uint32_t khz)
{
	return khz ? khz / 1000.0 : NAN;
}

static void print_board(struct line *l, const struct run *run)
{
	const struct judge_side *before = &run->judgement->sides[TRIAL_BEFORE];
	const struct judge_side *after = &run->judgement->sides[TRIAL_AFTER];
	bool any = false;

	if (run->sensor) {
		print_pair(l, _("temperature"), "%.1f C", celsius(before->millicelsius),
			   celsius(after->millicelsius), _("highest"));
		any = true;
	}
	for (unsigned p = 0; p < before->n_policies && p < after->n_policies; p++) {
		char name[64];

		/* TRANSLATORS: a group of CPUs that share a clock, by number */
		snprintf(name, sizeof(name), _("clock %u"), p);
		print_pair(l, name, "%.0f MHz", megahertz(before->cur_khz[p]),
			   megahertz(after->cur_khz[p]), _("mean under load"));
		any = true;
	}
	if (any)
		line_end(l);
}

/* "  name: meaning", in as many lines as it takes. */
static void print_meaning(FILE *f, const char *name, const char *meaning)
{
	_cleanup_free_ char *text = str_format("%s: %s", name, meaning);

	if (text)
		text_wrap(f, text, 2, 4);
	else
		fprintf(f, "  %s: %s\n", name, meaning);
}

static void print_verdict(FILE *f, const struct run *run)
{
	const struct judgement *j = run->judgement;

	fprintf(f, _("Verdict: %s (%s to %s, margin %.0f %%)\n"),
		run_view_verdict(j->verdict), run->nic, run->peer,
		run->config->margin * 100);
	for (size_t i = 0; i < j->n_reasons; i++) {
		const struct judge_reason *r = &j->reasons[i];

		if (r->cell)
			print_meaning(f, _(r->cell->label),
				      judge_reason_meaning(r->kind));
		else
			text_wrap(f, judge_reason_meaning(r->kind), 2, 4);
	}
}

static void print_notes(FILE *f, const struct run *run)
{
	const struct judgement *j = run->judgement;

	if (j->flags)
		fprintf(f, "%s\n", _("To know:"));
	for (unsigned i = 0; i < JUDGE_FLAGS_; i++)
		if (j->flags & 1u << i)
			print_meaning(f, judge_flag_name(i), judge_flag_meaning(i));
	if (run->n_not_measured)
		fprintf(f, "%s\n", _("Changed, but not touched by this traffic:"));
	for (size_t i = 0; i < run->n_not_measured; i++)
		fprintf(f, "  %s %s\n", run->not_measured[i].target,
			run->not_measured[i].key);
	if (run->stuck)
		fprintf(f, "%s\n",
			_("Some settings could not be put back: try \"boardtune "
			  "revert\"."));
	else
		fprintf(f, "%s\n",
			run->kept ? _("The profile is in force.") :
				    _("The settings are as before."));
}

int trial_text(const struct run *run, char **ret)
{
	char *text = NULL;
	size_t size = 0;
	struct line l = { .f = open_memstream(&text, &size) };
	int failed;

	if (!l.f)
		return -ENOMEM;
	fprintf(l.f,
		ngettext("%s: %u round, %s to %s\n\n", "%s: %u rounds, %s to %s\n\n",
			 run->judgement->pairs),
		run->profile, run->judgement->pairs, run->nic, run->peer);
	if (run->judgement->pairs) {
		print_cells(&l, run->judgement);
		print_latency(&l, run);
		print_losses(&l, run->judgement);
		print_board(&l, run);
	}
	print_verdict(l.f, run);
	print_notes(l.f, run);
	failed = ferror(l.f);
	if (fclose(l.f) != 0 || failed) {
		free(text);
		return -ENOMEM;
	}
	*ret = text;
	return 0;
}
