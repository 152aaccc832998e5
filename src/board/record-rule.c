// SPDX-License-Identifier: GPL-2.0-or-later
// record-rule.c - the "!" rules of a .board file
#include "board/record.h"

#define ERRNO_MAX 133

/*
 * The words of each rule after its name, one letter each:
 *   p path   x prefix of paths   q other path   e errno   v value to the line end
 *   w words  n numbers      s paths (these three: one or more, to the end)
 *   d "down" or "up"   k "first", "list" or "mask"   c CPUs   m milliseconds
 *   r "reset"   l "while"   = "="
 */
static const struct rule_form {
	const char *name;
	enum record_rule_kind kind;
	const char *signature;
	const char *form;
} forms[] = {
	{ "unreadable", RULE_UNREADABLE, "pe", "!unreadable PATH ERRNO" },
	{ "refuse", RULE_REFUSE, "pe", "!refuse PATH ERRNO" },
	{ "accept", RULE_ACCEPT, "pw", "!accept PATH WORD..." },
	{ "clamp", RULE_CLAMP, "pdn", "!clamp PATH down|up NUMBER..." },
	{ "order", RULE_ORDER, "pqe", "!order MINPATH MAXPATH ERRNO" },
	{ "bitmap", RULE_BITMAP, "pc", "!bitmap PATH NCPUS" },
	{ "delay", RULE_DELAY, "pm", "!delay PATH MILLISECONDS" },
	{ "follow", RULE_FOLLOW, "pqk", "!follow PATH SOURCE first|list|mask" },
	{ "on", RULE_RESET, "prs", "!on PATH reset PATH..." },
	{ "exists", RULE_EXISTS, "xlq=v", "!exists PREFIX while PATH = VALUE" },
};

static const struct rule_form refuse_ethtool = {
	"refuse", RULE_REFUSE_ETHTOOL, "",
	"!refuse @ethtool NIC feature|ring|channels|coalesce|pause|eee NAME ERRNO"
};

static const struct {
	const char *word;
	char letter;
	enum record_choice choice;
} choices[] = {
	{ "down", 'd', CHOICE_DOWN },	{ "up", 'd', CHOICE_UP },
	{ "first", 'k', CHOICE_FIRST }, { "list", 'k', CHOICE_LIST },
	{ "mask", 'k', CHOICE_MASK },
};

struct rule_parser {
	const struct rule_form *form;
	struct record_rule *rule;
	char *rest; /* of the line */
	unsigned line;
	struct board_error *error;
};

void record_rule_clear(struct record_rule *rule)
{
	for (size_t i = 0; i < rule->n_words; i++)
		free(rule->words[i]);
	free(rule->words);
	free(rule->numbers);
	free(rule->path);
	free(rule->other);
	*rule = (struct record_rule){ 0 };
}

/* Cut the next word off; NULL at the end of the line. */
static char *take_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t\r");
	size_t n = strcspn(word, " \t\r");

	if (!n)
		return NULL;
	*rest = word + n;
	if (word[n]) {
		word[n] = '\0';
		(*rest)++;
	}
	return word;
}

static int fail_form(const struct rule_parser *p, const char *word)
{
	if (!word)
		return record_fail(p->error, p->line, _("too short, expected: %s"),
				   p->form->form);
	return record_fail(p->error, p->line, _("'%s' is wrong, expected: %s"), word,
			   p->form->form);
}

/* The number of an errno's name, 0 if there is none. */
static int errno_by_name(const char *name)
{
	for (int i = 1; i <= ERRNO_MAX; i++)
		if (streq(errno_name(i), name))
			return i;
	return 0;
}

static int set_errno(struct rule_parser *p, const char *word)
{
	int error = errno_by_name(word);

	if (!error || streq(word, "?"))
		return record_fail(p->error, p->line,
				   _("'%s': expected the name of an error such as EIO"),
				   word);
	p->rule->error = error;
	return 0;
}

static int set_path(struct rule_parser *p, const char *word, char **path)
{
	int r = record_check_path(word, p->line, p->error);

	if (r < 0)
		return r;
	*path = strdup(word);
	return *path ? 0 : -ENOMEM;
}

/* "DIR/" is written for all below DIR: without the slash it is DIR and all below. */
static int set_prefix(struct rule_parser *p, char *word)
{
	size_t n = strlen(word);

	if (n > 1 && word[n - 1] == '/')
		word[n - 1] = '\0';
	return set_path(p, word, &p->rule->path);
}

static int set_choice(struct rule_parser *p, const char *word, char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		if (choices[i].letter == letter && streq(choices[i].word, word)) {
			p->rule->choice = choices[i].choice;
			return 0;
		}
	return fail_form(p, word);
}

static bool parse_number(const char *word, int64_t min, int64_t max, int64_t *ret)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(word, &end, 10);
	if (errno || *end || end == word || word[0] == '+' || v < min || v > max)
		return false;
	*ret = v;
	return true;
}

static int set_count(struct rule_parser *p, const char *word, int64_t min, int64_t max)
{
	int64_t v;

	if (!parse_number(word, min, max, &v))
		return record_fail(p->error, p->line,
				   _("'%s': expected a number from %lld to %lld"), word,
				   (long long)min, (long long)max);
	p->rule->count = (unsigned)v;
	return 0;
}

