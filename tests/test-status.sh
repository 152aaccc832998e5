#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-status.sh - what status says for each recorded board, byte for byte; a profile in
# force; a large board; options
#
# UPDATE=1 writes the files anew; read the difference before committing it.
. "${srcdir:-.}/tests/lib.sh" || exit 99

# longest FILE: columns of its longest line
longest() {
	awk '{ n = length($0) > n ? length($0) : n } END { print n + 0 }' "$1"
}

for board in $boards tests/boards/unit/status.board; do
	name=$(basename "$board" .board)
	for form in json txt; do
		golden=tests/golden/status.$name.$form
		option=--json
		[ $form = txt ] && option=--no-color
		run status --board "$board" $option
		is $code 0 "$name $form: exit 0"
		[ -z "${UPDATE:-}" ] || cp "$scratch/out" "$golden"
		diff -u "$golden" "$scratch/out" | sed 's/^/# /'
		cmp -s "$golden" "$scratch/out"
		ok $? "$name $form: as recorded"
		[ ! -s "$scratch/err" ]
		ok $? "$name $form: nothing on stderr"
	done
	[ "$(longest "$scratch/out")" -le 80 ]
	ok $? "$name: fits a screen"
	run snapshot "$scratch/$name.board" --board "$board" -q
	run status --board "$scratch/$name.board" --no-color
	cmp -s "$golden" "$scratch/out"
	ok $? "$name: the same from its snapshot"
	run status --board "$board" --board-save "$scratch/saved.board"
	cmp -s "$board" "$scratch/saved.board"
	ok $? "$name: nothing is written"
done

# ---- a profile in force

root=$scratch/root
policy=$root/sys/devices/system/cpu/cpufreq/policy0
mkdir -p "$policy" "$root/etc/boardtune/profiles" "$root/proc/sys/kernel"
echo 6.12.1 >"$root/proc/sys/kernel/osrelease"
echo 0 >"$policy/related_cpus"
echo 0 >"$policy/affected_cpus"
echo 'ondemand performance' >"$policy/scaling_available_governors"
echo ondemand >"$policy/scaling_governor"
printf '[cpufreq]\ngovernor = performance\n' >"$root/etc/boardtune/profiles/fast.ini"

run status --sysroot "$root"
grep -qx 'No profile is in force.' "$scratch/out"
ok $? 'no profile'
run status --sysroot "$root" --json
grep -qx '  "profile": null,' "$scratch/out"
ok $? 'no profile, in JSON'
run apply fast --sysroot "$root"
is $code 0 'a profile is applied'
run status --sysroot "$root"
grep -qx 'Profile in force: fast; its settings hold.' "$scratch/out"
ok $? 'it holds'
echo ondemand >"$policy/scaling_governor"
run status --sysroot "$root"
is $code 0 'drift is for verify to fail on: exit 0'
grep -qx 'Profile in force: fast; 0 of 1 settings hold.' "$scratch/out"
ok $? 'drift'
grep -q '^- 1 setting of profile fast does not hold; see "boardtune verify"' "$scratch/out"
ok $? 'drift is a finding'
run status --sysroot "$root" --json
grep -qx '    "holds": false,' "$scratch/out"
ok $? 'drift, in JSON'
grep -qx '        "outcome": "overridden"' "$scratch/out"
ok $? 'with the outcome of verify'
echo '[cpufreq]x' >"$root/etc/boardtune/profiles/fast.ini"
run status --sysroot "$root"
is $code 0 'a profile with an error: exit 0'
grep -q '^- profile fast cannot be checked: ' "$scratch/out"
ok $? 'is a finding'
echo '{' >"$root/run/boardtune/undo.json"
run status --sysroot "$root"
is $code 0 'a broken undo record: exit 0'
grep -q '^- the undo record cannot be read: ' "$scratch/out"
ok $? 'is a finding'

# ---- a large board: 512 CPUs, 4000 interrupts, 64 NICs

awk 'BEGIN {
	print "/sys/devices/system/cpu/possible = 0-511"
	print "/sys/devices/system/cpu/online = 0-511"
	for (i = 0; i < 512; i++) {
		p = "/sys/devices/system/cpu/cpufreq/policy" i
		print p "/related_cpus = " i
		print p "/affected_cpus = " i
		print p "/scaling_governor = schedutil"
	}
	for (i = 0; i < 64; i++)
		print "/sys/class/net/eth" i "/ifindex = " i + 1
	print "/proc/interrupts <<END"
	for (i = 0; i < 512; i++)
		printf " CPU%d", i
	print ""
	for (i = 0; i < 4000; i++) {
		printf "%d:", i
		for (k = 0; k < 512; k++)
			printf " %d", k == i % 512 ? 5 : 0
		printf " ITS-MSI %d Edge dev%d\n", i, i
	}
	print "END"
}' >"$scratch/large.board"
run status --board "$scratch/large.board" --no-color
is $code 0 'a large board: exit 0'
is "$(grep -c ^policy "$scratch/out")" 16 'some of its clocks'
grep -qx 'and 496 more: see --json' "$scratch/out"
ok $? 'and how many there are'
[ "$(longest "$scratch/out")" -le 80 ]
ok $? 'fits a screen'
run status --board "$scratch/large.board" --json
is "$(grep -c '"irq": ' "$scratch/out")" 4000 'all its interrupts in JSON'
is "$(grep -c '"policy": ' "$scratch/out")" 512 'all its clocks'
is "$(grep -A1 '"counts": {' "$scratch/out" | grep -c ': 5$')" 4000 \
	'counts of the CPUs that have some'

# ---- options

run status x --board tests/boards/nanopi-neo2.board
is $code 2 'an argument: exit 2'
[ ! -s "$scratch/out" ]
ok $? 'nothing on stdout'
run status -q --board tests/boards/nanopi-neo2.board
is "$code $(wc -c <"$scratch/out")" '0 0' '-q says nothing'
"$BOARDTUNE" status --json --board tests/boards/nanopi-neo2.board >/dev/full \
	2>"$scratch/err"
is $? 1 'a full disk: exit 1'
done_testing
