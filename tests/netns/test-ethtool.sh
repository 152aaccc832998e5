#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test-ethtool.sh - the kernel clients against ethtool(8) and ip(8), on a veth pair of our own
#
# KERNEL_CLIENT: the program built from kernel-client.c (default: beside this test)

client=${KERNEL_CLIENT:-tests/netns/kernel-client}
count=0
failed=0

skip() {
	echo "1..0 # SKIP $1"
	exit 77
}

# ok NAME: the last command's status decides
ok() {
	status=$?
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		failed=1
	fi
}

# is NAME GOT WANT
is() {
	[ "$2" = "$3" ]
	ok "$1"
	[ "$2" = "$3" ] || printf "# got '%s'\n# want '%s'\n" "$2" "$3"
}

if [ -z "$BOARDTUNE_IN_NETNS" ]; then
	for tool in ethtool ip unshare; do
		command -v $tool >/dev/null || skip "no $tool"
	done
	[ -x "$client" ] || { echo "Bail out! no $client"; exit 1; }
	[ "$(id -u)" = 0 ] && flags=-nm || flags=-Urnm
	unshare $flags true 2>/dev/null || skip "no network namespace allowed"
	BOARDTUNE_IN_NETNS=1 exec unshare $flags "$0" "$@"
fi

# sysfs shows the network namespace it was mounted in
mount -t sysfs sysfs /sys || { echo "Bail out! no sysfs"; exit 1; }
ip link add bt-a numtxqueues 4 numrxqueues 4 type veth \
	peer name bt-b numtxqueues 4 numrxqueues 4 || { echo "Bail out! no veth"; exit 1; }
ip link set lo up
ip link set bt-a up
ip link set bt-b up
ip address add 192.0.2.1/24 dev bt-a
ip address add 2001:db8::1/64 dev bt-a nodad

# Single features as both print them; ethtool groups some of them under names of its own.
theirs() {
	ethtool -k "$1" | sed -n 's/^[[:blank:]]*//; /^[a-z0-9_-]*: \(on\|off\)/p' |
		grep -v -e '^rx-checksumming' -e '^tx-checksumming' -e '^scatter-gather' \
			-e '^tcp-segmentation-offload' -e '^udp-fragmentation-offload'
}

# ethtool prints some features by an older name; the rest is compared as it stands.
kernel_names='s/^generic-segmentation-offload:/tx-generic-segmentation:/
s/^generic-receive-offload:/rx-gro:/
s/^large-receive-offload:/rx-lro:/
s/^rx-vlan-offload:/rx-vlan-hw-parse:/
s/^tx-vlan-offload:/tx-vlan-hw-insert:/
s/^ntuple-filters:/rx-ntuple-filter:/
s/^receive-hashing:/rx-hashing:/'

# ethtool leaves out a feature whose own line it replaces by a group's: rx-checksum.
same() {
	ours=$("$client" features "$1" | grep -v '^rx-checksum:' | sort)
	want=$(theirs "$1" | sed "$kernel_names" | sort)
	is "$2" "$ours" "$want"
}

[ "$("$client" features bt-a | wc -l)" -gt 40 ]
ok "more than 40 features"
same bt-a "as ethtool -k shows them"
same lo "lo too: most are fixed"

"$client" set bt-a tx-tcp-segmentation off
ok "switched off"
is "ethtool -k agrees" "$(ethtool -k bt-a | sed -n 's/^\ttx-tcp-segmentation: //p')" off
same bt-a "all others as ethtool -k shows them"
ethtool -K bt-a tx-tcp-segmentation on >/dev/null
"$client" features bt-a | grep -qx 'tx-tcp-segmentation: on'
ok "what ethtool -K switches on is seen"

"$client" set bt-a tx-scatter-gather off
ok "scatter-gather off"
"$client" features bt-a | grep -qx 'tx-tcp-segmentation: off \[requested on\]'
ok "a dependent feature: off, but still asked for"
same bt-a "the same words as ethtool -k"
"$client" set bt-a tx-scatter-gather on
"$client" features bt-a | grep -qx 'tx-tcp-segmentation: on'
ok "it comes back by itself"

before=$("$client" features bt-a)
"$client" features bt-a | grep -qx 'rx-fcs: off \[fixed\]'
ok "a fixed feature"
"$client" set bt-a rx-fcs on
ok "the kernel takes the request"
is "and changes nothing" "$("$client" features bt-a)" "$before"

is "an unknown feature" "$("$client" set bt-a tx-teleport on 2>&1)" \
	"tx-teleport: EOPNOTSUPP"
is "no such interface" "$("$client" features bt-none 2>&1)" "bt-none: ENODEV"
is "nor to set" "$("$client" set bt-none rx-gro on 2>&1)" "rx-gro: ENODEV"

# channels RX or TX as ethtool -l shows them: the maximum, then what is
channels() {
	ethtool -l "$1" | sed -n "s/^$2:[[:blank:]]*//p" | tr '\n' ' '
}

is "channels" "$("$client" params bt-a)" "$(printf 'channels rx 4 4\nchannels tx 4 4')"
is "rings of veth" "$("$client" params bt-a ring rx 2>&1)" "rx: EOPNOTSUPP"
is "nor to set" "$("$client" param bt-a ring rx 64 2>&1)" "rx: EOPNOTSUPP"
is "coalescing" "$("$client" params bt-a coalesce rx-usecs 2>&1)" "rx-usecs: EOPNOTSUPP"
is "pause" "$("$client" params bt-a pause rx 2>&1)" "rx: EOPNOTSUPP"
is "EEE" "$("$client" params bt-a eee enabled 2>&1)" "enabled: EOPNOTSUPP"
is "combined channels: veth has none" "$("$client" params bt-a channels combined 2>&1)" \
	"combined: EOPNOTSUPP"
