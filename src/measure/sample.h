/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.h - temperature, clocks, cooling and CPU time while traffic flows */
#ifndef BOARDTUNE_SAMPLE_H
#define BOARDTUNE_SAMPLE_H

#include <net/if.h>

#include "base/sysroot.h"

#define SAMPLE_POLICIES_MAX 16
#define SAMPLE_NICS_MAX 8

/* Interfaces whose counters are sampled. */
struct sample_nics {
	char names[SAMPLE_NICS_MAX][IF_NAMESIZE];
	size_t n;
};

struct sample_nic {
	uint64_t rx_bytes, tx_bytes;
	bool known; /* both could be read */
};

/* One look at the board. Counters are since boot; take differences. */
struct sample {
	double time;        /* CLOCK_MONOTONIC */
	int millicelsius;   /* of the zone in use; INT_MIN if it gave no usable value */
	unsigned n_policies;
	uint32_t cur_khz[SAMPLE_POLICIES_MAX]; /* the hardware's if known; 0 unknown */
	uint32_t max_khz[SAMPLE_POLICIES_MAX]; /* scaling_max_freq, 0 unknown */
	unsigned cooling;   /* sum of cur_state of the CPU cooling devices */
	uint64_t cpu_busy_us; /* of all CPUs: not idle, not iowait */
	uint64_t cpu_idle_us;
	uint64_t softirq_us;
	struct sample_nic nics[SAMPLE_NICS_MAX]; /* in the order of sampler_open() */
};

struct sampler;

/**
 * sampler_open - find the sensor, the policies, the cooling devices
 * @root: of the live board, or a recorded one (tests); must outlive the sampler
 * @nics: NICs to count; NULL for none; copied
 *
 * The zone: the first usable of a list of types known for CPUs, else the first usable
 * zone, else hwmon. A value outside -20..125 C, exactly 0, or a failed read is not
 * usable. ENODATA and EAGAIN are tried again for a moment. 0 or -ENOMEM.
 */
int sampler_open(const struct sysroot *root, const struct sample_nics *nics,
		 struct sampler **ret);
void sampler_close(struct sampler *s);

#define SAMPLE_WHY_MAX 32

/**
 * sample_temperature - read a sensor
 * @path: temp of a zone, tempN_input of a hwmon
 * @ret_why: what it gave instead of a usable value: "0", "ENODATA"
 *
 * ENODATA and EAGAIN are tried again for a moment. Returns 0, or -ERANGE, -errno.
 */
int sample_temperature(const struct sysroot *root, const char *path, int *ret,
		       char ret_why[static SAMPLE_WHY_MAX]);

/** sampler_sensor - the file that is read for the temperature; NULL for none */
const char *sampler_sensor(const struct sampler *s);

/** sampler_zone_type - type of the zone in use; NULL if the board has no usable sensor */
const char *sampler_zone_type(const struct sampler *s);

/**
 * sampler_limit - the temperature that load must not reach, in millidegrees
 *
 * The lowest critical or hot trip of the zone in use, else hwmon's crit, else 95000.
 */
int sampler_limit(const struct sampler *s);

/** sampler_take - read everything once. Allocates nothing. */
void sampler_take(struct sampler *s, struct sample *ret);

#endif
