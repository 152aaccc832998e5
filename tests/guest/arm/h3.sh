# SPDX-License-Identifier: GPL-2.0-or-later
# h3.sh - sourced by the boards with an Allwinner H3: QEMU's orangepi-pc with their own tree
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/arm.sh
. "$here/arm.sh"

arm_arch=armhf
# The results leave by a USB serial port: the boards enable one UART, the console's.
arm_modules="nvmem_sunxi_sid cpufreq-dt $arm_governors sun8i_thermal dwmac-sun8i
	phy-sun4i-usb ehci-platform ohci-platform ftdi_sio usbnet cdc_ether"
arm_console=ttyS0,115200
arm_tap=/dev/ttyUSB0
arm_wait=$arm_policy0,/sys/class/net/eth0,/sys/class/net/usb0
board_packages=$(arm_packages armhf)

# h3_boot DTB QEMU-ARG...: its own NIC and a USB one, cabled together
h3_boot() {
	local tree=$1

	shift
	arm_boot 300 qemu-system-arm -M orangepi-pc -dtb "$tree" -serial stdio \
		-chardev "file,id=results,path=$guest_results" \
		-device usb-serial,chardev=results \
		-netdev hubport,id=a,hubid=1 -net nic,netdev=a \
		-netdev hubport,id=b,hubid=1 -device usb-net,netdev=b "$@"
}

board_prepare() {
	arm_prepare
}
