// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-log.c - the journal's line about one setting
#include "cmd.h"

char *cmd_change_text(const struct change *c)
{
	const char *error = c->error ? errno_name(c->error) : "";
	char want[VALUE_TEXT_MAX];
	_cleanup_free_ char *text = NULL;

	text = str_format(_("%s %s of %s: %s%s%s%s, wanted %s"), c->section,
			  change_key(c), c->target.name, outcome_name(c->outcome),
			  c->error ? " (" : "", error, c->error ? ")" : "",
			  value_format(&c->want, want));
	if (!text || !c->note[0])
		return TAKE_PTR(text);
	return str_format("%s; %s", text, c->note);
}

void cmd_log_change(enum service_message message, int priority, const char *profile,
		    const struct change *c, const char *writer, const char *text)
{
	_cleanup_free_ char *setting = str_format("%s.%s", c->section, change_key(c));
	_cleanup_free_ char *own = text ? NULL : cmd_change_text(c);
	const struct service_fields fields = {
		.profile = profile,
		.setting = setting,
		.target = c->target.name,
		.outcome = outcome_name(c->outcome),
		.writer = writer,
	};

	if (!text)
		text = own ? own : strerror(ENOMEM);
	service_log(message, priority, &fields, text);
}
