#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-boot-guard.sh - the guard of a boot: its mark, what is added to it, who can stop it
#
# Needs the program in $BOARDTUNE, ethtool, ip, unshare; root, as it mounts an overlay.
set -u

need_root=yes need_disk=yes need_tools='ethtool flock setpriv'
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99

mkdir -p "$scratch/etc/boardtune/profiles" "$scratch/var" && mount --bind "$scratch/etc" /etc ||
	exit 99
profiles=/etc/boardtune/profiles
printf '[net:a]\nName = bt-a\ngro = on\n' >$profiles/a.ini
printf '[net:b]\nName = bt-b bt-c\ngro = on\n' >$profiles/b.ini
mark=/etc/boardtune/boot-mark
applied=/run/boardtune/boot
as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all'

# nothing is to be received that nobody sends
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add bt-a type veth peer name bt-b

gro() {
	ethtool -k "$1" | sed -n 's/^generic-receive-offload: //p'
}

# boot_profile NAME: as enable has it
boot_profile() {
	printf '[boot]\nprofile = %s\n' "$1" >/etc/boardtune/boardtune.conf
}

# guards: the processes "boardtune confirm --boot" of this namespace
guards() {
	local p
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/ns/net")" = "$(readlink /proc/self/ns/net)" ] || continue
		tr '\0' ' ' <"$p/cmdline" 2>/dev/null | grep -qx 'boardtune confirm --boot ' &&
			echo "${p#/proc/}"
	done
}

