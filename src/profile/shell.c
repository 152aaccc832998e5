// SPDX-License-Identifier: GPL-2.0-or-later
// shell.c - reads assignments and comments as sh(1) does, and refuses all else
#include "profile/shell.h"

#include <ctype.h>

#include "profile/reader.h"

struct shell_reader {
	const char *file;
	unsigned line;
	struct shell_variables out;
	struct profile_errors *errors;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

/* The length of a variable's name, 0 if there is none. */
static size_t name_length(const char *s)
{
	size_t n = 0;

	while (s[n] == '_' ||
	       (n ? isalnum((unsigned char)s[n]) : isalpha((unsigned char)s[n])))
		n++;
	return n;
}

/*
 * One word with its quotes taken off. Returns what follows it, NULL if there is anything
 * in it that a shell would not take as it stands. Quoted or not, "$" and backquotes are
 * refused: no value of ours has any.
 */
static const char *take_word(const char *s, char *word)
{
	const char *first = word;
	char quote = '\0';

	for (; *s; s++) {
		if (quote == '\'' && *s != '\'') {
			*word++ = *s;
		} else if (quote && *s == quote) {
			quote = '\0';
		} else if (!quote && (*s == '"' || *s == '\'')) {
			quote = *s;
		} else if (*s == '\\') {
			/* In "" it quotes only these; at the end it joins two lines. */
			if (!quote || strchr("\"\\", s[1]))
				s++;
			if (!*s)
				return NULL;
			*word++ = *s;
		} else if (!quote && (is_blank(*s) || *s == ';')) {
			break;
		} else if (!quote && strchr("&|<>()", *s)) {
			return NULL;
		} else {
			*word++ = *s;
		}
	}
	*word = '\0';
	return quote || strpbrk(first, "$`") ? NULL : s;
}

static int add_variable(struct shell_reader *r, const char *name, size_t n,
			const char *value)
{
	struct shell_variable v = { .line = r->line };

	if (array_grow(&r->out.items, r->out.n, sizeof(v)) < 0)
		return -ENOMEM;
	v.name = strndup(name, n);
	v.value = strdup(value);
	r->out.items[r->out.n++] = v;
	return v.name && v.value ? 0 : -ENOMEM;
}

/* The start of a command: skips "export", *ret says whether it was there. */
static const char *skip_export(const char *s, bool *ret)
{
	const char *after = str_after(s, "export");

	*ret = after && is_blank(*after);
	return *ret ? skip_blanks(after) : s;
}

/* Positive: the line is not understood. */
static int take_assignments(struct shell_reader *r, const char *s)
{
	char word[SHELL_LINE_MAX + 1];
	bool export;

	s = skip_export(s, &export);
	while (*s && *s != '#') {
		const char *name = s;
		size_t n = name_length(s);
		int error = 0;

		s += n;
		if (n && *s == '=') {
			s = take_word(s + 1, word);
			if (!s)
				return 1;
			error = add_variable(r, name, n, word);
		} else if (!n || !export || (*s && !is_blank(*s) && *s != ';')) {
			return 1; /* only "export NAME" may do without "=" */
		}
		if (error)
			return error;
		s = skip_blanks(s);
		if (*s == ';')
			s = skip_export(skip_blanks(s + 1), &export);
	}
	return 0;
}

static int read_line(struct shell_reader *r, const char *s, size_t n)
{
	char line[SHELL_LINE_MAX + 1], quoted[READER_QUOTE_MAX];
	const char *wrong = NULL, *start;
	int error = 0;

	reader_quote(s, n, quoted);
	if (n > SHELL_LINE_MAX) {
		wrong = _("line is too long; expected NAME=value");
	} else if (memchr(s, '\0', n)) {
		wrong = _("NUL byte; expected text");
	} else {
		memcpy(line, s, n);
		line[n] = '\0';
		start = skip_blanks(line);
		if (*start && *start != '#')
			error = take_assignments(r, start);
		if (error > 0)
			wrong = strpbrk(line, "$`") ? _("nothing is expanded; expected "
							"NAME=value with a "
							"plain value")
						    : _("expected NAME=value, without "
							"blanks around "
							"the =, or a # comment");
	}
	if (wrong)
		profile_error_add(r->errors, r->file, r->line, "\"%s\": %s", quoted,
				  wrong);
	return error < 0 ? error : 0;
}

void shell_clear(struct shell_variables *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->items[i].name);
		free(v->items[i].value);
	}
	free(v->items);
	*v = (struct shell_variables){ 0 };
}

int shell_parse(const char *file, const char *text, size_t size,
		struct shell_variables *ret, struct profile_errors *errors)
{
	struct shell_reader r = { .file = file, .errors = errors };
	const char *end = text + size;
	size_t before = errors->n;
	int error = 0;

	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	while (text < end && error == 0) {
		const char *newline = memchr(text, '\n', end - text);
		size_t n = (newline ? newline : end) - text;

		r.line++;
		if (errors->n - before >= READER_ERRORS_MAX ||
		    r.out.n > SHELL_VARIABLES_MAX) {
			profile_error_add(errors, file, r.line,
					  _("too many errors or assignments; the lines "
					    "from here on are not read"));
			break;
		}
		error = read_line(&r, text, n && text[n - 1] == '\r' ? n - 1 : n);
		text = newline ? newline + 1 : end;
	}
	if (error == 0 && errors->n != before)
		error = -EBADMSG;
	if (error) {
		shell_clear(&r.out);
		return error;
	}
	*ret = r.out;
	return 0;
}
