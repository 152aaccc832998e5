// SPDX-License-Identifier: GPL-2.0-or-later
// test-fixtures.c - the recorded boards of the tests load, act and are saved as they are
#include "board/board.h"
#include "fixture.h"
#include "tap.h"

#define POLICY "/sys/devices/system/cpu/cpufreq/policy0/"
#define POLICY1 "/sys/devices/system/cpu/cpufreq/policy1/"
#define CPUFREQ "/sys/devices/system/cpu/cpufreq/"

static void open_board(const char *name, char **ret_path, struct system *ret)
{
	const char *srcdir = getenv("srcdir");
	struct board_error error = { 0 };

	*ret = (struct system)SYSTEM_INIT;
	*ret_path = str_format("%s/tests/boards/%s.board", srcdir ? srcdir : ".", name);
	if (!*ret_path || board_open_recording(*ret_path, ret, &error) < 0) {
		printf("Bail out! %s:%u: %s\n", *ret_path, error.line, error.text);
		exit(1);
	}
}

/* A file of this machine, to be freed. */
static char *file_text(const char *file)
{
	struct sysroot root = SYSROOT_INIT;
	_cleanup_free_ char *real = realpath(file, NULL);
	char *text = NULL;

	if (!real || sysroot_open("/", &root) < 0 ||
	    sysroot_read_all(&root, real, &text) < 0)
		fixture_fail(file);
	sysroot_close(&root);
	return text;
}

static void is_text(struct system *sys, const char *path, const char *want)
{
	char text[4096];
	ssize_t n = sysroot_read(&sys->root, path, text, sizeof(text));

	is_str(n < 0 ? errno_name((int)n) : text, want, "%s", path);
}

static void write_text(struct system *sys, const char *path, const char *text)
{
	is_int(sysroot_write(&sys->root, path, text), 0, "%s <- %s", path, text);
}

/* Before anything is written. */
static void test_saved(struct fixture *f, struct system *sys, const char *path)
{
	_cleanup_free_ char *before = file_text(path), *after = NULL;
	char file[128];

	fixture_file(f, "/saved.board", "what was there before is gone");
	snprintf(file, sizeof(file), "%s/saved.board", f->dir);
	is_int(board_save(sys, file), 0, "%s is saved", path);
	after = file_text(file);
	is_str(after, before, "byte for byte");
}

static void test_neo2(struct fixture *f)
{
	_cleanup_free_ char *path = NULL;
	struct system sys;

	open_board("nanopi-neo2", &path, &sys);
	test_saved(f, &sys, path);
	write_text(&sys, POLICY "scaling_min_freq", "480000");
	is_text(&sys, POLICY "scaling_min_freq", "648000");
	write_text(&sys, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_max_freq",
		   "1010000");
	is_text(&sys, POLICY "scaling_max_freq", "1008000");
	is_text(&sys, CPUFREQ "schedutil/rate_limit_us", "ENOENT");
	is_text(&sys, CPUFREQ "ondemand/up_threshold", "95");
	write_text(&sys, POLICY "scaling_governor", "schedutil");
	is_text(&sys, CPUFREQ "schedutil/rate_limit_us", "2000");
	is_text(&sys, CPUFREQ "ondemand/up_threshold", "ENOENT");
	is_text(&sys, "/sys/class/thermal/thermal_zone0/cdev0/type", "cpufreq-cpu0");
	ok(!sysroot_writable(&sys.root,
			     "/sys/class/thermal/thermal_zone0/trip_point_0_temp"),
	   "trips of 6.1 are read-only");
	is_text(&sys, "/sys/class/net/eth0/device/net/eth0/ifindex", "2");
	is_text(&sys, "/sys/class/net/eth0/queues/tx-0/xps_cpus", "ENOENT");
	write_text(&sys, "/proc/irq/41/smp_affinity_list", "2");
	is_text(&sys, "/proc/irq/41/smp_affinity", "4");
	is_text(&sys, "/proc/irq/41/effective_affinity_list", "2");
	system_close(&sys);
}

static bool is_active(struct system *sys, const char *ifname, const char *name)
{
	static struct ethtool_features features;
	const struct ethtool_feature *found;

	if (ethtool_features_get(&sys->ethtool, ifname, &features) < 0)
		fixture_fail(ifname);
	found = ethtool_feature_find(&features, name);
	return found && found->active;
}

static void test_neo3(struct fixture *f)
{
	_cleanup_free_ char *path = NULL;
	struct system sys;
	char real[SYSROOT_PATH_MAX];

	open_board("nanopi-neo3", &path, &sys);
	test_saved(f, &sys, path);
	is_text(&sys, "/sys/class/thermal/thermal_zone0/temp", "82000");
	is_int(sysroot_realpath(&sys.root, "/sys/class/net/eth1/device/driver", real), 0,
	       "the USB NIC has a driver");
	is_str(real, "/sys/bus/usb/drivers/r8152", "r8152");
	ok(is_active(&sys, "eth1", "tx-tcp-segmentation"), "which has TSO");
	ok(!is_active(&sys, "eth0", "tx-tcp-segmentation"), "the onboard one has not");
	is_int(ethtool_feature_set(&sys.ethtool, "eth1", "tx-checksum-ipv4", false), 0,
	       "without IPv4 checksums");
	ok(!is_active(&sys, "eth1", "tx-tcp-segmentation"), "there is no TSO");
	ok(is_active(&sys, "eth1", "tx-tcp6-segmentation"), "but that of IPv6");
	system_close(&sys);
}

static void test_x86(struct fixture *f)
{
	_cleanup_free_ char *path = NULL;
	struct system sys;

	open_board("x86-minipc", &path, &sys);
	test_saved(f, &sys, path);
	ok(!is_active(&sys, "enp1s0", "tx-generic-segmentation"),
	   "r8169 starts without scatter-gather, so without GSO");
	is_int(ethtool_feature_set(&sys.ethtool, "enp1s0", "tx-scatter-gather", true), 0,
	       "with it");
	ok(is_active(&sys, "enp1s0", "tx-generic-segmentation"), "GSO comes by itself");
	write_text(&sys, POLICY "scaling_governor", "performance");
	is_text(&sys, CPUFREQ "schedutil/rate_limit_us", "1000");
	write_text(&sys, POLICY1 "scaling_governor", "performance");
	is_text(&sys, CPUFREQ "schedutil/rate_limit_us", "1000");
	write_text(&sys, CPUFREQ "policy2/scaling_governor", "performance");
	write_text(&sys, CPUFREQ "policy3/scaling_governor", "performance");
	is_text(&sys, CPUFREQ "schedutil/rate_limit_us", "ENOENT");
	is_int(sysroot_write(&sys.root, "/proc/irq/0/smp_affinity_list", "1"), -EIO,
	       "the timer cannot be moved");
	system_close(&sys);
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_neo2(&f);
	test_neo3(&f);
	test_x86(&f);
	fixture_close(&f);
	return done();
}
