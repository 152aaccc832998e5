/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.h - what holds between several changes, and when a value is as wanted */
#ifndef BOARDTUNE_ENGINE_RULES_H
#define BOARDTUNE_ENGINE_RULES_H

#include "engine/plan.h"

/**
 * rules_compare - whether a value is what a change wants
 *
 * OUTCOME_OK, OUTCOME_ROUNDED where it is where the kernel rounds it, else
 * OUTCOME_DIFFERS. A feature by what is in force and, unless it is fixed, what was asked
 * for: it could come back by itself; a value where the kernel puts the
 * wanted one is as good, since writing again would change nothing.
 */
enum outcome rules_compare(const struct change *c, const struct value *now);

/** rules_held - cooling explains why a clock is lower than wanted */
bool rules_held(const struct change *c, const struct value *now);

/**
 * rules_conflicts - one target wanted twice
 * @first: of the changes to look at
 *
 * The more specific wins: [cpufreq:policy4] over big and little over [cpufreq], a single
 * feature over a short form, all of a profile over a quirk. As specific and the same
 * value: the later one goes. Another value: an error naming both lines. What is to go has
 * @side set. 0 or -ENOMEM.
 */
int rules_conflicts(struct plan *plan, size_t first, struct profile_errors *errors);

/**
 * rules_features - features that were asked for already and are not in force
 *
 * Asking again changes nothing while what they depend on is off (netdev_fix_features):
 * clamped, unless another row changes a feature of the same NIC.
 */
void rules_features(struct plan *plan, size_t first);

/** rules_limits - min_freq above max_freq, of the profile or in force: an error */
void rules_limits(struct system *sys, struct plan *plan, size_t first,
		  struct profile_errors *errors);

/**
 * rules_channels - a NIC without a channel that receives, or one that transmits: an error
 *
 * Each row is a request of its own, and the kernel refuses the one that takes the last
 * (net/ethtool/channels.c 6.1; EINVAL since 5.11).
 */
void rules_channels(struct system *sys, struct plan *plan, size_t first,
		    struct profile_errors *errors);

#endif
