/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-recommend.h - what recommend, list and setup say of the profiles that fit */
#ifndef BOARDTUNE_CMD_RECOMMEND_H
#define BOARDTUNE_CMD_RECOMMEND_H

#include "cmd.h"
#include "profile/recommend.h"
#include "profile/source.h"

struct recommend_look {
	struct cmd *c;
	struct identity id;
	struct recommend_list list;
	bool elsewhere; /* profiles of this machine for a recorded board without any */
};

/** cmd_recommend_look - who the board is and what fits; 0, or an exit code, told */
int cmd_recommend_look(struct cmd *c, struct recommend_look *ret);
void cmd_recommend_clear(struct recommend_look *look);

/** cmd_recommend_tell - the board, then each profile that fits and why; 0 or -ENOMEM */
int cmd_recommend_tell(const struct recommend_look *look);

/** cmd_recommend_tell_none - nothing fits, and what to do; the exit code */
int cmd_recommend_tell_none(const struct recommend_look *look);

/** cmd_tell_broken - the same of a text by boot_find() */
void cmd_tell_broken(const char *broken);

/** cmd_recommend_tell_broken - warn of the profiles that could not be looked at */
void cmd_recommend_tell_broken(const struct recommend_look *look);

#endif
