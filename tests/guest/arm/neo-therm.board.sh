# SPDX-License-Identifier: GPL-2.0-or-later
# neo-therm.board.sh - NanoPi NEO whose sensor is a word in memory that the test writes
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/h3.sh
. "$here/h3.sh"
board_set=all
board_test=arm/neo-therm.test.sh
arm_wait=$arm_wait,/sys/class/thermal/thermal_zone0

board_prepare() {
	local tree=$cache/$board.dtb

	arm_prepare
	cp "$arm_tree"/usr/lib/linux-image-*/sun8i-h3-nanopi-neo.dtb "$tree" &&
		fdtput -t x "$tree" /soc/thermal-sensor@1c25000 reg 44000 400 &&
		fdtput -t x "$tree" /thermal-zones/cpu-thermal polling-delay 3e8 &&
		fdtput -t x "$tree" /thermal-zones/cpu-thermal polling-delay-passive fa
}

# at 45 C
board_boot() {
	h3_boot "$cache/$board.dtb" -device loader,addr=0x44080,data=1420,data-len=4
}
