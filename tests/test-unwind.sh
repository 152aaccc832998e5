#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-unwind.sh - what is written, and in which order, when a setting is refused or undone
. "${srcdir:-.}/tests/lib.sh" || exit 99

policy=/sys/devices/system/cpu/cpufreq/policy0

# written FILE: the writes of a saved board, "PATH VALUE" without the directories
written() {
	sed -n 's/^#! write //p' "$1" | sed 's/[^ ]*\/\([^ /]* \)/\1/'
}

# ---- a refusal undoes what was written, and touches nothing that it never reached

sed 's/^\(.*policy0\/scaling_max_freq = \).*/\11008000/' tests/boards/nanopi-r2s.board \
	>"$scratch/refusing.board"
echo '!refuse /proc/sys/net/core/rps_sock_flow_entries EIO' >>"$scratch/refusing.board"
printf '[sysctl]\nnet.core.rps_sock_flow_entries = 4096\n[cpufreq]\nmax_freq = 1200MHz\n' \
	>"$scratch/refused.ini"
run apply "$scratch/refused.ini" --board "$scratch/refusing.board" \
	--board-save "$scratch/after.board"
is $code 1 'a parameter that is refused'
is "$(written "$scratch/after.board")" 'rps_sock_flow_entries 4096 EIO' \
	'nothing else was written'
grep -q "^$policy/scaling_max_freq = 1008000" "$scratch/after.board"
ok $? "the owner's limit is as it was"

# ---- rows stand by target, and are written in kernel order: interrupts before RPS

printf '[net:wan]\nName = eth0\nrps_cpus = 2\nirq.affinity = 1\ngro = off\n' \
	>"$scratch/order.ini"
run apply "$scratch/order.ini" --board tests/boards/nanopi-r2s.board \
	--board-save "$scratch/after.board" --json
is "$(sed -n 's/.*"target": "\(.*\)",*$/\1/p' "$scratch/out" | tr '\n' ' ')" \
	'eth0 eth0/rx-0 irq 29 ' 'rows by target'
is "$(written "$scratch/after.board" | cut -d ' ' -f 1 | tr '\n' ' ')" \
	'@ethtool smp_affinity rps_cpus ' 'written: features, interrupts, RPS'

# ---- conservative: up_threshold stays above down_threshold on the way, else EINVAL

cat >"$scratch/conservative.board" <<END
/proc/sys/kernel/osrelease = 6.1.0
/sys/devices/system/cpu/online = 0
$policy/related_cpus = 0
$policy/affected_cpus = 0
$policy/scaling_available_governors = conservative ondemand
$policy/scaling_governor = conservative
$policy/conservative/up_threshold = 80
$policy/conservative/down_threshold = 20
!order $policy/conservative/down_threshold $policy/conservative/up_threshold EINVAL
END
for pair in '15 10' '95 85'; do
	set -- $pair
	printf '[cpufreq]\nconservative.up_threshold = %s\nconservative.down_threshold = %s\n' \
		"$1" "$2" >"$scratch/up.ini"
	printf '[cpufreq]\nconservative.down_threshold = %s\nconservative.up_threshold = %s\n' \
		"$2" "$1" >"$scratch/down.ini"
	for order in up down; do
		run apply "$scratch/$order.ini" --board "$scratch/conservative.board"
		is $code 0 "up $1, down $2, $order first in the file"
	done
done

# ---- trips keep their order on the way, whichever number the lower one has

zone=/sys/class/thermal/thermal_zone0
for numbers in '0 1 2' '2 0 1'; do
	set -- $numbers
	cat >"$scratch/zone.board" <<END
/proc/sys/kernel/osrelease = 6.12.1
/sys/devices/system/cpu/online = 0
$zone/type = soc-thermal
$zone/temp = 45000
$zone/trip_point_$1_type = passive
$zone/trip_point_$1_temp = 60000
$zone/trip_point_$2_type = passive
$zone/trip_point_$2_temp = 70000
$zone/trip_point_$3_type = active
$zone/trip_point_$3_temp = 80000
$zone/trip_point_3_type = critical
$zone/trip_point_3_temp = 110000
!order $zone/trip_point_$1_temp $zone/trip_point_$2_temp EINVAL
!order $zone/trip_point_$2_temp $zone/trip_point_$3_temp EINVAL
END
	for temps in '75 85 95' '40 45 50' '50 75 90' '69 79 100' '61 65 81'; do
		# shellcheck disable=SC2086 # three temperatures
		printf '[thermal:soc-thermal]\npassive = %sC\npassive.2 = %sC\nactive = %sC\n%s' $temps \
			'passive.allow-hotter = yes
