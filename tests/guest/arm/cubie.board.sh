# SPDX-License-Identifier: GPL-2.0-or-later
# cubie.board.sh - Cubieboard, one CPU: cpufreq takes every rate, the hardware is stuck
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/arm.sh
. "$here/arm.sh"

arm_arch=armhf
arm_modules="cpufreq-dt $arm_governors mdio-sun4i sun4i-emac phy-sun4i-usb ehci-platform
	ohci-platform ftdi_sio"
arm_console=ttyS0,115200
arm_tap=/dev/ttyUSB0
arm_wait=$arm_policy0,/sys/class/net/eth0
board_set=all
board_test=arm/cubie.test.sh
board_packages=$(arm_packages armhf)

# The regulator hangs on an I2C bus that this machine does not have.
board_prepare() {
	local tree=$cache/$board.dtb

	arm_prepare
	cp "$arm_tree"/usr/lib/linux-image-*/sun4i-a10-cubieboard.dtb "$tree" &&
		fdtput -d "$tree" /cpus/cpu@0 cpu-supply
}

board_boot() {
	arm_boot 300 qemu-system-arm -M cubieboard,usb=on -dtb "$cache/$board.dtb" -serial stdio \
		-chardev "file,id=results,path=$guest_results" \
		-device usb-serial,chardev=results -nic user,restrict=on
}
