// SPDX-License-Identifier: GPL-2.0-or-later
// irq.c - placement of interrupts
#include "knobs/irq.h"

#include "knobs/irq-nic.h"
#include "knobs/irq-rows.h"
#include "knobs/nic-match.h"
#include "knobs/nic.h"
#include "knobs/steering.h"

#define TARGET_PREFIX "irq "
#define KEY_PREFIX "irq:"
#define KEY_MAX (IRQ_CHIP_MAX + IRQ_HWIRQ_MAX + IRQ_NAME_MAX + 8)

/* ---- what a line is called in the undo record ---- */

/*
 * "irq:GICv3:56:eth0": a path in the record, so without a slash. The names begin after
 * the third colon, so those of a chip are dots: PCI-MSIX-0000.00.03.0.
 */
static void format_key(char buf[static KEY_MAX], const char *chip, const char *hwirq,
		       const char *actions)
{
	int n = snprintf(buf, KEY_MAX, KEY_PREFIX "%.*s", IRQ_CHIP_MAX - 1, chip);

	for (char *s = buf + strlen(KEY_PREFIX); (s = strchr(s, ':')); s++)
		*s = '.';
	snprintf(buf + n, KEY_MAX - (size_t)n, ":%.*s:%.*s", IRQ_HWIRQ_MAX - 1, hwirq,
		 IRQ_NAME_MAX - 1, actions);
	for (char *s = buf; (s = strchr(s, '/')); s++)
		*s = '!';
}

/* The names at the end of a key, "" if there are none. */
static const char *key_actions(const char *key)
{
	for (int i = 0; i < 3 && key; i++) {
		key = strchr(key, ':');
		key += key != NULL;
	}
	return key ? key : "";
}

/* How well a line fits a key. */
enum match {
	MATCH_NONE,
	MATCH_ACTION, /* same chip and users: the hwirq was given out anew */
	MATCH_HWIRQ,  /* same input of the chip: its users changed, or it has none now */
	MATCH_EXACT,
};

static enum match match_key(const char *key, const char *chip, const char *hwirq,
			    const char *actions)
{
	char text[KEY_MAX];
	const char *rest;

	format_key(text, chip, hwirq, actions);
	if (streq(text, key))
		return MATCH_EXACT;
	format_key(text, chip, hwirq, "");
	if (*hwirq && str_after(key, text))
		return MATCH_HWIRQ;
	if (!*actions)
		return MATCH_NONE;
	format_key(text, chip, "", "");
	text[strlen(text) - 1] = '\0'; /* up to the hwirq */
	rest = str_after(key, text);
	if (!rest)
		return MATCH_NONE;
	rest += strspn(rest, "0123456789");
	format_key(text, "", "", actions);
	return streq(rest, text + strlen(KEY_PREFIX ":")) ? MATCH_ACTION : MATCH_NONE;
}

/* The number that a target had when it was found; -1 for what is no interrupt. */
static int target_number(const struct target *t)
{
	const char *digits = str_after(t->name, TARGET_PREFIX);
	unsigned long number;
	char *end;

	if (!digits || *digits < '0' || *digits > '9')
		return -1;
	errno = 0;
	number = strtoul(digits, &end, 10);
	return errno || *end || number > INT32_MAX ? -1 : (int)number;
}

static void proc_path(char buf[static 64], unsigned number, const char *file)
{
	snprintf(buf, 64, IRQ_PROC_DIR "/%u/%s", number, file);
}

/*
 * Without sysfs: a handler has a directory of its name (kernel/irq/proc.c
 * register_handler_proc, 6.1).
 */
static bool has_handler_dir(const struct sysroot *root, const char *key, unsigned number)
{
	const char *actions = key_actions(key);
	size_t n = strcspn(actions, ",");
	char path[64 + IRQ_NAME_MAX];

	if (n == 0 || n >= IRQ_NAME_MAX)
		return false;
	snprintf(path, sizeof(path), IRQ_PROC_DIR "/%u/%.*s", number, (int)n, actions);
	return sysroot_exists(root, path);
}

/* Whether a key ends with these: enough for a line that has its number still. */
static bool ends_with(const char *key, const char *hwirq, const char *actions)
{
	const char *chip_end = strchr(key + strlen(KEY_PREFIX), ':');
	char text[KEY_MAX];

	format_key(text, "", hwirq, actions);
	return chip_end && streq(chip_end, text + strlen(KEY_PREFIX));
}

