// SPDX-License-Identifier: GPL-2.0-or-later
// run-view.c - what a report of a run says, in every format: sentences, lists, tables
#include <math.h>

#include "report/run-view.h"

#define STATE_SHARE_MIN 0.005 /* of the time: clocks that were used less are left out */

const char *run_view_verdict(enum verdict v)
{
	switch (v) {
	case VERDICT_BETTER:
		return _("better");
	case VERDICT_SAME:
		return _("same");
	case VERDICT_WORSE:
		return _("worse");
	case VERDICT_INCONCLUSIVE:
		return _("inconclusive");
	}
	return "?";
}

const char *run_view_verdict_of(const struct run_doc *doc)
{
	return doc->trial ? run_view_verdict(doc->verdict) : "-";
}

const char *run_view_label(const char *name)
{
	struct cell_list list;
	char word[8];

	if (cell_list_parse(name, &list, word, sizeof(word)) == 0 && list.n == 1)
		return _(list.cells[0]->label);
	return name;
}

const char *run_view_figure(char buf[static RUN_VIEW_CELL], const char *format, double x)
{
	if (isfinite(x))
		snprintf(buf, RUN_VIEW_CELL, format, x);
	else
		strcpy(buf, "-");
	return buf;
}

const char *run_view_interval(char buf[static RUN_VIEW_CELL],
			      const struct stats_interval *i)
{
	if (isfinite(i->low) && isfinite(i->high))
		/* TRANSLATORS: an interval, "0.981 to 1.013" */
		snprintf(buf, RUN_VIEW_CELL, _("%.3f to %.3f"), i->low, i->high);
	else
		strcpy(buf, "-");
	return buf;
}

const char *run_view_change(char buf[static RUN_VIEW_CELL], const struct run_doc *doc)
{
	const struct run_doc_pair *why = doc->n_reasons ? &doc->reasons[0] : NULL;
	const struct run_doc_cell *c = why ? run_doc_cell(doc, why->of) : NULL;
	bool cpu = why && str_after(why->name, "cpu-");
	double ratio;

	if (!c && doc->n_cells)
		c = &doc->cells[0];
	ratio = !c ? NAN : cpu ? c->cpu_ms_per_gb.ratio.ratio : c->mbps.ratio.ratio;
	if (!isfinite(ratio))
		strcpy(buf, "-");
	else
		snprintf(buf, RUN_VIEW_CELL, "%s%+.1f %%", cpu ? "CPU " : "",
			 (ratio - 1) * 100);
	return buf;
}

/* ---- lists ---- */

static void add_item(struct run_view *v, enum run_view_list_id id, const char *name,
		     char *text)
{
	struct run_view_list *list = &v->lists[id];
	struct run_view_item item = { name ? strdup(name) : NULL, text };
	int r = text && (!name || item.name)
			? array_grow(&list->items, list->n, sizeof(item))
			: -ENOMEM;

	if (r == 0) {
		list->items[list->n++] = item;
		return;
	}
	free(item.name);
	free(text);
	v->error = r;
}

static void add_reasons(struct run_view *v, const struct run_doc *doc)
{
	for (size_t i = 0; i < doc->n_reasons; i++) {
		const struct run_doc_pair *r = &doc->reasons[i];
		const char *meaning = r->name;

		for (unsigned k = 0; k < JUDGE_REASONS_; k++)
			if (streq(judge_reason_name(k), r->name))
				meaning = judge_reason_meaning(k);
		add_item(v, RUN_VIEW_REASONS, *r->of ? run_view_label(r->of) : NULL,
			 strdup(meaning));
	}
}

static void add_flags(struct run_view *v, const struct run_doc *doc)
{
	v->lists[RUN_VIEW_FLAGS].title = _("To know:");
	for (size_t i = 0; i < doc->n_flags; i++) {
		const char *meaning = _("a flag that this version does not know");

		for (unsigned k = 0; k < JUDGE_FLAGS_; k++)
			if (streq(judge_flag_name(k), doc->flags[i]))
				meaning = judge_flag_meaning(k);
		add_item(v, RUN_VIEW_FLAGS, doc->flags[i], strdup(meaning));
	}
}

