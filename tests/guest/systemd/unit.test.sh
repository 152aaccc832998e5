# SPDX-License-Identifier: GPL-2.0-or-later
# unit.test.sh - checks of the boot unit; sourced by systemd.test.sh
# shellcheck shell=sh disable=SC2154,SC3044 # variables of systemd.test.sh; `run enable`

# No NIC of the USB driver is there, and the governor's module is not loaded.
check_boot() {
	check boot
	is "$(systemctl is-system-running --wait)" running 'the system runs, no unit failed'
	is "$(systemctl is-active multi-user.target)" active 'multi-user.target is reached'
	is "$(systemctl is-enabled $unit)" enabled 'enable --root on the image'
	is "$(was before governor) $(was before max_freq) $(was before virtio_net.gro)" \
		'schedutil 1512000 on' 'the board before it'
	is "$(was before ondemand_module) $(was early ondemand_module)" '0 1' \
		'the kernel loaded the governor for it'
	in_force early 'in force before multi-user.target'
	[ "$(show ActiveEnterTimestampMonotonic)" -gt 0 ] &&
		[ "$(show ActiveEnterTimestampMonotonic)" -lt \
			"$(show ActiveEnterTimestampMonotonic multi-user.target)" ]
	ok $? 'the unit was through before multi-user.target'
	/lab/look /run/lab/now
	in_force now 'and still is'
}

check_unit() {
	check unit
	unit_is active exited success 0 'an unplugged NIC is no failure'
	systemctl status $unit >"$scratch/out"
	is $? 0 'systemctl status'
	says 'cdc_ether e1000e.*: missing' 'the journal says missing'
	is "$(journalctl -q -u $unit -p warning)" '' 'no warnings'
	[ -s /run/boardtune/undo.json ]
	ok $? 'the undo record is there after the unit'
	is "$(stat -c '%U %a' /var/lib/boardtune)" 'root 755' 'and its state directory'

	systemctl stop $unit
	is "$(show ActiveState)" inactive 'stopped'
	[ -s /run/boardtune/undo.json ]
	ok $? 'a stop keeps the undo record'
	/lab/look /run/lab/now
	in_force now 'and what is in force'
	echo 1512000 >$policy/scaling_max_freq
	await 'somebody else writes' grep -q 1512000 $policy/scaling_max_freq
	run verify --json
	exits 1 'somebody else writes: verify tells'
	is "$(row policy0 cpufreq.max_freq outcome)" overridden 'overridden'
	restart
	is $code 0 'started again'
	/lab/look /run/lab/now
	in_force now 'in force again'
	run revert
	exits 0 'revert'
	as_before 'revert knows what was before the first start'
	[ ! -e /run/boardtune/undo.json ]
	ok $? 'the undo record is gone'
}

check_sandbox() {
	check sandbox
	is "$(show NoNewPrivileges) $(show DevicePolicy) $(show IPAddressDeny | wc -l)" \
		'yes closed 1' 'the unit has a sandbox'
	is "$(show CapabilityBoundingSet)" 'cap_net_admin cap_sys_nice' 'two capabilities'
	# of the program itself: landlock asks for no_new_privs, which a shell does not set
	flock /run/boardtune/lock sleep 20 &
	lock=$!
	"$BOARDTUNE" apply --boot >/dev/null 2>&1 &
	await 'the program confines itself' \
		grep -Eq '^NoNewPrivs:[[:space:]]*1$' "/proc/$!/status"
	kill "$!" "$lock"
	wait
}

# Kept is what can be; the unit says that not all could.
check_failing() {
	check failing
	run enable failing
	exits 0 'enable another profile'
	restart
	[ $code != 0 ]
	ok $? 'a setting that cannot be: the start fails'
	unit_is failed failed exit-code 1 'the unit failed'
	systemctl status $unit >"$scratch/out"
	is $? 3 'systemctl status'
	is "$(systemctl is-system-running)" degraded 'the system is degraded'
	says 'rx-fcs of .*: fixed' 'the journal says which setting, and why'
	failure_told
	says 'min_freq of policy0: rounded' 'and what the kernel rounded'
	/lab/look /run/lab/now
	is "$(was now min_freq) $(was now max_freq) $(was now virtio_net.gro)" \
		'600000 816000 off' 'what can be is kept'
	run revert
	as_before 'revert after a failed unit'

	cp /etc/boardtune/profiles/guest.ini /etc/boardtune/profiles/broken.ini
	run enable broken
	echo 'max_frq = 1GHz' >>/etc/boardtune/profiles/broken.ini
	restart
	unit_is failed failed exit-code 2 'a profile with an error: the unit failed'
	says 'broken.ini:[0-9]+: ' 'the journal has file and line'
	as_before 'nothing was touched'
	run enable broken
	exits 2 'and it cannot be enabled'
	run enable guest
	systemctl reset-failed $unit
}

