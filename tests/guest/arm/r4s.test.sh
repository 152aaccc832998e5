# SPDX-License-Identifier: GPL-2.0-or-later
# r4s.test.sh - two clusters, each with its clocks and tunables; one of them offline
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/knob-checks.sh
. /test/lib-arm.sh

board_model='FriendlyElec NanoPi R4S'
board_compatible=friendlyarm,nanopi-r4s
policies='policy0 policy4'
table_policy0='408000 816000 1008000 1416000'
table_policy4='408000 816000 1200000 1800000'
is_virt

# Sections by cluster, the capacity tells which is which; a policy's own section wins.
check_clusters() {
	check clusters
	printf '[cpufreq]\nmax_freq = hw-max\n[cpufreq:little]\nmax_freq = %s\n' \
		"$(point policy0 -2)" >"$scratch/clusters.ini"
	printf '[cpufreq:big]\nmax_freq = 408MHz\n[cpufreq:policy4]\nmax_freq = %s\n' \
		"$(point policy4 -2)" >>"$scratch/clusters.ini"
	run apply "$scratch/clusters.ini" --json
	exits 0 'little, big and policy4'
	is "$(rows | wc -l)" 2 'one row each'
	reads $cpufreq/policy0/scaling_max_freq "$(point policy0 -2)" 'little'
	reads $cpufreq/policy4/scaling_max_freq "$(point policy4 -2)" 'policy4, not big'
	run revert
	exits 0 'revert'
	restored "$scratch/state.start" 'everything is as before'
}

check_settings
check_clusters
check_offline policy4 4 5
check_trips 0 passive:70000 passive:75000 critical:95000
check_held
cable_up "$nic" "$(nic_of e1000e)"
check_affinity "$nic-.*" 5
board_state >"$scratch/state.start"
check_trial
finish
