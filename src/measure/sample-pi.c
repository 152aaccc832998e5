// SPDX-License-Identifier: GPL-2.0-or-later
// sample-pi.c - what the firmware of a Raspberry Pi complains of
#include "measure/sample-private.h"

#define PLATFORM "/sys/devices/platform"
#define HWMON "/sys/class/hwmon"
#define BITS 0xf      /* now */
#define PAST_SHIFT 16 /* the same since boot */

/*
 * soc/soc:firmware/get_throttled of the vendor's kernels; where the device tree gives the
 * bus an address (Raspberry Pi 5), soc@107c000000/soc@107c000000:firmware.
 */
static int find_throttled(const struct sysroot *root, struct sample_file *ret)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(root, PLATFORM, &names);

	for (ssize_t i = 0; i < n && !ret->path[0]; i++) {
		if (!str_after(names[i], "soc"))
			continue;
		sample_file_set(ret, PLATFORM "/%s/%s:firmware/get_throttled", names[i],
				names[i]);
		if (!sysroot_exists(root, ret->path))
			sample_file_close(ret);
	}
	return n == -ENOMEM ? -ENOMEM : 0;
}

/* Of raspberrypi-hwmon.c (4.19), which asks the firmware every two seconds. */
static int find_alarm(const struct sysroot *root, struct sample_file *ret)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n = sysroot_list(root, HWMON, &names);
	char path[SAMPLE_PATH_MAX], name[32];

	for (ssize_t i = 0; i < n && !ret->path[0]; i++) {
		snprintf(path, sizeof(path), HWMON "/%.40s/name", names[i]);
		if (sysroot_read(root, path, name, sizeof(name)) > 0 &&
		    streq(name, "rpi_volt"))
			sample_file_set(ret, HWMON "/%s/in0_lcrit_alarm", names[i]);
	}
	return n == -ENOMEM ? -ENOMEM : 0;
}

int sample_pi_find(const struct sysroot *root, struct sample_pi *pi)
{
	int r = find_throttled(root, &pi->throttled);

	return r < 0 ? r : find_alarm(root, &pi->alarm);
}

void sample_pi_close(struct sample_pi *pi)
{
	sample_file_close(&pi->throttled);
	sample_file_close(&pi->alarm);
}

int sample_pi_take(const struct sysroot *root, struct sample_pi *pi, unsigned *ret_past)
{
	uint64_t bits, alarm;
	int now = -1;

	*ret_past = 0;
	/* hex without 0x */
	if (sample_file_u64(root, &pi->throttled, 16, &bits) == 0) {
		now = (int)(bits & BITS);
		*ret_past = bits >> PAST_SHIFT & BITS;
	}
	if (sample_file_u64(root, &pi->alarm, 10, &alarm) == 0)
		now = (now < 0 ? 0 : now) | (alarm ? SAMPLE_RPI_UNDERVOLTAGE : 0);
	return now;
}
