#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-nic-param.sh - channels and coalescing applied and reverted on real interfaces
#
# Needs the program in $BOARDTUNE, ethtool, ip, unshare; root, or user namespaces.
set -u

need_tools='ethtool'
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99

ip link add bt-a numtxqueues 4 numrxqueues 4 type veth \
	peer name bt-b numtxqueues 4 numrxqueues 4
ip link set bt-a up
ip link set bt-b up

# channels: what bt-a has now, rx and tx
channels() {
	ethtool -l bt-a | sed -n '/^Current/,$s/^\(RX\|TX\):[[:blank:]]*//p' | tr '\n' ' '
}

# outcome KEY: what the last command made of it
outcome() {
	tr -d '\n' <"$scratch/out" | grep -o "\"key\": \"$1\".*" |
		grep -o '"outcome": "[a-z]*"' | head -1 | cut -d'"' -f4
}

profile() {
	{
		printf '[net:x]\n'
		printf '%s\n' "$@"
	} >"$scratch/p.ini"
}

is "$(channels)" '4 4 ' 'the veth starts with four channels'
profile 'Name = bt-a' 'channels.rx = 2' 'channels.tx = 3'
run plan "$scratch/p.ini" --json
is "$(outcome net.channels.rx)" changed 'plan'
grep -q 'the link may go down for a moment' "$scratch/out"
ok $? 'a change that may take the link down is marked'
run apply "$scratch/p.ini" --json
is $code 0 'apply'
is "$(channels)" '2 3 ' 'ethtool -l agrees'
run apply "$scratch/p.ini" --json
is "$code $(outcome net.channels.rx)" '0 ok' 'again: ok'
run verify
is $code 0 'verify'
profile 'Name = bt-a' 'channels.rx = 9'
run apply "$scratch/p.ini" --json
is "$code $(outcome net.channels.rx)" '0 rounded' 'above the maximum: rounded'
is "$(channels)" '4 3 ' 'to the maximum'
run apply "$scratch/p.ini" --json
is "$code $(outcome net.channels.rx)" '0 ok' 'and then it is ok'
profile 'Name = bt-a' 'channels.rx = 0'
run apply "$scratch/p.ini" --json
is "$code $(cat "$scratch/err")" \
	"2 $scratch/p.ini:3: channels.rx = 0 leaves bt-a no channel that receives" \
	'none at all: an error of its line'
! ethtool -L bt-a rx 0 2>/dev/null
ok $? 'the kernel refuses it'
is "$(channels)" '4 3 ' 'nothing changed'
for key in ring.rx coalesce.rx-usecs pause.rx eee channels.combined; do
	case $key in pause.rx | eee) value=on ;; *) value=1 ;; esac
	profile 'Name = bt-a' 'channels.rx = 1' "$key = $value"
	run apply "$scratch/p.ini" --json
	is "$code $(outcome "net.$key")" '1 unsupported' "$key of veth"
	is "$(channels)" '4 3 ' 'known before: nothing was written'
done
profile 'Name = bt-a' 'channels.rx = 1' '-ring.rx = 64'
run apply "$scratch/p.ini"
is "$code $(channels)" '0 1 3 ' 'forgiven'
run revert
is "$code $(channels)" '0 4 4 ' 'revert'

if ip tuntap add mode tap name bt-t 2>/dev/null; then
	frames() {
		ethtool -c bt-t | sed -n 's/^rx-frames:[[:blank:]]*//p'
	}
	profile 'Name = bt-t' 'coalesce.rx-frames = 16'
	run apply "$scratch/p.ini" --json
	is "$code $(outcome net.coalesce.rx-frames) $(frames)" '0 changed 16' 'coalescing'
	profile 'Name = bt-t' 'coalesce.rx-frames = 100'
	run apply "$scratch/p.ini" --json
	is "$code $(outcome net.coalesce.rx-frames) $(frames)" '0 rounded 64' \
		'a driver takes 64 for 100: rounded'
	profile 'Name = bt-t' 'coalesce.rx-frames = 300'
	run apply "$scratch/p.ini" --json
	is "$code $(outcome net.coalesce.rx-frames) $(frames)" '1 clamped 64' \
		'64 for 300: clamped'
	run revert
	is "$code $(frames)" '0 0' 'revert'
else
	ok 0 'coalescing of a tap # SKIP no /dev/net/tun'
fi
done_testing
