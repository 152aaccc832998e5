# SPDX-License-Identifier: GPL-2.0-or-later
# cubie.test.sh - clocks that are taken and do nothing; a NIC without a feature to change
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/lib-arm.sh

board_model='Cubietech Cubieboard'
board_compatible=cubietech,a10-cubieboard
policies=policy0
table_policy0=$(cat $cpufreq/policy0/scaling_available_frequencies)
governor=ondemand
tunable=ondemand.up_threshold
tunable_want=60
clock_follows=no
nic=

check_identity
check_plan
check_apply
check_verify
check_revert
check_rounding
check_stuck_clock
finish
