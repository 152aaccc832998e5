#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-import.sh - import: stdout, stderr and exit codes, of files as they are found
. "${srcdir:-.}/tests/lib.sh" || exit 99
board=tests/boards/nanopi-neo2.board

# keys: those of the profile that was printed, on one line
keys() {
	grep -v '^#' "$scratch/out" | sed -n '/^\[cpufreq/,$p' | grep ' = ' | paste -sd' '
}

# gives KEYS TEXT LINE...: a file of these lines (printf escapes) is a profile with these
# keys, which loads again
gives() {
	local want=$1 text=$2
	shift 2
	printf '%b\n' "$@" >"$scratch/file"
	run import "$scratch/file"
	is "$code $(keys)" "0 $want" "$text"
	cp "$scratch/out" "$scratch/again.ini"
	run show "$scratch/again.ini" --sysroot "$scratch"
	is $code 0 "$text: loads again"
}

# refused WORDS TEXT FILE: exit 2, WORDS (a regex) on stderr and nothing on stdout
refused() {
	run import "$3"
	is $code 2 "$2: exit 2"
	grep -qE -- "$1" "$scratch/err"
	ok $? "$2: says why"
	[ ! -s "$scratch/out" ]
	ok $? "$2: nothing on stdout"
}

# as people have them, /etc/default/cpufrequtils and others
gives 'governor = interactive min_freq = 480MHz max_freq = 1010MHz' 'of Armbian' \
	ENABLE=true MIN_SPEED=480000 MAX_SPEED=1010000 GOVERNOR=interactive
gives 'governor = performance' 'zeros leave alone' '# CPU frequency scaling governor' \
	'GOVERNOR="performance"' 'ENABLE="true"' 'MIN_SPEED="0"' 'MAX_SPEED="0"'
gives 'governor = powersave min_freq = 2600MHz max_freq = 2610MHz' 'units' \
	'ENABLE="true"' 'GOVERNOR="powersave"' MAX_SPEED=2.61GHz MIN_SPEED=2.60GHz
gives 'governor = performance' 'a governor, quoted' 'GOVERNOR="performance"'
gives '' "linux-cpupower's, all in comments" "#GOVERNOR='ondemand'" \
	'#MIN_FREQ="2.25GHz"' '#MAX_FREQ="3GHz"' '#FREQ='
gives 'governor = ondemand min_freq = 800MHz max_freq = 1400MHz ondemand.up_threshold = 50 ondemand.sampling_down_factor = 10' \
	'UCI without its section' "option governor 'ondemand'" "option minfreq '800000'" \
	"option maxfreq '1400000'" "option sampling_down_factor '10'" \
	"option up_threshold '50'"
gives 'min_freq = 408MHz' 'CRLF' 'MIN_SPEED=408000\r'
gives '' 'empty speeds, switched off' ENABLE=false MIN_SPEED= MAX_SPEED= GOVERNOR=ondemand
gives 'max_freq = 816MHz' 'what sed made of it' '#MAX_SPEED=816000' MAX_SPEED=816000 \
	'OLD_MAX_SPEED=816000'
gives 'governor = ondemand' 'Arch Linux, in lower case' 'governor=ondemand'

printf 'ENABLE=false\nMIN_SPEED=6660000\nMAX_SPEED=1800000\nGOVERNOR=ondemand\n' \
	>"$scratch/file"
refused 'file:2: MIN_SPEED of 6660000 kHz is above MAX_SPEED' 'min above max' "$scratch/file"
# shellcheck disable=SC2016
printf 'GOVERNOR=$(touch %s/run)\nMAX_SPEED=`touch %s/run`\n' "$scratch" "$scratch" \
	>"$scratch/file"
refused 'file:2: .*nothing is expanded' 'a command in it' "$scratch/file"
[ ! -e "$scratch/run" ]
ok $? 'is not run'
printf '[battery]\ngovernor = performance \n' >"$scratch/file"
refused 'file:1: ' 'an INI file' "$scratch/file"
printf 'MAX_SPEED=8\00016000\n' >"$scratch/file"
refused 'file:1: .*NUL' 'a NUL' "$scratch/file"
head -c 8192 /dev/urandom >"$scratch/file"
refused 'file' 'noise' "$scratch/file"
truncate -s 100M "$scratch/large"
refused 'large: has 104857600 bytes' '100 MB' "$scratch/large"
mkfifo "$scratch/fifo"
refused 'fifo: is a FIFO' 'a FIFO' "$scratch/fifo"
refused 'none: No such file' 'no such file' "$scratch/none"

run import --board "$board"
is "$code $(keys)" '0 governor = ondemand min_freq = 480MHz max_freq = 816MHz' \
	'the file of a board'
grep -qx '# from /etc/default/cpufrequtils:3' "$scratch/out"
ok $? 'each key with its line'
printf 'ENABLE=false\nGOVERNOR=performance\nMAX_SPEED=900000\n' >"$scratch/file"
run import "$scratch/file" --diff --board "$board" --board-save "$scratch/saved.board"
is "$code $(tail -n +2 "$scratch/out" | grep -v '^ ' | tr -s ' ' | paste -sd,)" \
	'0 policy0 governor ondemand performance changed,policy0 max_freq 816 MHz 900 MHz ok' \
	'diff: what the board has, and what would become of it'
grep -q 'file:1: ENABLE' "$scratch/err"
ok $? 'diff: says that the file is switched off'
cmp -s "$board" "$scratch/saved.board" || ! grep -q '^#! write' "$scratch/saved.board"
ok $? 'diff: writes nothing'
printf 'MAX_SPEED=1008\n' >"$scratch/file"
run import "$scratch/file" --diff --board "$board"
is $code 2 'diff: what plan refuses'
done_testing
