// SPDX-License-Identifier: GPL-2.0-or-later
// test-sysctl.c - kernel parameters: names, blanks, rounding, what cannot be changed
#include "board-fixture.h"
#include "knobs/sysctl.h"

#define LONG_TEXT                                                                        \
	"1234567890123456789012345678901234567890123456789012345678901234567890123456"   \
	"1234567890123456789012345678901234567890123456789012345678901234567890123456"   \
	"12345678901234567890123456789012345678901234567" /* 199 bytes */

static const char sysctl_text[] =
	"/proc/sys/net/core/rps_sock_flow_entries = 0\n"
	"!clamp /proc/sys/net/core/rps_sock_flow_entries up 0 128 32768 536870912\n"
	"/proc/sys/net/core/somaxconn = 4096\n"
	"/proc/sys/net/core/default_qdisc = fq_codel\n"
	"!refuse /proc/sys/net/core/default_qdisc ENOENT\n"
	"/proc/sys/net/ipv4/tcp_rmem = 4096\t131072\t6291456\n"
	"/proc/sys/net/ipv4/tcp_congestion_control = cubic\n"
	"/proc/sys/net/ipv4/ip_local_reserved_ports =\n"
	"/proc/sys/net/ipv4/conf/all/rp_filter = 2\n"
	"!accept /proc/sys/net/ipv4/conf/all/rp_filter 0 1 2\n"
	"/proc/sys/net/ipv4/conf/eth0.100/rp_filter = 0\n"
	"/proc/sys/net/ipv4/route/flush = x\n"
	"!unreadable /proc/sys/net/ipv4/route/flush EACCES\n"
	"/proc/sys/net/ipv4/route/flush : 0200\n"
	"/proc/sys/net/ipv4/tcp_available_congestion_control = reno cubic\n"
	"/proc/sys/net/ipv4/tcp_available_congestion_control : 0444\n"
	"/proc/sys/kernel/printk =   4\t4\t1   7  \n"
	"/proc/sys/kernel/sysrq = 438\n"
	"/proc/sys/kernel/ngroups_max = 65536\n"
	"/proc/sys/kernel/ngroups_max : 0444\n"
	"/proc/sys/kernel/core_pattern = " LONG_TEXT "\n"
	"/proc/sys/kernel/longer = " LONG_TEXT "8\n"
	"/proc/sys/kernel/lines <<END\n"
	"one\n"
	"two   three\n"
	"END\n"
	"/proc/sys/kernel/link -> /etc/shadow\n"
	"/proc/sys/kernel/inside -> /proc/sys/kernel/sysrq\n"
	"/proc/sys/kernel/away -> /etc\n"
	"/etc/shadow = root\n";

static const struct setting row = {
	.section = "sysctl", .key = "*", .attr = "*", .type = VALUE_LINE
};

static const char *path_of(const char *key)
{
	static char path[SYSROOT_PATH_MAX];
	int r = sysctl_path(key, path);

	return r < 0 ? errno_name(r) : path;
}

static void test_path(void)
{
	static const char *const cases[][2] = {
		{ "kernel.sysrq", "/proc/sys/kernel/sysrq" },
		{ "kernel/sysrq", "/proc/sys/kernel/sysrq" },
		{ "net.ipv4.conf.eth0/100.rp_filter",
		  "/proc/sys/net/ipv4/conf/eth0.100/rp_filter" },
		{ "net/ipv4/conf/eth0.100/rp_filter",
		  "/proc/sys/net/ipv4/conf/eth0.100/rp_filter" },
		{ "single", "/proc/sys/single" },
		{ "a...b", "EINVAL" },
		{ "a..b", "EINVAL" },
		{ "a//b", "EINVAL" },
		{ "", "EINVAL" },
		{ ".", "EINVAL" },
		{ "/", "EINVAL" },
		{ ".a", "EINVAL" },
		{ "/a", "EINVAL" },
		{ "a.", "EINVAL" },
		{ "a/", "EINVAL" },
		{ "a/../b", "EINVAL" },
		{ "a.//.b", "EINVAL" },
		{ "../a", "EINVAL" },
		{ "a/..", "EINVAL" },
		{ "a/./b", "EINVAL" },
		{ "..", "EINVAL" },
		{ "a/..b", "/proc/sys/a/..b" },
	};
	char key[SYSROOT_PATH_MAX + 1];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_str(path_of(cases[i][0]), cases[i][1], "'%s'", cases[i][0]);
	memset(key, 'a', sizeof(key) - 1);
	key[sizeof(key) - 1] = '\0';
	is_str(path_of(key), "EINVAL", "longer than a path");
}

static struct target target(const char *key)
{
	static char path[SYSROOT_PATH_MAX];

