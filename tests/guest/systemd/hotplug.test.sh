# SPDX-License-Identifier: GPL-2.0-or-later
# hotplug.test.sh - a NIC comes and goes while the guest runs; sourced by systemd.test.sh
# shellcheck shell=sh disable=SC2154 # variables of the one who sources it
#
# The monitor of the QEMU that we run in is at the other end of a virtio port. It speaks
# QMP: a line there, a line back, and events in between. It stays open as descriptor 3.

monitor_port=/dev/virtio-ports/monitor
usb_mac=52:54:00:00:00:03

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

# usb_nic: the name of the NIC with that address, if it is there
usb_nic() {
	for nic in /sys/class/net/*; do
		[ "$(cat "$nic/address")" != $usb_mac ] || echo "${nic##*/}"
	done
}

usb_nic_there() {
	[ -n "$(usb_nic)" ] && udevadm settle --timeout=5
}

usb_nic_gone() {
	[ -z "$(usb_nic)" ]
}

plug() {
	monitor device_add \
		'"driver":"usb-net","bus":"xhci.0","netdev":"n2","mac":"'$usb_mac'","id":"usb"'
	ok $? "$1: QEMU plugs it in"
	await "$1: the NIC appears" usb_nic_there
	# udev gives it another name than the kernel did
	usb=$(usb_nic)
}

unplug() {
	monitor device_del '"id":"usb"'
	ok $? "$1: QEMU pulls it out"
	await "$1: the NIC goes" usb_nic_gone
}

gro() {
	ethtool -k "$1" | sed -n 's/^generic-receive-offload: //p'
}

# path_is NIC: boardtune finds a NIC by the ID_PATH that udev knows it by
path_is() {
	path=$(udevadm info -q property "/sys/class/net/$1" | sed -n 's/^ID_PATH=//p')
	printf '[net:x]\nPath = %s\ngro = off\n' "$path" >"$scratch/path.ini"
	run plan "$scratch/path.ini" --json
	is "$(rows | cut -f 1,2)" "net.rx-gro$tab$1" "Path = $path is $1"
}

# events ACTION: how many of the NIC udev has passed on
events() {
	grep -c "^UDEV .* $1 .*(net)" "$scratch/events"
}

check_hotplug() {
	check hotplug
	udevadm monitor --udev --subsystem-match=net >"$scratch/events" 2>/dev/null &
	watcher=$!
	monitor_open
	ok $? 'the monitor answers'
	/lab/look /run/lab/now
	path_is "$(was now virtio_net)"
	usb_nic_gone
	ok $? 'no USB NIC'

	plug 'plugged'
	path_is "$usb"
	is "$(gro "$usb")" on 'as it comes, not as wanted'
	run verify --json
	exits 1 'verify sees it'
	is "$(row "$usb" net.rx-gro outcome)" differs 'differs'
	restart
	is "$code $(gro "$usb")" '0 off' 'the unit sets it'
	run verify
	exits 0 'verify: all hold'

	unplug 'unplugged'
	run verify --json
	exits 1 'verify sees that, too'
	is "$(rows | awk -F "$tab" '$3 == "missing" { print $1, $2 }')" \
		'net.gro cdc_ether' 'missing'
	restart
	unit_is active exited success 0 'unplugged is no failure'

	plug 'again'
	is "$(gro "$usb")" on 'it comes back as another one'
	run revert
	exits 0 'revert drops what is gone'
	is "$(gro "$usb")" on 'the new one is left alone'
	unplug 'and away'
	as_before 'all else is reverted'
	kill $watcher
	is "$(events add) $(events remove)" '2 2' 'udev saw each of them'
	exec 3<&-
}
