// SPDX-License-Identifier: GPL-2.0-or-later
// gate.c - what must be so before a trial: peer, route, carrier
#include <arpa/inet.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>

#include "kernel/rtnl.h"
#include "measure/gate.h"

#define LOWER_DEPTH_MAX 8
#define WAIT_STEP 0.25

static int port_parse(const char *text, unsigned *ret)
{
	unsigned port = 0;

	if (!*text || strlen(text) > 5)
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		port = port * 10 + (*text - '0');
	}
	if (port < 1 || port > 65535)
		return -EINVAL;
	*ret = port;
	return 0;
}

int gate_peer_parse(const char *text, unsigned port, struct gate_peer *ret)
{
	const char *host = text, *colon = strchr(text, ':');
	size_t n = strlen(text);
	const char *after = NULL;

	if (*text == '[') {
		const char *end = strchr(text, ']');

		if (!end || (end[1] && end[1] != ':'))
			return -EINVAL;
		host++;
		n = end - host;
		after = end[1] ? end + 2 : NULL;
	} else if (colon && !strchr(colon + 1, ':')) {
		n = colon - text;
		after = colon + 1;
	}
	if (!n || n >= sizeof(ret->host) || (after && port_parse(after, &port) < 0))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)host[i] <= ' ')
			return -EINVAL;
	memcpy(ret->host, host, n);
	ret->host[n] = '\0';
	ret->port = port;
	return 0;
}

static bool link_local_unscoped(const struct addrinfo *ai)
{
	const struct sockaddr_in6 *in6 = (const void *)ai->ai_addr;

	return ai->ai_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	       !in6->sin6_scope_id;
}

static void way_set(struct gate_way *way, const struct addrinfo *ai)
{
	if (way->there || ai->ai_addrlen > sizeof(way->address))
		return;
	memcpy(&way->address, ai->ai_addr, ai->ai_addrlen);
	way->length = ai->ai_addrlen;
	way->there = getnameinfo(ai->ai_addr, ai->ai_addrlen, way->text,
				 sizeof(way->text), NULL, 0, NI_NUMERICHOST) == 0;
}

int gate_resolve(const struct gate_peer *peer, struct gate_ways *ret, char *ret_text)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	struct gate_ways ways = {};
	bool unscoped = false;
	char port[16];
	int r;

	snprintf(port, sizeof(port), "%u", peer->port);
	r = getaddrinfo(peer->host, port, &hints, &found);
	if (r) {
		snprintf(ret_text, GATE_TEXT_MAX, _("cannot find the peer %.100s: %s"),
			 peer->host, r == EAI_SYSTEM ? strerror(errno) : gai_strerror(r));
		return -EHOSTUNREACH;
	}
	for (const struct addrinfo *ai = found; ai; ai = ai->ai_next) {
		if (link_local_unscoped(ai))
			unscoped = true;
		else if (ai->ai_family == AF_INET)
			way_set(&ways.ipv4, ai);
		else if (ai->ai_family == AF_INET6)
			way_set(&ways.ipv6, ai);
	}
	freeaddrinfo(found);
	if (ways.ipv4.there || ways.ipv6.there) {
		*ret = ways;
		return 0;
	}
	if (!unscoped) {
		snprintf(ret_text, GATE_TEXT_MAX, _("the peer %.100s has no address"),
			 peer->host);
		return -EHOSTUNREACH;
	}
	snprintf(ret_text, GATE_TEXT_MAX,
		 _("%.100s is link-local and needs its interface: %.100s%%eth0"),
		 peer->host, peer->host);
	return -ENXIO;
}

int gate_route(struct gate_way *way)
{
	_cleanup_free_ struct nl *nl = NULL;
	struct rtnl_route route;
	int r;

	nl = malloc(sizeof(*nl)); /* 33 KiB */
	if (!nl)
		return -ENOMEM;
	r = nl_open(NETLINK_ROUTE, nl);
	if (r < 0)
		return r;
	r = rtnl_route_get(nl, (const struct sockaddr *)&way->address, &route);
	nl_close(nl);
	if (r < 0)
		return r;
	if (!if_indextoname(route.ifindex, way->ifname))
		return -errno;
	way->local = route.local;
	return 0;
}

static bool carries_below(const struct sysroot *root, const char *upper,
			  const char *lower, unsigned depth)
{
	_cleanup_list_ char **names = NULL;
	char path[SYSROOT_PATH_MAX];

	if (streq(upper, lower))
		return true;
	snprintf(path, sizeof(path), "/sys/class/net/%s", upper);
	if (depth == LOWER_DEPTH_MAX || sysroot_list(root, path, &names) < 0)
		return false;
	for (char **name = names; *name; name++) {
		const char *below = str_after(*name, "lower_");

		if (below && carries_below(root, below, lower, depth + 1))
			return true;
	}
	return false;
}

bool gate_carries(const struct sysroot *root, const char *upper, const char *lower)
{
	return carries_below(root, upper, lower, 0);
}

