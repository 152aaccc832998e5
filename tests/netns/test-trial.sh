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
middle=
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
	[ -z "$middle" ] || kill "$middle" 2>/dev/null
}
trap cleanup EXIT

in_peer() {
	nsenter -t "$peer" -n "$@"
}

in_middle() {
	nsenter -t "$middle" -n "$@"
}

# namespace_begin: sets $!
namespace_begin() {
	unshare -n sleep 900 &
	for _ in $(seq 50); do
		[ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/self/ns/net)" ] &&
			break
		sleep 0.1
	done
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

feature() { # NAME [INTERFACE]
	ethtool -k "${2-bt-test0}" | sed -n "s/^\t*$1: \([a-z]*\).*/\1/p"
}

features() {
	echo "$(feature tx-tcp-segmentation) $(feature generic-segmentation-offload)"
}

# Other tests may keep this machine busy: --no-wait. That a trial waits is tested in
# test-trial-gates.sh.
trial() { # PROFILE OPTIONS: runs it, sets $code
	"$BOARDTUNE" trial "$@" --yes --no-wait >$dir/out 2>$dir/err </dev/null
	code=$?
}

flag() { # NAME: whether the document has it
	sed -n '/^  "flags"/,/]/p' $dir/out | grep -q "\"$1\""
}

# The set of capabilities of $pid, as soon as it has dropped any.
capabilities() {
	for _ in $(seq 50); do
		set=$(sed -n 's/^CapEff:\t*//p' /proc/$pid/status)
		[ "$set" != "$all" ] && break
		sleep 0.1
	done
	echo "$set"
}

# Up to the moment that the guard of $pid waits: the first tests have not begun yet.
await_guard() {
	for _ in $(seq 100); do
		ls /run/boardtune/*.[0-9]* >/dev/null 2>&1 && break
		sleep 0.1
	done
	sleep 1
}

verdict() {
	sed -n 's/^  "verdict": "\([a-z]*\)".*/\1/p' $dir/out
}

# A trial in the background, up to the moment that the profile is in force: sets $pid.
trial_begin() {
	"$BOARDTUNE" trial $dir/on.ini --peer 192.0.2.2 --cells ipv4-tx --time 2 --omit 0 \
		--pairs 2 --yes --no-wait >$dir/out 2>$dir/err </dev/null &
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

# The board - a bridge in the middle - the peer.
namespace_begin
peer=$!
namespace_begin
middle=$!
ip link set lo up
ip link add bt-test0 type veth peer name bt-mid0 netns $middle
in_middle ip link add bt-mid1 type veth peer name bt-test1 netns $peer
in_middle ip link add bt-mid type bridge
for name in bt-mid0 bt-mid1; do
	in_middle ip link set $name master bt-mid
	in_middle ip link set $name up
done
in_middle ip link set bt-mid up
ip link add bt-other type veth peer name bt-other1
ip addr add 192.0.2.1/30 dev bt-test0
ip addr add fd00:b0a2::1/64 dev bt-test0 nodad
ip link set bt-test0 up
in_peer ip link set lo up
in_peer ip addr add 192.0.2.2/30 dev bt-test1
in_peer ip addr add fd00:b0a2::2/64 dev bt-test1 nodad
in_peer ip link set bt-test1 up
ethtool -K bt-test0 tso off gso off >/dev/null

# To the peer each packet costs 1500 bytes more. With segmentation offload the shaper
# sees one packet of up to 64 KiB, without it some forty: half of the rate. That is so
# however slow or busy this machine is.
in_middle tc qdisc add dev bt-mid1 root tbf rate 100mbit burst 128k latency 50ms \
	overhead 1500
in_peer tc qdisc add dev bt-test1 root tbf rate 100mbit burst 128k latency 50ms

printf '[main]\nsummary = on\n\n[net:t]\nName = bt-test0\ntso = on\ngso = on\n' >$dir/on.ini
# a switch without any effect on the traffic
printf '[main]\nsummary = same\n\n[net:t]\nName = bt-test0\ntx-nocache-copy = on\n' \
	>$dir/same.ini
printf '[main]\nsummary = else\n\n[net:t]\nName = bt-other\ntx-nocache-copy = on\n' \
	>$dir/other.ini

# Before anything is touched.
trial $dir/on.ini
is $code 5 "no peer named"
grep -q 'boardtune serve' $dir/err
ok $? "says what can be one"
trial $dir/on.ini --peer 192.0.2.2 --cells ipv4-tx
is $code 5 "nobody serves there"
grep -q 'boardtune serve' $dir/err
ok $? "says what has to"
trial $dir/on.ini --peer fe80::1
is $code 2 "link-local without its interface"
trial $dir/on.ini --peer 192.0.2.2:70000
is $code 2 "a port that is none"
trial $dir/on.ini --peer 192.0.2.2 --cells ipv5-tx
is $code 2 "a cell that is none"
trial $dir/on.ini --peer 192.0.2.2 --nic bt-test9
is $code 2 "an interface that is none"
trial $dir/on.ini --peer 192.0.2.2 --streams 129
is $code 2 "more connections than iperf3 takes"
"$BOARDTUNE" trial $dir/on.ini --peer 192.0.2.2 >$dir/out 2>$dir/err </dev/null
is $? 2 "no terminal to ask on"
grep -q -e --yes $dir/err
ok $? "names --yes"
"$BOARDTUNE" trial $dir/on.ini --peer 192.0.2.2 --time 120 >$dir/out 2>$dir/err </dev/null
grep -q 'about [0-9]*:[0-9][0-9] min: 4 rounds' $dir/err
ok $? "a trial longer than the budget says how long"
trial $dir/on.ini --peer 192.0.2.2 --label "$(printf 'caf\351')"
is $code 2 "a label that is no UTF-8"
server_start
trial $dir/other.ini --peer 192.0.2.2
is $code 5 "a profile for another interface than that of the route"
grep -q wrong-nic $dir/err
ok $? "is called wrong-nic"
is "$(features)" "off off" "nothing was changed by any of these"

# A name server is not trusted with more than a peer.
all=$(sed -n 's/^CapEff:\t*//p' /proc/self/status)
ip route add 198.51.100.9 dev bt-test0
ip neigh add 198.51.100.9 lladdr 02:00:00:00:00:99 dev bt-test0
echo 'nameserver 198.51.100.9' >$dir/resolv.conf
echo 'hosts: files dns' >$dir/nsswitch.conf
printf '192.0.2.2 trialpeer\nfd00:b0a2::2 trialpeer\n' >$dir/hosts
for name in resolv.conf nsswitch.conf hosts; do
	[ -e /etc/$name ] || : >/etc/$name
	mount --bind $dir/$name /etc/$name || echo "# no /etc/$name of our own"
done
"$BOARDTUNE" trial $dir/on.ini --peer nobody.example --yes >$dir/out 2>$dir/err </dev/null &
pid=$!
is "$(capabilities)" 0000000000801000 "capabilities while a name is looked up"
kill -KILL $pid
wait $pid 2>/dev/null

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
"$BOARDTUNE" revert >$dir/out2 2>&1
is "$(cat $dir/out2)" "Nothing to revert." "and has left no undo record"
awk 'length > 80 { exit 1 }' $dir/out
ok $? "the table keeps within 80 columns"

# The same settings on both sides of a link with a steady rate.
"$BOARDTUNE" trial $dir/same.ini -v --peer 192.0.2.2 --cells ipv4 --time 1 --omit 0 \
	--pairs 3 --keep never --yes --no-wait --json >$dir/out 2>$dir/err </dev/null
code=$?
case $(verdict) in same | inconclusive) true ;; *) false ;; esac
ok $? "a switch without effect is neither better nor worse ($(verdict), $code)"
[ "$(grep -c 'tx-nocache-copy' $dir/err)" -ge 4 ]
ok $? "and was made, to and fro"
is "$(feature tx-nocache-copy)" off "and undone"

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
	ls /run/boardtune/*.[0-9]* >/dev/null 2>&1
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


# What an earlier apply left is none of the business of a trial that is stopped before
# its first switch.
server_start
"$BOARDTUNE" apply $dir/same.ini >$dir/out 2>&1
is "$(feature tx-nocache-copy)" on "a first profile is applied"
for signal in INT:130 KILL:137; do
	"$BOARDTUNE" trial $dir/on.ini --peer 192.0.2.2 --cells ipv4-tx --time 8 --omit 0 \
		--pairs 2 --yes --no-wait >$dir/out 2>$dir/err </dev/null &
	pid=$!
	await_guard
	kill -"${signal%:*}" $pid
	wait $pid 2>/dev/null
	is $? "${signal#*:}" "SIG${signal%:*} in the first test of a second profile's trial"
	for _ in $(seq 50); do
		ls /run/boardtune/*.[0-9]* >/dev/null 2>&1 || break
		sleep 0.1
	done
	is "$(feature tx-nocache-copy) $(features)" "on off off" "the first is in force"
	"$BOARDTUNE" verify >$dir/out 2>&1
	is $? 0 "and known to verify"
done
trial $dir/on.ini --peer 192.0.2.2 --cells ipv4-tx --time 1 --omit 0 --pairs 2 --keep never
is "$(feature tx-nocache-copy) $(features)" "on off off" "a trial that is not kept, too"
"$BOARDTUNE" verify >$dir/out 2>&1
is $? 0 "leaves the first one in force"
"$BOARDTUNE" revert >$dir/out 2>&1
is $? 0 "revert"
is "$(feature tx-nocache-copy) $(features)" "off off off" "gives back the start"

# A family that is not measured may go.
"$BOARDTUNE" trial $dir/on.ini --peer trialpeer --cells ipv4-tx --time 2 --omit 0 --pairs 2 \
	--keep never --yes --no-wait >$dir/out 2>$dir/err </dev/null &
pid=$!
await_guard
is "$(capabilities)" 0000000000801000 "capabilities while tests run"
for _ in $(seq 150); do
	[ "$(features)" = "on on" ] && break
	sleep 0.1
done
ip addr del fd00:b0a2::1/64 dev bt-test0
wait $pid
is $? 0 "the address of a family goes that is not measured"

# Two ports of a bridge, the peer behind one of them.
ip addr flush dev bt-test0
ip link add bt-br type bridge
for name in bt-test0 bt-other; do
	ip link set $name master bt-br
	ip link set $name up
done
ip link set bt-other1 up
ip addr add 192.0.2.1/30 dev bt-br
ip link set bt-br up
in_peer ping -c 1 -W 5 192.0.2.1 >/dev/null 2>&1
trial $dir/other.ini --peer 192.0.2.2 --cells ipv4 --time 1 --omit 0 --pairs 2 --json
is $code 6 "a profile for the port that does not carry the traffic"
is "$(verdict)" inconclusive "is inconclusive"
flag wrong-nic
ok $? "with the flag wrong-nic"
is "$(feature tx-nocache-copy bt-other)" off "and not kept"
trial $dir/on.ini --peer 192.0.2.2 --cells ipv4-tx --time 1 --omit 0 --pairs 4 --json \
	--keep never
is "$code $(verdict)" "0 better" "one for the port that does is judged"
flag wrong-nic
is $? 1 "without that flag"
is "$(sed -n 's/^      "nic": "\(.*\)",$/\1/p' $dir/out | sort -u)" bt-test0 "as its own"
trial $dir/on.ini --peer 192.0.2.2 --nic bt-other
is $code 5 "a port under test that the profile does not touch"

echo "1..$count"
[ $failed = 0 ]
