// SPDX-License-Identifier: GPL-2.0-or-later
// identity.c - model, compatible strings and kernel release of the board
#include "board/identity.h"

#define DEVICE_TREE "/proc/device-tree/"
#define DMI "/sys/class/dmi/id/"

/* Firmware text goes to screens and JSON: printable ASCII only. */
static void copy_text(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[n] = '\0';
}

static bool read_text(const struct sysroot *root, const char *path, char *to, size_t size)
{
	_cleanup_free_ char *text = NULL;

	to[0] = '\0';
	if (sysroot_read_all(root, path, &text) < 0)
		return false;
	str_chomp(text);
	copy_text(to, size, text);
	return to[0];
}

/* Strings, each ended by a NUL. One that does not fit would be another board's. */
static void read_compatible(const struct sysroot *root, struct identity *id)
{
	_cleanup_free_ char *text = NULL;
	ssize_t size = sysroot_read_all(root, DEVICE_TREE "compatible", &text);

	for (ssize_t pos = 0; pos < size && id->n_compatible < IDENTITY_COMPATIBLE_MAX;) {
		size_t n = strlen(text + pos);

		if (n && n < sizeof(id->compatible[0]))
			copy_text(id->compatible[id->n_compatible++],
				  sizeof(id->compatible[0]), text + pos);
		pos += (ssize_t)n + 1;
	}
}

/* A PC: machines with a device tree are known by that. */
static void read_dmi(const struct sysroot *root, struct identity *id)
{
	char vendor[64], board[64], modalias[64];
	bool any;

	any = read_text(root, DMI "product_name", id->model, sizeof(id->model));
	any |= read_text(root, DMI "sys_vendor", vendor, sizeof(vendor));
	any |= read_text(root, DMI "board_name", board, sizeof(board));
	if (any)
		snprintf(id->dmi, sizeof(id->dmi), "%s:%s:%s", vendor, id->model, board);
	id->x86 = any;
	if (read_text(root, "/sys/devices/system/cpu/modalias", modalias,
		      sizeof(modalias)))
		id->x86 = str_after(modalias, "cpu:type:x86");
}

void identity_read(const struct sysroot *root, struct identity *ret)
{
	*ret = (struct identity){ 0 };
	read_compatible(root, ret);
	if (!read_text(root, DEVICE_TREE "model", ret->model, sizeof(ret->model)) &&
	    !ret->n_compatible)
		read_dmi(root, ret);
	read_text(root, "/proc/sys/kernel/osrelease", ret->kernel, sizeof(ret->kernel));
}