static int add_number(struct rule_parser *p, const char *word)
{
	struct record_rule *rule = p->rule;
	int64_t v;
	int r;

	if (!parse_number(word, INT32_MIN, UINT32_MAX, &v))
		return record_fail(p->error, p->line, _("'%s': expected a number"), word);
	r = array_grow(&rule->numbers, rule->n_numbers, sizeof(*rule->numbers));
	if (r < 0)
		return r;
	rule->numbers[rule->n_numbers++] = v;
	return 0;
}

static int add_word(struct rule_parser *p, const char *word)
{
	struct record_rule *rule = p->rule;
	int r = array_grow(&rule->words, rule->n_words, sizeof(*rule->words));

	if (r < 0)
		return r;
	rule->words[rule->n_words] = strdup(word);
	if (!rule->words[rule->n_words])
		return -ENOMEM;
	rule->n_words++;
	return 0;
}

static int add_path(struct rule_parser *p, const char *word)
{
	int r = record_check_path(word, p->line, p->error);

	return r < 0 ? r : add_word(p, word);
}

static int take_letter(struct rule_parser *p, char letter, char *word)
{
	struct record_rule *rule = p->rule;

	switch (letter) {
	case 'p':
		return set_path(p, word, &rule->path);
	case 'x':
		return set_prefix(p, word);
	case 'q':
		return set_path(p, word, &rule->other);
	case 'e':
		return set_errno(p, word);
	case 'd':
	case 'k':
		return set_choice(p, word, letter);
	case 'c':
		return set_count(p, word, 1, RECORD_CPUS_MAX);
	case 'm':
		return set_count(p, word, 0, RECORD_DELAY_MAX);
	case 'w':
	case 'v':
		return add_word(p, word);
	case 'n':
		return add_number(p, word);
	case 's':
		return add_path(p, word);
	case 'r':
		return streq(word, "reset") ? 0 : fail_form(p, word);
	case 'l':
		return streq(word, "while") ? 0 : fail_form(p, word);
	case '=':
		return streq(word, "=") ? 0 : fail_form(p, word);
	}
	return -EINVAL;
}

static int take_words(struct rule_parser *p)
{
	char *word;
	int r;

	for (const char *s = p->form->signature; *s; s++) {
		if (*s == 'v') { /* a value may hold blanks */
			word = str_chomp(p->rest + strspn(p->rest, " \t"));
			p->rest += strlen(p->rest);
			if (!*word)
				word = NULL;
		} else {
			word = take_word(&p->rest);
		}
		if (!word)
			return fail_form(p, NULL);
		r = take_letter(p, *s, word);
		while (r == 0 && strchr("wns", *s) && (word = take_word(&p->rest)))
			r = take_letter(p, *s, word);
		if (r < 0)
			return r;
	}
	word = take_word(&p->rest);
	return word ? fail_form(p, word) : 0;
}

static int take_refuse_ethtool(struct rule_parser *p)
{
	char *words[4];

	p->form = &refuse_ethtool;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		words[i] = take_word(&p->rest);
		if (!words[i])
			return fail_form(p, NULL);
	}
	if (!streq(words[1], "feature") && !ethtool_param_find(words[1], words[2]))
		return fail_form(p, words[1]);
	if (*(p->rest + strspn(p->rest, " \t\r")))
		return fail_form(p, p->rest);
	p->rule->path = strdup(words[0]);
	p->rule->other = str_format("%s %s", words[1], words[2]);
	if (!p->rule->path || !p->rule->other)
		return -ENOMEM;
	return set_errno(p, words[3]);
}

/* Rules that say nothing: a path that is compared with or follows itself. */
static int check_rule(const struct rule_parser *p)
{
	const struct record_rule *rule = p->rule;

	if ((rule->kind == RULE_ORDER || rule->kind == RULE_FOLLOW) &&
	    streq(rule->path, rule->other))
		return record_fail(p->error, p->line,
				   _("expected two different paths: %s"), p->form->form);
	return 0;
}

static int take_rule(struct rule_parser *p, const char *name)
{
	const char *rest = p->rest + strspn(p->rest, " \t");

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		int r;

		if (!streq(forms[i].name, name))
			continue;
		p->form = &forms[i];
		p->rule->kind = p->form->kind;
		if (p->rule->kind == RULE_REFUSE && str_after(rest, "@ethtool ")) {
			p->rule->kind = RULE_REFUSE_ETHTOOL;
			take_word(&p->rest);
			return take_refuse_ethtool(p);
		}
		r = take_words(p);
		return r < 0 ? r : check_rule(p);
	}
	return record_fail(
		p->error, p->line,
		_("unknown rule '!%s': expected unreadable, refuse, accept, clamp, "
		  "order, bitmap, delay, follow, on or exists"),
		name);
}

int record_parse_rule(struct record *r, char *text, unsigned line,
		      struct board_error *error)
{
	struct record_rule rule = { .line = line };
	struct rule_parser p = { .rule = &rule, .line = line, .error = error };
	const char *name;
	int err = array_grow(&r->rules, r->n_rules, sizeof(*r->rules));

	if (err < 0)
		return err;
	p.rest = text + 1;
	if (strchr(" \t\r", *p.rest))
		return record_fail(error, line,
				   _("expected the name of a rule after '!'"));
	name = take_word(&p.rest);
	err = take_rule(&p, name);
	if (err < 0) {
		record_rule_clear(&rule);
		return err;
	}
	r->rules[r->n_rules++] = rule;
	return 0;
}
