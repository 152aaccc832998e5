#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# systemd.test.sh - in the guest with systemd: the tests of each boot, by lab=PHASE
# shellcheck disable=SC2034,SC2154 # variables of what is sourced
set -u

export TAP_DEVICE=/dev/ttyS1 SYSTEMD_COLORS=0 SYSTEMD_PAGER='' SYSTEMD_URLIFY=0 NO_COLOR=1
BOARDTUNE=$(command -v boardtune)
# shellcheck source=tests/guest/tap-guest.sh
. /lab/tap-guest.sh
# shellcheck source=tests/guest/systemd/boot.test.sh
. /lab/boot.test.sh
# shellcheck source=tests/guest/systemd/guard.test.sh
. /lab/guard.test.sh
# shellcheck source=tests/guest/systemd/unit.test.sh
. /lab/unit.test.sh
# shellcheck source=tests/guest/systemd/security.test.sh
. /lab/security.test.sh
# shellcheck source=tests/guest/systemd/rivals.test.sh
. /lab/rivals.test.sh
# shellcheck source=tests/guest/systemd/hotplug.test.sh
. /lab/hotplug.test.sh
# shellcheck source=tests/guest/systemd/serve.test.sh
. /lab/serve.test.sh
# shellcheck source=tests/guest/systemd/package.test.sh
. /lab/package.test.sh
unit=boardtune.service
state=/var/lib/lab
policy=/sys/devices/system/cpu/cpufreq/policy0

# show PROPERTY [UNIT]: one property as systemd has it
show() {
	systemctl show -P "$1" "${2:-$unit}"
}

# was FILE NAME: a value that /lab/look has written
was() {
	sed -n "s/^$2 //p" "/run/lab/$1"
}

# in_force FILE TEXT: what a look saw is what guest.ini wants
in_force() {
	is "$(was "$1" governor) $(was "$1" max_freq) $(was "$1" up_threshold)" \
		'ondemand 1008000 25' "$2: clocks"
	is "$(was "$1" virtio_net.gro)" off "$2: NIC"
}

# as_before TEXT: the board is what it was before the boot unit
as_before() {
	/lab/look /run/lab/now
	is "$(grep -v '^ondemand_module' /run/lab/now)" \
		"$(grep -v '^ondemand_module' /run/lab/before)" "$1"
}

# journal: what the last run of the unit has said
journal() {
	journalctl -q -o cat "_SYSTEMD_INVOCATION_ID=$(show InvocationID)"
}

# says PATTERN TEXT: the unit's last run has a line like this
says() {
	journal >"$scratch/journal"
	grep -Eq -- "$1" "$scratch/journal"
	ok $? "$2" || explain "$scratch/journal"
}

# unit_is ACTIVE SUB RESULT STATUS TEXT: the unit, with its program's exit code
unit_is() {
	is "$(systemctl show -p ActiveState,SubState,Result,ExecMainStatus $unit | sort |
		tr '\n' ' ')" "ActiveState=$1 ExecMainStatus=$4 Result=$3 SubState=$2 " "$5"
}

restart() {
	systemctl restart $unit 2>"$scratch/err"
	code=$?
}

# The plan line follows when the file systems are read-only, see lab.sh. By its target:
# "systemctl poweroff" asks for a logind first.
leave() {
	tap "# $phase boot: ends at $(cut -d ' ' -f 1 /proc/uptime) s"
	echo "$tap_count" >$state/count
	echo "1..$tap_count" >/run/lab/plan
	systemctl start --no-block --job-mode=replace-irreversibly "$1.target"
}

mkdir -p $state
[ ! -e $state/count ] || tap_count=$(cat $state/count)
phase=$(sed -n 's/.*lab=\([a-z]*\).*/\1/p' /proc/cmdline)
tap "# $phase boot: multi-user.target after $(($(show ActiveEnterTimestampMonotonic \
	multi-user.target) / 1000)) ms"
case $phase in
first)
	check_boot
	check_told
	check_guard
	check_unit
	check_sandbox
	check_security
	check_failing
	check_off_file
	check_enable
	check_no_room
	check_doctor_without_bus
	cat /proc/sys/kernel/random/boot_id >$state/boot
	leave reboot
	;;
panic)
	check panic
	ok 1 'the kernel panics while the profile is applied'
	leave poweroff
	;;
held)
	check_held
	leave reboot
	;;
second)
	check_reboot
	check_plugging
	check_bus
	check_serve
	check_rivals
	check_lost
	check_package
	leave reboot
	;;
names)
	check_names
	check_cost
	leave reboot
	;;
off)
	check_off
	leave poweroff
	;;
esac