static void add_not_measured(struct run_view *v, const struct run_doc *doc)
{
	v->lists[RUN_VIEW_NOT_MEASURED].title =
		_("Changed, but not touched by this traffic:");
	for (size_t i = 0; i < doc->n_not_measured; i++)
		add_item(v, RUN_VIEW_NOT_MEASURED, doc->not_measured[i].of,
			 strdup(doc->not_measured[i].name));
}

/* Where the traffic went, in words. */
static const char *path_words(const char *path)
{
	if (streq(path, "terminated"))
		return _("between the board and the peer");
	if (streq(path, "forward"))
		return _("through the board");
	return path;
}

static void add_facts(struct run_view *v, const struct run_doc *doc)
{
	const struct {
		const char *name, *text;
	} facts[] = {
		{ _("Board"), doc->model },
		{ _("Kernel"), doc->kernel },
		{ _("Profile"), doc->profile },
		{ _("Label"), doc->label },
		{ _("Started"), doc->started },
		{ _("Host"), doc->host },
		{ _("Interface"), doc->nic },
		{ _("Peer"), doc->peer },
		{ _("Traffic"), path_words(doc->path) },
		{ _("Sensor"), doc->sensor },
	};

	v->lists[RUN_VIEW_FACTS].title = _("What was measured:");
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (*facts[i].text)
			add_item(v, RUN_VIEW_FACTS, facts[i].name, strdup(facts[i].text));
	if (doc->trial)
		add_item(v, RUN_VIEW_FACTS, _("Afterwards"),
			 strdup(doc->kept ? _("the profile stayed in force")
					  : _("the settings are as before")));
}

/* Of a trial: how before and after are compared. */
static void add_comparison(struct run_view *v, const struct run_doc *doc)
{
	add_item(v, RUN_VIEW_METHOD, NULL,
		 str_format(ngettext("%u round, before and after in turn; each test "
				     "%g s, after %g s that do not count.",
				     "%u rounds, before and after in turn; each test "
				     "%g s, after %g s that do not count.",
				     doc->pairs),
			    doc->pairs, doc->seconds, doc->omit));
	add_item(v, RUN_VIEW_METHOD, NULL,
		 strdup(_("Mbit/s of payload by the receiver's count; the mean is the "
			  "geometric one of all rounds.")));
	add_item(v, RUN_VIEW_METHOD, NULL,
		 strdup(_("Ratios are after / before, of the two tests of each round; "
			  "their intervals hold for all tests together.")));
	add_item(v, RUN_VIEW_METHOD, NULL,
		 str_format(_("A change of less than %.0f %% counts as none."),
			    doc->margin * 100));
}

static void add_method(struct run_view *v, const struct run_doc *doc)
{
	v->lists[RUN_VIEW_METHOD].title = _("How it was measured:");
	if (doc->trial)
		add_comparison(v, doc);
	else
		add_item(v, RUN_VIEW_METHOD, NULL,
			 str_format(_("Each test %g s, after %g s that do not count; "
				      "Mbit/s of payload by the receiver's count."),
				    doc->seconds, doc->omit));
	add_item(v, RUN_VIEW_METHOD, NULL,
		 str_format("boardtune %s", *doc->version ? doc->version : "?"));
}

/* ---- tables ---- */

/* Above the figures of before. */
static const char *head_of(const struct run_doc *doc)
{
	return doc->trial ? _("before") : _("measured");
}

/* Only the columns of @own, by bits. */
static void keep_columns(struct table *t, unsigned own)
{
	unsigned right = 0, n = 0;

	for (unsigned k = 0; k < t->columns; k++)
		if (own >> k & 1)
			right |= (t->right >> k & 1) << n++;
	for (size_t i = 0; i < t->n; i++) {
		char **cells = t->rows[i].cells;

		n = 0;
		for (unsigned k = 0; k < t->columns; k++)
			if (own >> k & 1)
				cells[n++] = cells[k];
			else
				free(cells[k]);
	}
	t->columns = n;
	t->right = right;
}

/*
 * The table is the view's once it has a row beside its heading. @own: the columns that a
 * run of measure has as well, by bits.
 */
