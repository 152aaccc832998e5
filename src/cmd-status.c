// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-status.c - status: the board as it is now, against the profile in force
#include "board/identity.h"
#include "cmd.h"
#include "engine/guard.h"
#include "report/status.h"

/* The profile in force, by the undo record, and whether its settings hold. */
struct in_force {
	char *name; /* NULL: none */
	struct plan plan;
	bool judged; /* it could be loaded and planned */
	size_t holding, failures;
};

static void in_force_clear(struct in_force *p)
{
	free(p->name);
	plan_clear(&p->plan);
}

/* Why it could not be judged: the first error. */
static int cannot_judge(struct status *st, const struct in_force *p,
			const struct profile_errors *errors, int error)
{
	const struct profile_error *e = errors->n && errors->items ? &errors->items[0]
								   : NULL;

	return status_add_finding(st, "profile", p->name,
				  _("profile %s cannot be checked: %s"), p->name,
				  e && e->text ? e->text : strerror(-error));
}

static int judge(struct cmd *c, const struct record *rec, struct in_force *p,
		 struct status *st)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *profile = NULL;
	int r = profile_load(&c->sys.root, p->name, &profile, &errors);

	if (r == 0)
		r = plan_build(&c->sys, profile, PLAN_ALL, &p->plan, &errors);
	if (r < 0 || errors.n)
		return r == -ENOMEM ? r : cannot_judge(st, p, &errors, r);
	plan_verify(&p->plan, rec);
	p->judged = true;
	p->failures = plan_failures(&p->plan);
	for (size_t i = 0; i < p->plan.n; i++)
		p->holding += outcome_success(p->plan.changes[i].outcome);
	if (!p->failures)
		return 0;
	return status_add_finding(st, "drift", p->name,
				  ngettext("%zu setting of profile %s does not hold; see "
					   "\"boardtune verify\"",
					   "%zu settings of profile %s do not hold; see "
					   "\"boardtune verify\"",
					   p->failures),
				  p->failures, p->name);
}

static int read_in_force(struct cmd *c, struct in_force *p, struct status *st)
{
	_cleanup_(record_clear) struct record rec = { 0 };
	_cleanup_free_ char *text = NULL;
	unsigned left;
	int r = state_load(&c->sys, &rec, &text);

	if (r < 0)
		return r == -ENOMEM ? r
				    : status_add_finding(st, "undo-record", "",
							 _("the undo record cannot be "
							   "read: %s"),
							 text ? text : strerror(-r));
	if (rec.applying)
		r = status_add_finding(st, "unfinished", "",
				       _("the last apply did not come to its end; "
					 "\"boardtune revert\" undoes it"));
	if (r == 0 && guard_pending(&c->sys, &left) > 0)
		r = status_add_finding(st, "pending", "",
				       _("an apply reverts in %u s unless \"boardtune "
					 "confirm\" comes"),
				       left);
	if (r < 0 || !rec.profile || !rec.profile[0])
		return r;
	p->name = strdup(rec.profile);
	return p->name ? judge(c, &rec, p, st) : -ENOMEM;
}

/* ---- text ---- */

static char *format_head(struct cmd *c, const struct in_force *p)
{
	_cleanup_free_ char *profile = NULL;
	struct identity id;

	identity_read(&c->sys.root, &id);
	if (!p->name)
		profile = strdup(_("No profile is in force."));
	else if (!p->judged)
		profile = str_format(_("Profile in force: %s."), p->name);
	else if (p->failures)
		profile = str_format(_("Profile in force: %s; %zu of %zu settings hold."),
				     p->name, p->holding, p->plan.n);
	else
		profile = str_format(_("Profile in force: %s; its settings hold."),
				     p->name);
	return profile ? str_format("%s%sLinux %s\n%s\n", id.model,
				    id.model[0] ? ", " : "",
				    id.kernel[0] ? id.kernel : "?", profile)
		       : NULL;
}

