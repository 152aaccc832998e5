# SPDX-License-Identifier: GPL-2.0-or-later
# lib-arm.sh - what the tests of ARM boards share: a sensor that they set, clocks, trials
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
#
# A board with a sensor sets: sensor, the address of its register; sensor_hot, what to write
# there for temperatures past the passive trip, rising; sensor_warm, for usual ones, falling.
# Cooling (step_wise) goes one step further with each rise, and one back with each fall.

# busybox prefers its own applet
ip() {
	/usr/bin/ip "$@"
}

# What the boards have in common that are QEMU's arm64 machine.
is_virt() {
	governor=ondemand
	tunable=ondemand.up_threshold
	tunable_want=60
	clock_follows=yes
	nic=$(nic_of vmxnet3)
	nic_key=tso
	nic_feature=tx-tcp-segmentation
	nic_fixed=hw-tc-offload
	sensor=0x7f000200
	sensor_warm='0x106e0 0x106e5 0x106eb 0x106f0'
	sensor_hot='0x106a5 0x106a0 0x1069b'
}

# NanoPi NEO. All runs on one CPU: on some 32-bit kernels (6.1.160 to 6.1.190) the
# counters of its NIC can be left locked when two CPUs count at once, and who reads them
# then never comes back. So it is on the real board.
is_neo() {
	board_model='FriendlyARM NanoPi NEO'
	board_compatible=friendlyarm,nanopi-neo
	policies=policy0
	table_policy0='648000 816000 1008000'
	governor=ondemand
	tunable=ondemand.up_threshold
	tunable_want=60
	clock_follows=yes
	nic=eth0
	nic_key=gro
	nic_feature=generic-receive-offload
	nic_fixed=tx-tcp-segmentation
	taskset -p 1 $$ >/dev/null
}

# nic_of DRIVER: the interface that it drives
nic_of() {
	for nic_path in /sys/class/net/*; do
		nic_driver=$(readlink "$nic_path/device/driver") || continue
		[ "${nic_driver##*/}" != "$1" ] || { echo "${nic_path##*/}"; return; }
	done
}

cooling_states() {
	cat /sys/class/thermal/cooling_device*/cur_state
}

cooling_rests() {
	[ "$(cooling_states | sort -u)" = 0 ]
}

cooling_moved() { # STATES-BEFORE
	[ "$(cooling_states)" != "$1" ]
}

# Whether each policy is held below the second of its clocks from the top.
cooling_holds() {
	for holds_policy in $policies; do
		[ "$(policy_file "$holds_policy" scaling_max_freq)" -lt \
			"$(point "$holds_policy" -1)" ] || return 1
	done
}

# temper VALUES COMMAND: one temperature after the other until COMMAND succeeds
temper() {
	for temper_value in $1; do
		temper_before=$(cooling_states)
		devmem "$sensor" 32 "$temper_value"
		await_quietly cooling_moved "$temper_before"
		sleep 0.2
		! $2 || return 0
	done
	$2
}

heat() {
	temper "$sensor_hot" cooling_holds || ok 1 'cooling holds the clocks'
}

cool() {
	cooling_rests || temper "$sensor_warm" cooling_rests || ok 1 'cooling lets go'
}

# Trips cannot be written on these kernels (6.1 without the option for it).
check_trips() { # ZONE TYPE:MILLIDEGREES...
	check trips
	trips_zone=/sys/class/thermal/thermal_zone$1
	shift
	trips_number=0
	for trip in "$@"; do
		trip_file=$trips_zone/trip_point_$trips_number
		is "$(cat "${trip_file}_type"):$(cat "${trip_file}_temp")" "$trip" \
			"trip $trips_number of $(cat "$trips_zone/type")"
		is "$(stat -c %a "${trip_file}_temp")" 444 'is read-only'
		trips_number=$((trips_number + 1))
	done
}

# The profile throttles the board: the sensor gets hot while it is in force and cools when
# it is not, which a governor shows. Only after must be worse, only before is not.
throttle_with() { # GOVERNOR
	(
		while :; do
			if [ "$(cat $cpufreq/policy0/scaling_governor)" = "$1" ]; then
				devmem "$sensor" 32 "${sensor_hot%% *}"
			else
				devmem "$sensor" 32 "${sensor_warm##* }"
			fi
			sleep 0.2
		done
	) &
	throttle_pid=$!
}

throttle_end() {
	kill $throttle_pid
	wait $throttle_pid 2>/dev/null
	devmem "$sensor" 32 "${sensor_warm%% *}"
	cool
}

# For boards whose sensor can be set. Other than by the sensor the sides do not differ. The
# first two seconds of a test are left out: the kernel polls, cooling lags the switch.
check_throttled() {
	check throttled
	throttle_now=$(cat $cpufreq/policy0/scaling_governor)
	printf '[cpufreq]\ngovernor = %s\n' "$governor" >"$scratch/throttle.ini"
	throttle_with "$governor"
	trial "$scratch/throttle.ini" --time 2 --omit 2 --pairs 2 --keep never
	throttle_end
	is "$(field verdict)" worse 'throttled only after is worse' ||
		explain "$scratch/err" "$scratch/out"
	has_word flags throttled
	ok $? 'and is flagged'
	throttle_with "$throttle_now"
	trial "$scratch/throttle.ini" --time 2 --omit 2 --pairs 2 --keep never
	throttle_end
	case $(field verdict) in better | same | inconclusive) true ;; *) false ;; esac
	ok $? "throttled only before is not worse ($(field verdict))"
	heat
	trial "$scratch/throttle.ini" --time 1 --omit 0 --pairs 2 --keep never
	cool
	has_word flags throttled
	ok $? 'throttled in both is flagged'
	restored "$scratch/state.start" 'everything is as before'
}

# No clock that the kernel could set: a profile for clocks finds no policy.
check_no_cpufreq() {
	check no-cpufreq
	printf '[cpufreq]\nmax_freq = hw-max\n' >"$scratch/clock.ini"
	run plan "$scratch/clock.ini" --json
	exits 0 'a plan can be made'
	is "$(rows | cut -f 3)" missing 'there is no policy'
	run apply "$scratch/clock.ini"
	exits 1 'an apply is refused'
	printf '[cpufreq]\n-max_freq = hw-max\n' >"$scratch/clock.ini"
	run apply "$scratch/clock.ini"
	exits 0 'forgiven with a dash'
	run revert
	exits 0 'revert'
}

# The kernel believes what it asked for; the clock itself says that it did not move.
check_stuck_clock() {
	check stuck-clock
	stuck_before=$(policy_file policy0 cpuinfo_cur_freq)
	for stuck_want in "$(point policy0 1)" "$(point policy0 -1)"; do
		printf '[cpufreq]\nmin_freq = %s\nmax_freq = %s\n' "$stuck_want" "$stuck_want" \
			>"$scratch/stuck.ini"
		run apply "$scratch/stuck.ini"
		exits 0 "the limits of $stuck_want kHz are taken"
		sleep 0.5
		is "$(policy_file policy0 cpuinfo_cur_freq)" "$stuck_before" 'the clock stays'
	done
	run revert
	exits 0 'revert'
	restored "$scratch/state.start" 'everything is as before'
}
