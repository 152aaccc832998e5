# SPDX-License-Identifier: GPL-2.0-or-later
# hotplug.test.sh - NICs come and go while the guest runs; sourced by systemd.test.sh
# shellcheck shell=sh disable=SC2154,SC3044 # variables of the one who sources it
#
# The monitor of the QEMU that we run in is at the other end of a virtio port. It speaks
# QMP: a line there, a line back, and events in between. It stays open as descriptor 3.

monitor_port=/dev/virtio-ports/monitor
usb_mac=52:54:00:00:00:03
pci_mac=52:54:00:00:00:04

# monitor_answer: the next line that is no event, to $answer
monitor_answer() {
	while read -r answer <&3; do
		case $answer in
		*'"event"'*) ;;
		*) break ;;
		esac
	done
}

monitor_open() {
	exec 3<>$monitor_port
	monitor_answer
	monitor qmp_capabilities
}

# monitor COMMAND [ARGUMENTS]: 0 if QEMU did it
monitor() {
	printf '{"execute":"%s","arguments":{%s}}\n' "$1" "${2-}" >&3
	monitor_answer
	case $answer in
	'{"return"'*) return 0 ;;
	esac
	tap "# monitor: $answer"
	return 1
}

# nic_of MAC: the name of the NIC with that address, if it is there
nic_of() {
	for nic in /sys/class/net/*; do
		[ "$(cat "$nic/address")" != "$1" ] || echo "${nic##*/}"
	done
}

nic_there() {
	[ -n "$(nic_of "$1")" ] && udevadm settle --timeout=5
}

nic_gone() {
	[ -z "$(nic_of "$1")" ]
}

add_usb() {
	monitor device_add \
		'"driver":"usb-net","bus":"xhci.0","netdev":"n2","mac":"'$usb_mac'","id":"usb"'
}

add_pci() {
	monitor device_add \
		'"driver":"e1000e","bus":"port1","netdev":"n3","mac":"'$pci_mac'","id":"pci"'
}

# plug usb|pci MAC TEXT: sets $plugged: udev gives it another name than the kernel did
plug() {
	"add_$1"
	ok $? "$3: QEMU plugs it in"
	await "$3: the NIC appears" nic_there "$2"
	plugged=$(nic_of "$2")
}

unplug() {
	monitor device_del '"id":"'"$1"'"'
	ok $? "$3: QEMU pulls it out"
	await "$3: the NIC goes" nic_gone "$2"
}

gro() {
	ethtool -k "$1" | sed -n 's/^generic-receive-offload: //p'
}

gro_is() {
	[ "$(gro "$1")" = "$2" ]
}

# nic_idle NAME: no run for it is under way or waits
nic_idle() {
	[ "$(systemctl is-active "boardtune-nic@$1.service")" = inactive ] &&
		! systemctl list-jobs --no-legend | grep -q "boardtune-nic@$1.service"
}

# applied NAME: how often something was changed for it
applied() {
	journalctl --sync
	journalctl -q -o cat MESSAGE_ID=50c9f7f6fe0f478c84301b3928f0f7ae \
		"BOARDTUNE_TARGET=$1" | wc -l
}

# runs NAME: how often its unit has run
runs() {
	journalctl --sync
	journalctl -q -o cat -u "boardtune-nic@$1.service" | grep -c '^Finished'
}

ran_more() {
	[ "$(runs "$1")" -gt "$2" ]
}

# comes_set NAME N TEXT: it is set by itself, and N is how many applies it took so far
comes_set() {
	await "$3: it is set" gro_is "$1" off
	await "$3: the run ends" nic_idle "$1"
	is "$(applied "$1")" "$2" "$3: one apply"
}

# path_is NIC: boardtune finds a NIC by the ID_PATH that udev knows it by
path_is() {
	path=$(udevadm info -q property "/sys/class/net/$1" | sed -n 's/^ID_PATH=//p')
	printf '[net:x]\nPath = %s\ngro = off\n' "$path" >"$scratch/path.ini"
	run plan "$scratch/path.ini" --json
	is "$(rows | cut -f 1,2)" "net.rx-gro$tab$1" "Path = $path is $1"
}

