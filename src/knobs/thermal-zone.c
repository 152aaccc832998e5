// SPDX-License-Identifier: GPL-2.0-or-later
// thermal-zone.c - which thermal zones there are, their trips, limits and temperatures
#include "knobs/thermal.h"

#include <time.h>

#define TYPE_MAX 64 /* THERMAL_NAME_LENGTH is 20 (6.1, 6.12) */
#define ABSOLUTE_ZERO (-273150)

/* What a sensor may say; everything else is a fault of the sensor. */
#define USABLE_MIN (-20000)
#define USABLE_MAX 125000

/* Of a zone without critical and hot trips. */
#define LIMIT_DEFAULT 95000
#define LIMIT_MIN 40000
#define LIMIT_MAX 150000
#define HWMON_SENSORS 16

#define RETRIES 3
#define RETRY_MS 10

static const char *const trip_types[] = {
	[THERMAL_TRIP_PASSIVE] = "passive",
	[THERMAL_TRIP_ACTIVE] = "active",
	[THERMAL_TRIP_HOT] = "hot",
	[THERMAL_TRIP_CRITICAL] = "critical",
};

bool thermal_trip_on(const struct thermal_trip *trip)
{
	return trip->millicelsius >= ABSOLUTE_ZERO;
}

bool thermal_trip_before(const struct thermal_trip *a, const struct thermal_trip *b)
{
	return a->millicelsius < b->millicelsius ||
	       (a->millicelsius == b->millicelsius && a->number < b->number);
}

static ssize_t read_attr(struct system *sys, const char *dir, const char *file, char *buf,
			 size_t size)
{
	char path[SYSROOT_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, file);

	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return sysroot_read(&sys->root, path, buf, size);
}

static enum thermal_trip_type trip_type(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(trip_types); i++)
		if (streq(text, trip_types[i]))
			return (enum thermal_trip_type)i;
	return THERMAL_TRIP_OTHER;
}

int thermal_trips(struct system *sys, const char *zone,
		  struct thermal_trip ret[static THERMAL_TRIPS_MAX])
{
	char path[SYSROOT_PATH_MAX], file[32], type[TYPE_MAX];
	ssize_t r;
	int n;

	if (strlen(zone) + sizeof(file) >= sizeof(path))
		return -ENAMETOOLONG;
	for (n = 0; n < THERMAL_TRIPS_MAX; n++) {
		struct thermal_trip *t = &ret[n];
		long temp;

		snprintf(file, sizeof(file), "trip_point_%d_type", n);
		r = read_attr(sys, zone, file, type, sizeof(type));
		if (r == -ENOENT)
			break;
		/* what cannot be read may be the critical one */
		*t = (struct thermal_trip) { .number = (unsigned)n,
					     .type = r < 0 ? THERMAL_TRIP_CRITICAL
							   : trip_type(type),
					     .millicelsius = INT32_MIN };
		snprintf(path, sizeof(path), "%s/trip_point_%d_temp", zone, n);
		if (sysroot_read_long(&sys->root, path, &temp) == 0 &&
		    temp >= INT32_MIN && temp <= INT32_MAX)
			t->millicelsius = (int)temp;
		t->writable = sysroot_writable(&sys->root, path);
	}
	return n;
}

/* N of "thermal_zoneN", -1 of other names. */
static int zone_number(const char *name)
{
	const char *digits = str_after(name, "thermal_zone");
	size_t n = digits ? strspn(digits, "0123456789") : 0;

	return n == 0 || n > 6 || digits[n] ? -1 : (int)strtol(digits, NULL, 10);
}

/* Zones of a type, all for NULL. */
static int add_zones(struct system *sys, char **names, const char *type, size_t length,
		     struct target_list *list)
{
	char link[SYSROOT_PATH_MAX], path[SYSROOT_PATH_MAX], have[TYPE_MAX];
	int r = 0;

	for (; *names && r == 0; names++) {
		int number = zone_number(*names);

		if (number < 0)
			continue;
		snprintf(link, sizeof(link), THERMAL_DIR "/%.40s", *names);
		if (type && (read_attr(sys, link, "type", have, sizeof(have)) < 0 ||
			     strlen(have) != length || memcmp(have, type, length) != 0))
			continue;
		if (sysroot_realpath(&sys->root, link, path) == 0)
			r = target_add(list, *names, path, (unsigned)number, 0);
	}
	return r;
}

int thermal_zone_each(struct system *sys, const struct setting *s,
		      const struct selector *sel, struct target_list *list)
{
	_cleanup_list_ char **names = NULL;
	size_t before = list->n;
	ssize_t n = sysroot_list(&sys->root, THERMAL_DIR, &names);
	int r = 0;

	if (n < 0)
		return n == -ENOMEM ? -ENOMEM : 0;
	if (!sel->label[0])
		return add_zones(sys, names, NULL, 0, list);
	for (const char *type = sel->label; r == 0 && *type && list->n == before;) {
		size_t length = strcspn(type, "|");

		r = add_zones(sys, names, type, length, list);
		type += length + (type[length] == '|');
	}
	return r;
}

/* ", text" at the end of a note, if there is room for it. */
static void note_append(char *note, const char *text)
{
	size_t used = strlen(note);

	if (used + strlen(text) + 3 < KNOB_NOTE_MAX)
		snprintf(note + used, KNOB_NOTE_MAX - used, ", %s", text);
}

/* Whether ", a, b" has an entry. */
static bool note_has(const char *note, const char *text)
{
	size_t length = strlen(text);

	for (const char *at = note; (at = strstr(at, ", ")); at += 2)
		if (strcspn(at + 2, ",") == length && str_after(at + 2, text))
			return true;
	return false;
}

