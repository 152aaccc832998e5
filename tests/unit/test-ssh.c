// SPDX-License-Identifier: GPL-2.0-or-later
// test-ssh.c - SSH sessions in a recorded /proc, devices below an interface
#include <arpa/inet.h>

#include "engine/ssh.h"
#include "fixture.h"
#include "tap.h"

#define TCP_HEAD                                                                         \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   " \
	"uid  timeout inode\n"

static bool is_session(const struct ssh_session *s, const char *local, const char *peer)
{
	char text[INET6_ADDRSTRLEN];

	return streq(inet_ntop(s->family, s->local, text, sizeof(text)), local) &&
	       streq(inet_ntop(s->family, s->peer, text, sizeof(text)), peer);
}

static bool has_session(const struct ssh_sessions *sessions, const char *local,
			const char *peer)
{
	for (size_t i = 0; i < sessions->n; i++)
		if (is_session(&sessions->items[i], local, peer))
			return true;
	return false;
}

static void add_process(struct fixture *f, unsigned pid, unsigned parent,
			const char *comm)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	snprintf(text, sizeof(text), "Name:\t%s\nUmask:\t0022\nPid:\t%u\nPPid:\t%u\n",
		 comm, pid, parent);
	fixture_file(f, path, text);
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	snprintf(text, sizeof(text), "%s\n", comm);
	fixture_file(f, path, text);
}

static void add_environment(struct fixture *f, unsigned pid, const char *data,
			    size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/environ", pid);
	fixture_data(f, path, data, size);
}

static void test_environment(void)
{
	static const char env4[] =
		"HOME=/root\0SSH_CONNECTION=192.0.2.9 50122 192.0.2.1 22\0"
		"XSSH_CONNECTION=no\0";
	static const char env6[] = "SSH_CONNECTION=fe80::9%lo 50122 fe80::1%lo 22";
	static const char bad[] = "SSH_CONNECTION=192.0.2.9 50122 fe80::1 22\0";
	struct ssh_sessions sessions = { 0 };
	struct fixture f;

	fixture_open(&f);
	is_int(ssh_sessions_find(&f.sys.root, 100, &sessions), 0, "no /proc at all");
	is_int(sessions.n, 0, "no session");
	add_process(&f, 100, 90, "boardtune");
	add_environment(&f, 100, "HOME=/root\0", 11);
	add_process(&f, 90, 80, "sudo");
	add_process(&f, 80, 1, "bash");
	add_environment(&f, 80, env4, sizeof(env4) - 1);
	add_process(&f, 1, 0, "systemd");
	add_process(&f, 70, 1, "bash");
	add_environment(&f, 70, env6, sizeof(env6) - 1);
	is_int(ssh_sessions_find(&f.sys.root, 100, &sessions), 0, "through sudo");
	is_int(sessions.n, 1, "one session");
	ok(sessions.n && is_session(&sessions.items[0], "192.0.2.1", "192.0.2.9"),
	   "both ends");
	ssh_sessions_clear(&sessions);
	is_int(ssh_sessions_find(&f.sys.root, 70, &sessions), 0, "link-local");
	ok(sessions.n == 1 && is_session(&sessions.items[0], "fe80::1", "fe80::9"),
	   "IPv6");
	is_int(sessions.n ? sessions.items[0].scope : 0, 1, "its scope");
	ssh_sessions_clear(&sessions);
	add_environment(&f, 80, bad, sizeof(bad) - 1);
	is_int(ssh_sessions_find(&f.sys.root, 100, &sessions), 0, "two families");
	is_int(sessions.n, 0, "is no session");
	add_process(&f, 80, 100, "bash");
	is_int(ssh_sessions_find(&f.sys.root, 100, &sessions), 0,
	       "a loop of parents ends");
	ssh_sessions_clear(&sessions);
	fixture_close(&f);
}