static bool hint_holds(const struct sysroot *root, const char *key, unsigned number)
{
	struct irq_identity id;

	if (irq_read_actions(root, number, id.actions) == 0 &&
	    irq_read_hwirq(root, number, id.hwirq) == 0 &&
	    ends_with(key, id.hwirq, id.actions))
		return true;
	if (irq_identify(root, number, &id) == 0)
		return match_key(key, id.chip, id.hwirq, id.actions) >= MATCH_HWIRQ;
	return has_handler_dir(root, key, number);
}

/* The best fit of all lines; what fits less than exactly has to be the only one. */
static int search_line(const struct sysroot *root, const char *key, unsigned *ret)
{
	_cleanup_(irq_rows_close) struct irq_rows rows;
	enum match best = MATCH_NONE;
	struct irq_identity id;
	struct irq_row row;
	unsigned found = 0;
	bool only = false;
	int r;

	r = irq_rows_open(&rows, root, NULL);
	while (r >= 0 && best != MATCH_EXACT && (r = irq_rows_next(&rows, &row)) == 1) {
		enum match m;

		if (irq_identify(root, row.number, &id) == 0)
			m = match_key(key, id.chip, id.hwirq, id.actions);
		else
			m = match_key(key, row.chip, row.hwirq, row.actions);
		if (m == MATCH_NONE || m < best)
			continue;
		only = m > best;
		best = m;
		found = row.number;
	}
	if (best == MATCH_NONE || !only)
		return -ENODEV;
	*ret = found;
	return 0;
}

/* The number that the line of a target has now. Allocates nothing. */
static int line_now(const struct sysroot *root, const struct target *t, unsigned *ret)
{
	int hint = target_number(t);

	if (hint < 0 || !str_after(t->path, KEY_PREFIX))
		return -ENODEV;
	if (!hint_holds(root, t->path, (unsigned)hint))
		return search_line(root, t->path, ret);
	*ret = (unsigned)hint;
	return 0;
}

/* ---- which lines ---- */

static int add_target(const struct sysroot *root, const struct irq_line *line,
		      struct target_list *list)
{
	char name[32], key[KEY_MAX];
	struct irq_identity id;

	snprintf(name, sizeof(name), TARGET_PREFIX "%u", line->number);
	irq_line_identify(root, line, &id);
	format_key(key, id.chip, id.hwirq, id.actions);
	return target_add(list, name, key, line->number, 0);
}

/* No table: as if there were no interrupt; irq_absent() says why. */
static int load_table(struct system *sys, struct irq_table *ret)
{
	int r = irq_table_load_actions(&sys->root, ret);

	return r == -ENOMEM ? r : 0;
}

/* The lines of one NIC, without those that another NIC of the section has already. */
static int add_nic(struct system *sys, const struct irq_index *index,
		   const struct target *nic, bool *taken, struct target_list *list)
{
	_cleanup_free_ size_t *lines = NULL;
	ssize_t n;

	n = irq_nic_lines(&sys->root, index, nic->name, nic->path, &lines);
	for (ssize_t i = 0; i < n; i++) {
		struct target *t;
		int r;

		if (taken[lines[i]])
			continue;
		taken[lines[i]] = true;
		r = add_target(&sys->root, &index->table->lines[lines[i]], list);
		if (r < 0)
			return r;
		t = &list->targets[list->n - 1];
		t->index = (unsigned)i;
		t->siblings = (unsigned)n;
		snprintf(t->device, sizeof(t->device), "%.15s", nic->name);
	}
	return n < 0 ? (int)n : 0;
}

int irq_nic_each(struct system *sys, const struct setting *s, const struct selector *sel,
		 struct target_list *list)
{
	_cleanup_(target_list_clear) struct target_list nics = { 0 };
	_cleanup_(irq_table_clear) struct irq_table table = { 0 };
	_cleanup_(irq_index_clear) struct irq_index index = { 0 };
	_cleanup_free_ bool *taken = NULL;
	int r;

	r = nic_each(sys, s, sel, &nics);
	if (r < 0 || nics.n == 0)
		return r;
	r = load_table(sys, &table);
	if (r == 0)
		r = irq_index_make(&table, &index);
	if (r < 0)
		return r;
	taken = calloc(table.n + 1, sizeof(*taken));
	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < nics.n && r == 0; i++)
		r = add_nic(sys, &index, &nics.targets[i], taken, list);
	return r;
}

