// SPDX-License-Identifier: GPL-2.0-or-later
// test-gate.c - peers as users write them, resolving without a network, links in sysfs
#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "measure/gate.h"
#include "tap.h"

static const struct {
	const char *text, *host; /* host NULL: refused */
	unsigned port;
} peers[] = {
	{ "router", "router", 5201 },
	{ "router:80", "router", 80 },
	{ "192.0.2.1", "192.0.2.1", 5201 },
	{ "192.0.2.1:65535", "192.0.2.1", 65535 },
	{ "2001:db8::1", "2001:db8::1", 5201 },
	{ "[2001:db8::1]", "2001:db8::1", 5201 },
	{ "[2001:db8::1]:443", "2001:db8::1", 443 },
	{ "[fe80::1%eth0]:443", "fe80::1%eth0", 443 },
	{ "fe80::1%eth0", "fe80::1%eth0", 5201 },
	{ "", NULL, 0 },
	{ ":80", NULL, 0 },
	{ "router:", NULL, 0 },
	{ "router:0", NULL, 0 },
	{ "router:65536", NULL, 0 },
	{ "router:000080", NULL, 0 },
	{ "router:8o", NULL, 0 },
	{ "[2001:db8::1", NULL, 0 },
	{ "[2001:db8::1]80", NULL, 0 },
	{ "[]:80", NULL, 0 },
	{ "two words", NULL, 0 },
};

static void test_parse(void)
{
	char longest[400];

	for (size_t i = 0; i < ARRAY_SIZE(peers); i++) {
		struct gate_peer peer = { .host = "as it was", .port = 7 };
		int r = gate_peer_parse(peers[i].text, GATE_PORT, &peer);

		if (!peers[i].host) {
			ok(r == -EINVAL && strcmp(peer.host, "as it was") == 0 &&
				   peer.port == 7,
			   "\"%s\" is refused", peers[i].text);
			continue;
		}
		ok(r == 0 && strcmp(peer.host, peers[i].host) == 0 &&
			   peer.port == peers[i].port,
		   "\"%s\" is %s port %u", peers[i].text, peer.host, peer.port);
	}
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	is_int(gate_peer_parse(longest, 1, &(struct gate_peer){}), -EINVAL,
	       "a name of 399 bytes is refused");
}

static void test_resolve(const struct sysroot *root)
{
	char text[GATE_TEXT_MAX] = "";
	struct gate_ways ways = {};
	struct gate_peer peer = { "127.0.0.1", 5201 };

	is_int(gate_resolve(&peer, &ways, text), 0, "an IPv4 address");
	ok(ways.ipv4.there && !ways.ipv6.there, "is of one family");
	is_str(ways.ipv4.text, "127.0.0.1", "and can be printed");
	is_int(ntohs(((struct sockaddr_in *)&ways.ipv4.address)->sin_port), 5201, "port");
	is_int(gate_route(&ways.ipv4), 0, "it has a route");
	is_str(ways.ipv4.ifname, "lo", "by the loopback");
	ok(ways.ipv4.local, "to this machine");
	is_int(gate_addressed(root, ways.ipv4.ifname), 1, "which has an address");
	is_int(gate_addressed(root, "gone0"), 0, "no interface has none");

	snprintf(peer.host, sizeof(peer.host), "fe80::1");
	is_int(gate_resolve(&peer, &ways, text), -ENXIO, "link-local without a scope");
	ok(strstr(text, "fe80::1%eth0") != NULL, "is told how to write it (%s)", text);
	snprintf(peer.host, sizeof(peer.host), "fe80::1%%lo");
	is_int(gate_resolve(&peer, &ways, text), 0, "with one it resolves");
	is_int(((struct sockaddr_in6 *)&ways.ipv6.address)->sin6_scope_id,
	       if_nametoindex("lo"), "and keeps it");
	snprintf(peer.host, sizeof(peer.host), "300.0.0.1..");
	is_int(gate_resolve(&peer, &ways, text), -EHOSTUNREACH, "a name that is none");
	ok(strstr(text, "300.0.0.1") != NULL, "is named (%s)", text);
}

static void file_make(const struct sysroot *root, const char *dir, const char *name,
		      const char *text)
{
	char path[SYSROOT_PATH_MAX];

	sysroot_mkdir_all(root, dir, 0755);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	sysroot_replace(root, path, text, strlen(text), 0644);
}

