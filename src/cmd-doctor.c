// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-doctor.c - doctor: who else tunes this board, what stands in the way, what to do
#include <stdarg.h>

#include "cmd.h"
#include "engine/boot-mark.h"
#include "engine/boot.h"
#include "engine/quirk-tell.h"
#include "engine/takeover.h"
#include "report/status.h"
#include "report/table.h"

#define KEYS_SHOWN 4

struct finding {
	const char *kind; /* a word for scripts */
	char *text;
};

struct doctor {
	struct cmd *c;
	struct rival_list rivals;
	int bus; /* as rivals_find() has it */
	char *name; /* of the profile in force, else of the boot; NULL: none */
	struct profile *profile; /* NULL: none, or it has errors */
	struct finding *findings;
	size_t n_findings;
};

static void doctor_clear(struct doctor *d)
{
	rival_list_clear(&d->rivals);
	profile_free(d->profile);
	free(d->name);
	for (size_t i = 0; i < d->n_findings; i++)
		free(d->findings[i].text);
	free(d->findings);
}

static _printf_(3, 4) int add_finding(struct doctor *d, const char *kind, const char *fmt,
				      ...)
{
	char *text = NULL;
	va_list ap;
	int r = array_grow(&d->findings, d->n_findings, sizeof(*d->findings));

	if (r < 0)
		return r;
	va_start(ap, fmt);
	r = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (r < 0)
		return -ENOMEM;
	d->findings[d->n_findings++] = (struct finding){ kind, text };
	return 0;
}

/* ---- what stands in the way ---- */

static int add_errors(struct doctor *d, const char *kind,
		      const struct profile_errors *errors, int error)
{
	const struct profile_error *e = errors->n && errors->items ? errors->items : NULL;

	if (!e || !e->text)
		return error == -ENOMEM ? error
					: add_finding(d, kind, "%s", strerror(-error));
	if (e->line)
		return add_finding(d, kind, "%s:%u: %s", e->file, e->line, e->text);
	return add_finding(d, kind, "%s: %s", e->file, e->text);
}

/* The unit must be linked for the file to have an effect. */
static int find_unit(struct doctor *d, const char *profile)
{
	const struct sysroot *root = &d->c->sys.root;
	char target[SYSROOT_PATH_MAX];

	if (sysroot_readlink(root, BOOT_WANTS "/" BOOT_UNIT, target, sizeof(target)) == 0)
		return sysroot_exists(root, target)
			       ? 0
			       : add_finding(d, "not-installed",
					     _("%s is enabled, but %s is not installed"),
					     profile, BOOT_UNIT);
	if (boot_script_linked(root) > 0)
		return 0;
	return add_finding(d, "not-enabled",
			   _("%s names the profile %s, but nothing applies it at boot; "
			     "run \"boardtune enable %s\""),
			   BOOT_CONF, profile, profile);
}

static int find_boot(struct doctor *d)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_free_ char *name = NULL, *profile = NULL, *broken = NULL;
	int r = boot_configured(&d->c->sys.root, &name, &errors);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return add_errors(d, "boot-profile", &errors, r);
	r = find_unit(d, name);
	if (r < 0)
		return r;
	r = boot_profile(&d->c->sys.root, &profile, &broken, &errors);
	if (broken && add_finding(d, "boot-profile",
				  _("auto: passed over, as there is an error in "
				    "them: %s"),
				  broken) < 0)
		return -ENOMEM;
	if (r == -ENODEV)
		return add_finding(d, "boot-profile",
				   _("auto: no profile names this board, nothing is "
				     "applied; see \"boardtune recommend\""));
	if (r < 0)
		return add_errors(d, "boot-profile", &errors, r);
	if (!d->name)
		d->name = TAKE_PTR(profile);
	return 0;
}

