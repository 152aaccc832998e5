// SPDX-License-Identifier: GPL-2.0-or-later
// ssh.c - find SSH sessions and the interfaces that they need
#include "engine/ssh.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <net/if.h>

#include "kernel/rtnl.h"

#define NET_DIR "/sys/class/net"
#define ANCESTORS_MAX 64
#define TCP_ESTABLISHED_HEX "01" /* include/net/tcp_states.h */

/* Beginnings of the names of SSH servers' processes: sshd, sshd-session, dropbear. */
static const char *const servers[] = { "sshd", "dropbear" };

/* Inodes of the sockets of SSH servers. */
struct inode_list {
	unsigned long *items;
	size_t n;
};

static void inode_list_clear(struct inode_list *list)
{
	free(list->items);
}

void ssh_sessions_clear(struct ssh_sessions *sessions)
{
	free(sessions->items);
	*sessions = (struct ssh_sessions) { 0 };
}

static int session_add(struct ssh_sessions *sessions, const struct ssh_session *session)
{
	int r = array_grow(&sessions->items, sessions->n, sizeof(*sessions->items));

	if (r < 0)
		return r;
	sessions->items[sessions->n++] = *session;
	return 0;
}

/* ::ffff:192.0.2.1 is a connection over IPv4. */
static void session_unmap(struct ssh_session *session)
{
	struct in6_addr address;

	memcpy(&address, session->local, sizeof(address));
	if (session->family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&address))
		return;
	session->family = AF_INET;
	memmove(session->local, session->local + 12, 4);
	memmove(session->peer, session->peer + 12, 4);
	memset(session->local + 4, 0, 12);
	memset(session->peer + 4, 0, 12);
}

/* An address of SSH_CONNECTION, "192.0.2.1" or "fe80::1%eth0". */
static int parse_address(const char *text, sa_family_t *ret_family, uint8_t *ret_bytes,
			 uint32_t *ret_scope)
{
	char address[INET6_ADDRSTRLEN + IF_NAMESIZE + 1];
	char *scope;

	if (strlen(text) >= sizeof(address))
		return -EBADMSG;
	strcpy(address, text);
	scope = strchr(address, '%');
	if (scope) {
		*scope++ = '\0';
		*ret_scope = if_nametoindex(scope);
	}
	*ret_family = strchr(address, ':') ? AF_INET6 : AF_INET;
	return inet_pton(*ret_family, address, ret_bytes) == 1 ? 0 : -EBADMSG;
}

/* "PEER PORT LOCAL PORT", as sshd(8) and dropbear set it. */
static int parse_connection(const char *text, struct ssh_session *ret)
{
	struct ssh_session session = { 0 };
	char peer[80], local[80];
	sa_family_t peer_family;
	uint32_t scope = 0;

	if (sscanf(text, "%79s %*s %79s %*s", peer, local) != 2 ||
	    parse_address(peer, &peer_family, session.peer, &scope) < 0 ||
	    parse_address(local, &session.family, session.local, &scope) < 0 ||
	    peer_family != session.family)
		return -EBADMSG;
	session.scope = scope;
	session_unmap(&session);
	*ret = session;
	return 0;
}

static int add_from_environment(const struct sysroot *root, unsigned long pid,
				struct ssh_sessions *sessions)
{
	_cleanup_free_ char *text = NULL;
	struct ssh_session session;
	const char *value;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%lu/environ", pid);
	n = sysroot_read_all(root, path, &text);
	for (const char *s = text; n > 0 && s < text + n; s += strlen(s) + 1) {
		value = str_after(s, "SSH_CONNECTION=");
		if (value && parse_connection(value, &session) == 0)
			return session_add(sessions, &session);
	}
	return 0;
}

/* The parent of a process, 0 at the top or if it is gone. */
static unsigned long read_parent(const struct sysroot *root, unsigned long pid)
{
	_cleanup_free_ char *text = NULL;
	const char *line;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%lu/status", pid);
	if (sysroot_read_all(root, path, &text) < 0)
		return 0;
	line = strstr(text, "\nPPid:");
	return line ? strtoul(line + strlen("\nPPid:"), NULL, 10) : 0;
}

static bool is_server(const struct sysroot *root, const char *pid)
{
	char path[64], comm[64];

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	if (sysroot_read(root, path, comm, sizeof(comm)) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(servers); i++)
		if (str_after(comm, servers[i]))
			return true;
	return false;
}

/* The sockets among the descriptors of a process. */
static int add_inodes(const struct sysroot *root, const char *pid,
		      struct inode_list *list)
{
	_cleanup_list_ char **fds = NULL;
	char dir[64], path[128], link[64];
	const char *inode;
	ssize_t n;
	int r;

