// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-undo.c - any bytes as the undo record: what is taken may be written back by root
#include <fcntl.h>

#include "engine/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64];

static void remove_board(void)
{
	static const char *const parts[] = { "/run/boardtune/undo.json",
					     "/run/boardtune", "/run", "" };
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, parts[i]);
		remove(path);
	}
}

/* A board of nothing but a record, in a directory that is kept for all inputs. */
static int open_board(struct system *sys)
{
	int r;

	if (!*dir) {
		snprintf(dir, sizeof(dir), "%s/boardtune-fuzz-XXXXXX",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		if (!mkdtemp(dir) || atexit(remove_board) != 0)
			abort();
	}
	r = sysroot_open(dir, &sys->root);
	return r < 0 ? r : sysroot_mkdir_all(&sys->root, STATE_DIR, 0755);
}

static bool is_inside(const struct change *c)
{
	return (str_after(c->target.path, "/sys/") ||
		str_after(c->target.path, "/proc/sys/") ||
		str_after(c->target.path, "irq:")) &&
	       !strstr(c->target.path, "/../") && !strstr(c->target.name, "..");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(record_clear) struct record rec = { 0 }, again = { 0 };
	_cleanup_free_ char *text = NULL, *why = NULL;
	struct system sys = SYSTEM_INIT;
	_cleanup_close_ int fd = -1;

	if (open_board(&sys) < 0)
		abort();
	fd = sysroot_openat(&sys.root, STATE_DIR "/undo.json",
			    O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (state_load(&sys, &rec, &text) == 0 && rec.plan.n) {
		for (size_t i = 0; i < rec.plan.n; i++)
			if (!is_inside(&rec.plan.changes[i]))
				abort();
		if (state_save(&sys, &rec) < 0 || state_load(&sys, &again, &why) < 0 ||
		    again.plan.n != rec.plan.n)
			abort();
	}
	sysroot_close(&sys.root);
	return 0;
}
