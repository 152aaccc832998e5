# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# lib.sh - TAP for shell tests: ok, is, run; sourced

: "${srcdir:=.}" "${BOARDTUNE:?BOARDTUNE must name the program}"
cd "$srcdir" || exit 99
tap_count=0 tap_failed=0
# recorded boards are thousands of files: in memory ten times as fast
[ -n "${TMPDIR-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
scratch=$(mktemp -d "${TMPDIR:-/tmp}/boardtune-test-XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT

# Where programs are slow TEST_BOARDS can name some of the recorded boards, by a pattern.
# shellcheck disable=SC2125
boards=tests/boards/${TEST_BOARDS:-*}.board

# ok STATUS TEXT: a test that passed when STATUS is 0
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
	fi
}

# is GOT WANT TEXT
is() {
	[ "$1" = "$2" ]
	ok $? "$3"
	[ "$1" = "$2" ] || printf '# got: %s\n# want: %s\n' "$1" "$2" | head -20
}

# run ARG...: boardtune; leaves $code, $scratch/out and $scratch/err
run() {
	"$BOARDTUNE" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
}

done_testing() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
