// SPDX-License-Identifier: GPL-2.0-or-later
// import-options.c - the options of cpupower frequency-set that are imported
#include "profile/import-private.h"

#include "profile/reader.h"

/* cpupower-frequency-set(1); all but --related have a value. */
static const struct {
	const char *letter, *name;
	enum import_what what;
} options[] = {
	{ "-g", "--governor", IMPORT_GOVERNOR }, { "-d", "--min", IMPORT_MIN },
	{ "-u", "--max", IMPORT_MAX },		 { "-f", "--freq", IMPORT_FREQ },
	{ "-r", "--related", IMPORT_NOTHING },	 { "-c", "--cpu", IMPORT_NO_KEY },
};

/* The command that is read: systemd splits it at blanks. */
struct words {
	struct import *im;
	const struct shell_variable *from;
	char *rest;
};

static char *next_word(struct words *w)
{
	char *word;

	do
		word = strsep(&w->rest, " \t");
	while (word && !*word);
	return word;
}

/* Its row in the table, and what stands in the same word as its value; -1: none. */
static int find_option(char *word, char **ret_value)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		size_t n = strlen(options[i].name);

		if (strncmp(word, options[i].letter, 2) == 0) {
			*ret_value = word[2] ? word + 2 : NULL;
			return i;
		}
		if (strncmp(word, options[i].name, n) == 0 &&
		    (word[n] == '=' || !word[n])) {
			*ret_value = word[n] ? word + n + 1 : NULL;
			return i;
		}
	}
	return -1;
}

static void remark_left_out(struct words *w, const char *text)
{
	char quoted[READER_QUOTE_MAX];

	profile_error_add(w->im->remarks, w->im->file, w->from->line,
			  _("%s has no key in a profile; left out"),
			  reader_quote(text, strlen(text), quoted));
}

/* CPUs that are not all: the keys of a profile are by policy. */
static void read_cpus(struct words *w, const char *cpus)
{
	char quoted[READER_QUOTE_MAX];

	if (streq(cpus, "all"))
		return;
	w->im->disabled = true;
	profile_error_add(w->im->remarks, w->im->file, w->from->line,
			  _("is for the CPUs %s only, so the keys below are comments; "
			    "they belong below [cpufreq:policyN]"),
			  reader_quote(cpus, strlen(cpus), quoted));
}

/* An option, or the command itself. *command: it was there. */
static int read_word(struct words *w, char *word, bool *command)
{
	char *value = NULL;
	int i = find_option(word, &value);

	if (i < 0) {
		if (*command || !streq(word, "frequency-set"))
			remark_left_out(w, word);
		*command = true;
		return 0;
	}
	if (options[i].what == IMPORT_NOTHING)
		return 0;
	if (!value)
		value = next_word(w);
	if (!value) {
		char quoted[READER_QUOTE_MAX];

		profile_error_add(w->im->errors, w->im->file, w->from->line,
				  _("\"%s\": expected a value after it"),
				  reader_quote(word, strlen(word), quoted));
		return 0;
	}
	if (options[i].what == IMPORT_NO_KEY) {
		read_cpus(w, value);
		return 0;
	}
	return import_item_set(w->im, options[i].what, IMPORT_ALL_POLICIES,
			       options[i].name, value, w->from->line);
}

/* The first word that is no option and no value of one. */
static bool is_frequency_set(const char *text)
{
	const char *at = strstr(text, "frequency-set");

	return at && (at == text || strchr(" \t", at[-1])) &&
	       strchr(" \t", at[strlen("frequency-set")]);
}

int import_read_options(struct import *im, const struct shell_variable *v)
{
	_cleanup_free_ char *text = strdup(v->value);
	struct words w = { im, v, text };
	bool command = false;
	char *word;
	int r = 0;

	if (!text)
		return -ENOMEM;
	if (!is_frequency_set(text)) {
		if (*text)
			remark_left_out(&w, text);
		return 0;
	}
	while (r == 0 && (word = next_word(&w)))
		r = read_word(&w, word, &command);
	return r;
}
