// SPDX-License-Identifier: GPL-2.0-or-later
// record.c - the lines and entries of a .board file
#include "board/record.h"

#include <stdarg.h>

struct parser {
	struct record *record;
	struct board_error *error;
	bool rules_only;
	size_t pos;    /* of the next line */
	unsigned line; /* number of the last one that was taken */
};

enum separator {
	SEPARATOR_NONE,
	SEPARATOR_TEXT,	 /* = */
	SEPARATOR_BYTES, /* := */
	SEPARATOR_LINK,	 /* -> */
	SEPARATOR_MODE,	 /* : */
	SEPARATOR_LINES, /* << */
};

int record_fail(struct board_error *error, unsigned line, const char *fmt, ...)
{
	va_list ap;

	error->line = line;
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	return -EBADMSG;
}

void record_free(struct record *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_lines; i++) {
		free(r->lines[i].path);
		free(r->lines[i].data);
	}
	for (size_t i = 0; i < r->n_rules; i++)
		record_rule_clear(&r->rules[i]);
	free(r->lines);
	free(r->rules);
	free(r->nics);
	free(r->text);
	free(r);
}

int record_check_path(const char *path, unsigned line, struct board_error *error)
{
	const char *part = path;

	if (path[0] != '/' || !path[1])
		return record_fail(error, line, _("'%s': expected an absolute path"),
				   path);
	if (strlen(path) >= SYSROOT_PATH_MAX)
		return record_fail(error, line, _("a path of more than %d bytes"),
				   SYSROOT_PATH_MAX - 1);
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return record_fail(error, line,
					   _("a control character in a path"));
	while (*part) {
		size_t n = strcspn(++part, "/");

		if (n == 0 || (n == 1 && part[0] == '.') ||
		    (n == 2 && part[0] == '.' && part[1] == '.'))
			return record_fail(
				error, line,
				_("'%s': no empty part, '.' or '..' in a path"), path);
		if (n > 255)
			return record_fail(error, line,
					   _("a file name of more than 255 bytes"));
		if (part[n - 1] == ' ')
			return record_fail(error, line,
					   _("'%s': a blank at the end of a name"), path);
		part += n;
	}
	return 0;
}

/* The next line without its newline; NULL after the last. */
static const char *take_line(struct parser *p, size_t *ret_length)
{
	const struct record *r = p->record;
	const char *s = r->text + p->pos, *end;

	if (p->pos == r->size)
		return NULL;
	end = memchr(s, '\n', r->size - p->pos);
	*ret_length = end ? (size_t)(end - s) : r->size - p->pos;
	p->pos += *ret_length + !!end;
	p->line++;
	return s;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* One escape after its backslash: its length, 0 if it is none; the byte in @ret. */
static size_t take_escape(const char *s, size_t n, char *ret)
{
	if (n >= 1 && strchr("n0\\", s[0])) {
		*ret = s[0] == 'n' ? '\n' : s[0] == '0' ? '\0' : '\\';
		return 1;
	}
	if (n >= 3 && s[0] == 'x' && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0) {
		*ret = (char)(hex_digit(s[1]) * 16 + hex_digit(s[2]));
		return 3;
	}
	return 0;
}

static int take_text(struct parser *p, const char *s, size_t n, bool newline,
		     struct record_line *line)
{
	_cleanup_free_ char *data = malloc(n + 2);
	size_t size = 0;

	if (!data)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t taken;

		if (s[i] != '\\') {
			data[size++] = s[i];
			continue;
		}
		taken = take_escape(s + i + 1, n - i - 1, &data[size++]);
		if (!taken)
			return record_fail(
				p->error, line->number,
				_("unknown escape: expected \\n, \\0, \\xHH or \\\\"));
		i += taken;
	}
	if (newline)
		data[size++] = '\n';
	data[size] = '\0';
	line->data = TAKE_PTR(data);
	line->size = size;
	return 0;
}

static int take_lines(struct parser *p, const char *word, size_t n_word,
		      struct record_line *line)
{
	size_t start = p->pos, n;
	const char *s;

	if (!n_word)
		return record_fail(p->error, line->number,
				   _("expected a word after '<<'"));
	for (size_t i = 0; i < n_word; i++)
		if (word[i] <= ' ' || word[i] > '~')
			return record_fail(p->error, line->number,
					   _("expected one word after '<<'"));
	for (;;) {
		size_t end = p->pos;

		s = take_line(p, &n);
		if (!s)
			return record_fail(p->error, line->number,
					   _("no line '%.*s' ends this entry"),
					   (int)n_word, word);
		if (n != n_word || memcmp(s, word, n) != 0)
			continue;
		line->size = end - start;
		line->data = malloc(line->size + 1);
		if (!line->data)
			return -ENOMEM;
		memcpy(line->data, p->record->text + start, line->size);
		line->data[line->size] = '\0';
		return 0;
	}
}