/* The tables print words of this machine's byte order; these are little-endian ones. */
static void test_sockets(void)
{
	struct ssh_sessions sessions = { 0 };
	struct fixture f;

	fixture_open(&f);
	add_process(&f, 500, 1, "sshd-session");
	fixture_link(&f, "/proc/500/fd/0", "/dev/null");
	fixture_link(&f, "/proc/500/fd/3", "socket:[1111]");
	fixture_link(&f, "/proc/500/fd/4", "socket:[4444]");
	add_process(&f, 600, 1, "dropbear");
	fixture_link(&f, "/proc/600/fd/5", "socket:[2222]");
	add_process(&f, 700, 1, "nginx");
	fixture_link(&f, "/proc/700/fd/5", "socket:[3333]");
	fixture_file(
		&f, "/proc/net/tcp",
		TCP_HEAD
		"   0: 010200C0:0016 090200C0:C3CA 01 00000000:00000000 02:000A 00000000 "
		"    0        0 1111 4 0 20 4 29 10 -1\n"
		"   1: 020200C0:0050 090200C0:C3CB 01 00000000:00000000 02:000A 00000000 "
		"    0        0 3333 4 0 20 4 29 10 -1\n"
		"   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:0000 00000000 "
		"    0        0 4444 1 0 100 0 0 10 0\n");
	fixture_file(&f, "/proc/net/tcp6", TCP_HEAD
		     "   0: 0000000000000000FFFF0000030200C0:0016 "
		     "0000000000000000FFFF0000090200C0:C3CC 01 00000000:00000000 02:000A "
		     "00000000     0        0 2222 4 0 20 4 29 10 -1\n"
		     "   1: B80D0120000000000000000001000000:0016 "
		     "B80D0120000000000000000009000000:C3CC 01 00000000:00000000 02:000A "
		     "00000000     0        0 2222 4 0 20 4 29 10 -1\n"
		     "   2: B80D0120:0016 broken\n");
	is_int(ssh_sessions_find(&f.sys.root, 1, &sessions), 0, "sockets");
	is_int(sessions.n, 3, "three sessions");
	ok(has_session(&sessions, "192.0.2.1", "192.0.2.9"), "of sshd");
	ok(has_session(&sessions, "192.0.2.3", "192.0.2.9"),
	   "IPv4 through an IPv6 socket");
	ok(has_session(&sessions, "2001:db8::1", "2001:db8::9"), "IPv6");
	ok(!has_session(&sessions, "192.0.2.2", "192.0.2.9"), "not of nginx");
	ok(!has_session(&sessions, "0.0.0.0", "0.0.0.0"), "not the listening socket");
	ssh_sessions_clear(&sessions);
	fixture_close(&f);
}

static void add_link(struct fixture *f, const char *name, const char *ifindex,
		     const char *lower)
{
	char path[128], to[128];

	snprintf(path, sizeof(path), "/sys/class/net/%s/ifindex", name);
	fixture_file(f, path, ifindex);
	if (!lower)
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/lower_%s", name, lower);
	snprintf(to, sizeof(to), "../%s", lower);
	fixture_link(f, path, to);
}

static void test_lower(void)
{
	struct ssh_links links = { 0 };
	struct fixture f;

	fixture_open(&f);
	add_link(&f, "eth0", "2\n", NULL);
	add_link(&f, "eth1", "3\n", NULL);
	add_link(&f, "bond0", "4\n", "eth0");
	add_link(&f, "br0", "5\n", "bond0.7");
	add_link(&f, "br0", "5\n", "eth1");
	add_link(&f, "bond0.7", "6\n", "bond0");
	add_link(&f, "wan", "7\n", NULL);
	is_int(ssh_links_add_lower(&f.sys.root, 5, &links), 0, "a bridge");
	is_int(links.n, 5, "bridge, VLAN, bond, two ports");
	ok(ssh_links_have(&links, 5) && ssh_links_have(&links, 6) &&
		   ssh_links_have(&links, 4) && ssh_links_have(&links, 2) &&
		   ssh_links_have(&links, 3),
	   "each of them");
	ok(!ssh_links_have(&links, 7), "not the other one");
	is_int(ssh_links_add_lower(&f.sys.root, 4, &links), 0, "again a part");
	is_int(links.n, 5, "each once");
	is_int(ssh_links_add_lower(&f.sys.root, 99, &links), -ENODEV,
	       "no such interface");
	links.n = 0;
	add_link(&f, "eth0", "2\n", "br0");
	is_int(ssh_links_add_lower(&f.sys.root, 5, &links), 0, "a loop ends");
	is_int(links.n, 5, "with each once");
	for (links.n = 0; links.n < SSH_LINKS_MAX; links.n++)
		links.ifindex[links.n] = 1000 + (int)links.n;
	is_int(ssh_links_add_lower(&f.sys.root, 2, &links), -E2BIG, "no room");
	fixture_close(&f);
}

static void test_other_board(void)
{
	struct ssh_links links = { .n = 9 };
	struct fixture f;

	fixture_open(&f);
	is_int(ssh_interfaces(&f.sys, &links), 0, "not the running system");
	is_int(links.n, 0, "carries no session");
	fixture_close(&f);
}

int main(void)
{
	test_environment();
	if (htonl(1) != 1)
		test_sockets();
	else
		ok(true, "sockets # SKIP the recorded tables are little-endian");
	test_lower();
	test_other_board();
	return done();
}
