/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thermal.h - trips, their hysteresis and the governor of thermal zones, by zone type */
#ifndef BOARDTUNE_THERMAL_H
#define BOARDTUNE_THERMAL_H

#include "knobs/knob.h"

#define THERMAL_DIR "/sys/class/thermal"

/**
 * thermal_zone_each - zones by type: the label "soc-thermal|cpu-thermal"
 *
 * All zones of the first of these types that the board has; an empty label: all zones.
 * Targets are thermal_zoneN, keyed by their real path.
 */
int thermal_zone_each(struct system *sys, const struct setting *s,
		      const struct selector *sel, struct target_list *list);

/**
 * thermal_trip_each - the trip that a setting is about, of each of these zones
 *
 * setting.attr: "passive/2/temp": the second passive trip by temperature (lowest first;
 * of equal ones the lower number first), or "active/1/hyst". Trips that are switched off
 * (below absolute zero) are not counted. Targets are thermal_zoneN/trip_point_K.
 */
int thermal_trip_each(struct system *sys, const struct setting *s,
		      const struct selector *sel, struct target_list *list);
int thermal_trip_get(struct system *sys, const struct setting *s, const struct target *t,
		     struct value *ret);
int thermal_trip_set(struct system *sys, const struct setting *s, const struct target *t,
		     const struct value *v);
/* fixed by file mode (6.1 without CONFIG_THERMAL_WRITABLE_TRIPS; hysteresis in 6.12) */
int thermal_trip_expect(struct system *sys, const struct setting *s,
			const struct target *t, const struct value *asked,
			struct expectation *ret);

/* The zone's governor, file "policy"; the first of a|b that available_policies has. */
int thermal_policy_get(struct system *sys, const struct setting *s,
		       const struct target *t, struct value *ret);
int thermal_policy_set(struct system *sys, const struct setting *s,
		       const struct target *t, const struct value *v);
int thermal_policy_expect(struct system *sys, const struct setting *s,
			  const struct target *t, const struct value *asked,
			  struct expectation *ret);
/** thermal_policy_known - whether any kernel that we know has such a zone governor */
bool thermal_policy_known(const char *name);
/** thermal_policy_nearest - the one most like a mistyped name, NULL if none is near */
const char *thermal_policy_nearest(const char *name);

/* The types of zones that there are: 0; or the trips that the zone has: 1. */
int thermal_absent(struct system *sys, const struct setting *s,
		   const struct selector *sel, char *note);

enum thermal_trip_type {
	THERMAL_TRIP_PASSIVE,
	THERMAL_TRIP_ACTIVE,
	THERMAL_TRIP_HOT,
	THERMAL_TRIP_CRITICAL,
	THERMAL_TRIP_OTHER,
};

struct thermal_trip {
	unsigned number; /* trip_point_N */
	enum thermal_trip_type type;
	int millicelsius; /* below -273150: switched off, or it cannot be read */
	bool writable;
};

#define THERMAL_TRIPS_MAX 32

/**
 * thermal_trips - every trip of a zone, by number
 * @zone: its directory
 *
 * Returns how many, at most THERMAL_TRIPS_MAX, or -errno. Allocates nothing.
 */
int thermal_trips(struct system *sys, const char *zone,
		  struct thermal_trip ret[static THERMAL_TRIPS_MAX]);

/** thermal_trip_on - not switched off: -274000 does that (THERMAL_TEMP_INVALID, 6.1) */
bool thermal_trip_on(const struct thermal_trip *trip);

/** thermal_trip_before - by temperature, of equal ones by number */
bool thermal_trip_before(const struct thermal_trip *a, const struct thermal_trip *b);

/**
 * thermal_zone_limit - what a zone must not come near, in millidegrees
 * @trips, @n: of thermal_trips()
 * @ret_trip: whether it is a trip of the zone
 *
 * The lowest critical or hot trip; without one the lowest tempN_crit of a hwmon that
 * bears the zone's name, else 95 C.
 */
int thermal_zone_limit(struct system *sys, const char *zone,
		       const struct thermal_trip *trips, int n, bool *ret_trip);

/**
 * thermal_zone_temp - the temperature of a zone now
 *
 * A driver's EAGAIN, "not ready", reaches user space as ENODATA (thermal_core.c 6.1):
 * it is asked again, for 30 ms at most. Returns 0; -ERANGE for what no sensor means:
 * outside -20..125 C, or exactly 0; -errno of the read: -EINVAL and -ENODEV have no
 * sensor, -EIO comes from bcm2711 and bcm2835.
 */
int thermal_zone_temp(struct system *sys, const char *zone, int *ret);

#endif
