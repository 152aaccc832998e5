#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-snapshot.sh - a snapshot stands for its board: same plans, same snapshot
. "${srcdir:-.}/tests/lib.sh" || exit 99

for board in $boards tests/boards/unit/status.board; do
	name=$(basename "$board" .board)
	run snapshot "$scratch/$name.board" --board "$board"
	is $code 0 "$name: exit 0"
	[ -s "$scratch/$name.board" ]
	ok $? "$name: a file"
	run snapshot --board "$scratch/$name.board"
	cmp -s "$scratch/$name.board" "$scratch/out"
	ok $? "$name: a snapshot of the snapshot is the same"
	profile=data/profiles/$name.ini
	[ -e "$profile" ] || profile=data/profiles/router-base.ini
	run plan "$profile" --board "$board" --json
	mv "$scratch/out" "$scratch/want"
	run plan "$profile" --board "$scratch/$name.board" --json
	diff "$scratch/want" "$scratch/out" | sed 's/^/# /'
	cmp -s "$scratch/want" "$scratch/out"
	ok $? "$name: the same plan of $profile"
done

# From a directory with links that leave it, and what only the owner may read.
mkdir -p "$scratch/root/sys/class/net" "$scratch/root/proc/sys/kernel" \
	"$scratch/root/sys/devices/system/cpu/cpufreq/policy0"
echo 6.12.1 >"$scratch/root/proc/sys/kernel/osrelease"
echo 1000 >"$scratch/root/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_cur_freq"
ln -s "/../../etc" "$scratch/root/sys/class/net/eth0"
run snapshot --sysroot "$scratch/root"
is $code 0 'of a directory: exit 0'
grep -qx '/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_cur_freq = 1000' "$scratch/out"
ok $? 'its files'
grep -q 'hostname\|passwd' "$scratch/out"
is $? 1 'nothing from outside'
if [ "$(id -u)" != 0 ]; then
	chmod 0 "$scratch/root/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_cur_freq"
	run snapshot --sysroot "$scratch/root"
	grep -qx '!unreadable .*/cpuinfo_cur_freq EACCES' "$scratch/out"
	ok $? 'what is not for us'
	grep -q 'sudo boardtune snapshot' "$scratch/err"
	ok $? 'with a hint'
fi

run snapshot a b
is $code 2 'two files: exit 2'
run snapshot "$scratch/no/such/dir" --board tests/boards/nanopi-neo2.board
is $code 1 'a file that cannot be written: exit 1'
[ ! -s "$scratch/out" ]
ok $? 'nothing on stdout'
if [ -e /dev/full ]; then
	"$BOARDTUNE" snapshot --board tests/boards/nanopi-neo2.board >/dev/full \
		2>"$scratch/err"
	is $? 1 'a full disk: exit 1'
fi
done_testing
