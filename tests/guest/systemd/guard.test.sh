# SPDX-License-Identifier: GPL-2.0-or-later
# guard.test.sh - a boot that hung, and a network that was lost; sourced by systemd.test.sh
# shellcheck shell=sh disable=SC2154,SC3044 # variables of systemd.test.sh; `run enable`

mark=/var/lib/boardtune/boot-mark
guard=boardtune-confirm.service

# The NIC has a carrier, and nobody to talk to.
check_guard() {
	check guard
	is "$(systemctl is-active $guard)" active 'the guard waits'
	[ -s $mark ]
	ok $? 'the mark stands'
	systemctl stop $guard
	is "$(show ActiveState $guard) $(show Result $guard)" 'inactive success' \
		'a stop is no failure'
	[ ! -e $mark ]
	ok $? 'and takes the mark away'
	/lab/look /run/lab/now
	in_force now 'what is in force stays'
	systemctl reload $unit
	await 'a reload has a guard again' systemctl -q is-active $guard
	[ -s $mark ]
	ok $? 'and a mark'
	systemctl stop $guard
}

guard_ended() {
	case $(show ActiveState $guard) in active | deactivating) return 1 ;; esac
}

# The NIC gets a carrier, and there is nobody to talk to. When the apply was is made to be
# long ago: two minutes are over at once.
check_lost() {
	check lost
	run revert
	ip link set "$(was before virtio_net)" up
	await 'the NIC has a carrier' \
		grep -q 1 "/sys/class/net/$(was before virtio_net)/carrier"
	restart
	cp $mark "$scratch/mark"
	systemctl stop $guard
	cp "$scratch/mark" $mark
	/lab/look /run/lab/now
	in_force now 'in force'
	sed -i '2s/.*/-1000/' /run/boardtune/boot
	systemctl start $guard
	await 'no neighbour: the guard ends' guard_ended
	is "$(show Result $guard)" exit-code 'and fails'
	as_before 'what was before is back'
	[ ! -e $mark ]
	ok $? 'the mark is gone: the next boot applies again'
	told BOARDTUNE_PROFILE=guest PRIORITY=3
	ok $? 'the journal has it by field'
	value MESSAGE <"$scratch/told" | grep -q 'nobody answers'
	ok $? 'and says why' || explain "$scratch/told"
	systemctl reset-failed $guard
}

# The boot before ended while the profile was applied: /lab/panic.
check_held() {
	check held
	is "$(wc -l <$state/panicked)" 1 'the kernel panicked in the middle of the apply'
	is "$(systemctl is-active multi-user.target)" active 'this boot comes up'
	unit_is failed failed exit-code 1 'the unit failed'
	as_before 'nothing is applied'
	says 'guest' 'the journal names the profile'
	says 'boardtune enable guest' 'and how to go on'
	told BOARDTUNE_PROFILE=guest PRIORITY=3
	ok $? 'the journal has it by field'
	restart
	unit_is failed failed exit-code 1 'a second start applies nothing either'
	as_before 'nothing is applied then'
	run doctor
	exits 1 'doctor finds it'
	grep -q 'profile guest' "$scratch/out" && grep -q 'boardtune enable' "$scratch/out"
	ok $? 'names the profile, and says how to go on' || explain "$scratch/out"
	run enable guest
	exits 0 'enable'
	[ ! -e $mark ]
	ok $? 'takes the mark away'
	as_before 'and applies nothing'
	restart
	is "$code" 0 'the next start applies'
	/lab/look /run/lab/now
	in_force now 'in force'
	[ -s $mark ]
	ok $? 'under a mark, which the reboot takes away'
}
