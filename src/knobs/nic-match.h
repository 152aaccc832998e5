/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nic-match.h - the patterns of a match key against one text */
#ifndef BOARDTUNE_NIC_MATCH_H
#define BOARDTUNE_NIC_MATCH_H

#include "base/base.h"

/* What the match keys of a [net:*] section look at. An empty text: it has none. */
struct nic_identity {
	char name[32];
	char driver[64];
	char path[256]; /* ID_PATH */
	char mac[64];   /* lower case, colons */
	char type[32];
	char bus[32];
};

/**
 * nic_match_list - globs as in systemd.network(5)
 * @patterns: blank-separated; a "!" before the first inverts the whole list, before
 *	another that one
 * @text: NULL matches no glob
 *
 * An inverted list matches what none of its globs matches.
 */
bool nic_match_list(const char *patterns, const char *text);

/**
 * nic_match_key - one match key of a section against an interface
 * @key: Name Driver Path MACAddress Type Bus
 *
 * A hardware address may be written with colons or hyphens, in any case. A key that is
 * not one of these matches nothing.
 */
bool nic_match_key(const struct nic_identity *nic, const char *key, const char *patterns);

#endif