static int take_mode(struct parser *p, const char *s, size_t n, struct record_line *line)
{
	unsigned mode = 0;
	size_t i;

	for (i = 0; i < n && i < 5 && s[i] >= '0' && s[i] <= '7'; i++)
		mode = mode * 8 + (unsigned)(s[i] - '0');
	if (n < 3 || i != n || mode > 0777)
		return record_fail(p->error, line->number,
				   _("expected a mode such as 0444 after ':'"));
	line->mode = mode;
	return 0;
}

static int take_target(struct parser *p, const char *s, size_t n,
		       struct record_line *line)
{
	if (!n || n >= SYSROOT_PATH_MAX)
		return record_fail(p->error, line->number,
				   _("expected where the link points after '->'"));
	line->data = strndup(s, n);
	if (!line->data)
		return -ENOMEM;
	line->size = n;
	return 0;
}

/* What separates path and value: the first of the five. */
static enum separator find_separator(const char *s, size_t n, size_t *ret_path,
				     size_t *ret_value)
{
	static const struct {
		const char *text;
		enum separator separator;
	} table[] = {
		{ " =", SEPARATOR_TEXT },   { " :=", SEPARATOR_BYTES },
		{ " ->", SEPARATOR_LINK },  { " :", SEPARATOR_MODE },
		{ " <<", SEPARATOR_LINES },
	};

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; s[i] == ' ' && k < ARRAY_SIZE(table); k++) {
			size_t length = strlen(table[k].text), end = i + length;

			if (end > n || memcmp(s + i, table[k].text, length) != 0)
				continue;
			if (table[k].separator != SEPARATOR_LINES && end < n) {
				if (s[end] != ' ')
					continue;
				end++;
			}
			*ret_path = i;
			*ret_value = end;
			return table[k].separator;
		}
	return SEPARATOR_NONE;
}

static int take_value(struct parser *p, enum separator separator, const char *s, size_t n,
		      struct record_line *line)
{
	switch (separator) {
	case SEPARATOR_NONE:
		line->kind = RECORD_DIR;
		return 0;
	case SEPARATOR_TEXT:
		line->kind = RECORD_FILE;
		return take_text(p, s, n, true, line);
	case SEPARATOR_BYTES:
		line->kind = RECORD_FILE;
		return take_text(p, s, n, false, line);
	case SEPARATOR_LINES:
		line->kind = RECORD_FILE;
		return take_lines(p, s, n, line);
	case SEPARATOR_LINK:
		line->kind = RECORD_LINK;
		return take_target(p, s, n, line);
	case SEPARATOR_MODE:
		line->kind = RECORD_MODE;
		return take_mode(p, s, n, line);
	}
	return -EINVAL;
}

static int take_entry(struct parser *p, const char *s, size_t n, struct record_line *line)
{
	size_t n_path = n, value = n;
	enum separator separator = find_separator(s, n, &n_path, &value);
	int r;

	if (p->rules_only)
		return record_fail(p->error, line->number,
				   _("only '!' and '@' lines here: the files are in the "
				     "directory"));
	if (separator == SEPARATOR_NONE) {
		if (s[n - 1] != '/')
			return record_fail(
				p->error, line->number,
				_("expected '=', ':=', '<<', '->' or ':' after "
				  "the path, or '/' at its end"));
		n_path--;
	}
	line->path = strndup(s, n_path);
	if (!line->path)
		return -ENOMEM;
	r = record_check_path(line->path, line->number, p->error);
	if (r < 0)
		return r;
	return take_value(p, separator, s + value, n - value, line);
}

/* A rule or NIC line is cut to pieces in a copy. */
static int take_marked(struct parser *p, const char *s, size_t n,
		       struct record_line *line)
{
	_cleanup_free_ char *copy = strndup(s, n);

	if (!copy)
		return -ENOMEM;
	if (s[0] == '!') {
		line->kind = RECORD_RULE;
		line->index = p->record->n_rules;
		return record_parse_rule(p->record, copy, line->number, p->error);
	}
	line->kind = RECORD_NIC;
	line->index = p->record->n_nics;
	return record_parse_nic(p->record, copy, line->number, line->start, p->error);
}

static int take_one(struct parser *p, const char *s, size_t n, struct record_line *line)
{
	size_t blanks = 0;

	while (blanks < n && strchr(" \t\r", s[blanks]))
		blanks++;
	if (blanks == n || s[0] == '#')
		return 0; /* RECORD_NOTE */
	switch (s[0]) {
	case '/':
		return take_entry(p, s, n, line);
	case '!':
	case '@':
		return take_marked(p, s, n, line);
	}
	return record_fail(
		p->error, line->number,
		_("expected a path, '!', '@' or '#' at the start of the line"));
}

