// SPDX-License-Identifier: GPL-2.0-or-later
// service.c - what a service tells systemd and its journal
#include "config.h"

#include "base/service.h"

#include <sys/stat.h>
#include <syslog.h>

#ifdef HAVE_LIBSYSTEMD
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#define FIELDS_MAX 10

/* Made once at random; they never change. */
static const char *const message_ids[SERVICE_MESSAGES_] = {
	[SERVICE_SETTING] = "7888ed61342d4d7185abba8f8e40e0b0",
	[SERVICE_SUMMARY] = "50c9f7f6fe0f478c84301b3928f0f7ae",
	[SERVICE_DRIFT] = "c59a3d0e1cac4189b9adbf554a1c4952",
	[SERVICE_GAVE_UP] = "eaa79027c32d4413a0922ed078a05a24",
	[SERVICE_HELD_OFF] = "b74a794d95be426f8769f52c15ce067d",
	[SERVICE_UNDONE] = "c0792d4b29494775b43a8296408dd138",
};

bool service_booted(void)
{
	return sd_booted() > 0;
}

void service_notify(const char *state)
{
	sd_notify(0, state);
}

uint64_t service_watchdog(void)
{
	uint64_t usec = 0;

	return sd_watchdog_enabled(0, &usec) > 0 ? usec / 2 : 0;
}

/* Lines are owned by the array; what does not fit into memory is left out. */
static void fields_add(struct iovec *fields, int *n, const char *name, const char *value)
{
	char *line = value ? str_format("%s=%s", name, value) : NULL;

	if (line)
		fields[(*n)++] = (struct iovec){ line, strlen(line) };
}

/* Whether our stderr goes to the journal: then structured fields do, too. */
static bool has_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	/* Terminals of a user's session inherit the variable, systemd.exec(5). */
	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device &&
	       st.st_ino == inode;
}

static bool log_to_journal(enum service_message message, const char *level,
			   const struct service_fields *f, const char *text)
{
	struct iovec fields[FIELDS_MAX];
	int n = 0, r;

	if (!has_journal())
		return false;
	fields_add(fields, &n, "MESSAGE", text);
	fields_add(fields, &n, "PRIORITY", level);
	fields_add(fields, &n, "MESSAGE_ID", message_ids[message]);
	fields_add(fields, &n, "BOARDTUNE_PROFILE", f->profile);
	fields_add(fields, &n, "BOARDTUNE_SETTING", f->setting);
	fields_add(fields, &n, "BOARDTUNE_TARGET", f->target);
	fields_add(fields, &n, "BOARDTUNE_OUTCOME", f->outcome);
	fields_add(fields, &n, "BOARDTUNE_WRITER", f->writer);
	r = sd_journal_sendv(fields, n);
	for (int i = 0; i < n; i++)
		free(fields[i].iov_base);
	return r >= 0;
}
#else
bool service_booted(void)
{
	return false;
}

void service_notify(const char *state)
{
}

uint64_t service_watchdog(void)
{
	return 0;
}

static bool log_to_journal(enum service_message message, const char *level,
			   const struct service_fields *f, const char *text)
{
	return false;
}
#endif

bool service_managed(void)
{
	const char *pid = getenv("SYSTEMD_EXEC_PID");

	/* Children of a unit inherit both; before systemd 248 there is no such PID. */
	if (pid)
		return strtol(pid, NULL, 10) == getpid();
	return getenv("INVOCATION_ID") && getppid() == 1;
}

void service_log(enum service_message message, int priority,
		 const struct service_fields *f, const char *text)
{
	static const struct service_fields none = {};
	char level[] = { (char)('0' + priority), '\0' };

	if (!log_to_journal(message, level, f ? f : &none, text))
		fprintf(stderr, "%s%s%s%s\n", service_managed() ? "<" : "",
			service_managed() ? level : "", service_managed() ? ">" : "",
			text);
}
