# SPDX-License-Identifier: GPL-2.0-or-later
# opipc.board.sh - Orange Pi PC as Debian has it: cpufreq waits for a regulator for ever
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/h3.sh
. "$here/h3.sh"
board_set=all
board_test=arm/opipc.test.sh
arm_wait=/sys/class/net/eth0,/sys/class/net/usb0

board_boot() {
	h3_boot "$(echo "$arm_tree"/usr/lib/linux-image-*/sun8i-h3-orangepi-pc.dtb)"
}
