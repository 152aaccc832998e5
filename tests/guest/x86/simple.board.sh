# SPDX-License-Identifier: GPL-2.0-or-later
# simple.board.sh - one policy of 4 CPUs, two cabled NICs, a NIC of 4 queues, a USB NIC
# shellcheck shell=bash disable=SC2034,SC2154 # shared with run
. "$here/common.sh"
board_set=commit
board_test=x86/simple.test.sh

board_prepare() {
	x86_prepare
}

# A cable: two NICs on one hub.
board_boot() {
	x86_boot 480 4 'clusters=4 passive_delay_ms=20' \
		-netdev hubport,id=c0,hubid=1 -device e1000e,netdev=c0,mac=52:54:00:00:00:01 \
		-netdev hubport,id=c1,hubid=1 -device e1000e,netdev=c1,mac=52:54:00:00:00:02 \
		-netdev hubport,id=q0,hubid=2 -device vmxnet3,netdev=q0,mac=52:54:00:00:00:03 \
		-netdev hubport,id=v0,hubid=3 -device virtio-net-pci,netdev=v0,mac=52:54:00:00:00:04 \
		-netdev hubport,id=u0,hubid=4 -device qemu-xhci \
		-device usb-net,netdev=u0,mac=52:54:00:00:00:05
}
