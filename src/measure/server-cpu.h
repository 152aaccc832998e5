/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server-cpu.h - how busy the server's machine is, for clients that ask */
#ifndef BOARDTUNE_SERVER_CPU_H
#define BOARDTUNE_SERVER_CPU_H

#include "measure/iperf.h"

#define SERVER_CPUS_MAX 512

/* /proc/stat: time since boot. Index 0 is all CPUs, then each that is online. */
struct server_cpu {
	unsigned n;
	struct {
		int number; /* -1: all */
		uint64_t busy, total;
	} cpus[SERVER_CPUS_MAX + 1];
};

/**
 * server_cpu_parse - the lines of CPUs in the text of /proc/stat
 *
 * Busy is what is neither idle nor waiting for I/O; time of guests is in that of users.
 * Returns 0, -ENODATA if the line of all CPUs is not there.
 */
int server_cpu_parse(const char *text, struct server_cpu *ret);

/** server_cpu_take - the same of this machine; also -errno where /proc hides it */
int server_cpu_take(struct server_cpu *ret);

/**
 * server_cpu_fill - what lies between two looks, as shares
 *
 * Only CPUs that are in both count. What cannot be told stays as it is.
 */
void server_cpu_fill(const struct server_cpu *from, const struct server_cpu *until,
		     struct iperf_extra *extra);

#endif
