/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile.h - an INI profile, its layers merged, as typed assignments */
#ifndef BOARDTUNE_PROFILE_H
#define BOARDTUNE_PROFILE_H

#include "base/sysroot.h"
#include "knobs/knob.h"

/* An error of the user's files: printed as "FILE:LINE: text". */
struct profile_error {
	char *file;
	unsigned line; /* 0: the file as a whole, printed as "FILE: text" */
	char *text;    /* translated */
};

struct profile_errors {
	struct profile_error *items;
	size_t n;
};

/** profile_error_add - append; an allocation failure is counted in n all the same */
void profile_error_add(struct profile_errors *errors, const char *file, unsigned line,
		       const char *fmt, ...) _printf_(4, 5);
void profile_errors_clear(struct profile_errors *errors);

struct profile_section {
	char *name;    /* "net" */
	char *label;   /* "wan", "" without one */
	char **match_keys;     /* [net:*]: Name Driver Path MACAddress Type Bus */
	char **match_patterns;
	size_t n_matches;
	const char *file; /* where its header stands first; owned by the profile */
	unsigned line;
	unsigned order;   /* as in the file */
};

struct assignment {
	const struct setting *setting;
	struct profile_section *section;
	bool optional; /* "-key" */
	struct value value;
	char *key;     /* as written, without "-"; owned */
	char *text;    /* as written */
	const char *file;
	unsigned line;
};

struct quirk_list;

struct profile {
	char *name;
	char *path; /* of the main file, as the user would find it */
	struct profile_section **sections; /* in the order of the merged file */
	size_t n_sections;
	struct assignment *assignments; /* those with a stage, in order */
	size_t n_assignments;
	struct assignment *metas;       /* those of [main], [board], [trial] */
	size_t n_metas;
	struct quirk_list *quirks; /* NULL without quirks = yes in [main] */
	char **files; /* every file that was read, in order */
	size_t n_files;
};

/**
 * profile_load - find, read, merge and check a profile
 * @root: for profiles by name: /etc/boardtune/profiles, then the vendor directory
 * @name: a name, or a file of the caller if it holds "/" or ends in ".ini"
 * @ret: the profile, freed with profile_free(); untouched on failure
 * @errors: gets every error of every file
 *
 * Returns 0; -EBADMSG when @errors has entries; -ENOENT (also in @errors) no such
 * profile; -ENOMEM.
 */
int profile_load(const struct sysroot *root, const char *name, struct profile **ret,
		 struct profile_errors *errors);
/**
 * profile_load_text - the same of a text that is in no file; its includes are names
 * @name: for the errors
 */
int profile_load_text(const struct sysroot *root, const char *name, const char *text,
		      size_t size, struct profile **ret, struct profile_errors *errors);
void profile_free(struct profile *p);
static inline void profile_freep(struct profile **p)
{
	profile_free(*p);
}

/** profile_is_file - whether a profile is a file of the caller's, not one by name */
bool profile_is_file(const struct profile *p);

/** profile_meta - the value of a key of [main], [board] or [trial], NULL if absent */
const struct assignment *profile_meta(const struct profile *p, const char *section,
				      const char *key);

/** profile_selector - the targets that an assignment is about, pointing into it */
struct selector profile_selector(const struct assignment *a);

struct profile_entry {
	char *name;
	char *path;
	char *summary; /* "" if it has none or does not parse */
	bool local;    /* in /etc/boardtune/profiles */
};

/**
 * profile_list - the profiles there are, local ones hiding vendor ones, by name
 *
 * Returns the number or -errno; the array is freed with profile_list_free().
 */
ssize_t profile_list(const struct sysroot *root, struct profile_entry **ret);
void profile_list_free(struct profile_entry *entries, size_t n);

#endif
