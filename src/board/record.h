/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.h - the text of a recorded board (.board) as entries, rules and NIC state */
#ifndef BOARDTUNE_RECORD_H
#define BOARDTUNE_RECORD_H

#include "board/board.h"

#define RECORD_SIZE_MAX (16u << 20) /* bytes of a .board file */
#define RECORD_CPUS_MAX 8192	    /* of a !bitmap; NR_CPUS of x86 with MAXSMP */
#define RECORD_DELAY_MAX 60000	    /* of a !delay, in ms */

enum record_kind {
	RECORD_NOTE, /* a comment or a blank line */
	RECORD_FILE,
	RECORD_DIR,
	RECORD_LINK,
	RECORD_MODE,
	RECORD_RULE,
	RECORD_NIC,
};

/* One line, or several for a "<<WORD" entry, in the order of the file. */
struct record_line {
	enum record_kind kind;
	unsigned number; /* of the (first) line, from 1 */
	size_t start;	 /* its bytes in record.text, newline included */
	size_t length;
	char *path;    /* FILE, DIR, LINK, MODE */
	char *data;    /* FILE: contents, a NUL byte after the last; LINK: target */
	size_t size;   /* FILE: bytes of @data */
	unsigned mode; /* MODE */
	size_t index;  /* RULE, NIC: in record.rules, record.nics */
};

enum record_rule_kind {
	RULE_UNREADABLE,
	RULE_REFUSE,
	RULE_REFUSE_ETHTOOL,
	RULE_ACCEPT,
	RULE_CLAMP,
	RULE_ORDER,
	RULE_BITMAP,
	RULE_DELAY,
	RULE_FOLLOW,
	RULE_RESET,
	RULE_EXISTS,
};

enum record_choice {
	CHOICE_NONE,
	CHOICE_DOWN, /* clamp */
	CHOICE_UP,
	CHOICE_FIRST, /* follow */
	CHOICE_LIST,
	CHOICE_MASK,
};

struct record_rule {
	enum record_rule_kind kind;
	unsigned line;
	char *path;   /* what it is about; EXISTS: the prefix; REFUSE_ETHTOOL: the NIC */
	char *other;  /* ORDER: the maximum; FOLLOW: the source; EXISTS: the file that
		      * decides; REFUSE_ETHTOOL: "feature rx-gro", "ring rx" */
	char **words; /* ACCEPT: the words; RESET: the paths; EXISTS: the one value */
	size_t n_words;
	int64_t *numbers; /* CLAMP */
	size_t n_numbers;
	int error;	/* errno, positive */
	unsigned count; /* BITMAP: CPUs; DELAY: ms */
	enum record_choice choice;
};

enum record_nic_kind {
	NIC_FEATURE,
	NIC_RING,
	NIC_CHANNELS,
	NIC_COALESCE,
	NIC_PAUSE,
	NIC_EEE,
};

/* One @ethtool line. */
struct record_nic {
	enum record_nic_kind kind;
	unsigned line;
	char ifname[16];
	char name[ETHTOOL_NAME_MAX]; /* the kernel's feature, or ethtool(8)'s parameter */
	const struct ethtool_param *param; /* NULL for a feature */
	bool on;		     /* features and switches */
	bool fixed;		     /* FEATURE only */
	bool has_requested, requested;
	uint32_t value, max; /* numbers */
	bool has_max;
	size_t value_start; /* where the value begins in record.text */
};

struct record {
	char *text; /* the file as it is */
	size_t size;
	struct record_line *lines;
	size_t n_lines;
	struct record_rule *rules;
	size_t n_rules;
	struct record_nic *nics;
	size_t n_nics;
};

/**
 * record_parse - check and split the text of a .board file
 * @text: any bytes; copied
 * @rules_only: DIR/.board of --sysroot: entries are an error
 * @ret: freed with record_free(); untouched on failure
 *
 * Pure. Returns 0, -ENOMEM, -EFBIG (over RECORD_SIZE_MAX), or -EBADMSG with @ret_error.
 */
int record_parse(const char *text, size_t size, bool rules_only, struct record **ret,
		 struct board_error *ret_error);
void record_free(struct record *r);
static inline void record_freep(struct record **r)
{
	record_free(*r);
}

/** record_fail - fill in @error; returns -EBADMSG */
int record_fail(struct board_error *error, unsigned line, const char *fmt, ...)
	_printf_(3, 4);

/** record_check_path - 0, or -EBADMSG if it is no absolute, plain path */
int record_check_path(const char *path, unsigned line, struct board_error *error);

/**
 * record_check_printable - whether an entry of the format can say a path
 *
 * Returns 0, or -EINVAL: no plain path, or a separator or control character in it.
 */
int record_check_printable(const char *path);

/**
 * record_parse_rule, record_parse_nic - one line that begins with "!" or "@"
 * @text: the line without its newline; cut to pieces
 *
 * Appends to @r. Returns 0, -ENOMEM or -EBADMSG with @error.
 */
int record_parse_rule(struct record *r, char *text, unsigned line,
		      struct board_error *error);
int record_parse_nic(struct record *r, char *text, unsigned line, size_t start,
		     struct board_error *error);
void record_rule_clear(struct record_rule *rule);

/**
 * record_print_file, record_print_text - write an entry, or bytes with escapes
 *
 * A file of one line becomes "PATH = ", of several "PATH <<END", of other bytes
 * "PATH := ".
 */
void record_print_file(FILE *f, const char *path, const char *data, size_t size);
void record_print_text(FILE *f, const char *data, size_t size);

/* The writes that were made, as the "#! write" lines of a saved board. */
struct record_log {
	char **lines; /* without "#! write " and newline */
	size_t n;
};

/**
 * record_log_add - remember a write
 * @what: path, or "@ethtool eth0 feature NAME"
 * @value: as written; one newline at its end is not noted
 * @error: 0 or -errno that the writer got
 *
 * Returns 0 or -ENOMEM.
 */
int record_log_add(struct record_log *log, const char *what, const char *value,
		   int error);
void record_log_clear(struct record_log *log);

#endif