bool gate_carrier(const struct sysroot *root, const char *ifname)
{
	char path[SYSROOT_PATH_MAX];
	unsigned long carrier;

	snprintf(path, sizeof(path), "/sys/class/net/%s/carrier", ifname);
	return sysroot_read_ulong(root, path, &carrier) == 0 && carrier == 1;
}

static bool address_is_link_local(const struct rtnl_address *a)
{
	return a->family == AF_INET6 && a->bytes[0] == 0xfe &&
	       (a->bytes[1] & 0xc0) == 0x80;
}

static int addresses_read(struct rtnl_addresses *ret)
{
	_cleanup_free_ struct nl *nl = malloc(sizeof(*nl)); /* 33 KiB */
	int r;

	if (!nl)
		return -ENOMEM;
	r = nl_open(NETLINK_ROUTE, nl);
	if (r < 0)
		return r;
	r = rtnl_addresses_get(nl, ret);
	nl_close(nl);
	return r;
}

int gate_addressed(const struct sysroot *root, const char *ifname)
{
	struct rtnl_addresses addresses = {};
	char name[IF_NAMESIZE];
	int r = addresses_read(&addresses);

	for (size_t i = 0; r == 0 && i < addresses.n; i++)
		r = !address_is_link_local(&addresses.items[i]) &&
		    if_indextoname(addresses.items[i].ifindex, name) &&
		    gate_carries(root, name, ifname);
	rtnl_addresses_clear(&addresses);
	return r;
}

/* Returns how many there are, counting those that have no place in @ret. */
static size_t leaves_find(const struct sysroot *root, const char *upper, unsigned depth,
			  struct sample_nics *ret)
{
	_cleanup_list_ char **names = NULL;
	char path[SYSROOT_PATH_MAX];
	size_t found = 0;

	snprintf(path, sizeof(path), "/sys/class/net/%s", upper);
	if (depth < LOWER_DEPTH_MAX && sysroot_list(root, path, &names) > 0)
		for (char **name = names; *name; name++)
			if (str_after(*name, "lower_"))
				found += leaves_find(root, str_after(*name, "lower_"),
						     depth + 1, ret);
	if (found)
		return found;
	if (ret->n < SAMPLE_NICS_MAX)
		snprintf(ret->names[ret->n++], IF_NAMESIZE, "%.*s", IF_NAMESIZE - 1,
			 upper);
	return 1;
}

int gate_leaves(const struct sysroot *root, const char *upper, struct sample_nics *ret)
{
	struct sample_nics nics = {};

	if (leaves_find(root, upper, 0, &nics) > SAMPLE_NICS_MAX)
		return -E2BIG;
	*ret = nics;
	return 0;
}

static double link_speed(const struct sysroot *root, const char *ifname)
{
	char path[SYSROOT_PATH_MAX];
	long speed;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device", ifname);
	if (!sysroot_exists(root, path))
		return 0;
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", ifname);
	/* -1, 65535 and 4294967295 (SPEED_UNKNOWN in three widths) are unknown. */
	if (sysroot_read_long(root, path, &speed) < 0 || speed <= 0 || speed == 65535 ||
	    speed >= 0x7fffffff)
		return 0;
	return speed;
}

double gate_line_rate(const struct sysroot *root, const char *ifname)
{
	struct sample_nics nics;
	double fastest = 0;

	if (gate_leaves(root, ifname, &nics) < 0)
		return 0;
	for (size_t i = 0; i < nics.n; i++) {
		double speed = link_speed(root, nics.names[i]);

		fastest = speed > fastest ? speed : fastest;
	}
	return fastest;
}

bool gate_bind_needs_raw(const char *release)
{
	unsigned major, minor;

	if (sscanf(release, "%u.%u", &major, &minor) != 2)
		return true;
	return major < 5 || (major == 5 && minor < 7);
}

int gate_sleep(double seconds, int stop_fd)
{
	struct pollfd pfd = { .fd = stop_fd, .events = POLLIN };
	double deadline = now_monotonic() + seconds, left;

	while ((left = deadline - now_monotonic()) > 0) {
		int n = poll(&pfd, 1, left > 1000 ? 1000000 : (int)(left * 1000) + 1);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			return -EINTR;
	}
	return 0;
}

int gate_wait(const struct sysroot *root, const struct gate_way *way, double seconds,
	      int stop_fd)
{
	double deadline = now_monotonic() + seconds;

	for (;;) {
		bool carrier = gate_carrier(root, way->ifname);
		struct gate_way now = *way;
		int r;

		if (carrier && gate_route(&now) == 0 && streq(now.ifname, way->ifname))
			return 0;
		if (now_monotonic() >= deadline)
			return carrier ? -ENETUNREACH : -ENETDOWN;
		r = gate_sleep(WAIT_STEP, stop_fd);
		if (r < 0)
			return r;
	}
}
