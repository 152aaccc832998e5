# SPDX-License-Identifier: GPL-2.0-or-later
# clusters.test.sh - the simulated board with two policies
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/knob-checks.sh
. /test/lib-simboard.sh

is_simboard
policies='policy0 policy4'
table_policy4='408000 600000 816000 1008000 1200000 1416000 1608000 1800000'
governor=conservative
tunable=conservative.freq_step
tunable_want=12
nic_key=gro
nic_feature=generic-receive-offload
nic_fixed=loopback

# little and big are found by their highest clock.
check_labels() {
	check labels
	printf '[cpufreq]\nmax_freq = 1008MHz\n[cpufreq:big]\nmax_freq = 1416MHz\n' \
		>"$scratch/label.ini"
	run apply "$scratch/label.ini"
	exits 0 'a setting for all, another for big'
	reads $cpufreq/policy0/scaling_max_freq 1008000 'little'
	reads $cpufreq/policy4/scaling_max_freq 1416000 'big'
	run revert
	exits 0 'revert'
}

check_settings
check_offline policy4 4 5
check_labels
check_held
cable_up "$nic" "$(nic_of 02)"
check_affinity "$nic(-.*)?" 5
board_state >"$scratch/state.start"
check_trial
finish