static int parse_lines(struct parser *p)
{
	struct record *r = p->record;
	const char *s;
	size_t start, n;

	for (start = 0; (s = take_line(p, &n)); start = p->pos) {
		struct record_line *line;
		int err = array_grow(&r->lines, r->n_lines, sizeof(*r->lines));

		if (err < 0)
			return err;
		line = &r->lines[r->n_lines++];
		*line = (struct record_line){ .number = p->line, .start = start };
		err = take_one(p, s, n, line);
		if (err < 0)
			return err;
		line->length = p->pos - start;
	}
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct record_line *const *x = a, *const *y = b;
	int order = strcmp((*x)->path, (*y)->path);

	return order ? order : (*x)->number < (*y)->number ? -1 : 1;
}

static int compare_path(const void *key, const void *item)
{
	const struct record_line *const *line = item;

	return strcmp(key, (*line)->path);
}

/* No parent of an entry is a link or a file. */
static int check_parents(const struct record_line *line, struct record_line **sorted,
			 size_t n, struct board_error *error)
{
	char parent[SYSROOT_PATH_MAX];

	strcpy(parent, line->path);
	for (char *slash = strrchr(parent, '/'); slash != parent;
	     slash = strrchr(parent, '/')) {
		struct record_line **found;

		*slash = '\0';
		found = bsearch(parent, sorted, n, sizeof(*sorted), compare_path);
		if (!found || (*found)->kind == RECORD_DIR)
			continue;
		if ((*found)->kind == RECORD_LINK)
			return record_fail(
				error, line->number,
				_("'%s' is a link (line %u): expected the path "
				  "without links"),
				parent, (*found)->number);
		return record_fail(error, line->number, _("'%s' is a file (line %u)"),
				   parent, (*found)->number);
	}
	return 0;
}

static int check_mode(const struct record_line *line, struct record_line **sorted,
		      size_t n, struct board_error *error)
{
	struct record_line **found = bsearch(line->path, sorted, n, sizeof(*sorted),
					     compare_path);

	if (found && (*found)->kind != RECORD_LINK)
		return 0;
	return record_fail(
		error, line->number,
		_("a mode for '%s', which is no file or directory of this board"),
		line->path);
}

/* The lines of one sort (entries, or modes), by path; a path twice is an error. */
static ssize_t sort_lines(const struct record *r, bool modes, struct record_line **sorted,
			  struct board_error *error)
{
	const struct record_line *twice = NULL;
	size_t n = 0;

	for (size_t i = 0; i < r->n_lines; i++) {
		struct record_line *line = &r->lines[i];

		if (line->path && (line->kind == RECORD_MODE) == modes)
			sorted[n++] = line;
	}
	qsort(sorted, n, sizeof(*sorted), compare_lines);
	for (size_t i = 1; i < n; i++)
		if (streq(sorted[i - 1]->path, sorted[i]->path)) {
			twice = sorted[i];
			return record_fail(error, twice->number,
					   _("'%s' is given twice (line %u)"),
					   twice->path, sorted[i - 1]->number);
		}
	return (ssize_t)n;
}

static int check_paths(struct record *r, struct board_error *error)
{
	_cleanup_free_ struct record_line **entries = NULL, **modes = NULL;
	ssize_t n, n_modes;
	int err;

	entries = calloc(r->n_lines + 1, sizeof(*entries));
	modes = calloc(r->n_lines + 1, sizeof(*modes));
	if (!entries || !modes)
		return -ENOMEM;
	n = sort_lines(r, false, entries, error);
	if (n < 0)
		return (int)n;
	n_modes = sort_lines(r, true, modes, error);
	if (n_modes < 0)
		return (int)n_modes;
	for (ssize_t i = 0; i < n; i++) {
		err = check_parents(entries[i], entries, (size_t)n, error);
		if (err < 0)
			return err;
	}
	for (ssize_t i = 0; i < n_modes; i++) {
		err = check_mode(modes[i], entries, (size_t)n, error);
		if (err < 0)
			return err;
	}
	return 0;
}

static int check_nul(const struct record *r, struct board_error *error)
{
	const char *nul = memchr(r->text, '\0', r->size);
	unsigned line = 1;

	if (!nul)
		return 0;
	for (const char *c = r->text; c < nul; c++)
		line += *c == '\n';
	return record_fail(error, line,
			   _("a NUL byte: expected text, \\0 in a ':=' line"));
}

int record_parse(const char *text, size_t size, bool rules_only, struct record **ret,
		 struct board_error *ret_error)
{
	_cleanup_(record_freep) struct record *r = NULL;
	struct parser p = { .error = ret_error, .rules_only = rules_only };
	int err;

	if (size > RECORD_SIZE_MAX)
		return -EFBIG;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->text = malloc(size + 1);
	if (!r->text)
		return -ENOMEM;
	if (size)
		memcpy(r->text, text, size);
	r->text[size] = '\0';
	r->size = size;
	p.record = r;
	err = check_nul(r, ret_error);
	if (err == 0)
		err = parse_lines(&p);
	if (err == 0)
		err = check_paths(r, ret_error);
	if (err < 0)
		return err;
	*ret = TAKE_PTR(r);
	return 0;
}
