/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bus.h - what is asked of systemd over its bus: org.freedesktop.systemd1(5) */
#ifndef BOARDTUNE_BUS_H
#define BOARDTUNE_BUS_H

#include "base/base.h"

struct bus;

/**
 * bus_open - the system bus, or without a D-Bus daemon systemd itself, as systemctl(1)
 * @ret: closed with bus_close()
 *
 * Each call below takes 5 s at most. Returns 0; -EOPNOTSUPP built without systemd;
 * -ENOENT no bus; other -errno.
 */
int bus_open(struct bus **ret);
void bus_close(struct bus *bus);
static inline void bus_closep(struct bus **bus)
{
	bus_close(TAKE_PTR(*bus));
}

/**
 * bus_unit_active - whether a unit runs, or has run and stays
 *
 * ActiveState "active", "reloading" or "activating". Returns 1; 0, also for a unit that
 * is not loaded; -errno of the bus.
 */
int bus_unit_active(struct bus *bus, const char *unit);

/**
 * bus_unit_start, bus_unit_stop - have it started or stopped, and wait for that
 *
 * Returns 0, also if it failed to start; -ETIMEDOUT after 10 s; -errno.
 */
int bus_unit_start(struct bus *bus, const char *unit);
int bus_unit_stop(struct bus *bus, const char *unit);

/**
 * bus_unit_queue - as bus_unit_start(), without waiting for it
 *
 * For a unit that is ordered after the caller's. Returns 0 or -errno.
 */
int bus_unit_queue(struct bus *bus, const char *unit);

/** bus_reload - have systemd read its unit files again; 10 s at most; 0 or -errno */
int bus_reload(struct bus *bus);

#endif
