# SPDX-License-Identifier: GPL-2.0-or-later
# clusters.board.sh - two policies, of 4 and of 2 CPUs, and two cabled virtio NICs
# shellcheck shell=bash disable=SC2034,SC2154 # shared with run
. "$here/common.sh"
board_set=commit
board_test=x86/clusters.test.sh

board_prepare() {
	x86_prepare
}

board_boot() {
	x86_boot 300 6 'clusters=4,2 passive_delay_ms=20' \
		-netdev hubport,id=c0,hubid=1 -device e1000e,netdev=c0,mac=52:54:00:00:00:01 \
		-netdev hubport,id=c1,hubid=1 -device virtio-net-pci,netdev=c1,mac=52:54:00:00:00:02
}
