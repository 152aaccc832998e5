// SPDX-License-Identifier: GPL-2.0-or-later
// nl.c - one netlink request at a time: sequence, deadline, extended ack
#include "kernel/nl.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <math.h>
#include <poll.h>
#include <sys/socket.h>

int nl_open(int protocol, struct nl *ret)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	socklen_t length = sizeof(address);
	const int on = 1;
	_cleanup_close_ int fd = -1;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	if (getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		return -errno;
	/* both since 4.12 and 4.3; an older kernel only explains less */
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	*ret = (struct nl){ .fd = TAKE_FD(fd), .portid = address.nl_pid };
	return 0;
}

void nl_close(struct nl *nl)
{
	close_fd(&nl->fd);
}

struct nlmsghdr *nl_request(struct nl *nl, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *nlh;

	memset(nl->request, 0, sizeof(nl->request));
	nlh = mnl_nlmsg_put_header(nl->request);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	nlh->nlmsg_seq = ++nl->seq;
	return nlh;
}

struct nlmsghdr *nl_request_genl(struct nl *nl, uint16_t family, uint8_t command,
				 uint8_t version)
{
	struct nlmsghdr *nlh = nl_request(nl, family, 0);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	genl->cmd = command;
	genl->version = version;
	return nlh;
}

static void parse_message(const struct nlmsghdr *nlh, char *message)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t offset = sizeof(*err);
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	/* unless it is capped the ack carries the whole request before the attributes */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
		if (err->msg.nlmsg_len < sizeof(err->msg) ||
		    err->msg.nlmsg_len > nlh->nlmsg_len)
			return;
		offset += MNL_ALIGN(err->msg.nlmsg_len - sizeof(err->msg));
	}
	if (offset > mnl_nlmsg_get_payload_len(nlh))
		return;
	mnl_attr_for_each(attr, nlh, offset)
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) == 0)
			snprintf(message, NL_MESSAGE_MAX, "%s", mnl_attr_get_str(attr));
}

/* An ack: 0, or the kernel's negative errno. */
static int parse_error(const struct nlmsghdr *nlh, char *message)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err) || err->error > 0 ||
	    err->error < -4095)
		return -EBADMSG;
	if (err->error < 0)
		parse_message(nlh, message);
	return err->error;
}

/* The end of a dump carries an error since 4.14. */
static int parse_done(const struct nlmsghdr *nlh)
{
	const int *error = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		return -EAGAIN;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*error) || *error >= 0)
		return 0;
	return *error < -4095 ? -EBADMSG : *error;
}

/* libmnl's own check (1.0.4) takes a length of 2^31 or more for a negative one. */
static bool message_ok(const struct nlmsghdr *nlh, size_t left)
{
	return left >= sizeof(*nlh) && nlh->nlmsg_len >= sizeof(*nlh) &&
	       nlh->nlmsg_len <= left;
}

int nl_parse(const void *packet, size_t size, uint32_t seq, uint32_t portid,
	     nl_reply_fn *reply, void *userdata, char *message)
{
	size_t step;
	int r;

	for (const char *p = packet; size > 0; p += step, size -= step) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)p;

		if (!message_ok(nlh, size))
			return -EBADMSG;
		step = MNL_ALIGN(nlh->nlmsg_len);
		step = step < size ? step : size;
		/* late answers to a request that has timed out are none of this one's */
		if (nlh->nlmsg_seq != seq || nlh->nlmsg_pid != portid)
			continue;
		if (nlh->nlmsg_type == NLMSG_ERROR)
			return parse_error(nlh, message);
		if (nlh->nlmsg_type == NLMSG_DONE)
			return parse_done(nlh);
		if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
			return -EAGAIN;
		if (nlh->nlmsg_type < NLMSG_MIN_TYPE || !reply)
			continue;
		r = reply(nlh, userdata);
		if (r < 0)
			return r;
	}
	return NL_MORE;
}