	snprintf(dir, sizeof(dir), "/proc/%.20s/fd", pid);
	n = sysroot_list(root, dir, &fds);
	if (n == -ENOMEM)
		return -ENOMEM;
	for (ssize_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%.20s", dir, fds[i]);
		if (sysroot_readlink(root, path, link, sizeof(link)) < 0)
			continue;
		inode = str_after(link, "socket:[");
		if (!inode)
			continue;
		r = array_grow(&list->items, list->n, sizeof(*list->items));
		if (r < 0)
			return r;
		list->items[list->n++] = strtoul(inode, NULL, 10);
	}
	return 0;
}

static int find_inodes(const struct sysroot *root, struct inode_list *list)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n;
	int r;

	n = sysroot_list(root, "/proc", &names);
	if (n == -ENOMEM)
		return -ENOMEM;
	for (ssize_t i = 0; i < n; i++) {
		if (!isdigit((unsigned char)names[i][0]) || !is_server(root, names[i]))
			continue;
		r = add_inodes(root, names[i], list);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Words of the network-order address, each printed as a number of this machine. */
static int parse_hex_address(const char *text, sa_family_t *ret_family,
			     uint8_t ret_bytes[static 16])
{
	size_t n = strspn(text, "0123456789ABCDEFabcdef");
	char word[9] = "";

	if ((n != 8 && n != 32) || text[n] != ':')
		return -EBADMSG;
	for (size_t i = 0; i < n / 8; i++) {
		uint32_t number;

		memcpy(word, text + i * 8, 8);
		number = (uint32_t)strtoul(word, NULL, 16);
		memcpy(ret_bytes + i * 4, &number, sizeof(number));
	}
	*ret_family = n == 8 ? AF_INET : AF_INET6;
	return 0;
}

/* A line of /proc/net/tcp or tcp6 (proc_pid_net(5)). 0, or -EBADMSG: no connection. */
static int parse_tcp_line(const char *line, unsigned long *ret_inode,
			  struct ssh_session *ret)
{
	struct ssh_session session = { 0 };
	char local[48], peer[48], state[4];
	sa_family_t peer_family;

	if (sscanf(line, " %*u: %47s %47s %3s %*s %*s %*s %*u %*u %lu", local, peer,
		   state, ret_inode) != 4 ||
	    !streq(state, TCP_ESTABLISHED_HEX) ||
	    parse_hex_address(local, &session.family, session.local) < 0 ||
	    parse_hex_address(peer, &peer_family, session.peer) < 0 ||
	    peer_family != session.family)
		return -EBADMSG;
	session_unmap(&session);
	*ret = session;
	return 0;
}

static int add_from_tcp(const struct sysroot *root, const char *path,
			const struct inode_list *inodes, struct ssh_sessions *sessions)
{
	_cleanup_free_ char *text = NULL;
	struct ssh_session session;
	unsigned long inode;
	int r = 0;

	if (sysroot_read_all(root, path, &text) < 0)
		return 0; /* no IPv6 in this kernel */
	for (const char *s = text; r == 0 && s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (parse_tcp_line(s, &inode, &session) < 0)
			continue;
		for (size_t i = 0; r == 0 && i < inodes->n; i++)
			if (inodes->items[i] == inode)
				r = session_add(sessions, &session);
	}
	return r;
}

int ssh_sessions_find(const struct sysroot *root, pid_t pid, struct ssh_sessions *ret)
{
	_cleanup_(ssh_sessions_clear) struct ssh_sessions sessions = { 0 };
	_cleanup_(inode_list_clear) struct inode_list inodes = { 0 };
	unsigned long ancestor = (unsigned long)pid;
	int r = 0;

	for (int i = 0; r == 0 && ancestor > 0 && i < ANCESTORS_MAX; i++) {
		r = add_from_environment(root, ancestor, &sessions);
		ancestor = read_parent(root, ancestor);
	}
	if (r == 0)
		r = find_inodes(root, &inodes);
	if (r == 0)
		r = add_from_tcp(root, "/proc/net/tcp", &inodes, &sessions);
	if (r == 0)
		r = add_from_tcp(root, "/proc/net/tcp6", &inodes, &sessions);
	if (r < 0)
		return r;
	ret->n = sessions.n;
	ret->items = TAKE_PTR(sessions.items);
	return 0;
}

bool ssh_links_have(const struct ssh_links *links, int ifindex)
{
	for (size_t i = 0; i < links->n; i++)
		if (links->ifindex[i] == ifindex)
			return true;
	return false;
}

static int links_add(struct ssh_links *links, int ifindex)
{
	if (ssh_links_have(links, ifindex))
		return 0;
	if (links->n == SSH_LINKS_MAX)
		return -E2BIG;
	links->ifindex[links->n++] = ifindex;
	return 0;
}

static int read_ifindex(const struct sysroot *root, const char *ifname)
{
	char path[SYSROOT_PATH_MAX];
	unsigned long ifindex;
	int n, r;

	n = snprintf(path, sizeof(path), NET_DIR "/%s/ifindex", ifname);
	if (n < 0 || n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	r = sysroot_read_ulong(root, path, &ifindex);
	if (r < 0)
		return r;
	return ifindex > 0 && ifindex <= INT32_MAX ? (int)ifindex : -EBADMSG;
}

/* Add what lies directly below the interface of this index. */
static int add_lower(const struct sysroot *root, char **names, int ifindex,
		     struct ssh_links *links)
{
	_cleanup_list_ char **entries = NULL;
	char path[SYSROOT_PATH_MAX];
	int r = 0;

	while (*names && read_ifindex(root, *names) != ifindex)
		names++;
	if (!*names)
		return -ENODEV;
	snprintf(path, sizeof(path), NET_DIR "/%.255s", *names);
	if (sysroot_list(root, path, &entries) < 0)
		return -ENODEV;
	for (char **e = entries; r == 0 && *e; e++) {
		const char *lower = str_after(*e, "lower_");
		int below = lower ? read_ifindex(root, lower) : 0;

		if (below > 0)
			r = links_add(links, below);
	}
	return r;
}

int ssh_links_add_lower(const struct sysroot *root, int ifindex, struct ssh_links *links)
{
	_cleanup_list_ char **names = NULL;
	size_t next = links->n;
	ssize_t n;
	int r;

	if (ssh_links_have(links, ifindex))
		return 0;
	n = sysroot_list(root, NET_DIR, &names);
	if (n < 0)
		return (int)n;
	r = links_add(links, ifindex);
	/* the list grows while it is walked: each device once, loops end by themselves */
	for (; r == 0 && next < links->n; next++)
		r = add_lower(root, names, links->ifindex[next], links);
	return r;
}

/* The way back to the peer; with several addresses it need not be the local one's. */
static int add_route(const struct sysroot *root, struct nl *nl,
		     const struct ssh_session *session, struct ssh_links *links)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in in = { .sin_family = AF_INET };
	const struct sockaddr *peer = (const struct sockaddr *)&in6;
	struct rtnl_route route;
	int r;

	if (session->family == AF_INET) {
		memcpy(&in.sin_addr, session->peer, sizeof(in.sin_addr));
		peer = (const struct sockaddr *)&in;
	} else {
		memcpy(&in6.sin6_addr, session->peer, sizeof(in6.sin6_addr));
		in6.sin6_scope_id = session->scope;
		/* without a scope the interfaces with the local address must do */
		if (IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr) && !session->scope)
			return 0;
	}
	r = rtnl_route_get(nl, peer, &route);
	if (r == -ENETUNREACH || r == -EHOSTUNREACH || r == -EACCES)
		return 0; /* nothing to lose any more */
	return r < 0 ? r : ssh_links_add_lower(root, route.ifindex, links);
}

