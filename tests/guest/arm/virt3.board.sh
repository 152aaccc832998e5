# SPDX-License-Identifier: GPL-2.0-or-later
# virt3.board.sh - arm64, GICv3, one policy of 4 CPUs whose clock follows, one zone
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/virt.sh
. "$here/virt.sh"
board_set=commit
board_test=arm/virt3.test.sh
