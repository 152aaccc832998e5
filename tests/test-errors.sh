#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-errors.sh - bad input: the exit code, the words, and that nothing was changed
. "${srcdir:-.}/tests/lib.sh" || exit 99
board=tests/boards/unit/engine.board

# refused CODE WORDS TEXT ARG...: exit CODE, WORDS (a regex) on stderr, nothing on stdout,
# and a board without a write
refused() {
	local want=$1 words=$2 text=$3
	shift 3
	rm -f "$scratch/saved.board"
	run "$@" --board "$board" --board-save "$scratch/saved.board"
	is $code "$want" "$text: exit $want"
	grep -qE -- "$words" "$scratch/err"
	ok $? "$text: says why"
	grep -qE -- "$words" "$scratch/err" || sed 's/^/# /' "$scratch/err"
	[ ! -s "$scratch/out" ]
	ok $? "$text: nothing on stdout"
	[ ! -e "$scratch/saved.board" ] || cmp -s "$board" "$scratch/saved.board"
	ok $? "$text: nothing changed"
}

# profile LINE...: a profile of these lines (printf escapes) is refused by apply
profile() {
	local words=$1 text=$2
	shift 2
	printf '%b\n' "$@" >"$scratch/bad.ini"
	refused 2 "$words" "$text" apply "$scratch/bad.ini"
}

profile 'bad.ini:1: .*cpufrek.*cpufreq' 'unknown section' '[cpufrek]' 'governor = ondemand'
profile 'bad.ini:2: .*max_frq.*max_freq' 'unknown key' '[cpufreq]' 'max_frq = 408MHz'
profile 'bad.ini:2: .*ondemnd.*ondemand' 'unknown governor' '[cpufreq]' 'governor = ondemnd'
profile 'bad.ini:3: .*tx-tcp-segmentatoin.*tx-tcp-segmentation' 'unknown feature' \
	'[net:x]' 'Name = eth0' 'tx-tcp-segmentatoin = on'
profile 'bad.ini:3: min_freq 1008 MHz is above max_freq 408 MHz' 'min above max' \
	'[cpufreq]' 'max_freq = 408MHz' 'min_freq = 1008MHz'
profile 'bad.ini:2: min_freq 1008 MHz is above max_freq 816 MHz .*in force' \
	'min above the max in force' '[cpufreq]' 'min_freq = 1008MHz'
profile 'bad.ini:2: .*600 kHz.*600 ?MHz' '600 meant as MHz' '[cpufreq]' 'max_freq = 600'
profile 'bad.ini:3: ' 'an indented line' '[cpufreq]' 'max_freq = 816MHz' '  min_freq = 408MHz'
profile 'bad.ini:1: ' 'a broken header' '[cpufreq' 'max_freq = 816MHz'
profile 'bad.ini:1: ' 'text after the header' '[cpufreq] x' 'max_freq = 816MHz'
profile 'bad.ini:2: .*NUL' 'a NUL' '[cpufreq]' 'max_freq = 8\000016MHz'
profile 'bad.ini:2: .*198' 'a line of 300 bytes' '[cpufreq]' \
	"max_freq = $(printf '8%.0s' $(seq 300))"
profile 'bad.ini:2: ' 'a key without a value' '[cpufreq]' 'max_freq ='
profile 'bad.ini:2: ' 'a value without a key' '[cpufreq]' '= 816MHz'
profile 'bad.ini:2: ' 'a colon before the equals sign' '[cpufreq]' 'max_freq: 816MHz'
profile 'bad.ini:2: .*on or off' 'a feature that is neither' '[net:x]' 'gro = maybe'
profile 'bad.ini:4: .*line 1' 'the same section twice' '[cpufreq]' 'max_freq = 816MHz' '' \
	'[cpufreq]'
profile 'bad.ini:3: .*2' 'the same key twice' '[cpufreq]' 'max_freq = 816MHz' \
	'-max_freq = 816MHz'
profile 'bad.ini:6: .*bad.ini:3' 'one target wanted twice' '[net:a]' 'Name = eth0' 'gro = on' \
	'[net:b]' 'Name = eth*' 'gro = off'

