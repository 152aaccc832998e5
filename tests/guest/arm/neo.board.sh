# SPDX-License-Identifier: GPL-2.0-or-later
# neo.board.sh - NanoPi NEO, armhf, the device tree as Debian's kernel has it
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/h3.sh
. "$here/h3.sh"
board_set=commit
board_test=arm/neo.test.sh

board_boot() {
	h3_boot "$(echo "$arm_tree"/usr/lib/linux-image-*/sun8i-h3-nanopi-neo.dtb)"
}
