// SPDX-License-Identifier: GPL-2.0-or-later
// shell.c - reads assignments as sh(1) does, options as UCI does, and refuses all else
#include "profile/shell.h"

#include <ctype.h>

#include "profile/reader.h"

/* Positive: the line is not understood. It has more than blanks and is no comment. */
struct shell_reader;
typedef int shell_take_fn(struct shell_reader *r, const char *line);

struct shell_reader {
	const char *file, *expected;
	shell_take_fn *take;
	const char *at, *end; /* what is not read yet */
	unsigned line;	      /* of what is read now, and how many it is continued on */
	unsigned more;
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

int shell_add(struct shell_variables *v, const char *name, size_t name_size,
	      const char *value, unsigned line)
{
	struct shell_variable *item;

	if (array_grow(&v->items, v->n, sizeof(*v->items)) < 0)
		return -ENOMEM;
	item = &v->items[v->n++];
	item->name = strndup(name, name_size);
	item->value = strdup(value);
	item->line = line;
	return item->name && item->value ? 0 : -ENOMEM;
}

/* The start of a command: skips "export", *ret says whether it was there. */
static const char *skip_export(const char *s, bool *ret)
{
	const char *after = str_after(s, "export");

	*ret = after && is_blank(*after);
	return *ret ? skip_blanks(after) : s;
}

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
			error = shell_add(&r->out, name, n, word, r->line);
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

/* Words at the end of the line that is read, "" for those that are not there. */
static const char *take_words(const char *s, char words[][SHELL_LINE_MAX + 1], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		words[i][0] = '\0';
		if (*s && *s != '#')
			s = take_word(s, words[i]);
		if (!s)
			return NULL;
		s = skip_blanks(s);
	}
	return !*s || *s == '#' ? s : NULL;
}

/* A section's type and name say nothing that its options do not. */
static int take_option(struct shell_reader *r, const char *s)
{
	char words[3][SHELL_LINE_MAX + 1];
	bool option;

	if (!take_words(s, words, ARRAY_SIZE(words)))
		return 1;
	option = streq(words[0], "option") || streq(words[0], "list");
	if (!option && !streq(words[0], "config") && !streq(words[0], "package"))
		return 1;
	if (name_length(words[1]) != strlen(words[1]) || (option && !*words[1]))
		return 1;
	return option ? shell_add(&r->out, words[1], strlen(words[1]), words[2], r->line)
		      : 0;
}

/* Whether a backslash at the end joins the next line: not one in '' or in a comment. */
static bool is_continued(const char *s)
{
	const char *first = s;
	char quote = '\0';

	for (; *s; s++) {
		if (*s == '\\' && quote != '\'') {
			if (!*++s)
				return true;
		} else if (quote ? *s == quote : *s == '"' || *s == '\'') {
			quote = quote ? '\0' : *s;
		} else if (*s == '#' && !quote &&
			   (s == first || is_blank(s[-1]) || s[-1] == ';')) {
			return false;
		}
	}
	return false;
}

/*
 * The next line with all that continue it. Returns NULL, or what is wrong with one of
 * them, which then is all that @buf has.
 */
static const char *next_line(struct shell_reader *r, char buf[static SHELL_LINE_MAX + 1],
			     size_t *ret_size)
{
	const char *wrong = NULL;
	size_t used = 0;
	bool more;

	r->line += 1 + r->more;
	r->more = 0;
	do {
		const char *newline = memchr(r->at, '\n', r->end - r->at);
		size_t n = (newline ? newline : r->end) - r->at;
		const char *line = r->at;

		r->at = newline ? newline + 1 : r->end;
		if (n && line[n - 1] == '\r')
			n--;
		if (used + n > SHELL_LINE_MAX)
			wrong = _("line is too long; expected NAME=value");
		else if (memchr(line, '\0', n))
			wrong = _("NUL byte; expected text");
		if (wrong) {
			used = 0;
			n = n < READER_QUOTE_MAX ? n : READER_QUOTE_MAX;
		}
		memcpy(buf + used, line, n);
		used += n;
		buf[used] = '\0';
		more = !wrong && r->at < r->end && is_continued(buf);
		used -= more;
		r->more += more;
	} while (more);
	*ret_size = used;
	return wrong;
}

static int read_line(struct shell_reader *r)
{
	char line[SHELL_LINE_MAX + 1], quoted[READER_QUOTE_MAX];
	const char *wrong, *start;
	int error = 0;
	size_t n;

	wrong = next_line(r, line, &n);
	start = skip_blanks(line);
	if (!wrong && *start && *start != '#')
		error = r->take(r, start);
	if (error > 0)
		wrong = strpbrk(line, "$`") ? _("nothing is expanded; expected "
						"NAME=value with a plain value")
					    : _(r->expected);
	if (wrong)
		profile_error_add(r->errors, r->file, r->line, "\"%s\": %s",
				  reader_quote(line, n, quoted), wrong);
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

static int read_lines(struct shell_reader *r, struct shell_variables *ret)
{
	size_t before = r->errors->n;
	int error = 0;

	if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0)
		r->at += 3;
	while (r->at < r->end && error == 0) {
		if (r->errors->n - before >= READER_ERRORS_MAX ||
		    r->out.n > SHELL_VARIABLES_MAX) {
			profile_error_add(r->errors, r->file, r->line + r->more + 1,
					  _("too many errors or assignments; the lines "
					    "from here on are not read"));
			break;
		}
		error = read_line(r);
	}
	if (error == 0 && r->errors->n != before)
		error = -EBADMSG;
	if (error)
		shell_clear(&r->out);
	else
		*ret = r->out;
	return error;
}

int shell_parse(const char *file, const char *text, size_t size,
		struct shell_variables *ret, struct profile_errors *errors)
{
	struct shell_reader r = {
		.file = file, .take = take_assignments, .at = text, .end = text + size,
		.errors = errors,
		.expected = N_("expected NAME=value, without blanks around the =, or a # "
			       "comment"),
	};

	return read_lines(&r, ret);
}

int shell_parse_uci(const char *file, const char *text, size_t size,
		    struct shell_variables *ret, struct profile_errors *errors)
{
	struct shell_reader r = {
		.file = file, .take = take_option, .at = text, .end = text + size,
		.errors = errors,
		.expected = N_("expected config TYPE NAME, option KEY VALUE or a # "
			       "comment"),
	};

	return read_lines(&r, ret);
}
