#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-trial-gates.sh - what keeps a trial from its first test, and what spoils it later
#
# Each cause is injected: no address, no carrier, the wrong route, busy CPUs, other traffic,
# a server that another client takes, a peer that answers no echo. Needs iperf3, tc and
# ethtool; runs as root, or as an ordinary user where user namespaces are allowed.
set -u

need_tools='iperf3 tc ethtool nsenter ss'
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99
mount -t tmpfs tmpfs /var/lib || skip 'no private /var/lib'

pids=
peer=

# ends when this script does, whatever stops it
cleanup() {
	# shellcheck disable=SC2086 # a list
	kill $pids 2>/dev/null
	rm -rf "$scratch"
}
trap cleanup EXIT

in_peer() {
	nsenter -t "$peer" -n "$@"
}

# server PORT: iperf3 in the peer
server() {
	nsenter -t "$peer" -n iperf3 -s -p "$1" >/dev/null 2>&1 &
	pids="$pids $!"
	for _ in $(seq 50); do
		in_peer ss -ltn | grep -q ":$1 " && return
		sleep 0.1
	done
}

# trial OPTIONS: of a profile without effect on the traffic
trial() {
	run trial "$scratch/same.ini" --yes --keep never "$@"
}

# begin OPTIONS: the same in the background, sets $pid; its lines are in $scratch/out
begin() {
	"$BOARDTUNE" trial "$scratch/same.ini" --yes --keep never --json-lines "$@" \
		>"$scratch/out" 2>"$scratch/err" </dev/null &
	pid=$!
}

# await N TEXT: until there are so many lines with it
await() {
	for _ in $(seq 200); do
		[ "$(grep -c "$2" "$scratch/out")" -ge "$1" ] && return
		sleep 0.1
	done
}

# busy_begin: all CPUs, by $loops
busy_begin() {
	loops=
	for _ in $(seq "$(nproc)"); do
		while :; do :; done &
		loops="$loops $!"
	done
	pids="$pids $loops"
}

# says TEXT NAME: on stderr
says() {
	grep -q -e "$1" "$scratch/err"
	ok $? "$2"
	grep -q -e "$1" "$scratch/err" || sed 's/^/# /' "$scratch/err"
}

# flags: of the run document, the last line
flags() {
	tail -n 1 "$scratch/out" | sed -n 's/.*"flags":\[\([^]]*\)\].*/\1/p'
}

# has NAME TEXT, has_not NAME TEXT: a flag
has() {
	flags | grep -q "\"$1\""
	ok $? "$2 ($(flags))"
}
has_not() {
	! flags | grep -q "\"$1\""
	ok $? "$2 ($(flags))"
}

