#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test-trial.sh - whole trials against a real iperf3 server, in namespaces of its own
#
# Needs the program in $BOARDTUNE, iperf3, ip, tc, ethtool, unshare, nsenter. Runs as root,
# or as an ordinary user where user namespaces are allowed.
set -u

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

if [ -z "${TRIAL_INSIDE-}" ]; then
	[ -n "${BOARDTUNE-}" ] || skip "BOARDTUNE does not name the program"
	BOARDTUNE=$(readlink -f "$BOARDTUNE")
	export BOARDTUNE TRIAL_INSIDE=1
	for tool in iperf3 ip tc ethtool unshare nsenter; do
		command -v $tool >/dev/null || skip "no $tool"
	done
	map=
	[ "$(id -u)" = 0 ] || map=-r
	unshare $map -n -m true 2>/dev/null || skip "no namespaces here"
	exec unshare $map -n -m "$0"
fi

mount --make-rprivate / || skip "no private mounts"
mount -t sysfs sysfs /sys || skip "no sysfs of its own"
mount -t tmpfs tmpfs /run || skip "no private /run"
mount -t tmpfs tmpfs /var/lib || skip "no private /var/lib"

count=0
failed=0
peer=
server=
dir=/run/test-trial
mkdir $dir

ok() { # CONDITION-STATUS TEXT
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		failed=$((failed + 1))
		sed 's/^/# /' $dir/out $dir/err 2>/dev/null
	fi
}

is() { # GOT WANT TEXT
	[ "$1" = "$2" ]
	ok $? "$3 ($1)"
}

cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	[ -z "$peer" ] || kill "$peer" 2>/dev/null
}
trap cleanup EXIT

in_peer() {
	nsenter -t "$peer" -n "$@"
}

server_start() {
	# not through in_peer: $! has to be iperf3 itself, in any shell
	nsenter -t "$peer" -n iperf3 -s >/dev/null 2>&1 &
	server=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		in_peer ss -ltn 2>/dev/null | grep -q :5201 && return
		sleep 0.1
	done
}

server_stop() {
	kill "$server"
	wait "$server" 2>/dev/null
	server=
}

feature() {
	ethtool -k bt-test0 | sed -n "s/^\t*$1: \([a-z]*\).*/\1/p"
}

features() {
	echo "$(feature tx-tcp-segmentation) $(feature generic-segmentation-offload)"
}

trial() { # PROFILE OPTIONS: runs it, sets $code
	"$BOARDTUNE" trial "$@" --yes >$dir/out 2>$dir/err </dev/null
	code=$?
}

verdict() {
	sed -n 's/^  "verdict": "\([a-z]*\)".*/\1/p' $dir/out
}

# A trial in the background, up to the moment that the profile is in force: sets $pid.
trial_begin() {
	"$BOARDTUNE" trial $dir/on.ini --peer 192.0.2.2 --cells ipv4-tx --time 2 --omit 0 \
		--pairs 2 --yes >$dir/out 2>$dir/err </dev/null &
	pid=$!
	for _ in $(seq 150); do
		[ "$(feature tx-tcp-segmentation)" = on ] && break
		sleep 0.1
	done
	sleep 0.5
	is "$(features)" "on on" "the profile is in force"
}

await_off() {
	for _ in $(seq 50); do
		[ "$(features)" = "off off" ] && break
		sleep 0.1
	done
}

unshare -n sleep 600 &
peer=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break
	sleep 0.1
done
ip link set lo up
ip link add bt-test0 type veth peer name bt-test1 netns $peer
ip link add bt-other type veth peer name bt-other1
ip addr add 192.0.2.1/30 dev bt-test0
ip addr add fd00:b0a2::1/64 dev bt-test0 nodad
ip link set bt-test0 up
in_peer ip link set lo up
in_peer ip addr add 192.0.2.2/30 dev bt-test1
in_peer ip addr add fd00:b0a2::2/64 dev bt-test1 nodad
in_peer ip link set bt-test1 up
ethtool -K bt-test0 tso off gso off >/dev/null

