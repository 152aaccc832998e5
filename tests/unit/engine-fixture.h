/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine-fixture.h - apply and undo on the engine's board, for the engine's tests */
#ifndef BOARDTUNE_ENGINE_FIXTURE_H
#define BOARDTUNE_ENGINE_FIXTURE_H

#include "engine/apply.h"
#include "sandbox.h"

/* The lines of a board, without those that tell what was written. */
__attribute__((unused)) static char *without_writes(const char *text)
{
	char *ret = calloc(1, strlen(text) + 1), *out = ret;

	while (*text) {
		size_t n = strcspn(text, "\n");

		n += text[n] == '\n';
		if (strncmp(text, "#! ", 3) != 0) {
			memcpy(out, text, n);
			out += n;
		}
		text += n;
	}
	return ret;
}

struct outcome_of {
	int r;
	enum apply_result result;
	struct plan plan;
};

__attribute__((unused)) static struct outcome_of
apply_to(struct system *sys, const char *profile, struct apply_options opts)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	struct outcome_of o = { .result = APPLY_STUCK };
	struct state st = STATE_INIT;

	opts.stop_fd = opts.stop_fd ? opts.stop_fd : -1;
	o.r = profile_load(&sys->root, profile, &p, &errors);
	if (o.r == 0)
		o.r = state_lock(sys, 0, &st);
	if (o.r == 0)
		o.r = engine_apply(sys, &st, p, &opts, &o.plan, &o.result, NULL, &errors);
	state_unlock(sys, &st);
	for (size_t i = 0; i < errors.n; i++)
		printf("# %s:%u: %s\n", errors.items[i].file, errors.items[i].line,
		       errors.items[i].text);
	return o;
}

__attribute__((unused)) static int undo_on(struct system *sys, enum undo_to to)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(plan_clear) struct plan plan = { 0 };
	struct state st = STATE_INIT;
	int r = state_lock(sys, 0, &st);

	if (r == 0)
		r = engine_undo(sys, &st, to, &plan, &errors);
	state_unlock(sys, &st);
	return r;
}

__attribute__((unused)) static const struct change *row(const struct plan *plan,
							const char *key)
{
	for (size_t i = 0; i < plan->n; i++)
		if (streq(plan->changes[i].setting->key, key))
			return &plan->changes[i];
	return NULL;
}

__attribute__((unused)) static enum outcome outcome_in(const struct plan *plan,
						       const char *key)
{
	const struct change *c = row(plan, key);

	return c ? c->outcome : OUTCOME_MAX_;
}

__attribute__((unused)) static char *saved(struct system *sys)
{
	is_int(board_save(sys, "saved.board"), 0, "the board is saved");
	return slurp("saved.board");
}

/* A board like the fixture, with more lines. */
__attribute__((unused)) static void open_board(const char *more, struct system *ret)
{
	_cleanup_free_ char *text = slurp(board_path),
			    *all = str_format("%s%s", text, more);
	struct board_error error = { 0 };

	spit("test.board", all);
	if (!is_int(board_open_recording("test.board", ret, &error), 0, "board opens"))
		printf("# line %u: %s\n", error.line, error.text);
}

#endif
