#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-setup.sh - TAP: recommend, list, enable auto and setup on a directory like /
. "${srcdir:-.}/tests/lib.sh" || exit 99

image=$scratch/image
policy=$image/sys/devices/system/cpu/cpufreq/policy0
local=$image/etc/boardtune/profiles
conf=$image/etc/boardtune/boardtune.conf
wants=$image/etc/systemd/system/multi-user.target.wants

has() {
	grep -q -- "$1" "$scratch/$2"
	ok $? "$3" || sed 's/^/# /' "$scratch/$2"
}

hasnt() {
	! grep -q -- "$1" "$scratch/$2"
	ok $? "$3"
}

# setup ANSWER...: one a line; then no more
setup() {
	printf '%s\n' "$@" >"$scratch/answers"
	[ $# -gt 0 ] || : >"$scratch/answers"
	LANGUAGE=C "$BOARDTUNE" setup --sysroot "$image" <"$scratch/answers" \
		>"$scratch/out" 2>"$scratch/err"
	code=$?
}

# board COMPATIBLE...
board() {
	printf '%s\0' "$@" >"$image/proc/device-tree/compatible"
}

make_image() {
	rm -rf "$image"
	mkdir -p "$image/usr/lib/systemd/system" "$local" "$image/run" "$policy" \
		"$image/proc/sys/kernel" "$image/proc/device-tree"
	for unit in boardtune irqbalance; do
		echo '[Unit]' >"$image/usr/lib/systemd/system/$unit.service"
	done
	echo 6.1.0 >"$image/proc/sys/kernel/osrelease"
	board vendor,board vendor,chip
	echo userspace >"$policy/scaling_governor"
	echo 408000 >"$policy/cpuinfo_min_freq"
	echo 1008000 >"$policy/cpuinfo_max_freq"
	echo 408000 >"$policy/scaling_min_freq"
	echo 816000 >"$policy/scaling_max_freq"
	echo '408000 816000 1008000' >"$policy/scaling_available_frequencies"
	echo '0 1' >"$policy/related_cpus"
	echo '0 1' >"$policy/affected_cpus"
	cat >"$local/board.ini" <<-'END'
		[main]
		summary = the board
		[board]
		compatible = vendor,other vendor,board
		[cpufreq]
		min_freq = hw-min
		max_freq = hw-max
	END
	printf '[main]\nsummary = hot\ninclude = board\n' >"$local/board-hot.ini"
	printf '[board]\ncompatible = vendor,chip\n[cpufreq]\nmax_freq = 816MHz\n' \
		>"$local/chip.ini"
	printf '[main]\nsummary = any\n[cpufreq]\nmin_freq = hw-min\n' >"$local/generic-arm.ini"
	chmod -R go-w "$image"
}

max() {
	cat "$policy/scaling_max_freq"
}

# What the image holds, to compare: nothing is to be left behind.
state() {
	(cd "$image" && find . -type f -not -path './proc/*' -print -exec cat {} +
		find . -type l -printf '%p %l\n') | sort
}

# ---- recommend

make_image
run recommend --sysroot "$image"
is "$code" 0 'one fits: exit 0'
has '^board: the board' out 'its name and summary first'
has 'compatible vendor,board, number 1 of 2' out 'and why'
is "$(sed -n 's/^\([a-z-]*\):.*/\1/p' "$scratch/out" | tr '\n' ' ')" \
	'board board-hot chip generic-arm ' 'then a variant, the chip, the generic one'
has 'a variant: measure it' out 'says what a variant is for'
has "Next: \"boardtune plan board --sysroot $image\"" out 'says what is next'
run recommend --json --sysroot "$image"
is "$code" 0 'the same as JSON'
has '"profile": "board"' out 'with its name'
has '"match": "vendor,board"' out 'and what matched'
run list --sysroot "$image"
is "$(sed -n 's/^\* \([^ ]*\)  .*/\1/p' "$scratch/out")" board 'list marks it, and no other'
run list --json --sysroot "$image"
is "$(grep -B6 '"fits": true' "$scratch/out" | sed -n 's/.*"name": "\(.*\)",/\1/p')" board \
	'as JSON, too'

board vendor,new vendor,chip
run recommend --sysroot "$image"
has 'chip, number 2 of 2' out 'without one for the board that of the chip'
board vendor,new
run recommend --sysroot "$image"
has 'Why: generic, ' out 'else the generic one, which is told'
printf 'max_freq = 816MHz\n' >"$local/zbroken.ini"
run recommend --sysroot "$image"
has 'warning:.*zbroken' err 'one that cannot be read is told'
is "$code" 0 'and keeps nobody'
rm "$local/zbroken.ini" "$local/generic-arm.ini"
run recommend --sysroot "$image"
is "$code" 5 'nothing fits: exit 5'
has 'boardtune list' err 'and what to do'
run recommend --json --sysroot "$image"
is "$code" 5 'as JSON the same'
has '"profile": null' out 'with no name'

# ---- DMI

make_image
rm -r "$image/proc/device-tree"
dmi=$image/sys/class/dmi/id
mkdir -p "$dmi"
echo 'PC Engines' >"$dmi/sys_vendor"
echo apu2 >"$dmi/product_name"
printf '[board]\ndmi = *:nuc:* PC?Engines:apu[1-4]:*\n[cpufreq]\nmin_freq = hw-min\n' \
	>"$local/apu.ini"
printf '[cpufreq]\nmin_freq = hw-min\n' >"$local/generic-x86.ini"
run recommend --sysroot "$image"
has 'Why: DMI PC Engines:apu2:' out 'by DMI'
has '^generic-x86' out 'the generic one of x86 after it'
hasnt '^generic-arm' out 'not that of ARM'
run apply apu --sysroot "$image"
is "$code" 0 'it can be applied here'
echo apu5 >"$dmi/product_name"
run apply apu --sysroot "$image"
is "$code" 5 'and nowhere else'
has 'is for .*apu\[1-4\]' err 'which says for what it is'
run recommend --sysroot "$image"
has '^generic-x86' out 'there the generic one is left'
echo 'cpu:type:aarch64:feature:,0000' >"$image/sys/devices/system/cpu/modalias"
run recommend --sysroot "$image"
is "$code" 5 'not on an ARM machine that has DMI'
echo 'cpu:type:x86,ven0000fam0006mod003D:feature:,0000' \
	>"$image/sys/devices/system/cpu/modalias"
run enable auto --sysroot "$image"
is "$code" 5 'auto takes no generic one'
[ ! -e "$conf" ]
ok $? 'and nothing is written'

# ---- enable auto

make_image
run enable auto --sysroot "$image"
is "$code" 0 'enable auto'
has 'On this board that is board' out 'says what it is here'
is "$(tail -n 1 "$conf")" 'profile = auto' 'the file has auto'
run apply --boot --sysroot "$image"
is "$code" 0 'the boot'
is "$(max)" 1008000 'applies the one for the board'
run verify --sysroot "$image"
is "$code" 0 'verify knows it'
run doctor --sysroot "$image" --json
hasnt '"kind": "\(boot-profile\|not-' out 'doctor is content with it'
run revert --sysroot "$image"
board vendor,new
run apply --boot --sysroot "$image"
is "$code" 0 'on another board nothing is done: exit 0'
has 'no profile names this board' err 'which is said'
is "$(max)" 816000 'nothing is changed, not even by the generic one'
run apply --boot --late --sysroot "$image"
is "$code" 0 'nor later'
run doctor --sysroot "$image"
is "$code" 1 'doctor has a finding'
has 'auto: no profile' out 'which is that'
run verify --sysroot "$image"
is "$code" 5 'verify has nothing'
run enable auto --sysroot "$image"
is "$code" 5 'enable on such a board: exit 5'
run enable auto --root "$image"
is "$code" 0 'on an image, for whatever board'
run enable auto --root "$image" --take-over
is "$code" 2 'whose rivals are not known'

# ---- setup

make_image
state >"$scratch/before"
setup
is "$code" 1 'setup without answers: exit 1'
has 'To go on: "boardtune setup' out 'and how to go on'
state >"$scratch/after"
is "$(cat "$scratch/after")" "$(cat "$scratch/before")" 'nothing is changed'
setup nosuch ./board.ini ''
has 'nosuch' err 'a wrong name is asked for again'
has '\$ boardtune plan board ' out 'an empty answer is the one that fits'
has 'Clocks: max_freq 1008 MHz (1 to change, 1 already so)' out 'the plan in words'
has 'hotter by: max_freq of policy0' out 'what may get hotter'
has 'No link goes down' out 'what interrupts the link'
has 'Nobody else writes' out 'who stands in the way'
has 'To go on: "boardtune apply board --confirm' out 'the command that goes on'
state >"$scratch/after"
is "$(cat "$scratch/after")" "$(cat "$scratch/before")" 'nothing is changed yet'
setup '' n
is "$code" 1 'not to be applied: exit 1'
is "$(max)" 816000 'it is not'
setup '' y n
is "$code" 1 'not to be kept: exit 1'
has 'Within [0-9]* s everything is as it was' out 'it goes back by itself'
run revert --sysroot "$image"
setup '' y
is "$code" 1 'no answer: the same'
has 'To go on: "boardtune confirm' out 'with the command that keeps it'
run revert --sysroot "$image"
is "$(max)" 816000 'put back'
setup '' y y n
is "$code" 0 'kept, not at boot: exit 0'
is "$(max)" 1008000 'it is in force'
has 'in force until the next boot' out 'which is said'
is "$(ls "$wants" 2>/dev/null)" '' 'nothing is enabled'
run revert --sysroot "$image"
setup '' '' '' ''
is "$code" 0 'empty answers all the way: exit 0'
is "$(max)" 1008000 'it is in force'
is "$(tail -n 1 "$conf")" 'profile = board' 'and the boot profile'
has '^\$ boardtune apply board --confirm' out 'each command is shown'
has '^\$ boardtune enable board' out 'the last one, too'
awk 'length > 80 && !/^\$|boardtune [a-z].*--sysroot/' "$scratch/out" >"$scratch/long"
is "$(cat "$scratch/long")" '' 'fits 80 columns'
setup '' ''
is "$code" 0 'once more: all is so, only the boot is asked for'

# A signal while a question waits; in the background a shell has SIGINT ignored.
make_image
mkfifo "$scratch/fifo"
exec 3<>"$scratch/fifo"
"$BOARDTUNE" setup --sysroot "$image" <&3 >"$scratch/out" 2>"$scratch/err" &
pid=$!
for _ in $(seq 100); do
	grep -q 'Which profile' "$scratch/out" && break
	sleep 0.05
done
kill -TERM $pid
wait $pid
is $? 143 'SIGTERM at a question: exit 143'
exec 3<&-
has 'To go on' out 'it says how to go on'

make_image
mkdir -p "$wants"
ln -s /usr/lib/systemd/system/irqbalance.service "$wants/"
mkdir -p "$image/proc/irq"
printf '[net:lan]\nName = eth*\n-irq.affinity = 1\n' >>"$local/board.ini"
setup '' '' '' '' ''
is "$code" 0 'with a rival'
has 'irqbalance writes the same' out 'who is named'
has 'enable board --take-over' out 'and taken over'
is "$(ls "$wants")" boardtune.service 'its link is gone'

make_image
printf '[cpufreq]\nboost = on\n' >>"$local/chip.ini"
setup chip
has 'chip.ini:' err 'one with an error is told, and asked for again'
printf '[board]\ncompatible = vendor,chip\n[cpufreq]\nboost = on\n' >"$local/chip.ini"
setup chip
is "$code" 1 'what cannot be set here: exit 1'
has 'unsupported' err 'is named'
hasnt 'each boot' out 'and nothing more is asked'
run setup --board "$scratch/../setup.board"
is "$code" 2 'not on a recording that is not there'
# ---- what auto passes over is told, not only that something else was found
make_image
rm -rf "$local"
mkdir -p "$local"
for rank in board chip; do
	printf '[main]\nsummary = %s\n[board]\ncompatible = vendor,%s\n' $rank $rank \
		>"$local/$rank.ini"
done
run enable auto --sysroot "$image"
is "$code" 0 'auto, all well'
hasnt 'passed over' err 'nothing is passed over'
echo 'no key' >>"$local/board.ini"
run enable auto --sysroot "$image"
has 'passed over.*: board (.*/board.ini:5: ' err 'enable auto tells what it passes over'
run apply --boot --sysroot "$image"
is "$code" 0 'so does the boot, which takes the next one'
has 'passed over.*: board (.*/board.ini:5: ' err 'and tells'
run recommend --sysroot "$image"
has '/board.ini:5: ' err 'recommend names the line'
echo 'no key' >>"$local/chip.ini"
run apply --boot --sysroot "$image"
has 'passed over.*: board chip (.*/board.ini:5: ' err 'also when nothing is left'

# ---- a virtual machine has no cpufreq
grep -v cpufreq tests/boards/x86-minipc.board >"$scratch/vm.board"
run apply data/profiles/generic-x86.ini --board "$scratch/vm.board"
is "$code" 0 'the generic profile does nothing there, and that is no failure'

done_testing
