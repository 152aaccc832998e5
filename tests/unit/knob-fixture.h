/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knob-fixture.h - what a family of settings says about a recorded board, as text */
#ifndef BOARDTUNE_KNOB_FIXTURE_H
#define BOARDTUNE_KNOB_FIXTURE_H

#include "board-fixture.h"
#include "knobs/knob.h"

typedef int each_fn(struct system *sys, const struct setting *s,
		    const struct selector *sel, struct target_list *list);

/* The targets of the interfaces that a glob matches. */
__attribute__((unused)) static struct target_list
targets(struct system *sys, each_fn *each, const struct setting *s, const char *glob)
{
	const char *key = "Name";
	struct selector sel = {
		.label = "x", .match_keys = &key, .match_patterns = &glob, .n_matches = 1
	};
	struct target_list list = { 0 };

	is_int(each(sys, s, &sel, &list), 0, "targets of %s", glob);
	return list;
}

__attribute__((unused)) static const char *
names(struct system *sys, each_fn *each, const struct setting *s, const char *glob)
{
	static char text[1024];
	struct target_list list = targets(sys, each, s, glob);

	text[0] = '\0';
	for (size_t i = 0; i < list.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 i ? " " : "", list.targets[i].name);
	target_list_clear(&list);
	return text;
}

typedef int get_fn(struct system *sys, const struct setting *s, const struct target *t,
		   struct value *ret);

__attribute__((unused)) static const char *
got(struct system *sys, get_fn *get, const struct setting *s, const struct target *t)
{
	static char text[VALUE_TEXT_MAX];
	struct value v;
	int r = get(sys, s, t, &v);

	return r < 0 ? errno_name(r) : value_format(&v, text);
}

__attribute__((unused)) static struct value parsed(enum value_type type, const char *text)
{
	struct value v = { 0 };

	is_int(value_parse(type, text, &v), 0, "%s", text);
	return v;
}

typedef int expect_fn(struct system *sys, const struct setting *s, const struct target *t,
		      const struct value *asked, struct expectation *ret);

/* "want [-> rounded] outcome [errno] (note)" */
__attribute__((unused)) static const char *expected(struct system *sys, expect_fn *expect,
						    const struct setting *s,
						    const struct target *t,
						    const char *text)
{
	static char buf[2 * VALUE_TEXT_MAX + 2 * KNOB_NOTE_MAX];
	char want[VALUE_TEXT_MAX], rounded[VALUE_TEXT_MAX];
	struct value v = parsed(s->type, text);
	struct expectation e;
	int r = expect(sys, s, t, &v, &e);

	value_format(&e.want, want);
	value_format(&e.rounded, rounded);
	if (r < 0)
		snprintf(buf, sizeof(buf), "%s (%s)", errno_name(r), e.note);
	else
		snprintf(buf, sizeof(buf), "'%s'%s%s %s%s%s%s%s%s", want,
			 e.rounded.type ? " -> " : "", rounded, outcome_name(e.outcome),
			 e.error ? " " : "", e.error ? errno_name(e.error) : "",
			 e.note[0] ? " (" : "", e.note, e.note[0] ? ")" : "");
	return buf;
}

/* For those who do without. */
__attribute__((unused)) static void knob_fixture_unused(void)
{
	(void)feature;
	(void)fixture_file;
	(void)text_of;
}

#endif
