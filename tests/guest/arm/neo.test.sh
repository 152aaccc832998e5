# SPDX-License-Identifier: GPL-2.0-or-later
# neo.test.sh - NanoPi NEO: every check; its sensor has no reading; a USB NIC as the peer
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/knob-checks.sh
. /test/lib-arm.sh

is_neo

# stmmac changes nothing while its link is down; the device is there all the same.
check_down() {
	check down
	is "$(cat /sys/class/net/$nic/operstate)" down 'the link is down'
	board_state >"$scratch/state.down"
	printf '[cpufreq]\ngovernor = %s\n[net:a]\nName = %s\n%s = off\n' "$governor" $nic \
		$nic_key >"$scratch/down.ini"
	run apply "$scratch/down.ini" --json
	exits 1 'an apply is refused'
	is "$(grep -c '"errno": "EBUSY"' "$scratch/out")" 1 'EBUSY'
	is "$(row $nic net.rx-gro outcome)" refused 'refused, not missing'
	restored "$scratch/state.down" 'everything is as before'
}

check_down
ip link set $nic up
check_settings
check_trips 0 passive:80000 critical:100000
check_trips_fixed cpu-thermal 80000
check_one_queue usb0
check_sysctl
cable_up "$nic" usb0
check_affinity eth0 1
check_conflict eth0
check_rps 2
check_rings "$nic"
board_state >"$scratch/state.start"
check_trial
is "$(cat /sys/class/thermal/thermal_zone0/temp 2>&1 | sed 's/.*: //')" 'No data available' \
	'the sensor has no reading'
has_word flags no-sensor "$scratch/trial.json"
ok $? 'which the trial says'
is "$(inner temperature after "$scratch/trial.json")" null 'and invents no temperature'
finish
