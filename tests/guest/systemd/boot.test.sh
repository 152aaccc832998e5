# SPDX-License-Identifier: GPL-2.0-or-later
# boot.test.sh - what the boot apply tells and costs, and where it cannot; sourced by
# systemd.test.sh
# shellcheck shell=sh disable=SC2154,SC3044 # variables of systemd.test.sh; `run enable`

# entries MATCH...: the journal's entries of this boot with these fields, JSON, one a line
entries() {
	journalctl -q -b -o json "$@"
}

# value FIELD: of entries on standard input
value() {
	sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

# told MATCH... : the entries are there, of the unit; they are left in $scratch/told
told() {
	journalctl -q --sync
	entries "$@" >"$scratch/told"
	[ -s "$scratch/told" ] && value MESSAGE_ID <"$scratch/told" | grep -Eqx '[0-9a-f]{32}'
}

check_told() {
	check told
	is "$(show NotifyAccess)" main 'only the main process sets the status'
	status=$(show StatusText)
	is "$(printf '%s\n' "$status" | grep -c '^guest: ')" 1 \
		"the status is one line: $status"
	systemctl status $unit | grep -Fq "$status"
	ok $? 'which systemctl status shows'
	told BOARDTUNE_PROFILE=guest BOARDTUNE_OUTCOME=missing
	ok $? 'the journal has the missing NIC by field'
	is "$(value BOARDTUNE_TARGET <"$scratch/told")" 'cdc_ether e1000e' 'its target'
	value BOARDTUNE_SETTING <"$scratch/told" | grep -q 'net.*gro$'
	ok $? 'its setting' || explain "$scratch/told"
	[ "$(value PRIORITY <"$scratch/told")" -ge 5 ]
	ok $? 'and it is no warning'
	told BOARDTUNE_PROFILE=guest
	ok $? 'the journal has a summary' || return
	grep -v BOARDTUNE_SETTING "$scratch/told" >"$scratch/summary"
	is "$(wc -l <"$scratch/summary")" 1 'one'
	is "$(value MESSAGE <"$scratch/summary")" "$status" 'which is the status'
	[ "$(value __MONOTONIC_TIMESTAMP <"$scratch/summary")" -lt \
		"$(show ActiveEnterTimestampMonotonic multi-user.target)" ]
	ok $? 'the journal dates it before multi-user.target'
}

# After the start of "failing" failed.
failure_told() {
	told BOARDTUNE_PROFILE=failing BOARDTUNE_OUTCOME=fixed
	ok $? 'the journal has the failed setting by field'
	is "$(value BOARDTUNE_TARGET <"$scratch/told")" "$(was before virtio_net)" 'its target'
	value BOARDTUNE_SETTING <"$scratch/told" | grep -q 'net.*rx-fcs$'
	ok $? 'its setting' || explain "$scratch/told"
	is "$(value PRIORITY <"$scratch/told")" 3 'it is an error'
	systemctl status $unit | grep -q 'Status: "failing: .*1 failed.*rx-fcs.*fixed'
	ok $? 'systemctl status says in one line which setting, and why' ||
		tap "#   $(show StatusText)"
}

# CPU time in microseconds, with all that the kernel and systemd do in the unit's name.
cost_of_unit() {
	run revert
	rm -f /run/boardtune/boot # as at the start of a boot: with its mark
	systemctl reset-failed $unit 2>/dev/null # five starts in ten seconds are the limit
	restart
	echo $(($(show CPUUsageNSec) / 1000))
	# nobody is on this network: two minutes later it would revert
	systemctl stop boardtune-confirm.service
}

cost_by_hand() {
	run revert
	systemd-run -q --unit=lab-hand -p Type=oneshot -p RemainAfterExit=yes \
		-p CPUAccounting=yes -p SuccessExitStatus=1 \
		"$BOARDTUNE" apply guest --best-effort >/dev/null
	echo $(($(show CPUUsageNSec lab-hand) / 1000))
	systemctl stop lab-hand 2>/dev/null
}

# On a machine whose clock counts instructions, see systemd.board.sh. In turn, and the
# least of each: what else the guest does only adds to it.
check_cost() {
	check cost
	for _ in 1 2; do
		cost_by_hand >>"$scratch/by-hand"
		cost_of_unit >>"$scratch/of-unit"
	done
	by_hand=$(sort -n "$scratch/by-hand" | head -n 1)
	of_unit=$(sort -n "$scratch/of-unit" | head -n 1)
	tap "# CPU time: $by_hand us by hand, $of_unit us as the unit"
	[ "$by_hand" -gt 0 ] && [ "$of_unit" -gt 0 ] && [ "$of_unit" -le $((by_hand * 2)) ]
	ok $? 'the unit takes at most twice the CPU time of an apply by hand'
}

# nothing_applied PATTERN TEXT: the unit failed, said why, and left the board alone
nothing_applied() {
	is "$(show ActiveState) $(show Result)" 'failed exit-code' "$2: the unit fails"
	says "$1" "$2: the journal says why"
	as_before "$2: nothing is applied"
	systemctl reset-failed $unit
}

# Before: the unit is stopped, and all is reverted.
check_no_room() {
	check no-room
	mkdir -p /run/boardtune
	mount -t tmpfs -o size=4k tmpfs /run/boardtune
	dd if=/dev/zero of=/run/boardtune/full bs=4k count=1 2>/dev/null
	restart
	nothing_applied 'No space left on device' 'a full /run'
	umount /run/boardtune
	# as if nothing had been applied in this boot
	rm -f /run/boardtune/boot
	mount --bind -o ro /var/lib/boardtune /var/lib/boardtune
	restart
	nothing_applied 'Read-only file system' 'a read-only /var'
	umount /var/lib/boardtune
	mount --bind -o ro /etc /etc
	run enable failing
	exits 1 'a read-only /etc: enable fails'
	grep -q 'Read-only file system' "$scratch/err"
	ok $? 'and says why' || explain "$scratch/err"
	restart
	is "$code $(show ActiveState)" '0 active' 'a read-only /etc is enough to boot from'
	/lab/look /run/lab/now
	in_force now 'which applies the old profile'
	umount /etc
	[ -s "$mark" ]
	ok $? 'under a mark, which the reboot takes away'
}