printf '[main]\nsummary = on\n\n[net:t]\nName = bt-test0\ntso = on\ngso = on\n' >$dir/on.ini
printf '[main]\nsummary = as is\n\n[net:t]\nName = bt-test0\ntso = off\n' >$dir/same.ini
printf '[main]\nsummary = else\n\n[net:t]\nName = bt-other\ntx = off\n' >$dir/other.ini

# Before anything is touched.
trial $dir/on.ini
is $code 5 "no peer named"
trial $dir/on.ini --peer 192.0.2.2 --cells ipv4-tx
is $code 5 "nobody serves there"
trial $dir/on.ini --peer fe80::1
is $code 2 "link-local without its interface"
trial $dir/on.ini --peer 192.0.2.2:70000
is $code 2 "a port that is none"
trial $dir/on.ini --peer 192.0.2.2 --cells ipv5-tx
is $code 2 "a cell that is none"
trial $dir/on.ini --peer 192.0.2.2 --nic bt-test9
is $code 2 "an interface that is none"
"$BOARDTUNE" trial $dir/on.ini --peer 192.0.2.2 >$dir/out 2>$dir/err </dev/null
is $? 2 "no terminal to ask on"
grep -q -e --yes $dir/err
ok $? "names --yes"
server_start
trial $dir/other.ini --peer 192.0.2.2
is $code 5 "a profile for another interface than that of the route"
grep -q wrong-nic $dir/err
ok $? "is called wrong-nic"
is "$(features)" "off off" "nothing was changed by any of these"

# A real effect, by IPv6 as well.
trial $dir/on.ini --peer fd00:b0a2::2 --cells tx --time 1 --omit 0 --pairs 4 --json
is $code 0 "a profile that helps"
is "$(verdict)" better "is better"
is "$(features)" "on on" "and is kept"
grep -q '"family": "ipv4"' $dir/out
is $? 1 "a family that the peer's address does not have is left out"
ls /var/lib/boardtune/runs/*.json >/dev/null 2>&1
ok $? "the run is saved"
"$BOARDTUNE" revert >$dir/out 2>&1
is $? 0 "revert after a kept trial"
is "$(features)" "off off" "gives back what was there"
trial $dir/on.ini --peer 192.0.2.2 --cells ipv4-tx --time 1 --omit 0 --pairs 4 --keep never
is $code 0 "--keep=never is better, too"
is "$(features)" "off off" "but not kept"
awk 'length > 80 { exit 1 }' $dir/out
ok $? "the table keeps within 80 columns"

# The same settings on both sides of a link with a steady rate.
tc qdisc add dev bt-test0 root tbf rate 200mbit burst 64k latency 20ms
in_peer tc qdisc add dev bt-test1 root tbf rate 200mbit burst 64k latency 20ms
trial $dir/same.ini --peer 192.0.2.2 --cells ipv4 --time 1 --omit 0 --pairs 3 --json
case $(verdict) in same | inconclusive) true ;; *) false ;; esac
ok $? "the same settings are neither better nor worse ($(verdict), $code)"
is "$(features)" "off off" "and nothing was changed"

# Another client has the server when the trial begins.
iperf3 -c 192.0.2.2 -t 3 >/dev/null 2>&1 &
sleep 0.5
trial $dir/same.ini --peer 192.0.2.2 --cells ipv4-tx --time 1 --omit 0 --pairs 2 --json
case $(verdict) in same | inconclusive) true ;; *) false ;; esac
ok $? "a busy server is waited for ($code)"

# Ends in the middle, with the profile in force.
for signal in INT:130 TERM:143 HUP:129; do
	trial_begin
	kill -"${signal%:*}" $pid
	wait $pid
	is $? "${signal#*:}" "SIG${signal%:*} ends it"
	is "$(features)" "off off" "with the features as before"
	ls /run/boardtune/pending.* >/dev/null 2>&1
	is $? 2 "and no guard waits"
done
trial_begin
kill -KILL $pid
wait $pid 2>/dev/null
await_off
is "$(features)" "off off" "after SIGKILL the guard reverts"
trial_begin
server_stop
wait $pid
is $? 6 "the peer is lost in the middle"
is "$(features)" "off off" "and the features are as before"

echo "1..$count"
[ $failed = 0 ]
