// SPDX-License-Identifier: GPL-2.0-or-later
// status-find-heat.c - sensors, trips, fans, throttling: when to look at them
#include <limits.h>

#include "report/status-find.h"

/*
 * Idle, a board of this kind has 40 to 60 C; at the first passive trip, 70 C for many,
 * clocks go down. Trips matter from farther below: there a load gets to.
 */
#define HOT_IDLE 70000
#define HOT_BELOW_TRIP 5000
#define NEAR_TRIP 15000

/* A passive trip below is none that a board could reach: x86_pkg_temp has 0. */
#define TRIP_LEAST 30000

static const char *zone_name(const struct status_zone *z, char buf[static 32])
{
	snprintf(buf, 32, "thermal_zone%d", z->number);
	return z->number < 0 ? z->type : buf;
}

/* The one by which trials and the rules judge heat. */
static bool is_used(const struct finder *f, const struct status_zone *z)
{
	return f->st->zone >= 0 && z == &f->st->zones[f->st->zone];
}

/* The lowest passive trip that a board could reach; INT_MAX for none. */
static int first_passive(const struct status_zone *z)
{
	int first = INT_MAX;

	for (int i = 0; i < z->n_trips; i++)
		if (z->trips[i].type == THERMAL_TRIP_PASSIVE &&
		    z->trips[i].millicelsius >= TRIP_LEAST &&
		    z->trips[i].millicelsius < first)
			first = z->trips[i].millicelsius;
	return first;
}

static bool is_near_trip(const struct status_zone *z, int below)
{
	int first = first_passive(z);

	return z->usable && first != INT_MAX && z->millicelsius >= first - below;
}

/* Of a Wi-Fi card that is down: ENODATA until its firmware runs (iwlwifi, 6.12). */
static bool is_asleep(const struct status_zone *z)
{
	return str_after(z->type, "iwlwifi");
}

int find_no_reading(struct finder *f, const struct status_zone *z)
{
	char name[32];

	if (z->usable || is_asleep(z))
		return 0;
	return finder_tell(f, zone_name(z, name),
			   _("%s (%s) gives no usable reading (%s)"), zone_name(z, name),
			   z->type, z->why);
}

int find_no_sensor(struct finder *f)
{
	return f->st->zone >= 0 ? 0
				: finder_tell(f, "", _("no usable temperature sensor"));
}

int find_hot_idle(struct finder *f, const struct status_zone *z)
{
	double celsius = z->millicelsius / 1000.0;
	char name[32];

	if (!is_used(f, z) || !z->usable || !f->st->idle_now)
		return 0;
	if (is_near_trip(z, HOT_BELOW_TRIP))
		return finder_tell(f, zone_name(z, name),
				   _("%s is at %.0f C while the board is idle, and "
				     "clocks go down from %.0f C on"),
				   z->type, celsius, first_passive(z) / 1000.0);
	if (z->millicelsius < HOT_IDLE)
		return 0;
	return finder_tell(f, zone_name(z, name), _("%s is at %.0f C while the board is "
						    "idle"),
			   z->type, celsius);
}

/* Where they stand in the way: cooling is at work, or near it. */
int find_fixed_trips(struct finder *f, const struct status_zone *z)
{
	bool matters = is_near_trip(z, NEAR_TRIP);
	char name[32];

	for (size_t i = 0; i < f->st->n_clocks; i++)
		matters |= f->st->clocks[i].held;
	if (!is_used(f, z) || !matters || first_passive(z) == INT_MAX)
		return 0;
	for (int i = 0; i < z->n_trips; i++)
		if (z->trips[i].type == THERMAL_TRIP_PASSIVE && z->trips[i].writable)
			return 0;
	return finder_tell(f, zone_name(z, name),
			   _("this kernel cannot write the passive trips of %s"),
			   z->type);
}

/* Nothing is bound to the zones of int3403 (Intel DPTF, 6.12): firmware runs the fan. */
int find_no_fan(struct finder *f, const struct status_zone *z)
{
	const struct thermal_trip *alone = NULL;
	char name[32];

	if (z->user_space)
		return 0;
	for (int i = 0; i < z->n_trips; i++) {
		const struct thermal_trip *trip = &z->trips[i];
		bool bound = trip->number < 64 && z->cooled >> trip->number & 1;

		if (trip->type == THERMAL_TRIP_ACTIVE && thermal_trip_on(trip) &&
		    !bound && (!alone || thermal_trip_before(trip, alone)))
			alone = trip;
	}
	if (!alone)
		return 0;
	return finder_tell(f, zone_name(z, name),
			   _("%s should start a fan at %.0f C, and there is none"),
			   z->type, alone->millicelsius / 1000.0);
}

int find_undervoltage(struct finder *f)
{
	if (f->st->rpi & SAMPLE_RPI_UNDERVOLTAGE)
		return finder_tell(f, "", _("the supply voltage is too low"));
	if (f->st->rpi_past & SAMPLE_RPI_UNDERVOLTAGE)
		return finder_tell(f, "", _("the supply voltage has been too low since "
					    "boot"));
	return 0;
}

int find_throttled(struct finder *f)
{
	const unsigned bits = SAMPLE_RPI_CAPPED | SAMPLE_RPI_THROTTLED |
			      SAMPLE_RPI_SOFT_LIMIT;

	if (f->st->rpi & bits)
		return finder_tell(f, "", _("the firmware holds the clocks down"));
	if (f->st->rpi_past & bits)
		return finder_tell(f, "", _("the firmware has held the clocks down since "
					    "boot"));
	if (f->st->throttled)
		return finder_tell(f, "", _("cooling has held the clocks down since "
					    "boot"));
	return 0;
}
