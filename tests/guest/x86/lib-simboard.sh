# SPDX-License-Identifier: GPL-2.0-or-later
# lib-simboard.sh - the simulated board's levers; trials with heat; sourced by x86 tests
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh

simboard=/sys/module/simboard/parameters
zone=/sys/class/thermal/thermal_zone0

# busybox prefers its own applet
ip() {
	/usr/bin/ip "$@"
}

# What both boards of this module have in common.
is_simboard() {
	board_model='Simulated board'
	board_compatible=
	table_policy0='408000 600000 816000 1008000 1200000 1296000 1512000'
	clock_follows=yes
	nic=$(nic_of 01)
}

lever() { # NAME VALUE
	echo "$2" >"$simboard/$1"
}

cooling_states() {
	for cooling in /sys/class/thermal/cooling_device*; do
		case $(cat "$cooling/type") in
		cpufreq-*) cat "$cooling/cur_state" ;;
		esac
	done
}

all_held() {
	! cooling_states | grep -qx 0
}

none_held() {
	! cooling_states | grep -qvx 0
}

# Past the first passive trip, and there to stay, until each policy is held.
heat() {
	lever temp 80000
	lever hold 1
	await 'cooling holds every policy' all_held
}

cool() {
	lever temp 40000
	lever hold 1
	await 'cooling lets go' none_held
	lever hold 0
}

# The board with other parameters: as if one had changed the hardware.
simboard_reload() { # PARAMETER=VALUE...
	rmmod simboard
	insmod /test/simboard.ko "$@"
}

# NICs by their addresses: names depend on who was found first.
nic_of() { # LAST-BYTE
	for nic_dir in /sys/class/net/*; do
		[ "$(cat "$nic_dir/address")" != "52:54:00:00:00:$1" ] || echo "${nic_dir##*/}"
	done
}

# A board at full load and its highest clock whatever the traffic, whose temperature
# follows the clock so fast that the cooling of one leg is over when the next begins: the
# trial looks at all of it, at what it omits from the traffic too. With one policy and RTH
# 15000: 51 C at 816 MHz, 85 C at 1512 MHz, throttled from 60 C.
model_quick() { # RTH TRIP
	model_governor=$(policy_file "${policies%% *}" scaling_governor)
	set_governor performance
	lever hold 0
	lever load 100
	lever rth "$1"
	lever tau_ms 200
	lever step_ms 20
	lever noise 20
	echo "$2" >$zone/trip_point_0_temp
}

model_reset() {
	lever load -1
	lever rth 6000
	lever tau_ms 20000
	lever step_ms 100
	lever noise 150
	echo 70000 >$zone/trip_point_0_temp
	cool
	set_governor "$model_governor"
}

set_governor() {
	for model_policy in $policies; do
		echo "$1" >"$cpufreq/$model_policy/scaling_governor"
	done
}

# The highest temperature of the model itself while a command runs: leaves it in $peak.
with_peak() { # COMMAND...
	: >"$scratch/peak"
	(
		while [ -e "$scratch/peak" ]; do
			read -r now <"$simboard/temp"
			echo "$now" >>"$scratch/peaks"
			sleep 0.1
		done
	) &
	peak_pid=$!
	: >"$scratch/peaks"
	"$@"
	rm "$scratch/peak"
	wait $peak_pid
	peak=$(sort -n "$scratch/peaks" | tail -n 1)
}

# agrees MILLICELSIUS MODEL TEXT: within 1 C
agrees() {
	case $1 in
	'' | *[!0-9]*) ok 1 "$3: \"$1\" is a temperature" ;;
	*)
		[ $(($1 - $2)) -le 1000 ] && [ $(($2 - $1)) -le 1000 ]
		ok $? "$3: $1 mC, the model says $2 mC"
		;;
	esac
}

hottest_side() {
	printf '%s\n%s\n' "$(inner temperature before)" "$(inner temperature after)" |
		sort -n | tail -n 1
}

throttled() { # SIDE
	awk -v side="    \"$1\": {" '
	/^  "clocks": \{/ { clocks = 1 }
	/^  [^ ]/ && !/"clocks"/ { clocks = 0 }
	clocks && $0 == side { inside = 1 }
	inside && /"throttled"/ { print $2; exit }' "$scratch/out" | tr -d ,
}

# sides BEFORE AFTER TEXT: which of them throttled, and the flag
sides() {
	is "$(throttled before) $(throttled after)" "$1 $2" "$3: throttled before, after"
	has_word flags throttled
	is $? "$(case $* in true* | 'false true'*) echo 0 ;; *) echo 1 ;; esac)" "$3: the flag"
}

cap_by_hand() { # KHZ
	for cap_policy in $policies; do
		echo "$1" >"$cpufreq/$cap_policy/scaling_max_freq"
	done
}

heat_profile() { # FILE MAX
	for heat_policy in $policies; do
		printf '[cpufreq:%s]\nmax_freq = %s\n' "$heat_policy" "$2"
	done >"$1"
}

# Another heatsink between two trials: each reports the model's own temperature, and the
# one that the model must end at, from its parameters.
check_heatsink() {
	check heatsink
	heat_profile "$scratch/fast.ini" hw-max
	for sink in 9000 4000; do
		model_quick $sink 70000
		with_peak trial "$scratch/fast.ini" --time 1 --omit 1 --pairs 2 --keep never
		verdict_agrees "$sink mC per W"
		is "$(inner temperature sensor)" soc-thermal 'the sensor'
		agrees "$(hottest_side)" "$peak" "$sink mC per W, the hottest"
		agrees "$(inner temperature after)" \
			$(($(cat $simboard/ambient) + sink * $(cat $simboard/power_mw) / 1000)) \
			"$sink mC per W, where it ends"
		sides false false "$sink mC per W"
		model_reset
	done
}

check_throttled_after() {
	check throttled-after
	model_quick 15000 60000
	cap_by_hand 816000
	lever temp 50000
	heat_profile "$scratch/fast.ini" hw-max
	trial "$scratch/fast.ini" --time 1 --omit 1 --pairs 2 --keep not-worse
	verdict_agrees 'hot with the profile only'
	is "$(field verdict)" worse 'is worse'
	has_word reasons throttled-after
	ok $? 'because it throttles'
	sides false true 'hot with the profile only'
	is "$(field kept)" false 'not kept'
	model_reset
	for hot_policy in $policies; do
		reads "$cpufreq/$hot_policy/scaling_max_freq" 816000 "$hot_policy is as it was"
	done
	cap_by_hand 9999999
}

check_throttled_before() {
	check throttled-before
	model_quick 15000 60000
	lever temp 70000
	heat_profile "$scratch/slow.ini" 816MHz
	trial "$scratch/slow.ini" --time 1 --omit 1 --pairs 2 --keep never
	verdict_agrees 'hot without the profile only'
	sides true false 'hot without the profile only'
	! has_word reasons throttled-after
	ok $? 'that is no reason against the profile'
	model_reset
	run revert
	exits 0 'a revert, cool again'
	restored "$scratch/state.start" 'no cap of the cooling stays behind'
}

check_throttled_both() { # MAX RTH
	check throttled-both
	model_quick "$2" 60000
	lever temp 70000
	heat_profile "$scratch/hot.ini" "$1"
	trial "$scratch/hot.ini" --time 1 --omit 1 --pairs 2 --keep never
	verdict_agrees 'hot with and without'
	sides true true 'hot with and without'
	! has_word reasons throttled-after
	ok $? 'that is no reason against the profile'
	model_reset
	run revert
	exits 0 'a revert, cool again'
	restored "$scratch/state.start" 'no cap of the cooling stays behind'
}
