/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nl.h - netlink requests and their replies: generic netlink and rtnetlink alike */
#ifndef BOARDTUNE_NL_H
#define BOARDTUNE_NL_H

#include <linux/netlink.h>

#include "base/base.h"

#define NL_TIMEOUT 5.0 /* seconds that a request may take in all */
#define NL_MESSAGE_MAX 128
#define NL_REQUEST_SIZE 512
#define NL_REPLY_SIZE 32768 /* the kernel fills a dump's packets up to this */

/* A socket with room for one request and one packet of replies: it allocates nothing. */
struct nl {
	int fd;
	uint32_t portid;
	uint32_t seq;
	char message[NL_MESSAGE_MAX]; /* the kernel's words on the last failure, or "" */
	_Alignas(struct nlmsghdr) char request[NL_REQUEST_SIZE];
	_Alignas(struct nlmsghdr) char reply[NL_REPLY_SIZE];
};

/* Called for each message of a reply; 0, or -errno to give up with it. */
typedef int nl_reply_fn(const struct nlmsghdr *nlh, void *userdata);

/* Positive answer of nl_parse(). */
enum {
	NL_MORE = 1, /* the reply goes on in the next packet */
};

/**
 * nl_open - open and bind a netlink socket with extended acks
 * @protocol: NETLINK_GENERIC, NETLINK_ROUTE
 * @ret: filled in; release with nl_close()
 *
 * Returns 0 or -errno.
 */
int nl_open(int protocol, struct nl *ret);
void nl_close(struct nl *nl);

/**
 * nl_request - begin a request in nl->request
 * @type: message type or generic netlink family
 * @flags: besides NLM_F_REQUEST and NLM_F_ACK
 *
 * The caller appends at most NL_REQUEST_SIZE bytes in all with libmnl. Returns the
 * message, valid until the next nl_request().
 */
struct nlmsghdr *nl_request(struct nl *nl, uint16_t type, uint16_t flags);

/** nl_request_genl - the same with the header of generic netlink */
struct nlmsghdr *nl_request_genl(struct nl *nl, uint16_t family, uint8_t command,
				 uint8_t version);

/**
 * nl_exchange - send nl->request and take the replies up to its ack
 * @reply: called for each message of the answer; NULL to ignore them
 *
 * Returns 0; the kernel's -errno, then nl->message may say more; -ETIMEDOUT; -EAGAIN a
 * dump was changed while it was read, ask again; -EBADMSG a broken reply; what @reply
 * answered.
 */
int nl_exchange(struct nl *nl, nl_reply_fn *reply, void *userdata);

/**
 * nl_parse - one packet of replies
 * @packet: in a buffer that is padded to a multiple of 4 bytes, as libmnl assumes
 * @seq, @portid: of the request; messages of others are passed over
 * @message: NL_MESSAGE_MAX bytes, gets the extended ack's text on failure
 *
 * Pure: touches no socket. Returns 0 at the ack or the end of a dump, NL_MORE, or as
 * nl_exchange().
 */
int nl_parse(const void *packet, size_t size, uint32_t seq, uint32_t portid,
	     nl_reply_fn *reply, void *userdata, char *message);

/* A generic netlink family: its number, and which commands this kernel has of it. */
struct nl_family {
	uint16_t id;
	uint32_t commands[8]; /* a bit for each; see nl_family_has() */
};

/**
 * nl_family_get - look a generic netlink family up by name
 * @name: at most GENL_NAMSIZ - 1 bytes
 *
 * Returns 0, -ENOENT if this kernel has none of it, or -errno.
 */
int nl_family_get(struct nl *nl, const char *name, struct nl_family *ret);

/**
 * nl_parse_family - decode a reply to CTRL_CMD_GETFAMILY
 *
 * Pure. Returns 0, or -EBADMSG: broken, another message, or without a number.
 */
int nl_parse_family(const struct nlmsghdr *nlh, struct nl_family *ret);

static inline bool nl_family_has(const struct nl_family *f, uint8_t command)
{
	return f->commands[command / 32] >> command % 32 & 1;
}

#endif