printf '[main]\ninclude = b\n' >"$scratch/a.ini"
printf '[main]\ninclude = a\n' >"$scratch/b.ini"
refused 2 '(a|b).ini:2: .*loop' 'an include loop' apply "$scratch/a.ini"
refused 2 'No such file' 'no such file' apply "$scratch/none.ini"
refused 2 'inside the board or directory.*\./none\.ini' 'no such profile' apply none
refused 2 'cpufrequtils: .*FILE.*boardtune list' 'nothing to import' import
refused 2 'directory' 'a directory' apply "$scratch/"
mkfifo "$scratch/fifo.ini"
refused 2 'fifo.ini: ' 'a FIFO' apply "$scratch/fifo.ini"
printf '[cpufreq]\nmax_freq = 816MHz\n' >"$scratch/open.ini"
chmod 666 "$scratch/open.ini"
refused 2 'open.ini: .*writ' 'writable by others' apply "$scratch/open.ini"
head -c 2000000 /dev/zero | tr '\0' '#' >"$scratch/huge.ini"
refused 2 'huge.ini: ' 'a huge file' apply "$scratch/huge.ini"
head -c 4096 /dev/urandom >"$scratch/noise.ini"
refused 2 'noise.ini:' 'noise' apply "$scratch/noise.ini"

refused 2 'no command "aply"; did you mean apply' 'a mistyped command' aply
refused 2 'unknown option --jsn' 'an unknown option' plan --jsn
refused 2 'plan takes no --peer' "another command's option" plan --peer x y
refused 2 'needs the name' 'no profile' apply
refused 2 'one profile' 'two profiles' apply a b
refused 2 'exclude each other' 'two boards' plan x --sysroot /

# a profile of another board
printf '[board]\ncompatible = other,board\n[cpufreq]\nmax_freq = 408MHz\n' >"$scratch/other.ini"
refused 5 'other,board.*test,engine' 'for another board' apply "$scratch/other.ini"
run plan "$scratch/other.ini" --board $board
is $code 0 'plan only notes it'
grep -q 'another board (other,board); this one is test,engine' "$scratch/out"
ok $? 'and names both'
! grep -q -- '--force' "$scratch/out" && grep -q 'boardtune recommend' "$scratch/out"
ok $? 'and where to look for another, not how to force it'
refused 5 'boardtune recommend' 'that is said by apply, too' apply "$scratch/other.ini"
run verify "$scratch/other.ini" --board $board
! grep -q 'boardtune apply' "$scratch/out" && grep -q 'boardtune recommend' "$scratch/out"
ok $? 'and by verify'
run plan $board --board $board
is $code 2 'a recorded board is no profile'
is "$(wc -l <"$scratch/err")" 1 'in one line'
grep -q 'goes with --board' "$scratch/err"
ok $? 'which says where it goes'
run apply "$scratch/other.ini" --board $board --force
is $code 0 '--force applies it'

# no such interface, no cpufreq: known before the first write
printf '[cpufreq]\nmax_freq = 408MHz\n[net:x]\nName = eth9\ngro = off\n' >"$scratch/nic.ini"
run apply "$scratch/nic.ini" --board $board --board-save "$scratch/saved.board"
is $code 1 'no such interface: exit 1'
cmp -s $board "$scratch/saved.board"
ok $? 'no such interface: nothing changed'
grep -q 'eth9.*missing' "$scratch/out" && grep -q 'best-effort' "$scratch/out"
ok $? 'no such interface: missing, and what to do'
sed -i 's/^gro/-gro/' "$scratch/nic.ini"
run apply "$scratch/nic.ini" --board $board
is $code 0 'forgiven by "-"'
grep -v cpufreq $board >"$scratch/no-cpufreq.board"
printf '[cpufreq]\nmax_freq = 408MHz\n' >"$scratch/clock.ini"
run apply "$scratch/clock.ini" --board "$scratch/no-cpufreq.board"
is $code 1 'a board without cpufreq: exit 1'
grep -q 'no such cpufreq policy' "$scratch/out"
ok $? 'and says that it has none'
run apply "$scratch/clock.ini" --board "$scratch/no-cpufreq.board" --boot
is $code 0 'at boot it waits'

# what a row, or the lack of one, does not say by itself
printf '%s\n' '[cpufreq]' 'governor = schedutil' 'ondemand.up_threshold = 25' '-boost = on' \
	'[cpufreq:big]' '-min_freq = 408MHz' '[cpufreq:policy1]' '-max_freq = 816MHz' \
	'[net:x]' 'Name = eth0' '-lro = on' '[net:y]' '-rx-udp_tunnel-port-offload = on' \
	'Path = platform-11111111c30000.ethernet' >"$scratch/notes.ini"
cp "$board" "$scratch/engine.board"
(cd "$scratch" && "$BOARDTUNE" plan notes.ini --board engine.board >out 2>err)
is $? 0 'notes: the plan could be made'
for words in \
	'ondemand.up_threshold: not planned, the governor will be schedutil (notes.ini:3)' \
	'this kernel or driver has none' 'the policies are all alike (policy0)' \
	'this board has policy0 only' 'fixed here: rx-lro'; do
	grep -qF "$words" "$scratch/out"
	ok $? "notes: $words"
