// SPDX-License-Identifier: GPL-2.0-or-later
// kernel-client.c - features, addresses and routes as src/kernel gives them
#include <arpa/inet.h>
#include <net/if.h>

#include "engine/ssh.h"
#include "kernel/rtnl.h"

static int fail(const char *what, int r)
{
	fprintf(stderr, "%s: %s\n", what, errno_name(r));
	return 1;
}

/* As ethtool -k prints single features. */
static int print_features(struct ethtool *et, const char *ifname)
{
	struct ethtool_features features;
	int r = ethtool_features_get(et, ifname, &features);

	if (r < 0)
		return fail(ifname, r);
	for (size_t i = 0; i < features.n; i++) {
		const struct ethtool_feature *f = &features.feature[i];

		printf("%s: %s%s\n", f->name, f->active ? "on" : "off",
		       ethtool_feature_fixed(f)    ? " [fixed]" :
		       f->active == f->wanted      ? "" :
		       f->wanted                   ? " [requested on]" :
						     " [requested off]");
	}
	return 0;
}

static int set_feature(struct ethtool *et, char **argv)
{
	int r = ethtool_feature_set(et, argv[0], argv[1], strcmp(argv[2], "on") == 0);

	return r < 0 ? fail(argv[1], r) : 0;
}

static int print_addresses(struct nl *nl)
{
	_cleanup_(rtnl_addresses_clear) struct rtnl_addresses list = { 0 };
	char text[INET6_ADDRSTRLEN], name[IF_NAMESIZE];
	int r = rtnl_addresses_get(nl, &list);

	if (r < 0)
		return fail("addresses", r);
	for (size_t i = 0; i < list.n; i++)
		printf("%s %s\n", if_indextoname((unsigned)list.items[i].ifindex, name),
		       inet_ntop(list.items[i].family, list.items[i].bytes, text,
				 sizeof(text)));
	return 0;
}

static int print_route(struct nl *nl, const char *address)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in in = { .sin_family = AF_INET };
	char text[INET6_ADDRSTRLEN] = "-", name[IF_NAMESIZE];
	const struct sockaddr *peer = (struct sockaddr *)&in;
	struct rtnl_route route;
	int r;

	if (inet_pton(AF_INET6, address, &in6.sin6_addr) == 1)
		peer = (struct sockaddr *)&in6;
	else if (inet_pton(AF_INET, address, &in.sin_addr) != 1)
		return fail(address, -EINVAL);
	r = rtnl_route_get(nl, peer, &route);
	if (r < 0)
		return fail(address, r);
	if (route.source.ss_family == AF_INET)
		inet_ntop(AF_INET, &((struct sockaddr_in *)&route.source)->sin_addr, text,
			  sizeof(text));
	else if (route.source.ss_family == AF_INET6)
		inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&route.source)->sin6_addr,
			  text, sizeof(text));
	printf("%s %s%s\n", if_indextoname((unsigned)route.ifindex, name), text,
	       route.local ? " local" : "");
	return 0;
}

static int print_ssh(void)
{
	struct system sys = SYSTEM_INIT;
	struct ssh_links links;
	char name[IF_NAMESIZE];
	int r = sysroot_open(NULL, &sys.root);

	if (r == 0)
		r = ssh_interfaces(&sys, &links);
	sysroot_close(&sys.root);
	if (r < 0)
		return fail("ssh", r);
	for (size_t i = 0; i < links.n; i++)
		printf("%s\n", if_indextoname((unsigned)links.ifindex[i], name));
	return 0;
}

static int run_ethtool(int argc, char **argv)
{
	struct ethtool et;
	int r = ethtool_open(&et);

	if (r < 0)
		return fail("ethtool", r);
	r = argc == 3 ? print_features(&et, argv[2]) : set_feature(&et, argv + 2);
	ethtool_close(&et);
	return r;
}

int main(int argc, char **argv)
{
	_cleanup_(nl_close) struct nl nl = { .fd = -1 };
	const char *command = argc > 1 ? argv[1] : "";
	int r;

	if ((streq(command, "features") && argc == 3) ||
	    (streq(command, "set") && argc == 5))
		return run_ethtool(argc, argv);
	if (streq(command, "ssh"))
		return print_ssh();
	r = nl_open(NETLINK_ROUTE, &nl);
	if (r < 0)
		return fail("netlink", r);
	if (streq(command, "addresses"))
		return print_addresses(&nl);
	if (streq(command, "route") && argc == 3)
		return print_route(&nl, argv[2]);
	fprintf(stderr, "usage: %s features IF | set IF FEATURE on|off | addresses | "
			"route ADDRESS | ssh\n",
		argv[0]);
	return 2;
}
