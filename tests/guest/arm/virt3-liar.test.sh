# SPDX-License-Identifier: GPL-2.0-or-later
# virt3-liar.test.sh - a clock that takes every rate and stays: the truth is in the report
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/lib-arm.sh

board_model=linux,dummy-virt
board_compatible=linux,dummy-virt
policies=policy0
table_policy0='600000 800000 1000000 1400000'
is_virt
clock_follows=no

# The limits are what was asked for, so the settings hold; the clocks that a trial reports
# are those of the hardware, whatever was asked for.
check_liar() {
	check liar
	printf '[cpufreq]\nmin_freq = %s\nmax_freq = %s\n' "$(point policy0 1)" \
		"$(point policy0 1)" >"$scratch/liar.ini"
	trial "$scratch/liar.ini" --time 1 --omit 0 --pairs 2 --keep always
	verdict_agrees 'a lower clock that is none'
	reads $cpufreq/policy0/scaling_max_freq "$(point policy0 1)" 'the limit is taken'
	is "$(sed -n '/"clocks": {/,/^  }/p' "$scratch/out" | tr -d ' \n' |
		sed 's/.*"after":{"khz":\[\([0-9]*\).*/\1/')" 1000000 \
		'the trial reports the clock of the hardware'
	run revert
	exits 0 'revert'
	restored "$scratch/state.start" 'everything is as before'
}

check_identity
check_plan
check_apply
check_verify
check_revert
check_stuck_clock
cable_up "$nic" "$(nic_of e1000e)"
board_state >"$scratch/state.start"
check_liar
finish