/* br0 over vlan (eth0.5 over eth0) and eth1; eth0 is physical. */
static void test_links(const struct sysroot *root)
{
	file_make(root, "/sys/class/net/eth0", "carrier", "1\n");
	file_make(root, "/sys/class/net/eth0", "speed", "1000\n");
	file_make(root, "/sys/class/net/eth0/device", "vendor", "0x10ec\n");
	file_make(root, "/sys/class/net/eth1", "carrier", "0\n");
	file_make(root, "/sys/class/net/eth1", "speed", "-1\n");
	file_make(root, "/sys/class/net/eth1/device", "vendor", "0x10ec\n");
	file_make(root, "/sys/class/net/veth0", "speed", "10000\n");
	file_make(root, "/sys/class/net/br0/lower_eth0.5", "ifindex", "5\n");
	file_make(root, "/sys/class/net/br0/lower_eth1", "ifindex", "3\n");
	file_make(root, "/sys/class/net/eth0.5/lower_eth0", "ifindex", "2\n");
	file_make(root, "/sys/class/net/loop0/lower_loop0", "ifindex", "9\n");

	ok(gate_carries(root, "eth0", "eth0"), "an interface carries itself");
	ok(gate_carries(root, "br0", "eth1"), "a bridge its port");
	ok(gate_carries(root, "br0", "eth0"), "and what is below its VLAN");
	ok(!gate_carries(root, "eth0", "br0"), "not the other way round");
	ok(!gate_carries(root, "eth1", "eth0"), "nor a neighbour");
	ok(!gate_carries(root, "gone0", "eth0"), "nor one that is not there");
	ok(!gate_carries(root, "loop0", "eth0"), "a loop of links ends");
	ok(gate_carrier(root, "eth0") && !gate_carrier(root, "eth1") &&
		   !gate_carrier(root, "gone0"),
	   "carrier");
	is_near(gate_line_rate(root, "eth0"), 1000, 0, "speed of a physical link");
	is_near(gate_line_rate(root, "eth1"), 0, 0, "an unknown speed");
	is_near(gate_line_rate(root, "veth0"), 0, 0, "a virtual link has none");
	is_near(gate_line_rate(root, "br0"), 1000, 0, "a bridge has that of its port");
	is_near(gate_line_rate(root, "eth0.5"), 1000, 0, "a VLAN that of its NIC");
}

static void test_leaves(const struct sysroot *root)
{
	struct sample_nics nics = { .n = 7 };

	is_int(gate_leaves(root, "br0", &nics), 0, "what is below a bridge");
	ok(nics.n == 2 && strcmp(nics.names[0], "eth0") == 0 &&
		   strcmp(nics.names[1], "eth1") == 0,
	   "goes through the VLAN");
	is_int(gate_leaves(root, "eth1", &nics), 0, "below a NIC");
	ok(nics.n == 1 && strcmp(nics.names[0], "eth1") == 0, "is itself");
	is_int(gate_leaves(root, "loop0", &nics), 0, "a loop of links ends");
	for (unsigned i = 0; i < SAMPLE_NICS_MAX + 1; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/class/net/docker0/lower_veth%u", i);
		file_make(root, path, "ifindex", "7\n");
	}
	is_int(gate_leaves(root, "docker0", &nics), -E2BIG, "too many ports are refused");
	is_int(nics.n, 1, "and leave the result alone");
}

static void test_raw(void)
{
	ok(gate_bind_needs_raw("4.19.0-21-arm64") && gate_bind_needs_raw("5.6.19") &&
		   gate_bind_needs_raw("odd"),
	   "before 5.7 SO_BINDTODEVICE needs CAP_NET_RAW");
	ok(!gate_bind_needs_raw("5.7.0") && !gate_bind_needs_raw("5.10.0-8-armmp") &&
		   !gate_bind_needs_raw("6.1.53-current-sunxi64") &&
		   !gate_bind_needs_raw("6.18"),
	   "since then not");
}

static void test_sleep(void)
{
	double start = now_monotonic();
	int fds[2];

	is_int(gate_sleep(0.05, -1), 0, "sleep");
	ok(now_monotonic() - start >= 0.05, "as long as asked");
	if (pipe2(fds, O_CLOEXEC) < 0 || write(fds[1], "x", 1) != 1)
		return (void)ok(false, "a pipe");
	start = now_monotonic();
	is_int(gate_sleep(60, fds[0]), -EINTR, "a signal wakes it");
	ok(now_monotonic() - start < 30, "at once");
	close(fds[0]);
	close(fds[1]);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

int main(void)
{
	char dir[] = "/tmp/test-gate-XXXXXX";
	struct sysroot root = SYSROOT_INIT;

	test_parse();
	test_sleep();
	test_raw();
	if (!mkdtemp(dir) || sysroot_open(dir, &root) < 0)
		return ok(false, "a directory"), done();
	test_resolve(&root);
	test_links(&root);
	test_leaves(&root);
	sysroot_close(&root);
	is_int(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0, "cleaned up");
	return done();
}