/* Three ways to boot without boardtune, which the units have as conditions. */
static int find_off(struct doctor *d)
{
	const char *why = boot_off(&d->c->sys.root);

	if (!why)
		return 0;
	if (streq(why, BOOT_OFF_WORD))
		return add_finding(d, "switched-off",
				   _("boardtune=off is on the kernel's command line: "
				     "nothing is applied at boot"));
	return add_finding(d, "switched-off",
			   _("%s is there: nothing is applied at boot"), why);
}

/* The boot that set it hung or was cut off; its profile is left out until then. */
static int find_mark(struct doctor *d)
{
	char path[SYSROOT_PATH_MAX];
	struct boot_mark mark;
	int r = boot_mark_get(&d->c->sys.root, &mark);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return add_finding(d, "boot-mark", "%s: %s",
				   lasting_path(&d->c->sys.root, BOOT_MARK, path),
				   strerror(-r));
	return add_finding(d, "boot-mark",
			   _("the boot with profile %s hung or was cut off: nothing is "
			     "applied at boot until the next \"boardtune enable\""),
			   mark.profile);
}

static int add_quirk(void *doctor, const char *kind, const char *text)
{
	return add_finding(doctor, kind, "%s", text);
}

static int find_quirks(struct doctor *d)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	int r = quirks_tell(&d->c->sys, d->profile, add_quirk, d, &errors);

	return r == 0 && errors.n ? add_errors(d, "quirks", &errors, -ENOMEM) : r;
}

/* What status finds; of an image that no kernel runs nothing, of rivals there is more. */
static int find_status(struct doctor *d)
{
	_cleanup_(status_clear) struct status st = { .zone = -1 };
	int r;

	if (!sysroot_exists(&d->c->sys.root, "/sys/devices"))
		return 0;
	r = status_read(&d->c->sys, &st);
	for (size_t i = 0; r == 0 && i < st.n_findings; i++)
		if (!streq(st.findings[i].kind, "irqbalance"))
			r = add_finding(d, st.findings[i].kind, "%s",
					st.findings[i].text);
	return r;
}

/* ---- the profile ---- */

static int read_name(struct doctor *d)
{
	_cleanup_(record_clear) struct record rec = { 0 };
	_cleanup_free_ char *text = NULL;
	int r = state_load(&d->c->sys, &rec, &text);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return add_finding(d, "undo-record",
				   _("the undo record cannot be read: %s"),
				   text ? text : strerror(-r));
	if (!rec.profile || !*rec.profile)
		return 0;
	d->name = strdup(rec.profile);
	return d->name ? 0 : -ENOMEM;
}

static int read_profile(struct doctor *d)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	int r = read_name(d);

	if (r == 0)
		r = find_boot(d);
	if (r < 0 || !d->name)
		return r;
	r = profile_load(&d->c->sys.root, d->name, &d->profile, &errors);
	return r < 0 ? add_errors(d, "boot-profile", &errors, r) : 0;
}

static bool is_first(const struct profile *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (p->assignments[k].setting == p->assignments[i].setting &&
		    streq(p->assignments[k].key, p->assignments[i].key))
			return false;
	return true;
}

/* Whether a key of the profile is one that a rival writes, too; each key once. */
static bool is_fought(const struct doctor *d, const struct rival_state *s, size_t i)
{
	const struct assignment *a = &d->profile->assignments[i];

	return rival_writes(s, a->setting->section, a->key) && is_first(d->profile, i);
}

static size_t count_fights(const struct doctor *d, const struct rival_state *s)
{
	size_t n = 0;

	for (size_t i = 0; d->profile && i < d->profile->n_assignments; i++)
		n += is_fought(d, s, i);
	return n;
}

/* ---- text ---- */

static void families_text(unsigned families, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned k = 0; rival_family_name(k); k++)
		if (families & 1u << k && n < size)
			n += snprintf(buf + n, size - n, "%s%s", n ? " " : "",
				      rival_family_name(k));
}

static const char *active_text(const struct doctor *d, const struct rival_state *s)
{
	if (s->active)
		return _("yes");
	if (*s->file || d->bus > 0)
		return "-";
	return d->bus < 0 ? "?" : _("no");
}

