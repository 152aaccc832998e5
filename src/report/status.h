/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status.h - a board as it is now: sensors, clocks, interrupts, interfaces, findings */
#ifndef BOARDTUNE_STATUS_H
#define BOARDTUNE_STATUS_H

#include <net/if.h>

#include "base/cpus.h"
#include "kernel/system.h"
#include "knobs/irq-table.h"
#include "knobs/thermal.h"
#include "measure/sample.h"
#include "report/clocks.h"

/* A thermal zone, or where none is usable the hwmon that stands in. */
struct status_zone {
	int number; /* -1: a hwmon */
	char type[32];
	bool usable;
	int millicelsius;
	char why[SAMPLE_WHY_MAX]; /* not usable: the raw value, or an errno */
	struct thermal_trip trips[THERMAL_TRIPS_MAX];
	int n_trips;
	uint64_t cooled; /* bit k: a cooling device is bound to trip_point_k */
	bool user_space; /* its trips are for a program such as thermald */
};

struct status_irq {
	const struct irq_line *line;
	char *nics; /* names with blanks between them; NULL: of no NIC */
	struct cpus affinity, effective;
	bool has_affinity, has_effective;
	uint64_t count; /* of all CPUs */
};

/* Short forms of features that matter to a router: rx tx sg tso gso gro lro. */
#define STATUS_FEATURES 7

enum status_feature {
	STATUS_FEATURE_NONE, /* not told */
	STATUS_FEATURE_OFF,
	STATUS_FEATURE_ON,
};

struct status_nic {
	char name[IF_NAMESIZE];
	char driver[32], bus[32];
	char path[128];	    /* ID_PATH */
	bool physical;	    /* has a device */
	int carrier;	    /* 1, 0, -1: down or not told */
	unsigned speed;	    /* Mbit/s, 0: not known */
	char duplex[16];    /* "" if not known */
	unsigned usb_speed; /* of the bus, Mbit/s; 0: not on USB */
	unsigned usb_version; /* bcdUSB of the device, 0x300; 0: not known */
	char usb_id[16];    /* "0bda:8153" */
	char phy[32];	    /* phy_interface: "rgmii-id"; "" without phylib */
	unsigned rx_queues, tx_queues;
	uint64_t rx_packets, rx_dropped, rx_missed, tx_dropped;
	enum status_feature features[STATUS_FEATURES];
};

/* Something to look at: what it is, and what to do, in one translated sentence. */
struct status_finding {
	const char *kind; /* a word for scripts: "no-reading" */
	char target[64];  /* kernel name, may be empty */
	char *text;
};

struct status {
	struct status_zone *zones;
	size_t n_zones;
	ssize_t zone; /* the one that a trial uses, -1 for none */
	struct clock *clocks;
	size_t n_clocks;
	struct irq_table table;
	struct status_irq *irqs; /* of the table's lines, in their order */
	size_t n_irqs;
	struct status_nic *nics;
	size_t n_nics;
	double idle; /* share of the CPUs' time since boot; negative: not known */
	bool idle_now; /* as far as the last minutes tell: it should not be hot */
	unsigned rpi; /* SAMPLE_RPI_* now; 0 on other boards */
	unsigned rpi_past; /* and those since boot */
	bool throttled; /* cooling was at work since boot, where that is counted */
	struct status_finding *findings;
	size_t n_findings;
};

/** status_feature_name - "rx", "tx", ...; NULL beyond the last */
const char *status_feature_name(size_t i);

/**
 * status_read - read everything once
 * @ret: released with status_clear(); untouched on failure
 *
 * What cannot be read is not known; nothing is written. Returns 0 or -ENOMEM.
 */
int status_read(struct system *sys, struct status *ret);
void status_clear(struct status *st);

/** status_add_finding - append a sentence. 0 or -ENOMEM */
int status_add_finding(struct status *st, const char *kind, const char *target,
		       const char *fmt, ...) _printf_(4, 5);

/* Parts of status_read(), each 0 or -ENOMEM. */
int status_read_irqs(struct system *sys, struct status *st); /* needs the NICs */
int status_read_nics(struct system *sys, struct status *st);
int status_read_heat(struct system *sys, struct status *st); /* needs the sensors */
int status_find(struct system *sys, struct status *st); /* needs all of it */

/**
 * status_text - tables of at most 80 columns
 * @head: a line or more above them, each ended
 * @ret: malloc'd, translated
 *
 * Returns 0 or -ENOMEM.
 */
int status_text(const struct status *st, const char *head, char **ret);

#endif
