#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh - what boardtune costs: against a shell script, against a bare program, by size
#
# run.sh [ROUNDS]: BOARDTUNE names the program, CC the compiler. Runs in network and mount
# namespaces of its own and writes only below a temporary directory in memory: nothing of
# this machine is tuned. A goal that is missed is said and is no error.
set -eu -o pipefail

bench=$(cd "$(dirname "$0")" && pwd)
rounds=${1:-31}
# shellcheck source=lib.sh
. "$bench/lib.sh"
# shellcheck source=files.sh
. "$bench/files.sh"
# shellcheck source=nics.sh
. "$bench/nics.sh"
# shellcheck source=growth.sh
. "$bench/growth.sh"

boardtune=$(realpath "${BOARDTUNE:-./boardtune}")
[ -x "$boardtune" ] || die "no $boardtune: make bench, or set BOARDTUNE"
need unshare chroot strace ethtool ip ldd readelf

own_namespaces "$@"

parent=/dev/shm
[ -w $parent ] || parent=${TMPDIR:-/tmp}
dir=$(realpath "$(mktemp -d "$parent/boardtune-bench-XXXXXX")")
trap 'rm -rf "$dir"' EXIT
cd "$dir"

compile
explain
measure_files
measure_nics
if command -v valgrind >/dev/null; then
	measure_growth
else
	echo
	echo 'no valgrind: no instructions, no growth'
fi
echo
awk '/^goal met/ { met++ } /^goal missed/ { missed++ }
END { print "goals: " met + 0 " met, " missed + 0 " missed" }' goals
sed -n '/^goal missed/p' goals