static void keep_table(struct run_view *v, const struct run_doc *doc, const char *title,
		       struct table *t, unsigned own)
{
	if (!doc->trial && t->n)
		keep_columns(t, own);
	if (t->error)
		v->error = t->error;
	if (t->error || t->n < 2) {
		table_clear(t);
		return;
	}
	v->tables[v->n_tables++] = (struct run_view_table) { title, *t };
}

static void add_figures(struct run_view *v, const struct run_doc *doc, bool cpu)
{
	struct table t = { .columns = 5 + !cpu, .right = 7 << 1 };

	table_add(&t, (const char *[]) { _("test"), head_of(doc), _("after"), _("ratio"),
					 /* xgettext:no-c-format */
					 _("95 % interval"), _("verdict") });
	for (size_t i = 0; i < doc->n_cells; i++) {
		const struct run_doc_cell *c = &doc->cells[i];
		const struct run_doc_figure *f = cpu ? &c->cpu_ms_per_gb : &c->mbps;
		char b[RUN_VIEW_CELL], a[RUN_VIEW_CELL], r[RUN_VIEW_CELL],
			n[RUN_VIEW_CELL];

		if (cpu && !isfinite(f->side[0]) && !isfinite(f->side[1]))
			continue;
		table_add(&t, (const char *[]) {
				      run_view_label(c->name),
				      run_view_figure(b, "%.1f", f->side[TRIAL_BEFORE]),
				      run_view_figure(a, "%.1f", f->side[TRIAL_AFTER]),
				      run_view_figure(r, "%.3f", f->ratio.ratio),
				      run_view_interval(n, &f->ratio),
				      run_view_verdict(c->verdict) });
	}
	keep_table(v, doc,
		   cpu ? _("CPU time of the whole board, ms per GB")
		       : _("Throughput, Mbit/s"),
		   &t, 3);
}

static void add_latency_row(struct table *t, const char *name,
			    const struct run_doc_latency *before,
			    const struct run_doc_latency *after)
{
	const double x[] = { before->p50_ms, before->p95_ms, before->p99_ms,
			     after->p50_ms,  after->p95_ms,  after->p99_ms };
	char text[ARRAY_SIZE(x)][RUN_VIEW_CELL];
	const char *cells[ARRAY_SIZE(x) + 1] = { name };
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(x); i++) {
		cells[i + 1] = run_view_figure(text[i], "%.2f", x[i]);
		any |= isfinite(x[i]);
	}
	if (any)
		table_add(t, cells);
}

static void add_latencies(struct run_view *v, const struct run_doc *doc)
{
	struct table t = { .columns = 7, .right = 63 << 1 };

	table_add(&t, (const char *[]) { _("test"),
					 doc->trial ? _("before p50") : "p50", "p95",
					 "p99", _("after p50"), "p95", "p99" });
	add_latency_row(&t, _("idle"), &doc->sides[TRIAL_BEFORE].idle,
			&doc->sides[TRIAL_AFTER].idle);
	for (size_t i = 0; i < doc->n_cells; i++)
		add_latency_row(&t, run_view_label(doc->cells[i].name),
				&doc->cells[i].latency[TRIAL_BEFORE],
				&doc->cells[i].latency[TRIAL_AFTER]);
	keep_table(v, doc, _("Round-trip time to the peer, ms"), &t, 15);
}

static void add_pair(struct table *t, const char *name, const char *format, double before,
		     double after)
{
	char b[RUN_VIEW_CELL], a[RUN_VIEW_CELL];

	if (isfinite(before) || isfinite(after))
		table_add(t, (const char *[]) { name, run_view_figure(b, format, before),
						run_view_figure(a, format, after) });
}

static double mhz_of(const struct run_doc_side *s, unsigned policy)
{
	return policy < s->n_clocks ? s->mhz[policy] : NAN;
}