# Two links to the peer, one of them slow enough for any machine.
unshare -n sleep 900 &
peer=$!
pids=$peer
for _ in $(seq 50); do
	[ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break
	sleep 0.1
done
for link in 0 1; do
	ip link add bt-gate$link type veth peer name bt-far$link netns $peer || skip 'no veth'
	in_peer ip link set bt-far$link up
done
ip link set lo up
in_peer ip link set lo up
in_peer ip address add 192.0.2.2/30 dev bt-far0
in_peer ip address add 198.51.100.2/30 dev bt-far1
ip link set bt-gate0 up
printf '[main]\nsummary = same\n\n[net:t]\nName = bt-gate*\ntx-nocache-copy = on\n' \
	>"$scratch/same.ini"
one='--peer 192.0.2.2 --cells ipv4-tx --time 1 --omit 0'

# ---- the way to the peer

trial --peer 192.0.2.2 --nic bt-gate1
is $code 5 'a link that is down'
says 'bt-gate1 has no carrier' 'has no carrier'
trial --peer 192.0.2.2 --nic bt-gate0
is $code 5 'an interface without an address'
says 'bt-gate0 has no address' 'is told so'
ip address add 192.0.2.1/30 dev bt-gate0
ip link set bt-gate1 up
ip address add 198.51.100.1/30 dev bt-gate1
ip route add 203.0.113.2 via 198.51.100.2
in_peer ip address add 203.0.113.2/32 dev lo
trial --peer 203.0.113.2 --nic bt-gate0
is $code 5 'a route through another interface'
says '203.0.113.2 goes through bt-gate1, not bt-gate0' 'names both'
tc qdisc add dev bt-gate0 root tbf rate 100mbit burst 128k latency 50ms || skip 'no tbf'
in_peer tc qdisc add dev bt-far0 root tbf rate 100mbit burst 128k latency 50ms

# ---- a board that is not quiet

server 5201
server 5202
iperf3 -c 192.0.2.2 -p 5202 -u -b 40M -t 600 >/dev/null 2>&1 &
flow=$!
busy_begin
pids="$pids $flow"
sleep 1
trial $one --pairs 2
is $code 5 'busy CPUs and other traffic'
says 'the CPUs are busy before any test: [0-9]* % of all' 'the CPUs are named'
says 'bt-gate0 carries [0-9.]* Mbit/s before any test' 'and the NIC'
says '--no-wait' 'and the way out'
is "$(ethtool -k bt-gate0 | sed -n 's/^tx-nocache-copy: //p')" off 'nothing was changed'
ls /run/boardtune/*.[0-9]* >/dev/null 2>&1
is $? 2 'and no guard waits'
# shellcheck disable=SC2086 # a list
kill $loops
trial $one --pairs 2 --no-wait --json-lines
is $code 6 'measured all the same, it cannot be trusted'
says 'bt-gate0 carries' 'which is said before'
has foreign-traffic 'other traffic is a flag'
kill $flow
sleep 1

# ---- without load and with it

# the queue of the shaper holds 50 ms
trial $one --pairs 2 --no-wait --json-lines
sed -n 's/.*"rtt4_ms":\([0-9.]*\).*/\1/p' "$scratch/out" >"$scratch/idle"
sed -n 's/.*"event":"result".*"rtt_ms":\([0-9.]*\).*/\1/p' "$scratch/out" >"$scratch/load"
is "$(wc -l <"$scratch/load")" 4 'each of the four tests has a latency'
awk 'NR == FNR { idle = $1; next } $1 > 200 || $1 < 1 + 2 * idle { exit 1 }' \
	"$scratch/idle" "$scratch/load"
ok $? "that of a full queue ($(tr '\n' ' ' <"$scratch/load")ms, idle $(cat "$scratch/idle"))"
is "$(grep -c '"event":"switch"' "$scratch/out")" 2 'two switches have their lines'
[ "$(grep -c '"event":"sample"' "$scratch/out")" -ge 8 ]
ok $? 'samples have theirs'
is "$(tail -n 1 "$scratch/out" | cut -c1-12)" '{"schema":1,' 'the last line is the run'
has_not foreign-traffic 'nothing else was there'
echo 1 | in_peer tee /proc/sys/net/ipv4/icmp_echo_ignore_all >"$scratch/tee"
trial $one --pairs 2 --no-wait --json-lines
says 'latency is not measured: 192.0.2.2 does not answer ICMP echo' 'a silent peer'
is "$(grep -c '"event":"result".*"rtt_ms":null.*"rtt_lost":0' "$scratch/out")" 4 \
	'has no latency, and has lost nothing'

# ---- a server that another client takes between two tests

# contend: until one of several clients has had its turn
contend() {
	for _ in 1 2 3 4; do
		until [ -e "$scratch/served" ]; do
			iperf3 -c 192.0.2.2 -t 2 >/dev/null 2>&1 && : >"$scratch/served"
		done &
		pids="$pids $!"
	done
}

begin $one --pairs 6 --no-wait
await 1 '"event":"result"'
contend
wait $pid
: >"$scratch/served"
grep -q '"event":"result".*"error":"EBUSY"' "$scratch/out"
ok $? 'the trial found the server busy'
has busy-server 'which is a flag'
tail -n 1 "$scratch/out" | grep -q '"discarded":true'
ok $? 'and its pair was discarded'
is "$(tail -n 1 "$scratch/out" | sed 's/.*"pairs":\([0-9]*\).*/\1/')" 6 'and repeated'

# ---- a board that forwards, measured by what ends at it

echo 1 >/proc/sys/net/ipv4/conf/all/forwarding
trial $one --pairs 2 --no-wait --json-lines
has not-forwarded 'forwarding is on'
echo 0 >/proc/sys/net/ipv4/conf/all/forwarding
trial $one --pairs 2 --no-wait --json-lines
has_not not-forwarded 'forwarding is off'
echo 1 >/proc/sys/net/ipv4/conf/bt-gate1/forwarding
trial $one --pairs 2 --no-wait --json-lines
has not-forwarded 'one interface forwards'
echo 0 >/proc/sys/net/ipv4/conf/bt-gate1/forwarding

# ---- a peer without time left, which only "serve" tells

nsenter -t "$peer" -n "$BOARDTUNE" serve --port 5203 >/dev/null 2>&1 &
serve=$!
busy_begin
pids="$pids $serve"
sleep 1
trial --peer 192.0.2.2:5203 --cells ipv4-tx --time 1 --omit 0 --pairs 2 --no-wait \
	--json-lines
has peer-limited 'a peer whose CPUs are busy'
# shellcheck disable=SC2086 # a list
kill $loops $serve

done_testing
