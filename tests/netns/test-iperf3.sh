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
	return $status
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
# iperf 2.1.8 has been seen to wait for its own threads for ever
trap 'kill $pids 2>/dev/null; sleep 0.2; kill -KILL $pids 2>/dev/null; wait' EXIT

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
		# What a sender counts is what it has written: little ahead of the link.
		ip netns exec "$1-$side" sh -c \
			'echo 4096 65536 262144 >/proc/sys/net/ipv4/tcp_wmem' ||
			bail "no tcp_wmem of a namespace"
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

# ---- the very same test, as both ends saw it: within 3 %

link same
link kept
ip netns exec kept-b "$client" serve 5201 &
pids="$pids $!"

# value NAME FILE: of our client's lines
value() {
	sed -n "s/^$1=//p" "$2"
}

# within A B: 3 %
within() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(b > 0 && a > 0.97 * b && a < 1.03 * b) }'
}

# fits: every "A B" line on stdin
fits() {
	while read -r a b; do
		within "$a" "$b" || return 1
	done
}

# ours_pairs DIRECTION: our figure and that of iperf3 -s, of what it has received and sent
ours_pairs() {
	case $1 in
	rx) sent=sum_sent ;;
	*) sent=sum_sent_bidir_reverse ;;
	esac
	[ "$1" = rx ] || echo "$(value tx $dir/same.out)" \
		"$(figure sum_received $dir/same.json)"
	[ "$1" = tx ] || echo "$(value rx $dir/same.out)" "$(figure $sent $dir/same.json)"
}

# theirs_pairs: what one side has received and the other sent, each way
theirs_pairs() {
	for way in "" _bidir_reverse; do
		grep -q "\"sum_sent$way\"" $dir/kept.json &&
			echo "$(figure "sum_received$way" $dir/kept.json)" \
				"$(figure "sum_sent$way" $dir/kept.json)"
	done
}

# ours NAME ADDRESS DIRECTION OPTION...: our client against iperf3 -s. On a busy machine
# the two sides' seconds may not be the same ones: three tries.
ours() {
	what=$1 address=$2 way=$3
	shift 3
	for try in 1 2 3; do
		ip netns exec same-b timeout 20 iperf3 -J -s -1 -p 5202 >$dir/same.json &
		same=$!
		sleep 0.3
		if again ip netns exec same-a timeout 20 "$client" "$@" "$address" 5202 \
			"$way" >$dir/same.out 2>$dir/same.error; then
			wait $same
			ours_pairs "$way" >$dir/pairs
			fits <$dir/pairs && break
		else
			kill $same
			wait $same
			cat $dir/same.error >$dir/pairs
		fi
	done
	[ -s $dir/pairs ] && fits <$dir/pairs
	ok "our client, $what: as iperf3 -s has it" || sed 's/^/# /' $dir/pairs
}

# theirs NAME ADDRESS OPTION...: iperf3 -c against our server; three tries again
theirs() {
	what=$1 address=$2
	shift 2
	for try in 1 2 3; do
		again timeout 20 ip netns exec kept-a iperf3 -J -c "$address" "$@" \
			>$dir/kept.json
		theirs_pairs >$dir/pairs
		[ -s $dir/pairs ] && fits <$dir/pairs && break
	done
	[ -s $dir/pairs ] && fits <$dir/pairs
	ok "iperf3 -c, $what: sent and received" || sed 's/^/# /' $dir/pairs
}

v4=192.0.2.2 v6=2001:db8::2
ours "TCP tx" $v4 tx
ours "TCP rx" $v4 rx
ours "TCP both ways" $v4 bidir
ours "TCP tx, IPv6, four streams, omit 1, on the interface" $v6 tx -P 4 -O 1 -I bt-a
within "$(value seconds $dir/same.out)" 1
ok "the receiver's seconds are without the omitted one"
ours "TCP both ways, zero-copy, two streams" $v6 bidir -z -P 2
ours "UDP tx" $v4 tx -u -b 20000000
ours "UDP rx" $v4 rx -u -b 20000000
ours "UDP both ways, two streams, omit 1" $v6 bidir -u -b 5000000 -P 2 -O 1
# One socket's buffer is smaller than the queue of the link, eight are not.
ours "UDP tx, more than the link takes" $v4 tx -u -b 40000000 -P 8
[ "$(value tx_lost $dir/same.out)" -gt 100 ] && grep -q '"lost_packets"' $dir/same.json
ok "and loss is seen"
ours "TCP rx at a rate" $v4 rx -b 50000000
awk -v a="$(value rx $dir/same.out)" 'BEGIN { exit !(a > 45e6 && a < 55e6) }'
ok "which is the rate"

