#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test-iperf3.sh - our client and server against iperf3's, on shaped links of our own
#
# MEASURE_CLIENT: the program built from measure-client.c (default: beside this test)

client=${MEASURE_CLIENT:-tests/netns/measure-client}
count=0
failed=0

skip() {
	echo "1..0 # SKIP $1"
	exit 77
}

bail() {
	echo "Bail out! $1"
	exit 1
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

if [ -z "$BOARDTUNE_IN_NETNS" ]; then
	for tool in iperf3 ip tc unshare; do
		command -v $tool >/dev/null || skip "no $tool"
	done
	[ -x "$client" ] || bail "no $client"
	[ "$(id -u)" = 0 ] && flags=-nm || flags=-Urnm
	unshare $flags true 2>/dev/null || skip "no network namespace allowed"
	BOARDTUNE_IN_NETNS=1 exec unshare $flags "$0" "$@"
fi

client=$(realpath "$client")
mount -t tmpfs tmpfs /run || bail "no tmpfs"
dir=/run/test-iperf3
mkdir $dir /run/netns || bail "no directory"
pids=
trap 'kill $pids 2>/dev/null; wait' EXIT

# link NAME: namespaces NAME-a and NAME-b, joined by a veth pair shaped both ways
link() {
	ip netns add "$1-a" && ip netns add "$1-b" &&
		ip link add bt-a netns "$1-a" type veth peer name bt-b netns "$1-b" ||
		bail "no namespaces joined by veth"
	for side in a b; do
		[ $side = a ] && n=1 || n=2
		in="ip -n $1-$side"
		$in link set lo up
		$in link set bt-$side up
		$in address add 192.0.2.$n/24 dev bt-$side
		$in address add 2001:db8::$n/64 dev bt-$side nodad
		tc -n "$1-$side" qdisc add dev bt-$side root tbf rate 200mbit \
			burst 128kb latency 20ms || bail "no tbf"
	done
}

# again COMMAND...: iperf3 does not listen for a moment after each test
again() {
	for try in 1 2 3 4 5 6 7 8 9 10; do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# figure NAME FILE: bits_per_second of the first object NAME of iperf3's JSON
figure() {
	awk -v name="\"$1\"" '
		index($0, name) { inside = 1 }
		inside && /"bits_per_second"/ {
			gsub(/[^0-9.e+-]|"bits_per_second"/, "")
			print; exit
		}' "$2"
}

median() {
	sort -g "$1" | sed -n "$((($(wc -l <"$1") + 1) / 2))p"
}

# near A B: within 5 %
near() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(b > 0 && a > 0.95 * b && a < 1.05 * b) }'
}

# is_near NAME FILE FILE: the medians
is_near() {
	a=$(median "$2")
	b=$(median "$3")
	near "$a" "$b"
	ok "$1"
	near "$a" "$b" || echo "# $a against $b"
}

# Our client and iperf3's in turn against one iperf3 -s. cell NAME ADDRESS tx|rx
cell() {
	[ "$3" = rx ] && reverse=-R || reverse=
	for round in 1 2 3 4 5; do
		again ip netns exec "$1-a" "$client" "$2" 5201 "$3" 1 0 1 \
			2>$dir/$1.error | cut -d' ' -f1 >>$dir/$1.ours
		again ip netns exec "$1-a" iperf3 -J -c "$2" -t 1 $reverse >$dir/$1.json
		figure sum_received $dir/$1.json >>$dir/$1.theirs
	done
}

# iperf3's client against our server: what it was told, and what it saw itself.
serve_cell() {
	[ "$3" = rx ] && reverse=-R || reverse=
	for round in 1 2 3; do
		again ip netns exec "$1-a" iperf3 -J -c "$2" -t 1 -O 1 -P 2 $reverse \
			>$dir/$1.json || echo failed >$dir/$1.failed
		figure sum_received $dir/$1.json >>$dir/$1.received
		figure sum_sent $dir/$1.json >>$dir/$1.sent
	done
}

cells="tx4:192.0.2.2:tx rx4:192.0.2.2:rx tx6:2001:db8::2:tx rx6:2001:db8::2:rx"
work=
for spec in $cells; do
	name=${spec%%:*}
	address=${spec#*:}
	address=${address%:*}
	link $name
	ip netns exec $name-b iperf3 -s >$dir/$name.log 2>&1 &
	pids="$pids $!"
	link serve-$name
	ip netns exec serve-$name-b "$client" serve 5201 &
	pids="$pids $!"
done
sleep 0.5
for spec in $cells; do
	name=${spec%%:*}
	address=${spec#*:}
	address=${address%:*}
	cell $name $address ${spec##*:} &
	work="$work $!"
	serve_cell serve-$name $address ${spec##*:} &
	work="$work $!"
done
wait $work

for spec in $cells; do
	name=${spec%%:*}
	[ "$(wc -l <$dir/$name.ours)" = 5 ] && [ "$(wc -l <$dir/$name.theirs)" = 5 ]
	ok "$name: five rounds of our client and iperf3's"
	is_near "$name: within 5 % of iperf3's client" $dir/$name.ours $dir/$name.theirs
	[ ! -e $dir/serve-$name.failed ]
	ok "$name: iperf3's client against our server, two streams, one second omitted"
	is_near "$name: our server's figure and the client's own" \
		$dir/serve-$name.received $dir/serve-$name.sent
done

# The very same test as both ends saw it, without the omitted second.
ip netns exec tx4-b iperf3 -J -s -1 -p 5202 >$dir/same.json &
same=$!
sleep 0.3
set -- $(again ip netns exec tx4-a "$client" 192.0.2.2 5202 tx 1 1 3 bt-a)
wait $same
near "${1:-0}" "$(figure sum_received $dir/same.json)"
ok "the same test: three streams, bound to the interface, omit 1"
near "${3:-0}" 1
ok "the receiver's seconds are without the omitted one"

# A client that gives up: the server is free at once.
timeout 0.5 ip netns exec tx4-a "$client" 192.0.2.2 5201 rx 30 0 1 2>/dev/null
again ip netns exec tx4-a "$client" 192.0.2.2 5201 rx 0.2 0 1 >/dev/null
ok "iperf3 serves again after a client that was killed"

# Busy: as our client hears it from iperf3, and iperf3's from our server.
ip netns exec tx4-a "$client" 192.0.2.2 5201 tx 1 0 1 >/dev/null 2>&1 &
first=$!
ip netns exec serve-tx4-a "$client" 192.0.2.2 5201 tx 1 0 1 >/dev/null 2>&1 &
second=$!
sleep 0.4
ip netns exec tx4-a "$client" 192.0.2.2 5201 tx 1 0 1 2>&1 | grep -q '^EBUSY'
ok "our client hears that iperf3 is busy"
ip netns exec serve-tx4-a iperf3 -c 192.0.2.2 -t 1 2>&1 | grep -q 'busy'
ok "iperf3's client hears that our server is busy"
wait $first $second
for option in -u --bidir; do
	ip netns exec serve-tx4-a iperf3 -c 192.0.2.2 -t 1 $option 2>&1 |
		grep -q 'not implemented'
	ok "iperf3 $option is refused with a reason"
done
again ip netns exec serve-tx4-a iperf3 -c 192.0.2.2 -n 1M >/dev/null
ok "iperf3 -n ends by bytes"

echo "1..$count"
exit $failed
