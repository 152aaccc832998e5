/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recommend.h - which profiles are for a board, and why */
#ifndef BOARDTUNE_RECOMMEND_H
#define BOARDTUNE_RECOMMEND_H

#include "board/identity.h"
#include "profile/profile.h"

/* Why a profile fits, the best reason first. */
enum recommend_by {
	RECOMMEND_COMPATIBLE, /* [board] compatible names one of the board's strings */
	RECOMMEND_DMI,        /* a glob of [board] dmi matches */
	RECOMMEND_GENERIC,    /* it is for all boards of the kind */
};

struct recommend_fit {
	char *name;
	char *path;       /* as the user would find it */
	char *summary;    /* "" if it has none */
	bool local;       /* in /etc/boardtune/profiles */
	enum recommend_by by;
	size_t rank;      /* of the compatible string among the board's; 0 is the first */
	bool variant;     /* named NAME-..., and NAME fits, too: to be tried */
};

struct recommend_list {
	struct recommend_fit *fits; /* best first */
	size_t n;
	char *broken; /* blank-separated: profiles with an error, so not known; or NULL */
	char *error;  /* the first of their errors, with file and line; or NULL */
};

/**
 * recommend_find - the profiles that fit a board
 * @id: the board
 * @root: where the profiles are
 * @ret: empty if nothing fits; release with recommend_list_clear()
 *
 * By the most specific of the board's compatible strings, then DMI, last the generic one:
 * generic-x86 or, with a device tree, generic-arm. Of several with the same reason
 * variants come last, local ones before vendor's, then by name. Returns 0 or -errno.
 */
int recommend_find(const struct identity *id, const struct sysroot *root,
		   struct recommend_list *ret);
void recommend_list_clear(struct recommend_list *list);

/** recommend_names_board - whether a profile is for that board or says nothing of it */
bool recommend_names_board(const struct profile *p, const struct identity *id);

/** recommend_boards - the boards that a profile is for, as it has them; NULL: any */
const char *recommend_boards(const struct profile *p);

#endif
