// SPDX-License-Identifier: GPL-2.0-or-later
// sample-irq.c - how many interrupts of the NICs each CPU has handled
#include "knobs/irq-nic.h"
#include "measure/sample-private.h"

/* Counts of the first SAMPLE_CPUS_MAX CPUs, of ten digits and a comma each. */
#define COUNTS_SIZE (SAMPLE_CPUS_MAX * 11 + 1)

static bool has_line(const struct sample_irqs *irqs, unsigned number)
{
	for (size_t i = 0; i < irqs->n; i++)
		if (irqs->lines[i].number == number)
			return true;
	return false;
}

/* Two NICs on one USB host share its line. */
static int add_line(struct sample_irqs *irqs, unsigned number)
{
	struct sample_line *line;
	int r;

	if (has_line(irqs, number))
		return 0;
	r = array_grow(&irqs->lines, irqs->n, sizeof(*irqs->lines));
	if (r < 0)
		return r;
	line = &irqs->lines[irqs->n++];
	line->number = number;
	sample_file_set(&line->counts, IRQ_DIR "/%u/per_cpu_count", number);
	if (number > irqs->last)
		irqs->last = number;
	return 0;
}

static int add_lines_of(const struct sysroot *root, const struct irq_index *index,
			const char *ifname, struct sample_irqs *irqs)
{
	char path[SAMPLE_PATH_MAX], real[SYSROOT_PATH_MAX];
	_cleanup_free_ size_t *lines = NULL;
	ssize_t n;
	int r = 0;

	snprintf(path, sizeof(path), "/sys/class/net/%s", ifname);
	if (sysroot_realpath(root, path, real) < 0)
		return 0;
	n = irq_nic_lines(root, index, ifname, real, &lines);
	for (ssize_t i = 0; r == 0 && i < n; i++)
		r = add_line(irqs, index->table->lines[lines[i]].number);
	return n == -ENOMEM ? -ENOMEM : r;
}

static int add_lines(const struct sysroot *root, const struct sample_nics *nics,
		     struct sample_irqs *irqs)
{
	_cleanup_(irq_table_clear) struct irq_table table = { 0 };
	_cleanup_(irq_index_clear) struct irq_index index = { 0 };
	int r = nics->n ? irq_table_load_actions(root, &table) : 0;

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = irq_index_make(&table, &index);
	for (size_t i = 0; r == 0 && i < nics->n; i++)
		r = add_lines_of(root, &index, nics->names[i], irqs);
	return r;
}

static bool has_counts(const struct sysroot *root, struct sample_irqs *irqs)
{
	char buf[COUNTS_SIZE];

	for (size_t i = 0; i < irqs->n; i++)
		if (sample_file_read(root, &irqs->lines[i].counts, 0, buf,
				     sizeof(buf)) <= 0)
			return false;
	return true;
}

int sample_irqs_find(const struct sysroot *root, const struct sample_nics *nics,
		     struct sample_irqs *irqs)
{
	_cleanup_(sample_irqs_close) struct sample_irqs found = { 0 };
	int r = add_lines(root, nics, &found);

	if (r < 0)
		return r;
	found.rows = found.n > SAMPLE_LINES_MAX || !has_counts(root, &found);
	sample_irqs_close(irqs);
	*irqs = found;
	found = (struct sample_irqs){ 0 };
	return 0;
}

void sample_irqs_close(struct sample_irqs *irqs)
{
	for (size_t i = 0; i < irqs->n; i++)
		sample_file_close(&irqs->lines[i].counts);
	free(irqs->lines);
	*irqs = (struct sample_irqs){ 0 };
}

static void add_count(struct sample *sample, unsigned cpu, uint64_t count)
{
	if (cpu >= SAMPLE_CPUS_MAX)
		return;
	sample->cpus[cpu].irqs += count;
	if (cpu >= sample->n_cpus)
		sample->n_cpus = cpu + 1;
}

/* "12,0,7": of each CPU that there may be, by number (kernel/irq/irqdesc.c 6.1). */
static void take_counts(const struct sysroot *root, struct sample_line *line,
			struct sample *ret)
{
	char buf[COUNTS_SIZE], *s = buf, *end;

	if (sample_file_read(root, &line->counts, 0, buf, sizeof(buf)) <= 0)
		return;
	for (unsigned cpu = 0; cpu < SAMPLE_CPUS_MAX; cpu++, s = end + 1) {
		uint64_t count = strtoull(s, &end, 10);

		if (end == s)
			return;
		add_count(ret, cpu, count);
		if (*end != ',')
			return;
	}
}

/* Where sysfs has no counts (before 4.9, recorded boards), or there are many lines. */
static void take_rows(const struct sysroot *root, const struct sample_irqs *irqs,
		      struct sample *ret)
{
	unsigned short cpus[CPUS_MAX];
	struct irq_rows rows;
	struct irq_row row;
	int r = irq_rows_open(&rows, root, cpus);

	while (r == 0 && irq_rows_next(&rows, &row) == 1 && row.number <= irqs->last) {
		uint64_t count;

		if (!has_line(irqs, row.number))
			continue;
		for (unsigned i = 0;
		     i < rows.columns && irq_row_count(&row.counts, &count); i++)
			add_count(ret, cpus[i], count);
	}
	irq_rows_close(&rows);
}

void sample_irqs_take(const struct sysroot *root, struct sample_irqs *irqs,
		      struct sample *ret)
{
	if (irqs->n && irqs->rows)
		take_rows(root, irqs, ret);
	for (size_t i = 0; !irqs->rows && i < irqs->n; i++)
		take_counts(root, &irqs->lines[i], ret);
}
