# SPDX-License-Identifier: GPL-2.0-or-later
# zerow.test.sh - Raspberry Pi Zero W: no cpufreq here, one CPU, USB NICs only
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/knob-checks.sh
. /test/lib-arm.sh

board_model='Raspberry Pi Zero W'
board_compatible=raspberrypi,model-zero-w
policies=
clock_follows=no
tunable=
nic=usb0
nic_key=gro
nic_feature=generic-receive-offload
nic_fixed=tx-tcp-segmentation

# A kernel for one CPU has no affinity files.
check_no_affinity() {
	check no-affinity
	is "$(find /proc/irq -name smp_affinity | head -n 1)" '' 'there are no affinity files'
	printf '[net:a]\nName = %s\nirq.affinity = 0\n' "$nic" >"$scratch/irq.ini"
	run apply "$scratch/irq.ini" --json
	exits 1 'an apply is refused'
	is "$(rows | cut -f 3 | sort -u)" unsupported 'unsupported'
}

check_identity
check_plan
check_no_cpufreq
check_apply
check_verify
check_revert
check_killed
check_fixed
check_trips 0 critical:90000
check_no_affinity
cable_up "$nic" usb1
board_state >"$scratch/state.start"
check_trial
finish
