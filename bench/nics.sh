# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# nics.sh - apply of 40 settings of NICs over netlink: eight veth pairs of our own
#
# The kernel, its sysfs and its ethtool netlink family are real. veth has features and
# channels, but no rings. At first it has these features on, and two channels.
# shellcheck disable=SC2154 # set by run.sh

nics='bt0 bt1 bt2 bt3 bt4 bt5 bt6 bt7'
features='tx-tcp-segmentation tx-tcp6-segmentation tx-udp-segmentation
	tx-sctp-segmentation tx-gso-list'

nics_add() {
	local nic queues='numtxqueues 2 numrxqueues 2'

	for nic in $nics; do
		# shellcheck disable=SC2086 # words
		ip link add "$nic" $queues type veth peer name "$nic-peer" $queues
		ip link set "$nic" up
		ip link set "$nic-peer" up
	done
}

# nics_profile SETTING...: NAME=VALUE each
nics_profile() {
	echo '[net:all]'
	echo 'Name = bt?'
	printf '%s\n' "$@" | sed 's/=/ = /'
}

# The same as bare reads it: N NIC NAME VALUE
nics_settings() {
	local nic setting

	for nic in $nics; do
		for setting in "$@"; do
			echo "N $nic ${setting/=/ }"
		done
	done
}

# The equal script: for each setting one call to write and one to read back.
nics_script() {
	local nic name value

	echo 'set -e'
	while read -r _ nic name value; do
		if [ "$name" = channels.rx ]; then
			echo "ethtool -L $nic rx $value"
			echo "ethtool -l $nic | sed '1,/^Current/d' | grep -q '^RX:.*$value\$'"
		else
			echo "ethtool -K $nic $name $value"
			echo "ethtool -k $nic | grep -q '$name: $value'"
		fi
	done
}

# Everything as it was; that a NIC has two channels already is an error to ethtool.
nics_reset() {
	local nic

	echo 'rm -rf /run/boardtune'
	for nic in $nics; do
		echo "ethtool -L $nic rx 2 2>/dev/null"
		# shellcheck disable=SC2086 # words
		echo "ethtool -K $nic $(printf '%s on ' $features) >/dev/null || exit"
	done
}

# nics_lists: what boardtune does, for bare
nics_lists() {
	trace / "$boardtune" apply nics.ini -q
	cat settings >>list
	sed '1r settings' least >least.new
	mv least.new least
}

nics_count() {
	local instr

	echo "netlink requests: boardtune $(grep -c '^sendto' strace.out), bare" \
		"$(strace -e trace=sendto ./bare / least 2>&1 | grep -c '^sendto')"
	command -v valgrind >/dev/null || return 0
	sh ./reset.sh
	instr=$(instructions "$boardtune" apply nics.ini -q)
	echo "instructions by callgrind: apply $instr"
}

# nics_compare TITLE SETTING...
nics_compare() {
	nics_profile "${@:2}" >nics.ini
	nics_settings "${@:2}" >settings
	nics_script <settings >script.sh
	sh ./reset.sh
	forty_settings nics.ini
	nics_lists
	compare "$1" '' 'sh ./reset.sh' "$boardtune apply nics.ini -q" 'sh ./script.sh' \
		'./bare / list' './bare / least' ./empty
	nics_count
}

measure_nics() {
	local name off=()

	for name in $features; do
		off+=("$name=off")
	done
	nics_add
	nics_reset >reset.sh
	nics_compare '40 features of 8 NICs, netlink' "${off[@]}"
	nics_compare '32 features and 8 channels, netlink' "${off[@]:1}" channels.rx=1
}
