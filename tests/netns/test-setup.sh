#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-setup.sh - TAP: setup from its first question to the boot, with a real trial
need_tools='iperf3 ethtool nsenter tc'
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99

mount -t tmpfs tmpfs /etc || exit 99
mkdir -p /etc/boardtune/profiles /etc/systemd/system
echo '[Unit]' >/etc/systemd/system/boardtune.service
for name in generic-x86 generic-arm; do
	printf '[sysctl]\n-net.core.somaxconn = 4096\n' >/etc/boardtune/profiles/$name.ini
done
printf '[main]\nsummary = offloads\n[net:t]\nName = bt-test0\ntso = on\ngso = on\n' \
	>/etc/boardtune/profiles/offloads.ini

unshare -n sleep 600 &
peer=$!
server=
trap 'kill $peer $server; rm -rf "$scratch"' EXIT
until [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do
	sleep 0.05
done
ip link add bt-test0 type veth peer name bt-test1
ip link set bt-test1 netns $peer
ip address add 192.0.2.1/30 dev bt-test0
ip link set bt-test0 up
nsenter -t $peer -n ip address add 192.0.2.2/30 dev bt-test1
nsenter -t $peer -n ip link set bt-test1 up
nsenter -t $peer -n ip link set lo up
nsenter -t $peer -n iperf3 -s >/dev/null 2>&1 &
server=$!
ethtool -K bt-test0 tso off gso off
# the same rate with and without: a verdict that does not depend on this machine
tc qdisc add dev bt-test0 root tbf rate 100mbit burst 128k latency 50ms

tso() {
	ethtool -k bt-test0 | sed -n 's/^tcp-segmentation-offload: //p'
}

setup() {
	printf '%s\n' "$@" | "$BOARDTUNE" setup --quick --no-wait --cells ipv4-tx --time 1 \
		>"$scratch/out" 2>"$scratch/err"
	code=$?
}

has() {
	grep -q -- "$1" "$scratch/$2"
	ok $? "$3" || sed 's/^/# /' "$scratch/out" "$scratch/err"
}

"$BOARDTUNE" recommend >/dev/null 2>&1
[ $? != 5 ] || skip 'this machine has neither a device tree nor DMI'

setup offloads 'no host' '' n
has '"no host" is not HOST' err 'a bad address is asked for again'
is "$code $(tso)" '1 off' 'no peer, and not to be applied'
setup offloads 192.0.2.2 n
is "$code $(tso)" '1 off' 'not to be measured'
has 'To go on: "boardtune trial offloads --peer 192.0.2.2"' out 'the command that goes on'
setup offloads 198.51.100.1 y
has 'no route to the peer' err 'a peer that cannot be reached'
has 'stopped' err 'is asked for again'
is "$code $(tso)" '1 off' 'and without an answer nothing is changed'

# where others take the CPUs meanwhile it may be inconclusive: once more
for _ in 1 2 3; do
	setup offloads 192.0.2.2 y y
	[ "$code" = 6 ] || break
	has 'Nothing of the board was changed, or it was put back' out 'inconclusive: put back'
done
is "$code" 0 'measured, kept, enabled: exit 0' || sed 's/^/# /' "$scratch/out" "$scratch/err"
has 'Verdict: same' out 'by a verdict'
has '^\$ boardtune trial offloads --peer 192.0.2.2' out 'of a trial'
is "$(tso)" on 'the profile is in force'
is "$(tail -n 1 /etc/boardtune/boardtune.conf)" 'profile = offloads' 'and the boot profile'
"$BOARDTUNE" disable --now >/dev/null
is "$(tso)" off 'disable --now takes it back'
done_testing
