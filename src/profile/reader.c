// SPDX-License-Identifier: GPL-2.0-or-later
// reader.c - checks each raw line of an INI file and feeds it to inih
#include "profile/reader.h"

#include <ctype.h>
#include <ini.h>

enum reader_state {
	READER_START,	/* before the first header */
	READER_SECTION, /* below a header: keys go to the last section */
	READER_SKIP,	/* below a header that was not understood */
};

struct reader {
	const char *file;
	const char *pos, *end;
	unsigned line;
	enum reader_state state;
	struct reader_file out;
	struct profile_errors *errors;
	size_t first_error;
	int error; /* -ENOMEM */
};

size_t reader_utf8_length(const char *s, size_t size)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t min; /* below it the character has a shorter form */
	} forms[] = {
		{ 0x80, 0x00, 0 },
		{ 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 },
		{ 0xf8, 0xf0, 0x10000 },
	};

	for (size_t n = 1; n <= ARRAY_SIZE(forms) && n <= size; n++) {
		unsigned char first = s[0];
		uint32_t c;

		if ((first & forms[n - 1].mask) != forms[n - 1].lead)
			continue;
		c = first & ~forms[n - 1].mask;
		for (size_t i = 1; i < n; i++) {
			if (((unsigned char)s[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | ((unsigned char)s[i] & 0x3f);
		}
		if (c < forms[n - 1].min || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return 0;
		return n;
	}
	return 0;
}

/* Also the C1 controls, which some terminals obey. */
static bool is_control(const char *s, size_t n)
{
	unsigned char c = s[0];

	return c < ' ' || c == 127 || (n == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

char *reader_quote(const char *text, size_t size, char buf[static READER_QUOTE_MAX])
{
	size_t used = 0;

	for (size_t i = 0; i < size;) {
		size_t n = reader_utf8_length(text + i, size - i);

		if (used + 4 + 4 > READER_QUOTE_MAX) { /* a character, "..." and NUL */
			strcpy(buf + used, "...");
			return buf;
		}
		if (n == 0 || is_control(text + i, n)) {
			sprintf(buf + used, "\\x%02x", (unsigned char)text[i]);
			used += 4;
			i++;
		} else {
			memcpy(buf + used, text + i, n);
			used += n;
			i += n;
		}
	}
	buf[used] = '\0';
	return buf;
}

static struct reader_section *section_find(struct reader_file *f, const char *name,
					   const char *label)
{
	for (size_t i = 0; i < f->n_sections; i++)
		if (streq(f->sections[i].name, name) &&
		    streq(f->sections[i].label, label))
			return &f->sections[i];
	return NULL;
}

static int section_add(struct reader *r, const char *name, const char *label)
{
	const struct reader_section *twin = section_find(&r->out, name, label);
	struct reader_section s = { .line = r->line };

	if (twin)
		profile_error_add(r->errors, r->file, r->line,
				  _("section [%s%s%s] is already on line %u; expected "
				    "its "
				    "keys together there"),
				  name, *label ? ":" : "", label, twin->line);
	if (r->out.n_sections == READER_SECTIONS_MAX) {
		profile_error_add(r->errors, r->file, r->line,
				  _("more than %d sections in one file"),
				  READER_SECTIONS_MAX);
		return 0;
	}
	if (array_grow(&r->out.sections, r->out.n_sections, sizeof(s)) < 0)
		return -ENOMEM;
	s.name = strdup(name);
	s.label = strdup(label);
	r->out.sections[r->out.n_sections++] = s;
	r->state = READER_SECTION;
	return s.name && s.label ? 0 : -ENOMEM;
}

static bool is_section_name(const char *s)
{
	if (!isalpha((unsigned char)*s))
		return false;
	while (isalnum((unsigned char)*s) || *s == '_' || *s == '-')
		s++;
	return *s == '\0';
}

static bool is_label(const char *s)
{
	return *s && !strpbrk(s, " \t[");
}

/* "[name]" or "[name:label]", then nothing but an inline comment. */
static int check_header(struct reader *r, const char *s, size_t n)
{
	const char *close = memchr(s, ']', n);
	char name[READER_LINE_MAX + 1], quoted[READER_QUOTE_MAX];
	const char *rest, *end = s + n;
	char *label;

	if (close) {
		memcpy(name, s + 1, close - s - 1);
		name[close - s - 1] = '\0';
		label = strchr(name, ':');
		if (label)
			*label++ = '\0';
		for (rest = close + 1; rest < end && (*rest == ' ' || *rest == '\t');)
			rest++;
		if (is_section_name(name) && (!label || is_label(label)) &&
		    (rest == end || (*rest == ';' && rest > close + 1)))
			return section_add(r, name, label ? label : "");
	}
	profile_error_add(r->errors, r->file, r->line,
			  _("broken header \"%s\"; expected [section] or "
			    "[section:label]"),
			  reader_quote(s, n, quoted));
	return 0;
}

/* Whether inih will find a key before the first '='. */
static bool check_key(struct reader *r, const char *s, size_t n)
{
	char quoted[READER_QUOTE_MAX];
	size_t i;

	for (i = 0; i < n && s[i] != '=' && s[i] != ':'; i++)
		if (s[i] == ';' && i && (s[i - 1] == ' ' || s[i - 1] == '\t'))
			break;
	reader_quote(s, n, quoted);
	if (i == n || s[i] != '=') {
		profile_error_add(r->errors, r->file, r->line,
				  _("\"%s\" is not understood; expected key = value, "
				    "[section] or a # comment"),
				  quoted);
		return false;
	}
	if (i == 0 || (s[0] == '-' && (i == 1 || s[1] == ' ' || s[1] == '\t'))) {
		profile_error_add(r->errors, r->file, r->line,
				  _("no key in \"%s\"; expected key = value"), quoted);
		return false;
	}
	if (r->state == READER_START) {
		profile_error_add(r->errors, r->file, r->line,
				  _("\"%s\" stands before the first section; expected a "
				    "header such as [cpufreq] above it"),
				  quoted);
		r->state = READER_SKIP;
	}
	return r->state == READER_SECTION;
}

/* What no line may hold, a comment included: true if it is there. */
static bool check_bytes(struct reader *r, const char *s, size_t n, size_t max)
{
	char quoted[READER_QUOTE_MAX];

	if (memchr(s, '\0', n)) {
		profile_error_add(r->errors, r->file, r->line,
				  _("NUL byte in \"%s\"; expected text"),
				  reader_quote(s, n, quoted));
		return true;
	}
	if (n > max) {
		profile_error_add(r->errors, r->file, r->line,
				  _("line of %zu bytes, \"%s\"; expected at most %zu"), n,
				  reader_quote(s, n, quoted), max);
		return true;
	}
	return false;
}

/* Control characters and text that is not UTF-8: true if there is any. */
static bool check_text(struct reader *r, const char *s, size_t n)
{
	char quoted[READER_QUOTE_MAX];

	for (size_t i = 0, length; i < n; i += length) {
		length = reader_utf8_length(s + i, n - i);
		if (length && (s[i] == '\t' || !is_control(s + i, length)))
			continue;
		profile_error_add(r->errors, r->file, r->line,
				  length ? _("control character in \"%s\"; expected text")
					 : _("\"%s\" is not UTF-8; expected UTF-8 text"),
				  reader_quote(s, n, quoted));
		return true;
	}
	return false;
}

/* Whether inih shall see the line: only a key with something after it. */
static bool check_line(struct reader *r, const char *s, size_t n, size_t max)
{
	char quoted[READER_QUOTE_MAX];
	size_t blanks = 0;

	if (n && s[0] == '[')
		r->state = READER_SKIP; /* until it proves to be a good header */
	if (check_bytes(r, s, n, max))
		return false;
	while (blanks < n && (s[blanks] == ' ' || s[blanks] == '\t'))
		blanks++;
	if (blanks == n || s[blanks] == '#' || s[blanks] == ';')
		return false;
	if (check_text(r, s, n))
		return false;
	if (blanks) {
		profile_error_add(r->errors, r->file, r->line,
				  _("\"%s\" is indented; expected it to begin in the "
				    "first "
				    "column"),
				  reader_quote(s, n, quoted));
		return false;
	}
	if (s[0] != '[')
		return check_key(r, s, n);
	r->error = check_header(r, s, n);
	return false;
}

/* inih's fgets: the next line, or an empty one in place of what it shall not see. */
static char *next_line(char *buf, int size, void *stream)
{
	struct reader *r = stream;
	size_t n, max = READER_LINE_MAX;
	const char *s = r->pos, *newline;

	if (r->pos == r->end || r->error || size < 3)
		return NULL;
	if (r->errors->n - r->first_error >= READER_ERRORS_MAX) {
		profile_error_add(r->errors, r->file, r->line,
				  _("too many errors; the lines after this are not "
				    "read"));
		return NULL;
	}
	if ((size_t)size - 2 < max) /* an inih built with a shorter buffer */
		max = (size_t)size - 2;
	newline = memchr(s, '\n', r->end - s);
	n = (newline ? newline : r->end) - s;
	r->pos = newline ? newline + 1 : r->end;
	r->line++;
	if (n && s[n - 1] == '\r')
		n--;
	if (!check_line(r, s, n, max))
		n = 0;
	memcpy(buf, s, n);
	strcpy(buf + n, "\n");
	return buf;
}

/* Debian's inih passes the line as a fifth argument, upstream's does not: not used. */
static int take_key(void *user, const char *section, const char *name, const char *value)
{
	struct reader *r = user;
	struct reader_section *s = &r->out.sections[r->out.n_sections - 1];
	struct reader_key k = { .line = r->line, .optional = name[0] == '-' };
	char quoted[READER_QUOTE_MAX];

	name += k.optional;
	if (!value || !*value) {
		profile_error_add(r->errors, r->file, r->line,
				  _("no value for \"%s\"; expected key = value"),
				  reader_quote(name, strlen(name), quoted));
		return 1;
	}
	if (s->n_keys == READER_KEYS_MAX) {
		profile_error_add(r->errors, r->file, r->line,
				  _("more than %d keys in one section"), READER_KEYS_MAX);
		return 1;
	}
	if (array_grow(&s->keys, s->n_keys, sizeof(k)) < 0) {
		r->error = -ENOMEM;
		return 1;
	}
	k.key = strdup(name);
	k.value = strdup(value);
	if (!k.key || !k.value)
		r->error = -ENOMEM;
	s->keys[s->n_keys++] = k;
	return 1;
}

void reader_file_clear(struct reader_file *f)
{
	for (size_t i = 0; i < f->n_sections; i++) {
		struct reader_section *s = &f->sections[i];

		for (size_t k = 0; k < s->n_keys; k++) {
			free(s->keys[k].key);
			free(s->keys[k].value);
		}
		free(s->keys);
		free(s->name);
		free(s->label);
	}
	free(f->sections);
	*f = (struct reader_file){ 0 };
}

int reader_parse(const char *file, const char *text, size_t size, struct reader_file *ret,
		 struct profile_errors *errors)
{
	struct reader r = { .file = file,
			    .pos = text,
			    .end = text + size,
			    .errors = errors,
			    .first_error = errors->n };
	int bad;

	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.pos += 3;
	bad = ini_parse_stream(next_line, &r, take_key, &r);
	if (bad == -2)
		r.error = -ENOMEM;
	if (r.error) {
		reader_file_clear(&r.out);
		return r.error;
	}
	/* Only if inih and the checks above disagree about a line. */
	if (bad > 0)
		profile_error_add(errors, file, bad,
				  _("line is not understood; expected key = value"));
	*ret = r.out;
	return 0;
}