check_hotplug() {
	check hotplug
	monitor_open
	ok $? 'the monitor answers'
	is "$(systemctl is-system-running --wait)" running 'the system runs'
	/lab/look /run/lab/now
	path_is "$(was now virtio_net)"
	is "$(applied "$(was now virtio_net)")" 0 'none for what the boot unit has set'
	nic_gone $usb_mac
	ok $? 'no USB NIC'

	plug usb $usb_mac 'plugged'
	path_is "$plugged"
	comes_set "$plugged" 1 'plugged'
	run verify
	exits 0 'verify: all hold'
	unplug usb $usb_mac 'unplugged'
	run verify --json
	exits 1 'verify sees that, too'
	is "$(rows | awk -F "$tab" '$3 == "missing" { print $1, $2 }')" \
		'net.gro cdc_ether e1000e' 'missing'
	restart
	unit_is active exited success 0 'unplugged is no failure'
	plug usb $usb_mac 'again'
	comes_set "$plugged" 2 'again'
}

# Another name: an event for that one, which finds all as wanted.
check_rename() {
	check rename
	ip link set "$plugged" down
	ip link set "$plugged" name lan9
	await 'renamed: a run for the new name' ran_more lan9 0
	is "$(gro lan9) $(applied lan9)" 'off 0' 'all is as wanted: nothing is said'
	ethtool -K lan9 gro on
	before=$(runs "$plugged")
	ip link set lan9 name "$plugged"
	await 'renamed back: a run' ran_more "$plugged" "$before"
	comes_set "$plugged" 3 'renamed back'
}

# As an adapter that switches its mode: there, gone, and there again as another one.
check_double() {
	check double
	unplug usb $usb_mac 'away'
	add_usb
	sleep 0.3
	monitor device_del '"id":"usb"'
	sleep 0.3
	plug usb $usb_mac 'twice'
	comes_set "$plugged" 4 'twice'
	sleep 2
	is "$(applied "$plugged") $(systemctl is-system-running)" '4 running' \
		'no other apply, and no unit failed'
}