	is_int(sysctl_path(key, path), 0, "%s", key);
	return (struct target) { .name = (char *)key, .path = path };
}

static const char *got(struct system *sys, const char *key)
{
	static char text[VALUE_TEXT_MAX];
	struct target t = target(key);
	struct value v;
	int r = sysctl_get(sys, &row, &t, &v);

	if (r < 0)
		return errno_name(r);
	is_int(v.type, VALUE_LINE, "a line");
	return value_format(&v, text);
}

static int set_to(struct system *sys, const char *key, const char *line)
{
	struct target t = target(key);
	struct value v = value_line(line);

	return sysctl_set(sys, &row, &t, &v);
}

static const char *expected(struct system *sys, const char *key, const char *line)
{
	static char buf[4 * VALUE_WORD_MAX];
	struct target t = target(key);
	struct expectation e;
	struct value v;
	int r = value_parse(VALUE_LINE, line, &v);

	is_int(r, 0, "'%s'", line);
	r = sysctl_expect(sys, &row, &t, &v, &e);
	if (r < 0) {
		snprintf(buf, sizeof(buf), "%s (%s)", errno_name(r), e.note);
		return buf;
	}
	is_str(e.want.word, v.word, "wanted as asked");
	snprintf(buf, sizeof(buf), "%s%s%s%s%s%s%s%s%s", outcome_name(e.outcome),
		 e.fixed ? " fixed" : "", e.error ? " " : "",
		 e.error ? errno_name(e.error) : "", e.rounded.type ? " -> " : "",
		 e.rounded.type ? e.rounded.word : "", e.note[0] ? " (" : "", e.note,
		 e.note[0] ? ")" : "");
	return buf;
}

static void test_each(struct system *sys)
{
	const struct selector sel = { .key = "net.ipv4.conf.eth7.rp_filter",
				      .label = "" },
			      bad = { .key = "net..core", .label = "" };
	struct target_list list = { 0 };

	is_int(sysctl_each(sys, &row, &sel, &list), 0, "each");
	is_int(list.n, 1, "one target, there or not");
	is_str(list.targets[0].name, "net.ipv4.conf.eth7.rp_filter", "as written");
	is_str(list.targets[0].path, "/proc/sys/net/ipv4/conf/eth7/rp_filter", "file");
	is_int(sysctl_each(sys, &row, &bad, &list), -EINVAL, "no name");
	target_list_clear(&list);
}

static void test_get_set(struct system *psys)
{
	struct system sys = *psys;

	is_str(got(&sys, "net.ipv4.tcp_rmem"), "4096 131072 6291456", "tabs are blanks");
	is_str(got(&sys, "kernel.printk"), "4 4 1 7", "single ones, none at the ends");
	is_str(got(&sys, "net.ipv4.ip_local_reserved_ports"), "", "empty");
	is_str(got(&sys, "kernel.lines"), "EILSEQ", "lines would not come back");
	is_str(got(&sys, "kernel.core_pattern"), LONG_TEXT, "as long as can be");
	is_str(got(&sys, "kernel.longer"), "EFBIG", "a byte longer");
	is_str(got(&sys, "net.ipv4.route.flush"), "EACCES", "write-only");
	is_str(got(&sys, "net.ipv4"), "EISDIR", "a directory");
	is_str(got(&sys, "net.none"), "ENOENT", "none");
	is_str(got(&sys, "kernel.link"), "ELOOP", "a link that leaves /proc/sys");
	is_str(got(&sys, "kernel.away/shadow"), "ENOENT", "one part it is");
	is_str(got(&sys, "kernel.away.shadow"), "ELOOP", "a directory that does");
	is_int(set_to(&sys, "kernel.link", "x"), -ELOOP, "nor written");
	is_int(set_to(&sys, "kernel.away.shadow", "x"), -ELOOP, "nor below it");
	is_text("/etc/shadow", "root");
	is_str(got(&sys, "kernel.inside"), "438", "a link that stays");
	is_int(set_to(&sys, "net.ipv4.conf.eth0/100.rp_filter", "1"), 0, "set");
	is_text("/proc/sys/net/ipv4/conf/eth0.100/rp_filter", "1");
	is_int(set_to(&sys, "net.ipv4.ip_local_reserved_ports", "8080,9000-9010"), 0,
	       "set");
	is_int(set_to(&sys, "net.ipv4.ip_local_reserved_ports", ""), 0, "emptied again");
	is_text("/proc/sys/net/ipv4/ip_local_reserved_ports", "");
	is_int(set_to(&sys, "net.ipv4.conf.all.rp_filter", "7"), -EINVAL, "refused");
	is_int(set_to(&sys, "kernel.ngroups_max", "1"), -EACCES, "read-only");
	is_int(set_to(&sys, "net.core.default_qdisc", "none"), -ENOENT,
	       "a module that is not there");
	is_int(outcome_from_errno(&row, -ENOENT), OUTCOME_UNSUPPORTED, "unsupported");
}

