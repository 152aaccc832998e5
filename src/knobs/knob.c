// SPDX-License-Identifier: GPL-2.0-or-later
// knob.c - the words for outcomes, lists of targets
#include "knobs/knob.h"

static const struct {
	const char *name;
	bool success, forgiven;
	const char *help;
} outcomes[OUTCOME_MAX_] = {
	[OUTCOME_OK] = { "ok", true, false, N_("Already so; nothing was written.") },
	[OUTCOME_CHANGED] = { "changed", true, false, N_("Written and read back.") },
	[OUTCOME_ROUNDED] = { "rounded", true, false,
			      N_("Written; the kernel rounds it to what there is.") },
	[OUTCOME_HELD] = { "held", true, false,
			   N_("Written, but cooling holds the policy lower now; run "
			      "verify once it is cool.") },
	[OUTCOME_CLAMPED] = { "clamped", false, false,
			      N_("The kernel chose something else; ask for a value that "
				 "it has.") },
	[OUTCOME_FIXED] = { "fixed", false, true,
			    N_("This cannot be changed here; remove the key or put \"-\" "
			       "before it.") },
	[OUTCOME_UNMOVABLE] = { "unmovable", false, true,
				N_("This interrupt cannot be moved; use rps_cpus, or put "
				   "\"-\" before the key.") },
	[OUTCOME_UNSUPPORTED] = { "unsupported", false, true,
				  N_("This kernel or driver does not have it; remove the "
				     "key or put \"-\" before it.") },
	[OUTCOME_MISSING] = { "missing", false, true,
			      N_("No such device now; check the section's match, or put "
				 "\"-\" before the key.") },
	[OUTCOME_REFUSED] = { "refused", false, false,
			      N_("The kernel refused the write; see the errno.") },
	[OUTCOME_DIFFERS] = { "differs", false, false,
			      N_("Not as the profile wants it; run apply.") },
	[OUTCOME_OVERRIDDEN] = { "overridden", false, false,
				 N_("It was set by boardtune and someone else wrote it "
				    "afterwards; find who does, then run apply.") },
	[OUTCOME_SKIPPED] = { "skipped", false, false,
			      N_("Not reached because another setting failed.") },
	[OUTCOME_REVERTED] = { "reverted", true, false, N_("Put back as it was.") },
	[OUTCOME_STUCK] = { "stuck", false, false,
			    N_("Could not be put back; write it by hand or reboot.") },
};

const char *outcome_name(enum outcome o)
{
	return outcomes[o].name;
}

const char *outcome_help(enum outcome o)
{
	return _(outcomes[o].help);
}

bool outcome_success(enum outcome o)
{
	return outcomes[o].success;
}

bool outcome_forgiven(enum outcome o)
{
	return outcomes[o].forgiven;
}

void knob_note_add(char note[static KNOB_NOTE_MAX], const char *text)
{
	size_t n = strlen(note);

	snprintf(note + n, KNOB_NOTE_MAX - n, "%s%s", n ? "; " : "", text);
}

const struct system_cpus *knob_cpus(struct system *sys)
{
	if (!sys->cpus.known) {
		sys->cpus.online = cpus_online(&sys->root);
		sys->cpus.present = cpus_present(&sys->root);
		sys->cpus.known = true;
	}
	return &sys->cpus;
}

bool knob_meets(const struct knob_need *need, const struct value *v)
{
	char text[VALUE_TEXT_MAX];

	return v->type && streq(value_format(v, text), need->value);
}

bool setting_same(const struct setting *a, const struct setting *b)
{
	return a == b || (a->set && a->set == b->set && a->attr && b->attr &&
			  streq(a->attr, b->attr));
}

enum outcome outcome_from_errno(const struct setting *s, int error)
{
	switch (error < 0 ? -error : error) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENOSYS:
	case ENODATA:
		return OUTCOME_UNSUPPORTED;
	case ENODEV:
	case ENXIO:
		return OUTCOME_MISSING;
	case EIO:
	case EPERM:
	case EINVAL:
		return s->attr && streq(s->attr, "smp_affinity") ? OUTCOME_UNMOVABLE
								 : OUTCOME_REFUSED;
	case EBUSY: /* a policy whose CPUs are offline; a preference: its governor's */
		return streq(s->section, "cpufreq") &&
				       !(s->attr &&
					 streq(s->attr, "energy_performance_preference"))
			       ? OUTCOME_MISSING
			       : OUTCOME_REFUSED;
	}
	return OUTCOME_REFUSED;
}

int target_add(struct target_list *list, const char *name, const char *path,
	       unsigned order, int ifindex)
{
	struct target t = { .order = order, .ifindex = ifindex };
	int r = array_grow(&list->targets, list->n, sizeof(*list->targets));

	if (r < 0)
		return r;
	t.name = strdup(name);
	t.path = strdup(path);
	if (!t.name || !t.path) {
		free(t.name);
		free(t.path);
		return -ENOMEM;
	}
	list->targets[list->n++] = t;
	return 0;
}

void target_list_clear(struct target_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->targets[i].name);
		free(list->targets[i].path);
	}
	free(list->targets);
	*list = (struct target_list){ 0 };
}
