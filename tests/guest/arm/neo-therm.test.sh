# SPDX-License-Identifier: GPL-2.0-or-later
# neo-therm.test.sh - NanoPi NEO with a sensor that the test sets: it really throttles
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/lib-arm.sh

is_neo
tunable=
sensor=0x44080
sensor_warm='1380 1400 1410 1420'
sensor_hot='1120 1110 1100'

ip link set $nic up
check_identity
check_plan
check_trips 0 passive:80000 critical:100000
check_held
cable_up "$nic" usb0
board_state >"$scratch/state.start"
check_throttled
finish
