/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boot.h - which profile is applied at boot, and whether the unit is enabled */
#ifndef BOARDTUNE_BOOT_H
#define BOARDTUNE_BOOT_H

#include "profile/profile.h"

#define BOOT_CONF "/etc/boardtune/boardtune.conf"
#define BOOT_UNIT "boardtune.service"
#define BOOT_GUARD_UNIT "boardtune-confirm.service"
#define BOOT_SCRIPT "/etc/init.d/boardtune"
#define BOOT_OFF_WORD "boardtune=off"
#define BOOT_WANTS "/etc/systemd/system/multi-user.target.wants"

#define BOOT_AUTO "auto" /* in place of a name: the one that names the board */

/**
 * boot_configured - the name that @BOOT_CONF holds: [boot] profile = NAME
 * @ret: gets a string that the caller frees; untouched on failure
 * @errors: gets what is wrong with the file
 *
 * A name only: a path is refused, a boot must not depend on somebody's home directory.
 * Returns 0; -ENOENT no file, so nothing is enabled; -EBADMSG with @errors; other -errno.
 */
int boot_configured(const struct sysroot *root, char **ret,
		    struct profile_errors *errors);

/**
 * boot_profile - the same with @BOOT_AUTO resolved for this board
 * @ret_broken: as boot_find()
 *
 * Returns -ENODEV, too: auto, and boot_find() finds nothing.
 */
int boot_profile(const struct sysroot *root, char **ret, char **ret_broken,
		 struct profile_errors *errors);

/**
 * boot_find - the profile that @BOOT_AUTO stands for on this board
 * @ret: gets its name, which the caller frees
 * @ret_broken: NULL, or gets the profiles that were passed over, with the first of their
 *	errors, also with -ENODEV; the caller frees it; untouched if there is none
 *
 * The best of recommend_find() that names the board: a generic one is never applied
 * unless somebody chose it. Returns 0; -ENODEV there is none; -errno.
 */
int boot_find(const struct sysroot *root, char **ret, char **ret_broken);

/** boot_name_valid - whether a profile is given by its name, not as a file */
bool boot_name_valid(const char *name);

/**
 * boot_enable - make a profile the one of the boot
 * @name: a profile's name that has been checked to load
 *
 * Writes @BOOT_CONF, then links the unit into @BOOT_WANTS, as systemctl(1) enable does
 * for WantedBy=multi-user.target. What is already so stays. The unit is looked for in
 * the directories of systemd.unit(5), in their order. Where there is no unit but the init
 * script @BOOT_SCRIPT, only the file is written: links of init scripts are update-rc.d's,
 * which orders them.
 *
 * Returns 0; 1 if the init script still has to be linked; -ENOPKG neither unit nor script
 * is installed below @root; -ERFKILL the unit is masked; other -errno.
 */
int boot_enable(const struct sysroot *root, const char *name);

/**
 * boot_script_linked - whether an init system without systemd starts @BOOT_SCRIPT
 *
 * By a link SNNboardtune in /etc/rc2.d to /etc/rc5.d or /etc/rcS.d (sysvinit), /etc/rc.d
 * (OpenWrt), or a link in /etc/runlevels/boot or default (OpenRC). Returns 1, 0 or
 * -ENOMEM.
 */
int boot_script_linked(const struct sysroot *root);

/**
 * boot_disable - undo boot_enable(): the link first, then the file
 *
 * Returns 0; 1 if nothing was enabled; -errno.
 */
int boot_disable(const struct sysroot *root);

/**
 * boot_set_link - have a link point to @target, NULL: remove it
 *
 * Its directory is made and synced; what is in the place is replaced. Returns 0 or
 * -errno.
 */
int boot_set_link(const struct sysroot *root, const char *path, const char *target);

/**
 * boot_off - what tells this boot to go without boardtune, as the units' conditions do
 *
 * Returns the path of a file, @BOOT_OFF_WORD of the kernel's command line, or NULL.
 */
const char *boot_off(const struct sysroot *root);

/**
 * boot_reload - have systemd read its unit files again
 *
 * Manager.Reload() of org.freedesktop.systemd1(5), 10 s at most. Returns 0; 1 if the
 * system does not run systemd (sd_booted(3)); -errno.
 */
int boot_reload(void);

#endif