static void add_board(struct run_view *v, const struct run_doc *doc)
{
	const struct run_doc_side *before = &doc->sides[TRIAL_BEFORE];
	const struct run_doc_side *after = &doc->sides[TRIAL_AFTER];
	struct table t = { .columns = 3, .right = 3 << 1 };

	table_add(&t, (const char *[]) { "", head_of(doc), _("after") });
	add_pair(&t, _("temperature, highest"), "%.1f C", before->celsius,
		 after->celsius);
	for (unsigned p = 0; p < SAMPLE_POLICIES_MAX; p++) {
		char name[RUN_VIEW_CELL];

		/* TRANSLATORS: a group of CPUs that share a clock, by number */
		snprintf(name, sizeof(name), _("clock %u, mean under load"), p);
		add_pair(&t, name, "%.0f MHz", mhz_of(before, p), mhz_of(after, p));
	}
	if (t.n > 1 && (before->throttled || after->throttled))
		table_add(&t, (const char *[]) { _("held down by cooling"),
						 before->throttled ? _("yes") : _("no"),
						 after->throttled ? _("yes") : _("no") });
	keep_table(v, doc, _("Temperature and clocks"), &t, 3);
}

static double share_at(const struct run_doc_side *s, unsigned policy, uint32_t khz)
{
	double share = s->n_states[policy] ? 0 : NAN;

	for (unsigned i = 0; i < s->n_states[policy]; i++)
		if (s->states[policy][i].khz == khz)
			share += s->states[policy][i].share * 100;
	return share;
}

/* The clocks of one side, and of the other those that the first does not have. */
static void add_states(struct table *t, const struct run_doc *doc, unsigned policy)
{
	const struct run_doc_side *before = &doc->sides[TRIAL_BEFORE];
	const struct run_doc_side *after = &doc->sides[TRIAL_AFTER];

	for (unsigned side = 0; side < TRIAL_SIDES_; side++) {
		const struct run_doc_side *s = &doc->sides[side];

		for (unsigned i = 0; i < s->n_states[policy]; i++) {
			uint32_t khz = s->states[policy][i].khz;
			double b = share_at(before, policy, khz);
			double a = share_at(after, policy, khz);
			char name[RUN_VIEW_CELL];

			if ((side == TRIAL_AFTER && b > 0) ||
			    !(b > STATE_SHARE_MIN * 100 || a > STATE_SHARE_MIN * 100))
				continue;
			snprintf(name, sizeof(name), _("clock %u at %.0f MHz"), policy,
				 khz / 1000.0);
			add_pair(t, name, "%.1f %%", b, a);
		}
	}
}

static void add_all_states(struct run_view *v, const struct run_doc *doc)
{
	struct table t = { .columns = 3, .right = 3 << 1 };

	table_add(&t, (const char *[]) { "", head_of(doc), _("after") });
	for (unsigned p = 0; p < SAMPLE_POLICIES_MAX; p++)
		add_states(&t, doc, p);
	keep_table(v, doc, _("Share of the time at each clock"), &t, 3);
}

/* What a cell lost on each side, summed over the tests that count. */
struct losses {
	double retransmits, softnet, nic;
};

static void sum_losses(const struct run_doc *doc, const char *cell, enum trial_side side,
		       struct losses *ret)
{
	struct losses sum = { NAN, NAN, NAN };

	for (size_t i = 0; i < doc->n_legs; i++) {
		const struct run_doc_leg *leg = &doc->legs[i];

		for (size_t k = 0; k < leg->n_tests; k++) {
			const struct run_doc_test *t = &leg->tests[k];

			if (leg->side != side || leg->discarded || !streq(t->name, cell))
				continue;
			if (isfinite(t->retransmits))
				sum.retransmits = fmax(sum.retransmits, 0) +
						  t->retransmits;
			if (isfinite(t->softnet_dropped))
				sum.softnet = fmax(sum.softnet, 0) + t->softnet_dropped;
			if (isfinite(t->nic_dropped))
				sum.nic = fmax(sum.nic, 0) + t->nic_dropped;
		}
	}
	*ret = sum;
}

