#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-steering.sh - RPS, XPS, flow counts, threaded NAPI and sysctl on a real kernel
#
# Two veth pairs in a namespace of our own. Needs the program in $BOARDTUNE, ethtool, ip,
# taskset, unshare and root: a user namespace may not write rps_cpus.
set -u

need_root=yes
need_tools='ethtool taskset'
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99

ip link add bt-a numtxqueues 2 numrxqueues 2 type veth \
	peer name bt-b numtxqueues 2 numrxqueues 2 &&
	ip link add bt-1 numtxqueues 1 numrxqueues 1 type veth \
		peer name bt-2 numtxqueues 1 numrxqueues 1 || skip 'no veth'
ip link set bt-a up
ip link set bt-b up
queues=/sys/class/net/bt-a/queues
one=/sys/class/net/bt-1
[ -e $queues/rx-1/rps_cpus ] || skip 'a kernel without RPS'

# ---- what the kernel does, by its own files: the facts that the rest relies on

# kernel FILE VALUE: write, and say what came of it
kernel() {
	# shellcheck disable=SC2320 # the status of the write is the point
	error=$({ echo "$2" >"$1"; } 2>&1) && echo taken && return
	echo "${error##*: }"
}

cpus=$(($(sed 's/.*-//' /sys/devices/system/cpu/possible) + 1))
online=$(cat /sys/devices/system/cpu/online)
# nr_cpu_ids bits and not one more; a group for each 32
beyond=$(printf '%x' $((1 << cpus)))
if [ $cpus -lt 32 ]; then
	is "$(kernel $queues/rx-0/rps_cpus "$beyond")" \
		'Value too large for defined data type' "mask $beyond on $cpus CPUs"
	is "$(kernel $queues/rx-0/rps_cpus 0,00000001)" \
		'Value too large for defined data type' 'a group too many'
	is "$(kernel $queues/rx-0/rps_cpus 00000001)" taken 'leading zeros'
fi
is "$(kernel $queues/rx-0/rps_cpus 0x1)" 'Invalid argument' '0x in a mask'
is "$(kernel $queues/rx-0/rps_cpus '')" taken 'nothing clears'
is "$(kernel $queues/rx-0/rps_flow_cnt -1)" 'Invalid argument' 'flow count -1'
is "$(kernel $queues/rx-0/rps_flow_cnt 4294967297)" 'Invalid argument' 'above 2^32'
is "$(kernel $queues/rx-0/rps_flow_cnt 0x10)" taken 'hex, base 0'
is "$(cat $queues/rx-0/rps_flow_cnt)" 16 'reads as decimal'
is "$(kernel $queues/rx-0/rps_flow_cnt 0)" taken '0 switches it off'
is "$(cat $one/queues/tx-0/xps_cpus 2>&1 | sed 's/.*: //')" 'No such file or directory' \
	'xps_cpus with one queue: read'
is "$(kernel $one/queues/tx-0/xps_cpus 1)" 'No such file or directory' 'and write'

# ---- the same through a profile

state() {
	for file in "$queues"/*/rps_cpus "$queues"/*/rps_flow_cnt "$queues"/*/xps_cpus \
		/sys/class/net/bt-*/threaded /proc/sys/net/ipv4/tcp_rmem \
		/proc/sys/net/ipv4/ip_local_reserved_ports \
		/proc/sys/net/ipv4/conf/bt-a/rp_filter; do
		[ ! -e "$file" ] || echo "$file $(cat "$file" 2>&1)"
	done
}

# outcome TARGET KEY: from the table in $scratch/out
outcome() {
	awk -v target="$1" -v key="$2" '$1 == target && $2 == key { print $NF }' \
		"$scratch/out"
}

echo 1 >$queues/rx-1/rps_cpus
state >"$scratch/start"
cat >"$scratch/steer.ini" <<INI
[net:a]
Name = bt-a
rps_cpus = all
xps_cpus = 0
rps_flow_cnt = 100

