// SPDX-License-Identifier: GPL-2.0-or-later
// status-text.c - status as tables for a screen of 80 columns
#include "base/text.h"
#include "report/status.h"
#include "report/table.h"

#define CELL 160
#define ROWS_MAX 16  /* of each table; the rest is in JSON */
#define OTHERS_MAX 6 /* interrupts that are of no NIC */
#define SHARES_MAX 2 /* CPUs that are named for an interrupt */

static void print_more(FILE *f, size_t n)
{
	if (n)
		fprintf(f,
			ngettext("and %zu more: see --json\n",
				 "and %zu more: see --json\n", n),
			n);
}

/* A table and a blank line; then it is empty again. */
static int print_table(struct table *t, FILE *f, size_t more)
{
	bool any = t->n > 1;
	int r = table_print(t, f);

	print_more(f, more);
	if (any)
		fputc('\n', f);
	table_clear(t);
	return r;
}

static size_t at_most(size_t n, size_t max)
{
	return n < max ? n : max;
}

static int print_zones(const struct status *st, FILE *f)
{
	struct table t = { .columns = 3, .right = 1 << 1 };
	size_t n = at_most(st->n_zones, ROWS_MAX);

	table_add(&t, (const char *[]) { _("TEMPERATURE"), _("NOW"), "" });
	for (size_t i = 0; i < n; i++) {
		const struct status_zone *z = &st->zones[i];
		char now[16] = "-";
		const char *remark = "";

		if (z->usable)
			snprintf(now, sizeof(now), "%.1f C", z->millicelsius / 1000.0);
		if ((ssize_t)i == st->zone)
			remark = _("used by trials");
		table_add(&t,
			  (const char *[]) { z->type, now, z->usable ? remark : z->why });
	}
	return print_table(&t, f, st->n_zones - n);
}

static const char *mhz(uint32_t khz, char buf[static 16])
{
	if (khz)
		snprintf(buf, 16, "%u MHz", (khz + 500) / 1000);
	else
		strcpy(buf, "-");
	return buf;
}

static int print_clocks(const struct status *st, FILE *f)
{
	struct table t = { .columns = 7, .right = 7 << 2 };
	size_t n = at_most(st->n_clocks, ROWS_MAX);

	table_add(&t, (const char *[]) { _("CLOCK"), _("CPUS"), _("NOW"), _("MIN"),
					 _("MAX"), _("GOVERNOR"), "" });
	for (size_t i = 0; i < n; i++) {
		const struct clock *c = &st->clocks[i];
		char name[32], cpus[CELL], now[16], min[16], max[16];

		snprintf(name, sizeof(name), "policy%u", c->number);
		table_add(&t,
			  (const char *[]) {
				  name, cpus_format_list(&c->cpus, cpus, sizeof(cpus)),
				  mhz(clock_now(c), now), mhz(c->min_khz, min),
				  mhz(c->max_khz, max), c->governor,
				  c->offline ? _("offline")
				  : c->held  ? _("held by cooling")
					     : "" });
	}
	return print_table(&t, f, st->n_clocks - n);
}

/* ---- interrupts ---- */

/* "0: 90 %, 3: 8 %": the CPUs that took most since boot; less than 1 % is left out. */
static void format_shares(const struct status *st, const struct status_irq *irq,
			  char *buf, size_t size)
{
	const uint64_t *counts = irq->line->counts;
	unsigned last = st->table.n_cpus;
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; counts && i < SHARES_MAX; i++) {
		unsigned best = st->table.n_cpus;

		for (unsigned cpu = 0; cpu < st->table.n_cpus; cpu++)
			if (cpu != last && counts[cpu] > irq->count / 100 &&
			    (best == st->table.n_cpus || counts[cpu] > counts[best]))
				best = cpu;
		if (best == st->table.n_cpus)
			return;
		n += (size_t)snprintf(buf + n, size - n, "%s%u: %.0f %%", i ? ", " : "",
				      best,
				      100.0 * (double)counts[best] / (double)irq->count);
		last = best;
	}
}

static void add_irq(struct table *t, const struct status *st,
		    const struct status_irq *irq)
{
	char number[16], allowed[CELL] = "-", now[CELL] = "-", count[32], shares[CELL];

	snprintf(number, sizeof(number), "%u", irq->line->number);
	snprintf(count, sizeof(count), "%llu", (unsigned long long)irq->count);
	if (irq->has_affinity)
		cpus_format_list(&irq->affinity, allowed, sizeof(allowed));
	if (irq->has_effective)
		cpus_format_list(&irq->effective, now, sizeof(now));
	format_shares(st, irq, shares, sizeof(shares));
	table_add(t, (const char *[]) { number, irq->line->actions,
					irq->nics ? irq->nics : "", allowed, now, count,
					shares });
}

