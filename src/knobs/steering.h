/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steering.h - which CPUs take a NIC's packets: RPS, XPS, flow counts, threaded NAPI */
#ifndef BOARDTUNE_STEERING_H
#define BOARDTUNE_STEERING_H

#include <net/if.h>

#include "knobs/knob.h"

/**
 * steering_queue_each - the queues of the NICs of a [net:] section
 *
 * setting.attr: "rx/rps_cpus", "tx/xps_cpus", "rx/rps_flow_cnt". Targets are eth1/rx-0,
 * keyed by the queue's real directory. A NIC without such queues has one, whose file is
 * not there.
 */
int steering_queue_each(struct system *sys, const struct setting *s,
			const struct selector *sel, struct target_list *list);

/** steering_below_nic - "/queues/rx-0", "/napi/1" or "/napi" of a path; "" without */
const char *steering_below_nic(const char *path);

/**
 * steering_ifname - the interface of a queue or a thread, by the name it has now
 * @ret_rest: what follows the name in target.path: "/queues/rx-0", "/napi/0"
 *
 * Returns 0, or -ENODEV when the interface is gone or another has its name.
 */
int steering_ifname(struct system *sys, const struct target *t,
		    char ret[static IF_NAMESIZE], const char **ret_rest);

/* Masks in the group count of the file (a group too many is EOVERFLOW); XPS of a NIC
 * with one queue is ENOENT: unsupported. Offline CPUs are dropped by the kernel, and
 * isolated ones from RPS: rounded; if none is left, missing or refused. */
int steering_cpus_get(struct system *sys, const struct setting *s, const struct target *t,
		      struct value *ret);
int steering_cpus_set(struct system *sys, const struct setting *s, const struct target *t,
		      const struct value *v);
int steering_cpus_expect(struct system *sys, const struct setting *s,
			 const struct target *t, const struct value *asked,
			 struct expectation *ret);

/* rps_flow_cnt: rounded up to a power of two */
int steering_flows_get(struct system *sys, const struct setting *s,
		       const struct target *t, struct value *ret);
int steering_flows_set(struct system *sys, const struct setting *s,
		       const struct target *t, const struct value *v);
int steering_flows_expect(struct system *sys, const struct setting *s,
			  const struct target *t, const struct value *asked,
			  struct expectation *ret);

/* "threaded": EOPNOTSUPP while the device has no NAPI instance, as many that are down */
int steering_threaded_get(struct system *sys, const struct setting *s,
			  const struct target *t, struct value *ret);
int steering_threaded_set(struct system *sys, const struct setting *s,
			  const struct target *t, const struct value *v);
int steering_threaded_expect(struct system *sys, const struct setting *s,
			     const struct target *t, const struct value *asked,
			     struct expectation *ret);

/**
 * steering_napi_each - the threads of threaded NAPI, "napi/eth0-8193"
 *
 * By their names, which keep the interface's name at their creation; before 5.17 these
 * are cut after 15 bytes, and those that are the same then are "napi/enp1s0f1-?0". Keyed
 * by the interface's real path, "/napi/" and the place among its threads. A NIC without
 * any has one target "napi/eth0", keyed by its real path and "/napi", that reads -ENOENT:
 * the threads come with threaded = on.
 */
int steering_napi_each(struct system *sys, const struct setting *s,
		       const struct selector *sel, struct target_list *list);
int steering_napi_get(struct system *sys, const struct setting *s, const struct target *t,
		      struct value *ret);
int steering_napi_set(struct system *sys, const struct setting *s, const struct target *t,
		      const struct value *v);
int steering_napi_expect(struct system *sys, const struct setting *s,
			 const struct target *t, const struct value *asked,
			 struct expectation *ret);

/**
 * steering_resolve - a set of CPUs as a profile names it, on this board
 * @asked: listed, all, big, little
 * @ret: the set
 * @note: KNOB_NOTE_MAX; why not
 *
 * big and little by the policies' clocks or cpu_capacity; where all are alike, or a
 * listed CPU is not present: -ERANGE with a note. Used for interrupts too.
 */
int steering_resolve(struct system *sys, const struct value *asked, struct cpus *ret,
		     char *note);

#endif