done
[ -z "$(awk 'length($0) > 80' "$scratch/out")" ]
ok $? 'notes: no line has more than 80 columns'
grep -qx 'Next: "boardtune apply notes.ini --board engine.board".' "$scratch/out"
ok $? 'notes: the next command names the board'
run plan "$scratch/notes.ini" --board "$board" -q
[ "$code" = 0 ] && [ ! -s "$scratch/out" ] && [ ! -s "$scratch/err" ]
ok $? 'plan -q is silent'

# what becomes of an apply on a recorded board
run apply "$scratch/clock.ini" --board "$board"
grep -q -- '--board-save' "$scratch/out" && ! grep -q 'revert' "$scratch/out"
ok $? 'apply --board: it ends with the command'
run apply "$scratch/clock.ini" --board "$board" --board-save "$scratch/saved.board"
run apply "$scratch/clock.ini" --board "$scratch/saved.board"
grep -qx '0 changed, 1 already so.' "$scratch/out"
ok $? 'nothing changed: nothing to revert'

run revert --board "$scratch/saved.board"
grep -q 'Everything is as it was.*recorded board ends' "$scratch/out"
ok $? 'revert --board: where it went'
run revert --board "$scratch/saved.board" --board-save "$scratch/back.board"
grep -q 'What became of the recorded board is in' "$scratch/out"
ok $? 'and with --board-save'

# what the next command does not take
for command in trial measure serve watch; do
	run $command --help
	! grep -qE -- '--(board|sysroot)' "$scratch/out"
	ok $? "$command --help: no --board, no --sysroot"
	run $command --sysroot "$scratch"
	is $code 2 "$command --sysroot: exit 2"
	grep -q 'live board only' "$scratch/err"
	ok $? "$command --sysroot: and why"
done
mkdir -p "$scratch/empty"
run list --sysroot "$scratch/empty"
grep -q 'takes a file' "$scratch/err"
ok $? 'list: no profiles, but a file may be given'
run enable mine --root "$scratch/empty"
is $code 2 'enable --root: no such profile'
grep -q 'copy mine.ini there first' "$scratch/err" && ! grep -q 'give a file' "$scratch/err"
ok $? 'and no file is suggested'

# list and help
mkdir -p "$scratch/root/etc/boardtune/profiles"
printf '[cpufreq]\nmax_frq = 1\n' >"$scratch/root/etc/boardtune/profiles/bad.ini"
run list --sysroot "$scratch/root"
grep -q '^bad .*BROKEN.*boardtune show bad' "$scratch/out"
ok $? 'list: a broken profile is shown as such'
run help list
[ "$code" = 0 ] && grep -qx 'Usage: boardtune list' "$scratch/out"
ok $? 'help COMMAND'

# boards that are none
printf '/sys/x = 1\n!nonsense /sys/x\n' >"$scratch/bad.board"
run plan "$scratch/clock.ini" --board "$scratch/bad.board"
is $code 2 'a broken board: exit 2'
grep -q 'bad.board:2: ' "$scratch/err"
ok $? 'with its line'
run plan "$scratch/clock.ini" --board "$scratch/none.board"
is $code 2 'no such board'
run plan "$scratch/clock.ini" --sysroot "$scratch/none"
is $code 2 'no such sysroot'

# no root: a live board is not touched
as_nobody=
[ "$(id -u)" -eq 0 ] && as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
chmod 755 "$scratch"
for command in 'apply open.ini' revert confirm 'enable x' disable; do
	rm -f "$scratch/open.ini"
	cp "$scratch/clock.ini" "$scratch/open.ini"
	# shellcheck disable=SC2086
	(cd "$scratch" && env -u XDG_RUNTIME_DIR $as_nobody "$BOARDTUNE" $command \
		>out 2>err </dev/null)
	is $? 4 "$command without root: exit 4"
done
[ -n "$as_nobody" ] && chown 65534 "$scratch/open.ini"
# shellcheck disable=SC2086
(cd "$scratch" && $as_nobody "$BOARDTUNE" apply ./open.ini >out 2>err </dev/null)
is $? 4 'apply without root: exit 4'
grep -q 'needs root' "$scratch/err"
ok $? 'and says so'

run apply "$scratch/clock.ini" --board $board --board-save "$scratch/none/saved.board"
is $code 2 'nowhere to save the board: exit 2'
grep -q 'none/saved.board: No such file' "$scratch/err" && [ ! -s "$scratch/out" ]
ok $? 'before anything is done'

# JSON and a full disk
run plan "$scratch/clock.ini" --board $board --json
"$BOARDTUNE" plan "$scratch/clock.ini" --board $board --json >/dev/full 2>"$scratch/err"
is $? 1 'a full disk: exit 1'
[ -s "$scratch/err" ]
ok $? 'and says so'
done_testing