# A link that comes up has no event: a hook tells.
check_link() {
	check link
	hook=${BOARDTUNE%/bin/*}/share/boardtune/hooks/boardtune-link-up
	ip link set "$plugged" up
	ip link set "$plugged" down
	ip link set "$plugged" up
	ethtool -K "$plugged" gro on
	before=$(runs "$plugged")
	IFACE=$plugged MODE=start "$hook"
	ok $? 'the hook of ifupdown'
	comes_set "$plugged" 5 'ifupdown'
	ethtool -K "$plugged" gro on
	NM_DISPATCHER_ACTION=down "$hook" "$plugged" down
	NM_DISPATCHER_ACTION=up "$hook" "$plugged" up
	comes_set "$plugged" 6 'NetworkManager'
	is "$(runs "$plugged")" $((before + 2)) 'a link that goes down is no reason'
	IFACE=$plugged "$hook"
	await 'as wanted: it runs' ran_more "$plugged" $((before + 2))
	is "$(applied "$plugged")" 6 'and nothing is said'
}

check_pci() {
	check pci
	plug pci $pci_mac 'plugged'
	pci=$plugged
	comes_set "$pci" 1 'plugged'
	unplug pci $pci_mac 'unplugged'
	sleep 1 # QEMU has it until the guest has let it go
	plug pci $pci_mac 'again'
	comes_set "$pci" 2 'again'
	unplug pci $pci_mac 'away'
}

# Containers' interfaces start nothing. With the rule for virtual ones taken out, a veth is
# the NIC here whose channels can be changed.
check_channels() {
	check channels
	ip link add vethq type veth peer name vethp
	ip link add lanq type veth peer name lanp
	udevadm settle --timeout=5
	is "$(systemctl list-units --all --no-legend 'boardtune-nic@veth*' \
		'boardtune-nic@lan[pq]*')" '' 'a veth starts nothing'
	ip link delete vethq
	ip link delete lanq
	rule=$(find /usr/lib/udev /usr/local/lib/udev -name 85-boardtune.rules)
	mkdir -p /run/udev/rules.d
	sed '/virtual/d' "$rule" >/run/udev/rules.d/85-boardtune.rules
	udevadm control --reload
	mkdir -p /etc/boardtune/profiles/guest.d
	printf '[net:queues]\nName = lanq\ngro = off\n' \
		>/etc/boardtune/profiles/guest.d/queues.ini
	ip link add lanq numrxqueues 4 numtxqueues 4 type veth peer name lanp \
		numrxqueues 4 numtxqueues 4
	await 'a NIC with queues: a run' ran_more lanq 0
	is "$(applied lanq)" 0 'which finds all as wanted'
	before=$(runs lanq)
	ethtool -L lanq rx 1 tx 1
	await 'fewer channels: a run' ran_more lanq "$before"
	udevadm settle --timeout=5
	await 'and all are over' nic_idle lanq
	ethtool -K lanq gro on
	ethtool -L lanq rx 3
	comes_set lanq 1 'more channels'
	systemctl list-units --all --no-legend --type=device | grep -c queues >"$scratch/out"
	is "$(cat "$scratch/out")" 0 'no queue is a device unit'
	ip link delete lanq
	rm -r /run/udev/rules.d/85-boardtune.rules /etc/boardtune/profiles/guest.d
	udevadm control --reload
}

late_idle() {
	[ "$(systemctl is-active boardtune-late.service)" = inactive ]
}

# The board's clocks and its thermal zone go and come again: no event tells of a policy.
check_late() {
	check late
	modprobe -r simboard
	ok $? 'the clocks go'
	modprobe simboard
	ok $? 'and come'
	await 'the governor is set' grep -q ondemand $policy/scaling_governor
	await 'the limit is set' grep -q 1008000 $policy/scaling_max_freq
	await 'the run ends' late_idle
	is "$(applied clocks)" 1 'one apply'
	/lab/look /run/lab/now
	in_force now 'late'
}

check_undone() {
	check undone
	before=$(applied "$plugged")
	run revert
	exits 0 'revert'
	is "$(gro "$usb")" on 'reverts what came while the system ran'
	unplug usb $usb_mac 'reverted'
	runs=$(runs "$usb")
	plug usb $usb_mac 'after it'
	await 'after it: a run' ran_more "$usb" "$runs"
	is "$(gro "$usb") $(applied "$usb")" "on $before" 'which leaves it alone'
	unplug usb $usb_mac 'and away'
	as_before 'all else is reverted'
	is "$(systemctl is-system-running)" running 'no unit has failed'
}

check_nic_unit() {
	check nic-unit
	is "$(show CapabilityBoundingSet "boardtune-nic@$plugged")" \
		'cap_net_admin cap_sys_nice' 'two capabilities'
	systemd-analyze verify --man=no "boardtune-nic@$plugged.service" >"$scratch/out" 2>&1
	is "$? $(cat "$scratch/out")" '0 ' 'systemd-analyze verify has nothing to say'
	systemd-analyze security --threshold=40 "boardtune-nic@$plugged.service" \
		>"$scratch/out" 2>&1
	ok $? 'systemd-analyze security: at most 4.0'
	tap "# $(tail -n 1 "$scratch/out")"
}

check_plugging() {
	check_hotplug
	check_nic_unit
	check_rename
	check_double
	check_link
	usb=$plugged
	check_pci
	plugged=$usb
	check_channels
	check_late
	check_undone
	exec 3<&-
}

# net.ifnames=0: the names are the kernel's
check_names() {
	check names
	is "$(systemctl is-system-running --wait)" running 'the system runs'
	is "$(was before virtio_net)" eth0 'the kernel names the NIC'
	[ ! -e /lab/boardtune.deb ] || is "$(tail -n 1 /etc/boardtune/boardtune.conf)" \
		'profile = auto' 'whatever fits is enabled'
	in_force early 'in force'
	run enable guest
	exits 0 'by its name'
	monitor_open
	plug usb $usb_mac 'plugged'
	comes_set "$plugged" 1 'plugged'
	tap "# it is $plugged"
	unplug usb $usb_mac 'unplugged'
	plug usb $usb_mac 'again'
	comes_set "$plugged" 2 'again'
	exec 3<&-
}
