// SPDX-License-Identifier: GPL-2.0-or-later
// rules-thermal.c - which trips, hysteresis and governors of thermal zones are not safe
#include "engine/rules-thermal.h"

#include "knobs/thermal.h"

#define TRIP_MIN 30000
#define TRIP_MARGIN 5000
#define HYST_MAX 30000

/* One zone that the plan is about. */
struct zone {
	const char *path; /* not terminated */
	int length;
	struct thermal_trip trips[THERMAL_TRIPS_MAX];
	int n;
	struct thermal_trip after[THERMAL_TRIPS_MAX]; /* as they will be */
	const struct change *rows[THERMAL_TRIPS_MAX]; /* which is why; or NULL */
	int limit;
	bool limit_is_trip;
};

struct rules {
	struct system *sys;
	const struct profile *profile;
	const struct record *record;
	struct profile_errors *errors;
};

static const char *temp_text(int millicelsius, char buf[static VALUE_TEXT_MAX])
{
	struct value v = value_temp(millicelsius);

	return value_format_human(&v, buf);
}

/* Whether a change is of a trip's file: "temp" or "hyst". */
static bool is_trip(const struct change *c, const char *file)
{
	const char *slash = c->setting->attr ? strrchr(c->setting->attr, '/') : NULL;

	return streq(c->setting->section, "thermal") && c->target.path && slash &&
	       streq(slash + 1, file);
}

static bool is_trip_wanted(const struct change *c)
{
	return is_trip(c, "temp") && c->want.type == VALUE_TEMP;
}

static int zone_length(const struct change *c)
{
	return (int)(strrchr(c->target.path, '/') - c->target.path);
}

static bool same_zone(const struct change *a, const struct change *b)
{
	return zone_length(a) == zone_length(b) &&
	       memcmp(a->target.path, b->target.path, (size_t)zone_length(a)) == 0;
}

bool rules_same_zone(const struct change *a, const struct change *b)
{
	return is_trip(a, "temp") && is_trip(b, "temp") && same_zone(a, b);
}

/* Which of the zone's trips a change is about, -1 if it has gone. */
static int trip_number(const struct zone *z, const struct change *c)
{
	const char *digits = str_after(c->target.path + z->length, "/trip_point_");
	unsigned long number = digits ? strtoul(digits, NULL, 10) : THERMAL_TRIPS_MAX;

	return number < (unsigned long)z->n ? (int)number : -1;
}

/* The trips of a change's zone, now and when the plan is through. */
static void zone_read(struct rules *r, const struct plan *plan, size_t first,
		      const struct change *of, struct zone *ret)
{
	char path[SYSROOT_PATH_MAX];

	ret->path = of->target.path;
	ret->length = zone_length(of);
	memset(ret->rows, 0, sizeof(ret->rows));
	snprintf(path, sizeof(path), "%.*s", ret->length, ret->path);
	ret->n = thermal_trips(r->sys, path, ret->trips);
	if (ret->n < 0)
		ret->n = 0;
	memcpy(ret->after, ret->trips, sizeof(ret->after));
	ret->limit = thermal_zone_limit(r->sys, path, ret->trips, ret->n,
					&ret->limit_is_trip);
	for (size_t i = first; i < plan->n; i++) {
		const struct change *c = &plan->changes[i];
		int number;

		if (!is_trip_wanted(c) || !same_zone(c, of) ||
		    !outcome_success(c->outcome))
			continue;
		number = trip_number(ret, c);
		if (number < 0)
			continue;
		ret->after[number].millicelsius = c->want.millicelsius;
		ret->rows[number] = c;
	}
}

/* What the board came with, as far as we know: before our first apply. */
static const struct value *shipped(const struct rules *r, const struct change *c)
{
	for (size_t i = 0; r->record && i < r->record->plan.n; i++) {
		const struct change *ours = &r->record->plan.changes[i];

		/* which passive trip by temperature it is may have changed since */
		if (is_trip(ours, "temp") && streq(ours->target.path, c->target.path) &&
		    ours->original.type == VALUE_TEMP)
			return &ours->original;
	}
	return &c->now;
}

/* "passive" of "passive/2/temp" */
static int kind_length(const struct change *c)
{
	return (int)strcspn(c->setting->attr, "/");
}