# not_started TEXT: a condition keeps the unit from starting, which is no failure.
not_started() {
	is "$(show ConditionResult) $(show ActiveState)" 'no inactive' "$1"
	as_before "$1: nothing is applied"
	[ ! -e /run/boardtune/undo.json ]
	ok $? "$1: nothing is to undo"
}

check_off_file() {
	check off-file
	for file in /boot/boardtune.off /boot/firmware/boardtune.off; do
		mkdir -p "${file%/*}"
		: >$file
		restart
		not_started $file
		rm $file
	done
	restart
	is "$code $(show ConditionResult) $(show ActiveState)" '0 yes active' \
		'without the file it starts'
}

# reloads: how often systemd has read its units again
reloads() {
	journalctl -q -o cat _PID=1 | grep -c '^Reloading'
}

# Without a bus. systemd runs all the same, and root may speak to it.
check_enable() {
	check enable
	[ ! -e /run/dbus/system_bus_socket ]
	ok $? 'there is no bus'
	/lab/look /run/lab/now
	in_force now 'in force'
	run disable --now
	exits 0 'disable --now'
	as_before 'disable --now reverts'
	is "$(systemctl is-enabled $unit)" disabled 'disabled'
	[ ! -e /etc/boardtune/boardtune.conf ]
	ok $? 'no profile is named'
	run apply --boot
	exits 5 'apply --boot has nothing to apply'
	before=$(reloads)
	run enable guest
	exits 0 'enable'
	is "$(systemctl is-enabled $unit)" enabled 'enabled'
	[ "$(reloads)" -gt "$before" ]
	ok $? 'systemd reads its units again, without D-Bus, too'
	as_before 'enable applies nothing'
	systemctl mask -q $unit 2>/dev/null
	run enable guest
	exits 1 'enable of a masked unit'
	systemctl unmask -q $unit 2>/dev/null
	is "$(systemctl is-enabled $unit)" enabled 'unmasked: enabled as before'
}

check_reboot() {
	check reboot
	[ "$(cat /proc/sys/kernel/random/boot_id)" != "$(cat $state/boot)" ]
	ok $? 'this is another boot'
	is "$(systemctl is-system-running --wait)" running 'the system runs'
	is "$(systemctl is-enabled $unit)" enabled 'the profile is still enabled'
	is "$(was before governor) $(was before max_freq)" 'schedutil 1512000' \
		'the kernel starts as shipped'
	in_force early 'in force before multi-user.target'
	unit_is active exited success 0 'the unit'
}

# boardtune=off and net.ifnames=0 are on the command line.
check_off() {
	check off
	is "$(systemctl is-system-running --wait)" running 'the system runs'
	grep -q 'boardtune=off' /proc/cmdline
	ok $? 'boardtune=off'
	not_started 'boardtune=off'
	is "$(systemctl is-enabled $unit)" enabled 'it is enabled all the same'
	run verify --json
	exits 1 'verify: not as wanted'
	is "$(row policy0 cpufreq.governor outcome)" differs 'differs'
	is "$(was before virtio_net)" eth0 'the kernel names the NIC'
	run apply guest
	exits 1 'by hand: a NIC is missing, so nothing is applied'
	as_before 'nothing is touched'
	run apply guest --best-effort
	exits 1 'best effort tells it too'
	/lab/look /run/lab/now
	in_force now 'best effort'
	run revert
	exits 0 'revert'
	as_before 'reverted'
}

# With a bus: disable and enable have systemd read its units again.
check_bus() {
	check bus
	systemctl unmask -q dbus.service dbus.socket 2>/dev/null
	systemctl start dbus.socket dbus.service
	await 'the bus comes up' test -S /run/dbus/system_bus_socket
	before=$(reloads)
	run disable
	exits 0 'disable'
	is "$(cat "$scratch/err")" '' 'nothing to complain about'
	is "$(systemctl is-enabled $unit)" disabled 'disabled'
	[ "$(reloads)" -gt "$before" ]
	ok $? 'systemd has read its units again'
	run enable guest
	exits 0 'enabled for the next boot'
	is "$(cat "$scratch/err")" '' 'nothing to complain about then'
}
