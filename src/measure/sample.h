/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.h - temperature, clocks, cooling and CPU time while traffic flows */
#ifndef BOARDTUNE_SAMPLE_H
#define BOARDTUNE_SAMPLE_H

#include <net/if.h>

#include "base/sysroot.h"

#define SAMPLE_POLICIES_MAX 16
#define SAMPLE_NICS_MAX 8
#define SAMPLE_CPUS_MAX 64
#define SAMPLE_STATES_MAX 64 /* operating points of a policy */

/* Interfaces whose counters are sampled. */
struct sample_nics {
	char names[SAMPLE_NICS_MAX][IF_NAMESIZE];
	size_t n;
};

struct sample_nic {
	uint64_t rx_bytes, tx_bytes;
	bool known; /* both could be read */
	uint64_t rx_packets, tx_packets;
	uint64_t dropped; /* rx_dropped, tx_dropped, rx_missed_errors, rx_over_errors */
	uint64_t errors;  /* rx_errors, tx_errors */
};

/*
 * One CPU's time since boot; those from SAMPLE_CPUS_MAX on are in the sums only. While a
 * CPU is offline its times are 0: a difference needs both.
 */
struct sample_cpu {
	uint64_t busy_us, softirq_us;
	uint64_t irqs; /* handled for the counted NICs' lines: /proc/interrupts */
};

/* Raspberry Pi: get_throttled of the firmware, as bits of SAMPLE_RPI_*. */
enum {
	SAMPLE_RPI_UNDERVOLTAGE = 1 << 0,
	SAMPLE_RPI_CAPPED = 1 << 1,
	SAMPLE_RPI_THROTTLED = 1 << 2,
	SAMPLE_RPI_SOFT_LIMIT = 1 << 3,
};

/*
 * One look at the board. Counters are since boot; take differences, but no negative ones:
 * the kernel counts a line and softnet in 32 bits, a NIC that returned begins at 0, and
 * softnet has only the CPUs that are online.
 */
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
	unsigned n_cpus;    /* of those below */
	struct sample_cpu cpus[SAMPLE_CPUS_MAX]; /* by number */
	uint64_t softnet_dropped, softnet_squeezed; /* of all CPUs */
	int rpi;            /* now, low four bits; -1 where there is none */
	unsigned rpi_past;  /* the same since boot */
	bool event;         /* thermal netlink told of a trip or cooling since the last */
	struct sample_nic nics[SAMPLE_NICS_MAX]; /* in the order of sampler_open() */
};

/** sample_risen - by how much a counter rose; one that fell has begun anew: 0 */
static inline uint64_t sample_risen(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

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

/**
 * sampler_find_irqs - find the NICs' interrupts anew
 *
 * For after a change that may have re-created them (rings, channels, link down and up),
 * between two measurements: what is counted then may be other lines. 0 or -ENOMEM, with
 * those found before still in use.
 */
int sampler_find_irqs(struct sampler *s);

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

/* Time at each clock of a policy since boot: stats/time_in_state. */
struct sample_clocks {
	unsigned n;
	struct {
		uint32_t khz;
		uint64_t ticks; /* of USER_HZ */
	} states[SAMPLE_STATES_MAX];
};

/**
 * sampler_clocks - how long each policy was at each of its clocks
 * @ret: SAMPLE_POLICIES_MAX elements, in the order of struct sample; n of 0 without the
 *	 file, while all CPUs of the policy are offline, for more than SAMPLE_STATES_MAX
 *
 * Exact where samples of scaling_cur_freq are not; take it at both ends of what is
 * measured. Allocates nothing.
 */
void sampler_clocks(struct sampler *s, struct sample_clocks *ret);

/**
 * sampler_take - read everything once
 *
 * Files stay open from the first time on. Allocates nothing. Waits a moment for a sensor
 * that was ready the last time and is not now.
 */
void sampler_take(struct sampler *s, struct sample *ret);

#endif