/* Wait for a packet of the kernel. Returns its length or -errno. */
static ssize_t receive(struct nl *nl, double deadline)
{
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { .iov_base = nl->reply, .iov_len = sizeof(nl->reply) };
	struct msghdr msg = { .msg_name = &from, .msg_iov = &iov, .msg_iovlen = 1 };
	struct pollfd pfd = { .fd = nl->fd, .events = POLLIN };
	double left;
	ssize_t n;

	while ((left = deadline - now_monotonic()) > 0) {
		if (poll(&pfd, 1, (int)ceil(left * 1000)) < 0 && errno != EINTR)
			return -errno;
		msg.msg_namelen = sizeof(from);
		n = recvmsg(nl->fd, &msg, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n < 0)
			return -errno;
		if (msg.msg_flags & MSG_TRUNC)
			return -EMSGSIZE;
		if (n == 0)
			return -EBADMSG;
		/* another process may send to this address too */
		if (msg.msg_namelen == sizeof(from) && from.nl_pid == 0)
			return n;
	}
	return -ETIMEDOUT;
}

int nl_exchange(struct nl *nl, nl_reply_fn *reply, void *userdata)
{
	const struct nlmsghdr *request = (const struct nlmsghdr *)nl->request;
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	double deadline = now_monotonic() + NL_TIMEOUT;
	ssize_t n;
	int r;

	nl->message[0] = '\0';
	do {
		n = sendto(nl->fd, request, request->nlmsg_len, 0,
			   (struct sockaddr *)&kernel, sizeof(kernel));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n != request->nlmsg_len)
		return -EIO;
	do {
		n = receive(nl, deadline);
		if (n < 0)
			return (int)n;
		r = nl_parse(nl->reply, (size_t)n, nl->seq, nl->portid, reply, userdata,
			     nl->message);
	} while (r == NL_MORE);
	return r;
}

/* The list of commands: a nest each, with its number and flags. */
static int parse_commands(const struct nlattr *ops, struct nl_family *family)
{
	const struct nlattr *op, *attr;

	mnl_attr_for_each_nested(op, ops) {
		mnl_attr_for_each_nested(attr, op) {
			uint32_t id;

			if (mnl_attr_get_type(attr) != CTRL_ATTR_OP_ID)
				continue;
			if (mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
				return -EBADMSG;
			id = mnl_attr_get_u32(attr);
			if (id <= UINT8_MAX)
				family->commands[id / 32] |= 1u << id % 32;
		}
	}
	return 0;
}

int nl_parse_family(const struct nlmsghdr *nlh, struct nl_family *ret)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct nl_family family = { 0 };
	const struct nlattr *attr;

	if (nlh->nlmsg_type != GENL_ID_CTRL ||
	    mnl_nlmsg_get_payload_len(nlh) < sizeof(*genl) ||
	    genl->cmd != CTRL_CMD_NEWFAMILY)
		return -EBADMSG;
	mnl_attr_for_each(attr, nlh, sizeof(*genl)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID) {
			if (mnl_attr_validate(attr, MNL_TYPE_U16) < 0)
				return -EBADMSG;
			family.id = mnl_attr_get_u16(attr);
		}
		if (mnl_attr_get_type(attr) == CTRL_ATTR_OPS &&
		    parse_commands(attr, &family) < 0)
			return -EBADMSG;
	}
	if (family.id < NLMSG_MIN_TYPE)
		return -EBADMSG;
	*ret = family;
	return 0;
}

static int family_reply(const struct nlmsghdr *nlh, void *userdata)
{
	return nl_parse_family(nlh, userdata);
}

int nl_family_get(struct nl *nl, const char *name, struct nl_family *ret)
{
	struct nl_family family = { 0 };
	struct nlmsghdr *nlh;
	int r;

	if (strlen(name) >= GENL_NAMSIZ)
		return -EINVAL;
	nlh = nl_request_genl(nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, name);
	r = nl_exchange(nl, family_reply, &family);
	if (r < 0)
		return r;
	if (family.id == 0)
		return -EBADMSG;
	*ret = family;
	return 0;
}