static int compare_counts(const void *pa, const void *pb)
{
	const struct status_irq *a = *(const struct status_irq *const *)pa;
	const struct status_irq *b = *(const struct status_irq *const *)pb;

	if (!a->nics != !b->nics)
		return a->nics ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->line->number < b->line->number ? -1 : 1;
}

static int compare_numbers(const void *pa, const void *pb)
{
	const struct status_irq *a = *(const struct status_irq *const *)pa;
	const struct status_irq *b = *(const struct status_irq *const *)pb;

	if (!a->nics != !b->nics)
		return a->nics ? -1 : 1;
	return a->line->number < b->line->number ? -1 : 1;
}

/* Those of NICs, then of the others the busiest that can be moved; both by number. */
static int print_irqs(const struct status *st, FILE *f)
{
	_cleanup_free_ const struct status_irq **order = calloc(st->n_irqs + 1,
								sizeof(*order));
	struct table t = { .columns = 7, .right = 1 << 0 | 1 << 5 };
	size_t n = 0, shown = 0, others = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < st->n_irqs; i++)
		if (st->irqs[i].nics || (st->irqs[i].has_affinity && st->irqs[i].count))
			order[n++] = &st->irqs[i];
	if (n)
		qsort(order, n, sizeof(*order), compare_counts);
	while (shown < n && shown < ROWS_MAX && others < OTHERS_MAX)
		others += !order[shown++]->nics;
	if (shown)
		qsort(order, shown, sizeof(*order), compare_numbers);
	table_add(&t, (const char *[]) { _("IRQ"), _("DEVICE"), _("NIC"), _("ALLOWED"),
					 _("NOW"), _("COUNT"), _("TAKEN BY CPU") });
	for (size_t i = 0; i < shown; i++)
		add_irq(&t, st, order[i]);
	return print_table(&t, f, n - shown);
}

/* ---- interfaces ---- */

static const char *link_text(const struct status_nic *nic, char *buf, size_t size)
{
	if (nic->carrier < 0)
		return _("down");
	if (nic->carrier == 0)
		return _("no carrier");
	if (!nic->speed)
		return _("up");
	snprintf(buf, size, _("%u Mbit/s"), nic->speed);
	return buf;
}

static const char *features_text(const struct status_nic *nic, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < STATUS_FEATURES; i++)
		if (nic->features[i] == STATUS_FEATURE_ON)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "",
					      status_feature_name(i));
	return buf;
}

static int print_nics(const struct status *st, FILE *f)
{
	struct table t = { .columns = 6, .right = 1 << 4 };
	size_t shown = 0, physical = 0;

	table_add(&t, (const char *[]) { _("NIC"), _("DRIVER"), _("LINK"), _("QUEUES"),
					 _("DROPS"), _("OFFLOADS ON") });
	for (size_t i = 0; i < st->n_nics; i++) {
		const struct status_nic *nic = &st->nics[i];
		char link[32], queues[32], drops[32], features[64];

		physical += nic->physical;
		if (!nic->physical || shown == ROWS_MAX)
			continue;
		shown++;
		snprintf(queues, sizeof(queues), "%u/%u", nic->rx_queues, nic->tx_queues);
		snprintf(drops, sizeof(drops), "%llu",
			 (unsigned long long)(nic->rx_dropped + nic->rx_missed +
					      nic->tx_dropped));
		table_add(&t, (const char *[]) {
				      nic->name, nic->driver,
				      link_text(nic, link, sizeof(link)), queues, drops,
				      features_text(nic, features, sizeof(features)) });
	}
	return print_table(&t, f, physical - shown);
}

static void print_findings(const struct status *st, FILE *f)
{
	if (st->n_findings)
		fputs(_("To look at:\n"), f);
	else
		fputs(_("Nothing strange was found.\n"), f);
	for (size_t i = 0; i < st->n_findings; i++) {
		_cleanup_free_ char *text = str_format("- %s", st->findings[i].text);

		if (text)
			text_wrap(f, text, 0, 2);
	}
}

int status_text(const struct status *st, const char *head, char **ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!f)
		return -ENOMEM;
	fprintf(f, "%s\n", head);
	r = print_zones(st, f);
	if (r == 0)
		r = print_clocks(st, f);
	if (r == 0)
		r = print_irqs(st, f);
	if (r == 0)
		r = print_nics(st, f);
	print_findings(st, f);
	if (fclose(f) != 0 && r == 0)
		r = -ENOMEM;
	if (r == 0)
		*ret = TAKE_PTR(text);
	return r;
}
