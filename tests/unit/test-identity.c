// SPDX-License-Identifier: GPL-2.0-or-later
// test-identity.c - who the recorded boards are
#include "board/board.h"
#include "board/identity.h"
#include "tap.h"

static void read_board(const char *name, struct identity *ret)
{
	const char *srcdir = getenv("srcdir");
	_cleanup_free_ char *file = str_format("%s/tests/boards/%s",
					       srcdir ? srcdir : ".", name);
	struct system sys = SYSTEM_INIT;
	struct board_error error = { 0 };

	memset(ret, 0xaa, sizeof(*ret));
	if (!is_int(board_open_recording(file, &sys, &error), 0, "%s opens", name)) {
		printf("Bail out! %s:%u: %s\n", file, error.line, error.text);
		exit(1);
	}
	identity_read(&sys.root, ret);
	system_close(&sys);
}

int main(void)
{
	struct identity id;

	read_board("nanopi-neo2.board", &id);
	is_str(id.model, "FriendlyARM NanoPi NEO 2", "model without its NUL");
	is_int(id.n_compatible, 2, "two compatible strings");
	is_str(id.compatible[0], "friendlyarm,nanopi-neo2", "most specific first");
	is_str(id.compatible[1], "allwinner,sun50i-h5", "then the chip");
	is_str(id.kernel, "6.1.63-current-sunxi64", "kernel release");

	read_board("nanopi-neo3.board", &id);
	is_str(id.compatible[0], "friendlyarm,nanopi-neo3", "NEO3");
	is_str(id.dmi, "", "no DMI");
	ok(!id.x86, "not x86");

	read_board("x86-minipc.board", &id);
	is_str(id.model, "MINI-PC G2", "DMI product name");
	is_int(id.n_compatible, 0, "no device tree, no compatible");
	is_str(id.dmi, ":MINI-PC G2:", "vendor, product and board, as far as known");
	ok(id.x86, "DMI without a device tree is x86");

	read_board("unit/hostile-identity.board", &id);
	is_str(id.model, "A?[31mB", "no control characters");
	is_int(id.n_compatible, IDENTITY_COMPATIBLE_MAX,
	       "no more than there is room for");
	is_str(id.compatible[0], "short,one", "a string that does not fit is left out");
	is_str(id.compatible[1], "c1", "empty ones too");
	is_str(id.kernel, "", "what cannot be read is empty");
	return done();
}
