// SPDX-License-Identifier: GPL-2.0-or-later
// cmd.c - what the commands print in common: errors, the table of a plan, its JSON
#include "cmd.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/signalfd.h>

#include "base/confine.h"
#include "board/identity.h"
#include "kernel/caps.h"
#include "knobs/irq.h"
#include "report/table.h"

void cmd_error(const char *fmt, ...)
{
	va_list ap;

	fputs("boardtune: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void cmd_note(const struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	if (c->quiet)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}

int cmd_usage(const struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	fputs("boardtune: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, _("\nTry \"boardtune%s%s --help\".\n"), c->name ? " " : "",
		c->name ? c->name : "");
	return EXIT_USAGE;
}

int cmd_errors(const struct profile_errors *errors)
{
	for (size_t i = 0; errors->items && i < errors->n; i++) {
		const struct profile_error *e = &errors->items[i];

		if (!e->file || !e->text)
			cmd_error("%s", strerror(ENOMEM));
		else if (e->line)
			fprintf(stderr, "%s:%u: %s\n", e->file, e->line, e->text);
		else
			fprintf(stderr, "%s: %s\n", e->file, e->text);
	}
	if (errors->n && !errors->items)
		cmd_error("%s", strerror(ENOMEM));
	return EXIT_USAGE;
}

const char *cmd_where(const struct cmd *c, char buf[static CMD_WHERE_MAX])
{
	const char *dir = c->opt[OPT_SYSROOT] ? c->opt[OPT_SYSROOT] : c->opt[OPT_ROOT];
	const char *path = c->opt[OPT_BOARD] ? c->opt[OPT_BOARD] : dir;
	const char *quote = "";

	if (path && path[strcspn(path, " \t\"\\$`&;()<>|*?#~")])
		quote = "'";
	if (!path)
		buf[0] = '\0';
	else
		snprintf(buf, CMD_WHERE_MAX, " %s %s%s%s",
			 c->opt[OPT_BOARD] ? "--board" : "--sysroot", quote, path, quote);
	return buf;
}

int cmd_keep_capabilities(const unsigned *keep, size_t n)
{
	int r = caps_keep(keep, n);

	if (r == 0)
		return 0;
	cmd_error(_("cannot drop capabilities: %s"), strerror(-r));
	return EXIT_NOT_PERMITTED;
}

int cmd_need_root(const struct cmd *c)
{
	if (!c->sys.root.live || geteuid() == 0)
		return 0;
	cmd_error(_("%s needs root on a live board; try \"sudo boardtune %s\", or a "
		    "recorded board with --board"),
		  c->name, c->name);
	return EXIT_NOT_PERMITTED;
}

/* Where settings are, and what remembers them. */
static const struct confine_path confined_to[] = {
	{ .path = "/sys/devices" },
	{ .path = "/proc/sys" },
	{ .path = "/proc/irq" },
	{ .path = STATE_DIR, .made = true },
	{ .path = "/var/lib/boardtune", .made = true },
	{ .path = "/etc/boardtune" },
	{ .path = "/dev/null" },
};

void cmd_confine(const struct cmd *c)
{
	int r = c->sys.root.live
			? confine_writes(confined_to, ARRAY_SIZE(confined_to))
			: 0;

	/* A layer less, and no reason to leave the board as it is. */
	if (r < 0 && r != -EOPNOTSUPP)
		cmd_error(_("warning: landlock: %s"), strerror(-r));
}

int cmd_signals(struct cmd *c)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	c->stop_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return c->stop_fd < 0 ? -errno : 0;
}