/* "no zone of this type; there are: cpu-thermal, gpu-thermal" */
static int note_types(struct system *sys, const struct setting *s, char *note)
{
	const struct selector all = { .label = "" };
	struct target_list zones = { 0 };
	char type[TYPE_MAX], types[KNOB_NOTE_MAX] = "";
	int r = thermal_zone_each(sys, s, &all, &zones);

	for (size_t i = 0; i < zones.n; i++) {
		if (read_attr(sys, zones.targets[i].path, "type", type, sizeof(type)) >
			    0 &&
		    !note_has(types, type))
			note_append(types, type);
	}
	target_list_clear(&zones);
	if (r < 0)
		return r;
	if (!types[0])
		snprintf(note, KNOB_NOTE_MAX, "%s", _("this board has no thermal zone"));
	else
		snprintf(note, KNOB_NOTE_MAX,
			 _("no zone of this type; there are: %.150s"), types + 2);
	return 0;
}

/* "thermal_zone0 has: passive 70.0 C, critical 95.0 C" */
static void note_trips(struct system *sys, const struct target *zone, char *note)
{
	struct thermal_trip trips[THERMAL_TRIPS_MAX];
	char text[VALUE_TEXT_MAX], have[KNOB_NOTE_MAX] = "", one[64];
	int n = thermal_trips(sys, zone->path, trips);

	for (int i = 0; i < n; i++) {
		struct value v = value_temp(trips[i].millicelsius);

		if (trips[i].type == THERMAL_TRIP_OTHER || !thermal_trip_on(&trips[i]))
			continue;
		value_format_human(&v, text);
		snprintf(one, sizeof(one), "%s %.40s", trip_types[trips[i].type], text);
		note_append(have, one);
	}
	if (have[0])
		snprintf(note, KNOB_NOTE_MAX, _("%.40s has: %.140s"), zone->name,
			 have + 2);
	else
		snprintf(note, KNOB_NOTE_MAX, _("%.40s has no trips"), zone->name);
}

int thermal_absent(struct system *sys, const struct setting *s,
		   const struct selector *sel, char *note)
{
	struct target_list zones = { 0 };
	int r = thermal_zone_each(sys, s, sel, &zones);

	if (r == 0 && zones.n == 0) {
		r = note_types(sys, s, note);
	} else if (r == 0) {
		note_trips(sys, &zones.targets[0], note);
		r = 1;
	}
	target_list_clear(&zones);
	return r;
}

/* The lowest tempN_crit of one hwmon below *limit. */
static void lower_limit(struct system *sys, const char *name, int *limit)
{
	char path[SYSROOT_PATH_MAX];
	long crit;

	for (unsigned i = 1; i <= HWMON_SENSORS; i++) {
		snprintf(path, sizeof(path), "/sys/class/hwmon/%.40s/temp%u_crit", name,
			 i);
		if (sysroot_read_long(&sys->root, path, &crit) == 0 &&
		    crit >= LIMIT_MIN && crit <= LIMIT_MAX && crit < *limit)
			*limit = (int)crit;
	}
}

/*
 * Whether a hwmon measures what a zone does: its name is the zone's type with _ for -
 * (thermal_hwmon.c 6.1, 6.12); Intel's package sensor is coretemp's too.
 */
static bool is_hwmon_of(const char *name, const char *type)
{
	if (streq(type, "x86_pkg_temp") && streq(name, "coretemp"))
		return true;
	for (; *name && *type; name++, type++)
		if (*name != (*type == '-' ? '_' : *type))
			return false;
	return *name == *type;
}

static int hwmon_limit(struct system *sys, const char *zone)
{
	char dir[SYSROOT_PATH_MAX], type[TYPE_MAX], name[TYPE_MAX];
	_cleanup_list_ char **names = NULL;
	int limit = INT32_MAX;

	if (read_attr(sys, zone, "type", type, sizeof(type)) < 0 ||
	    sysroot_list(&sys->root, "/sys/class/hwmon", &names) < 0)
		return LIMIT_DEFAULT;
	for (char **at = names; *at; at++) {
		snprintf(dir, sizeof(dir), "/sys/class/hwmon/%.40s", *at);
		if (read_attr(sys, dir, "name", name, sizeof(name)) > 0 &&
		    is_hwmon_of(name, type))
			lower_limit(sys, *at, &limit);
	}
	return limit == INT32_MAX ? LIMIT_DEFAULT : limit;
}

int thermal_zone_limit(struct system *sys, const char *zone,
		       const struct thermal_trip *trips, int n, bool *ret_trip)
{
	const struct thermal_trip *lowest = NULL;

	for (int i = 0; i < n; i++) {
		const struct thermal_trip *t = &trips[i];

		if ((t->type == THERMAL_TRIP_CRITICAL || t->type == THERMAL_TRIP_HOT) &&
		    thermal_trip_on(t) && (!lowest || thermal_trip_before(t, lowest)))
			lowest = t;
	}
	*ret_trip = lowest;
	return lowest ? lowest->millicelsius : hwmon_limit(sys, zone);
}

int thermal_zone_temp(struct system *sys, const char *zone, int *ret)
{
	const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000 };
	char path[SYSROOT_PATH_MAX];
	long temp;
	int r;

	if (snprintf(path, sizeof(path), "%s/temp", zone) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	for (int i = 0;; i++) {
		r = sysroot_read_long(&sys->root, path, &temp);
		if ((r != -ENODATA && r != -EAGAIN) || i == RETRIES)
			break;
		nanosleep(&pause, NULL);
	}
	if (r < 0)
		return r;
	if (temp < USABLE_MIN || temp > USABLE_MAX || temp == 0)
		return -ERANGE;
	*ret = (int)temp;
	return 0;
}