[sysctl]
net.ipv4.tcp_rmem = 4096 100000  6291456
net.ipv4.ip_local_reserved_ports = 8080
net.ipv4.conf.bt-a.rp_filter = 1
INI
run apply "$scratch/steer.ini"
is $code 0 'apply'
is "$(outcome bt-a/rx-0 rps_cpus)" changed 'rps_cpus'
is "$(outcome bt-a/rx-0 rps_flow_cnt)" rounded 'rps_flow_cnt'
is "$(cat $queues/rx-0/rps_flow_cnt)" 128 '100 flows are 128'
is "$(cat $queues/rx-1/rps_cpus)" "$(cat $queues/rx-0/rps_cpus)" 'every queue'
[ "$(cat $queues/rx-0/rps_cpus)" != "$(sed 's/[^,]/0/g' $queues/rx-0/rps_cpus)" ]
ok $? 'a mask in the groups of the file'
is "$((0x$(tr -d , <$queues/tx-1/xps_cpus)))" 1 'xps_cpus is CPU 0'
is "$(cat /proc/sys/net/ipv4/tcp_rmem)" "$(printf '4096\t100000\t6291456')" 'tcp_rmem'
run verify
is $code 0 'verify: all hold'
run revert
is $code 0 'revert'
state >"$scratch/now"
is "$(diff "$scratch/start" "$scratch/now")" '' 'every queue and parameter is as before'

# ---- a change of channels destroys queues and their masks: nobody's may be lost

if [ $cpus -gt 1 ]; then
	echo 1 >$queues/rx-0/rps_cpus
	echo 2 >$queues/rx-1/rps_cpus
	echo 64 >$queues/rx-1/rps_flow_cnt
	echo 2 >$queues/tx-0/xps_cpus
	echo 1 >$queues/tx-1/xps_cpus
	state >"$scratch/start"
	printf '[net:a]\nName = bt-a\nchannels.rx = 1\n' >"$scratch/one.ini"
	run apply "$scratch/one.ini"
	is $code 0 'channels.rx = 1'
	[ ! -e $queues/rx-1 ]
	ok $? 'one receive queue is left'
	is "$((0x$(tr -d , <$queues/rx-0/rps_cpus)))" 1 'with its mask'
	is "$((0x$(tr -d , <$queues/tx-1/xps_cpus)))" 1 'the transmit queues with theirs'
	printf '[net:a]\nName = bt-a\nchannels.rx = 1\nrps_cpus = 1\n' \
		>"$scratch/both.ini"
	run apply "$scratch/both.ini"
	is "$code $((0x$(tr -d , <$queues/rx-0/rps_cpus)))" '0 2' 'another mask on top'
	run revert
	is $code 0 'revert'
	state >"$scratch/now"
	is "$(diff "$scratch/start" "$scratch/now")" '' \
		'the queue that was gone has its mask and flow count again'
	ethtool -L bt-a rx 1
	printf '[net:a]\nName = bt-a\nchannels.rx = 2\nrps_cpus = 0\n' >"$scratch/two.ini"
	run apply "$scratch/two.ini"
	is "$code $((0x$(tr -d , <$queues/rx-1/rps_cpus)))" '0 1' 'a new queue has it, too'
	run revert
	is "$code $((0x$(tr -d , <$queues/rx-0/rps_cpus)))" '0 1' 'revert: as it was'
	[ ! -e $queues/rx-1 ]
	ok $? 'and the new queue is gone'
	ethtool -L bt-a rx 2
	echo 1 >$queues/rx-1/rps_cpus # as above
fi

printf '[net:a]\nName = bt-a\nrps_cpus = %d\n' "$cpus" >"$scratch/beyond.ini"
run plan "$scratch/beyond.ini"
is $code 2 'a CPU that the board does not have: exit 2'
grep -q "beyond.ini:3: this board has no CPU $cpus" "$scratch/err"
ok $? 'FILE:LINE and what there is'

printf '[net:a]\nName = bt-1\nxps_cpus = 0\n' >"$scratch/one.ini"
run apply "$scratch/one.ini"
is $code 1 'XPS with one queue: exit 1'
is "$(outcome bt-1/tx-0 xps_cpus)" unsupported 'unsupported'
grep -q 'one transmit queue' "$scratch/out"
ok $? 'says why'

# these files are not in a namespace of its own
printf '[sysctl]\nnet.core.rps_sock_flow_entries = 100\n' >"$scratch/global.ini"
run apply "$scratch/global.ini"
is "$code $(outcome sysctl net.core.rps_sock_flow_entries)" \
	'1 unsupported' 'a parameter that is not here'
