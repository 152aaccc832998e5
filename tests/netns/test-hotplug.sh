#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-hotplug.sh - apply --boot --nic on veth that come, go, are renamed and come again
#
# Needs the program in $BOARDTUNE, ethtool, ip, unshare; root, or user namespaces.
set -u

need_disk=yes need_tools='ethtool'
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99

mkdir -p "$scratch/etc/boardtune/profiles" && mount --bind "$scratch/etc" /etc || exit 99
cat >/etc/boardtune/profiles/boot.ini <<INI
[net:a]
Name = bt-a bt-new
gro = on
rps_cpus = 0

[net:b]
Name = bt-b
gro = on
INI
printf '[net:a]\nName = bt-b\ngro = on\n' >/etc/boardtune/profiles/other.ini

plug() {
	ip link add bt-a type veth peer name bt-b
	ip link set bt-a up
	ip link set bt-b up
}

gro() {
	ethtool -k "$1" | sed -n 's/^generic-receive-offload: //p'
}

rps() {
	cat "/sys/class/net/$1/queues/rx-0/rps_cpus"
}

# state NIC: what the profile is about
state() {
	echo "$(gro "$1") $((16#$(rps "$1" | tr -d ,)))"
}

# nic NAME: an event of an interface
nic() {
	run apply --boot --nic "$1"
}

# silent TEXT: the last run has done and said nothing
silent() {
	is "$code $(cat "$scratch/out" "$scratch/err")" '0 ' "$1"
}

plug
nic bt-a
silent 'nothing is enabled'
echo '[boot]
profile = boot' >/etc/boardtune/boardtune.conf
nic bt-a
silent 'the boot unit has not applied'
is "$(state bt-a)" 'off 0' 'and nothing was set'
[ ! -e /run/boardtune ]
ok $? 'nor left in /run'

ip link delete bt-a
run apply --boot
is $code 0 'apply --boot while none is there: nothing to change'
plug
nic bt-a
is $code 0 'plugged'
is "$(state bt-a)" 'on 1' 'it is set'
is "$(state bt-b)" 'off 0' 'the other one is not'
grep -q '^bt-a: 2 changed, 0 failed (profile boot)$' "$scratch/err"
ok $? 'one line says so'
cp /run/boardtune/undo.json "$scratch/undo"
stat -c %i /run/boardtune/undo.json >"$scratch/inode"
nic bt-a
silent 'again: all is as wanted'
is "$(stat -c %i /run/boardtune/undo.json)" "$(cat "$scratch/inode")" \
	'and the undo record is not written'
nic bt-b
is "$code $(state bt-b)" '0 on 0' 'the other end has its own event'
run verify
is $code 0 'verify: all hold'

ethtool -K bt-a gro off
nic bt-b
silent 'an event of one does not look at the other'
is "$(gro bt-a)" off 'which stays as somebody else set it'
nic bt-a
is "$code $(gro bt-a)" '0 on' 'its own event puts it back'

run apply --boot
is $code 0 'the boot unit again'
nic bt-a
silent 'what it has just done is not done twice'

# ---- plugged anew, and many times

size=$(stat -c %s /run/boardtune/undo.json)
for n in 1 2 3; do
	ip link delete bt-a
	plug
	nic bt-a
	is "$code $(state bt-a)" '0 on 1' "plugged anew, $n"
	nic bt-b
done
[ "$(stat -c %s /run/boardtune/undo.json)" -lt $((size + 200)) ]
ok $? 'the undo record does not grow with what is gone'
run revert
is $code 0 'revert'
is "$(state bt-a) $(state bt-b)" 'off 0 off 0' 'reverts what came by events'
nic bt-a
silent 'reverted: an event does not apply it again'
is "$(state bt-a)" 'off 0' 'and nothing is set'

# ---- while it is not settled

run apply --boot
ip link delete bt-a
plug
nic bt-a &
pid=$!
sleep 0.3
ip link delete bt-a
wait $pid
is $? 0 'gone after a moment: no failure'
plug
"$BOARDTUNE" apply --boot --nic bt-a >"$scratch/out" 2>&1 &
pid=$!
sleep 0.3
ip link set bt-a down && ip link set bt-a name bt-new && ip link set bt-new up
wait $pid
is "$? $(cat "$scratch/out")" '0 ' 'renamed after a moment: no failure'
is "$(state bt-new)" 'off 0' 'and left to the event of the new name'
nic bt-new
is "$code $(state bt-new)" '0 on 1' 'which sets it'

# ---- what comes while an event is served: systemd adds its event to the run

ip link delete bt-new
plug
"$BOARDTUNE" apply --boot --nic bt-a >"$scratch/out" 2>&1 &
pid=$!
sleep 0.3
kill -STOP $pid
ip link delete bt-a
plug
kill -CONT $pid
wait $pid
is "$? $(state bt-a)" '0 on 1' 'gone and plugged anew after a moment: the new one is served'

