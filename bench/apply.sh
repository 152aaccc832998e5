#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# apply.sh - what boardtune costs: against a shell script, against a bare program, by size
#
# apply.sh [ROUNDS]: BOARDTUNE names the program, CC the compiler, LIBS its libraries. Needs
# strace; valgrind for the instructions. Writes only below a temporary directory in memory,
# which stands for the board (--sysroot); nothing of this machine is tuned.
set -eu

rounds=${1:-31}
bench=$(cd "$(dirname "$0")" && pwd)
boardtune=$(realpath "${BOARDTUNE:-./boardtune}")
if [ ! -x "$boardtune" ]; then
	echo "bench: no $boardtune: make bench, or set BOARDTUNE" >&2
	exit 1
fi
big=$bench/../tests/boards/big.sh
parent=/dev/shm
[ -w $parent ] || parent=${TMPDIR:-/tmp}
dir=$(mktemp -d "$parent/boardtune-bench-XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"

die() {
	echo "bench: $*" >&2
	exit 1
}

# board NAME CPUS INTERRUPTS NICS: a directory for --sysroot
board() {
	"$big" "$2" "$3" "$4" >"$1.board"
	"$bench/unpack.sh" "$1" <"$1.board"
	rm -f "$1/.board" # no NIC state: netlink has its own figures below
}

# Forty settings on 8 CPUs and 4 NICs with two queues and two interrupts each: two policies
# (6), interrupts (8), packets by queue (24), threads (1 NIC), one kernel parameter.
profile() {
	cat <<-END
	[cpufreq]
	governor = performance
	min_freq = 1104MHz
	max_freq = 1104MHz
	[net:all]
	Driver = big
	irq.affinity = 1-7
	rps_cpus = 0-3
	xps_cpus = 4-7
	rps_flow_cnt = 4096
	[net:first]
	Name = eth0
	threaded = on
	[sysctl]
	net.core.rps_sock_flow_entries = 32768
	END
}

compile() {
	${CC:-gcc} -O2 -Wall -Wextra -o timer "$bench/timer.c"
	# shellcheck disable=SC2086 # a list
	${CC:-gcc} -O2 -Wall -Wextra -D_GNU_SOURCE -o bare "$bench/bare.c" -Wl,--no-as-needed \
		${LIBS:--lmnl -ljansson -linih -lsystemd -lm}
	echo 'int main(void) { return 0; }' >empty.c
	# shellcheck disable=SC2086
	${CC:-gcc} -O2 -o empty empty.c -Wl,--no-as-needed \
		${LIBS:--lmnl -ljansson -linih -lsystemd -lm}
}

# What an apply does below the board, from its system calls: the bare program's list.
trace() {
	rm -rf root && cp -a plain root
	strace -y -s 256 -o strace.out -e trace=openat2,pwrite64,write,getdents64 \
		"$boardtune" apply bench.ini --sysroot root -q >/dev/null
	awk -v root="$dir/root/" '
	{ failed = / = -1 / }
	/^openat2/ && !failed {
		split($0, part, "\"")
		path = part[2]
		if (path ~ /^run/ || path == "." || path == ".board" || /O_PATH|O_WRONLY/)
			next
		if (/O_DIRECTORY/)
			print "D " path
		else
			print "R " path
	}
	/^pwrite64/ {
		path = $0; sub(/^[^<]*</, "", path); sub(/>.*/, "", path)
		if (path ~ /smp_affinity_list$/)
			next # a copied board keeps both files of a line alike
		split($0, part, "\""); value = part[2]; sub(/\\n$/, "", value)
		print "W " substr(path, length(root) + 1) " " value
	}
	/^write/ && /undo.json.new/ { print "U run/undo.json " $NF }
	' strace.out >list
	# the least: read, write, read back; a record before and after
	awk '$1 == "U" { if (!n++) print; last = $0 }
	$1 == "W" { print "R " $2; print; print "R " $2 } END { print last }' list >least
	[ "$(grep -c '^W' list)" -eq "$settings" ] ||
		die "$(grep -c '^W' list) writes for $settings settings"
}

# The equal script: each value is written and read back, as one that checks would.
script() {
	echo 'set -e; cd root'
	awk '$1 == "W" { printf "echo %s >%s\n[ \"$(cat %s)\" = %s ]\n", $3, $2, $2, $3 }' list
}

instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$1.callgrind" "${@:2}" 2>&1 \
		>/dev/null | awk '/Collected/ { print $NF }'
}

row() { printf '%-44s %10s %10s %10s %8s %8s\n' "$@"; }

compare() {
	local reset='rm -rf root && cp -a plain root'

	./timer "$rounds" "$reset" \
		boardtune "$boardtune apply bench.ini --sysroot root -q >/dev/null" \
		script 'sh ./script.sh' \
		bare './bare root list' \
		least './bare root least' \
		empty ./empty >figures
	echo "apply of $settings settings, medians of $rounds interleaved rounds"
	row '' 'wall ms' 'CPU ms' 'peak KiB' 'wall' 'CPU'
	while read -r name wall cpu rss wall_ratio cpu_ratio; do
		row "$name" "$wall" "$cpu" "$rss" "$wall_ratio" "$cpu_ratio"
	done <figures
	echo '(wall, CPU: boardtune divided by that line, median of the ratios of each round;'
	echo 'bare: the same reads and writes; least: read, write, read back;'
	echo 'goals: at most 0.25 of the script, 1.5 of bare, 4096 KiB)'
}

# growth WHAT: plan by one dimension, the others fixed
growth() {
	local n size instr wall cpu rss

	echo
	echo "plan by number of $1"
	row '' 'wall ms' 'CPU ms' 'peak KiB' 'instr M' 'instr/one'
	for n in $2; do
		case $1 in
		CPUs) size="$n 256 16" ;;
		interrupts) size="16 $n 16" ;;
		NICs) size="16 4000 $n" ;;
		esac
		# shellcheck disable=SC2086 # three words
		board "size$n" $size
		./timer 5 true plan "$boardtune plan small.ini --sysroot size$n --json >/dev/null" \
			>figures
		read -r _ wall cpu rss _ <figures
		instr=$(instructions plan "$boardtune" plan small.ini --sysroot "size$n" --json)
		row "$n $1" "$wall" "$cpu" "$rss" $((instr / 1000000)) $((instr / n))
		rm -rf "size$n" "size$n.board"
	done
}

command -v strace >/dev/null || die 'strace is needed'
board plain 8 24 4
mkdir -p plain/run
profile >bench.ini
sed 's/[14]-7/0-3/' bench.ini >small.ini # a board of four CPUs is measured, too
"$boardtune" plan bench.ini --sysroot plain --json >plan.json
settings=$(grep -c '"outcome": "changed"' plan.json)
[ "$settings" -eq 40 ] || echo "bench: $settings settings, not 40"
compile
trace
script >script.sh
compare
if command -v valgrind >/dev/null; then
	echo
	rm -rf root && cp -a plain root
	echo "instructions: plan $(instructions plan "$boardtune" plan bench.ini \
		--sysroot root), apply $(instructions apply "$boardtune" apply bench.ini \
		--sysroot root)"
	growth CPUs '4 16 64 256 512'
	growth interrupts '64 250 1000 4000'
	growth NICs '4 16 64 256'
fi