is "above the maximum" "$("$client" param bt-a channels rx 5 2>&1)" "rx: EINVAL"
is "none at all" "$("$client" param bt-a channels rx 0 2>&1)" "rx: EINVAL"
is "no such interface" "$("$client" param bt-none channels rx 1 2>&1)" "rx: ENODEV"
is "and nothing changed" "$(channels bt-a RX)$(channels bt-a TX)" "4 4 4 4 "

# All ways to the same kernel: netlink, the ioctl, and a kernel that lacks some commands.
for way in "" ioctl "without 5.6" "without set"; do
	# shellcheck disable=SC2086 # two words
	{
		"$client" $way param bt-a channels rx 2
		ok "${way:-netlink}: two rx channels"
		is "ethtool -l agrees" "$(channels bt-a RX)" "4 2 "
		is "tx stays" "$(channels bt-a TX)" "4 4 "
		"$client" $way param bt-a channels rx 2
		ok "equal"
		is "above the maximum" "$("$client" $way param bt-a channels rx 5 2>&1)" \
			"rx: EINVAL"
		is "not of veth" "$("$client" $way param bt-a ring rx 5 2>&1)" \
			"rx: EOPNOTSUPP"
		is "no such interface" "$("$client" $way param bt-none ring rx 5 2>&1)" \
			"rx: ENODEV"
		"$client" $way set bt-a rx-gro on
		ok "a feature on"
		is "ethtool -k agrees" \
			"$(ethtool -k bt-a | sed -n 's/^generic-receive-offload: //p')" on
		"$client" $way set bt-a rx-gro off
		ok "and off"
		is "ethtool -k agrees" \
			"$(ethtool -k bt-a | sed -n 's/^generic-receive-offload: //p')" off
		is "an unknown feature" \
			"$("$client" $way set bt-a tx-teleport on 2>&1)" \
			"tx-teleport: EOPNOTSUPP"
		"$client" $way set bt-a rx-fcs on
		ok "a fixed one is taken, and changes nothing"
	}
	ethtool -L bt-a rx 4
done
for way in ioctl "without 5.6"; do
	# shellcheck disable=SC2086 # two words
	is "$way: the same features as by netlink" \
		"$("$client" $way features bt-a)" "$("$client" features bt-a)"
	# shellcheck disable=SC2086 # two words
	is "$way: the same numbers" "$("$client" $way params bt-a channels rx)" \
		"$("$client" params bt-a channels rx)"
done

# A tap has coalescing of one kind: packets, at most 64 (NAPI_POLL_WEIGHT).
if ip tuntap add mode tap name bt-t 2>/dev/null; then
	is "coalescing of a tap" "$("$client" params bt-t | grep coalesce)" \
		"coalesce rx-frames 0 0"
	for way in "" ioctl "without 5.6"; do
		# shellcheck disable=SC2086 # two words
		"$client" $way param bt-t coalesce rx-frames 16
		ok "${way:-netlink}: 16 packets"
		is "ethtool -c agrees" \
			"$(ethtool -c bt-t | sed -n 's/^rx-frames:[[:blank:]]*//p')" 16
		# shellcheck disable=SC2086 # two words
		is "read back" "$("$client" $way params bt-t coalesce rx-frames)" \
			"coalesce rx-frames 16 0"
		# shellcheck disable=SC2086 # two words
		is "what the driver has none of" \
			"$("$client" $way param bt-t coalesce tx-frames 3 2>&1)" \
			"tx-frames: EOPNOTSUPP"
		# shellcheck disable=SC2086 # two words
		"$client" $way param bt-t coalesce rx-frames 100
		ok "more than 64 is taken"
		is "and becomes 64" "$("$client" params bt-t coalesce rx-frames)" \
			"coalesce rx-frames 64 0"
	done
	is "an unsupported one is EINVAL of netlink, and spoils the whole message" \
		"$(ethtool -C bt-t rx-frames 8 tx-frames 3 2>/dev/null; echo $?
		"$client" params bt-t coalesce rx-frames)" \
		"$(printf '1\ncoalesce rx-frames 64 0')"
else
	true
	ok "coalescing of a tap # SKIP no /dev/net/tun"
fi

is "addresses as ip shows them" "$("$client" addresses | sort)" \
	"$(ip -o address | sed -n 's/^[0-9]*: \([^ ]*\) *inet6* \([^ /]*\).*/\1 \2/p' | sort)"
is "route over IPv4" "$("$client" route 192.0.2.7)" "bt-a 192.0.2.1"
is "route over IPv6" "$("$client" route 2001:db8::7)" "bt-a 2001:db8::1"
is "to ourselves" "$("$client" route 192.0.2.1)" "lo 192.0.2.1 local"
is "no route" "$("$client" route 198.51.100.1 2>&1)" "198.51.100.1: ENETUNREACH"

ip link add bt-br type bridge
ip link set bt-b master bt-br
ip address add 203.0.113.1/24 dev bt-br
ip link set bt-br up
is "an SSH session over a bridge: its port too" \
	"$(SSH_CONNECTION='203.0.113.9 50122 203.0.113.1 22' "$client" ssh | sort)" \
	"$(printf 'bt-b\nbt-br')"

echo "1..$count"
exit $failed