/* passive.allow-hotter or active.allow-hotter of the change's section */
static bool hotter_allowed(const struct rules *r, const struct change *c)
{
	char key[32];

	snprintf(key, sizeof(key), "%.*s.allow-hotter", kind_length(c), c->setting->attr);
	for (size_t i = 0; i < r->profile->n_metas; i++) {
		const struct assignment *a = &r->profile->metas[i];

		if (streq(a->setting->section, "thermal") &&
		    a->section->order == c->section_order && streq(a->setting->key, key))
			return a->value.flag;
	}
	return false;
}

static void limit_error(struct rules *r, const struct zone *z, const struct change *c)
{
	char want[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX], limit[VALUE_TEXT_MAX];

	temp_text(c->want.millicelsius, want);
	temp_text(z->limit - TRIP_MARGIN, most);
	temp_text(z->limit, limit);
	profile_error_add(r->errors, c->file, c->line,
			  z->limit_is_trip
				  ? _("%s %s of %s is too hot; expected at most %s: 5 C "
				      "below the critical or hot trip at %s")
				  : _("%s %s of %s is too hot; expected at most %s: 5 C "
				      "below %s, as this zone has no critical trip"),
			  c->setting->key, want, c->target.name, most, limit);
}

static void hotter_error(struct rules *r, const struct change *c, int came_with)
{
	char want[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX];

	temp_text(c->want.millicelsius, want);
	temp_text(came_with, most);
	profile_error_add(r->errors, c->file, c->line,
			  _("%s %s of %s is hotter than the board came with; expected "
			    "at most %s, or %.*s.allow-hotter = yes in this section"),
			  c->setting->key, want, c->target.name, most, kind_length(c),
			  c->setting->attr);
}

/* A note that says what the board came with. */
static void note_hotter(struct change *c, int came_with)
{
	char text[VALUE_TEXT_MAX], note[KNOB_NOTE_MAX];

	snprintf(note, sizeof(note), _("HOTTER THAN SHIPPED (%.20s)"),
		 temp_text(came_with, text));
	knob_note_add(c->note, note);
}

static void note_at_once(struct rules *r, const struct zone *z, struct change *c)
{
	char path[SYSROOT_PATH_MAX], text[VALUE_TEXT_MAX], note[KNOB_NOTE_MAX];
	int temp;

	snprintf(path, sizeof(path), "%.*s", z->length, z->path);
	if (!change_due(c) || thermal_zone_temp(r->sys, path, &temp) < 0 ||
	    c->want.millicelsius >= temp)
		return;
	snprintf(note, sizeof(note), _("below the current %.20s: acts at once"),
		 temp_text(temp, text));
	knob_note_add(c->note, note);
}

/* One trip by itself. */
static void check_trip(struct rules *r, const struct zone *z, struct change *c)
{
	const struct value *came_with = shipped(r, c);
	const struct thermal_trip then = { .millicelsius = came_with->millicelsius };
	bool known = came_with->type == VALUE_TEMP && thermal_trip_on(&then);
	int want = c->want.millicelsius;
	char text[VALUE_TEXT_MAX];

	if (want < TRIP_MIN) {
		profile_error_add(r->errors, c->file, c->line,
				  _("%s %s of %s would never let the board cool down; "
				    "expected at least 30 C"),
				  c->setting->key, temp_text(want, text), c->target.name);
		return;
	}
	if (want > z->limit - TRIP_MARGIN && !(known && want == then.millicelsius)) {
		limit_error(r, z, c);
		return;
	}
	if (known && want > then.millicelsius) {
		if (!hotter_allowed(r, c)) {
			hotter_error(r, c, then.millicelsius);
			return;
		}
		note_hotter(c, then.millicelsius);
	}
	note_at_once(r, z, c);
}

/* "passive.2 80.0 C", or for a trip that the profile leaves alone "trip_point_1 ..." */
static void trip_text(const struct zone *z, int i, char *ret, size_t size)
{
	char text[VALUE_TEXT_MAX], name[32];

	snprintf(name, sizeof(name), "trip_point_%d", i);
	snprintf(ret, size, "%s %.20s", z->rows[i] ? z->rows[i]->setting->key : name,
		 temp_text(z->after[i].millicelsius, text));
}

static void order_error(struct rules *r, const struct zone *z, int lower, int upper)
{
	const struct change *a = z->rows[lower], *b = z->rows[upper];
	char lower_text[96], upper_text[96];

	/* at the line that moves one of them, of two lines the later */
	if (!b || (a && streq(a->file, b->file) && a->line > b->line))
		b = a;
	trip_text(z, lower, lower_text, sizeof(lower_text));
	trip_text(z, upper, upper_text, sizeof(upper_text));
	profile_error_add(r->errors, b->file, b->line,
			  _("the trips of %.*s change their order; expected %s below %s"),
			  (int)strcspn(b->target.name, "/"), b->target.name, lower_text,
			  upper_text);
}

