// SPDX-License-Identifier: GPL-2.0-or-later
// irq-rows.c - rows of /proc/interrupts one by one; what sysfs says of a line
#include "knobs/irq-rows.h"

#include <ctype.h>
#include <fcntl.h>

#include "base/cpus.h"

#define BLANKS " \t"

int irq_header_parse(const char *line, unsigned short *cpus, size_t max)
{
	size_t n = 0;

	for (line += strspn(line, BLANKS); *line; line += strspn(line, BLANKS)) {
		const char *digits = str_after(line, "CPU");
		unsigned long cpu;
		char *end;

		if (!digits || !isdigit((unsigned char)*digits) || n == max)
			return -EBADMSG;
		cpu = strtoul(digits, &end, 10);
		if (cpu >= CPUS_MAX || (*end && !strchr(BLANKS, *end)))
			return -EBADMSG;
		cpus[n++] = (unsigned short)cpu;
		line = end;
	}
	return n ? (int)n : -EBADMSG;
}

/* The end of a word of digits only, NULL if it is none. */
static char *number_end(char *s)
{
	char *end = s + strspn(s, "0123456789");

	return end > s && (!*end || strchr(BLANKS, *end)) ? end : NULL;
}

bool irq_row_count(char **counts, uint64_t *ret)
{
	char *s = *counts + strspn(*counts, BLANKS), *end = number_end(s);

	if (!end)
		return false;
	*ret = strtoull(s, NULL, 10);
	*counts = end;
	return true;
}

/* A word of a row that is a hwirq: "56", "0-edge", "2-fasteoi". */
static bool is_hwirq(const char *word)
{
	size_t n = strspn(word, "0123456789");

	return n > 0 && (!word[n] || strchr(BLANKS, word[n]) ||
			 (word[n] == '-' && isalpha((unsigned char)word[n + 1])));
}

static char *next_word(char *s)
{
	s += strcspn(s, BLANKS);
	return s + strspn(s, BLANKS);
}

static bool word_is(const char *s, const char *word)
{
	const char *end = str_after(s, word);

	return end && (!*end || strchr(BLANKS, *end));
}

/* Cut the text before @end, without the blanks there. */
static void cut_before(char *begin, char *end)
{
	while (end > begin && strchr(BLANKS, end[-1]))
		end--;
	*end = '\0';
}

/* "a, b" as sysfs has it: "a,b". */
static void join_actions(char *actions)
{
	char *to = actions;

	for (char *s = actions; *s; s++) {
		*to++ = *s;
		if (*s == ',')
			while (s[1] == ' ')
				s++;
	}
	*to = '\0';
	str_chomp(actions);
}

/* Chip, hwirq and actions: what follows the counts. */
static void parse_names(char *s, struct irq_row *row)
{
	static char none[] = "";
	char *word = next_word(s), *rest;

	row->chip = s;
	row->hwirq = none;
	while (*word && !is_hwirq(word) && *word != '-')
		word = next_word(word);
	if (!*word)
		word = next_word(s); /* neither hwirq nor flow: the chip is one word */
	rest = word;
	if (*word && is_hwirq(word)) {
		row->hwirq = word;
		rest = next_word(word);
		if (number_end(word) && (word_is(rest, "Level") || word_is(rest, "Edge")))
			rest = next_word(rest);
	}
	if (*rest == '-')
		rest = next_word(rest);
	/* from the end on: each cut may be where the next piece begins */
	row->actions = rest;
	join_actions(rest);
	cut_before(s, word);
	if (row->hwirq == word)
		word[strspn(word, "0123456789")] = '\0';
}

bool irq_row_parse(char *line, unsigned columns, struct irq_row *ret)
{
	struct irq_row row = { 0 };
	unsigned long number;
	char *s, *end;
	uint64_t count;

	s = line + strspn(line, BLANKS);
	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	number = strtoul(s, &end, 10);
	if (errno || number > INT32_MAX || *end != ':')
		return false;
	row.number = (unsigned)number;
	row.counts = s = end + 1;
	for (unsigned i = 0; i < columns && irq_row_count(&s, &count); i++)
		;
	if (s == row.counts)
		return false;
	/* a CPU that came online meanwhile has a column more */
	while (irq_row_count(&s, &count))
		;
	if (*s)
		*s++ = '\0'; /* the counts end here */
	parse_names(s + strspn(s, BLANKS), &row);
	*ret = row;
	return true;
}

