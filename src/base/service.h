/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.h - what a service tells its manager and the journal */
#ifndef BOARDTUNE_SERVICE_H
#define BOARDTUNE_SERVICE_H

#include "base/base.h"

/* One row of the journal's catalogue: the ids are for scripts and never change. */
enum service_message {
	SERVICE_SETTING,  /* an outcome of one setting */
	SERVICE_SUMMARY,  /* what an apply came to */
	SERVICE_DRIFT,    /* watch: a setting is not as it was applied any more */
	SERVICE_GAVE_UP,  /* watch --enforce: somebody keeps writing it */
	SERVICE_HELD_OFF, /* boot guard: nothing is applied, and why */
	SERVICE_UNDONE,   /* boot guard: the network was lost, reverted */
	SERVICE_MESSAGES_,
};

/* Fields beside MESSAGE, each NULL if there is none. */
struct service_fields {
	const char *profile; /* BOARDTUNE_PROFILE= */
	const char *setting; /* BOARDTUNE_SETTING= section and key */
	const char *target;  /* BOARDTUNE_TARGET= */
	const char *outcome; /* BOARDTUNE_OUTCOME= the word of design section 4 */
	const char *writer;  /* BOARDTUNE_WRITER= who probably wrote it */
};

/** service_booted - whether the machine runs systemd: sd_booted(3) */
bool service_booted(void);

/** service_managed - whether systemd started this process itself, as a unit's */
bool service_managed(void);

/**
 * service_notify - sd_notify(3): "READY=1", "STATUS=...", "WATCHDOG=1"
 *
 * Does nothing without a manager. A status longer than a line is the caller's fault.
 */
void service_notify(const char *state);

/** service_watchdog - how often to send WATCHDOG=1, microseconds; 0: not asked for */
uint64_t service_watchdog(void);

/**
 * service_log - a line for the journal, with fields to search by
 * @priority: LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO of syslog.h
 *
 * Without a journal, or built without systemd: the line on stderr, with the "<3>" prefix
 * of sd-daemon(3) if this is a unit's process.
 */
void service_log(enum service_message message, int priority,
		 const struct service_fields *fields, const char *text);

#endif
