# SPDX-License-Identifier: GPL-2.0-or-later
# tap-guest.sh - TAP in the guest, to a device of its own: check, ok, is, run; sourced
# shellcheck shell=sh

: "${BOARDTUNE:=/usr/bin/boardtune}" "${TAP_DEVICE:?TAP_DEVICE must name where results go}"
export LC_ALL=C
tap_count=0
tap_group=board
scratch=$(mktemp -d /tmp/test-XXXXXX) || exit 99
tab=$(printf '\t')

# tap LINE: to whoever runs the guest; the console gets a copy
tap() {
	printf '%s\n' "$*" >>"$TAP_DEVICE"
	printf '%s\n' "$*"
}

# check NAME: what the next tests are about
check() {
	tap_group=$1
	tap "# $tap_group at $(cut -d ' ' -f 1 /proc/uptime) s"
}

# ok STATUS TEXT: a test that passed when STATUS is 0
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		tap "ok $tap_count - $tap_group: $2"
	else
		tap "not ok $tap_count - $tap_group: $2"
	fi
	return "$1"
}

# is GOT WANT TEXT
is() {
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		tap "#   got:  $(printf '%s' "$1" | head -n 20 | tr '\n' '~' | cut -c 1-600)"
		tap "#   want: $(printf '%s' "$2" | head -n 20 | tr '\n' '~' | cut -c 1-600)"
		return 1
	fi
}

# skip TEXT: a test that cannot be made here, and why
skip() {
	tap_count=$((tap_count + 1))
	tap "ok $tap_count - $tap_group: # SKIP $1"
}

# explain FILE...: what was said, as comments; for after a failed test
explain() {
	for explain_file in "$@"; do
		[ ! -s "$explain_file" ] || head -n 25 "$explain_file" | while IFS= read -r line; do
			tap "#   $line"
		done
	done
}

# run ARG...: boardtune; leaves $code, $scratch/out and $scratch/err
run() {
	"$BOARDTUNE" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
}

# exits WANT TEXT: the exit code of the last run, explained if it is another
exits() {
	is "$code" "$1" "$2" || explain "$scratch/err" "$scratch/out"
}

# rows [FILE]: the settings of a document of plan, apply, verify, revert; one line each,
# fields separated by TAB: key target outcome before want now note. Absent: "null".
# shellcheck disable=SC2120
rows() {
	awk '
	function value(line) {
		sub(/^[^:]*: */, "", line)
		sub(/,$/, "", line)
		if (line ~ /^".*"$/)
			line = substr(line, 2, length(line) - 2)
		return line
	}
	/"settings": \[/ { inside = 1; next }
	!inside { next }
	/^ *\]/ { inside = 0; next }
	/^ *\{/ { split("", field) }
	match($0, /^ *"[a-z_]+":/) {
		name = substr($0, RSTART, RLENGTH)
		gsub(/[ ":]/, "", name)
		field[name] = value($0)
	}
	/^ *\}/ {
		print field["key"] "\t" field["target"] "\t" field["outcome"] "\t" \
			field["before"] "\t" field["want"] "\t" field["now"] "\t" field["note"]
	}' "${1:-$scratch/out}"
}

# row TARGET KEY FIELD: one field of the last document, e.g. row policy0 cpufreq.max_freq now
row() {
	case $3 in
	outcome) row_column=3 ;;
	before) row_column=4 ;;
	want) row_column=5 ;;
	now) row_column=6 ;;
	note) row_column=7 ;;
	*) row_column=0 ;;
	esac
	rows | awk -F "$tab" -v target="$1" -v key="$2" -v column="$row_column" \
		'$1 == key && $2 == target { print $column; exit }'
}

# await TEXT COMMAND...: until COMMAND succeeds, at most 10 s; a failed test if it does not
await() {
	await_text=$1
	shift
	await_left=100
	until "$@" >/dev/null 2>&1; do
		await_left=$((await_left - 1))
		[ "$await_left" -gt 0 ] || break
		sleep 0.1
	done
	[ "$await_left" -gt 0 ] || ok 1 "$await_text"
}

# finish: the plan line is the last word; then the guest switches itself off
finish() {
	tap "1..$tap_count"
	sync
	poweroff -f
}
