// SPDX-License-Identifier: GPL-2.0-or-later
// rules.c - rules between changes: conflicts, limits, when a value is as wanted
#include "engine/rules.h"

#include "engine/rules-thermal.h"
#include "profile/registry.h"

enum outcome rules_compare(const struct change *c, const struct value *now)
{
	if (c->fixed && now->type == VALUE_FEATURE && c->want.type == VALUE_FEATURE)
		return c->want.feature.active == now->feature.active ? OUTCOME_OK
								     : OUTCOME_DIFFERS;
	if (value_equal(&c->want, now))
		return OUTCOME_OK;
	if (c->rounded.type && value_equal(&c->rounded, now))
		return OUTCOME_ROUNDED;
	/* a driver's step: powers of two, multiples of 8 or 32 */
	if (c->setting->rounds && now->type == VALUE_NUMBER &&
	    c->want.type == VALUE_NUMBER && !c->rounded.type &&
	    now->number < 2 * c->want.number && now->number > c->want.number / 2)
		return OUTCOME_ROUNDED;
	return OUTCOME_DIFFERS;
}

bool rules_held(const struct change *c, const struct value *now)
{
	return c->held && now->type == VALUE_FREQ && c->want.type == VALUE_FREQ &&
	       now->khz < c->want.khz && rules_compare(c, now) == OUTCOME_DIFFERS;
}

/* How specific the words are that ask for a change. */
static int specificity(const struct change *c)
{
	const char *label = strchr(c->section, ':');
	int section = 0;

	if (c->quirk)
		return -2 + !c->group;
	if (label && str_after(c->section, "cpufreq:"))
		section = str_after(label + 1, "policy") ? 2 : 1;
	return section * 2 + !c->group;
}

/* Rows about the same thing are next to each other. */
static int compare_rows(const struct setting *a, const struct setting *b)
{
	if (setting_same(a, b))
		return 0;
	if (a->set != b->set)
		return (uintptr_t)a->set < (uintptr_t)b->set ? -1 : 1;
	return a->attr && b->attr ? strcmp(a->attr, b->attr) : a < b ? -1 : 1;
}

