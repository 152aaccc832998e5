// SPDX-License-Identifier: GPL-2.0-or-later
// thermal.c - trips, hysteresis and governor of thermal zones
#include "knobs/thermal.h"

#include <strings.h>

#define WORDS_MAX 4097 /* an attribute is a page at most */

/* drivers/thermal/gov_*.c, 4.9 to 6.12 */
static const char *const policies[] = {
	"step_wise", "power_allocator", "fair_share", "bang_bang", "user_space",
};

/* Of "passive/2/temp". */
struct trip_attr {
	enum thermal_trip_type type;
	unsigned k;
	const char *file;
};

static int trip_attr_parse(const char *attr, struct trip_attr *ret)
{
	const char *k = strchr(attr, '/');
	char *end;

	if (!k)
		return -EINVAL;
	ret->type = str_after(attr, "passive/") ? THERMAL_TRIP_PASSIVE
						: THERMAL_TRIP_ACTIVE;
	ret->k = (unsigned)strtoul(k + 1, &end, 10);
	if (ret->k == 0 || *end != '/')
		return -EINVAL;
	ret->file = end + 1;
	return 0;
}

/* The k-th trip of a type by temperature, NULL if there are less. */
static const struct thermal_trip *find_trip(const struct thermal_trip *trips, int n,
					    const struct trip_attr *attr)
{
	for (int i = 0; i < n; i++) {
		unsigned before = 0;

		if (trips[i].type != attr->type || !thermal_trip_on(&trips[i]))
			continue;
		for (int j = 0; j < n; j++)
			before += trips[j].type == attr->type &&
				  thermal_trip_on(&trips[j]) &&
				  thermal_trip_before(&trips[j], &trips[i]);
		if (before + 1 == attr->k)
			return &trips[i];
	}
	return NULL;
}

int thermal_trip_each(struct system *sys, const struct setting *s,
		      const struct selector *sel, struct target_list *list)
{
	struct thermal_trip trips[THERMAL_TRIPS_MAX];
	char name[128], path[SYSROOT_PATH_MAX + 32];
	struct target_list zones = { 0 };
	struct trip_attr attr;
	int r;

	r = trip_attr_parse(s->attr, &attr);
	if (r == 0)
		r = thermal_zone_each(sys, s, sel, &zones);
	for (size_t i = 0; r == 0 && i < zones.n; i++) {
		const struct target *zone = &zones.targets[i];
		const struct thermal_trip *trip;

		trip = find_trip(trips, thermal_trips(sys, zone->path, trips), &attr);
		if (!trip)
			continue;
		snprintf(name, sizeof(name), "%.80s/trip_point_%u", zone->name,
			 trip->number);
		snprintf(path, sizeof(path), "%s/trip_point_%u", zone->path,
			 trip->number);
		r = target_add(list, name, path,
			       zone->order * THERMAL_TRIPS_MAX + trip->number, 0);
	}
	target_list_clear(&zones);
	return r;
}

/* ".../trip_point_1_temp" */
static int trip_path(const struct setting *s, const struct target *t,
		     char ret[static SYSROOT_PATH_MAX])
{
	struct trip_attr attr;
	int r = trip_attr_parse(s->attr, &attr);

	if (r < 0)
		return r;
	r = snprintf(ret, SYSROOT_PATH_MAX, "%s_%s", t->path, attr.file);
	return r >= SYSROOT_PATH_MAX ? -ENAMETOOLONG : 0;
}

/* What a missing file means: of a zone that is gone another thing than of one here. */
static int gone_error(struct system *sys, const char *path, int error)
{
	char zone[SYSROOT_PATH_MAX];
	char *slash;

	if (error != -ENOENT)
		return error;
	snprintf(zone, sizeof(zone), "%s", path);
	slash = strrchr(zone, '/');
	if (slash)
		*slash = '\0';
	return sysroot_exists(&sys->root, zone) ? -ENOENT : -ENODEV;
}

/* Zones and trips go by number in a record; another driver may have that number by now.
 * What is not of the setting's kind is not its trip: least of all a critical one. */