static bool has_order(const struct thermal_trip *t)
{
	return (t->type == THERMAL_TRIP_PASSIVE || t->type == THERMAL_TRIP_ACTIVE) &&
	       thermal_trip_on(t);
}

/* The trip that follows one in the order of now, -1 after the last. */
static int next_trip(const struct zone *z, int of)
{
	int next = -1;

	for (int i = 0; i < z->n; i++)
		if (has_order(&z->trips[i]) &&
		    thermal_trip_before(&z->trips[of], &z->trips[i]) &&
		    (next < 0 || thermal_trip_before(&z->trips[i], &z->trips[next])))
			next = i;
	return next;
}

/* Neighbours have to stay neighbours; that which nobody moves is as it may be. */
static void check_order(struct rules *r, const struct zone *z)
{
	for (int i = 0; i < z->n; i++) {
		int next = has_order(&z->trips[i]) ? next_trip(z, i) : -1;

		if (next >= 0 && (z->rows[i] || z->rows[next]) &&
		    !thermal_trip_before(&z->after[i], &z->after[next]))
			order_error(r, z, i, next);
	}
}

static void check_hyst(struct rules *r, const struct change *c)
{
	char text[VALUE_TEXT_MAX];

	if (c->want.millicelsius >= 0 && c->want.millicelsius <= HYST_MAX)
		return;
	profile_error_add(r->errors, c->file, c->line,
			  _("%s %s of %s is no hysteresis; expected 0C to 30C"),
			  c->setting->key, temp_text(c->want.millicelsius, text),
			  c->target.name);
}

/*
 * user_space leaves cooling to a program that nobody runs; bang_bang knows fans only and
 * warns about other trips (gov_bang_bang.c 6.1, 6.12).
 */
static void check_policy(struct rules *r, const struct change *c)
{
	struct thermal_trip trips[THERMAL_TRIPS_MAX];
	int n;

	if (!streq(c->want.word, "user_space") && !streq(c->want.word, "bang_bang"))
		return;
	n = thermal_trips(r->sys, c->target.path, trips);
	for (int i = 0; i < n; i++)
		if (trips[i].type == THERMAL_TRIP_PASSIVE && thermal_trip_on(&trips[i])) {
			profile_error_add(r->errors, c->file, c->line,
					  _("policy %s of %s: nothing would act at its "
					    "passive trips; expected another such as "
					    "step_wise"),
					  c->want.word, c->target.name);
			return;
		}
}

/* The trips of one zone, when @c is the first change that is about one. */
static void check_zone(struct rules *r, struct plan *plan, size_t first, size_t at)
{
	struct change *c = &plan->changes[at];
	struct zone z;

	for (size_t i = first; i < at; i++)
		if (is_trip_wanted(&plan->changes[i]) && same_zone(&plan->changes[i], c))
			return;
	zone_read(r, plan, first, c, &z);
	for (int i = 0; i < z.n; i++)
		if ((z.trips[i].type == THERMAL_TRIP_CRITICAL ||
		     z.trips[i].type == THERMAL_TRIP_HOT) &&
		    z.trips[i].millicelsius == INT32_MIN) {
			profile_error_add(r->errors, c->file, c->line,
					  _("trip_point_%d of %.*s, critical or hot, "
					    "cannot be read; its trips are left alone"),
					  i, (int)strcspn(c->target.name, "/"),
					  c->target.name);
			return;
		}
	for (size_t i = at; i < plan->n; i++)
		if (is_trip_wanted(&plan->changes[i]) && same_zone(&plan->changes[i], c))
			check_trip(r, &z, &plan->changes[i]);
	check_order(r, &z);
}

void rules_trips(struct system *sys, const struct profile *p, struct plan *plan,
		 size_t first, const struct record *rec, struct profile_errors *errors)
{
	struct rules r = { sys, p, rec, errors };

	for (size_t i = first; i < plan->n; i++) {
		struct change *c = &plan->changes[i];

		if (is_trip_wanted(c))
			check_zone(&r, plan, first, i);
		else if (is_trip(c, "hyst") && c->want.type == VALUE_TEMP)
			check_hyst(&r, c);
		else if (c->target.path && streq(c->setting->section, "thermal") &&
			 c->want.type == VALUE_WORD)
			check_policy(&r, c);
	}
}
