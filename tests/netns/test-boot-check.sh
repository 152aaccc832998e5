#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test-boot-check.sh - who still answers after a boot apply, on veth pairs of our own
#
# KERNEL_CLIENT: the program built from kernel-client.c (default: beside this test)

client=${KERNEL_CLIENT:-tests/netns/kernel-client}
count=0
failed=0
peer=

skip() {
	echo "1..0 # SKIP $1"
	exit 77
}

# is NAME GOT WANT
is() {
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
		return
	fi
	echo "not ok $count - $1"
	failed=1
	printf "# got '%s'\n# want '%s'\n" "$2" "$3"
}

if [ -z "$BOARDTUNE_IN_NETNS" ]; then
	for tool in ip unshare nsenter; do
		command -v $tool >/dev/null || skip "no $tool"
	done
	[ -x "$client" ] || { echo "Bail out! no $client"; exit 1; }
	[ "$(id -u)" = 0 ] && flags=-nm || flags=-Urnm
	unshare $flags true 2>/dev/null || skip "no network namespace allowed"
	BOARDTUNE_IN_NETNS=1 exec unshare $flags "$0" "$@"
fi
mount -t sysfs sysfs /sys || { echo "Bail out! no sysfs"; exit 1; }
trap '[ -z "$peer" ] || kill "$peer"' EXIT

unshare -n sleep 300 &
peer=$!
while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do
	sleep 0.1
done
ip link add bt-a type veth peer name bt-b netns $peer ||
	{ echo "Bail out! no veth"; exit 1; }
ip address add 192.0.2.1/24 dev bt-a
ip link set bt-a up
nsenter -t $peer -n ip address add 192.0.2.2/24 dev bt-b
nsenter -t $peer -n ip link set bt-b up

state() {
	ip neighbour show 192.0.2.2 dev "$1" | awk '{ print $NF }'
}

is 'nobody is known, and there is no gateway: nobody answers' "$("$client" reachable bt-a)" lost
ip route add default via 192.0.2.2
is 'the gateway is asked although nothing is known of it' "$("$client" reachable bt-a)" reachable
ip route del default
ip neighbour change 192.0.2.2 dev bt-a nud stale
is 'a neighbour that was not heard of for a while' "$(state bt-a)" STALE
is 'is asked and answers' "$("$client" reachable bt-a) $(state bt-a)" 'reachable REACHABLE'
ip neighbour change 192.0.2.2 dev bt-a nud stale
nsenter -t $peer -n ip address del 192.0.2.2/24 dev bt-b
is 'one that is gone does not, whatever was known of it' "$("$client" reachable bt-a)" lost
nsenter -t $peer -n ip address add 192.0.2.2/24 dev bt-b
ip link add bt-bridge type bridge
ip address flush dev bt-a
ip link set bt-a master bt-bridge
ip link set bt-bridge up
ip address add 192.0.2.1/24 dev bt-bridge
ip route add default via 192.0.2.2
is 'the port of a bridge is asked through by the bridge' "$("$client" reachable bt-a)" reachable
ip link add bt-c type veth peer name bt-d
ip link set bt-c up
ip link set bt-d up
is 'who answers elsewhere does not count' "$("$client" reachable bt-c)" lost
for i in $(seq 70); do
	echo "link add bt-p$i type veth peer name bt-q$i"
	echo "link set bt-p$i master bt-bridge"
done | ip -batch - || echo 'Bail out! no 70 ports'
ip link set bt-a nomaster && ip link set bt-a master bt-bridge
is 'one port of many, too' "$("$client" reachable bt-a)" reachable
is 'and the last of many that were touched' \
	"$("$client" reachable $(seq -f 'bt-p%.0f' 70) bt-a)" reachable
is 'the other end of a port is none' "$("$client" reachable bt-q1)" lost
echo "1..$count"
exit $failed
