// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-boot.c - enable, disable: the profile that the systemd unit applies at boot
#include "cmd-recommend.h"
#include "engine/boot-mark.h"
#include "engine/boot.h"
#include "engine/takeover.h"
#include "profile/source.h"

/* In an image a file of the caller's cannot help: it is not what boots. */
static bool is_there(const struct sysroot *root, const char *name)
{
	static const char *const dirs[] = { SOURCE_LOCAL_DIR, SOURCE_VENDOR_DIR };
	bool there = false;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		_cleanup_free_ char *path = str_format("%s/%s.ini", dirs[i], name);

		there |= path && sysroot_exists(root, path);
	}
	return there;
}

/* What auto is here; without a name of its own on an image, whose board is not known. */
static int check_auto(struct cmd *c, char **ret)
{
	_cleanup_free_ char *broken = NULL;
	int r;

	if (c->opt[OPT_ROOT])
		return c->opt[OPT_TAKE_OVER]
			       ? cmd_usage(c, _("--take-over does not go with auto and "
						"--root: what it would set is not known"))
			       : 0;
	r = boot_find(&c->sys.root, ret, &broken);
	if (broken)
		cmd_tell_broken(broken);
	if (r == 0)
		return 0;
	if (r == -ENODEV)
		cmd_error(_("auto: no profile names this board, nothing is applied; see "
			    "\"boardtune recommend\""));
	else
		cmd_error("%s", strerror(-r));
	return r == -ENODEV ? EXIT_NOTHING_TO_DO_IT_WITH : cmd_exit_of(r);
}

/*
 * By name, without errors, for this board. What board an image is for is not known.
 * @ret: freed with profile_free(); untouched on failure, and for auto on an image
 */
static int check_profile(struct cmd *c, const char *name, struct profile **ret)
{
	char where[CMD_WHERE_MAX];
	_cleanup_(profile_freep) struct profile *p = NULL;
	_cleanup_free_ char *found = NULL;
	int r;

	if (!boot_name_valid(name)) {
		cmd_error(_("%s is not the name of a profile; a boot must not depend on "
			    "a file somewhere: copy it to "
			    "/etc/boardtune/profiles/NAME.ini, then run \"boardtune "
			    "enable NAME\""),
			  name);
		return EXIT_USAGE;
	}
	if (!c->sys.root.live && !streq(name, BOOT_AUTO) &&
	    !is_there(&c->sys.root, name)) {
		cmd_error(_("no profile %s below the directory, in %s or %s: copy %s.ini "
			    "there first; \"boardtune list%s\" shows those there are"),
			  name, SOURCE_LOCAL_DIR, SOURCE_VENDOR_DIR, name,
			  cmd_where(c, where));
		return EXIT_USAGE;
	}
	/* with the eyes of the boot, which knows no sudo: root's files only */
	unsetenv("SUDO_UID");
	if (streq(name, BOOT_AUTO)) {
		r = check_auto(c, &found);
		if (r || !found)
			return r;
		name = found;
	}
	r = cmd_load_profile(c, name, &p);
	if (!r && !c->opt[OPT_ROOT])
		r = cmd_check_board(c, p);
	if (!r)
		*ret = TAKE_PTR(p);
	return r;
}

/* What speaks against the command before anything is looked at. */
static int check_options(const struct cmd *c)
{
	if (c->opt[OPT_ROOT] && c->opt[OPT_SYSROOT])
		return cmd_usage(c, _("--root and --sysroot exclude each other"));
	if (c->opt[OPT_ROOT] && c->opt[OPT_NOW])
		return cmd_usage(c, _("--now does not go with --root: an image is not "
				      "running"));
	return cmd_need_root(c);
}

