// SPDX-License-Identifier: GPL-2.0-or-later
// bus.c - systemd's manager over its bus; every call of sd-bus is here
#include "config.h"

#include "kernel/bus.h"

#ifdef HAVE_LIBSYSTEMD

#include <systemd/sd-bus.h>

#define CALL_USEC (5 * UINT64_C(1000000))
#define RELOAD_USEC (10 * UINT64_C(1000000))
#define JOB_POLL_USEC 20000 /* an init script takes about so long */
#define JOB_POLLS 500	    /* 10 s */

#define SYSTEMD "org.freedesktop.systemd1"
#define MANAGER_PATH "/org/freedesktop/systemd1"
#define MANAGER SYSTEMD ".Manager"
#define UNKNOWN "org.freedesktop.DBus.Error.Unknown" /* ...Object, ...Interface */

struct bus {
	sd_bus *bus;
};

/* Without a D-Bus daemon root still reaches systemd itself. */
static int open_manager(sd_bus **ret)
{
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	int r = sd_bus_open_system(ret);

	if (r != -ENOENT)
		return r;
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_address(bus, "unix:path=/run/systemd/private");
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(bus);
	return 0;
}

int bus_open(struct bus **ret)
{
	_cleanup_(bus_closep) struct bus *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return -ENOMEM;
	r = open_manager(&b->bus);
	if (r >= 0)
		r = sd_bus_set_method_call_timeout(b->bus, CALL_USEC);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(b);
	return 0;
}

void bus_close(struct bus *b)
{
	if (!b)
		return;
	sd_bus_flush_close_unref(b->bus);
	free(b);
}

/* GetUnit() knows loaded units only: what is not loaded does not run. */
static int find_unit(struct bus *b, const char *unit, char **ret)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *path;
	int r = sd_bus_call_method(b->bus, SYSTEMD, MANAGER_PATH, MANAGER, "GetUnit",
				   &error, &reply, "s", unit);

	if (r < 0)
		return sd_bus_error_has_name(&error, SYSTEMD ".NoSuchUnit") ? 0 : r;
	r = sd_bus_message_read(reply, "o", &path);
	if (r < 0)
		return r;
	*ret = strdup(path);
	return *ret ? 1 : -ENOMEM;
}

int bus_unit_active(struct bus *b, const char *unit)
{
	_cleanup_free_ char *path = NULL, *state = NULL;
	int r = find_unit(b, unit, &path);

	if (r <= 0)
		return r;
	r = sd_bus_get_property_string(b->bus, SYSTEMD, path, SYSTEMD ".Unit",
				       "ActiveState", NULL, &state);
	if (r < 0)
		return r;
	return streq(state, "active") || streq(state, "reloading") ||
	       streq(state, "activating");
}

/* The object of a job is gone once it has ended, well or not. */
static int wait_job(struct bus *b, const char *path)
{
	for (unsigned i = 0; i < JOB_POLLS; i++) {
		_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
		_cleanup_free_ char *state = NULL;
		int r = sd_bus_get_property_string(b->bus, SYSTEMD, path, SYSTEMD ".Job",
						   "State", &error, &state);

		if (r < 0)
			return error.name && str_after(error.name, UNKNOWN) ? 0 : r;
		usleep(JOB_POLL_USEC);
	}
	return -ETIMEDOUT;
}

/* @wait: for its end */
static int run_job(struct bus *b, const char *method, const char *unit, bool wait)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *path;
	int r = sd_bus_call_method(b->bus, SYSTEMD, MANAGER_PATH, MANAGER, method, NULL,
				   &reply, "ss", unit, "replace");

	if (r >= 0)
		r = sd_bus_message_read(reply, "o", &path);
	if (r < 0)
		return r;
	return wait ? wait_job(b, path) : 0;
}

int bus_unit_start(struct bus *b, const char *unit)
{
	return run_job(b, "StartUnit", unit, true);
}

int bus_unit_queue(struct bus *b, const char *unit)
{
	return run_job(b, "StartUnit", unit, false);
}

int bus_unit_stop(struct bus *b, const char *unit)
{
	return run_job(b, "StopUnit", unit, true);
}

int bus_reload(struct bus *b)
{
	int r = sd_bus_set_method_call_timeout(b->bus, RELOAD_USEC);

	if (r >= 0)
		r = sd_bus_call_method(b->bus, SYSTEMD, MANAGER_PATH, MANAGER, "Reload",
				       NULL, NULL, NULL);
	if (r >= 0)
		r = sd_bus_set_method_call_timeout(b->bus, CALL_USEC);
	return r < 0 ? r : 0;
}

#else

int bus_open(struct bus **ret)
{
	return -EOPNOTSUPP;
}

void bus_close(struct bus *b)
{
}

int bus_unit_active(struct bus *b, const char *unit)
{
	return -EOPNOTSUPP;
}

int bus_unit_start(struct bus *b, const char *unit)
{
	return -EOPNOTSUPP;
}

int bus_unit_queue(struct bus *b, const char *unit)
{
	return -EOPNOTSUPP;
}

int bus_unit_stop(struct bus *b, const char *unit)
{
	return -EOPNOTSUPP;
}

int bus_reload(struct bus *b)
{
	return -EOPNOTSUPP;
}

#endif
