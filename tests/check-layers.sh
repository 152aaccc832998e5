#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# check-layers.sh - TAP: includes point downward, files and functions stay short (HACKING)
set -u

cd "${srcdir:-.}" || exit 1
count=0
failed=0

# result NAME FILE: a test that holds if FILE, a list of offences, is empty.
result() {
	count=$((count + 1))
	if [ -s "$2" ]; then
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$2"
	else
		echo "ok $count - $1"
	fi
}

offences=$(mktemp) || exit 1
trap 'rm -f "$offences"' EXIT
sources=$(find src -name '*.[ch]' | sort)
code="$sources $(find tests fuzz bench -name '*.[ch]' 2>/dev/null | sort)"
if [ -z "$sources" ]; then
	echo 'Bail out! no sources below src/'
	exit 1
fi

# Each layer may include itself and those before it; measure knows no engine and no
# profile. src/*.[ch] is the top.
# shellcheck disable=SC2086 # lists of files without blanks
awk '
BEGIN {
	n = split("base kernel board knobs profile engine measure report", layer, " ")
	for (i = 1; i <= n; i++)
		rank[layer[i]] = i
}
FNR == 1 {
	depth = split(FILENAME, part, "/")
	own = depth > 2 ? part[2] : "cmd"
	if (own != "cmd" && !(own in rank))
		print FILENAME ": no such layer: " own
}
/^#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	depth = split(quoted[2], part, "/")
	other = depth > 1 ? part[1] : "cmd"
	if (quoted[2] == "config.h" || own == "cmd")
		next
	if (other == "cmd" || !(other in rank) || rank[other] > rank[own])
		print FILENAME ":" FNR ": " own " includes " quoted[2]
	if (own == "measure" && (other == "engine" || other == "profile"))
		print FILENAME ":" FNR ": measure includes " quoted[2]
}' $sources >"$offences"
result 'includes point downward' "$offences"

# shellcheck disable=SC2086
awk 'FNR == 601 { print FILENAME ": more than 600 lines" }' $code >"$offences"
result 'no file has more than 600 lines' "$offences"

# A function: from the brace in the first column to the one that closes it.
# shellcheck disable=SC2086
awk '
FNR == 1 { open = 0 }
/^{/ { open = FNR }
/^}/ {
	if (open && FNR - open + 1 > 60)
		print FILENAME ":" open ": a function of " FNR - open + 1 " lines"
	open = 0
}' $code >"$offences"
result 'no function has more than 60 lines' "$offences"

for file in $code; do
	expand -t 8 "$file" | awk -v file="$file" '
	length($0) > 90 { print file ":" NR ": " length($0) " columns" }'
done >"$offences"
result 'no line has more than 90 columns' "$offences"

# shellcheck disable=SC2086
grep -nE '[ 	]$|^ +[^ *]' $code >"$offences"
result 'tabs indent, nothing trails' "$offences"

for file in $code; do
	case $(head -n 1 "$file") in
	'// SPDX-License-Identifier: GPL-2.0-or-later') ;;
	'/* SPDX-License-Identifier: GPL-2.0-or-later */') ;;
	*) echo "$file: no licence in the first line" ;;
	esac
done >"$offences"
result 'every file names its licence' "$offences"

# base/log.c is the trace of -v, base/service.c the journal without one; a FILE that is passed in is the business of who passes it.
# shellcheck disable=SC2086
grep -nE '(^|[^a-z_])(v?printf|puts|putchar|perror) ?\(|f[a-z]+ ?\(.*std(out|err)' $sources |
	grep -vE '^src/(main|cmd[a-z-]*|base/(log|service))\.c:' >"$offences"
result 'only main.c and cmd-*.c print' "$offences"

# shellcheck disable=SC2086
grep -nE '(^|[^a-z_])(system|popen|gets|strtok|atoi) ?\(|^[	 ]*typedef struct' \
	$sources >"$offences"
result 'no shell, no gets, strtok or atoi, no typedef of a struct' "$offences"

# shellcheck disable=SC2013,SC2086
for file in $(grep -lE '[^A-Za-z]N?_\("' $sources); do
	grep -qx "$file" po/POTFILES.in || echo "$file: not in po/POTFILES.in"
done >"$offences"
while IFS= read -r file; do
	case $file in
	'' | '#'*) ;;
	*) [ -e "$file" ] || echo "$file: in po/POTFILES.in, but not there" ;;
	esac
done <po/POTFILES.in >>"$offences"
result 'po/POTFILES.in names every file with messages' "$offences"

echo "1..$count"
[ "$failed" = 0 ]
