#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-watch.sh - watch and watch --enforce on a veth that ethtool(8) and ip(8) change
#
# Needs the program in $BOARDTUNE, ethtool, ip, unshare; root, or user namespaces.
# IDLE_SECONDS: how long it is left alone to count its wake-ups (60).
set -u

need_disk=yes need_tools='ethtool'
. "${srcdir:-.}/tests/lib-namespace.sh" || exit 99

plug() {
	ip link add bt-a numrxqueues 2 type veth peer name bt-b
	ethtool -L bt-a rx 2
	ip link set bt-a up
	ip link set bt-b up
}
# told WORDS [SECONDS]: a line with these words comes in time
told() {
	local i
	for ((i = 0; i < ${2:-2} * 20; i++)); do
		! grep -q -- "$1" "$scratch/lines" || return 0
		sleep 0.05
	done
	sed 's/^/# /' "$scratch/lines"
	return 1
}
# lines_are NUMBER SECONDS
lines_are() {
	local i
	for ((i = 0; i < $2 * 20; i++)); do
		[ "$(wc -l <"$scratch/lines")" != "$1" ] || return 0
		sleep 0.05
	done
	return 1
}
# watch ARG...: $watcher, its lines in a new $scratch/lines
watch() {
	: >"$scratch/lines"
	"$BOARDTUNE" watch "$@" >"$scratch/lines" 2>&1 </dev/null &
	watcher=$!
	sleep 0.5
}
stop() {
	kill -TERM "$watcher"
	wait "$watcher"
}
switches() {
	sed -n 's/^voluntary_ctxt_switches:[[:blank:]]*//p' "/proc/$watcher/status"
}
# of CPU time, user and system
ticks() {
	local user system
	read -r user system <<<"$(cut -d ' ' -f 14,15 "/proc/$watcher/stat")"
	echo $((user + system))
}
gro() {
	ethtool -k bt-a | sed -n 's/^generic-receive-offload: //p'
}
# gro_is VALUE [SECONDS]
gro_is() {
	local i
	for ((i = 0; i < ${2:-3} * 20; i++)); do
		[ "$(gro)" != "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

plug
ethtool -K bt-a gro off >/dev/null
printf '[net:a]\nName = bt-a\ngro = on\nrps_cpus = 0\n' >"$scratch/p.ini"

watch
stop
is "$? $(cat "$scratch/lines")" '0 ' 'no profile is in force: nothing to tell, SIGTERM ends it'
run apply "$scratch/p.ini"
is $code 0 'apply'
cp /run/boardtune/undo.json "$scratch/undo"

# ---- it tells

watch
is "$(cat "$scratch/lines")" '' 'all holds: nothing to tell'
ethtool -K bt-a gro off >/dev/null
told 'net:a bt-a rx-gro: off, wanted on'
ok $? 'changed by ethtool: told within 2 s'
grep -qE '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9] net:a' "$scratch/lines"
ok $? 'with the time'
ethtool -K bt-a gro on >/dev/null
told 'rx-gro: on again'
ok $? 'and when it is back'
is "$(wc -l <"$scratch/lines")" 2 'once each'
is "$(gro)" on 'nothing is put back without --enforce'
for _ in $(seq 100); do ethtool -K bt-a tso off; ethtool -K bt-a tso on; done >/dev/null
sleep 1.5
is "$(wc -l <"$scratch/lines")" 2 'a burst about something else tells nothing'
ethtool -K bt-a gro off >/dev/null
flock /run/boardtune/lock sleep 4
is "$(wc -l <"$scratch/lines")" 2 'another boardtune is at work: it waits'
lines_are 3 8
ok $? 'and looks after it'
ethtool -K bt-a gro on >/dev/null
lines_are 4 4
ok $? 'back again'
as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all'
# in a user namespace there is nobody else
if $as_nobody "$BOARDTUNE" --version >/dev/null 2>&1; then
	chmod 755 "$scratch"
	touch /run/boardtune/lock && chmod 600 /run/boardtune/lock
	! $as_nobody flock -n /run/boardtune/lock true 2>/dev/null
	ok $? 'another user: may not take the lock'
	flock /run/boardtune/lock sleep 3 &
	sleep 0.3
	ethtool -K bt-a gro off >/dev/null
	timeout 20 $as_nobody "$BOARDTUNE" watch >"$scratch/nobody" 2>&1 &
	watcher_of_nobody=$!
	sleep 2
	is "$(cat "$scratch/nobody")" '' 'waits while another boardtune is at work'
	lines_are 5 10
	for _ in $(seq 100); do
		[ ! -s "$scratch/nobody" ] || break
		sleep 0.1
	done
	is "$(grep -c 'rx-gro: off, wanted on' "$scratch/nobody")" 1 \
		'and looks after it, without the lock'
	kill "$watcher_of_nobody"
	ethtool -K bt-a gro on >/dev/null
	lines_are 6 4
	ok $? 'back again'
fi
ethtool -L bt-a rx 1 && ethtool -L bt-a rx 2
told 'bt-a/rx-1 rps_cpus: none, wanted 0; its queues were created anew' 3
ok $? 'other channels and back: what became of a queue, and why'
ip link delete bt-a
plug
ethtool -K bt-a gro off >/dev/null
told 'the interface was created anew'
ok $? 'deleted and created again: told, and why'
cmp -s "$scratch/undo" /run/boardtune/undo.json
ok $? 'watching has not touched the undo record'
stop
is $? 0 'SIGTERM'

# ---- it puts back

run revert
ethtool -K bt-a gro off >/dev/null
run apply "$scratch/p.ini"
original=$(grep -o '"original":[^,}]*[,}][^,}]*[,}]' /run/boardtune/undo.json | sort)
watch --enforce --json-lines
ethtool -K bt-a gro off >/dev/null
told '"event":"put-back"' 4
ok $? 'told as JSON'
gro_is on
ok $? 'put back'
is "$(grep -o '"original":[^,}]*[,}][^,}]*[,}]' /run/boardtune/undo.json | sort)" \
	"$original" 'what revert gives back is what it was'
echo 2 >/sys/class/net/bt-a/queues/rx-0/rps_cpus
ethtool -K bt-a tso off >/dev/null
told '"key":"net.rps_cpus"' 3
ok $? 'what gives no event is seen with what does'
stop

watch --enforce
for i in 1 2 3 4 5; do
	ethtool -K bt-a gro off >/dev/null
	gro_is on 4 || echo "# not put back the $i. time"
done
ethtool -K bt-a gro off >/dev/null
told 'given up' 4
ok $? 'somebody keeps writing it: given up'
is "$(grep -c 'put back' "$scratch/lines")" 5 'after five times'
sleep 2
is "$(gro)" off 'left alone'
is "$(grep -c 'given up' "$scratch/lines")" 1 'said once'
kill -HUP "$watcher"
gro_is on
ok $? 'SIGHUP: it tries again'
stop
is $? 0 'SIGTERM'
run revert
is "$code $(gro)" '0 off' 'revert gives back what was there before the first apply'
run apply "$scratch/p.ini"
ip link delete bt-a
watch --enforce
plug
ethtool -K bt-a gro off >/dev/null
gro_is on 4
ok $? 'created again: what a profile in force asks for comes back'
stop

mark=/var/lib/boardtune/boot-mark
mkdir -p "$scratch/var/boardtune" && mount --bind "$scratch/var" /var/lib && touch $mark
ok $? 'a boot that has not proved itself'
watch --enforce
ethtool -K bt-a gro off >/dev/null
told 'rx-gro: off, wanted on'
ok $? 'told'
sleep 1
is "$(gro)" off 'not put back'
rm $mark
ethtool -K bt-a tso off >/dev/null
gro_is on
ok $? 'but once it has'
stop
printf '[net:a]\nName = bt-a\ngro = off\n' >"$scratch/other.ini"
run apply "$scratch/other.ini" --confirm=30
watch --enforce
ethtool -K bt-a gro on >/dev/null
sleep 2
is "$(gro) $(cat "$scratch/lines")" 'on ' 'while an apply waits to be confirmed: nothing'
run confirm
told 'rx-gro: put back to off' 7
ok $? 'after that it looks'
stop
run apply "$scratch/p.ini"

sed -i 's/"applying":false/"applying":true/; s/"applying": false/"applying": true/' \
	/run/boardtune/undo.json
watch --enforce
ethtool -K bt-a gro off >/dev/null
told 'the last apply did not come to its end' 3
ok $? 'an apply that was cut off: told'
sleep 1
is "$(gro)" off 'nothing is put back'
run apply "$scratch/p.ini"
ethtool -K bt-a gro off >/dev/null
gro_is on
ok $? 'until there is a whole one'
is "$(grep -c 'the last apply' "$scratch/lines")" 1 'said once'
stop

# ---- what only ethtool tells of

if ip tuntap add bt-t mode tap 2>/dev/null && ethtool -C bt-t rx-frames 8 2>/dev/null; then
	printf '[net:t]\nName = bt-t\ncoalesce.rx-frames = 8\n' >"$scratch/tap.ini"
	run apply "$scratch/tap.ini"
	watch
	ethtool -C bt-t rx-frames 4
	told 'net:t bt-t coalesce.rx-frames: 4, wanted 8' 3
	ok $? 'coalescing: told within 3 s'
	stop
	run revert
	ip link delete bt-t
else
	ok 0 'coalescing # SKIP no tap device here'
fi
run apply "$scratch/p.ini"

# ---- many events

watch --enforce
before=$(switches)
used=$(ticks)
end=$((SECONDS + 10))
bursts=0
while [ "$SECONDS" -lt "$end" ]; do
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		ip link set bt-b alias "$bursts$_"
		echo change >/sys/class/net/bt-b/uevent
	done
	bursts=$((bursts + 1))
	[ $bursts != 5 ] || ethtool -K bt-a gro off >/dev/null
done
ethtool -K bt-a tso off >/dev/null
wakes=$(($(switches) - before))
# of a second at most four times two, besides what a look waits for
[ $wakes -le 400 ]
ok $? "$((bursts * 20)) events in 10 s: woken $wakes times, $(($(ticks) - used)) ticks"
is "$(gro)" on 'put back while they come'
ethtool -K bt-a gro off >/dev/null
gro_is on
ok $? 'and after the last'
stop

# ---- several at work

watch --enforce
printf '[net:a]\nName = bt-a\ngro = off\n' >"$scratch/other.ini"
for _ in 1 2 3; do
	"$BOARDTUNE" apply "$scratch/p.ini" >/dev/null 2>&1 &
	one=$!
	"$BOARDTUNE" apply "$scratch/other.ini" >/dev/null 2>&1 &
	wait $one $!
	ethtool -K bt-a gro off >/dev/null
done
run apply "$scratch/p.ini"
is "$code $(gro)" '0 on' 'two applies and a watch: the last one holds'
run verify
is $code 0 'so says verify'
! grep -v 'rx-gro\|rps_cpus' "$scratch/lines"
ok $? 'and watch has nothing else to say'
kill -KILL "$watcher"
wait "$watcher" 2>/dev/null
run apply "$scratch/p.ini"

# ---- nobody reads what it tells

mkfifo "$scratch/full"
exec 5<>"$scratch/full"
dd if=/dev/zero of="$scratch/full" bs=4096 oflag=nonblock status=none 2>/dev/null
"$BOARDTUNE" watch >"$scratch/full" 2>&1 </dev/null &
watcher=$!
sleep 0.5
ethtool -K bt-a gro off >/dev/null
sleep 3
run apply "$scratch/p.ini"
is $code 0 'a reader that does not read: others get the lock'
kill -TERM "$watcher"
sleep 1
! kill -0 "$watcher" 2>/dev/null
ok $? 'and SIGTERM ends it'
kill -KILL "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
exec 5<&-
ethtool -K bt-a gro on >/dev/null

# ---- it costs nothing

watch
before=$(switches)
sleep "${IDLE_SECONDS:-60}"
wakes=$(($(switches) - before))
[ "$wakes" -le 3 ]
ok $? "woken $wakes times in ${IDLE_SECONDS:-60} s idle"
anon=$(sed -n 's/^RssAnon:[[:blank:]]*\([0-9]*\) kB/\1/p' "/proc/$watcher/status")
[ "$anon" -lt 1024 ]
ok $? "$anon KiB of memory of its own"
stop

run watch --board tests/boards/nanopi-r2s.board
is $code 2 'a recorded board does not change'
run watch now
is $code 2 'no argument'
done_testing