static int print_table(const struct doctor *d)
{
	struct table t = { .columns = 5, .whole = 1 };
	char families[96];
	int r;

	table_add(&t, (const char *[]) { _("RIVAL"), _("ENABLED"), _("ACTIVE"),
					 _("FIGHTS"), _("WRITES") });
	for (size_t i = 0; i < d->rivals.n; i++) {
		const struct rival_state *s = &d->rivals.states[i];
		bool fights = rival_works(s) && count_fights(d, s);

		families_text(s->families, families, sizeof(families));
		table_add(&t, (const char *[]) {
				      s->rival->name, s->enabled ? _("yes") : _("no"),
				      active_text(d, s),
				      fights ? _("yes") : _("no"), families });
	}
	r = table_print(&t, stdout);
	table_clear(&t);
	return r;
}

static int print_fights(const struct doctor *d, const struct rival_state *s)
{
	size_t n = count_fights(d, s), shown = 0, size;
	_cleanup_free_ char *text = NULL;
	FILE *f;

	if (!n)
		return 0;
	f = open_memstream(&text, &size);
	if (!f)
		return -ENOMEM;
	fprintf(f, _("It fights with %s: "), d->name);
	for (size_t i = 0; i < d->profile->n_assignments && shown < KEYS_SHOWN; i++) {
		const struct assignment *a = &d->profile->assignments[i];

		if (is_fought(d, s, i))
			fprintf(f, "%s%s.%s", shown++ ? ", " : "", a->setting->section,
				a->key);
	}
	if (n > shown)
		fprintf(f, _(" and %zu more"), n - shown);
	if (fclose(f) == EOF)
		return -ENOMEM;
	text_wrap(stdout, text, 2, 2);
	return 0;
}

static int print_rival(const struct doctor *d, const struct rival_state *s)
{
	_cleanup_free_ char *head = NULL;
	char end[RIVAL_END_MAX];
	int r;

	head = str_format("%s: %s.", s->rival->name, _(s->rival->what));
	if (!head)
		return -ENOMEM;
	putchar('\n');
	text_wrap(stdout, head, 0, 2);
	if (*s->detail)
		printf("  %s\n", s->detail);
	r = print_fights(d, s);
	printf(_("  To end it: %s\n"), rival_end(s, end));
	return r;
}

/* What to do next, in one sentence. */
static void print_next(const struct doctor *d)
{
	size_t working = 0, fights = 0, can = 0;

	for (size_t i = 0; i < d->rivals.n; i++) {
		const struct rival_state *s = &d->rivals.states[i];

		working += rival_works(s);
		fights += rival_works(s) && count_fights(d, s);
		can += takeover_can(s) && count_fights(d, s);
	}
	if (d->rivals.n || d->n_findings)
		putchar('\n');
	if (!working && !d->n_findings)
		puts(_("Nothing was found that works against boardtune."));
	else if (can)
		printf(_("Next: \"boardtune enable %s --take-over\" disables those that "
			 "fight and\nhave a service; \"boardtune disable\" gives them "
			 "back.\n"),
		       d->name);
	else if (fights)
		puts(_("Next: end what fights with the profile by the commands above."));
	else if (working && !d->profile)
		puts(_("No profile is in force or enabled; \"boardtune enable\" tells "
		       "who fights with it."));
	else if (working)
		puts(_("Next: nothing has to be done for this profile."));
	else
		puts(_("Next: see to what is named above."));
}

static int print_text(const struct doctor *d)
{
	int r = print_table(d);

	for (size_t i = 0; r == 0 && i < d->rivals.n; i++) {
		const struct rival_state *s = &d->rivals.states[i];

		if (rival_works(s))
			r = print_rival(d, s);
		else if (takeover_has(&d->c->sys.root, s->rival->name) > 0)
			printf(_("\n%s is taken over; \"boardtune disable\" gives it "
				 "back.\n"),
			       s->rival->name);
	}
	if (d->n_findings)
		putchar('\n');
	for (size_t i = 0; i < d->n_findings; i++)
		text_wrap(stdout, d->findings[i].text, 0, 2);
	if (d->bus < 0)
		cmd_note(d->c,
			 _("systemd does not answer (%s): what is active is known by "
			   "processes only\n"),
			 strerror(-d->bus));
	print_next(d);
	return r;
}