theirs "without options" $v4 -t 1
theirs "-R" $v4 -t 1 -R
theirs "--bidir" $v4 -t 1 --bidir
theirs "-6 -P 4 -O 1" $v6 -t 1 -6 -P 4 -O 1
theirs "-R -Z -N -l 64K" $v4 -t 1 -R -Z -N -l 64K
theirs "-u -b 5M" $v4 -t 1 -u -b 5M
theirs "-u -b 5M -R --udp-counters-64bit" $v4 -t 1 -u -b 5M -R --udp-counters-64bit
theirs "-u -b 5M --bidir -P 2 -O 1" $v6 -t 1 -u -b 5M --bidir -P 2 -O 1
theirs "-b 100M -R" $v4 -t 2 -b 100M -R
awk -v a="$(figure sum_received $dir/kept.json)" 'BEGIN { exit !(a > 90e6 && a < 110e6) }'
ok "which is the rate"
theirs "--get-server-output" $v4 -t 1 --get-server-output

# Our own on both ends: what only boardtune tells.
again ip netns exec kept-a "$client" $v4 5201 bidir >$dir/own.out
awk -v m="$(value peer_machine $dir/own.out)" -v b="$(value peer_busiest $dir/own.out)" \
	'BEGIN { exit !(m > 0 && m <= b && b <= 1) }'
ok "our server tells ours how busy its machine is"

# iperf2 tells nothing: what it has taken stands in its own report.
if command -v iperf >/dev/null; then
	ip netns exec same-b iperf -s -f k >$dir/iperf2.log 2>&1 &
	pids="$pids $!"
	sleep 0.3
	ip netns exec same-a "$client" -t 2 $v4 5001 tx >$dir/iperf2.out
	again grep -q 'Kbits/sec' $dir/iperf2.log
	awk '/^\[ *[0-9]+\].*Kbits\/sec/ { rate = $(NF - 1) } END { print rate * 1000 }' \
		$dir/iperf2.log >$dir/iperf2.rate
	within "$(value tx $dir/iperf2.out)" "$(cat $dir/iperf2.rate)"
	ok "iperf2: what it has received" ||
		echo "# $(value tx $dir/iperf2.out) against $(cat $dir/iperf2.rate)"
	[ "$(value by_sender $dir/iperf2.out)" = 1 ]
	ok "iperf2: by our own count"
else
	true
	ok "iperf2 # SKIP no iperf"
fi

ip netns exec same-b iperf3 -s >$dir/iperf3.log 2>&1 &
pids="$pids $!"
sleep 0.3

# A client that gives up: the server is free at once.
timeout 0.5 ip netns exec same-a "$client" -t 30 192.0.2.2 5201 rx 2>/dev/null
again ip netns exec same-a "$client" -t 0.2 192.0.2.2 5201 rx >/dev/null
ok "iperf3 serves again after a client that was killed"

# Busy: as our client hears it from iperf3, and iperf3's from our server.
ip netns exec same-a "$client" 192.0.2.2 5201 tx >/dev/null 2>&1 &
first=$!
ip netns exec kept-a "$client" 192.0.2.2 5201 tx >/dev/null 2>&1 &
second=$!
sleep 0.4
ip netns exec same-a "$client" 192.0.2.2 5201 tx 2>&1 | grep -q '^EBUSY'
ok "our client hears that iperf3 is busy"
ip netns exec kept-a iperf3 -c 192.0.2.2 -t 1 2>&1 | grep -q 'busy'
ok "iperf3's client hears that our server is busy"
wait $first $second
again ip netns exec kept-a iperf3 -c 192.0.2.2 -n 1M >/dev/null
ok "iperf3 -n ends by bytes"
again ip netns exec kept-a iperf3 -c 192.0.2.2 -u -b 50M -k 100 >/dev/null
ok "iperf3 -u -k ends by blocks"
ip netns exec kept-a iperf3 -c 192.0.2.2 -t 90000 2>&1 | grep -q 'duration'
ok "a test that lasts too long is refused with iperf3's reason"

echo "1..$count"
exit $failed