# It is stopped right after its last write, so that somebody else comes in between; a busy
# machine may be late for that.
served=
for _ in 1 2 3 4 5; do
	stopped=
	echo 0 >/sys/class/net/bt-a/queues/rx-0/rps_cpus
	"$BOARDTUNE" apply --boot --nic bt-a >"$scratch/out" 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null && read -r cpus </sys/class/net/bt-a/queues/rx-0/rps_cpus; do
		[[ $cpus == *1 ]] || continue
		kill -STOP $pid 2>/dev/null || break
		echo 0 >/sys/class/net/bt-a/queues/rx-0/rps_cpus
		kill -CONT $pid
		stopped=yes
		break
	done
	wait $pid
	[ -z "$stopped" ] || served=$(state bt-a)
	[ "$served" != 'on 1' ] || break
done
is "$served" 'on 1' 'changed behind its back: it looks again'

"$BOARDTUNE" apply --boot --nic bt-b >"$scratch/one" 2>&1 &
one=$!
"$BOARDTUNE" apply --boot --nic bt-b >"$scratch/two" 2>&1 &
two=$!
wait $one && wait $two
ok $? 'two at once: both end well'
is "$(cat "$scratch/one" "$scratch/two" | grep -c changed)" 1 'one of them applied'

# ---- what does not concern it

nic bt-none
silent 'no such interface'
ip link add bt-c type veth peer name bt-d
begin=$(date +%s%N)
nic bt-c
silent 'an interface that no section names'
[ $((($(date +%s%N) - begin) / 1000000)) -lt 900 ]
ok $? 'does not wait until that is settled'
nic 'a/../b'
is $code 2 'no name of an interface'
run apply boot --nic bt-b
is $code 2 '--nic without --boot'
run apply boot --boot --nic bt-b
is $code 2 '--nic with a profile'
# names that systemd writes otherwise in the name of a unit; without it: as they are
for name in a+b a@b a-b über0 x2345678901234y; do
	ip link set bt-b name "$name"
	sed -i "s/^Name = bt-b.*/Name = bt-b $name/" /etc/boardtune/profiles/boot.ini
	unit=$(systemd-escape --mangle "t@$name.service" 2>/dev/null || echo "t@$name.service")
	unit=${unit#t@}
	ethtool -K "$name" gro off
	nic "${unit%.service}"
	is "$code $(gro "$name")" '0 on' "$name as ${unit%.service}"
	ip link set "$name" name bt-b
done
# hook VARIABLE=VALUE... [-- ARG...]: the hook for links, without systemd; up to 5 s
hook() {
	vars=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		vars+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	ethtool -K bt-b gro off
	env PATH="${BOARDTUNE%/*}:$PATH" "${vars[@]}" sh data/hooks/boardtune-link-up "$@"
	for _ in $(seq "$tries"); do
		[ "$(gro bt-b)" != on ] || break
		sleep 0.1
	done
}

tries=50
hook IFACE=bt-b MODE=start
is "$(gro bt-b)" on 'hook of ifupdown'
hook IFACE=bt-b STATE=carrier
is "$(gro bt-b)" on 'hook of networkd-dispatcher'
hook NM_DISPATCHER_ACTION=up -- bt-b up
is "$(gro bt-b)" on 'hook of NetworkManager'
hook INTERFACE=bt-b DEVICENAME=bt-b ACTION=add -- net
is "$(gro bt-b)" on 'hook of OpenWrt: a device'
hook INTERFACE=lan DEVICE=bt-b ACTION=ifup -- iface
is "$(gro bt-b)" on 'hook of OpenWrt: a network'
tries=15
hook INTERFACE=lan DEVICE=bt-b ACTION=ifdown -- iface
is "$(gro bt-b)" off 'a network that goes down is no reason'
hook IFACE=lo MODE=start
is "$(gro bt-b)" off 'nor is lo'

run apply boot --late
is $code 2 '--late without --boot'
run apply --boot --late
silent 'a profile without clocks'
run apply other
is $code 0 'another profile is put in force by hand'
ethtool -K bt-b gro off
nic bt-b
silent 'then events leave its interfaces alone'
is "$(gro bt-b)" off 'as somebody set it'

fixed=$(ethtool -k bt-b | sed -n 's/^[[:blank:]]*\(rx-all\): off \[fixed\]$/\1/p')
printf '[net:b]\nName = bt-b\ngro = on\n%s = on\n' "${fixed:-rx-fcs}" \
	>/etc/boardtune/profiles/boot.ini
run revert
run apply --boot
ethtool -K bt-b gro off
nic bt-b
is "$code $(gro bt-b)" '1 on' 'a setting that cannot be: it fails, the rest is kept'
grep -q '^net:b .* of bt-b: fixed, wanted on' "$scratch/err"
ok $? 'a line names the setting'
nic bt-b
echo 'max_frq = 1' >>/etc/boardtune/profiles/boot.ini
nic bt-b
is $code 2 'a profile with an error'
done_testing