int cmd_signal(struct cmd *c)
{
	struct signalfd_siginfo info;

	if (c->stop_fd < 0 || read(c->stop_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return info.ssi_signo;
}

int cmd_lock(struct cmd *c, unsigned wait_ms, struct state *ret)
{
	int r = state_lock(&c->sys, wait_ms, ret);

	if (r == 0)
		return 0;
	if (r == -EWOULDBLOCK) {
		cmd_error(_("another boardtune is at work on this board; try again when "
			    "it is done"));
		return EXIT_NOT_AS_WANTED;
	}
	cmd_error("/run/boardtune: %s", strerror(-r));
	return cmd_exit_of(r);
}

int cmd_exit_of(int error)
{
	return error == -EACCES || error == -EPERM || error == -EROFS
		       ? EXIT_NOT_PERMITTED
		       : EXIT_NOT_AS_WANTED;
}

int cmd_lock_new(struct cmd *c, unsigned wait_ms, struct state *ret)
{
	unsigned left;
	int r = cmd_lock(c, wait_ms, ret);

	if (r || guard_pending(&c->sys, &left) <= 0)
		return r;
	cmd_error(_("an apply waits to be confirmed; run \"boardtune confirm\" or "
		    "\"boardtune revert\" first (it reverts by itself in %u s)"),
		  left);
	state_unlock(&c->sys, ret);
	return EXIT_NOT_AS_WANTED;
}

enum column { COLUMN_TARGET, COLUMN_SETTING, COLUMN_BEFORE, COLUMN_WANT, COLUMN_OUTCOME };

#define TABLE_COLUMNS (COLUMN_OUTCOME + 1)

/* What verify and revert call their values; the other commands are about a change. */
static const struct {
	const char *command, *before, *want;
} value_heads[] = {
	{ "verify", N_("NOW"), N_("WANT") },
	{ "revert", N_("FOUND"), N_("BACK TO") },
};

static void add_heads(struct table *t, const char *command)
{
	const char *heads[TABLE_COLUMNS] = { _("TARGET"), _("SETTING"), _("BEFORE"),
					     _("WANT"), _("OUTCOME") };

	for (size_t i = 0; i < ARRAY_SIZE(value_heads); i++) {
		if (!streq(value_heads[i].command, command))
			continue;
		heads[COLUMN_BEFORE] = _(value_heads[i].before);
		heads[COLUMN_WANT] = _(value_heads[i].want);
	}
	table_add(t, heads);
}

static bool is_shown(const struct change *c, bool changed_only)
{
	if (c->side && !c->written)
		return false;
	return !changed_only || c->outcome != OUTCOME_OK;
}

static const char *color_of(const struct cmd *c, const struct change *change)
{
	if (!c->color)
		return NULL;
	if (change_failed(change))
		return "\033[31m";
	if (change->outcome == OUTCOME_OK || !outcome_success(change->outcome))
		return "\033[2m";
	return "\033[32m";
}

static bool is_affinity(const struct change *c)
{
	return c->setting->attr && streq(c->setting->attr, "smp_affinity");
}

/* An affinity that is not in force before the next interrupt; "" if it is. */
static const char *lag_text(const struct cmd *cmd, const struct change *c,
			    char buf[static KNOB_NOTE_MAX])
{
	char list[64];
	struct cpus set;

	buf[0] = '\0';
	if (!is_affinity(c) || !c->target.path || !outcome_success(c->outcome) ||
	    c->now.type != VALUE_CPUS ||
	    irq_effective(&cmd->sys.root, &c->target, &set) < 0 ||
	    cpus_subset(&set, &c->now.cpus.set))
		return buf;
	snprintf(buf, KNOB_NOTE_MAX,
		 _("CPU %s handles it now; it moves with the next interrupt"),
		 cpus_format_list(&set, list, sizeof(list)));
	return buf;
}

static void print_note(FILE *f, const struct cmd *cmd, const struct change *c)
{
	char text[KNOB_NOTE_MAX + 128] = "", lag[KNOB_NOTE_MAX];
	bool forgiven = !change_failed(c) && !outcome_success(c->outcome);

	if (c->quirk)
		text_wrap(f, c->quirk, 4, 4);
	if (c->error)
		snprintf(text, sizeof(text), "%s: %s", errno_name(c->error),
			 c->note[0] ? c->note : strerror(-c->error));
	else if (c->note[0])
		snprintf(text, sizeof(text), "%s", c->note);
	if (forgiven)
		strncat(text, _(" (optional)"), sizeof(text) - strlen(text) - 1);
	if (text[0])
		text_wrap(f, text, 4, 4);
	if (c->outcome == OUTCOME_CLAMPED && c->now.type) {
		char now[VALUE_TEXT_MAX];

		fprintf(f, _("    the kernel has %s now\n"),
			value_format_human(&c->now, now));
	}
	if (*lag_text(cmd, c, lag))
		text_wrap(f, lag, 4, 4);
	if (change_failed(c) && c->outcome != OUTCOME_SKIPPED && c->file)
		fprintf(f, "    %s:%u\n", c->file, c->line);
}

/* A pattern that nothing matched may be long: it gives way, names of devices do not. */
static void add_row(struct table *t, const struct cmd *cmd, const struct change *c)
{
	char before[VALUE_TEXT_MAX], want[VALUE_TEXT_MAX], *note = NULL;
	/* a parameter is its own target; once is enough */
	const char *target = streq(c->setting->key, "*") ? c->setting->section
							 : c->target.name;
	FILE *f;
	size_t size;

	table_add(t, (const char *[]) { target, change_key(c),
					value_format_human(&c->before, before),
					value_format_human(&c->want, want),
					outcome_name(c->outcome) });
	if (c->target.path && text_width(target) > t->least)
		t->least = text_width(target);
	f = open_memstream(&note, &size);
	if (f) {
		print_note(f, cmd, c);
		if (fclose(f) == EOF)
			free(TAKE_PTR(note));
	}
	table_below(t, note);
	if (!t->error)
		t->rows[t->n - 1].color = color_of(cmd, c);
}

void cmd_print_plan(const struct cmd *c, const struct plan *plan, bool changed_only)
{
	struct table t = { .columns = TABLE_COLUMNS, .whole = ~(1u << COLUMN_TARGET) };
	int r;

	add_heads(&t, c->name);
	for (size_t i = 0; i < plan->n; i++)
		if (is_shown(&plan->changes[i], changed_only))
			add_row(&t, c, &plan->changes[i]);
	r = table_print(&t, stdout);
	table_clear(&t);
	if (r < 0)
		cmd_error("%s", strerror(-r));
}

void cmd_error_plan(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct change *c = &plan->changes[i];

		if (!change_failed(c) || c->outcome == OUTCOME_SKIPPED)
			continue;
		if (c->error)
			cmd_error("%s %s: %s (%s)", c->target.name, change_key(c),
				  outcome_name(c->outcome), errno_name(c->error));
		else
			cmd_error("%s %s: %s", c->target.name, change_key(c),
				  outcome_name(c->outcome));
	}
}

static json_t *value_json(const struct value *v)
{
	char buf[VALUE_TEXT_MAX];

	return v->type == VALUE_NONE ? json_null() : json_string(value_format(v, buf));
}

static json_t *text_json(const char *s)
{
	return s && *s ? json_string(s) : json_null();
}

/* Affinity: the CPU that handles the interrupt now; it follows with the next one. */
static void add_effective(struct cmd *cmd, const struct change *c, json_t *row)
{
	char buf[CPUS_LIST_MAX];
	json_t *text = NULL;
	struct cpus set;

	if (c->target.path && irq_effective(&cmd->sys.root, &c->target, &set) == 0)
		text = json_string(cpus_format_list(&set, buf, sizeof(buf)));
	json_object_set_new(row, "effective", text ? text : json_null());
}

/* "tx: quirk NAME: reason; why not", each part where there is one; NULL: no memory. */
static char *note_text(const struct change *c, const char *lag)
{
	const char *quirk = c->quirk ? c->quirk : "";
	bool any = *quirk || c->note[0];

	return str_format("%s%s%s%s%s%s%s", c->group ? c->group->key : "",
			  c->group && any ? ": " : "", quirk,
			  *quirk && c->note[0] ? "; " : "", c->note,
			  any && *lag ? "; " : "", lag);
}

static json_t *change_json(const struct cmd *cmd, const struct change *c)
{
	char key[VALUE_WORD_MAX + 32], lag[KNOB_NOTE_MAX];
	_cleanup_free_ char *note = note_text(c, lag_text(cmd, c, lag));

	snprintf(key, sizeof(key), "%s.%s", c->setting->section, change_key(c));
	return json_pack("{s:s, s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o}",
			 "key", key, "section", c->section, "optional", c->optional,
			 "target", c->target.name, "file", text_json(c->file), "line",
			 c->file ? json_integer(c->line) : json_null(), "before",
			 value_json(&c->before), "want", value_json(&c->want), "now",
			 value_json(&c->now), "outcome", outcome_name(c->outcome),
			 "errno",
			 c->error ? json_string(errno_name(c->error)) : json_null(),
			 "note", text_json(note));
}

json_t *cmd_json_board(const struct cmd *c)
{
	json_t *compatible = json_array();
	struct identity id;

	identity_read(&c->sys.root, &id);
	for (size_t i = 0; i < id.n_compatible; i++)
		json_array_append_new(compatible, json_string(id.compatible[i]));
	return json_pack("{s:s, s:o, s:s}", "model", id.model, "compatible", compatible,
			 "kernel", id.kernel);
}

static int json_print(json_t *doc, size_t flags)
{
	int r = doc ? json_dumpf(doc, stdout, flags | JSON_REAL_PRECISION(12)) : -1;

	json_decref(doc);
	if (r < 0 || putchar('\n') == EOF || fflush(stdout) == EOF) {
		cmd_error(_("the JSON document could not be written"));
		return EXIT_NOT_AS_WANTED;
	}
	return 0;
}

int cmd_json_print(json_t *doc)
{
	return json_print(doc, JSON_INDENT(2));
}

int cmd_json_print_line(json_t *doc)
{
	return json_print(doc, JSON_COMPACT);
}

int cmd_json_done(const struct cmd *c, const char *profile, int exit_code)
{
	return cmd_json_print(json_pack("{s:i, s:s, s:o, s:i}", "schema", 1, "command",
					c->name, "profile", text_json(profile), "exit",
					exit_code));
}

int cmd_json_plan(struct cmd *c, const char *profile, const struct plan *plan,
		  int exit_code)
{
	json_t *settings = json_array();

	for (size_t i = 0; i < plan->n; i++) {
		json_t *row;

		if (!is_shown(&plan->changes[i], false))
			continue;
		row = change_json(c, &plan->changes[i]);
		if (row && is_affinity(&plan->changes[i]))
			add_effective(c, &plan->changes[i], row);
		json_array_append_new(settings, row);
	}
	return cmd_json_print(json_pack("{s:i, s:s, s:o, s:o, s:o, s:i}", "schema", 1,
					"command", c->name, "profile", text_json(profile),
					"board", cmd_json_board(c), "settings", settings,
					"exit", exit_code));
}
