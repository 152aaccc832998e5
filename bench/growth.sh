# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# growth.sh - instructions, and how plan grows with CPUs, interrupts and NICs
#
# Instructions hardly depend on what else the machine does. "each more" is what one more
# costs: the difference to the line before, divided by how many were added. Where plan is
# linear it stays the same; the goal is that the last one is at most twice the first.
# shellcheck disable=SC2154 # set by run.sh

# growth TITLE BOARD COUNT...: BOARD are the arguments of board(), N stands for the count
growth() {
	local title="plan by number of $1" words=$2 n wall cpu rss instr
	local each='' first='' last_instr='' last_n=''

	echo
	echo "$title"
	row '' 'wall ms' 'CPU ms' 'peak KiB' 'instr M' 'each more'
	for n in "${@:3}"; do
		# shellcheck disable=SC2086 # three words
		board sized ${words/N/$n}
		./timer 5 '' true plan "$boardtune plan small.ini --sysroot sized --json" \
			>figures
		read -r _ wall cpu rss _ <figures
		instr=$(instructions "$boardtune" plan small.ini --sysroot sized --json)
		[ -z "$last_n" ] || each=$(((instr - last_instr) / (n - last_n)))
		first=${first:-$each}
		row "$n" "$wall" "$cpu" "$rss" $((instr / 1000000)) "$each"
		last_instr=$instr
		last_n=$n
		rm -rf sized
	done
	[ "$first" -gt 0 ] || die "$title: a larger board takes fewer instructions"
	goal "$title: each more, last to first" \
		"$(awk "BEGIN { printf \"%.2f\", $each / $first }")" 2
}

measure_growth() {
	local plan apply

	plan=$(instructions "$boardtune" plan bench.ini --sysroot root)
	apply=$(instructions "$boardtune" apply bench.ini --sysroot root -q)
	echo
	echo "instructions, 40 settings in files, --sysroot: plan $plan, apply $apply"
	sed 's/[14]-7/0-3/' bench.ini >small.ini # a board of four CPUs is measured, too
	growth 'CPUs (256 interrupts, 16 NICs)' 'N 256 16' 4 16 64 256 512
	growth 'interrupts (16 CPUs, 16 NICs)' '16 N 16' 64 250 1000 4000
	growth 'NICs (16 CPUs, 16 interrupts)' '16 16 N' 4 16 64 256
	growth 'NICs (16 CPUs, 4000 interrupts)' '16 4000 N' 4 16 64 256
}