/* Whether one of the actions is what the globs of Name mean. */
static bool line_matches(const struct irq_line *line, const struct selector *sel)
{
	char action[IRQ_NAME_MAX];

	for (const char *s = line->actions; *s; s += *s == ',') {
		size_t n = strcspn(s, ",");
		bool match = sel->n_matches > 0;

		snprintf(action, sizeof(action), "%.*s", (int)n, s);
		for (size_t i = 0; i < sel->n_matches && match; i++)
			match = streq(sel->match_keys[i], "Name") &&
				nic_match_list(sel->match_patterns[i], action);
		if (match)
			return true;
		s += n;
	}
	return false;
}

int irq_name_each(struct system *sys, const struct setting *s, const struct selector *sel,
		  struct target_list *list)
{
	_cleanup_(irq_table_clear) struct irq_table table = { 0 };
	int r = load_table(sys, &table);

	for (size_t i = 0; i < table.n && r == 0; i++)
		if (line_matches(&table.lines[i], sel))
			r = add_target(&sys->root, &table.lines[i], list);
	return r;
}

/* ---- why there is none ---- */

static void nic_absent_note(struct system *sys, const struct target *nic, char *note)
{
	char lower[IF_NAMESIZE];

	switch (irq_nic_reason(&sys->root, nic->path, lower, sizeof(lower))) {
	case IRQ_NIC_DOWN:
		snprintf(note, KNOB_NOTE_MAX,
			 _("%.15s is down: its driver asks for an interrupt when "
			   "it comes up"),
			 nic->name);
		return;
	case IRQ_NIC_STACKED:
		if (*lower)
			snprintf(
				note, KNOB_NOTE_MAX,
				_("%.15s has no interrupt of its own; use that of %.15s, "
				  "below it"),
				nic->name, lower);
		else
			snprintf(note, KNOB_NOTE_MAX,
				 _("%.15s has no interrupt of its own"), nic->name);
		return;
	case IRQ_NIC_VIRTUAL:
		snprintf(note, KNOB_NOTE_MAX, _("%.15s is no hardware, no interrupt"),
			 nic->name);
		return;
	case IRQ_NIC_UNKNOWN:
		snprintf(note, KNOB_NOTE_MAX, _("no interrupt of %.15s was found"),
			 nic->name);
		return;
	}
}

int irq_absent(struct system *sys, const struct setting *s, const struct selector *sel,
	       char *note)
{
	_cleanup_(target_list_clear) struct target_list nics = { 0 };
	_cleanup_(irq_table_clear) struct irq_table table = { 0 };
	const char *key = sel->n_matches ? sel->match_keys[0] : "";
	const char *pattern = sel->n_matches ? sel->match_patterns[0] : "";
	int r;

	r = irq_table_load_actions(&sys->root, &table);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		snprintf(note, KNOB_NOTE_MAX, _("%s: cannot read it: %s"), IRQ_INTERRUPTS,
			 errno_name(r));
		return 0;
	}
	if (streq(s->section, "irq")) {
		snprintf(note, KNOB_NOTE_MAX,
			 pattern[strspn(pattern, "0123456789 ")]
				 ? _("no interrupt has the name %.100s now")
				 : _("%.100s: numbers change; expected the name at the "
				     "end of its line in /proc/interrupts"),
			 pattern);
		return 0;
	}
	r = nic_each(sys, s, sel, &nics);
	if (r < 0)
		return r;
	if (nics.n)
		nic_absent_note(sys, &nics.targets[0], note);
	else
		snprintf(note, KNOB_NOTE_MAX,
			 strchr(pattern, ',')
				 ? _("no interface matches %s=%.100s; names have blanks "
				     "between them")
				 : _("no interface matches %s=%.100s"),
			 key, pattern);
	return 0;
}

/* ---- reading and writing ---- */

static int read_affinity(const struct sysroot *root, unsigned number, struct cpus *ret)
{
	char path[64];
	int r;

	proc_path(path, number, "smp_affinity");
	r = cpus_read_mask(root, path, ret);
	/* these say something about a write, so not for a text that is no mask */
	return r == -EINVAL || r == -ERANGE ? -EBADMSG : r;
}

int irq_affinity_get(struct system *sys, const struct setting *s, const struct target *t,
		     struct value *ret)
{
	struct cpus set;
	unsigned number;
	int r;

	r = line_now(&sys->root, t, &number);
	if (r == 0)
		r = read_affinity(&sys->root, number, &set);
	if (r < 0)
		return r;
	*ret = value_cpus(&set);
	return KNOB_READ;
}

