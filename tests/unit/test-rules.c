// SPDX-License-Identifier: GPL-2.0-or-later
// test-rules.c - files and NICs of a recorded board act by its rules
#include <time.h>

#include "board-fixture.h"

static void test_errors(struct fixture *f)
{
	struct board_error error = { 0 };
	struct system sys = SYSTEM_INIT;
	_cleanup_close_ int fd = -1;
	char file[128];

	in_dir(f, "nul.board", file);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, "/a = 1\n/b = \0\n", 14) != 14)
		fixture_fail(file);
	is_int(board_open_recording(file, &sys, &error), -EBADMSG, "a NUL byte");
	is_int(error.line, 2, "in line 2");
	ok(!sys.board && sys.root.fd == -1, "the result is untouched");
	in_dir(f, "reset.board", file);
	fixture_file(f, "/reset.board", "/a = 1\n!on /a reset /b\n");
	is_int(board_open_recording(file, &sys, &error), -EBADMSG, "no file to reset");
	is_str(error.text, "'/b' is no file of this board: nothing to reset", "says so");
	is_int(error.line, 2, "in line 2");
	in_dir(f, "nowhere.board", file);
	is_int(board_open_recording(file, &sys, &error), -ENOENT, "no such file");
	is_int(board_open_recording(f->dir, &sys, &error), -EISDIR, "a directory");
}

static void test_entries(struct fixture *f)
{
	struct system sys;
	_cleanup_free_ char *bytes = NULL;

	open_text(f, board_text, &sys);
	is_text("/sys/devices/system/cpu/online", "0-3");
	is_int(sysroot_read_all(&sys.root, "/bytes", &bytes), 6, "six bytes");
	ok(bytes && memcmp(bytes, "a\0bA\\\n", 6) == 0, "with escapes");
	free(TAKE_PTR(bytes));
	is_int(sysroot_read_all(&sys.root, "/empty", &bytes), 1, "'=': one newline");
	free(TAKE_PTR(bytes));
	is_int(sysroot_read_all(&sys.root, "/none", &bytes), 0, "':=': an empty file");
	free(TAKE_PTR(bytes));
	is_int(sysroot_read_all(&sys.root, "/blanks", &bytes), 6,
	       "trailing blanks count");
	is_text("/etc/link", "one\\n\ntwo");
	ok(sysroot_exists(&sys.root, "/dir/sub"), "an empty directory");
	is_write("/readonly", "2", -EACCES);
	is_text("/readonly", "1");
	ok(!sysroot_writable(&sys.root, "/readonly"), "0444: not writable");
	is_text("/secret", "EACCES");
	is_text("/bad", "ENODATA");
	is_write("/no", "2", -EIO);
	is_text("/no", "1");
	is_write("/word", "maybe", -EINVAL);
	is_write("/word", "on\n", 0);
	is_text("/word", "on");
	is_write("/nowhere", "1", -ENOENT);
	system_close(&sys);
}

static void test_numbers(struct fixture *f)
{
	static const struct {
		const char *path, *write, *read;
	} clamps[] = {
		{ "/down", "700", "600" },  { "/down", "800", "800" },
		{ "/down", "9999", "800" }, { "/down", "1", "408" },
		{ "/up", "601", "800" },    { "/up", "408", "408" },
		{ "/up", "9999", "800" },   { "/up", "-5", "408" },
	};
	struct system sys;

	open_text(f, board_text, &sys);
	for (size_t i = 0; i < ARRAY_SIZE(clamps); i++) {
		is_write(clamps[i].path, clamps[i].write, 0);
		is_text(clamps[i].path, clamps[i].read);
	}
	is_write("/up", "fast", -EINVAL);
	is_write("/min", "201", -EINVAL);
	is_write("/max", "99", -EINVAL);
	is_text("/min", "100");
	is_write("/max", "300", 0);
	is_write("/min", "300", 0);
	is_text("/min", "300");
	system_close(&sys);
}

