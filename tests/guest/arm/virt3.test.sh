# SPDX-License-Identifier: GPL-2.0-or-later
# virt3.test.sh - arm64, one policy: every check, heat, trials by a 4-queue NIC
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/knob-checks.sh
. /test/lib-arm.sh

board_model=linux,dummy-virt
board_compatible=linux,dummy-virt
policies=policy0
table_policy0='600000 800000 1000000 1400000'
is_virt

check_settings
check_trips 0 passive:75000 critical:90000
check_trips_fixed cpu-thermal 75000
check_channels
check_held
cable_up "$nic" "$(nic_of e1000e)"
check_dealt "$nic" "$nic-.*" 1 2 3
check_rings "$nic"
check_threaded "$nic" 1
board_state >"$scratch/state.start"
check_trial
finish
