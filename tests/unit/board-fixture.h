/* SPDX-License-Identifier: GPL-2.0-or-later */
/* board-fixture.h - a recorded board with every rule, and short ways to ask and write */
#ifndef BOARDTUNE_BOARD_FIXTURE_H
#define BOARDTUNE_BOARD_FIXTURE_H

#include <fcntl.h>

#include "board/board.h"
#include "fixture.h"
#include "tap.h"

#define POLICY "/sys/devices/system/cpu/cpufreq/policy0"
#define ONDEMAND "/sys/devices/system/cpu/cpufreq/ondemand"

static const char board_text[] =
	"# a comment\n"
	"/sys/devices/system/cpu/online = 0-3\n"
	"\n"
	"/empty =\n"
	"/none :=\n"
	"/bytes := a\\0b\\x41\\\\\\n\n"
	"/blanks = two  \n"
	"/lines <<END\n"
	"one\\n\n"
	"two\n"
	"END\n"
	"/dir/sub/\n"
	"/etc/link -> /dir/../lines\n"
	"/readonly = 1\n"
	"/readonly : 0444\n"
	"/secret = 1\n"
	"/secret : 0200\n"
	"/bad = 1\n"
	"!unreadable /bad ENODATA\n"
	"/no = 1\n"
	"!refuse /no EIO\n"
	"/word = off\n"
	"!accept /word on off\n"
	"/down = 600\n"
	"!clamp /down down 408 600 800\n"
	"/up = 600\n"
	"!clamp /up up 408 600 800\n"
	"/min = 100\n"
	"/max = 200\n"
	"!order /min /max EINVAL\n"
	"/mask = 00\n"
	"!bitmap /mask 6\n"
	"/wide = 0,00000000\n"
	"!bitmap /wide 33\n"
	"/slow = old\n"
	"!delay /slow 60\n"
	"/proc/irq/9/smp_affinity = f\n"
	"/proc/irq/9/smp_affinity_list = 0-3\n"
	"/proc/irq/9/effective_affinity_list = 0\n"
	"!follow /proc/irq/9/effective_affinity_list /proc/irq/9/smp_affinity first\n"
	"/copy/mask = f\n"
	"/copy/list = 0-3\n"
	"!follow /copy/mask /proc/irq/9/smp_affinity mask\n"
	"!follow /copy/list /proc/irq/9/smp_affinity_list list\n"
	"/trigger = 0\n"
	"/other = keep\n"
	"!on /trigger reset /other\n" POLICY "/scaling_governor = ondemand\n" ONDEMAND
	"/up_threshold = 95\n" ONDEMAND "/io_is_busy = 0\n"
	"!exists " ONDEMAND " while " POLICY "/scaling_governor = ondemand\n"
	"/sys/class/net/eth0/ifindex = 2\n"
	"@ethtool eth0 feature tx-scatter-gather = on\n"
	"@ethtool eth0 feature tx-checksum-ipv4 =  on\n"
	"@ethtool eth0 feature tx-tcp-segmentation = on\n"
	"@ethtool eth0 feature tx-generic-segmentation = on\n"
	"@ethtool eth0 feature rx-lro = off [fixed]\n"
	"@ethtool eth0 feature rx-checksum = on\n"
	"@ethtool eth0 feature rx-gro = on\n"
	"@ethtool eth0 feature rx-vlan-hw-parse = on [requested off]\n"
	"!refuse @ethtool eth0 feature rx-gro EOPNOTSUPP\n"
	"@ethtool eth0 ring rx = 512 max 1024\n"
	"# the end";

__attribute__((unused)) static void write_text(const char *file, const char *text)
{
	_cleanup_close_ int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				      0644);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fixture_fail(file);
}

/* The text of a file of this machine, in a buffer of the test. */
__attribute__((unused)) static const char *file_text(const char *file)
{
	static char text[65536];
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		fixture_fail(file);
	text[n] = '\0';
	return text;
}

static void in_dir(const struct fixture *f, const char *name, char ret[static 128])
{
	snprintf(ret, 128, "%s/%s", f->dir, name);
}

static void open_text(struct fixture *f, const char *text, struct system *ret)
{
	struct board_error error = { 0 };
	char file[128];

	in_dir(f, "test.board", file);
	write_text(file, text);
	*ret = (struct system)SYSTEM_INIT;
	if (board_open_recording(file, ret, &error) < 0) {
		printf("Bail out! line %u: %s\n", error.line, error.text);
		exit(1);
	}
}

__attribute__((unused)) static const char *text_of(struct system *sys, const char *path)
{
	static char text[4][512];
	static unsigned next;
	char *buf = text[next++ % 4];
	ssize_t n = sysroot_read(&sys->root, path, buf, sizeof(text[0]));

	return n < 0 ? errno_name(n) : buf;
}

#define is_write(path, value, want)                                                      \
	is_int(sysroot_write(&sys.root, path, value), want, "%s <- '%s'", path, value)
#define is_text(path, want) is_str(text_of(&sys, path), want, "%s is '%s'", path, want)

/* "A w" for active and not wanted, "- W", ... */
__attribute__((unused)) static const char *feature(struct system *sys,
							   const char *name)
{
	static struct ethtool_features features;
	const struct ethtool_feature *f;
	static const char *const states[] = { "- w", "- W", "A w", "A W" };

	if (ethtool_features_get(&sys->ethtool, "eth0", &features) < 0)
		return "failed";
	f = ethtool_feature_find(&features, name);
	return f ? states[f->active * 2 + f->wanted] : "none";
}

#define is_set(name, on, want)                                                           \
	is_int(ethtool_feature_set(&sys.ethtool, "eth0", name, on), want, "%s %d", name, \
	       on)
#define is_feature(name, want) is_str(feature(&sys, name), want, "%s is %s", name, want)

#endif
