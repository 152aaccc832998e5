/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell.h - a file of sh(1) assignments or of UCI options, read without a shell */
#ifndef BOARDTUNE_SHELL_H
#define BOARDTUNE_SHELL_H

#include "profile/profile.h"

#define SHELL_LINE_MAX 1024
#define SHELL_VARIABLES_MAX 1000

struct shell_variable {
	char *name;
	char *value;
	unsigned line;
};

struct shell_variables {
	struct shell_variable *items; /* every assignment, in order */
	size_t n;
};

/**
 * shell_parse - the assignments of a file such as /etc/default/NAME
 * @text: @size bytes of anything
 * @ret: freed with shell_clear(); untouched on failure
 * @errors: gets every line that is not understood
 *
 * Assignments with ''- and ""-quotes and backslashes, several on a line or separated by
 * ";", "export", comments, lines that a backslash continues: they have the number of the
 * first. "$", backquotes, commands and quotes over several lines are errors: nothing is
 * expanded or run. CRLF is read as LF. Returns 0, -EBADMSG or -ENOMEM.
 */
int shell_parse(const char *file, const char *text, size_t size,
		struct shell_variables *ret, struct profile_errors *errors);

/**
 * shell_parse_uci - the options of a file of OpenWrt, in whatever sections they stand
 *
 * "config TYPE NAME", "option KEY VALUE", "list KEY VALUE", "package NAME", with the same
 * quotes. Otherwise as shell_parse().
 */
int shell_parse_uci(const char *file, const char *text, size_t size,
		    struct shell_variables *ret, struct profile_errors *errors);

/** shell_add - append a copy of an assignment; 0 or -ENOMEM */
int shell_add(struct shell_variables *v, const char *name, size_t name_size,
	      const char *value, unsigned line);
void shell_clear(struct shell_variables *v);

#endif