static int compare_targets(const void *pa, const void *pb)
{
	const struct change *a = *(struct change *const *)pa;
	const struct change *b = *(struct change *const *)pb;
	int r;

	r = compare_rows(a->setting, b->setting);
	if (r)
		return r;
	r = strcmp(a->target.path, b->target.path);
	if (r)
		return r;
	if (specificity(a) != specificity(b))
		return specificity(a) > specificity(b) ? -1 : 1;
	if (a->section_order != b->section_order)
		return a->section_order < b->section_order ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void conflict_error(const struct change *a, const struct change *b,
			   struct profile_errors *errors)
{
	char want_a[VALUE_TEXT_MAX], want_b[VALUE_TEXT_MAX];

	value_format_human(&a->want, want_a);
	value_format_human(&b->want, want_b);
	profile_error_add(errors, b->file, b->line,
			  _("%s.%s of %s is wanted as %s here, but as %s at %s:%u"),
			  b->setting->section, change_key(b), b->target.name, want_b,
			  want_a, a->file, a->line);
}

int rules_conflicts(struct plan *plan, size_t first, struct profile_errors *errors)
{
	_cleanup_free_ struct change **sorted = NULL;
	size_t n = 0, winner = 0;

	sorted = calloc(plan->n - first + 1, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = first; i < plan->n; i++)
		if (plan->changes[i].target.path)
			sorted[n++] = &plan->changes[i];
	qsort(sorted, n, sizeof(*sorted), compare_targets);
	for (size_t i = 1; i < n; i++) {
		struct change *a = sorted[winner], *b = sorted[i];

		if (!setting_same(a->setting, b->setting) ||
		    !streq(a->target.path, b->target.path)) {
			winner = i;
			continue;
		}
		b->side = true;
		if (specificity(a) == specificity(b) && !value_equal(&a->want, &b->want))
			conflict_error(a, b, errors);
	}
	return 0;
}

static bool is_key(const struct change *c, const char *section, const char *key)
{
	return streq(c->setting->section, section) && streq(c->setting->key, key);
}

/* Two values of which the kernel refuses a lower one above the upper one. */
static const char *const pairs[][2] = {
	{ "min_freq", "max_freq" },
	{ "conservative.down_threshold", "conservative.up_threshold" },
};

/* -1 or 1: one row is about the lower or the upper value of a pair; 0: of none. */
static int side_of(const struct change *c, size_t pair)
{
	return is_key(c, "cpufreq", pairs[pair][0])   ? -1
	       : is_key(c, "cpufreq", pairs[pair][1]) ? 1
						      : 0;
}

static bool is_same_target(const struct change *a, const struct change *b)
{
	return a->target.path && b->target.path && streq(a->target.path, b->target.path);
}

/* The other limit of the same policy, or NULL. */
static struct change *find_partner(const struct plan *plan, size_t first,
				   const struct change *c)
{
	for (size_t i = first; i < plan->n; i++)
		if (side_of(&plan->changes[i], 0) == -side_of(c, 0) &&
		    is_same_target(&plan->changes[i], c))
			return &plan->changes[i];
	return NULL;
}

/* Where a wanted clock ends up: rounded where the kernel rounds it. */
static const struct value *settled(const struct change *c)
{
	return c->rounded.type ? &c->rounded : &c->want;
}

/* The other limit of a change that stands alone: in force now, if cooling lets it be. */
static bool other_limit(struct system *sys, const struct change *c, const char *key,
			struct value *ret)
{
	const struct setting *s = registry_find("cpufreq", key);

	return s && s->get(sys, s, &c->target, ret) == KNOB_READ;
}

static void limits_error(const struct change *at, const struct value *min,
			 const struct value *max, const char *where,
			 struct profile_errors *errors)
{
	char min_text[VALUE_TEXT_MAX], max_text[VALUE_TEXT_MAX];

	value_format_human(min, min_text);
	value_format_human(max, max_text);
	profile_error_add(errors, at->file, at->line,
			  _("min_freq %s is above max_freq %s of %s%s"), min_text,
			  max_text, at->target.name, where);
}

/* Both limits of one policy. */
static void pair_limits(struct change *min, struct change *max,
			struct profile_errors *errors)
{
	bool later = streq(min->file, max->file) && min->line > max->line;

	if (min->want.khz > max->want.khz) {
		limits_error(later ? min : max, &min->want, &max->want, "", errors);
	} else if (settled(min)->khz > settled(max)->khz) {
		/* no operating point between them: the kernel raises the maximum to the
		 * next one (cpufreq_frequency_table_verify) */
		max->rounded = *settled(min);
		max->outcome = OUTCOME_ROUNDED;
		if (max->now.type && !max->held && value_equal(&max->now, &max->rounded))
			max->outcome = OUTCOME_OK;
		snprintf(max->note, sizeof(max->note),
			 _("no operating point lies between %u and %u kHz; the kernel "
			   "uses %u kHz"),
			 min->want.khz, max->want.khz, max->rounded.khz);
	}
}

/* Whether another row changes a feature of the same NIC. */
static bool has_company(const struct plan *plan, size_t first, const struct change *c)
{
	for (size_t i = first; i < plan->n; i++) {
		const struct change *other = &plan->changes[i];

		if (other != c && other->want.type == VALUE_FEATURE &&
		    change_due(other) && streq(other->target.path, c->target.path) &&
		    other->now.type == VALUE_FEATURE &&
		    other->now.feature.requested != other->want.feature.requested)
			return true;
	}
	return false;
}

void rules_features(struct plan *plan, size_t first)
{
	for (size_t i = first; i < plan->n; i++) {
		struct change *c = &plan->changes[i];

		if (c->want.type != VALUE_FEATURE || c->now.type != VALUE_FEATURE ||
		    !change_due(c) || c->fixed ||
		    c->now.feature.requested != c->want.feature.requested ||
		    has_company(plan, first, c))
			continue;
		c->outcome = OUTCOME_CLAMPED;
		snprintf(c->note, sizeof(c->note), "%s",
			 _("asked for already; what it depends on (checksum, "
			   "scatter-gather) or the driver decides"));
	}
}

void rules_limits(struct system *sys, struct plan *plan, size_t first,
		  struct profile_errors *errors)
{
	for (size_t i = first; i < plan->n; i++) {
		struct change *c = &plan->changes[i], *other;
		bool is_min = is_key(c, "cpufreq", "min_freq");
		struct value v;

		if ((!is_min && !is_key(c, "cpufreq", "max_freq")) || !c->target.path ||
		    c->want.type != VALUE_FREQ || change_failed(c))
			continue;
		other = find_partner(plan, first, c);
		if (other && other->want.type == VALUE_FREQ) {
			if (is_min)
				pair_limits(c, other, errors);
			continue;
		}
		if (!other_limit(sys, c, is_min ? "max_freq" : "min_freq", &v))
			continue;
		if (is_min && settled(c)->khz > v.khz)
			limits_error(c, &c->want, &v, _(" (in force now)"), errors);
		else if (!is_min && settled(c)->khz < v.khz)
			limits_error(c, &v, &c->want, _(" (in force now)"), errors);
	}
}

/* How many channels of a kind a NIC has once the rows up to one are written. */
static uint64_t channels_after(struct system *sys, const struct plan *plan, size_t first,
			       size_t at, const char *kind)
{
	const struct setting *s = registry_find("net", kind);
	const struct target *nic = &plan->changes[at].target;
	struct value v = { 0 };

	for (size_t i = at + 1; i-- > first;) {
		const struct change *c = &plan->changes[i];

		if (c->setting == s && c->target.path &&
		    streq(c->target.path, nic->path) && outcome_success(c->outcome))
			return settled(c)->number;
	}
	return s->get(sys, s, nic, &v) < 0 ? 0 : v.number;
}

void rules_channels(struct system *sys, struct plan *plan, size_t first,
		    struct profile_errors *errors)
{
	static const char *const both = "channels.combined";
	static const char *const ways[] = { "channels.rx", "channels.tx" };

	for (size_t i = first; i < plan->n; i++) {
		const struct change *c = &plan->changes[i];

		for (size_t k = 0; k < ARRAY_SIZE(ways); k++) {
			if ((!is_key(c, "net", both) && !is_key(c, "net", ways[k])) ||
			    !change_due(c) || c->want.number ||
			    channels_after(sys, plan, first, i, both) ||
			    channels_after(sys, plan, first, i, ways[k]))
				continue;
			profile_error_add(errors, c->file, c->line,
					  k ? _("%s = 0 leaves %s no channel that "
						"transmits")
					    : _("%s = 0 leaves %s no channel that "
						"receives"),
					  change_key(c), c->target.name);
			break;
		}
	}
}

static void swap_changes(struct change *a, struct change *b)
{
	struct change held = *a;

	*a = *b;
	*b = held;
}

/* A value as a number; those that are compared have one type. */
static int64_t level(const struct value *v)
{
	return v->type == VALUE_FREQ ? v->khz
	       : v->type == VALUE_TEMP ? v->millicelsius
				       : (int64_t)v->number;
}

static bool has_height(const struct change *c)
{
	return side_of(c, 0) || side_of(c, 1) || rules_same_zone(c, c);
}

/* Whether two rows have an order that no write may break: -1 the first is the lower. */
static int compare_height(const struct change *a, const struct change *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (side_of(a, i) && side_of(a, i) == -side_of(b, i) &&
		    is_same_target(a, b))
			return side_of(a, i);
	if (!rules_same_zone(a, b))
		return 0;
	if (a->now.millicelsius != b->now.millicelsius)
		return a->now.millicelsius < b->now.millicelsius ? -1 : 1;
	return str_compare_natural(a->target.name, b->target.name);
}

static bool rises(const struct change *c)
{
	return c->now.type && c->want.type && level(settled(c)) > level(&c->now);
}

static bool goes_first(const struct change *a, const struct change *b)
{
	int height = compare_height(a, b);

	if (!height || rises(a) != rises(b))
		return height && rises(a);
	return rises(a) ? height > 0 : height < 0;
}

void plan_order_limits(struct plan *plan, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		for (size_t k = i + 1; k < to && has_height(&plan->changes[i]); k++)
			if (goes_first(&plan->changes[k], &plan->changes[i]))
				swap_changes(&plan->changes[i], &plan->changes[k]);
}
