// SPDX-License-Identifier: GPL-2.0-or-later
// quirk-avoid.c - interfaces whose statistics must not be read
#include "profile/quirk-avoid.h"

void quirk_avoid_find(struct system *sys, struct quirk_avoid *ret)
{
	_cleanup_(profile_errors_clear) struct profile_errors told_elsewhere = { 0 };
	int r = quirks_load(&sys->root, NULL, &ret->list, &told_elsewhere);

	ret->all = r < 0 || quirks_find(sys, ret->list, QUIRK_NOW, &ret->holds) < 0;
}

void quirk_avoid_clear(struct quirk_avoid *avoid)
{
	quirk_holds_clear(&avoid->holds);
	quirks_freep(&avoid->list);
}

bool quirk_avoids(const struct quirk_avoid *avoid, const char *nic)
{
	for (size_t i = 0; i < avoid->holds.n; i++) {
		const struct quirk_hold *hold = &avoid->holds.holds[i];

		if (hold->quirk->text[QUIRK_AVOID] && hold->nic && streq(hold->nic, nic))
			return true;
	}
	return avoid->all;
}
