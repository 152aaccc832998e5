// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-load.c - a profile as a command takes it, and whether it is for this board
#include "cmd.h"
#include "profile/recommend.h"

bool cmd_is_for_board(const struct cmd *c, const struct profile *p)
{
	struct identity id;

	if (!recommend_boards(p))
		return true;
	identity_read(&c->sys.root, &id);
	return recommend_names_board(p, &id);
}

const char *cmd_board_name(const struct identity *id)
{
	if (id->n_compatible)
		return id->compatible[0];
	return id->model[0] ? id->model : _("unknown");
}

int cmd_check_board(struct cmd *c, const struct profile *p)
{
	char where[CMD_WHERE_MAX];
	struct identity id;

	if (c->opt[OPT_FORCE] || cmd_is_for_board(c, p))
		return 0;
	identity_read(&c->sys.root, &id);
	cmd_error(_("%s is for %s, this board is %s; nothing was changed. \"boardtune "
		    "recommend%s\" shows what fits it"),
		  p->name, recommend_boards(p), cmd_board_name(&id), cmd_where(c, where));
	return EXIT_NOTHING_TO_DO_IT_WITH;
}

int cmd_load_profile(struct cmd *c, const char *name, struct profile **ret)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	int r = profile_load(&c->sys.root, name, ret, &errors);

	if (r == 0)
		return 0;
	if (errors.n == 0)
		cmd_error("%s: %s", name, strerror(-r));
	return cmd_errors(&errors);
}