static void test_masks(struct fixture *f)
{
	struct system sys;

	open_text(f, board_text, &sys);
	is_write("/mask", "3", 0);
	is_text("/mask", "03");
	is_write("/mask", "40", -EOVERFLOW);
	is_write("/mask", "0,03", -EOVERFLOW);
	is_write("/mask", "0x3", -EINVAL);
	is_write("/mask", "g", -EINVAL);
	is_write("/mask", "00000003f", -EOVERFLOW);
	is_text("/mask", "03");
	is_write("/mask", "", 0);
	is_text("/mask", "00");
	is_write("/wide", "1,00000002\n", 0);
	is_text("/wide", "1,00000002");
	is_write("/wide", "2,0", -EOVERFLOW);
	is_write("/proc/irq/9/smp_affinity", "a", 0);
	is_text("/proc/irq/9/smp_affinity_list", "1,3");
	is_text("/proc/irq/9/effective_affinity_list", "1");
	is_text("/copy/mask", "a");
	is_write("/proc/irq/9/smp_affinity_list", "2-3", 0);
	is_text("/proc/irq/9/smp_affinity", "c");
	is_text("/proc/irq/9/effective_affinity_list", "2");
	is_text("/copy/list", "2-3");
	is_write("/proc/irq/9/smp_affinity_list", "4", -ERANGE);
	is_write("/proc/irq/9/smp_affinity_list", "3-2", -EINVAL);
	is_write("/proc/irq/9/smp_affinity", "0", -EINVAL);
	is_write("/proc/irq/9/smp_affinity", "10", -EOVERFLOW);
	is_text("/proc/irq/9/smp_affinity", "c");
	system_close(&sys);
}

static void test_time(struct fixture *f)
{
	const struct timespec wait = { .tv_nsec = 70 * 1000 * 1000 };
	struct system sys;

	open_text(f, board_text, &sys);
	is_write("/slow", "new", 0);
	is_text("/slow", "old");
	nanosleep(&wait, NULL);
	is_text("/slow", "new");
	system_close(&sys);
}

static void test_coming_and_going(struct fixture *f)
{
	_cleanup_list_ char **names = NULL;
	struct system sys;

	open_text(f, board_text, &sys);
	is_write("/other", "changed", 0);
	is_write("/trigger", "1", 0);
	is_text("/other", "keep");
	is_write("/other", "changed", 0);
	is_write(ONDEMAND "/up_threshold", "25", 0);
	is_write(POLICY "/scaling_governor", "ondemand", 0);
	is_text(ONDEMAND "/up_threshold", "25");
	is_write(POLICY "/scaling_governor", "performance", 0);
	is_text(ONDEMAND "/up_threshold", "ENOENT");
	is_write(ONDEMAND "/up_threshold", "25", -ENOENT);
	ok(!sysroot_exists(&sys.root, ONDEMAND), "the directory is gone");
	is_int(sysroot_list(&sys.root, "/sys/devices/system/cpu/cpufreq", &names), 1,
	       "one name less in its parent");
	is_write(POLICY "/scaling_governor", "ondemand", 0);
	is_text(ONDEMAND "/up_threshold", "95");
	system_close(&sys);
}

static void test_features(struct fixture *f)
{
	struct ethtool_features features;
	struct system sys;

	open_text(f, board_text, &sys);
	is_set("tx-checksum-ipv4", false, 0);
	is_feature("tx-checksum-ipv4", "- w");
	is_feature("tx-tcp-segmentation", "- W");
	is_feature("tx-generic-segmentation", "A W");
	is_set("tx-checksum-ipv4", true, 0);
	is_feature("tx-tcp-segmentation", "A W");
	is_set("tx-scatter-gather", false, 0);
	is_feature("tx-tcp-segmentation", "- W");
	is_feature("tx-generic-segmentation", "- W");
	is_set("tx-tcp-segmentation", false, 0);
	is_set("tx-scatter-gather", true, 0);
	is_feature("tx-tcp-segmentation", "- w");
	is_feature("tx-generic-segmentation", "A W");
	is_set("rx-lro", true, 0);
	is_feature("rx-lro", "- w");
	is_set("rx-gro", false, -EOPNOTSUPP);
	is_feature("rx-gro", "A W");
	is_set("rx-nonsense", true, -EOPNOTSUPP);
	is_set("rx-vlan-hw-parse", true, 0);
	is_set("rx-vlan-hw-parse", false, 0);
	is_feature("rx-vlan-hw-parse", "A w");
	is_int(ethtool_features_get(&sys.ethtool, "eth1", &features), -ENODEV, "no eth1");
	is_int(ethtool_feature_set(&sys.ethtool, "eth1", "rx-gro", true), -ENODEV,
	       "nothing to set");
	system_close(&sys);
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_errors(&f);
	test_entries(&f);
	test_numbers(&f);
	test_masks(&f);
	test_time(&f);
	test_coming_and_going(&f);
	test_features(&f);
	fixture_close(&f);
	return done();
}
