# SPDX-License-Identifier: GPL-2.0-or-later
# security.test.sh - what systemd thinks of the units' sandboxes; sourced by systemd.test.sh
# shellcheck shell=sh disable=SC2154 # variables of systemd.test.sh

# services: all that are installed; of a template an instance
services() {
	for file in /usr/lib/systemd/system/boardtune*.service; do
		file=${file##*/}
		case $file in
		*@.service) echo "${file%.service}lo.service" ;;
		*) echo "$file" ;;
		esac
	done
}

check_security() {
	check security
	for service in $(services); do
		systemd-analyze verify --man=no "$service" >"$scratch/out" 2>&1
		is "$? $(cat "$scratch/out")" '0 ' "$service: systemd-analyze verify is content"
		systemd-analyze security --threshold=40 "$service" >"$scratch/out" 2>&1
		ok $? "$service: its exposure is at most 4.0"
		tap "# $(tail -n 1 "$scratch/out")"
		# what is left open, by weight
		sed -n 's/^- *\([^ ]*\).* \([0-9.]*\)$/\2 \1/p' "$scratch/out" | sort -rn |
			awk '{ line = line " " $2 " " $1 } END { print substr(line, 2) }' |
			fold -s -w 80 | sed 's/^/#   /' >"$scratch/open"
		while read -r line; do
			tap "$line"
		done <"$scratch/open"
	done
}
