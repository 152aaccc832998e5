// SPDX-License-Identifier: GPL-2.0-or-later
// measure-text.c - the figures of the command measure as text
#include "report/measure-text.h"

#include <limits.h>
#include <math.h>

#include "base/text.h"
#include "report/table.h"

#define FIGURE_MAX 32

/* One column: what stands above it, and how a figure of it is written. */
struct column {
	const char *head; /* N_() */
	bool tcp, udp;	  /* whose it is */
	bool repeated;	  /* only where tests were repeated */
	void (*write)(const struct figure *f, char ret[static FIGURE_MAX]);
};

static void write_number(char ret[static FIGURE_MAX], const char *format, double x)
{
	if (isfinite(x))
		/* every format below is a literal with one double */
		snprintf(ret, FIGURE_MAX, format, x);
	else
		snprintf(ret, FIGURE_MAX, "-");
}

static void write_mbps(const struct figure *f, char ret[static FIGURE_MAX])
{
	write_number(ret, "%.1f", f->mbps);
}

static void write_range(const struct figure *f, char ret[static FIGURE_MAX])
{
	snprintf(ret, FIGURE_MAX, f->n ? "%.1f-%.1f" : "-", f->low, f->high);
}

static void write_cpu(const struct figure *f, char ret[static FIGURE_MAX])
{
	write_number(ret, "%.1f", f->cpu_ms_per_gb);
}

static void write_retransmits(const struct figure *f, char ret[static FIGURE_MAX])
{
	write_number(ret, "%.0f", f->retransmits);
}

static void write_lost(const struct figure *f, char ret[static FIGURE_MAX])
{
	write_number(ret, "%.2f", f->lost * 100);
}

static void write_jitter(const struct figure *f, char ret[static FIGURE_MAX])
{
	write_number(ret, "%.3f", f->jitter_ms);
}

static void write_rtt(const struct figure *f, char ret[static FIGURE_MAX])
{
	write_number(ret, "%.2f", f->rtt_ms);
}

static void write_heat(const struct figure *f, char ret[static FIGURE_MAX])
{
	write_number(ret, "%.1f",
		     f->millicelsius == INT_MIN ? NAN : f->millicelsius / 1000.0);
}

static const struct column columns[] = {
	{ N_("MBIT/S"), true, true, false, write_mbps },
	{ N_("FROM-TO"), true, true, true, write_range },
	{ N_("CPU MS/GB"), true, true, false, write_cpu },
	{ N_("RETRANS"), true, false, false, write_retransmits },
	/* xgettext:no-c-format */
	{ N_("LOST %"), false, true, false, write_lost },
	{ N_("JITTER MS"), false, true, false, write_jitter },
	{ N_("RTT MS"), true, true, false, write_rtt },
	{ N_("C"), true, true, false, write_heat },
};

static bool column_shown(const struct column *column, bool datagrams, bool repeated)
{
	return (datagrams ? column->udp : column->tcp) &&
	       (!column->repeated || repeated);
}

/* A way of a test that goes both ways: its throughput only. */
static void add_way(struct table *t, const char *name, double mbps)
{
	const char *cells[TABLE_COLUMNS_MAX] = { name };
	char text[FIGURE_MAX];

	if (!isfinite(mbps))
		return;
	for (unsigned k = 1; k < t->columns; k++)
		cells[k] = "";
	write_number(text, "%.1f", mbps);
	cells[1] = text;
	table_add(t, cells);
}

static int print_table(FILE *f, bool datagrams, const struct figure *figures, size_t n)
{
	const char *cells[TABLE_COLUMNS_MAX] = { _("TEST") };
	const struct column *shown[TABLE_COLUMNS_MAX] = {};
	struct table t = { .columns = 1, .right = ~1u };
	bool repeated = false;
	int r;

	for (size_t i = 0; i < n; i++)
		repeated |= figures[i].n > 1;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!column_shown(&columns[i], datagrams, repeated))
			continue;
		cells[t.columns] = _(columns[i].head);
		shown[t.columns++] = &columns[i];
	}
	table_add(&t, cells);
	for (size_t i = 0; i < n; i++) {
		char texts[TABLE_COLUMNS_MAX][FIGURE_MAX];

		cells[0] = _(figures[i].cell->label);
		for (unsigned k = 1; k < t.columns; k++) {
			shown[k]->write(&figures[i], texts[k]);
			cells[k] = texts[k];
		}
		table_add(&t, cells);
		add_way(&t, "  tx", figures[i].tx_mbps);
		add_way(&t, "  rx", figures[i].rx_mbps);
	}
	r = table_print(&t, f);
	table_clear(&t);
	return r;
}

static int print_flags(FILE *f, unsigned flags)
{
	if (flags)
		fprintf(f, "\n%s\n", _("To know:"));
	for (unsigned i = 0; i < JUDGE_FLAGS_; i++) {
		_cleanup_free_ char *text = NULL;

		if (!(flags & 1u << i))
			continue;
		text = str_format("%s: %s", judge_flag_name(i), judge_flag_meaning(i));
		if (!text)
			return -ENOMEM;
		text_wrap(f, text, 2, 4);
	}
	return 0;
}

int measure_text(const struct run *run, bool datagrams, const struct figure *figures,
		 size_t n, char **ret)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!f)
		return -ENOMEM;
	/* TRANSLATORS: interface, peer, TCP or UDP, seconds of each test */
	fprintf(f, _("%s to %s, %s, %g s each\n\n"), run->nic, run->peer,
		datagrams ? "UDP" : "TCP", run->seconds);
	r = print_table(f, datagrams, figures, n);
	if (r == 0)
		r = print_flags(f, run->judgement->flags);
	if (ferror(f))
		r = -ENOMEM;
	if (fclose(f) != 0 || r < 0) {
		free(text);
		return -ENOMEM;
	}
	*ret = text;
	return 0;
}