int ssh_interfaces(const struct system *sys, struct ssh_links *ret)
{
	_cleanup_(ssh_sessions_clear) struct ssh_sessions sessions = { 0 };
	_cleanup_(rtnl_addresses_clear) struct rtnl_addresses addresses = { 0 };
	_cleanup_(nl_close) struct nl nl = { .fd = -1 };
	struct ssh_links links = { 0 };
	int r;

	if (!sys->root.live) {
		*ret = links;
		return 0;
	}
	r = ssh_sessions_find(&sys->root, getpid(), &sessions);
	if (r == 0 && sessions.n == 0) {
		*ret = links;
		return 0;
	}
	if (r == 0)
		r = nl_open(NETLINK_ROUTE, &nl);
	if (r == 0)
		r = rtnl_addresses_get(&nl, &addresses);
	for (size_t i = 0; r == 0 && i < sessions.n; i++) {
		const struct ssh_session *s = &sessions.items[i];

		for (size_t k = 0; r == 0 && k < addresses.n; k++)
			if (rtnl_address_match(&addresses.items[k], s->family, s->local))
				r = ssh_links_add_lower(
					&sys->root, addresses.items[k].ifindex, &links);
		if (r == 0)
			r = add_route(&sys->root, &nl, s, &links);
	}
	if (r == 0)
		*ret = links;
	return r;
}
