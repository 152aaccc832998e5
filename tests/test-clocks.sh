#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-clocks.sh - TAP: status --clocks, its screen and JSON, time since the last call
. "${srcdir:-.}/tests/lib.sh" || exit 99

root=$scratch/root
policy=$root/sys/devices/system/cpu/cpufreq/policy0

# text TEXT: the screen is what stands on stdin
text() {
	cat >"$scratch/want"
	diff -u "$scratch/want" "$scratch/out" | sed 's/^/# /'
	cmp -s "$scratch/want" "$scratch/out"
	ok $? "$1"
}

# json LINE TEXT: a line of the JSON, without its indentation and comma
json() {
	sed 's/^ *//; s/,$//' "$scratch/out" | grep -qxF -- "$1"
	ok $? "$2"
}

mkdir -p "$policy/stats"
cd "$policy" || exit 99
echo '0 1 2 3' >related_cpus
echo '0 1 3' >affected_cpus
echo cpufreq-dt >scaling_driver
echo 'conservative userspace powersave ondemand performance schedutil interactive' \
	>scaling_available_governors
echo ondemand >scaling_governor
echo '408000 1296000 ' >scaling_available_frequencies
echo '1512000 ' >scaling_boost_frequencies
echo 1008000 >scaling_cur_freq
echo 996000 >cpuinfo_cur_freq
echo 408000 >scaling_min_freq
echo 1296000 >scaling_max_freq
echo 408000 >cpuinfo_min_freq
echo 1296000 >cpuinfo_max_freq
echo 40000 >cpuinfo_transition_latency
echo 0 >../boost
printf '408000 7500\n1296000 2500\n1512000 0\n' >stats/time_in_state
echo 4211 >stats/total_trans
cd - >/dev/null || exit 99

run status --clocks --sysroot "$root"
is "$code $(cat "$scratch/err")" '0 ' 'exit 0'
text 'the screen' <<'END'
policy0: CPUs 0-3, of which 0-1,3 are online, driver cpufreq-dt
  Governor: ondemand; there are: conservative userspace powersave ondemand
    performance schedutil interactive
  Limits: 408 MHz to 1296 MHz; of the hardware: 408 MHz to 1296 MHz
  Operating points: 408 1296 MHz
  With boost: 1512 MHz
  Now: 996 MHz by the hardware, 1008 MHz by the kernel
  Boost: off; a transition takes: 40 us
     CLOCK  SINCE BOOT
   408 MHz      75.0 %
  1296 MHz      25.0 %
  1512 MHz       0.0 %
   changes        4211
END

printf '408000 7600\n1296000 2800\n1512000 0\n' >"$policy/stats/time_in_state"
echo 4223 >"$policy/stats/total_trans"
run status --clocks --sysroot "$root"
sed -n '/CLOCK/,$p' "$scratch/out" >"$scratch/table" && mv "$scratch/table" "$scratch/out"
text 'four seconds later' <<'END'
     CLOCK  SINCE BOOT  LAST 4 s
   408 MHz      73.1 %    25.0 %
  1296 MHz      26.9 %    75.0 %
  1512 MHz       0.0 %     0.0 %
   changes        4223        12
END
printf '408000 7650\n1296000 2850\n1512000 0\n' >"$policy/stats/time_in_state"
run status --clocks --json --sysroot "$root"
for line in '"policy": "policy0"' '"cpus": "0-3"' '"affected_cpus": "0-1,3"' '"online": true' \
	'"driver": "cpufreq-dt"' '"governor": "ondemand"' '"interactive"' '"hw_khz": 996000' \
	'"kernel_khz": 1008000' '"min_khz": 408000' '"max_khz": 1296000' \
	'"hw_min_khz": 408000' '"hw_max_khz": 1296000' '"held": false' '"boost": false' \
	'"latency_ns": 40000' '"transitions": 4223' '"last_transitions": 0' \
	'"last_seconds": 1.0' '"last": 0.5' '"khz": 1512000'; do
	json "$line" "JSON: $line"
done

run status --clocks --sysroot "$root"
grep -q ' LAST 0 s$' "$scratch/out" && grep -q '^ *408 MHz  *72.9 %  *-$' "$scratch/out"
ok $? 'no time since the last call: no share'
printf '408000 5\n1296000 2850\n1512000 0\n' >"$policy/stats/time_in_state"
run status --clocks --sysroot "$root"
! grep -q LAST "$scratch/out"
ok $? 'counters that were reset: not known'
for record in '' '0' '0 x' '0 1 408000' '9 1 408000:1 1296000:1 1512000:0' \
	'0 1 408000:1 1296000:1' '0 -1 408000:99999999999999999999 1296000:1 1512000:0'; do
	printf '%s\n' "$record" >"$root/run/boardtune/clocks"
	run status --clocks --sysroot "$root"
	! grep -q LAST "$scratch/out"
	is "$code $?" '0 0' "a record of \"$record\" tells nothing"
done
rm -r "$root/run"
: >"$root/run"
run status --clocks --sysroot "$root"
is $code 0 'no place for the record: exit 0'
tail -1 "$scratch/out" | grep -q '^The next call will not know of this one: '
ok $? 'and it is said'
run status --sysroot "$root"
rm "$root/run"
run status --sysroot "$root"
[ ! -e "$root/run" ]
ok $? 'status alone leaves no record'

run status --clocks --board tests/boards/unit/status.board
grep -qx 'policy4: all its CPUs are offline' "$scratch/out"
ok $? 'a policy that is offline'
run status --clocks --json --board tests/boards/unit/status.board
is $code 0 'in JSON'
json '"online": false' 'it is said'
mkdir -p "$scratch/empty/sys"
run status --clocks --sysroot "$scratch/empty"
is "$code $(cat "$scratch/out")" '0 This kernel has no cpufreq policy.' 'no policy'
[ ! -e "$scratch/empty/run" ]
ok $? 'nothing to remember'
run status --clocks --json --sysroot "$scratch/empty"
json '"clocks": []' 'in JSON'
for board in $boards; do
	run status --clocks --board "$board"
	is "$code $(awk 'length > 80' "$scratch/out")" '0 ' "$(basename "$board") fits a screen"
done
done_testing
