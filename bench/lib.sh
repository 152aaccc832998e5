# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# lib.sh - parts of run.sh: programs to compare with, tables, goals
#
# Set by run.sh: bench, boardtune, rounds; the working directory is a temporary one.
# shellcheck disable=SC2154

die() {
	echo "bench: $*" >&2
	exit 1
}

need() {
	local tool

	for tool in "$@"; do
		command -v "$tool" >/dev/null || die "$tool is needed"
	done
}

# All are linked with boardtune's libraries, so that loading them costs the same.
compile() {
	local cc="${CC:-gcc} -O2 -Wall -Wextra -D_GNU_SOURCE" libs

	libs=$(readelf -d "$boardtune" |
		sed -n '/libc\.so/d; s/.*(NEEDED).*\[\(.*\)\]/-l:\1/p')
	echo 'int main(void) { return 0; }' >empty.c
	# shellcheck disable=SC2086 # lists
	{
		$cc -o timer "$bench/timer.c"
		$cc -o bare "$bench/bare.c" "$bench/bare-nic.c" -Wl,--no-as-needed $libs -lmnl
		$cc -o empty empty.c -Wl,--no-as-needed $libs
	}
}

explain() {
	cat <<-END
	Medians of $rounds rounds that run the lines of a table in turn, each on the same
	state. wall: from fork to exit. CPU: user and system time, with children (wait4).
	peak: the largest resident set of one process (ru_maxrss), its libraries included.
	x wall, x CPU: boardtune divided by that line, the median over the rounds.
	  script  sh: each setting written by echo and read back by cat, or by ethtool(8)
	  bare    a C program: reads and writes the files that boardtune does, as often; asks
	          for a NIC's setting, sets it, asks again; decides nothing
	  least   likewise, but of the files only those of settings: read, written, read
	  empty   a C program that returns at once
	Goals: at most 0.25 of the script, 1.5 of bare, 4096 KiB.
	END
}

row() { printf '%-30s %10s %10s %10s %8s %8s\n' "$@"; }

# goal WHAT VALUE LIMIT
goal() {
	awk -v what="$1" -v value="$2" -v limit="$3" 'BEGIN {
		printf "goal %s: %s %s, at most %s\n", value <= limit ? "met" : "missed",
			what, value, limit
	}' | tee -a goals
}

# goals_of TITLE: those of a table, whose lines are in the file figures
goals_of() {
	local name rss wall cpu limit

	while read -r name _ _ rss wall cpu; do
		case $name in
		boardtune)
			goal "$1: peak KiB" "$rss" 4096
			continue
			;;
		script) limit=0.25 ;;
		bare) limit=1.5 ;;
		*) continue ;;
		esac
		goal "$1: wall to $name" "$wall" "$limit"
		goal "$1: CPU to $name" "$cpu" "$limit"
	done <figures
}

# compare TITLE ROOT RESET COMMAND...: boardtune's, the script's, bare, least, empty; ROOT
# is the directory to chroot to, or empty
compare() {
	local name wall cpu rss wall_ratio cpu_ratio

	./timer "$rounds" "$2" "$3" boardtune "$4" script "$5" bare "$6" least "$7" \
		empty "$8" >figures
	echo
	echo "$1"
	row '' 'wall ms' 'CPU ms' 'peak KiB' 'x wall' 'x CPU'
	while read -r name wall cpu rss wall_ratio cpu_ratio; do
		row "$name" "$wall" "$cpu" "$rss" "$wall_ratio" "$cpu_ratio"
	done <figures
	goals_of "$1"
}

# The instructions that a command takes, loading included, by callgrind.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file=callgrind.out "$@" 2>&1 >/dev/null |
		awk '/Collected/ { n = $NF } END { print n; exit !(n > 0) }' ||
		die "callgrind: $*"
}

# board NAME CPUS INTERRUPTS NICS: a directory that looks like / of such a board
board() {
	"$bench/../tests/boards/big.sh" "$2" "$3" "$4" >"$1.board"
	"$bench/unpack.sh" "$1" <"$1.board"
	rm -f "$1/.board" "$1.board" # no recorded NIC state: nics.sh has NICs of the kernel
	mkdir "$1/run"
}

# trace ROOT COMMAND...: what it does below ROOT, as lists for bare: all of it, the least
trace() {
	strace -y -s 256 -o strace.out -e trace=openat,openat2,write,pwrite64,sendto \
		"${@:2}" >/dev/null
	awk -v root="$1" -f "$bench/trace.awk" strace.out >list
	awk '$1 == "U" { if (!n++) print; last = $0 }
	$1 ~ /[WT]/ { print "R " $2; print; print "R " $2 }
	END { print last }' list >least
}

# forty_settings PROFILE [OPTION]...: dies unless its plan would change 40 settings
forty_settings() {
	local n

	"$boardtune" plan "$@" --json >plan.json
	n=$(grep -c '"outcome": "changed"' plan.json || true)
	[ "$n" -eq 40 ] || die "$n settings in the plan of $1, not 40"
}

# own_namespaces ARGUMENT...: the script begins again in network and mount namespaces of its
# own. sysfs shows the network namespace it was mounted in; the undo record is in /run.
own_namespaces() {
	local here flags

	here=$(readlink /proc/self/ns/net)
	if [ "${BENCH_OUTSIDE-$here}" = "$here" ]; then
		flags=-nm
		[ "$(id -u)" = 0 ] || flags=-Urnm
		unshare $flags true || die 'no namespaces for this user: run it as root'
		BENCH_OUTSIDE=$here exec unshare $flags "$0" "$@"
	fi
	# shellcheck disable=SC2015 # die does not return
	mount --make-rprivate / && mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /run ||
		die 'no mounts of its own for this user: run it as root'
}