static int print_text(struct cmd *c, const struct status *st, const struct in_force *p)
{
	_cleanup_free_ char *head = format_head(c, p), *text = NULL;

	if (!head || status_text(st, head, &text) < 0)
		return -ENOMEM;
	fputs(text, stdout);
	return 0;
}

/* ---- JSON ---- */

static json_t *text_json(const char *s)
{
	return *s ? json_string(s) : json_null();
}

static json_t *khz_json(uint32_t khz)
{
	return khz ? json_integer(khz) : json_null();
}

static json_t *cpus_json(const struct cpus *set, bool known)
{
	char list[CPUS_LIST_MAX];

	return known ? json_string(cpus_format_list(set, list, sizeof(list)))
		     : json_null();
}

static json_t *zone_json(const struct status_zone *z)
{
	return json_pack("{s:o, s:o, s:o, s:b, s:o}", "zone",
			 z->number < 0 ? json_null() : json_integer(z->number), "type",
			 json_string(z->type), "millicelsius",
			 z->usable ? json_integer(z->millicelsius) : json_null(),
			 "usable", z->usable, "why", text_json(z->usable ? "" : z->why));
}

static json_t *clock_json(const struct clock *c)
{
	char name[32];

	snprintf(name, sizeof(name), "policy%u", c->number);
	return json_pack("{s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "policy",
			 name, "cpus", cpus_json(&c->cpus, !cpus_empty(&c->cpus)),
			 "online", !c->offline, "khz", khz_json(clock_now(c)), "min_khz",
			 khz_json(c->min_khz), "max_khz", khz_json(c->max_khz),
			 "hw_min_khz", khz_json(c->hw_min_khz), "hw_max_khz",
			 khz_json(c->hw_max_khz), "governor", text_json(c->governor),
			 "held", c->held);
}

/* By CPU; those that never took it are left out. */
static json_t *counts_json(const struct status *st, const struct status_irq *irq)
{
	json_t *counts = json_object();
	char cpu[16];

	for (unsigned i = 0; irq->line->counts && i < st->table.n_cpus; i++) {
		if (!irq->line->counts[i])
			continue;
		snprintf(cpu, sizeof(cpu), "%u", i);
		json_object_set_new(counts, cpu,
				    json_integer((json_int_t)irq->line->counts[i]));
	}
	return counts;
}

static json_t *names_json(const char *names)
{
	json_t *array = json_array();

	while (names && *names) {
		size_t n = strcspn(names, " ");

		json_array_append_new(array, json_stringn(names, n));
		names += n + (names[n] == ' ');
	}
	return array;
}

static json_t *irq_json(const struct status *st, const struct status_irq *irq)
{
	return json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "irq",
			 (int)irq->line->number, "actions", irq->line->actions, "chip",
			 text_json(irq->line->chip), "hwirq", text_json(irq->line->hwirq),
			 "nics", names_json(irq->nics), "affinity",
			 cpus_json(&irq->affinity, irq->has_affinity), "effective",
			 cpus_json(&irq->effective, irq->has_effective), "count",
			 (json_int_t)irq->count, "counts", counts_json(st, irq));
}

static json_t *features_json(const struct status_nic *nic)
{
	json_t *features = json_object();

	for (size_t i = 0; i < STATUS_FEATURES; i++)
		if (nic->features[i] != STATUS_FEATURE_NONE)
			json_object_set_new(
				features, status_feature_name(i),
				json_string(nic->features[i] == STATUS_FEATURE_ON
						    ? "on"
						    : "off"));
	return features;
}

static json_t *number_json(unsigned number)
{
	return number ? json_integer(number) : json_null();
}

