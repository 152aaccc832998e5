# SPDX-License-Identifier: GPL-2.0-or-later
# lib-findings.sh - what status finds on the simulated board; sourced by its tests
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh

# finds KIND...: what status finds now is just that
finds() { # TEXT KIND...
	finds_text=$1
	shift
	run status --json
	is "$(sed -n 's/^ *"kind": "\(.*\)",$/\1/p' "$scratch/out" | sort -u | tr '\n' ' ')" \
		"${*}${*:+ }" "$finds_text" ||
		sed -n 's/^ *"text": /#   /p' "$scratch/out"
}

# The load average of the last minute, which the rules look at, falls slowly.
idle() {
	idle_left=90
	until awk '{ exit $1 > 0.4 }' /proc/loadavg || [ $idle_left = 0 ]; do
		idle_left=$((idle_left - 1))
		sleep 1
	done
}

# at_limit FILE KHZ: written, and what the policy has made of it: it follows later
at_limit() {
	echo "$2" >"$1"
	await "$1 is $2" grep -qx "$2" "$1"
}

# A rule at a time, and back: what is left of one would be found with the next.
check_findings() {
	check findings
	finds_max=$cpufreq/$policies/scaling_max_freq
	finds_min=$cpufreq/$policies/scaling_min_freq
	most=$(cat "$finds_max")
	least=$(cat "$finds_min")
	lever temp 45000
	lever hold 1
	idle
	finds 'nothing on a healthy board'
	lever temp 66000
	idle
	finds 'hot while idle' hot-idle
	lever temp 45000
	at_limit "$finds_max" 816000
	finds 'a limit below that of the hardware' limits
	at_limit "$finds_max" "$most"
	at_limit "$finds_min" "$most"
	finds 'one clock is left' single-clock
	at_limit "$finds_min" "$least"
	mkdir -p /etc/default
	printf 'ENABLE=true\nMIN_SPEED=700000\n' >/etc/default/cpufrequtils
	finds 'a minimum that is no operating point' min-between
	rm /etc/default/cpufrequtils
	mkdir -p /run/irqbalance
	finds 'irqbalance' irqbalance
	rmdir /run/irqbalance
	finds 'nothing again'
	heat
	lever temp 45000
	run status --json
	grep -q '"held"' "$scratch/out"
	ok $? 'cooling holds the clock' || explain "$scratch/out"
	cool
	finds 'which is told until the next boot' throttled
}

# Other hardware: the module is loaded anew.
check_findings_reload() {
	check findings
	simboard_reload clusters=4 fan=1
	run status --json
	! grep -q '"no-fan"' "$scratch/out"
	ok $? 'a trip with a fan'
	simboard_reload clusters=4 ro_trips=1
	lever temp 58000
	lever hold 1
	run status
	tr '\n' ' ' <"$scratch/out" | grep -q 'cannot write the  *passive trips'
	ok $? 'read-only trips, near them' || tail -n 12 "$scratch/out" | sed 's/^/#   /'
	lever not_ready -1
	lever gpu_not_ready -1
	run status --json
	grep -q '"no-sensor"' "$scratch/out"
	ok $? 'no usable sensor' || explain "$scratch/out"
	run doctor
	exits 1 'doctor tells it, too'
	grep -q 'no usable temperature sensor' "$scratch/out"
	ok $? 'in the same words'
}
