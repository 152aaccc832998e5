# SPDX-License-Identifier: GPL-2.0-or-later
# zerow.board.sh - Raspberry Pi Zero W, armel, one CPU, the device tree as Debian has it
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/arm.sh
. "$here/arm.sh"

arm_arch=armel
arm_modules='cpufreq-dt cpufreq_powersave cpufreq_userspace cpufreq_conservative
	bcm2835_thermal usbnet cdc_ether'
arm_console=ttyAMA0,115200
# the mini UART, this machine's second
arm_tap=/dev/ttyS1
arm_wait=/sys/class/thermal/thermal_zone0,/sys/class/net/usb1
# QEMU's power domains are not what this driver expects: it panics.
arm_append="$arm_append initcall_blacklist=bcm2835_power_driver_init"
board_set=commit
board_test=arm/zerow.test.sh
board_packages=$(arm_packages armel)

board_prepare() {
	arm_prepare
}

# two USB NICs, cabled together
board_boot() {
	arm_boot 300 qemu-system-arm -M raspi0 \
		-dtb "$(echo "$arm_tree"/usr/lib/linux-image-*/bcm2835-rpi-zero-w.dtb)" \
		-serial stdio -serial "file:$guest_results" \
		-device usb-hub,port=1 \
		-netdev hubport,id=a,hubid=1 -device usb-net,netdev=a,port=1.1 \
		-netdev hubport,id=b,hubid=1 -device usb-net,netdev=b,port=1.2
}