active.allow-hotter = yes
' >"$scratch/zone.ini"
		run apply "$scratch/zone.ini" --board "$scratch/zone.board" \
			--board-save "$scratch/hot.board" --json
		is $code 0 "trips $numbers to $temps"
		is "$(grep -o 'trip_point_[0-9]*' "$scratch/out" | tr '\n' ' ')" \
			'trip_point_0 trip_point_1 trip_point_2 ' 'rows by number'
		run revert --board "$scratch/hot.board"
		is $code 0 'and back'
	done
done

# ---- a revert says what it put back, of tunables too

printf '[cpufreq]\nconservative.up_threshold = 60\n' >"$scratch/tunable.ini"
run apply "$scratch/tunable.ini" --board "$scratch/conservative.board" \
	--board-save "$scratch/tuned.board"
is $code 0 'a tunable'
run verify "$scratch/tunable.ini" --board "$scratch/tuned.board"
is "$(head -n 2 "$scratch/out" | tr -s ' ')" 'TARGET SETTING NOW WANT OUTCOME
policy0 conservative.up_threshold 60 60 ok' 'verify shows what is now'
run revert --board "$scratch/tuned.board"
is "$(head -n 2 "$scratch/out" | tr -s ' ')" 'TARGET SETTING FOUND BACK TO OUTCOME
policy0 conservative.up_threshold 60 80 reverted' 'revert: from what it found to what was'
run revert --board "$scratch/tuned.board" --board-save "$scratch/back.board" --json
is $code 0 'revert'
is "$(sed -n 's/.*"\(before\|want\|outcome\)": "\(.*\)",*$/\2/p' "$scratch/out" | tr '\n' ' ')" \
	'60 80 reverted ' 'from 60 to 80: reverted'

# ---- nothing was ever applied, and nothing can be made in /run

mkdir "$scratch/root"
: >"$scratch/root/run"
run revert --sysroot "$scratch/root"
is "$code $(cat "$scratch/out" "$scratch/err")" '0 Nothing to revert.' \
	'no record: nothing to revert'
rm "$scratch/root/run"
mkdir -p "$scratch/root/run/boardtune"
echo '{' >"$scratch/root/run/boardtune/.undo.json.new"
run revert --sysroot "$scratch/root"
is "$code $(ls "$scratch/root/run")" '0 ' 'half a record is cleared away'

# ---- a trip whose type cannot be read may be the critical one

cat >"$scratch/trips.board" <<END
/proc/sys/kernel/osrelease = 6.12.1
/sys/devices/system/cpu/online = 0
$zone/type = soc-thermal
$zone/temp = 45000
$zone/policy = step_wise
$zone/available_policies = step_wise
$zone/trip_point_0_type = passive
$zone/trip_point_0_temp = 70000
$zone/trip_point_1_type = passive
$zone/trip_point_1_temp = 75000
$zone/trip_point_2_type = critical
$zone/trip_point_2_temp = 80000
END
printf '[thermal:soc-thermal]\npassive.3 = 88C\npassive.allow-hotter = yes\n' \
	>"$scratch/third.ini"
printf '[thermal:soc-thermal]\npassive.2 = 90C\npassive.allow-hotter = yes\n' \
	>"$scratch/second.ini"
for part in type temp; do
	{
		cat "$scratch/trips.board"
		echo "!unreadable $zone/trip_point_2_$part EIO"
	} >"$scratch/$part.board"
	for profile in third second; do
		run apply "$scratch/$profile.ini" --board "$scratch/$part.board" \
			--board-save "$scratch/after.board"
		[ $code != 0 ]
		ok $? "$part of the critical trip unreadable, $profile: not applied"
		is "$(written "$scratch/after.board")" '' 'and nothing is written'
	done
