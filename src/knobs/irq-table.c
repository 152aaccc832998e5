// SPDX-License-Identifier: GPL-2.0-or-later
// irq-table.c - which interrupts there are
#include "knobs/irq-table.h"

#include <ctype.h>
#include <fnmatch.h>

#include "base/cpus.h"
#include "knobs/irq-rows.h"

/* 1,024 CPUs and 8,192 interrupts, or any other such board: 64 MiB */
#define COUNTS_MAX (8u << 20)

struct columns {
	unsigned n;
	unsigned short cpus[CPUS_MAX];
};

void irq_table_clear(struct irq_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		free(table->lines[i].chip);
		free(table->lines[i].counts);
	}
	free(table->lines);
	*table = (struct irq_table) { 0 };
}

/* The three names of a line, in one piece of memory. */
static int set_names(struct irq_line *line, const char *chip, const char *hwirq,
		     const char *actions)
{
	size_t a = strlen(chip) + 1, b = strlen(hwirq) + 1, c = strlen(actions) + 1;
	char *names = malloc(a + b + c);

	if (!names)
		return -ENOMEM;
	free(line->chip);
	line->chip = memcpy(names, chip, a);
	line->hwirq = memcpy(names + a, hwirq, b);
	line->actions = memcpy(names + a + b, actions, c);
	return 0;
}

static int add_line(struct irq_table *table, unsigned number, const char *chip,
		    const char *hwirq, const char *actions)
{
	struct irq_line line = { .number = number };
	int r = array_grow(&table->lines, table->n, sizeof(*table->lines));

	if (r == 0)
		r = set_names(&line, chip, hwirq, actions);
	if (r == 0)
		table->lines[table->n++] = line;
	return r;
}

static int set_counts(struct irq_table *table, const struct columns *columns,
		      struct irq_row *row)
{
	struct irq_line *line = &table->lines[table->n - 1];

	if (table->n > COUNTS_MAX / table->n_cpus)
		return -EFBIG;
	line->counts = calloc(table->n_cpus, sizeof(*line->counts));
	if (!line->counts)
		return -ENOMEM;
	for (unsigned i = 0; i < columns->n; i++)
		if (!irq_row_count(&row->counts, &line->counts[columns->cpus[i]]))
			break;
	return 0;
}

/* @columns: NULL for names only */
static int add_row(struct irq_table *table, struct irq_row *row,
		   const struct columns *columns)
{
	int r = add_line(table, row->number, row->chip, row->hwirq, row->actions);

	return r < 0 || !columns ? r : set_counts(table, columns, row);
}

static void set_cpus(struct irq_table *table, const struct columns *columns)
{
	for (unsigned i = 0; i < columns->n; i++)
		if (columns->cpus[i] >= table->n_cpus)
			table->n_cpus = columns->cpus[i] + 1u;
}

static int compare_lines(const void *a, const void *b)
{
	const struct irq_line *la = a, *lb = b;

	return la->number < lb->number ? -1 : la->number > lb->number;
}

/* By number, each once. */
static void sort_lines(struct irq_table *table)
{
	size_t kept = 0;

	if (table->n == 0)
		return;
	qsort(table->lines, table->n, sizeof(*table->lines), compare_lines);
	for (size_t i = 1; i < table->n; i++) {
		if (table->lines[i].number != table->lines[kept].number) {
			table->lines[++kept] = table->lines[i];
			continue;
		}
		free(table->lines[i].chip);
		free(table->lines[i].counts);
	}
	table->n = kept + 1;
}

int irq_table_parse(char *text, struct irq_table *ret)
{
	_cleanup_(irq_table_clear) struct irq_table table = { 0 };
	struct columns columns;
	int n, r = 0;
	char *next;

	next = strchr(text, '\n');
	if (next)
		*next++ = '\0';
	n = irq_header_parse(text, columns.cpus, ARRAY_SIZE(columns.cpus));
	if (n < 0)
		return n;
	columns.n = (unsigned)n;
	set_cpus(&table, &columns);
	for (char *line = next; line && r == 0; line = next) {
		struct irq_row row;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (irq_row_parse(line, columns.n, &row))
			r = add_row(&table, &row, &columns);
	}
	if (r < 0)
		return r;
	sort_lines(&table);
	*ret = table;
	table = (struct irq_table) { 0 };
	return 0;
}

