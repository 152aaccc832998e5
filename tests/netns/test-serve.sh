#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-serve.sh - serve and measure: iperf3's clients, hostile ones, signals, sockets
#
# Needs the program in $BOARDTUNE, serve-helper in $SERVE_HELPER, iperf3, ip, unshare,
# nsenter; root, or user namespaces.
set -u

need_tools='iperf3 nsenter ss'
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99
helper=${SERVE_HELPER:-tests/netns/serve-helper}
mount -t tmpfs tmpfs /var/lib

# The server's side: a namespace of its own behind a veth pair.
unshare -n sleep 900 &
peer=$!
pids=$peer
trap 'kill $pids 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 50); do
	[ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break
	sleep 0.1
done
in_peer() {
	nsenter -t $peer -n "$@"
}
ip link set lo up
ip link add bt-a type veth peer name bt-b netns $peer
for end in 1 2; do
	[ $end = 1 ] && in='' name=bt-a || in=in_peer name=bt-b
	$in ip link set lo up
	$in ip link set "$name" up
	$in ip address add 192.0.2.$end/24 dev "$name"
	$in ip address add 2001:db8::$end/64 dev "$name" nodad
done

# What runs it: nobody where that can be, and no capability.
user=
nobody='setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all'
$nobody true 2>/dev/null && user=$nobody

# serve ARG...: in the background; leaves $server, and its words in $scratch/serve
serve() {
	# shellcheck disable=SC2086 # a list of words
	nsenter -t $peer -n $user "$BOARDTUNE" serve "$@" >"$scratch/serve" \
		2>"$scratch/serve-err" </dev/null &
	server=$!
	pids="$peer $server"
	for _ in $(seq 50); do
		[ -n "$(in_peer ss -Hltn "sport = :${port-5201}")" ] && return
		sleep 0.1
	done
	echo "Bail out! serve does not listen: $(cat "$scratch/serve-err")"
	exit 99
}

# serve_end SIGNAL CODE
serve_end() {
	kill -"$1" $server
	wait $server
	is $? "$2" "SIG$1 ends it"
	pids=$peer
}

# client ARG...: iperf3's; leaves its words in $scratch/client
client() {
	iperf3 -c 192.0.2.2 "$@" >"$scratch/client" 2>&1
}

serve -v
[ -z "$user" ] || is "$(stat -c %u /proc/$server)" 65534 'it runs as nobody'
for options in '-t 1' '-t 1 -R' '-t 1 -P 4' '-t 1 -O 1' '-n 2M' '-t 1 -J' \
	'-t 1 -b 5M' '-t 1 -P 4 -R'; do
	# shellcheck disable=SC2086
	client $options && ! grep -q error "$scratch/client"
	ok $? "iperf3 $options"
done
iperf3 -6 -c 2001:db8::2 -n 1M >"$scratch/client" 2>&1
ok $? 'iperf3 -6'
is "$(grep -c '^192.0.2.1: .*received [0-9.]* Mbit/s' "$scratch/serve")" 6 \
	'a line for each, with who it was'
is "$(grep -c '^192.0.2.1: .*sent [0-9.]* Mbit/s' "$scratch/serve")" 2 'and which way'
grep -q '^2001:db8::1: received' "$scratch/serve"
ok $? 'and by which family'

client -t 2 &
first=$!
sleep 0.7
iperf3 -c 192.0.2.2 -t 1 >"$scratch/second" 2>&1
is $? 1 'a second client'
grep -q busy "$scratch/second"
ok $? 'hears that it is busy'
wait $first
ok $? 'and the first one goes on'

run serve --port 5202 --bind 192.0.2.9
is $code 2 'an address that is none of this host'
run serve --bind bt-z
is $code 2 'an interface that is none'
in_peer "$BOARDTUNE" serve >"$scratch/out" 2>"$scratch/err"
is $? 1 'a port that is taken'
grep -q 'ss -ltnp' "$scratch/err"
ok $? 'and who has it is to be found'

# Hostile ones, five hundred at a time, each again when it is hung up on.
memory() { # VmRSS or VmHWM, in KiB
	sed -n "s/^$1:[^0-9]*\([0-9]*\) kB/\1/p" /proc/$server/status
}
before=$(memory VmRSS)
"$helper" flood 192.0.2.2 5201 500 >"$scratch/flood" &
flood=$!
pids="$peer $server $flood"
for _ in $(seq 50); do
	[ -s "$scratch/flood" ] && break
	sleep 0.1
done
served=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	timeout 2 iperf3 -c 192.0.2.2 -n 1M >"$scratch/client" 2>&1 &&
		served=$((served + 1))
	sleep 0.3
done
is $served 10 'good clients are served within 2 s beside 500 hostile ones'
timeout 10 iperf3 -c 192.0.2.2 -t 1 -P 8 -R >"$scratch/client" 2>&1
ok $? 'one of many streams, too'
peak=$(memory VmHWM)
[ $((peak - before)) -lt 8192 ]
ok $? "with little memory: $before kB before, $peak kB at most"
kill $flood
wait $flood 2>/dev/null
[ "$(grep -cvE 'Mbit/s|Listening' "$scratch/serve")" -lt 20 ]
ok $? 'and few words about it'
client -n 1M
ok $? 'afterwards, too'

# Signals, also while a test runs.
client -t 5 &
first=$!
sleep 0.7
serve_end TERM 143
wait $first
is $? 1 'and that of its client'
serve -q
client -n 1M
serve_end INT 130
is "$(cat "$scratch/serve" "$scratch/serve-err")" '' 'with -q it says nothing'
serve
client -n 1M
serve_end HUP 129
is "$(cat "$scratch/serve" "$scratch/serve-err")" '' 'nor on a pipe'

port=5209
serve --once --port 5209 --bind bt-b
iperf3 -c 127.0.0.1 -p 5209 -n 1M >/dev/null 2>&1
is $? 1 'bound to an interface, it is not to be reached by another one'
client -p 5209 -n 1M
ok $? 'but by that'
wait $server
is $? 0 'and --once ends after a test'

# As the unit boardtune-serve.socket starts it.
nsenter -t $peer -n "$helper" activate 192.0.2.2 5201 "$BOARDTUNE" serve --once -v \
	>"$scratch/serve" 2>&1 &
server=$!
pids="$peer $server"
for _ in $(seq 20); do
	client -n 1M && break
	sleep 0.1
done
wait $server
is $? 0 'a socket that is handed over is served'
nsenter -t $peer -n "$helper" activate 192.0.2.2 5210 "$BOARDTUNE" serve --port 5201 \
	>"$scratch/serve" 2>&1
is $? 2 'but then no --port'

# measure
run measure
is $code 5 'measure without a peer'
run measure --peer 192.0.2.2 --cells ipv4-tx
is $code 5 'nobody serves there'
grep -q 'boardtune serve' "$scratch/err"
ok $? 'what to run there is said'
run measure --peer 192.0.2.2 --bitrate 5X
is $code 2 'a rate that is none'
run measure some-profile --peer 192.0.2.2
is $code 2 'measure takes no profile'
port=5201
serve
run measure --peer 192.0.2.2 --time 1 --omit 0 --repeat 2 --label one --save
is $code 0 'measure'
is "$(grep -c '^IPv4 [tr]x .*[0-9]\.[0-9]-[0-9]' "$scratch/out")" 2 'each way has its range'
awk 'length > 80 { exit 1 }' "$scratch/out"
ok $? 'in 80 columns'
! grep -q 'peer-unknown' "$scratch/out"
ok $? 'the peer tells its load'
is "$(find /var/lib/boardtune/runs -name '*-measure.json' | wc -l)" 1 'the run is saved'
run measure --peer 192.0.2.2 --cells ipv4-tx --time 1 --omit 0 --udp --bitrate 20M --save
is $code 0 'measure --udp'
run report 1
grep -A2 '^Datagrams (UDP)' "$scratch/out" | grep -q '^IPv4 tx .*[0-9]\.[0-9][0-9] '
ok $? 'the report tells what was lost'
run measure --peer 2001:db8::2 --cells rx --time 1 --omit 0 --streams 3 --json
is $code 0 'measure --json, by IPv6'
grep -q '"mbps": [0-9]' "$scratch/out"
ok $? 'has the throughput'
is "$(grep -c '"verdict"' "$scratch/out")" 0 'but no verdict'
is "$(grep -c '"nic": "bt-a"' "$scratch/out")" 2 'and the interface'
sh -c 'while :; do :; done' &
busy=$!
run measure --peer 192.0.2.2 --cells ipv4-tx --time 1 --omit 0 --save
kill $busy
is $code 0 'measure on a busy board'
grep -q '^  busy-board: ' "$scratch/out"
ok $? 'says so'
run report 1
grep -q 'busy-board: ' "$scratch/out"
ok $? 'and its run does'
"$BOARDTUNE" measure --peer 192.0.2.2 --cells ipv4-tx --time 20 >"$scratch/out" 2>&1 &
first=$!
sleep 2.5
kill -INT $first
wait $first
is $? 130 'SIGINT ends measure'
"$BOARDTUNE" measure --peer 192.0.2.2 --cells ipv4-tx --time 20 >"$scratch/out" 2>&1 &
first=$!
sleep 2.5
serve_end TERM 143
wait $first
is $? 6 'the peer is lost in the middle'

done_testing