done
# ---- a trip of another kind by the time of the revert is not ours

printf '[thermal:soc-thermal]\npassive = 65C\n' >"$scratch/first.ini"
run apply "$scratch/first.ini" --board "$scratch/trips.board" \
	--board-save "$scratch/ours.board"
is $code 0 'a lower trip'
sed "/^#! write/d; s|^\($zone/trip_point_0_type = \).*|\1critical|" "$scratch/ours.board" \
	>"$scratch/another.board"
run revert --board "$scratch/another.board" --board-save "$scratch/after.board"
is "$(written "$scratch/after.board")" '' 'a critical trip in its place is not written'
# ---- cpufreq: what kernels refuse, with the errno that they give

cat >"$scratch/cpufreq.board" <<END
/proc/sys/kernel/osrelease = 4.19.0
/sys/devices/system/cpu/online = 0-3
$policy/related_cpus = 0 1 2 3
$policy/affected_cpus = 0 1 2 3
$policy/scaling_available_governors = ondemand performance
$policy/scaling_governor = ondemand
$policy/scaling_available_frequencies = 408000 816000 1200000
$policy/cpuinfo_min_freq = 408000
$policy/cpuinfo_max_freq = 1200000
$policy/scaling_min_freq = 408000
$policy/scaling_max_freq = 408000
END
# key OUTCOME ERRNO: of the only row of the last document
is_row() {
	is "$(sed -n 's/.*"\(outcome\|errno\)": "*\([^",]*\)"*,*$/\2/p' "$scratch/out" | tr '\n' ' ')" \
		"$1 $2 " "$3"
}
printf '[cpufreq]\ngovernor = performance\n' >"$scratch/governor.ini"
{
	cat "$scratch/cpufreq.board"
	echo "!refuse $policy/scaling_governor EINVAL"
} >"$scratch/refusing.board"
run apply "$scratch/governor.ini" --board "$scratch/refusing.board" --json
is $code 1 'a governor whose module is not there, or that does not start'
is_row refused EINVAL 'refused, EINVAL'

{
	cat "$scratch/cpufreq.board"
	echo "$policy/boost = 0"
	echo "!refuse $policy/boost EINVAL"
} >"$scratch/boost.board"
printf '[cpufreq]\nboost = on\n' >"$scratch/boost.ini"
run apply "$scratch/boost.ini" --board "$scratch/boost.board" --json
is $code 1 "a policy's boost while that of the system is off (6.12)"
is_row refused EINVAL 'refused, EINVAL'

# up to 5.2 the kernel refuses to cross: maximum first upwards, minimum first downwards
{
	cat "$scratch/cpufreq.board"
	echo "!order $policy/scaling_min_freq $policy/scaling_max_freq EINVAL"
} >"$scratch/order.board"
for limits in '816000 1200000' '408000 408000' '1200000 1200000' '408000 816000'; do
	set -- $limits
	printf '[cpufreq]\nmin_freq = %s\nmax_freq = %s\n' "$1" "$2" >"$scratch/limits.ini"
	run apply "$scratch/limits.ini" --board "$scratch/order.board" \
		--board-save "$scratch/next.board"
	is $code 0 "limits of $1 to $2"
	mv "$scratch/next.board" "$scratch/order.board"
done

# K4.x: a policy without a CPU online reads as ever, and each write is EINVAL
{
	sed "s|^\($policy/affected_cpus =\).*|\1|; s|^\(.*cpu/online = \).*|\14|" \
		"$scratch/cpufreq.board"
	echo "!refuse $policy/scaling_max_freq EINVAL"
} >"$scratch/offline.board"
printf '[cpufreq]\nmax_freq = 816000\n' >"$scratch/offline.ini"
run apply "$scratch/offline.ini" --board "$scratch/offline.board" --json \
	--board-save "$scratch/after.board"
is $code 1 'a policy whose CPUs are all offline'
is "$(sed -n 's/.*"outcome": "\(.*\)",*$/\1/p' "$scratch/out")" missing 'missing'
is "$(written "$scratch/after.board")" '' 'and nothing is written'
done_testing
