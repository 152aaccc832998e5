// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-interrupts.c - any bytes as /proc/interrupts, from memory and piece by piece
#include <sys/mman.h>

#include "knobs/irq-nic.h"
#include "knobs/irq-rows.h"
#include "knobs/irq-table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_SIZE_MAX 65536

static void check_table(const struct irq_table *table)
{
	_cleanup_(irq_index_clear) struct irq_index index = { 0 };
	struct sysroot none = SYSROOT_INIT;
	size_t *lines = NULL;
	ssize_t n;

	if (table->n_cpus == 0 || table->n_cpus > 1024)
		abort();
	for (size_t i = 0; i < table->n; i++) {
		const struct irq_line *line = &table->lines[i];

		if (irq_table_find(table, line->number) != line || !line->counts ||
		    line->hwirq[strspn(line->hwirq, "0123456789")] ||
		    (*line->actions && !irq_has_action(line->actions, "*") &&
		     line->actions[strspn(line->actions, ",")] &&
		     strlen(line->actions) < IRQ_NAME_MAX))
			abort();
	}
	if (irq_index_make(table, &index) < 0)
		return;
	n = irq_nic_lines(&none, &index, "eth0", "/sys/devices/platform/a.b/net/eth0",
			  &lines);
	for (ssize_t i = 0; i < n; i++)
		if (lines[i] >= table->n || (i && lines[i] <= lines[i - 1]))
			abort();
	free(lines);
}

/* Piece by piece it has to come to the same rows, as long as there is no NUL. */
static size_t count_rows(const uint8_t *data, size_t size)
{
	_cleanup_(irq_rows_close) struct irq_rows rows = { .fd = -1 };
	_cleanup_close_ int fd = memfd_create("interrupts", MFD_CLOEXEC);
	struct irq_row row;
	size_t n = 0;
	int r;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		return SIZE_MAX;
	rows.fd = TAKE_FD(fd);
	rows.columns = 4;
	while ((r = irq_rows_next(&rows, &row)) == 1)
		n++;
	return r < 0 ? SIZE_MAX : n;
}

static size_t count_lines(char *text)
{
	struct irq_row row;
	size_t n = 0;

	for (char *line = text, *next = text; next; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		n += irq_row_parse(line, 4, &row);
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(irq_table_clear) struct irq_table table = { 0 };
	_cleanup_free_ char *text = NULL, *again = NULL;
	size_t n;

	if (size > FUZZ_SIZE_MAX)
		return 0;
	text = strndup((const char *)data, size);
	again = strndup((const char *)data, size);
	if (!text || !again)
		return 0;
	if (irq_table_parse(text, &table) == 0)
		check_table(&table);
	n = count_rows(data, size);
	if (strlen(again) == size && n != SIZE_MAX && n != count_lines(again))
		abort();
	return 0;
}
