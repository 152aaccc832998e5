# SPDX-License-Identifier: GPL-2.0-or-later
# simple.test.sh - the simulated board with one policy: every check, heat, odd NICs
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/knob-checks.sh
. /test/lib-simboard.sh
. /test/lib-findings.sh

is_simboard
policies=policy0
governor=ondemand
tunable=ondemand.up_threshold
tunable_want=60
nic_key=tso
nic_feature=tx-tcp-segmentation
nic_fixed=hw-tc-offload

# A NIC of another driver and its features: by driver, there and back.
check_other_nics() {
	check other-nics
	for other in 03:vmxnet3:lro:large-receive-offload 04:virtio_net:gro:generic-receive-offload \
		05:cdc_ether:gro:generic-receive-offload; do
		other_nic=$(nic_of "${other%%:*}")
		other=${other#*:}
		other_driver=${other%%:*}
		other=${other#*:}
		ethtool -k "$other_nic" >"$scratch/other.start"
		printf '[net:other]\nDriver = %s\n%s = off\n' "$other_driver" "${other%%:*}" \
			>"$scratch/other.ini"
		run apply "$scratch/other.ini" --json
		exits 0 "$other_driver"
		is "$(rows | cut -f 2 | sort -u)" "$other_nic" "$other_driver is $other_nic"
		is "$(feature "$other_nic" "${other#*:}")" off "${other%%:*} is off"
		run revert
		exits 0 'revert'
		ethtool -k "$other_nic" >"$scratch/other.now"
		is "$(diff "$scratch/other.start" "$scratch/other.now")" '' 'and back'
	done
}

# Other hardware: tunables of the whole system, boost, trips that cannot be written, a fan,
# a sensor that is not ready.
check_odd_board() {
	check odd-board
	simboard_reload clusters=4 gov_per_policy=0 boost_khz=1608000 fan=1 ro_trips=1
	is "$(stat -c %a $zone/trip_point_0_temp)" 444 'its trips are read-only'
	is "$(cat $zone/trip_point_3_type)" active 'it has a fan'
	board_state >"$scratch/state.odd"
	printf '[cpufreq]\nboost = on\ngovernor = ondemand\nmax_freq = hw-max\n%s\n' \
		'ondemand.up_threshold = 60' >"$scratch/odd.ini"
	run apply "$scratch/odd.ini" --json
	exits 0 'boost, and tunables of the whole system'
	reads $cpufreq/boost 1 'boost is on'
	reads $cpufreq/ondemand/up_threshold 60 'the tunable is set'
	reads $cpufreq/policy0/scaling_max_freq 1608000 'the highest clock is that of boost'
	is "$(row policy0 cpufreq.max_freq note)" null 'nothing to note about that'
	run verify
	exits 0 'all hold'
	run revert --json
	exits 0 'revert'
	restored "$scratch/state.odd" 'everything is as before' ||
		tap "# $(rows | tr '\n' ';')"

	lever temp 50000
	lever hold 1
	lever not_ready 3
	printf '[cpufreq]\nmax_freq = 1200MHz\n' >"$scratch/odd.ini"
	trial "$scratch/odd.ini" --time 1 --omit 0 --pairs 2 --keep never
	verdict_agrees 'a sensor that is not ready at first'
	is "$(inner temperature sensor)" soc-thermal 'is asked again'
	agrees "$(hottest_side)" 50000 'its reading'
	lever not_ready -1
	lever gpu_not_ready -1
	trial "$scratch/odd.ini" --time 1 --omit 0 --pairs 2 --keep never
	verdict_agrees 'no sensor is ready'
	has_word flags no-sensor
	ok $? 'says so'
	is "$(inner temperature after)" null 'and invents no temperature'
}

check_findings
check_settings
check_held
check_trips_written soc-thermal thermal_zone0 trip_point_0
check_sysctl
check_other_nics
check_channels
check_one_queue "$(nic_of 01)"
check_none_such "$(nic_of 01)" channels.combined 1
cable_up "$nic" "$(nic_of 02)"
check_affinity "$nic(-.*)?" 2
check_conflict "$(awk -v nic="$nic" 'index($NF, nic) == 1 { print $NF; exit }' \
	/proc/interrupts)"
check_rps 3
check_rings "$nic"
check_threaded "$nic" 2
check_setup policy0
board_state >"$scratch/state.start"
check_trial
check_heatsink
check_throttled_after
check_throttled_before
check_throttled_both 1296MHz 15000
check_odd_board
check_findings_reload
finish
