// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-boot.c - enable, disable: the profile that the systemd unit applies at boot
#include "cmd.h"
#include "engine/boot.h"

/* By name, without errors, for this board. What board an image is for is not known. */
static int check_profile(struct cmd *c, const char *name)
{
	_cleanup_(profile_freep) struct profile *p = NULL;
	int r;

	if (!boot_name_valid(name)) {
		cmd_error(_("%s is not the name of a profile; a boot must not depend on "
			    "a file somewhere: copy it to "
			    "/etc/boardtune/profiles/NAME.ini, then run \"boardtune "
			    "enable NAME\""),
			  name);
		return EXIT_USAGE;
	}
	/* with the eyes of the boot, which knows no sudo: root's files only */
	unsetenv("SUDO_UID");
	r = cmd_load_profile(c, name, &p);
	if (r || c->opt[OPT_ROOT])
		return r;
	return cmd_check_board(c, p);
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

int cmd_enable(struct cmd *c, int argc, char **argv)
{
	int r;

	if (argc != 2)
		return cmd_usage(c, _("expected the name of one profile"));
	r = check_options(c);
	if (!r)
		r = check_profile(c, argv[1]);
	if (r)
		return r;
	r = boot_enable(&c->sys.root, argv[1]);
	if (r < 0)
		return report_failure(c, r);
	reload_systemd(&c->sys.root);
	if (c->json)
		return cmd_json_done(c, argv[1], EXIT_AS_WANTED);
	if (!c->quiet)
		printf(_("%s is the boot profile; %s applies it at the next boot.\n"),
		       argv[1], BOOT_UNIT);
	return EXIT_AS_WANTED;
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
	if (c->json && !c->opt[OPT_NOW])
		return cmd_json_done(c, NULL, EXIT_AS_WANTED);
	if (!c->quiet && !c->json)
		puts(r == 0 ? _("No profile is applied at boot any more.")
			    : _("No profile was enabled."));
	if (!c->opt[OPT_NOW])
		return EXIT_AS_WANTED;
	c->name = revert[0];
	return cmd_revert(c, 1, revert);
}
