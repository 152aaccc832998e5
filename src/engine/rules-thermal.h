/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules-thermal.h - what keeps a board from being cooked, or throttled for good */
#ifndef BOARDTUNE_ENGINE_RULES_THERMAL_H
#define BOARDTUNE_ENGINE_RULES_THERMAL_H

#include "engine/state.h"

/**
 * rules_trips - trips, hysteresis and governor of thermal zones that are not safe
 * @p: for allow-hotter of its sections
 * @first: of the changes to look at
 * @rec: the undo record, or NULL; it knows what the board came with
 * @errors: gets what is not allowed
 *
 * Errors: a trip below 30 C; a trip less than 5 C below the zone's limit, unless that is
 * what the board came with; a trip above what the board came with, without allow-hotter
 * in its section; passive and active trips in another order than now, also with those
 * that are not named; a hysteresis that is not 0 to 30 C; user_space or bang_bang on a
 * zone with passive trips. Read-only trips are judged as others, so that a profile is
 * right or wrong on every kernel; in the order they stand where they are.
 * Notes: hotter than shipped; below the temperature of now.
 */
void rules_trips(struct system *sys, const struct profile *p, struct plan *plan,
		 size_t first, const struct record *rec, struct profile_errors *errors);

/** rules_same_zone - whether both rows are temperatures of trips of one zone */
bool rules_same_zone(const struct change *a, const struct change *b);

#endif
