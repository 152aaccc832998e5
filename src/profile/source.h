/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - where profile files are, whom they may belong to, and their text */
#ifndef BOARDTUNE_SOURCE_H
#define BOARDTUNE_SOURCE_H

#include "profile/profile.h"

#ifndef PKGDATADIR
#define PKGDATADIR "/usr/share/boardtune"
#endif

#define SOURCE_LOCAL_DIR "/etc/boardtune/profiles"
#define SOURCE_VENDOR_DIR PKGDATADIR "/profiles"
#define SOURCE_LOCAL_QUIRKS "/etc/boardtune/quirks"
#define SOURCE_VENDOR_QUIRKS PKGDATADIR "/quirks"
#define SOURCE_SIZE_MAX (1024 * 1024)

/* One profile file, read. */
struct source {
	char *path;  /* as the user would find it */
	bool caller; /* of the caller, not of the profile directories */
	dev_t dev;   /* with ino: the same file by whatever way */
	ino_t ino;
	char *text;
	size_t size;
};

/**
 * source_read - open, check and read one file
 * @root: where @path is looked up, unless @caller
 * @caller: @path is the caller's, opened as it stands
 * @ret: freed with source_clear(); untouched on failure
 * @errors: gets why the file is not taken
 *
 * A profile is a regular file of at most 1 MiB that belongs to root, the caller or
 * SUDO_UID (below a --sysroot also to the directory's owner) and that neither group nor
 * others can write. Returns 0, -ENOENT (not in @errors), -EBADMSG (in @errors) or
 * -ENOMEM.
 */
int source_read(const struct sysroot *root, const char *path, bool caller,
		struct source *ret, struct profile_errors *errors);
/** source_read_any - the same whoever owns the file: its text is only translated */
int source_read_any(const struct sysroot *root, const char *path, bool caller,
		    struct source *ret, struct profile_errors *errors);
void source_clear(struct source *s);

/**
 * source_find - read a profile by name: the local one, else the vendor's
 *
 * Returns as source_read().
 */
int source_find(const struct sysroot *root, const char *name, struct source *ret,
		struct profile_errors *errors);

/**
 * source_beside - read NAME.ini in the directory of another file of the caller
 *
 * Returns as source_read().
 */
int source_beside(const char *path, const char *name, struct source *ret,
		  struct profile_errors *errors);

/**
 * source_list_dropins - the files of NAME.d, by file name, local ones hiding vendor ones
 * @ret: NULL-terminated paths below the root, freed with sysroot_list_free()
 *
 * Returns their number, -EBADMSG (a directory that cannot be read, in @errors) or
 * -ENOMEM.
 */
ssize_t source_list_dropins(const struct sysroot *root, const char *name, char ***ret,
			    struct profile_errors *errors);

/**
 * source_list_quirks - the quirk files, by file name, local ones hiding vendor ones
 * @profile: NULL, or the caller's file; in a directory "profiles" that has a "quirks"
 *	beside it, those are meant and no others
 * @ret: as source_list_dropins(); @ret_caller: they are the caller's for source_read()
 */
ssize_t source_list_quirks(const struct sysroot *root, const char *profile, char ***ret,
			   bool *ret_caller, struct profile_errors *errors);

/** source_name_valid - whether a profile can have this name: no "/", no leading dot */
bool source_name_valid(const char *name);

/** source_name_is_file - whether an argument is a path: it has a "/" or ends in .ini */
bool source_name_is_file(const char *name);

#endif