/* What kept the files from being written, and what to do about it. */
static int report_failure(const struct cmd *c, int error)
{
	const char *dir = c->opt[OPT_ROOT] ? c->opt[OPT_ROOT] : c->opt[OPT_SYSROOT];

	switch (-error) {
	case ENOPKG:
		if (dir)
			cmd_error(_("%s is not installed there; run \"make install "
				    "DESTDIR=%s\" first"),
				  BOOT_UNIT, dir);
		else
			cmd_error(_("%s is not installed there; run \"make install\" "
				    "first"),
				  BOOT_UNIT);
		return EXIT_NOTHING_TO_DO_IT_WITH;
	case ERFKILL:
		cmd_error(_("%s is masked; run \"systemctl unmask %s\" first"), BOOT_UNIT,
			  BOOT_UNIT);
		return EXIT_NOT_AS_WANTED;
	}
	cmd_error(_("the boot profile could not be changed: %s"), strerror(-error));
	return error == -EACCES || error == -EPERM ? EXIT_NOT_PERMITTED
						   : EXIT_NOT_AS_WANTED;
}

/* Without a reload the files are right all the same: they count at the next boot. */
static void reload_systemd(const struct sysroot *root)
{
	int r = root->live ? boot_reload() : 0;

	if (r < 0)
		cmd_error(_("warning: systemd did not reload its units (%s); run "
			    "\"systemctl daemon-reload\""),
			  strerror(-r));
}

/* ---- rivals ---- */

/* Returns 0, or EXIT_NOT_AS_WANTED: one is enabled all the same. */
static int report_takeover(const struct cmd *c, const struct takeover_report *report,
			   const char *done)
{
	if (*report->done && !c->quiet && !c->json)
		printf("%s: %s\n", done, report->done);
	if (*report->kept)
		cmd_error(_("warning: changed by somebody since, left as they are: %s"),
			  report->kept);
	if (report->bus < 0)
		cmd_error(_("warning: systemd does not answer: %s"),
			  strerror(-report->bus));
	if (*report->running)
		cmd_error(_("warning: to be stopped or started by hand, else by a "
			    "reboot: %s"),
			  report->running);
	if (!*report->enabled)
		return EXIT_AS_WANTED;
	cmd_error(_("still started at a boot: %s; \"boardtune doctor\" tells what ends "
		    "it"),
		  report->enabled);
	return EXIT_NOT_AS_WANTED;
}

/* What the record of rivals that were taken over makes impossible; an exit code. */
static int report_record(const struct cmd *c, int error)
{
	char path[SYSROOT_PATH_MAX];

	if (error == -EBADMSG)
		cmd_error(_("%s is damaged: see what it says, put that right by hand and "
			    "remove it"),
			  lasting_path(&c->sys.root, TAKEOVER_RECORD, path));
	else
		cmd_error(_("rivals could not be taken over or given back: %s; run "
			    "\"boardtune disable\" to give them back"),
			  strerror(-error));
	return cmd_exit_of(error);
}

/* End what a command that was killed had begun. */
static int finish_takeover(struct cmd *c)
{
	_cleanup_(takeover_report_clear) struct takeover_report report = { 0 };
	int r = takeover_finish(&c->sys, &report);

	if (r < 0)
		return report_record(c, r);
	if (r == 0)
		return report_takeover(c, &report, _("Finished what was interrupted"));
	return 0;
}

static int take_over(struct cmd *c, const struct rival_list *rivals,
		     const struct profile *p)
{
	_cleanup_(takeover_report_clear) struct takeover_report report = { 0 };
	int r = takeover_take(&c->sys, rivals, takeover_families(p), &report);

	if (r < 0)
		return report_record(c, r);
	if (r == 0)
		return report_takeover(c, &report, _("Taken over"));
	if (!c->quiet && !c->json)
		puts(_("There is nobody that can be taken over."));
	return 0;
}

bool cmd_rival_fights(const struct rival_state *s, const struct profile *p)
{
	for (size_t i = 0; i < p->n_assignments; i++)
		if (rival_writes(s, p->assignments[i].setting->section,
				 p->assignments[i].key))
			return true;
	return false;
}