/* The next line without its newline: 1, 0 at the end, or -errno. */
static int next_line(struct irq_rows *rows, char **ret)
{
	for (;;) {
		char *line = rows->buf + rows->from;
		char *end = memchr(line, '\n', rows->used - rows->from);
		ssize_t n;

		if (end) {
			*end = '\0';
			rows->from = (size_t)(end - rows->buf) + 1;
			*ret = line;
			return 1;
		}
		memmove(rows->buf, line, rows->used - rows->from);
		rows->used -= rows->from;
		rows->from = 0;
		if (rows->used == sizeof(rows->buf))
			return -EFBIG;
		n = read(rows->fd, rows->buf + rows->used,
			 sizeof(rows->buf) - rows->used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		rows->used += (size_t)n;
		if (n == 0 && rows->used == 0)
			return 0;
		if (n == 0) /* a last line without newline; there is room for one */
			rows->buf[rows->used++] = '\n';
	}
}

int irq_rows_open(struct irq_rows *rows, const struct sysroot *root, unsigned short *cpus)
{
	unsigned short unused[CPUS_MAX];
	char probe[2], *line;
	ssize_t n;
	int r;

	rows->fd = -1;
	rows->from = rows->used = 0;
	/* the rules of a recorded board are asked by reading, however little */
	n = root->hooks ? sysroot_read(root, IRQ_INTERRUPTS, probe, sizeof(probe)) : 0;
	if (n < 0 && n != -EFBIG)
		return (int)n;
	rows->fd = sysroot_openat(root, IRQ_INTERRUPTS,
				  O_RDONLY | (root->live ? 0 : O_NONBLOCK), 0);
	if (rows->fd < 0)
		return rows->fd;
	r = next_line(rows, &line);
	if (r == 1)
		r = irq_header_parse(line, cpus ? cpus : unused, CPUS_MAX);
	if (r <= 0)
		return r ? r : -EBADMSG;
	rows->columns = (unsigned)r;
	return 0;
}

int irq_rows_next(struct irq_rows *rows, struct irq_row *ret)
{
	char *line;
	int r;

	do
		r = next_line(rows, &line);
	while (r == 1 && !irq_row_parse(line, rows->columns, ret));
	return r;
}

void irq_rows_close(struct irq_rows *rows)
{
	close_fd(&rows->fd);
}

static int read_name(const struct sysroot *root, unsigned number, const char *attr,
		     char *buf, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), IRQ_DIR "/%u/%s", number, attr);
	n = sysroot_read(root, path, buf, size);
	return n < 0 ? (int)n : 0;
}

int irq_read_actions(const struct sysroot *root, unsigned number,
		     char ret[static IRQ_ACTIONS_MAX])
{
	int r = read_name(root, number, "actions", ret, IRQ_ACTIONS_MAX);

	if (r == 0 && streq(ret, "(null)"))
		ret[0] = '\0';
	return r;
}

int irq_read_hwirq(const struct sysroot *root, unsigned number,
		   char ret[static IRQ_HWIRQ_MAX])
{
	return read_name(root, number, "hwirq", ret, IRQ_HWIRQ_MAX);
}

int irq_identify(const struct sysroot *root, unsigned number, struct irq_identity *ret)
{
	struct irq_identity id = { 0 };
	int r;

	r = irq_read_actions(root, number, id.actions);
	if (r == 0)
		r = read_name(root, number, "chip_name", id.chip, sizeof(id.chip));
	if (r == 0)
		r = irq_read_hwirq(root, number, id.hwirq);
	if (r < 0)
		return r;
	*ret = id;
	return 0;
}