printf '[sysctl]\nnet.ipv4.route.flush = 1\n' >"$scratch/flush.ini"
run apply "$scratch/flush.ini"
is "$code $(outcome sysctl net.ipv4.route.flush)" '1 refused' \
	'a write-only parameter'
printf '[sysctl]\nnet.ipv4.conf.bt-9.rp_filter = 1\n' >"$scratch/gone.ini"
run apply "$scratch/gone.ini"
is "$code $(outcome sysctl net.ipv4.conf.bt-9.rp_filter)" \
	'1 missing' 'of an interface that is not here'

# ---- threaded NAPI; a veth has instances while GRO is on

if [ ! -e $one/threaded ]; then
	ok 0 'threaded NAPI # SKIP before 5.12'
	done_testing
fi
printf '[net:a]\nName = bt-1\nthreaded = on\n' >"$scratch/down.ini"
run apply "$scratch/down.ini"
is "$code $(outcome bt-1 threaded)" '1 unsupported' 'no NAPI instance'
grep -q 'the interface is down' "$scratch/out"
ok $? 'says that it is down'

threads() {
	grep -ls '^napi/bt-a-' /proc/[0-9]*/comm | sed 's|/proc/||; s|/comm||'
}

ethtool -K bt-a gro on
cat >"$scratch/threads.ini" <<INI
[net:a]
Name = bt-a
threaded = on
napi.affinity = 0
INI
state >"$scratch/start"
sed /threaded/d "$scratch/threads.ini" >"$scratch/none.ini"
run apply "$scratch/none.ini"
is "$code $(outcome napi/bt-a napi.affinity)" '1 unsupported' 'without threaded = on'
grep -q 'they come with threaded = on' "$scratch/out"
ok $? 'says what they come with'
run plan "$scratch/threads.ini"
is "$code $(outcome napi/bt-a napi.affinity)" '0 changed' 'plan: before there are threads'
run apply "$scratch/threads.ini"
is $code 0 'threads and their CPU in one run'
is "$(threads | wc -l)" 2 'a thread for each queue'
for pid in $(threads); do
	is "$(taskset -pc "$pid" | sed 's/.*: //')" 0 "$(cat "/proc/$pid/comm") on CPU 0"
done
run verify
is $code 0 'verify: all hold'
for pid in $(threads); do
	taskset -pc "$online" "$pid" >/dev/null
done
run verify
if [ "$online" = 0 ]; then
	ok 0 'somebody moves them # SKIP one CPU'
else
	is "$code $(outcome "napi/$(sed 's|napi/||' "/proc/$pid/comm")" napi.affinity)" \
		'1 overridden' 'somebody moves them: verify tells'
fi
# the threads of an interface that was down and up again are new ones
run apply "$scratch/threads.ini"
ip link set bt-a down && ip link set bt-a up
run apply "$scratch/threads.ini"
is $code 0 'apply after down and up'
run verify
is $code 0 'verify: all hold'
run revert
is $code 0 'revert'
is "$(threads)" '' 'no threads'
grep -q napi/ "$scratch/out"
is $? 1 'they went with the setting that brought them: no rows'
state >"$scratch/now"
is "$(diff "$scratch/start" "$scratch/now")" '' 'as before'

# threads that a profile takes away come back where they were
echo 1 >/sys/class/net/bt-a/threaded
for pid in $(threads); do
	taskset -pc 0 "$pid" >/dev/null
done
printf '[net:a]\nName = bt-a\nthreaded = off\n' >"$scratch/off.ini"
run apply "$scratch/off.ini"
is "$code $(threads)" '0 ' 'threaded = off'
run revert
is "$code $(threads | wc -l)" '0 2' 'revert: threads again'
for pid in $(threads); do
	is "$(taskset -pc "$pid" | sed 's/.*: //')" 0 "$(cat "/proc/$pid/comm") on CPU 0"
done
echo 0 >/sys/class/net/bt-a/threaded

# renamed between apply and revert: it is still the same interface
run apply "$scratch/steer.ini" --best-effort
ip link set bt-a down && ip link set bt-a name bt-z && ip link set bt-z up
run revert
is "$(cat /sys/class/net/bt-z/queues/rx-1/rps_flow_cnt)" 0 'revert finds it renamed'
is "$((0x$(tr -d , </sys/class/net/bt-z/queues/rx-1/rps_cpus)))" 1 'every queue'
done_testing
