// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-setup-plan.c - setup: a plan in sentences
#include "cmd-setup.h"

/* How a sentence about a section begins. */
static const struct {
	const char *section, *words;
} subjects[] = {
	{ "cpufreq", N_("Clocks") },
	{ "thermal", N_("Heat") },
	{ "net", N_("Network") },
	{ "irq", N_("Other interrupts") },
	{ "sysctl", N_("Kernel parameters") },
};

/* "Network wan", "Clocks" */
static char *subject_of(const struct change *c)
{
	const char *label = strchr(c->section, ':');
	const char *words = c->setting->section;

	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		if (streq(subjects[i].section, c->setting->section))
			words = _(subjects[i].words);
	return str_format("%s%s%s", words, label ? " " : "", label ? label + 1 : "");
}

/* A group of features is named as the profile has it: tso. */
static const char *name_of(const struct change *c)
{
	return c->group ? c->group->key : change_key(c);
}

static bool same_section(const struct change *a, const struct change *b)
{
	return streq(a->section, b->section);
}

/* The same key with the same value, as on each policy or queue, is said once. */
static bool is_said(const struct plan *plan, size_t i)
{
	const struct change *c = &plan->changes[i];

	for (size_t k = 0; k < i; k++) {
		const struct change *other = &plan->changes[k];

		if (change_due(other) && !other->side && same_section(other, c) &&
		    streq(name_of(other), name_of(c)) &&
		    value_equal(&other->want, &c->want))
			return true;
	}
	return false;
}

static bool is_first_of_section(const struct plan *plan, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!plan->changes[k].side &&
		    same_section(&plan->changes[k], &plan->changes[i]))
			return false;
	return !plan->changes[i].side;
}

/* "Clocks: governor schedutil, max_freq 1296 MHz (2 to change, 3 already so)" */
static int tell_section(const struct plan *plan, size_t first)
{
	_cleanup_free_ char *subject = subject_of(&plan->changes[first]), *text = NULL;
	size_t due = 0, as_is = 0, size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	fprintf(f, "%s: ", subject ? subject : "?");
	for (size_t i = first; i < plan->n; i++) {
		const struct change *c = &plan->changes[i];
		char value[VALUE_TEXT_MAX];

		if (c->side || !same_section(c, &plan->changes[first]))
			continue;
		as_is += c->outcome == OUTCOME_OK;
		if (!change_due(c))
			continue;
		if (!is_said(plan, i))
			fprintf(f, "%s%s %s", due ? ", " : "", name_of(c),
				value_format_human(&c->want, value));
		due++;
	}
	if (due)
		fprintf(f, _(" (%zu to change, %zu already so)"), due, as_is);
	else
		fputs(_("already so"), f);
	if (fclose(f) == EOF || !subject)
		return -ENOMEM;
	if (due || as_is)
		text_wrap(stdout, text, 2, 4);
	return 0;
}

static bool rises(const struct change *c)
{
	switch (c->want.type) {
	case VALUE_FREQ:
		return c->before.type == VALUE_FREQ && c->want.khz > c->before.khz;
	case VALUE_TEMP:
		return c->before.type == VALUE_TEMP &&
		       c->want.millicelsius > c->before.millicelsius;
	case VALUE_FLAG:
		return streq(c->setting->key, "boost") && c->want.flag;
	case VALUE_WORD:
		return streq(c->setting->key, "governor") &&
		       streq(c->want.word, "performance");
	case VALUE_NONE:
	case VALUE_WORDS:
	case VALUE_NUMBER:
	case VALUE_FEATURE:
	case VALUE_CPUS:
	case VALUE_LINE:
	case VALUE_TEXT:
		break;
	}
	return false;
}

static bool drops_link(const struct change *c)
{
	return c->setting->drops_link;
}

/* What the rows of a kind come to: "max_freq of policy0, min_freq of policy4"; NULL: none
 * or out of memory, then *ret_n is not 0. */
static char *names_of(const struct plan *plan, bool (*is)(const struct change *c),
		      size_t *ret_n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	*ret_n = 0;
	for (size_t i = 0; i < plan->n; i++) {
		const struct change *c = &plan->changes[i];

		if (c->side || !change_due(c) || !is(c))
			continue;
		if (f)
			fprintf(f, _("%s%s of %s"), *ret_n ? ", " : "", change_key(c),
				c->target.name);
		(*ret_n)++;
	}
	if (f && fclose(f) == EOF)
		free(TAKE_PTR(text));
	if (*ret_n == 0)
		free(TAKE_PTR(text));
	return text;
}

static int tell_rows(const struct plan *plan, bool (*is)(const struct change *c),
		     const char *some, const char *none)
{
	size_t n;
	_cleanup_free_ char *names = names_of(plan, is, &n), *text = NULL;

	if (n && !names)
		return -ENOMEM;
	text = n ? str_format(_("%s: %s."), some, names) : strdup(none);
	if (!text)
		return -ENOMEM;
	text_wrap(stdout, text, 0, 2);
	return 0;
}

int setup_tell_plan(const struct plan *plan)
{
	size_t left_out = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->n; i++) {
		const struct change *c = &plan->changes[i];

		if (is_first_of_section(plan, i))
			r = tell_section(plan, i);
		left_out += !c->side && !outcome_success(c->outcome);
	}
	if (r == 0)
		r = tell_rows(plan, rises, _("It may get hotter by"),
			      _("No clock and no heat limit rises."));
	if (r == 0)
		r = tell_rows(plan, drops_link, _("The link goes down for a moment by"),
			      _("No link goes down."));
	if (r == 0 && left_out)
		printf(ngettext("%zu setting is not for this kernel or hardware.\n",
				"%zu settings are not for this kernel or hardware.\n",
				left_out),
		       left_out);
	return r;
}
