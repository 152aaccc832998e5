// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool-kept.c - replies kept while nothing is changed: many settings, one question
#include "kernel/ethtool-kept.h"

const struct ethtool_kept_reply *ethtool_kept_find(const struct ethtool_kept *kept,
						   uint8_t command, const char *ifname)
{
	for (size_t i = 0; i < kept->n; i++) {
		const struct ethtool_kept_reply *reply = &kept->replies[i];

		if (reply->command == command && streq(reply->ifname, ifname))
			return reply;
	}
	return NULL;
}

void ethtool_kept_add(struct ethtool_kept *kept, uint8_t command, const char *ifname,
		      const struct nlmsghdr *nlh, int error)
{
	struct ethtool_kept_reply *reply;

	if (!kept->on || strlen(ifname) >= IF_NAMESIZE ||
	    (nlh && nlh->nlmsg_len > ETHTOOL_KEPT_SIZE))
		return;
	if (!kept->replies)
		kept->replies = calloc(ETHTOOL_KEPT_REPLIES, sizeof(*kept->replies));
	if (!kept->replies)
		return;
	reply = &kept->replies[kept->next];
	kept->next = (kept->next + 1) % ETHTOOL_KEPT_REPLIES;
	kept->n += kept->n < ETHTOOL_KEPT_REPLIES;
	reply->command = command;
	strcpy(reply->ifname, ifname);
	reply->error = error;
	if (nlh)
		memcpy(reply->message, nlh, nlh->nlmsg_len);
}

void ethtool_kept_forget(struct ethtool_kept *kept)
{
	kept->n = kept->next = 0;
}