static int check_kind(struct system *sys, const struct setting *s, const struct target *t)
{
	char path[SYSROOT_PATH_MAX], type[32];
	size_t n = strcspn(s->attr, "/");
	ssize_t r;

	if (snprintf(path, sizeof(path), "%s_type", t->path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	r = sysroot_read(&sys->root, path, type, sizeof(type));
	if (r < 0)
		return gone_error(sys, path, (int)r);
	return strlen(type) == n && memcmp(type, s->attr, n) == 0 ? 0 : -ENODEV;
}

int thermal_trip_get(struct system *sys, const struct setting *s, const struct target *t,
		     struct value *ret)
{
	char path[SYSROOT_PATH_MAX];
	long number;
	int r;

	r = trip_path(s, t, path);
	if (r == 0)
		r = check_kind(sys, s, t);
	if (r == 0)
		r = gone_error(sys, path, sysroot_read_long(&sys->root, path, &number));
	if (r < 0)
		return r;
	if (number < INT32_MIN || number > INT32_MAX)
		return -ERANGE;
	*ret = value_temp((int)number);
	return KNOB_READ;
}

int thermal_trip_set(struct system *sys, const struct setting *s, const struct target *t,
		     const struct value *v)
{
	char path[SYSROOT_PATH_MAX], text[16];
	int r;

	r = trip_path(s, t, path);
	if (r == 0)
		r = check_kind(sys, s, t);
	if (r < 0)
		return r;
	/* base 10, no unit (trip_point_temp_store, 6.1, 6.12) */
	snprintf(text, sizeof(text), "%d", v->millicelsius);
	return gone_error(sys, path, sysroot_write(&sys->root, path, text));
}

/* Whether polling and cooling of a trip's zone are off. */
static bool zone_disabled(struct system *sys, const struct target *t)
{
	char path[SYSROOT_PATH_MAX + 8], mode[32];
	const char *slash = strrchr(t->path, '/');

	snprintf(path, sizeof(path), "%.*s/mode", (int)(slash - t->path), t->path);
	return sysroot_read(&sys->root, path, mode, sizeof(mode)) > 0 &&
	       str_after(mode, "disabled");
}

int thermal_trip_expect(struct system *sys, const struct setting *s,
			const struct target *t, const struct value *asked,
			struct expectation *ret)
{
	struct expectation e = { .want = *asked, .outcome = OUTCOME_OK };
	char path[SYSROOT_PATH_MAX];
	struct value now;
	int r;

	r = trip_path(s, t, path);
	if (r < 0)
		return r;
	if (zone_disabled(sys, t))
		snprintf(e.note, sizeof(e.note), "%s",
			 _("this zone is disabled, its trips do nothing"));
	/* one that is not there at all is for get() to say */
	e.fixed = sysroot_exists(&sys->root, path) &&
		  !sysroot_writable(&sys->root, path);
	if (e.fixed &&
	    (thermal_trip_get(sys, s, t, &now) < 0 || !value_equal(&now, asked))) {
		e.outcome = OUTCOME_FIXED;
		snprintf(e.note, sizeof(e.note), "%s", _("read-only in this kernel"));
	}
	*ret = e;
	return 0;
}

bool thermal_policy_known(const char *name)
{
	return names_have(policies, ARRAY_SIZE(policies), name);
}

const char *thermal_policy_nearest(const char *name)
{
	return names_nearest(policies, ARRAY_SIZE(policies), name);
}

static int zone_path(const struct target *t, const char *file,
		     char ret[static SYSROOT_PATH_MAX])
{
	int n = snprintf(ret, SYSROOT_PATH_MAX, "%s/%s", t->path, file);

	return n >= SYSROOT_PATH_MAX ? -ENAMETOOLONG : 0;
}

int thermal_policy_get(struct system *sys, const struct setting *s,
		       const struct target *t, struct value *ret)
{
	char path[SYSROOT_PATH_MAX], word[64];
	ssize_t n;
	int r;

	r = zone_path(t, s->attr, path);
	if (r < 0)
		return r;
	n = sysroot_read(&sys->root, path, word, sizeof(word));
	if (n < 0)
		return gone_error(sys, path, (int)n);
	*ret = value_word(str_chomp(word));
	return KNOB_READ;
}

int thermal_policy_set(struct system *sys, const struct setting *s,
		       const struct target *t, const struct value *v)
{
	char path[SYSROOT_PATH_MAX];
	int r;

	r = zone_path(t, s->attr, path);
	if (r < 0)
		return r;
	return gone_error(sys, path, sysroot_write(&sys->root, path, v->word));
}

/* Whether a blank-separated list has a word, in any case as __find_governor() has it
 * (6.1, 6.12); @ret: the list's own spelling. */
static bool list_has(const char *list, const char *word, size_t length,
		     char ret[static VALUE_WORD_MAX])
{
	for (size_t n; *list; list += n) {
		list += strspn(list, " \t\n");
		n = strcspn(list, " \t\n");
		if (n != length || n >= VALUE_WORD_MAX ||
		    strncasecmp(list, word, n) != 0)
			continue;
		memcpy(ret, list, n);
		ret[n] = '\0';
		return true;
	}
	return false;
}

int thermal_policy_expect(struct system *sys, const struct setting *s,
			  const struct target *t, const struct value *asked,
			  struct expectation *ret)
{
	char path[SYSROOT_PATH_MAX], have[WORDS_MAX], word[VALUE_WORD_MAX];
	const char *list = asked->word;
	ssize_t n;
	int r;

	r = zone_path(t, "available_policies", path);
	if (r < 0)
		return r;
	*ret = (struct expectation) { .outcome = OUTCOME_OK };
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(list, "|"), list);
	ret->want = value_word(word);
	n = sysroot_read(&sys->root, path, have, sizeof(have));
	if (n < 0)
		return 0; /* the kernel will say what it thinks of the first */
	for (size_t length; *list; list += length + (list[length] == '|')) {
		length = strcspn(list, "|");
		if (!list_has(have, list, length, word))
			continue;
		ret->want = value_word(word);
		return 0;
	}
	ret->outcome = OUTCOME_UNSUPPORTED;
	ret->error = -EINVAL; /* what the kernel would say */
	snprintf(ret->note, sizeof(ret->note), _("this kernel has: %.150s"),
		 str_chomp(have));
	return 0;
}