/* Those that write the same; the ones that have just been taken over are left out. */
static void warn_rivals(struct cmd *c, const struct rival_list *rivals,
			const struct profile *p)
{
	bool taken = c->opt[OPT_TAKE_OVER], can = false;
	char end[RIVAL_END_MAX];

	for (size_t i = 0; i < rivals->n; i++) {
		const struct rival_state *s = &rivals->states[i];

		if (!rival_works(s) || !cmd_rival_fights(s, p) ||
		    (taken && takeover_can(s)))
			continue;
		can |= takeover_can(s);
		cmd_note(c,
			 s->rival->late ? _("warning: %s writes the same after "
					    "boardtune: %s\n  to end it: %s\n")
					: _("warning: %s writes the same, before "
					    "boardtune at a boot: %s\n  to end it: %s\n"),
			 s->rival->name, _(s->rival->what), rival_end(s, end));
	}
	if (can)
		cmd_note(c, _("or run \"boardtune enable %s --take-over\"\n"), p->name);
}

static int meet_rivals(struct cmd *c, const struct profile *p)
{
	_cleanup_rivals_ struct rival_list rivals = { 0 };
	int bus, r = rivals_find(&c->sys, &rivals, &bus);

	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	r = c->opt[OPT_TAKE_OVER] ? take_over(c, &rivals, p) : 0;
	if (r == 0)
		warn_rivals(c, &rivals, p);
	return r;
}

/* What was taken over comes back; also when nothing was enabled. */
static int give_back(struct cmd *c)
{
	_cleanup_(takeover_report_clear) struct takeover_report report = { 0 };
	int r = takeover_give(&c->sys, &report);

	if (r < 0)
		return report_record(c, r);
	if (r == 0)
		return report_takeover(c, &report, _("Given back"));
	return 0;
}

static void report_enabled(const struct cmd *c, const char *profile, bool unlinked)
{
	bool script = sysroot_exists(&c->sys.root, BOOT_SCRIPT);

	if (unlinked)
		cmd_error(_("warning: nothing starts %s yet; run \"update-rc.d boardtune "
			    "defaults\", on OpenWrt \"%s enable\""),
			  BOOT_SCRIPT, BOOT_SCRIPT);
	else
		reload_systemd(&c->sys.root);
	if (!c->quiet && !c->json)
		printf(_("%s is the boot profile; %s applies it at the next boot.\n"),
		       profile, script ? BOOT_SCRIPT : BOOT_UNIT);
}

int cmd_enable(struct cmd *c, int argc, char **argv)
{
	_cleanup_(profile_freep) struct profile *p = NULL;
	int r, cleared;

	if (argc != 2)
		return cmd_usage(c, _("expected the name of one profile"));
	r = check_options(c);
	if (!r)
		r = check_profile(c, argv[1], &p);
	if (!r)
		r = finish_takeover(c);
	if (r)
		return r;
	r = boot_enable(&c->sys.root, argv[1]);
	/* Whoever enables one knows of the boot that was cut off; one that still has to
	 * prove itself keeps its mark. */
	cleared = r < 0 || cmd_boot_unproven(c) ? r : boot_mark_clear(&c->sys.root);
	if (cleared < 0)
		return report_failure(c, cleared);
	report_enabled(c, argv[1], r > 0);
	if (p && streq(argv[1], BOOT_AUTO) && !c->quiet && !c->json)
		printf(_("On this board that is %s.\n"), p->name);
	r = p ? meet_rivals(c, p) : 0;
	return c->json ? cmd_json_done(c, argv[1], r) ?: r : r;
}

int cmd_disable(struct cmd *c, int argc, char **argv)
{
	char *revert[] = { (char[]) { "revert" }, NULL };
	int r;

	if (argc != 1)
		return cmd_usage(c, _("%s takes no argument"), c->name);
	r = check_options(c);
	if (r)
		return r;
	r = boot_disable(&c->sys.root);
	if (r < 0)
		return report_failure(c, r);
	if (r == 0)
		reload_systemd(&c->sys.root);
	if (!c->quiet && !c->json)
		puts(r == 0 ? _("No profile is applied at boot any more.")
			    : _("No profile was enabled."));
	r = give_back(c);
	if (c->json && !c->opt[OPT_NOW])
		return cmd_json_done(c, NULL, r) ?: r;
	if (!c->opt[OPT_NOW] || r)
		return r;
	c->name = revert[0];
	return cmd_revert(c, 1, revert);
}
