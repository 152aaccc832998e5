/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import-private.h - what the files of import share */
#ifndef BOARDTUNE_IMPORT_PRIVATE_H
#define BOARDTUNE_IMPORT_PRIVATE_H

#include "profile/import.h"
#include "profile/shell.h"

/* What a variable is about; those with a key of a profile first, in its order. */
enum import_what {
	IMPORT_GOVERNOR,
	IMPORT_MIN,
	IMPORT_MAX,
	IMPORT_UP_THRESHOLD,
	IMPORT_DOWN_FACTOR,
	IMPORT_PREFERENCE,
	IMPORT_KEYS_,
	IMPORT_FREQ = IMPORT_KEYS_, /* a fixed clock: both limits */
	IMPORT_ENABLE,
	IMPORT_OPTIONS, /* of cpupower(1) */
	IMPORT_NO_KEY,	/* a profile cannot do it */
	IMPORT_NOTHING, /* does nothing when the board starts */
	IMPORT_UNKNOWN,
};

#define IMPORT_ALL_POLICIES (-1)

/* The last word about one key. */
struct import_item {
	enum import_what what;
	int policy;	  /* N of policyN, or IMPORT_ALL_POLICIES */
	const char *name; /* of the variable: of struct import.shell or a table */
	char *value;	  /* without blanks around it, owned */
	unsigned line;
	uint32_t khz; /* a frequency; 0: leave alone */
};

struct import {
	const char *file;
	enum import_kind kind;
	struct shell_variables shell;
	struct import_item *items; /* by policy, then what; owned */
	size_t n;
	bool disabled; /* the keys are comments */
	const struct import_board *board;
	struct profile_errors *remarks, *errors;
};

/* The names of kinds for remarks, and the variables of each: import-names.c. */
const char *import_kind_name(enum import_kind kind);

/**
 * import_what_of - what a variable of a kind means
 * @ret_policy: gets N of a variable of one policy, as in maxfreq4
 */
enum import_what import_what_of(enum import_kind kind, const char *name,
				int *ret_policy);

/** import_kind_of - by the text, and by the name of its file */
int import_kind_of(const char *file, const char *text, size_t size,
		   enum import_kind *ret);

/** import_key - the key of a profile, of what is below IMPORT_KEYS_ */
const char *import_key(enum import_what what);

/** import_item_find - NULL if there is none */
struct import_item *import_item_find(const struct import *im, enum import_what what,
				     int policy);

/** import_item_set - the last one counts, and a remark says so; 0 or -ENOMEM */
int import_item_set(struct import *im, enum import_what what, int policy,
		    const char *name, const char *value, unsigned line);

/** import_items_drop - forget what was said of all keys up to one */
void import_items_drop(struct import *im, enum import_what last);

/**
 * import_read - all that a file says, its values checked: import.c
 * @im: with file, kind, board, remarks and errors; freed with import_clear() in any case
 *
 * Returns 0, -EBADMSG (in errors) or -ENOMEM.
 */
int import_read(struct import *im, const char *text, size_t size);
void import_clear(struct import *im);

/** import_read_options - "frequency-set -g performance" as items: 0 or -ENOMEM */
int import_read_options(struct import *im, const struct shell_variable *v);

/** import_check_values - governors, frequencies, numbers; then fixed clocks and order */
int import_check_values(struct import *im);

/** import_print - the profile; 0 or -ENOMEM */
int import_print(const struct import *im, char **ret);

/* Armbian's script beside its file: NULL where it does nothing (import-armbian.c). */
const char *import_armbian_sections(const struct import_board *board);
/** import_armbian_tunables - what it makes of ondemand, on every board */
const char *import_armbian_tunables(void);

#endif