static int load_rows(const struct sysroot *root, bool counts, struct irq_table *table)
{
	_cleanup_(irq_rows_close) struct irq_rows rows;
	struct columns columns;
	struct irq_row row;
	int r;

	r = irq_rows_open(&rows, root, columns.cpus);
	if (r < 0)
		return r;
	columns.n = rows.columns;
	set_cpus(table, &columns);
	while ((r = irq_rows_next(&rows, &row)) == 1) {
		r = add_row(table, &row, counts ? &columns : NULL);
		if (r < 0)
			return r;
	}
	return r;
}

/* What sysfs says of a line is what it is, as all who look at it agree on that. */
static int load_line(const struct sysroot *root, unsigned number, bool actions_only,
		     size_t n_rows, struct irq_table *table)
{
	struct irq_line key = { .number = number }, *line;
	struct irq_identity id = { 0 };
	int r;

	r = actions_only ? irq_read_actions(root, number, id.actions)
			 : irq_identify(root, number, &id);
	if (r < 0)
		return 0; /* gone meanwhile, or a recording without this one */
	line = n_rows ? bsearch(&key, table->lines, n_rows, sizeof(key), compare_lines)
		      : NULL;
	return line ? set_names(line, id.chip, id.hwirq, id.actions)
		    : add_line(table, number, id.chip, id.hwirq, id.actions);
}

static int load(const struct sysroot *root, bool counts, struct irq_table *ret)
{
	_cleanup_(irq_table_clear) struct irq_table table = { 0 };
	_cleanup_list_ char **names = NULL;
	size_t n_rows;
	ssize_t n;
	int r = 0;

	n = sysroot_list(root, IRQ_DIR, &names);
	/* a copy of a board need not have all of it in both places */
	if (counts || n <= 0 || !root->live)
		r = load_rows(root, counts, &table);
	if (r < 0 && (r != -ENOENT || n <= 0))
		return r;
	sort_lines(&table);
	n_rows = table.n;
	for (ssize_t i = 0; i < n; i++) {
		if (!isdigit((unsigned char)names[i][0]) || strlen(names[i]) > 9)
			continue;
		r = load_line(root, (unsigned)strtoul(names[i], NULL, 10), !counts,
			      n_rows, &table);
		if (r < 0)
			return r;
	}
	sort_lines(&table);
	*ret = table;
	table = (struct irq_table) { 0 };
	return 0;
}

int irq_table_load(const struct sysroot *root, struct irq_table *ret)
{
	return load(root, true, ret);
}

int irq_table_load_actions(const struct sysroot *root, struct irq_table *ret)
{
	return load(root, false, ret);
}

void irq_line_identify(const struct sysroot *root, const struct irq_line *line,
		       struct irq_identity *ret)
{
	if (irq_identify(root, line->number, ret) == 0)
		return;
	snprintf(ret->chip, sizeof(ret->chip), "%s", line->chip);
	snprintf(ret->hwirq, sizeof(ret->hwirq), "%s", line->hwirq);
	snprintf(ret->actions, sizeof(ret->actions), "%s", line->actions);
}

const struct irq_line *irq_table_find(const struct irq_table *table, unsigned number)
{
	struct irq_line key = { .number = number };

	return table->n
		       ? bsearch(&key, table->lines, table->n, sizeof(key), compare_lines)
		       : NULL;
}

bool irq_has_action(const char *actions, const char *pattern)
{
	char action[IRQ_NAME_MAX];

	for (const char *s = actions; *s; s += *s == ',') {
		size_t n = strcspn(s, ",");

		if (n > 0 && n < sizeof(action)) {
			memcpy(action, s, n);
			action[n] = '\0';
			if (fnmatch(pattern, action, 0) == 0)
				return true;
		}
		s += n;
	}
	return false;
}
