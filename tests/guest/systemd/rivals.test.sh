# SPDX-License-Identifier: GPL-2.0-or-later
# rivals.test.sh - real ones: irqbalance, cpufrequtils; and a script of the owner's own;
# sourced by systemd.test.sh
# shellcheck shell=sh disable=SC2154,SC3044 # variables of systemd.test.sh; `run enable`

taken_over=/var/lib/boardtune/taken-over.json

# rival NAME FIELD: of the last document of doctor
rival() {
	awk -v name="\"$1\"" -v field="\"$2\":" '
	$1 == "\"name\":" { here = $2 == name "," || $2 == name }
	here && $1 == field { gsub(/[",]/, "", $2); print $2; exit }' "$scratch/out"
}

# rival_is NAME ENABLED ACTIVE TEXT
rival_is() {
	is "$(rival "$1" installed) $(rival "$1" enabled) $(rival "$1" active)" \
		"true $2 $3" "$4"
}

governor_is() {
	[ "$(cat $policy/scaling_governor)" = "$1" ]
}

# With a bus.
check_rivals() {
	check rivals
	run doctor --json
	rival_is cpufrequtils false false 'cpufrequtils is installed, and not enabled'
	rival_is irqbalance false false 'so is irqbalance'
	systemctl enable -q irqbalance.service cpufrequtils.service 2>/dev/null
	systemctl start irqbalance.service cpufrequtils.service
	await 'cpufrequtils sets its governor' governor_is performance
	run doctor --json
	exits 1 'doctor finds them'
	rival_is cpufrequtils true true 'cpufrequtils, a script of /etc/init.d'
	rival_is irqbalance true "$(active irqbalance.service)" 'irqbalance, a unit'
	run doctor
	exits 1 'as text'
	grep -q 'systemctl disable --now irqbalance' "$scratch/out"
	ok $? 'with the command that ends irqbalance' || explain "$scratch/out"
	run enable guest
	exits 0 'enable all the same'
	grep -q cpufrequtils "$scratch/err"
	ok $? 'but it warns of the one that writes what the profile sets' ||
		explain "$scratch/err"
	check_watch
	check_taking_over
}

active() {
	systemctl -q is-active "$1" && echo true || echo false
}

# What is in force is overwritten as a rival does it.
check_watch() {
	restart
	systemctl start boardtune-watch.service
	is "$(systemctl is-active boardtune-watch.service)" active 'watch is ready'
	systemctl restart cpufrequtils.service
	await 'cpufrequtils writes' governor_is performance
	systemctl reload boardtune-watch.service
	watch_left=15
	until watch_told || [ $watch_left = 0 ]; do
		watch_left=$((watch_left - 1))
		sleep 0.5
	done
	is "$(value BOARDTUNE_WRITER <"$scratch/told" | sort -u)" cpufrequtils \
		'watch finds it, and who'
	is "$(show NRestarts boardtune-watch.service)" 0 'watch goes on'
	systemctl stop boardtune-watch.service
	is "$(show Result boardtune-watch.service)" success 'and a stop is no failure'
}

watch_told() {
	told BOARDTUNE_OUTCOME=overridden BOARDTUNE_TARGET=policy0 \
		BOARDTUNE_WRITER=cpufrequtils && grep -q 'cpufreq.*governor' "$scratch/told"
}

check_taking_over() {
	run enable guest --take-over
	exits 0 'enable --take-over'
	is "$(systemctl is-enabled cpufrequtils.service 2>/dev/null) $(active \
		cpufrequtils.service)" 'disabled false' 'cpufrequtils is off'
	[ -s $taken_over ]
	ok $? 'which is noted'
	run enable guest
	is "$code $(cat "$scratch/err")" '0 ' 'nothing left to warn of'
	restart
	/lab/look /run/lab/now
	in_force now 'in force'
	run disable --now
	exits 0 'disable'
	is "$(systemctl is-enabled cpufrequtils.service 2>/dev/null) $(active \
		cpufrequtils.service)" 'enabled true' 'gives it back as it was'
	[ ! -e $taken_over ]
	ok $? 'and the note is gone'
	systemctl disable -q --now irqbalance.service cpufrequtils.service 2>/dev/null
	was before governor >$policy/scaling_governor
	run enable guest
}

# Without a bus: files and processes tell.
check_doctor_without_bus() {
	check doctor
	run doctor --json
	found=$code
	rival_is cpufrequtils false false 'without D-Bus it is seen what is installed'
	is "$(rival irqbalance enabled)" false 'and what is enabled'
	mount --bind /dev/null /run/systemd/private
	run doctor
	exits "$found" 'systemd does not answer at all: no finding more'
	grep -q 'systemd does not answer' "$scratch/out" "$scratch/err"
	ok $? 'which is said' || explain "$scratch/out" "$scratch/err"
	umount /run/systemd/private
}
