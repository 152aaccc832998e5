#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-apply.sh - apply, verify and revert on a real veth, with ethtool(8) as the witness
#
# Needs the program in $BOARDTUNE, ethtool, ip, unshare; root, or user namespaces.
set -u

need_tools='ethtool'
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99

ip link add bt-a type veth peer name bt-b
ip link set bt-a up
ip link set bt-b up
ip address add 192.0.2.1/24 dev bt-a
# what is asked for but not in force has to come back as that
ethtool -K bt-a sg off >/dev/null
features() {
	ethtool -k bt-a
}
features >"$scratch/start"
grep -q 'requested on' "$scratch/start"
ok $? 'the veth starts with a wanted feature that is not in force'

cat >"$scratch/first.ini" <<INI
[net:a]
Name = bt-a
sg = on
gro = on
-tx-nocache-copy = on
INI
run apply "$scratch/first.ini"
is $code 0 'apply'
features >"$scratch/first"
is "$(sed -n 's/^generic-receive-offload: //p' "$scratch/first")" on 'gro is on'
is "$(sed -n 's/^scatter-gather: //p' "$scratch/first")" on 'sg is on'
is "$(sed -n 's/^tcp-segmentation-offload: //p' "$scratch/first")" on \
	'and what waited for it came with it'
run verify
is $code 0 'verify: all hold'

ethtool -K bt-a gro off >/dev/null
run verify --json
is $code 1 'somebody else writes: verify tells'
grep -q '"outcome": "overridden"' "$scratch/out"
ok $? 'overridden'
ethtool -K bt-a gro on >/dev/null

# refused half-way: without scatter-gather the kernel keeps TSO off
cat >"$scratch/second.ini" <<INI
[net:a]
Name = bt-a
gro = off
sg = off
tso = on
INI
run apply "$scratch/second.ini"
is $code 1 'a second profile that the kernel does not take'
grep -q 'clamped' "$scratch/out"
ok $? 'clamped'
features >"$scratch/now"
is "$(diff "$scratch/first" "$scratch/now")" '' 'back to the first profile'

fixed=$(sed -n 's/^[[:blank:]]*\([a-z0-9-]*\): off \[fixed\]$/\1/p' "$scratch/start" |
	grep -m 1 '^hw-tc-offload$\|^rx-all$\|^l2-fwd-offload$')
printf '[net:a]\nName = bt-a\ngro = off\n%s = on\n' "$fixed" >"$scratch/fixed.ini"
run apply "$scratch/fixed.ini" --json
is $code 1 "$fixed is fixed: exit 1"
grep -q '"outcome": "fixed"' "$scratch/out"
ok $? 'fixed'
features >"$scratch/now"
is "$(diff "$scratch/first" "$scratch/now")" '' 'nothing was changed'
run apply "$scratch/fixed.ini" --best-effort
is $code 1 'best effort: the exit code still tells'
is "$(ethtool -k bt-a | sed -n 's/^generic-receive-offload: //p')" off 'the rest is kept'

run revert
is $code 0 'revert'
features >"$scratch/now"
is "$(diff "$scratch/start" "$scratch/now")" '' 'as at the start, [requested on] included'
[ ! -e /run/boardtune ]
ok $? 'nothing is left in /run'
run revert
is $code 0 'nothing to revert'

# an SSH session through the interface: it has to be confirmed
export SSH_CONNECTION='192.0.2.2 50000 192.0.2.1 22'
run apply "$scratch/first.ini"
is $code 0 'apply over SSH'
grep -q 'SSH session goes through bt-a' "$scratch/err"
ok $? 'says that it waits'
run confirm
is $code 0 'confirm'
run revert
run apply "$scratch/first.ini" --no-confirm
is $code 0 '--no-confirm'
run confirm
is $code 1 'nothing waits'
unset SSH_CONNECTION

# renamed meanwhile, as udev does: it is still the same interface
run revert
features >"$scratch/start"
run apply "$scratch/first.ini"
ip link set bt-a down && ip link set bt-a name bt-z && ip link set bt-z up
run revert
is $code 0 'revert after a rename'
is "$(ethtool -k bt-z | diff <(sed 's/bt-a/bt-z/' "$scratch/start") -)" '' 'as before'
ip link set bt-z down && ip link set bt-z name bt-a && ip link set bt-a up
run apply "$scratch/first.ini"

# two at once
flock /run/boardtune/lock sleep 4 &
sleep 0.3
run revert
is $code 1 'another one holds the lock'
grep -q 'another boardtune is at work' "$scratch/err"
ok $? 'and says so'
wait

ip link delete bt-a
run revert
is $code 0 'the interface is gone: revert drops it'
[ ! -e /run/boardtune ]
ok $? 'nothing is left in /run'

# ---- an adapter that is plugged in anew: its name and path, but another index

plug() {
	ip link add bt-a type veth peer name bt-b
	ip link set bt-a up
	ip link set bt-b up
}
printf '[net:a]\nName = bt-a\ngro = on\nrps_cpus = 0\n' >"$scratch/plug.ini"
plug
run apply "$scratch/plug.ini"
is $code 0 'apply'
ip link delete bt-a
plug
features >"$scratch/start"
run revert --json
is $code 0 'plugged in anew: revert drops what was set on the one before'
is "$(sed -n 's/.*"outcome": "\(.*\)",*$/\1/p' "$scratch/out" | sort -u)" missing 'missing'
features >"$scratch/now"
is "$(diff "$scratch/start" "$scratch/now")" '' 'nothing is written to the new one'
[ ! -e /run/boardtune ]
ok $? 'and nothing is left in /run'

mount -o remount,ro /run
run revert
is "$code $(cat "$scratch/out" "$scratch/err")" '0 Nothing to revert.' '/run is read-only'
mount -o remount,rw /run && mkdir /run/boardtune && mount -o remount,ro /run
run revert
is "$code $(cat "$scratch/out" "$scratch/err")" '0 Nothing to revert.' \
	'a directory without a record, too'
done_testing