# guards_are NUMBER: in time
guards_are() {
	local i
	for ((i = 0; i < 60; i++)); do
		[ "$(guards | wc -l)" != "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# end_guards SIGNAL
end_guards() {
	# shellcheck disable=SC2046 # numbers
	kill -"$1" $(guards)
	guards_are 0
}

# age: as if the last apply were long ago
age() {
	sed -i '2s/.*/-1000/' $applied
}

index() {
	cat "/sys/class/net/$1/ifindex"
}

# ---- where the mark is: /var/lib is a tmpfs here

boot_profile a
run apply --boot
is "$code $(gro bt-a)" '0 on' 'applied'
[ -s $mark ] && [ ! -e /var/lib/boardtune/boot-mark ]
ok $? '/var in memory: the mark is in /etc'
guards_are 1
ok $? 'a guard waits'
end_guards TERM
[ ! -e $mark ]
ok $? 'a clean shutdown takes the mark away'
run revert

mkdir "$scratch/upper" "$scratch/work"
mount -t overlay -o "lowerdir=/var/lib,upperdir=$scratch/upper,workdir=$scratch/work" \
	overlay /var/lib
run apply --boot
is "$code $(ls "$scratch/upper/boardtune")" '0 boot-mark' 'an overlay on a disk: it is in /var'
end_guards TERM
run revert
umount /var/lib

mkdir /run/upper && mount -t tmpfs tmpfs /run/upper && mkdir /run/upper/{etc,work}
mount -t overlay -o "lowerdir=$scratch/etc,upperdir=/run/upper/etc,workdir=/run/upper/work" \
	overlay /etc
rm -f $applied
run apply --boot
is "$code $(gro bt-a)" '1 off' 'an overlay in memory, as of overlayroot: nothing is applied'
grep -q 'neither .* outlives a crash' "$scratch/err"
ok $? 'and why is said'
umount -l /run/upper
run apply --boot
is "$code $(gro bt-a)" '1 off' 'nor where it is not seen what the overlay is on'
umount /etc

# ---- what comes later

run apply --boot
guards_are 1
boot_profile b
ip link set bt-a up
ip link set bt-b up
run apply --boot
is "$code $(gro bt-b)" '0 on' 'another profile, as a reload does'
is "$(sed -n '3,$s/ .*//p' $applied | sort | xargs)" \
	"$(printf '%s\n' "$(index bt-a)" "$(index bt-b)" | sort | xargs)" \
	'what was touched by either has to prove itself'
guards_are 1
ok $? 'with one guard'
at=$(sed -n 2p $applied)
ip link add bt-c type veth peer name bt-d
run apply --boot --nic bt-c
is "$code $(gro bt-c)" '0 on' 'an interface that comes meanwhile'
is "$(sed -n '$s/ .*//p' $applied)" "$(index bt-c)" 'has to, as well'
[ "$(sed -n 2p $applied)" != "$at" ]
ok $? 'and the time begins anew'
at=$(sed -n 2p $applied)
run apply --boot --nic bt-c
is "$(sed -n 2p $applied)" "$at" 'but not when nothing was written'
run enable b
[ -s $mark ]
ok $? 'enable leaves the mark of a boot that has not proved itself'

end_guards KILL
age
run confirm --boot
is "$code $(gro bt-a) $(gro bt-b) $(gro bt-c)" '1 off off off' 'nobody answers: all is reverted'
[ ! -e $mark ]
ok $? 'the mark is gone'

run apply --boot
end_guards TERM
ip link delete bt-c
ip link add bt-c type veth peer name bt-d
cp $applied "$scratch/applied"
run apply --boot --nic bt-c
is "$code $(gro bt-c)" '0 on' 'an interface that comes once the boot is good'
cmp -s $applied "$scratch/applied" && [ ! -e $mark ]
ok $? 'has not to prove itself before the next'
ethtool -K bt-b gro off
run apply --boot
is "$(sed -n '3,$s/ .*//p' $applied)" "$(index bt-b)" 'a reload after that: what it touched'
[ -s $mark ] && guards_are 1
ok $? 'has to: a mark, and a guard'

# ---- killed, and held up

end_guards KILL
sed -i 's/"applying":false/"applying":true/' /run/boardtune/undo.json
run confirm --boot
is "$code $(gro bt-b)" '1 off' 'a later apply that was killed is undone'
[ -s $mark ]
ok $? 'and the mark stays'
rm $mark
run apply --boot
guards_are 1
! $as_nobody flock -n /run/boardtune/boot-guard true 2>/dev/null
ok $? 'another user may not keep the guard away'
end_guards TERM

# has_applying true|false: the record, as a killed apply leaves it
has_applying() {
	sed -i "s/\"applying\":[a-z]*/\"applying\":$1/" /run/boardtune/undo.json
}

# ends_in_two_seconds: the time to prove itself
ends_in_two_seconds() {
	local up
	read -r up _ </proc/uptime
	sed -i "2s/.*/$((${up%.*} - 118))/" $applied
}

ip link set bt-a down # nobody who could answer: no reason to revert
ethtool -K bt-b gro off
rm -f $applied
run apply --boot
end_guards KILL
ends_in_two_seconds
"$BOARDTUNE" confirm --boot >"$scratch/guard" 2>&1 </dev/null &
guard=$!
sleep 1
has_applying true
ethtool -K bt-c gro off
run apply --boot --nic bt-c
is "$code $(gro bt-c)" '0 off' 'after a reload that was killed nothing is added'
wait $guard
is "$? $(gro bt-b)" '1 off' 'the guard that waits already undoes it'
[ -s $mark ]
ok $? 'and the mark stays'

rm -rf $mark $applied
mkdir -p $applied
run apply --boot
[ -s $mark ]
ok $? 'what has to prove itself cannot be noted: the mark stays'
for ((i = 0; i < 60; i++)); do
	[ "$(gro bt-b)" = on ] || break
	sleep 0.1
done
is "$(gro bt-b)" off 'and it is undone'
guards_are 0
rm -rf $mark $applied

# ---- where it may write

mkdir -p /run/boardtune
exec 9>/run/boardtune/lock
flock 9
"$BOARDTUNE" apply --boot >"$scratch/out" 2>"$scratch/err" </dev/null 9>&- &
sleep 1
rm -r /run/boardtune
exec 9>&-
wait $!
is $? 0 'its directory is taken away while it waits'
end_guards TERM
run revert
rm -f $mark $applied

sack=/proc/sys/net/ipv4/tcp_sack
printf '[sysctl]\nnet.ipv4.tcp_sack = 0\n' >$profiles/sack.ini
boot_profile sack
if mount -t proc proc /proc && [ "$(cat $sack)" = 1 ]; then
	run apply --boot
	is "$code $(cat $sack)" '0 0' 'a setting below /proc'
	end_guards KILL
	ends_in_two_seconds
	"$BOARDTUNE" confirm --boot >"$scratch/guard" 2>&1 </dev/null &
	sleep 1
	mount -o remount /proc # shrinks what is cached, as a lack of memory does
	has_applying true
	wait $!
	is "$? $(cat $sack)" '1 1' 'put back, though the kernel has forgotten its directory'
	umount /proc
else
	ok 0 'directories of /proc # SKIP no /proc of its own'
fi

done_testing
