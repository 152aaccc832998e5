// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-recommend.c - recommend: the profile that fits this board, and why
#include "cmd-recommend.h"

int cmd_recommend_look(struct cmd *c, struct recommend_look *ret)
{
	struct recommend_look look = { .c = c };
	struct sysroot machine = SYSROOT_INIT;
	int r;

	identity_read(&c->sys.root, &look.id);
	r = recommend_find(&look.id, &c->sys.root, &look.list);
	/* A recording rarely has profiles: those of this machine are what is meant. */
	if (r == 0 && c->opt[OPT_BOARD] &&
	    !sysroot_exists(&c->sys.root, SOURCE_VENDOR_DIR) &&
	    !sysroot_exists(&c->sys.root, SOURCE_LOCAL_DIR)) {
		recommend_list_clear(&look.list);
		look.elsewhere = true;
		r = sysroot_open(NULL, &machine);
		if (r == 0)
			r = recommend_find(&look.id, &machine, &look.list);
		sysroot_close(&machine);
	}
	if (r < 0) {
		cmd_error("%s: %s", SOURCE_VENDOR_DIR, strerror(-r));
		return cmd_exit_of(r);
	}
	*ret = look;
	return 0;
}

void cmd_recommend_clear(struct recommend_look *look)
{
	recommend_list_clear(&look->list);
}

/* A translated phrase, NULL when out of memory. */
static char *why_fits(const struct identity *id, const struct recommend_fit *fit)
{
	switch (fit->by) {
	case RECOMMEND_COMPATIBLE:
		if (fit->variant)
			return str_format(_("compatible %s; a variant: measure it"),
					  id->compatible[fit->rank]);
		return str_format(_("compatible %s, number %zu of %zu, the most specific "
				    "first"),
				  id->compatible[fit->rank], fit->rank + 1,
				  id->n_compatible);
	case RECOMMEND_DMI:
		return str_format(_("DMI %s"), id->dmi);
	case RECOMMEND_GENERIC:
		return strdup(_("generic, for any board of this kind"));
	}
	return NULL;
}

static const char *board_name(const struct identity *id)
{
	if (id->model[0])
		return id->model;
	return id->n_compatible ? id->compatible[0] : _("unknown");
}

void cmd_tell_broken(const char *broken)
{
	cmd_error(_("warning: passed over, as there is an error in them: %s; see "
		    "\"boardtune show PROFILE\""),
		  broken);
}

void cmd_recommend_tell_broken(const struct recommend_look *look)
{
	if (!look->list.broken)
		return;
	cmd_tell_broken(look->list.broken);
	if (look->list.error)
		fprintf(stderr, "%s\n", look->list.error);
}

int cmd_recommend_tell_none(const struct recommend_look *look)
{
	cmd_error(_("no profile is for this board (%s): start from one that \"boardtune "
		    "list\" shows, or from what sets it now: \"boardtune import\""),
		  board_name(&look->id));
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

/* One profile that fits: its name with the summary, then why. */
static int tell_fit(const struct recommend_look *look, const struct recommend_fit *fit)
{
	_cleanup_free_ char *why = why_fits(&look->id, fit);
	_cleanup_free_ char *head = str_format("%s: %s", fit->name, fit->summary);
	_cleanup_free_ char *reason = why ? str_format(_("Why: %s"), why) : NULL;

	if (!head || !reason)
		return -ENOMEM;
	text_wrap(stdout, head, 0, 2);
	text_wrap(stdout, reason, 2, 4);
	return 0;
}

int cmd_recommend_tell(const struct recommend_look *look)
{
	_cleanup_free_ char *board = NULL;
	int r = 0;

	board = str_format(_("This board: %s"), board_name(&look->id));
	if (!board)
		return -ENOMEM;
	text_wrap(stdout, board, 0, 2);
	putchar('\n');
	for (size_t i = 0; r == 0 && i < look->list.n; i++) {
		if (i == 1)
			printf("\n%s\n", _("Others that fit:"));
		r = tell_fit(look, &look->list.fits[i]);
	}
	return r;
}

static void tell_next(const struct recommend_look *look)
{
	const struct recommend_fit *best = &look->list.fits[0];
	char where[CMD_WHERE_MAX];

	cmd_where(look->c, where);
	if (look->c->sys.root.live)
		printf(_("\nNext: \"boardtune setup\", or by hand:\n"
			 "\"boardtune plan %s\".\n"),
		       best->name);
	else
		printf(_("\nNext: \"boardtune plan %s%s\".\n"),
		       look->elsewhere ? best->path : best->name, where);
}

static const char *const by_names[] = {
	[RECOMMEND_COMPATIBLE] = "compatible",
	[RECOMMEND_DMI] = "dmi",
	[RECOMMEND_GENERIC] = "generic",
};

static json_t *fit_json(const struct identity *id, const struct recommend_fit *fit)
{
	json_t *match = json_null(), *rank = json_null();

	if (fit->by == RECOMMEND_COMPATIBLE) {
		match = json_string(id->compatible[fit->rank]);
		rank = json_integer((json_int_t)fit->rank + 1);
	} else if (fit->by == RECOMMEND_DMI) {
		match = json_string(id->dmi);
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:b}", "name", fit->name,
			 "origin", fit->local ? "local" : "vendor", "summary",
			 fit->summary, "file", fit->path, "reason", by_names[fit->by],
			 "match", match, "rank", rank, "variant", (int)fit->variant);
}

static int print_json(const struct recommend_look *look, int code)
{
	json_t *candidates = json_array();

	for (size_t i = 0; i < look->list.n; i++)
		json_array_append_new(candidates,
				      fit_json(&look->id, &look->list.fits[i]));
	return cmd_json_print(json_pack("{s:i, s:s, s:s?, s:o, s:o, s:i}", "schema", 1,
					"command", look->c->name, "profile",
					look->list.n ? look->list.fits[0].name : NULL,
					"board", cmd_json_board(look->c), "candidates",
					candidates, "exit", code));
}

int cmd_recommend(struct cmd *c, int argc, char **argv)
{
	_cleanup_(cmd_recommend_clear) struct recommend_look look = { 0 };
	int r, code;

	if (argc != 1)
		return cmd_usage(c, _("%s takes no argument"), c->name);
	r = cmd_recommend_look(c, &look);
	if (r)
		return r;
	cmd_recommend_tell_broken(&look);
	code = look.list.n ? EXIT_AS_WANTED : cmd_recommend_tell_none(&look);
	if (c->json)
		return print_json(&look, code) ? EXIT_NOT_AS_WANTED : code;
	if (code || c->quiet)
		return code;
	if (cmd_recommend_tell(&look) < 0) {
		cmd_error("%s", strerror(ENOMEM));
		return EXIT_NOT_AS_WANTED;
	}
	tell_next(&look);
	return code;
}
