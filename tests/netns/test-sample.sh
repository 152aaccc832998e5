#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-sample.sh - TAP: counters of a real NIC that vanishes and returns, a busy CPU
set -u

: "${SAMPLE_CLIENT:=$PWD/tests/netns/sample-client}"
export SAMPLE_CLIENT
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99

make_pair() {
	ip link add bt0 type veth peer name bt1 &&
		ip addr add 10.99.0.1/24 dev bt0 && ip link set bt1 up && ip link set bt0 up
}

# send N: so many packets to an address that nobody has
send() {
	ip neigh replace 10.99.0.2 lladdr 02:00:00:00:00:02 dev bt0 nud permanent
	for ((i = 0; i < $1; i++)); do
		echo >/dev/udp/10.99.0.2/9
	done
}

# sample: one sample; leaves its words in $known (or "unknown"), $sent, $busy
sample() {
	echo >&"${sampler[1]}"
	read -r known rest <&"${sampler[0]}"
	sent=0
	[ "$known" = unknown ] || read -r _ sent rest <<<"$rest"
	busy=$rest
}

# IPv6 would send by itself
for all in all default; do
	echo 1 >/proc/sys/net/ipv6/conf/$all/disable_ipv6 2>/dev/null
done
make_pair || skip 'no veth here'
coproc sampler { exec "$SAMPLE_CLIENT" 0 bt0; }
# shellcheck disable=SC2154 # set by coproc
sampler_pid=$sampler_PID

sample
is "$known" known 'a NIC is counted'
first=$sent
send 5
sample
is $((sent - first)) 5 'five packets more'

ip link del bt0
sample
is "$known" unknown 'a NIC that was removed is not known'
sample
is "$known" unknown 'not a moment later either'
make_pair
sample
is "$known $sent" 'known 0' 'one of its name is, from 0 on'
send 3
sample
is "$sent" 3 'and its packets are counted'

before=$busy
end=$((SECONDS + 1))
while [ "$SECONDS" -lt $end ]; do
	:
done
sample
[ "$busy" -gt "$before" ]
ok $? 'a CPU that works is seen'

input=${sampler[1]}
exec {input}>&-
wait "$sampler_pid"
is $? 0 'it ends with its input'
done_testing