int irq_affinity_set(struct system *sys, const struct setting *s, const struct target *t,
		     const struct value *v)
{
	char path[64], like[CPUS_MASK_MAX + 256], mask[CPUS_MASK_MAX];
	unsigned number;
	ssize_t n;
	int r;

	r = line_now(&sys->root, t, &number);
	if (r < 0)
		return r;
	proc_path(path, number, "smp_affinity");
	n = sysroot_read(&sys->root, path, like, sizeof(like));
	if (n < 0)
		return (int)n;
	/* what the write would give (6.12); before it, root may try and gets EIO */
	if (!sysroot_writable(&sys->root, path))
		return -EPERM;
	r = cpus_format_mask(&v->cpus.set, like, mask);
	return r < 0 ? r : sysroot_write(&sys->root, path, mask);
}

int irq_effective(const struct sysroot *root, const struct target *t, struct cpus *ret)
{
	unsigned number;
	char path[64];
	struct cpus set;
	int r;

	r = line_now(root, t, &number);
	if (r < 0)
		return -ENODATA;
	proc_path(path, number, "effective_affinity_list");
	r = cpus_read_list(root, path, &set);
	if (r < 0 || cpus_empty(&set))
		return -ENODATA;
	*ret = set;
	return 0;
}

/* ---- what a value comes to ---- */

/* "eth1: xhci-hcd:usb5", "eth1-TxRx-0", and who else has a handler on that line. */
static void note_users(const struct target *t, char *note)
{
	const char *actions = key_actions(t->path), *device = t->device, *sep = ": ";

	if (!*device || (str_after(actions, device) && !strchr(actions, ',')))
		device = sep = "";
	if (strchr(actions, ','))
		snprintf(note, KNOB_NOTE_MAX, _("%s%sa line that these share: %.140s"),
			 device, sep, actions);
	else if (*device && strstr(actions, "hcd"))
		snprintf(note, KNOB_NOTE_MAX,
			 _("%s: %.100s, of all devices at this USB controller"), device,
			 actions);
	else
		snprintf(note, KNOB_NOTE_MAX, "%s%s%.140s", device, sep, actions);
}

/* The share of one line: all of the set, or one CPU each of the several of a NIC. */
static int deal(struct system *sys, const struct target *t, const struct cpus *set,
		struct cpus *ret, char *note)
{
	const struct cpus online = knob_cpus(sys)->online;
	const struct cpus usable = cpus_and(set, &online);
	unsigned n = cpus_count(&usable);
	char list[64];

	if (n == 0) {
		snprintf(note, KNOB_NOTE_MAX,
			 _("an interrupt needs an online CPU; \"%s\" has none"),
			 cpus_empty(set) ? "none"
					 : cpus_format_list(set, list, sizeof(list)));
		return cpus_empty(set) ? -ERANGE : -ENODEV;
	}
	*ret = *set;
	if (t->siblings > 1) {
		*ret = (struct cpus) { 0 };
		cpus_add(ret, (unsigned)cpus_nth(&usable, t->index % n));
	}
	return 0;
}

int irq_affinity_expect(struct system *sys, const struct setting *s,
			const struct target *t, const struct value *asked,
			struct expectation *ret)
{
	struct cpus set, share, now;
	unsigned number = 0;
	char path[64];
	int r;

	*ret = (struct expectation) { .want = *asked, .outcome = OUTCOME_OK };
	r = steering_resolve(sys, asked, &set, ret->note);
	if (r == 0)
		r = deal(sys, t, &set, &share, ret->note);
	if (r == -ENODEV) { /* they may come online again, or not be there at this boot */
		ret->outcome = OUTCOME_MISSING;
		ret->error = r;
		return 0;
	}
	if (r < 0)
		return r;
	ret->want = value_cpus(&share);
	r = line_now(&sys->root, t, &number);
	if (r == 0)
		r = read_affinity(&sys->root, number, &now);
	if (r == -ENOENT) {
		snprintf(ret->note, KNOB_NOTE_MAX, "%s",
			 _("the kernel has no affinity file for this interrupt; "
			   "one for a single CPU has none at all"));
	} else if (r == 0) {
		note_users(t, ret->note);
		proc_path(path, number, "smp_affinity");
		if (!sysroot_writable(&sys->root, path) && !cpus_equal(&share, &now))
			r = -EPERM; /* the file's mode says it since 6.12 */
	}
	if (r < 0) {
		ret->outcome = outcome_from_errno(s, r);
		ret->error = r;
	}
	return 0;
}
