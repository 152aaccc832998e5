# SPDX-License-Identifier: GPL-2.0-or-later
# virt3-liar.board.sh - virt3 with a clock that takes every rate and stays at 1000 MHz
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/virt.sh
. "$here/virt.sh"
board_set=all
board_test=arm/virt3-liar.test.sh