static void test_expect(struct system *sys)
{
	const char *unread = "refused EACCES (it cannot be read, so it could not be put "
			     "back)";

	is_str(expected(sys, "net.core.somaxconn", "4096"), "ok", "as it is");
	is_str(expected(sys, "net.ipv4.tcp_rmem", "4096\t 87380 6291456"), "ok",
	       "blanks are blanks");
	is_str(expected(sys, "net.core.rps_sock_flow_entries", "100"),
	       "ok -> 128 (the kernel uses 128)", "to a power of two");
	is_str(expected(sys, "net/core/rps_sock_flow_entries", "32768"), "ok",
	       "one already");
	is_str(expected(sys, "net.core.rps_sock_flow_entries", "0"), "ok", "none");
	is_str(expected(sys, "net.core.rps_sock_flow_entries", "1073741825"),
	       "ERANGE (at most 1073741824 flows)", "EINVAL in every kernel");
	is_int(set_to(sys, "net.core.rps_sock_flow_entries", "100"), 0, "written");
	is_str(got(sys, "net.core.rps_sock_flow_entries"), "128", "and rounded");
	is_str(expected(sys, "net.core.somaxconn", "100"), "ok", "no other is");
	is_str(expected(sys, "kernel.sysrq", "0x1b6"), "ok -> 438", "hex");
	is_str(expected(sys, "kernel.sysrq", "0666"), "ok -> 438", "octal");
	is_str(expected(sys, "kernel.sysrq", "-1"), "ok", "negative");
	is_str(expected(sys, "kernel.sysrq", "on"), "ok", "the kernel's business");
	is_str(expected(sys, "kernel.printk", "3"), "ok -> 3 4 1 7",
	       "what is not written stays");
	is_str(expected(sys, "kernel.printk", "3 4 1 7 9"), "ok", "one too many");
	is_str(expected(sys, "net.ipv4.tcp_congestion_control", "0x10"), "ok",
	       "a word is no number");
	is_str(expected(sys, "net.ipv4.tcp_available_congestion_control", "reno cubic"),
	       "ok fixed", "read-only and as wanted");
	is_str(expected(sys, "net.ipv4.tcp_available_congestion_control", "bbr"),
	       "fixed fixed EACCES (read-only, it is reno cubic)", "and not");
	is_str(expected(sys, "kernel.ngroups_max", "0x10000"), "ok fixed -> 65536",
	       "as wanted in hex");
	is_str(expected(sys, "net.ipv4.route.flush", "1"), unread, "write-only");
	is_str(expected(sys, "kernel.longer", "x"),
	       "refused EFBIG (what is there is longer than 199 bytes and could not be "
	       "put back)",
	       "longer than the record holds");
	is_str(expected(sys, "kernel.link", "x"),
	       "refused ELOOP (it cannot be read, so it could not be put back)", "link");
	is_str(expected(sys, "net.ipv4.conf.eth7.rp_filter", "1"),
	       "missing ENODEV (no interface eth7)", "an interface that is not there");
	is_str(expected(sys, "net.ipv4.conf.eth7/1.rp_filter", "1"),
	       "missing ENODEV (no interface eth7.1)", "a VLAN");
	is_str(expected(sys, "net.ipv4.conf.all.none", "1"),
	       "unsupported ENOENT (this kernel has no such parameter; is it spelt "
	       "so? its module may not be loaded)",
	       "a parameter that is not");
	is_str(expected(sys, "net.ipv6.conf.eth7.none", "1"),
	       "unsupported ENOENT (this kernel has no such parameter; is it spelt "
	       "so? its module may not be loaded)",
	       "a kernel without IPv6");
	is_str(expected(sys, "kernel.sysrq.deeper", "1"),
	       "unsupported ENOENT (this kernel has no such parameter; is it spelt "
	       "so? its module may not be loaded)",
	       "below a file");
	is_str(expected(sys, "net.ipv4.conf.*.rp_filter", "1"),
	       "ERANGE (patterns are not taken here: name each parameter)", "a pattern");
	is_str(expected(sys, "net.ipv4", "1"),
	       "ERANGE (/proc/sys/net/ipv4 is a directory)", "a directory");
}

int main(void)
{
	struct system sys;
	struct fixture f;

	(void)feature;
	(void)fixture_file;
	test_path();
	fixture_open(&f);
	open_text(&f, sysctl_text, &sys);
	test_each(&sys);
	test_get_set(&sys);
	test_expect(&sys);
	system_close(&sys);
	fixture_close(&f);
	return done();
}
