// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-board.c - any bytes as a .board file, and as the rules of a --sysroot
#include "board/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int rules_only = 0; rules_only < 2; rules_only++) {
		_cleanup_(record_freep) struct record *r = NULL;
		struct board_error error = { 0 };
		int err = record_parse((const char *)data, size, rules_only, &r, &error);

		/* a refusal says where and why; what is taken is all of the text */
		if (err == -EBADMSG && (!error.line || !error.text[0]))
			abort();
		if (err == 0 && r->n_lines &&
		    r->lines[r->n_lines - 1].start + r->lines[r->n_lines - 1].length !=
			    size)
			abort();
	}
	return 0;
}