static json_t *nic_json(const struct status_nic *nic)
{
	json_t *carrier = nic->carrier < 0 ? json_null() : json_boolean(nic->carrier);

	return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:I, "
			 "s:I, s:I, s:I, s:o}",
			 "name", nic->name, "physical", nic->physical, "driver",
			 text_json(nic->driver), "bus", text_json(nic->bus), "path",
			 text_json(nic->path), "carrier", carrier, "speed_mbps",
			 number_json(nic->speed), "duplex", text_json(nic->duplex),
			 "usb_mbps", number_json(nic->usb_speed), "rx_queues",
			 (int)nic->rx_queues, "tx_queues", (int)nic->tx_queues,
			 "rx_packets", (json_int_t)nic->rx_packets, "rx_dropped",
			 (json_int_t)nic->rx_dropped, "rx_missed",
			 (json_int_t)nic->rx_missed, "tx_dropped",
			 (json_int_t)nic->tx_dropped, "features", features_json(nic));
}

static json_t *profile_json(const struct in_force *p)
{
	json_t *failing = json_array();

	for (size_t i = 0; i < p->plan.n; i++) {
		const struct change *c = &p->plan.changes[i];
		char key[VALUE_WORD_MAX + 32];

		if (!change_failed(c))
			continue;
		snprintf(key, sizeof(key), "%s.%s", c->setting->section, change_key(c));
		json_array_append_new(failing,
				      json_pack("{s:s, s:s, s:s}", "key", key, "target",
						c->target.name, "outcome",
						outcome_name(c->outcome)));
	}
	if (!p->name) {
		json_decref(failing);
		return json_null();
	}
	return json_pack("{s:s, s:o, s:I, s:I, s:o}", "name", p->name, "holds",
			 p->judged ? json_boolean(!p->failures) : json_null(), "settings",
			 (json_int_t)p->plan.n, "holding", (json_int_t)p->holding,
			 "failing", failing);
}

static json_t *finding_json(const struct status_finding *f)
{
	return json_pack("{s:s, s:o, s:s}", "kind", f->kind, "target",
			 text_json(f->target), "text", f->text);
}

static int print_json(struct cmd *c, const struct status *st, const struct in_force *p)
{
	json_t *zones = json_array(), *clocks = json_array(), *irqs = json_array();
	json_t *nics = json_array(), *findings = json_array();
	json_t *zone = st->zone < 0 ? json_null() : zone_json(&st->zones[st->zone]);

	for (size_t i = 0; i < st->n_zones; i++)
		json_array_append_new(zones, zone_json(&st->zones[i]));
	for (size_t i = 0; i < st->n_clocks; i++)
		json_array_append_new(clocks, clock_json(&st->clocks[i]));
	for (size_t i = 0; i < st->n_irqs; i++)
		json_array_append_new(irqs, irq_json(st, &st->irqs[i]));
	for (size_t i = 0; i < st->n_nics; i++)
		json_array_append_new(nics, nic_json(&st->nics[i]));
	for (size_t i = 0; i < st->n_findings; i++)
		json_array_append_new(findings, finding_json(&st->findings[i]));
	return cmd_json_print(
		json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}",
			  "schema", 1, "command", c->name, "board", cmd_json_board(c),
			  "temperatures", zones, "temperature", zone, "clocks", clocks,
			  "interrupts", irqs, "nics", nics, "profile", profile_json(p),
			  "findings", findings, "exit", EXIT_AS_WANTED));
}

int cmd_status(struct cmd *c, int argc, char **argv)
{
	_cleanup_(in_force_clear) struct in_force p = { 0 };
	_cleanup_(status_clear) struct status st = { .zone = -1 };
	int r;

	if (argc != 1)
		return cmd_usage(c, _("%s takes no argument"), c->name);
	if (c->opt[OPT_CLOCKS])
		return cmd_status_clocks(c);
	r = status_read(&c->sys, &st);
	if (r == 0)
		r = read_in_force(c, &p, &st);
	if (r == 0 && c->json)
		return print_json(c, &st, &p);
	if (r == 0 && !c->quiet)
		r = print_text(c, &st, &p);
	if (r == 0)
		return EXIT_AS_WANTED;
	cmd_error("%s", strerror(-r));
	return EXIT_NOT_AS_WANTED;
}
