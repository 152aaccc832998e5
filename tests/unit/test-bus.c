// SPDX-License-Identifier: GPL-2.0-or-later
// test-bus.c - what is asked of systemd, against a manager that is played on a socket
#include "config.h"

#include "kernel/bus.h"

#include "tap.h"

#ifdef HAVE_LIBSYSTEMD

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>

#define JOB_PATH "/org/freedesktop/systemd1/job/1"
#define UNIT_PATH "/org/freedesktop/systemd1/unit/"

static const struct {
	const char *unit, *path, *state;
	int active;
} units[] = {
	{ "irqbalance.service", UNIT_PATH "a", "active", 1 },
	{ "tlp.service", UNIT_PATH "b", "inactive", 0 },
	{ "thermald.service", UNIT_PATH "c", "activating", 1 },
	{ "tuned.service", UNIT_PATH "d", "failed", 0 },
};

static int answer_get_unit(sd_bus_message *m)
{
	const char *unit;

	if (sd_bus_message_read(m, "s", &unit) < 0)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (streq(unit, units[i].unit))
			return sd_bus_reply_method_return(m, "o", units[i].path);
	return sd_bus_reply_method_errorf(m, "org.freedesktop.systemd1.NoSuchUnit",
					  "Unit %s not loaded.", unit);
}

/* The job is there twice when asked, then it has ended. */
static int answer_job_state(sd_bus_message *m)
{
	static unsigned asked;

	if (asked++ % 3 < 2)
		return sd_bus_reply_method_return(m, "v", "s", "running");
	return sd_bus_reply_method_errorf(m, "org.freedesktop.DBus.Error.UnknownObject",
					  "Unknown object.");
}

static int answer_state(sd_bus_message *m, int log)
{
	if (streq(sd_bus_message_get_path(m), JOB_PATH)) {
		dprintf(log, ".");
		return answer_job_state(m);
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (streq(sd_bus_message_get_path(m), units[i].path))
			return sd_bus_reply_method_return(m, "v", "s", units[i].state);
	return -ENOENT;
}

/* Jobs are noted in a pipe, a line each. */
static int answer_job(sd_bus_message *m, const char *method, int log)
{
	const char *unit = "", *mode = "";

	if (sd_bus_message_get_signature(m, 1)[0] &&
	    sd_bus_message_read(m, "ss", &unit, &mode) < 0)
		return -EINVAL;
	dprintf(log, "%s %s %s\n", method, unit, mode);
	if (streq(method, "Reload"))
		return sd_bus_reply_method_return(m, "");
	return sd_bus_reply_method_return(m, "o", JOB_PATH);
}

static int answer(sd_bus_message *m, void *log, sd_bus_error *error)
{
	const char *method = sd_bus_message_get_member(m);
	int r;

	if (sd_bus_message_is_method_call(m, NULL, NULL) <= 0)
		return 0;
	if (streq(method, "Hello"))
		r = sd_bus_reply_method_return(m, "s", ":1.1");
	else if (streq(method, "GetUnit"))
		r = answer_get_unit(m);
	else if (streq(method, "Get"))
		r = answer_state(m, *(int *)log);
	else
		r = answer_job(m, method, *(int *)log);
	return r < 0 ? r : 1;
}

/* A bus of one client, which answers as org.freedesktop.systemd1 does. */
static int play(int listener, int log)
{
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	sd_id128_t id;
	int fd = accept(listener, NULL, NULL), r;

	r = fd < 0 ? -errno : sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_fd(bus, fd, fd);
	if (r >= 0)
		r = sd_id128_randomize(&id);
	if (r >= 0)
		r = sd_bus_set_server(bus, 1, id);
	if (r >= 0)
		r = sd_bus_set_trusted(bus, 1);
	if (r >= 0)
		r = sd_bus_add_filter(bus, NULL, answer, &log);
	if (r >= 0)
		r = sd_bus_start(bus);
	while (r >= 0) {
		r = sd_bus_process(bus, NULL);
		if (r == 0)
			r = sd_bus_wait(bus, UINT64_MAX);
	}
	return 0;
}

static int listen_on(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 1) < 0)
		return -errno;
	return fd;
}

static void test_calls(struct bus *bus, int log)
{
	char text[256] = "";

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		is_int(bus_unit_active(bus, units[i].unit), units[i].active, "%s is %s",
		       units[i].unit, units[i].state);
	is_int(bus_unit_active(bus, "none.service"), 0, "one that is not loaded");
	is_int(bus_unit_stop(bus, "tlp.service"), 0, "stop");
	is_int(bus_reload(bus), 0, "reload");
	is_int(bus_unit_start(bus, "tlp.service"), 0, "start");
	ok(read(log, text, sizeof(text) - 1) > 0, "the manager has noted the jobs");
	is_str(text,
	       "StopUnit tlp.service replace\n...Reload  \nStartUnit tlp.service "
	       "replace\n...",
	       "in order, and each was waited for");
}

int main(void)
{
	char dir[] = "/tmp/boardtune-test-bus.XXXXXX", path[64], address[96];
	int log[2], listener;
	struct bus *bus = NULL;
	pid_t pid;

	if (!mkdtemp(dir) || pipe(log) < 0) {
		puts("Bail out! no temporary directory");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/bus", dir);
	snprintf(address, sizeof(address), "unix:path=%s", path);
	listener = listen_on(path);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(play(listener, log[1]));
	setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1);
	if (is_int(bus_open(&bus), 0, "the bus opens"))
		test_calls(bus, log[0]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (bus)
		ok(bus_unit_active(bus, "tlp.service") < 0, "the manager is gone");
	bus_close(bus);
	unlink(path);
	ok(bus_open(&bus) < 0, "no bus is an error");
	rmdir(dir);
	return done();
}

#else

int main(void)
{
	struct bus *bus;

	is_int(bus_open(&bus), -EOPNOTSUPP, "built without systemd: no bus");
	return done();
}

#endif