static void add_losses(struct run_view *v, const struct run_doc *doc)
{
	struct table t = { .columns = 7, .right = 63 << 1 };
	bool lost = false;

	table_add(&t, doc->trial ? (const char *[]) { _("test"), _("retransmits before"),
						      _("after"), _("CPU queue before"),
						      _("after"), _("NIC before"),
						      _("after") }
				 : (const char *[]) { _("test"), _("retransmits"), "",
						      _("CPU queue"), "", _("NIC"),
						      "" });
	for (size_t i = 0; i < doc->n_cells; i++) {
		const char *name = doc->cells[i].name;
		struct losses b, a;
		char text[6][RUN_VIEW_CELL];

		sum_losses(doc, name, TRIAL_BEFORE, &b);
		sum_losses(doc, name, TRIAL_AFTER, &a);
		lost |= b.retransmits > 0 || a.retransmits > 0 || b.softnet > 0 ||
			a.softnet > 0 || b.nic > 0 || a.nic > 0;
		table_add(&t, (const char *[]) {
				      run_view_label(name),
				      run_view_figure(text[0], "%.0f", b.retransmits),
				      run_view_figure(text[1], "%.0f", a.retransmits),
				      run_view_figure(text[2], "%.0f", b.softnet),
				      run_view_figure(text[3], "%.0f", a.softnet),
				      run_view_figure(text[4], "%.0f", b.nic),
				      run_view_figure(text[5], "%.0f", a.nic) });
	}
	if (lost)
		keep_table(v, doc, _("Packets sent again, and dropped"), &t,
			   1 | 1 << 1 | 1 << 3 | 1 << 5);
	else
		table_clear(&t);
}

static void add_datagrams(struct run_view *v, const struct run_doc *doc)
{
	struct table t = { .columns = 3, .right = 3 << 1 };

	table_add(&t, (const char *[]) { _("test"), _("lost, %"), _("jitter, ms") });
	for (size_t i = 0; i < doc->n_cells; i++) {
		const struct run_doc_cell *c = &doc->cells[i];
		char lost[RUN_VIEW_CELL], jitter[RUN_VIEW_CELL];

		if (!isfinite(c->lost))
			continue;
		table_add(&t, (const char *[]) {
				      run_view_label(c->name),
				      run_view_figure(lost, "%.2f", c->lost * 100),
				      run_view_figure(jitter, "%.3f", c->jitter_ms) });
	}
	keep_table(v, doc, _("Datagrams (UDP)"), &t, 7);
}

/* ---- the whole ---- */

int run_view_make(const struct run_doc *doc, struct run_view *ret)
{
	const char *subject = doc->trial ? doc->profile : _("Measurement");
	struct run_view v = { 0 };

	v.headline = *doc->model ? str_format(_("%s on %s"), subject, doc->model)
				 : strdup(subject);
	v.verdict = doc->trial ? str_format(_("Verdict: %s (%s to %s, margin %.0f %%)"),
					    run_view_verdict(doc->verdict), doc->nic,
					    doc->peer, doc->margin * 100)
			       : str_format(_("Measured as it stands: %s to %s"),
					    doc->nic, doc->peer);
	if (!v.headline || !v.verdict)
		v.error = -ENOMEM;
	v.lists[RUN_VIEW_REASONS].title = "";
	add_reasons(&v, doc);
	add_flags(&v, doc);
	add_not_measured(&v, doc);
	add_facts(&v, doc);
	add_method(&v, doc);
	add_figures(&v, doc, false);
	add_figures(&v, doc, true);
	add_latencies(&v, doc);
	add_board(&v, doc);
	add_all_states(&v, doc);
	add_losses(&v, doc);
	add_datagrams(&v, doc);
	if (v.error < 0) {
		int r = v.error;

		run_view_clear(&v);
		return r;
	}
	*ret = v;
	return 0;
}

void run_view_clear(struct run_view *v)
{
	for (size_t i = 0; i < RUN_VIEW_LISTS_; i++) {
		for (size_t k = 0; k < v->lists[i].n; k++) {
			free(v->lists[i].items[k].name);
			free(v->lists[i].items[k].text);
		}
		free(v->lists[i].items);
	}
	for (size_t i = 0; i < v->n_tables; i++)
		table_clear(&v->tables[i].table);
	free(v->headline);
	free(v->verdict);
	*v = (struct run_view) { 0 };
}
