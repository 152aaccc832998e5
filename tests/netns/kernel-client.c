// SPDX-License-Identifier: GPL-2.0-or-later
// kernel-client.c - NIC state, addresses and routes as src/kernel gives them
#include <arpa/inet.h>
#include <linux/ethtool_netlink.h>
#include <net/if.h>

#include "engine/boot-check.h"
#include "engine/ssh.h"
#include "kernel/ethtool-client.h"
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

/* As after a boot apply that touched this interface, which had a carrier. */
static int print_reachable(char *const *ifnames, int n)
{
	static const char *const words[] = { "nothing", "reachable", "lost" };
	_cleanup_(boot_applied_clear) struct boot_applied applied = {};
	struct system sys = SYSTEM_INIT;
	int r = sysroot_open(NULL, &sys.root);

	for (int i = 0; r == 0 && i < n; i++) {
		r = array_grow(&applied.nics, applied.n, sizeof(*applied.nics));
		if (r == 0)
			applied.nics[applied.n++] = (struct boot_nic){
				.ifindex = (int)if_nametoindex(ifnames[i]),
				.carrier = true,
			};
	}
	if (r == 0)
		r = boot_check_run(&sys, &applied, -1);
	sysroot_close(&sys.root);
	if (r < 0)
		return fail("reachable", r);
	puts(words[r]);
	return 0;
}

/* All numbers that there are, or one: "ring rx 512 1024". */
static int print_params(struct ethtool *et, const char *ifname, const char *group,
			const char *name)
{
	const struct ethtool_param *all;
	size_t n;

	all = ethtool_param_all(&n);
	for (size_t i = 0; i < n; i++) {
		struct ethtool_number number;
		int r;

		if (group && (!streq(ethtool_group_name(all[i].group), group) ||
			      !streq(all[i].name, name)))
			continue;
		r = ethtool_param_get(et, ifname, &all[i], &number);
		if (r == -EOPNOTSUPP && !group)
			continue;
		if (r < 0)
			return fail(group ? name : ifname, r);
		printf("%s %s %u %u\n", ethtool_group_name(all[i].group), all[i].name,
		       number.value, number.max);
	}
	return 0;
}

static int set_param(struct ethtool *et, char **argv)
{
	const struct ethtool_param *p = ethtool_param_find(argv[1], argv[2]);
	int r = p ? ethtool_param_set(et, argv[0], p,
				      (uint32_t)strtoul(argv[3], NULL, 10))
		  : -EINVAL;

	return r < 0 ? fail(argv[2], r) : 0;
}

/* features IF; set IF FEATURE on|off; params IF [GROUP NAME]; param IF GROUP NAME N */
static int run_ethtool(struct ethtool *et, int argc, char **argv)
{
	if (streq(argv[0], "features") && argc == 2)
		return print_features(et, argv[1]);
	if (streq(argv[0], "set") && argc == 4)
		return set_feature(et, argv + 1);
	if (streq(argv[0], "params") && (argc == 2 || argc == 4))
		return print_params(et, argv[1], argc == 4 ? argv[2] : NULL,
				    argc == 4 ? argv[3] : NULL);
	if (streq(argv[0], "param") && argc == 5)
		return set_param(et, argv + 1);
	return 2;
}

/* The ioctl alone. */
static int run_ioctl(int argc, char **argv)
{
	struct ethtool_ioctl io = ETHTOOL_IOCTL_INIT;
	struct ethtool et = { &ethtool_ioctl_ops, &io };
	int r = run_ethtool(&et, argc, argv);

	ethtool_close(&et);
	return r;
}

/*
 * The client on a kernel that lacks commands: "5.6" has those up to LINKSTATE_GET and no
 * features, "set" no SET. That the ioctl was used is a condition.
 */
static int run_without(const char *kernel, int argc, char **argv)
{
	struct ethtool et = { 0 };
	struct ethtool_client *c;
	bool used;
	int r = ethtool_open(&et);

	if (r < 0)
		return fail("ethtool", r);
	c = et.ctx;
	r = ethtool_client_start(c);
	if (r < 0)
		return fail("start", r);
	if (!nl_family_has(&c->family, ETHTOOL_MSG_STRSET_GET) ||
	    !nl_family_has(&c->family, ETHTOOL_MSG_CHANNELS_SET) ||
	    nl_family_has(&c->family, 200))
		return fail("commands of the family", -EPROTO);
	for (uint8_t id = ETHTOOL_MSG_FEATURES_GET; id <= ETHTOOL_MSG_EEE_SET; id++)
		if (streq(kernel, "5.6") || id == ETHTOOL_MSG_FEATURES_SET ||
		    (id > ETHTOOL_MSG_RINGS_GET && id % 2 == 0))
			c->family.commands[0] &= ~(1u << id);
	r = run_ethtool(&et, argc, argv);
	used = c->io.fd >= 0;
	ethtool_close(&et);
	return r == 0 && !used ? fail("not by the ioctl", -EPROTO) : r;
}

static int run_live(int argc, char **argv)
{
	struct ethtool et;
	int r = ethtool_open(&et);

	if (r < 0)
		return fail("ethtool", r);
	r = run_ethtool(&et, argc, argv);
	ethtool_close(&et);
	return r;
}

static bool is_ethtool(const char *command)
{
	return streq(command, "features") || streq(command, "set") ||
	       streq(command, "params") || streq(command, "param");
}

int main(int argc, char **argv)
{
	_cleanup_(nl_close) struct nl nl = { .fd = -1 };
	const char *command = argc > 1 ? argv[1] : "";
	int r;

	if (is_ethtool(command))
		return run_live(argc - 1, argv + 1);
	if (streq(command, "ioctl") && argc > 2)
		return run_ioctl(argc - 2, argv + 2);
	if (streq(command, "without") && argc > 3)
		return run_without(argv[2], argc - 3, argv + 3);
	if (streq(command, "ssh"))
		return print_ssh();
	if (streq(command, "reachable") && argc >= 3)
		return print_reachable(argv + 2, argc - 2);
	r = nl_open(NETLINK_ROUTE, &nl);
	if (r < 0)
		return fail("netlink", r);
	if (streq(command, "addresses"))
		return print_addresses(&nl);
	if (streq(command, "route") && argc == 3)
		return print_route(&nl, argv[2]);
	fprintf(stderr,
		"usage: %s [ioctl | without 5.6|set] features IF | "
		"set IF FEATURE on|off |\n"
		"\tparams IF [GROUP NAME] | param IF GROUP NAME NUMBER\n"
		"       %s addresses | route ADDRESS | ssh | reachable IF...\n",
		argv[0], argv[0]);
	return 2;
}