/* ---- JSON ---- */

/* A file may have any name. */
static json_t *text_json(const char *s)
{
	json_t *text = json_string(s);

	return text ? text : json_null();
}

static json_t *rival_json(const struct doctor *d, const struct rival_state *s)
{
	json_t *families = json_array(), *conflicts = json_array();
	char end[RIVAL_END_MAX], key[VALUE_WORD_MAX + 64];

	for (unsigned k = 0; rival_family_name(k); k++)
		if (s->families & 1u << k)
			json_array_append_new(families,
					      json_string(rival_family_name(k)));
	for (size_t i = 0; d->profile && i < d->profile->n_assignments; i++) {
		const struct assignment *a = &d->profile->assignments[i];

		if (!rival_works(s) || !is_fought(d, s, i))
			continue;
		snprintf(key, sizeof(key), "%s.%s", a->setting->section, a->key);
		json_array_append_new(conflicts, json_string(key));
	}
	return json_pack("{s:s, s:b, s:b, s:b, s:b, s:b, s:o, s:o, s:o, s:o}", "name",
			 s->rival->name, "installed", s->installed, "enabled", s->enabled,
			 "active", s->active, "late", s->rival->late, "taken_over",
			 takeover_has(&d->c->sys.root, s->rival->name) > 0, "families",
			 families, "conflicts", conflicts, "detail",
			 text_json(s->detail), "end", text_json(rival_end(s, end)));
}

static int print_json(const struct doctor *d, int code)
{
	json_t *rivals = json_array(), *findings = json_array();

	for (size_t i = 0; i < d->rivals.n; i++)
		json_array_append_new(rivals, rival_json(d, &d->rivals.states[i]));
	for (size_t i = 0; i < d->n_findings; i++)
		json_array_append_new(findings,
				      json_pack("{s:s, s:o}", "kind", d->findings[i].kind,
						"text", text_json(d->findings[i].text)));
	return cmd_json_print(json_pack(
		"{s:i, s:s, s:s?, s:o, s:o, s:o, s:o, s:i}", "schema", 1, "command",
		d->c->name, "profile", d->name, "board", cmd_json_board(d->c), "bus",
		d->bus < 0	? json_string(errno_name(d->bus))
		: d->bus == 0 ? json_string("ok")
				: json_null(),
		"rivals", rivals, "findings", findings, "exit", code));
}

static int look(struct doctor *d)
{
	int r = rivals_find(&d->c->sys, &d->rivals, &d->bus);

	if (r == 0)
		r = read_profile(d);
	if (r == 0)
		r = find_off(d);
	if (r == 0)
		r = find_mark(d);
	if (r == 0)
		r = find_quirks(d);
	return r < 0 ? r : find_status(d);
}

int cmd_doctor(struct cmd *c, int argc, char **argv)
{
	_cleanup_(doctor_clear) struct doctor d = { .c = c };
	int r, code = EXIT_AS_WANTED;

	if (argc != 1)
		return cmd_usage(c, _("%s takes no argument"), c->name);
	r = look(&d);
	if (r == 0 && d.n_findings)
		code = EXIT_NOT_AS_WANTED;
	for (size_t i = 0; i < d.rivals.n; i++)
		if (rival_works(&d.rivals.states[i]))
			code = EXIT_NOT_AS_WANTED;
	if (r == 0 && c->json)
		return print_json(&d, code) ? EXIT_NOT_AS_WANTED : code;
	if (r == 0 && !c->quiet)
		r = print_text(&d);
	if (r < 0) {
		cmd_error("%s", strerror(-r));
		return EXIT_NOT_AS_WANTED;
	}
	return code;
}
